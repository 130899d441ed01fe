# SPDX-License-Identifier: Apache-2.0
"""Log to a timeline, by libtimeline: timeline.h as far as the module needs it."""
import ctypes as c
import operator
import os
import re
import struct
import sys

from ._library import check

INSTANT, SPAN, COUNTER = 1, 2, 3  # kinds
BEGIN, END = 4, 6  # TIMELINE_PART_SCOPE, TIMELINE_PART_SCOPE_END
SCOPES = {"thread": 0, "source": 1}
ARGUMENT = re.compile(
    r"\$[A-Za-z0-9_]+(?:%(8s|[duxofts])(?![A-Za-z0-9_]))?")


class Options(c.Structure):
    _fields_ = [("entries", c.c_uint64), ("stringtablesize", c.c_uint64),
                ("mode", c.c_uint32), ("tiers", c.c_uint32),
                ("cpu_lanes", c.c_uint32), ("fallback_lanes", c.c_uint32),
                ("stamp", c.c_uint32), ("trusted_uid", c.c_uint32)]


class Definition(c.Structure):
    _fields_ = [("category", c.c_char_p), ("priority", c.c_char_p),
                ("message", c.c_char_p), ("kind", c.c_int), ("scope", c.c_int),
                ("file", c.c_char_p), ("line", c.c_int)]


class Raw(c.Structure):
    _fields_ = [("gate", c.POINTER(c.c_uint8)), ("levels", c.POINTER(c.c_uint8)),
                ("rest", c.c_uint64 * 14)]


_library = c.CDLL("libtimeline.so.0")
_library.timeline_error.restype = c.c_char_p
# What logs never waits: it keeps the lock of the interpreter.
_append = c.PyDLL("libtimeline.so.0").timeline_span_append
_append.restype = c.c_uint64
_append.argtypes = [c.c_void_p] + [c.c_uint64] * 4


def _call(name, *arguments):
    return check(getattr(_library, "timeline_" + name)(*arguments), lambda:
                 _library.timeline_error().decode(errors="replace"))


class Timeline:
    """What timeline.new() returns.  Events of it keep it open until close()."""

    def __init__(self, path, options):
        self._core = None
        core, self._path = c.c_void_p(), path
        _call("new", c.byref(core), os.fsencode(path),
              c.byref(Options(**options)))
        self._core = core

    def _open(self):
        if not self._core:
            raise ValueError("the timeline is closed: %r" % self._path)
        return self._core

    def define(self, category, priority, message):
        """An event: a call logs it with the arguments that message names."""
        return Event(self, INSTANT, 0, category, priority, message)

    def counter(self, category, priority, message):
        """A counter: its first argument is its value."""
        return Event(self, COUNTER, 0, category, priority, message)

    def span(self, category, priority, message, scope="thread"):
        """A span: with span(1, "GET"): ...  scope "source": of no thread, as
        spans around an await are."""
        return Span(self, SPAN, SCOPES[scope], category, priority, message)

    def priority(self, priority):
        """Set the least priority that is logged, in every process; "off"."""
        _call("priority", self._open(), priority.encode())

    def burst(self, priority, duration_ns):
        """Log from this priority up for so long, in every process."""
        _call("burst", self._open(), priority.encode(), c.c_uint64(duration_ns))

    def save(self, path):
        """Save a snapshot."""
        _call("save", self._open(), os.fsencode(path))

    def close(self):
        """The file stays; what was defined here logs no more."""
        core, self._core = self._core, None
        if core:
            _library.timeline_close(core)

    __del__ = close

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __repr__(self):
        return "<timeline.Timeline %r>" % os.fsdecode(self._path)


class Event:
    """A message that is ready to be logged."""

    def __init__(self, timeline, kind, scope, category, priority, message):
        caller = sys._getframe(2)
        event = c.POINTER(Raw)()
        _call("define_event", timeline._open(), c.byref(Definition(
            category.encode(), priority.encode(), message.encode(), kind, scope,
            os.fsencode(caller.f_code.co_filename), caller.f_lineno)),
              c.byref(event))
        self._timeline, self._message = timeline, message
        self._formats = ARGUMENT.findall(message.split("\n", 1)[0])
        self._event = event

    def enabled(self):
        """Is the priority open?"""
        return (self._timeline._core is not None and
                self._event[0].gate[0] >= self._event[0].levels[0])

    def _word(self, conversion, value):
        if conversion == "f":
            return int.from_bytes(struct.pack("<d", value), "little")
        if isinstance(value, str):
            value = value.encode(errors="surrogateescape")
        if conversion == "8s" and isinstance(value, bytes):
            return int.from_bytes(value[:8], "little")
        if conversion == "s" and isinstance(value, bytes):
            number = c.c_uint64()
            _call("string", self._timeline._open(), value, c.byref(number))
            return number.value
        try:
            return operator.index(value) & (1 << 64) - 1
        except TypeError:
            raise TypeError("%r: %r: write $name%%f for a number, $name%%s or "
                            "$name%%8s for a text" % (self._message,
                                                      value)) from None

    def _log(self, part, values):
        """Log a part of the event: its stamp, or 0 where it is closed."""
        if len(values) != len(self._formats):
            raise TypeError("%r: %d arguments, not %d" % (
                self._message, len(self._formats), len(values)))
        if not self.enabled():
            return 0
        words = [self._word(*pair) for pair in zip(self._formats, values)]
        return _append(c.addressof(self._event[part]), *words,
                       *[0] * (4 - len(words)))

    def __call__(self, *values):
        self._log(0, values)


class Span(Event):
    """A span that is ready to be logged: a call, for "with"."""

    def __call__(self, *values):
        return Open(self, values)


class Open:
    """The span of one block: it begins and ends with the block."""

    __slots__ = ("_span", "_values", "_begun")

    def __init__(self, span, values):
        self._span, self._values = span, values

    def __enter__(self):
        self._begun = self._span._log(BEGIN, self._values)
        return self

    def __exit__(self, *error):
        if self._begun and self._span._timeline._core:
            _append(c.addressof(self._span._event[END]), self._begun, 0, 0, 0)
