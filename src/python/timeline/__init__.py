# SPDX-License-Identifier: Apache-2.0
"""Read timelines and recorded traces, by libtimeline-read, and log to them.

    import timeline

    for event in timeline.open("/server", where="args.id > 3"):
        print(event.time, event.text)
    slow = max(timeline.open("slow.tl").spans(), key=lambda s: s.duration_ns)
    frame = timeline.open("slow.tl").to_pandas()

    request = timeline.new("/server").span("server", "info", "request $id")
    with request(42):
        ...

What timeline.open returns may be read any number of times.  Each reading opens
the inputs anew: a live timeline gives what is in it by then.
"""
import collections
import ctypes as c
import datetime
import difflib
import fnmatch
import os
import re
import warnings

from . import _library as lib
from ._library import Damage, Error

__all__ = ["open", "new", "Error", "Damage", "NoMatch", "Reader", "Event", "Span",
           "Message", "Interval"]
__version__ = "0.1.0"

KINDS = {1: "instant", 2: "begin", 3: "end", 4: "counter", 5: "loss"}
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


class NoMatch(UserWarning):
    """No event matches, because no message does, or has such an argument."""


class NoArgument(AttributeError, KeyError):
    """The event has no argument of this name."""

    __str__ = AttributeError.__str__


class Args(dict):
    """The arguments of an event, by name: args["id"] or args.id, also args.items
    where an argument is called so."""

    def __getattribute__(self, name):
        if dict.__contains__(self, name):
            return dict.__getitem__(self, name)
        return super().__getattribute__(name)

    def __getattr__(self, name):
        raise NoArgument(name)

    def __missing__(self, name):
        raise NoArgument(name)

    def __reduce__(self):
        return Args, (dict(dict.items(self)),)


def _signed(bits):
    return bits - (1 << 64) if bits >> 63 else bits


def _value(raw, i):
    """The value of argument i: an integer, a float or a text."""
    kind = raw.definition.contents.formats[i]
    bits = raw.args[i]
    if kind == ord("s"):
        return lib.string(raw, i)
    if kind == ord("f"):
        return c.c_double.from_buffer_copy(c.c_uint64(bits)).value
    return bits if kind in (ord("u"), ord("x"), ord("o")) else _signed(bits)


class Event:
    """An event.  Times are Unix times in nanoseconds; duration_ns is None where
    it is not known, and may be that of another span where not sure.  lost is the
    number of entries that a loss stands for."""

    __slots__ = ("_raw", "_args", "_reader")

    def __init__(self, raw, reader):
        self._raw = type(raw).from_buffer_copy(raw)
        self._args = None
        self._reader = reader  # the library's, which owns the texts

    ns = property(lambda self: self._raw.ns)
    tsc = property(lambda self: self._raw.tsc)
    pid = property(lambda self: self._raw.pid)
    tid = property(lambda self: self._raw.tid)
    level = property(lambda self: self._raw.level)
    lost = property(lambda self: self._raw.lost)
    flags = property(lambda self: self._raw.flags)
    error_ns = property(lambda self: self._raw.error_ns)
    kind = property(lambda self: KINDS.get(self._raw.kind, "?"))
    category = property(lambda self: self._raw.category.decode(errors="replace"))
    message = property(lambda self: self._raw.message.decode(errors="replace"))
    thread = property(lambda self: self._raw.thread.decode(errors="replace"))
    process = property(lambda self: self._raw.process.decode(errors="replace"))
    priority = property(lambda self: lib.priority(c.byref(self._raw)).decode())
    sure = property(lambda self: not self.flags & lib.UNSURE)

    @property
    def cpu(self):
        return None if self._raw.cpu == lib.NO_CPU else self._raw.cpu

    @property
    def duration_ns(self):
        return None if self._raw.duration_ns < 0 else self._raw.duration_ns

    @property
    def time(self):
        """The time in UTC, cut to microseconds."""
        return _EPOCH + datetime.timedelta(microseconds=self.ns // 1000)

    @property
    def args(self):
        if self._args is None:
            d = self._raw.definition.contents
            argc = 0 if lib.is_bare(self._raw) else d.argc
            self._args = Args((d.names[i].decode(errors="replace"),
                               _value(self._raw, i)) for i in range(argc))
        return self._args

    @property
    def text(self):
        """The message with its values, as timeline-dump prints it."""
        return lib.text(lib.event_text, c.byref(self._raw))

    @property
    def line(self):
        """The line of timeline-dump."""
        return lib.text(lib.event_line, c.byref(self._raw))

    @property
    def host(self):
        return self._origin("host")

    @property
    def timeline(self):
        return self._origin("timeline")

    def _origin(self, member):
        origin = lib.origin(c.byref(self._raw))
        if not origin:
            raise Error(lib.last_error())
        return getattr(origin.contents, member).decode(errors="replace")

    def __repr__(self):
        return "<%s %s>" % (self.time.isoformat(), self.text)

    def __reduce__(self):
        return _Kept, tuple(getattr(self, name) for name in _Kept.__slots__)

    def __eq__(self, other):
        if not isinstance(other, Event):
            return NotImplemented
        return self.ns == other.ns and self.__reduce__() == other.__reduce__()

    def __hash__(self):
        return hash((self.ns, self.tsc, self.pid, self.tid, self.message))


class _Kept(Event):
    """An event without its reader: what pickle and copy make of one."""

    __slots__ = ("ns", "tsc", "pid", "tid", "level", "lost", "flags", "error_ns",
                 "kind", "category", "message", "thread", "process", "priority",
                 "cpu", "duration_ns", "args", "text", "line", "host", "timeline")

    def __init__(self, *values):
        for name, value in zip(self.__slots__, values):
            setattr(self, name, value)


class Span:
    """A span: begin and end are events, end is None of one that is open.  self_ns
    is the duration without the spans within.  A span that is not sure may be none:
    entries may be missing in it.  children is filled by Reader.tree()."""

    __slots__ = ("begin", "end", "duration_ns", "self_ns", "depth", "flags",
                 "children")

    def __init__(self, raw, reader):
        self.begin = Event(raw.begin.contents, reader)
        self.end = Event(raw.end.contents, reader) if raw.end else None
        self.duration_ns = None if raw.duration_ns < 0 else raw.duration_ns
        self.self_ns = None if raw.self_ns < 0 else raw.self_ns
        self.depth = raw.depth
        self.flags = raw.flags
        self.children = []

    sure = property(lambda self: not self.flags & lib.UNSURE)
    args = property(lambda self: (self.end or self.begin).args)
    category = property(lambda self: self.begin.category)
    message = property(lambda self: self.begin.message)
    text = property(lambda self: self.begin.text[2:])  # without its "> "
    tid = property(lambda self: self.begin.tid)

    def __repr__(self):
        return "<%s %s>" % (self.text, "open" if self.duration_ns is None
                            else "%d ns" % self.duration_ns)

    def __eq__(self, other):
        if not isinstance(other, Span):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name)
                   for name in self.__slots__)

    def __hash__(self):
        return hash((self.begin, self.depth))


Message = collections.namedtuple(
    "Message", "category text priority kind arguments explanation file line")


Interval = collections.namedtuple("Interval", "from_ns to_ns look")


class Columns(dict):
    """Columns by name.  reader keeps the addresses of definitions good."""

    def __reduce__(self):
        return dict, (dict(self),)


def _names_in(code):
    """The names that an expression uses, also within its comprehensions."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if hasattr(constant, "co_names"):
            names |= _names_in(constant)
    return names


class _Text(str):
    """Text in a condition: neither below nor above a number."""

    __slots__ = ()

    def __lt__(self, other):
        return isinstance(other, str) and str.__lt__(self, other)

    def __le__(self, other):
        return isinstance(other, str) and str.__le__(self, other)

    def __gt__(self, other):
        return isinstance(other, str) and str.__gt__(self, other)

    def __ge__(self, other):
        return isinstance(other, str) and str.__ge__(self, other)


def _compared(value):
    """A value as a condition compares it."""
    if isinstance(value, Args):
        return Args((name, _compared(v)) for name, v in dict.items(value))
    return _Text(value) if isinstance(value, str) else value


def _condition(where):
    """A function of an event.  An event without an argument that the expression
    names does not match, and text is neither below nor above a number; any other
    error is the caller's."""
    if where is None:
        return lambda event: True
    if callable(where):
        return where
    code = compile(where, "where", "eval")
    members = [name for name in _names_in(code)
               if not name.startswith("_") and hasattr(Event, name)]

    def matches(event):
        try:
            return eval(code, {name: _compared(getattr(event, name))
                               for name in members})
        except NoArgument:
            return False
    return matches


def _arguments_in(where):
    """The names of arguments that the text of a condition has."""
    return {name for name in re.findall(r"\bargs(?:\.|\[['\"])(\w+)", where)
            if not hasattr(dict, name)}


def _missing(what, wanted, known, stacklevel):
    heads = {name.split("$")[0].strip() or name: name for name in sorted(known)}
    near = "".join(difflib.get_close_matches(wanted.strip("*"), heads, 1, 0.5))
    if near:
        near = "; did you mean %r?" % (near + "*" * (heads[near] != near))
    warnings.warn("no %s: %r%s" % (what, wanted, near), NoMatch, stacklevel)


class Reader:
    """Inputs to read, merged by time, oldest event first.  See open()."""

    def __init__(self, paths, where, options):
        self._paths = paths
        self._where = _condition(where)
        self._names = _arguments_in(where) if isinstance(where, str) else set()
        self._options = options
        self._opened = None
        self._opened = self._open()  # so that errors come at once

    def _open(self):
        if self._opened:  # the first reading
            opened, self._opened = self._opened, None
            return opened
        return lib.Handle(self._paths, **self._options)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._opened = None

    def __repr__(self):
        return "<timeline.Reader %s>" % ", ".join(
            repr(os.fsdecode(path)) for path in self._paths)

    def messages(self):
        """The messages that the inputs define, in the order of definition."""
        handle = self._open()
        return [Message(d.category.decode(errors="replace"),
                        d.message.decode(errors="replace"),
                        lib.PRIORITIES[d.level - 1],
                        "span" if d.kind == 2 else KINDS.get(d.kind, "?"),
                        tuple(name.decode(errors="replace")
                              for name in d.names[:d.argc]),
                        d.explanation.decode(errors="replace"),
                        d.file.decode(errors="replace"), d.line)
                for d in handle.messages()]

    def __iter__(self):
        """The events."""
        handle = self._open()
        found = False
        for raw in handle.events():
            event = Event(raw, handle)
            if self._where(event):
                found = True
                yield event
        found or self._explain()

    def spans(self):
        """The spans, in the order of their ends; then those that are open.
        where= is asked of the end, which has the duration."""
        handle = self._open()
        found = False
        for raw in handle.spans():
            span = Span(raw, handle)
            if self._where(span.end or span.begin):
                found = True
                yield span
        found or self._explain()

    def _explain(self):
        """Nothing matched: warn of names that no message has."""
        asked = self._options
        if asked["follow"] or not (asked["message"] or asked["category"] or
                                   self._names):
            return
        messages = Reader(self._paths, None, dict(
            asked, message=None, category=None)).messages()
        for what, name in ("message", "text"), ("category", "category"):
            known = {getattr(m, name) for m in messages}
            if asked[what] and not fnmatch.filter(known, asked[what]):
                _missing(what, asked[what], known, 4)
        known = {name for m in messages for name in m.arguments}
        for name in sorted(self._names - known):
            _missing("argument", name, known, 4)

    def observed(self, *messages):
        """When the record was looking at messages, pairs of category and text
        (none: at all of them): for each its intervals within since and until.
        look is "observed", or why not: "not logged", "not kept", "not whole",
        "not known".  Each message takes a reading of the inputs."""
        handle = self._open()
        since, until = self._options["since_ns"], self._options["until_ns"]
        seen = {}
        for d in handle.messages():
            key = (d.category.decode(errors="replace"),
                   d.message.decode(errors="replace"))
            if messages and key not in messages:
                continue
            for begin, end, look in handle.observed(d):
                begin = max(begin, since or begin)
                end = min(end, until or end)
                if begin < end:
                    seen.setdefault(key, []).append(
                        Interval(begin, end, lib.LOOKS[look]))
        return seen

    def tree(self):
        """The spans that are in no other, oldest first, each with its children.
        A span of no thread (TIMELINE_SOURCE) is in none."""
        roots, open_spans = [], {}
        for span in sorted(self.spans(), key=lambda s: (s.begin.ns, s.depth)):
            if span.begin._raw.definition.contents.scope:
                roots.append(span)
                continue
            around = open_spans.setdefault(
                (span.begin.timeline, span.begin.pid, span.tid), [])
            while around and not _is_around(around[-1], span):
                around.pop()
            (around[-1].children if around else roots).append(span)
            around.append(span)
        return roots

    def columns(self, *names):
        """Columns of all events, as a dictionary of arrays of 64 bits: of numpy
        where that is installed, else of the module array.  names are members of
        an event: ns, tsc, duration_ns, error_ns, cpu, pid, tid, level, kind, flags,
        lost, definition, arg0 to arg3.  where= plays no part."""
        handle = self._open()
        columns = Columns(handle.columns(list(dict.fromkeys(names))))
        columns.reader = handle
        return columns

    def to_pandas(self):
        """A data frame with a row for each event: time, kind, category, message,
        duration_ns, the thread, and a column for each name of an argument.
        where= plays no part: choose rows of the frame.

        Texts are categories, and those of the priority are in order.  Leave out
        rows that are not sure before any statistic.  attrs["observed_ns"]
        [category][message] is how long the record was looking: a rate is a count
        by that, not by the span of the times."""
        import pandas
        from . import _frame
        frame = pandas.DataFrame({
            name: _frame.for_pandas(*column)
            for name, column in _frame.columns_of(self).items()})
        frame["priority"] = pandas.Categorical(
            frame["priority"], [p for p in [""] + lib.PRIORITIES
                                if p in set(frame["priority"])], ordered=True)
        looked = frame.attrs["observed_ns"] = {}  # as JSON can hold it
        seen = frame[frame["kind"] != "loss"].groupby(
            ["category", "message"], observed=True).size().index
        for (category, text), intervals in (
                self.observed(*seen).items() if len(seen) else ()):
            looked.setdefault(category, {})[text] = sum(
                i.to_ns - i.from_ns for i in intervals if i.look == "observed")
        return frame

    def to_arrow(self):
        """The same as a table of pyarrow."""
        import pyarrow
        from . import _frame
        return pyarrow.table({
            name: pyarrow.array(values, mask=mask)
            for name, (values, mask) in _frame.columns_of(self).items()})


def new(path, **options):
    """Create the timeline at path, or attach to it, to log: its define(), span()
    and counter() make what is called.  options are the members of struct
    timeline_options: entries, mode, ...  Needs libtimeline."""
    from . import _log
    return _log.Timeline(path, options)


def _is_around(outer, span):
    return outer.depth < span.depth and (outer.end is None or
                                         outer.end.ns >= span.begin.ns)


def _ns(name, time, ns):
    """Unix nanoseconds of a datetime or of its text; or ns, if that is given."""
    if time is None:
        return lib.within(name + "_ns", ns, 63)
    if ns:
        raise ValueError("%s and %s_ns are one" % (name, name))
    if isinstance(time, str):
        time = datetime.datetime.fromisoformat(time)
    return (time.astimezone() - _EPOCH) // datetime.timedelta(
        microseconds=1) * 1000


def open(*paths, where=None, category=None, message=None, min_priority=None,
         since=None, until=None, since_ns=0, until_ns=0, limit=0, follow=False, timeout=None, tail=0):
    """Open timelines, snapshots or recorded traces.

    where       an expression of Python ("args.id > 3 and tid == 7"), of the
                members of an event; or a function of an event
    category, message   patterns of fnmatch(3)
    min_priority        "info": this and higher ones
    since, until        datetimes, or as text "2026-11-20T19:24:18+01:00"; of
                        local time where they have no zone
    since_ns, until_ns  or Unix times in nanoseconds
    limit       so many events at most
    follow      wait for new events of live timelines, timeout seconds each time
                (None: as long as it takes)
    tail        of live timelines the newest so many entries of each lane

    Damage of a file is a warning (timeline.Damage); the rest of the file is read.
    """
    if not paths:
        raise TypeError("timeline.open: no path")
    return Reader([lib.path_of(p) for p in paths], where,
                  dict(category=category, message=message,
                       min_level=lib.level_of(min_priority),
                       since_ns=_ns("since", since, since_ns),
                       until_ns=_ns("until", until, until_ns),
                       limit=lib.within("limit", limit, 64, 0),
                       follow=follow, tail=lib.within("tail", tail, 64, 0),
                       timeout_ms=-1 if timeout is None else lib.within(
                           "timeout", int(timeout * 1000), 31, 0)))
