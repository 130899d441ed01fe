"""python.py FILE... - the module says of each file what timeline-dump says."""
import datetime
import json
import os
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
    same(count(timeline.open(path).tree()), len(spans), "tree")


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
            short = long.read().replace("%s", "%8s")
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as other:
            print(short, file=other, flush=True)
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
