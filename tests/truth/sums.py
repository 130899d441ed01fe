# SPDX-License-Identifier: Apache-2.0
"""sums.py FILE: count and total duration of the sure spans of each message,
from the events, the spans, the columns, and the data frame where pandas is
installed."""
import sys

import timeline
from timeline import _library

UNSURE = _library.UNSURE
END = [k for k, name in timeline.KINDS.items() if name == "end"][0]


def add(sums, how, message, ns):
    count, total = sums.get((how, message), (0, 0))
    sums[how, message] = count + 1, total + ns


def main(path):
    sums, names = {}, {}
    for event in timeline.open(path):
        names[event.ns, event.tid] = event.message
        if event.kind == "end" and event.duration_ns is not None \
                and event.sure:
            add(sums, "events", event.message, event.duration_ns)
    for span in timeline.open(path).spans():
        if span.end is not None and span.end.sure:
            add(sums, "spans", span.end.message, span.duration_ns)
    columns = timeline.open(path).columns("ns", "tid", "kind", "flags",
                                          "duration_ns")
    for ns, tid, kind, flags, took in zip(*(columns[name] for name in (
            "ns", "tid", "kind", "flags", "duration_ns"))):
        if kind == END and took >= 0 and not flags & UNSURE:
            add(sums, "columns", names[ns, tid], took)
    try:
        import pandas  # noqa: F401
    except ImportError:
        pass
    else:
        frame = timeline.open(path).to_pandas()
        ends = frame[(frame.kind == "end") & frame.sure
                     & frame.duration_ns.notna()]
        for message, took in ends.groupby("message").duration_ns:
            sums["frame", message] = len(took), int(took.sum())
    for (how, message), (count, total) in sums.items():
        print(how, message.split()[0], count, total)


main(sys.argv[1])
