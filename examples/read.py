#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The newest ten entries of a timeline, and one subtree of a trace.

    python3 read.py /timeline
    python3 read.py run.trace 0 2 5
"""
import ctypes as c
import sys


class Event(c.Structure):  # as far as it is used here
    _fields_ = [("ns", c.c_int64), ("tsc", c.c_uint64), ("cpu", c.c_uint32),
                ("pid", c.c_uint32), ("tid", c.c_uint32), ("level", c.c_uint),
                ("kind", c.c_uint), ("argc", c.c_uint),
                ("args", c.c_uint64 * 4), ("lost", c.c_uint64),
                ("category", c.c_char_p), ("message", c.c_char_p)]


lib = c.CDLL("libtimeline-read.so.0")
lib.timeline_read_error.restype = c.c_char_p
lib.timeline_node_child.restype = c.c_void_p
lib.timeline_node_child.argtypes = [c.c_void_p, c.c_uint64]
lib.timeline_node_children.restype = c.c_uint64
lib.timeline_node_children.argtypes = [c.c_void_p]
lib.timeline_node_load.argtypes = [c.c_void_p, c.c_uint64, c.c_uint64]


def check(rc):
    if rc < 0:
        sys.exit("read.py: " + lib.timeline_read_error().decode())
    return rc


def text(function, thing):
    buffer = c.create_string_buffer(check(function(thing, None, 0)) + 1)
    function(thing, buffer, len(buffer))
    return buffer.value.decode()


reader, event, roots = c.c_void_p(), c.POINTER(Event)(), c.POINTER(c.c_void_p)()
name, path = sys.argv[1], [int(number) for number in sys.argv[2:]]
check(lib.timeline_read_open(c.byref(reader), name.encode(), None))
if not path:
    for _ in range(10):
        if check(lib.timeline_read_next(reader, c.byref(event))) == 0:
            break
        print(text(lib.timeline_read_line, event))
else:
    check(lib.timeline_read_roots(reader, c.byref(roots), c.byref(c.c_size_t())))
    node = c.c_void_p(roots[path[0]])
    for number in path[1:]:
        check(lib.timeline_node_load(node, number, 1))
        node = c.c_void_p(lib.timeline_node_child(node, number))
    check(lib.timeline_node_load(node, 0, 2**64 - 1))
    print(text(lib.timeline_node_text, node))
    for i in range(lib.timeline_node_children(node)):
        child = c.c_void_p(lib.timeline_node_child(node, i))
        print("  " + text(lib.timeline_node_text, child))
lib.timeline_read_close(reader)
