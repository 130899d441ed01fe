"""python.py FILE... - the module says of each file what timeline-dump says."""
import datetime
import copy
import json
import os
import pickle
import struct
import subprocess
import sys
import tempfile
import warnings

import timeline


def dump(*arguments):
    lines = subprocess.run(["timeline-dump", "--json", "--oldest-first",
                            *arguments], stdout=subprocess.PIPE, text=True,
                           stderr=subprocess.DEVNULL).stdout.splitlines()
    return [json.loads(line) for line in lines]


def same(got, said, what):
    if got != said:
        sys.exit("%s: %r, not %r" % (what, got, said))


def compare_events(path):
    read = timeline.open(path)
    for said in (dump(path), dump(path)):  # a reader is read again
        events = list(read)
        same(len(events), len(said), "events")
        for event, line in zip(events, said):
            for name in ("ns", "tsc", "cpu", "pid", "tid", "category",
                         "message", "kind", "priority", "duration_ns", "lost"):
                if name in line:
                    same(getattr(event, name), line[name], name)
            if line.get("args"):  # an end without has those of its begin
                same(dict(event.args), line["args"], event.text)
            elif event.flags & 512:  # which is not there
                same(dict(event.args), {}, event.text)
    return said


def compare_columns(path, said):
    columns = timeline.open(path).columns("ns", "tid", "arg0", "definition")
    timed = [i for i, line in enumerate(said) if "ns" in line]  # not of losses
    times = [said[i]["ns"] for i in timed]
    same([int(columns["ns"][i]) for i in timed], times, "ns")
    try:
        frame = timeline.open(path).to_pandas()
    except ImportError:
        return "no pandas"
    same(len(frame), len(said), "rows")
    same(list(frame["time"].astype("int64")[timed]), times, "time")
    for name in {name for line in said for name in line.get("args", {})}:
        column = frame["args." + name if "args." + name in frame else name]
        for value, line in zip(column, said):
            if name in line.get("args", {}):
                same(value, line["args"][name], name)
    return "pandas"


def compare_spans(path, said):
    spans = list(timeline.open(path).spans())
    ends = [line["duration_ns"] for line in said
            if line.get("kind") == "end" and line.get("duration_ns") is not None]
    same([s.duration_ns for s in spans if s.end], ends, "durations")

    def count(nodes):
        for node in nodes:
            for child in node.children:
                assert child.depth > node.depth and child.tid == node.tid
                assert child.begin.ns >= node.begin.ns
        return sum(1 + count(node.children) for node in nodes)
    tree = timeline.open(path).tree()
    same(count(tree), len(spans), "tree")
    same(pickle.loads(pickle.dumps(tree)), tree, "tree that was pickled")
    assert spans == list(timeline.open(path).spans()) != spans[1:]


def compare_copies(path):
    """What is read is equal to itself, and so are its copies."""
    reader = timeline.open(path)
    events = list(reader)
    same(list(reader), events, "events read again")
    same(len(set(events + list(reader))), len(set(events)), "set")
    assert events[0] != events[1] and events[0] != events[0].text
    for copied in (pickle.loads(pickle.dumps(events)), copy.deepcopy(events)):
        same(copied, events, "copies")
        for event, was in zip(copied, events):
            same((repr(event), event.time, event.sure, event.line),
                 (repr(was), was.time, was.sure, was.line), "a copy")
    same(pickle.loads(pickle.dumps(reader.messages())), reader.messages(),
         "messages")
    pickle.loads(pickle.dumps(reader.columns("ns", "definition")))


def compare_observed(path):
    """The intervals of a message follow each other, and since cuts them."""
    (category, text), whole = max(timeline.open(path).observed().items(),
                                  key=lambda item: len(item[1]))
    for one, other in zip(whole, whole[1:]):
        same(one.to_ns, other.from_ns, "intervals")
    middle = (whole[0].from_ns + whole[-1].to_ns) // 2
    late = timeline.open(path, since_ns=middle).observed((category, text))
    same(late, {(category, text): [
        i._replace(from_ns=max(i.from_ns, middle))
        for i in whole if i.to_ns > middle]}, "observed since")
    try:
        frame = timeline.open(path).to_pandas()
    except ImportError:
        return
    looked = json.loads(json.dumps(frame.attrs["observed_ns"]))
    for (category, text), intervals in timeline.open(path).observed().items():
        if (frame.message == text).any():
            same(looked[category][text], sum(
                i.to_ns - i.from_ns for i in intervals
                if i.look == "observed"), text)
    same(str(frame.time.dtype), "datetime64[ns, UTC]", "zone")
    same(str(frame.message.dtype), "category", "texts")
    same((frame.priority >= "info").sum(),
         sum(e.level >= 6 for e in timeline.open(path)), "order")


def warned(path, **asked):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        list(timeline.open(path, **asked))
        assert not list(timeline.open(path, **asked).spans())
    assert all(w.filename == __file__ for w in said), said
    return sorted({str(w.message) for w in said
                   if w.category is timeline.NoMatch})


def compare_names():
    """A name that no message has is reported with the nearest."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        print(json.dumps({"ns": 1, "tsc": 1, "cpu": 0, "pid": 1, "tid": 1,
                          "priority": "info", "category": "server",
                          "message": "request $slot of $path",
                          "kind": "instant", "args": {"slot": 1, "path": 2}}),
              file=file, flush=True)
        for asked, near in (
                (dict(message="request"),
                 ["no message: 'request'; did you mean 'request*'?"]),
                (dict(message="reqest*"), [
                    "no message: 'reqest*'; did you mean 'request*'?"]),
                (dict(category="sever"),
                 ["no category: 'sever'; did you mean 'server'?"]),
                (dict(where="args.slt == 1"),
                 ["no argument: 'slt'; did you mean 'slot'?"]),
                (dict(where="any(args['slt'] == i for i in (1, 2))"),
                 ["no argument: 'slt'; did you mean 'slot'?"]),
                (dict(where="args.zzzzzz == 1"), ["no argument: 'zzzzzz'"]),
                (dict(where="args.get('slot') == 2"), []),
                (dict(where="args.slot == 2", message="request*"), []),
                (dict(where=lambda event: False), [])):
            same(warned(file.name, **asked), near, asked)


def compare_logged():
    """What is logged from Python is read."""
    name = "/python-%d" % os.getpid()
    try:
        with timeline.new(name, entries=1 << 14) as log:
            event = log.define("k", "info",
                               "at $n $u%u $f%f, $t%s $key%8s\n$more")
            same(event.enabled(), True, "enabled")
    except ValueError as error:  # of five arguments
        sys.exit(error)
    except timeline.Error as error:
        assert "more than 4 arguments" in str(error), error
    log = timeline.new(name)
    event = log.define("k", "info", "at $n $f%f, $t%s $key%8s\n$more")
    span = log.span("k", "info", "work $id%x")
    counter = log.counter("k", "trace", "queue $n")
    event(-1, 2, "h\u00e9", b"longer than eight")
    event(1 << 63, 0.5, b"", "")
    with span(16):
        with span(17):
            counter(3)
        try:
            with span(18):
                raise KeyError
        except KeyError:
            pass
    log.priority("error")
    assert not event.enabled()
    event(1, 1, "not interned", "")
    with span(19):
        log.priority("trace")
    for wrong in ((1, 1, ""), (1, 1, "", "", 1), ("a", 1, "", ""),
                  (1.5, 1, "", ""), (1, "x", "", ""), (1, 1, None, "")):
        try:
            event(*wrong)
            sys.exit("%r was logged" % (wrong,))
        except (TypeError, struct.error):
            pass
    for wrong in ("notice", "k $a"), ("info", "$a $a"), ("info", "$a%lu"):
        try:
            log.define("k", *wrong)
            sys.exit("%r was defined" % (wrong,))
        except timeline.Error:
            pass
    with tempfile.TemporaryDirectory() as folder:
        saved = os.path.join(folder, "saved.tl")
        log.save(saved)
        events = [e for e in timeline.open(saved, category="k")]
        same([e.text.split("  ")[0] for e in events],
             ["at n(-1) f(2), t(h\u00e9) key(longer t)",
              "at n(-9223372036854775808) f(0.5), t() key()",
              "> work id(0x10)", "> work id(0x11)", "= queue 3",
              "< work id(0x11)", "> work id(0x12)", "< work id(0x12)",
              "< work id(0x10)"], "logged")
        spans = list(timeline.open(saved).spans())
        assert len(spans) == 3 and all(s.sure for s in spans)
        (message,) = {(m.file, m.line) for m in timeline.open(saved).messages()
                      if m.text == "queue $n"}
        same(os.path.basename(message[0]), "python.py", "place")
    log.close()
    for late in event, span(1).__enter__:
        try:
            late(*(1, 1, "", "") if late is event else ())
        except ValueError:
            pass
    assert repr(log) == "<timeline.Timeline %r>" % name
    os.remove("/dev/shm" + name)


TEXTS = ["a\nb", "a\\nb", "C:\\new", "tab\there", "", "\u20ac\0end",
         "x" * 300]


def compare_texts():
    """The text of an argument is what was logged, not what is printed."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for i, text in enumerate(TEXTS):
            print(json.dumps({"ns": 1000 * i + 1, "tsc": 1, "cpu": 0, "pid": 1,
                              "tid": 1, "priority": "info", "category": "k",
                              "message": "s $v%s", "kind": "instant",
                              "args": {"v": text}}), file=file)
        file.flush()
        same([e.args.v for e in timeline.open(file.name)], TEXTS, "texts")
        for text in TEXTS:
            with timeline.open(file.name,
                               where="args.v == %r" % text) as reader:
                same(len(list(reader)), 1, text)
        same(repr(reader), "<timeline.Reader '%s'>" % file.name, "repr")
        at = datetime.datetime.fromtimestamp(0, datetime.timezone.utc)
        at += datetime.timedelta(microseconds=2)
        for since in at, at.isoformat(), at.astimezone(
                datetime.timezone(datetime.timedelta(hours=5))):
            same(len(list(timeline.open(file.name, since=since))), 5, "since")
        same(len(list(timeline.open(file.name, until=at))), 2, "until")
        (message,) = timeline.open(file.name).messages()
        same((message.category, message.text, message.priority, message.kind,
              message.arguments), ("k", "s $v%s", "info", "instant", ("v",)),
             "message")
        names = [t.encode()[:8].rstrip(b"\0").decode() for t in TEXTS]
        with open(file.name) as long:
            short = [json.loads(line) for line in long]
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as other:
            for line, name in zip(short, names):
                line.update(message="s $v%8s", args={"v": name})
                print(json.dumps(line), file=other, flush=True)
            same([e.args.v for e in timeline.open(other.name)], names, "short")
            reader = timeline.open(other.name, where="args.v == 'xxxxxxxx'")
            same(len(list(reader)), 1, "short text in where")
            try:
                frame = timeline.open(other.name).to_pandas()
                same(list(frame["v"]), names, "v")
            except ImportError:
                pass
        try:
            same(list(timeline.open(file.name).to_pandas()["v"]), TEXTS, "v")
        except ImportError:
            pass
    for path, kind in (("/no/such", FileNotFoundError),
                       ("/", IsADirectoryError), (file.name, timeline.Error)):
        try:
            timeline.open(path)
            sys.exit("%s was opened" % path)
        except kind as error:
            assert isinstance(error, timeline.Error), error
    for wrong in dict(since=at, since_ns=1), dict(until="noon"):
        try:
            timeline.open(__file__, **wrong)
            sys.exit("%r was taken" % wrong)
        except ValueError:
            pass


def main(paths):
    compare_texts()
    compare_names()
    compare_logged()
    for path in paths:
        compare_copies(path)
        compare_observed(path)
    for path in paths:
        said = compare_events(path)
        print(len(said) > 100, compare_columns(path, said))
        compare_spans(path, said)
    some = timeline.open(paths[0], where="args.id == 3", message="*$id*")
    assert list(some) and all(e.args["id"] == 3 for e in some)
    for where in "args.nonesuch > 3", "args['nonesuch'] > 3":
        assert not list(timeline.open(paths[0], where=where))
    assert not list(timeline.open(paths[0], where="category > 3 or 3 >= category"))
    assert list(timeline.open(paths[0], where="category < 3 or category >= ''"))
    assert list(timeline.open(paths[0], where="any(t == tid for t in (tid, 1))"))
    assert len(list(timeline.open(os.fsencode(paths[0]), limit=2))) == 2
    assert list(timeline.open(paths[0]).columns("ns", "ns")) == ["ns"]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with tempfile.NamedTemporaryFile() as cut, open(paths[0], "rb") as file:
            cut.write(file.read()[:-3000])
            cut.flush()
            list(timeline.open(cut.name))
        assert any(w.category is timeline.Damage for w in said), said
    assert len(list(timeline.open(paths[0], limit=7))) == 7
    try:
        timeline.open("/no/such")
    except timeline.Error as error:
        assert "/no/such" in str(error)
    for wrong in (dict(min_priority="notice"), dict(where="args.("),
                  dict(since_ns=1 << 64), dict(limit=-1), dict(timeout=1e9)):
        try:
            timeline.open(paths[0], **wrong)
            sys.exit("%r was taken" % wrong)
        except (ValueError, SyntaxError):
            pass
    try:
        list(timeline.open(paths[0], where="tid.upper() == 3"))
        sys.exit("a mistake was taken")
    except AttributeError:
        pass


main(sys.argv[1:])
