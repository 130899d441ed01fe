# SPDX-License-Identifier: Apache-2.0
"""libtimeline-read by ctypes: timeline_read.h as far as the module needs it."""
import array
import ctypes as c
import errno
import os
import warnings

NO_CPU = 0xffffffff
BARE, UNSURE, ALONE = 1, 16, 512
PRIORITIES = ["trace+++", "trace++", "trace+", "trace", "debug", "info",
              "warning", "error", "fatal"]
COLUMNS = ["ns", "tsc", "duration_ns", "error_ns", "cpu", "pid", "tid", "level",
           "kind", "flags", "lost", "definition", "arg0", "arg1", "arg2", "arg3"]
SIGNED = ("ns", "duration_ns")
LOOKS = ["?", "observed", "not logged", "not kept", "not whole", "not known"]


class Error(OSError):
    """What the library says of a file that cannot be read."""


# ... which is also what Python calls it.
_ERRORS = {number: type(kind.__name__, (Error, kind), {})
           for number, kind in ((errno.ENOENT, FileNotFoundError),
                                (errno.EACCES, PermissionError),
                                (errno.EISDIR, IsADirectoryError))}


class Damage(UserWarning):
    """A place of a file that is damaged, or a remark about the file."""


class Definition(c.Structure):
    _fields_ = [("category", c.c_char_p), ("message", c.c_char_p),
                ("explanation", c.c_char_p), ("file", c.c_char_p),
                ("line", c.c_uint32), ("level", c.c_uint), ("gate", c.c_uint),
                ("kind", c.c_uint), ("scope", c.c_uint), ("is_timer", c.c_int),
                ("argc", c.c_uint), ("names", c.c_char_p * 4),
                ("formats", c.c_int * 4)]


class Event(c.Structure):
    _fields_ = [("ns", c.c_int64), ("tsc", c.c_uint64), ("cpu", c.c_uint32),
                ("pid", c.c_uint32), ("tid", c.c_uint32), ("level", c.c_uint),
                ("kind", c.c_uint), ("argc", c.c_uint),
                ("args", c.c_uint64 * 4), ("lost", c.c_uint64),
                ("category", c.c_char_p), ("message", c.c_char_p),
                ("duration_ns", c.c_int64), ("error_ns", c.c_uint32),
                ("epoch", c.c_uint32), ("flags", c.c_uint32),
                ("definition", c.POINTER(Definition)),
                ("thread", c.c_char_p), ("process", c.c_char_p)]


class Span(c.Structure):
    _fields_ = [("begin", c.POINTER(Event)), ("end", c.POINTER(Event)),
                ("duration_ns", c.c_int64), ("self_ns", c.c_int64),
                ("depth", c.c_uint32), ("flags", c.c_uint32)]


class Origin(c.Structure):
    _fields_ = [("input", c.c_char_p), ("host", c.c_char_p),
                ("boot", c.c_char_p), ("timeline", c.c_char_p)]


class DamageText(c.Structure):
    _fields_ = [("error", c.c_int), ("at", c.c_uint64), ("text", c.c_char_p),
                ("input", c.c_char_p)]


ON_DAMAGE = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(DamageText))


class Options(c.Structure):
    _fields_ = [("size", c.c_size_t), ("oldest_first", c.c_int),
                ("follow", c.c_int), ("timeout_ms", c.c_int),
                ("read_only", c.c_int), ("tail", c.c_uint64),
                ("limit", c.c_uint64), ("since_ns", c.c_int64),
                ("until_ns", c.c_int64), ("min_level", c.c_uint),
                ("category", c.c_char_p), ("message", c.c_char_p),
                ("memory_max", c.c_uint64), ("on_damage", ON_DAMAGE),
                ("context", c.c_void_p), ("formats", c.c_void_p)]


class Interval(c.Structure):
    _fields_ = [("from_ns", c.c_int64), ("to_ns", c.c_int64), ("look", c.c_uint)]


class Column(c.Structure):
    _fields_ = [("what", c.c_uint), ("values", c.c_void_p)]


def _load():
    try:
        return c.CDLL("libtimeline-read.so.0")
    except OSError as error:
        raise ImportError("timeline: %s: install libtimeline-read, or set "
                          "LD_LIBRARY_PATH" % error) from None


def _load_formats():
    """Files of other formats are read where libtimeline-formats is installed."""
    try:
        formats = c.CDLL("libtimeline-formats.so.0").timeline_formats
    except OSError:
        return None
    formats.restype = c.c_void_p
    return formats()


def _function(name, result, *arguments):
    function = getattr(_library, "timeline_read_" + name)
    function.restype = result
    function.argtypes = arguments
    return function


_library = _load()
_formats = _load_formats()
_event, _sized = c.POINTER(Event), (c.c_char_p, c.c_size_t)
_error = _function("error", c.c_char_p)
_open = _function("open", c.c_int, c.POINTER(c.c_void_p), c.c_char_p,
                  c.POINTER(Options))
_add = _function("add", c.c_int, c.c_void_p, c.c_char_p)
_close = _function("close", None, c.c_void_p)
_next = _function("next", c.c_int, c.c_void_p, c.POINTER(_event))
_next_span = _function("next_span", c.c_int, c.c_void_p,
                       c.POINTER(c.POINTER(Span)))
_columns = _function("columns", c.c_int64, c.c_void_p, c.POINTER(Column),
                     c.c_size_t, c.c_size_t)
event_text = _function("text", c.c_int, _event, *_sized)
event_line = _function("line", c.c_int, _event, *_sized)
argument_text = _function("argument_text", c.c_int, _event, c.c_uint, *_sized)
_argument_bytes = _function("argument_bytes", c.c_int, _event, c.c_uint, *_sized)
_message = _function("message", c.POINTER(Definition), c.c_void_p, c.c_size_t,
                     c.c_void_p)
_observe = _function("observe", c.c_int, c.POINTER(Definition),
                     c.POINTER(c.c_void_p))
_next_interval = _function("next_interval", c.c_int, c.c_void_p,
                           c.POINTER(Interval))
_intervals_close = _function("intervals_close", None, c.c_void_p)
priority = _function("priority", c.c_char_p, _event)
origin = _function("origin", c.POINTER(Origin), _event)


def last_error():
    return _error().decode(errors="replace")


def check(rc, said=last_error):
    if rc < 0:
        raise _ERRORS.get(-rc, Error)(-rc, said())
    return rc


def text(function, *what):
    """What a function writes as snprintf does."""
    size = 256
    while True:
        buffer = c.create_string_buffer(size)
        needed = check(function(*what, buffer, size))
        if needed < size:
            return buffer.value.decode(errors="replace")
        size = needed + 1


def string(raw, i):
    """The text of a string argument, as it was logged."""
    size = 256
    while True:
        buffer = c.create_string_buffer(size)
        needed = _argument_bytes(c.byref(raw), i, buffer, size)
        if needed < 0:  # the file lacks it
            return text(argument_text, c.byref(raw), i)
        if needed <= size:
            return buffer.raw[:needed].decode(errors="replace")
        size = needed


def level_of(priority):
    if priority is None:
        return 0
    if priority not in PRIORITIES:
        raise ValueError("no such priority: %r, but %s" %
                         (priority, " ".join(PRIORITIES)))
    return PRIORITIES.index(priority) + 1


def path_of(path):
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError("a path has a NUL: %r" % path)
    return encoded


def within(name, number, bits, least=None):
    """The number, if it has so many bits."""
    if least is None:
        least = -(1 << bits)
    if not least <= number < 1 << bits:
        raise ValueError("%s is out of range: %d" % (name, number))
    return number


def is_bare(raw):
    """Is it an end without arguments, whose begin is not known either?"""
    return raw.flags & ALONE or (raw.flags & BARE and raw.duration_ns < 0)


def _warn(_, damage):
    damage = damage.contents
    warnings.warn("%s: %s" % (damage.input.decode(errors="replace"),
                              damage.text.decode(errors="replace")), Damage)


_on_damage = ON_DAMAGE(_warn)


def _bytes(string):
    return None if string is None else string.encode()


def _array(name, rows):
    """An array of 64 bits, of numpy if it is there, and its address."""
    try:
        import numpy
        values = numpy.empty(rows, "int64" if name in SIGNED else "uint64")
        return values, values.ctypes.data
    except ImportError:
        values = array.array("q" if name in SIGNED else "Q", bytes(8 * rows))
        return values, values.buffer_info()[0]


def _joined(parts):
    if len(parts) > 1 and not isinstance(parts[0], array.array):
        import numpy
        return numpy.concatenate(parts)
    joined = parts[0]
    for part in parts[1:]:
        joined.extend(part)
    return joined


class Handle:
    """A reader of the library; closed when nothing refers to it."""

    ROWS = 1 << 16

    def __init__(self, paths, category, message, follow, **numbers):
        # the library uses the strings until the reader is closed
        self._strings = (_bytes(category), _bytes(message))
        options = Options(size=c.sizeof(Options), oldest_first=1,
                          follow=follow, category=self._strings[0],
                          message=self._strings[1], on_damage=_on_damage, formats=_formats,
                          **numbers)
        self._reader = c.c_void_p()
        check(_open(c.byref(self._reader), paths[0],
                    c.byref(options)))
        for path in paths[1:]:
            check(_add(self._reader, path))

    def __del__(self, close=_close):
        if getattr(self, "_reader", None):
            close(self._reader)

    def events(self):
        raw = _event()
        while check(_next(self._reader, c.byref(raw))) > 0:
            yield raw.contents

    def spans(self):
        raw = c.POINTER(Span)()
        while check(_next_span(self._reader, c.byref(raw))) > 0:
            yield raw.contents

    def messages(self):
        i = 0
        while definition := _message(self._reader, i, None):
            yield definition.contents
            i += 1

    def observed(self, definition):
        intervals, interval = c.c_void_p(), Interval()
        check(_observe(c.byref(definition), c.byref(intervals)))
        try:
            while check(_next_interval(intervals, c.byref(interval))) > 0:
                yield interval.from_ns, interval.to_ns, interval.look
        finally:
            _intervals_close(intervals)

    def columns(self, names):
        for name in names:
            if name not in COLUMNS:
                raise ValueError("no such column: %r, but %s" %
                                 (name, " ".join(COLUMNS)))
        parts = {name: [] for name in names}
        filled = self.ROWS
        while filled == self.ROWS:
            made = [_array(name, self.ROWS) for name in names]
            asked = (Column * len(names))(*(
                Column(COLUMNS.index(name) + 1, address)
                for name, (_, address) in zip(names, made)))
            filled = check(_columns(self._reader, asked, len(names),
                                    self.ROWS))
            for name, (values, _) in zip(names, made):
                parts[name].append(values[:filled])
        return {name: _joined(parts[name]) for name in names}
