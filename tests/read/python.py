"""python.py FILE... - the module says of each file what timeline-dump says."""
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


def main(paths):
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
