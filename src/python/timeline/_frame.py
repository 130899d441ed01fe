# SPDX-License-Identifier: Apache-2.0
"""Events as named columns of numpy, for pandas and pyarrow."""
import ctypes as c

import numpy

from . import KINDS, Event, _value
from . import _library as lib

TYPES = {ord("d"): "int64", ord("t"): "int64", ord("f"): "float64"}


def _texts(raw, i, bits):
    """The texts of a string argument: each number is asked for once."""
    numbers, where = numpy.unique(bits, return_inverse=True)
    texts = numpy.empty(len(numbers), object)
    for k, number in enumerate(numbers):
        raw.args[i] = int(number)
        texts[k] = _value(raw, i)
    return texts[where]


def _argument(raw, i, bits):
    kind = raw.definition.contents.formats[i]
    if kind == ord("s"):
        return _texts(raw, i, bits)
    return bits.view(TYPES.get(kind, "uint64"))


def _put(columns, name, rows, values, total):
    """Put values into the rows of a column, which has a mask: the rows of other
    messages have no value.  What has another type in another message is kept as
    objects, so that no number changes."""
    if name not in columns:
        columns[name] = (numpy.zeros(total, values.dtype),
                         numpy.ones(total, bool))
    column, mask = columns[name]
    if column.dtype != values.dtype:
        column = column.astype(object)
        values = values.astype(object)
    column[rows] = values
    mask[rows] = False
    columns[name] = (column, mask)


def columns_of(reader):
    """By name: an array with a row for each event, and a mask of the rows that
    have no value."""
    c_columns = reader.columns("ns", "duration_ns", "kind", "level", "cpu", "pid",
                               "tid", "flags", "lost", "definition", "arg0",
                               "arg1", "arg2", "arg3")
    total = len(c_columns["ns"])
    addresses, where = numpy.unique(c_columns["definition"], return_inverse=True)
    raws = []
    for address in addresses:
        raw = lib.Event(kind=1)
        raw.definition = c.cast(int(address), c.POINTER(lib.Definition))
        raw.argc = raw.definition.contents.argc
        raws.append(raw)

    def of_definition(member):
        return numpy.array([getattr(r.definition.contents, member).decode(
            errors="replace") for r in raws] or [""], object)[where]

    duration = c_columns["duration_ns"]
    kinds = numpy.array([KINDS.get(k, "?") for k in range(6)], object)
    priorities = numpy.array([""] + lib.PRIORITIES, object)
    none = numpy.zeros(total, bool)
    columns = {
        "time": (c_columns["ns"].view("datetime64[ns]"), none),
        "category": (of_definition("category"), none),
        "message": (of_definition("message"), none),
        "kind": (kinds[c_columns["kind"].astype("int64")], none),
        "priority": (priorities[c_columns["level"].astype("int64")], none),
        "duration_ns": (duration, duration < 0),
        "sure": ((c_columns["flags"] & lib.UNSURE) == 0, none),
        "cpu": (c_columns["cpu"], c_columns["cpu"] == lib.NO_CPU),
        "pid": (c_columns["pid"], none),
        "tid": (c_columns["tid"], none),
        "lost": (c_columns["lost"], none),
    }
    arguments = {}
    flags = c_columns["flags"]
    has_none = ((flags & lib.ALONE) != 0) | (((flags & lib.BARE) != 0) &
                                             (duration < 0))
    order = numpy.argsort(where, kind="stable")
    ends = numpy.searchsorted(where[order], numpy.arange(len(raws) + 1))
    for k, raw in enumerate(raws):
        rows = order[ends[k]:ends[k + 1]]
        rows = rows[~has_none[rows]]
        for i in range(raw.argc):
            name = raw.definition.contents.names[i].decode(errors="replace")
            _put(arguments, "args." + name if name in columns else name, rows,
                 _argument(raw, i, c_columns["arg%d" % i][rows]), total)
    columns.update(arguments)
    return columns


def for_pandas(values, mask):
    import pandas
    if values.dtype == "datetime64[ns]":
        return pandas.DatetimeIndex(values, tz="UTC")
    if values.dtype == object:
        values[mask] = None
        is_text = pandas.api.types.infer_dtype(values, skipna=True) == "string"
        return pandas.Categorical(values) if is_text else values
    if not mask.any():
        return values
    if values.dtype == "float64":
        values[mask] = numpy.nan
        return values
    return pandas.arrays.IntegerArray(values, mask)
