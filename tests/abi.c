/* SPDX-License-Identifier: Apache-2.0 */
/*
 * abi.c - the layouts on which programs compiled with an older header rely.
 *
 * The sizes and offsets of the structs that macros of the public headers
 * access, or that programs fill in.  None of them changes within one SONAME
 * (timeline(7), VERSIONS): if a line here fails, installed programs would
 * break. tests/install compiles this file; it never runs.
 */
#include <stddef.h>
#include <timeline.h>
#include <timeline_formats.h>
#include <timeline_trace.h>

#define SIZE(type, bytes) \
	_Static_assert(sizeof(struct type) == (bytes), "the size of " #type)
#define AT(type, member, bytes) \
	_Static_assert(offsetof(struct type, member) == (bytes), \
	    "the place of " #type "." #member)

/* the macros test the gate and step from begin to end */
SIZE(timeline_event, 128);
AT(timeline_event, gate, 0);
AT(timeline_event, levels, 8);

/* passed without a size */
SIZE(timeline_options, 40);
AT(timeline_options, stringtablesize, 8);
AT(timeline_options, mode, 16);
AT(timeline_options, tiers, 20);
AT(timeline_options, cpu_lanes, 24);
AT(timeline_options, fallback_lanes, 28);
AT(timeline_options, stamp, 32);
AT(timeline_options, trusted_uid, 36);
SIZE(timeline_definition, 48);
AT(timeline_definition, message, 16);
AT(timeline_definition, kind, 24);
AT(timeline_definition, scope, 28);
AT(timeline_definition, file, 32);
AT(timeline_definition, line, 40);

/* the library allocates these: members are added at the end */
AT(timeline_read_event, definition, 120);
AT(timeline_read_event, process, 136);
AT(timeline_read_definition, level, 36);
AT(timeline_read_definition, argc, 56);
AT(timeline_read_definition, formats, 96);
AT(timeline_read_origin, number, 44);
AT(timeline_read_span, end, 8);
AT(timeline_read_span, self_ns, 24);
AT(timeline_read_span, flags, 36);
AT(timeline_read_timer, slower_ns, 40);
AT(timeline_read_damage, input, 24);
/* programs fill this struct in, with its size */
AT(timeline_read_options, category, 64);
AT(timeline_read_options, context, 96);
AT(timeline_read_options, formats, 104);
AT(timeline_read_options, trees, 112);
/* programs allocate this struct */
SIZE(timeline_read_interval, 24);
