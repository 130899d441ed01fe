/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - events as a Perfetto trace: TrackEvents, for ui.perfetto.dev and
 * its trace processor.
 *
 *	packet: incremental state starts, defaults (the clock of stamps)
 *	packet: clock snapshot          packet: machine, names of levels
 *	packet: strings   }
 *	packet: track     } each before the first event that needs it
 *	packet: event     }
 *	packet: bundle of an ftrace event: sched_switch, sched_waking
 *	...
 *
 * All packets are of one sequence.  Every process and every thread has a track;
 * so have spans of scope TIMELINE_SOURCE, one track a message, and counters,
 * one track for each process that logs the counter.  Categories, names, names
 * of arguments, and strings are interned.  A stamp is the nanoseconds since the
 * stamp before, on clock 64 of the sequence; the snapshot gives the Unix time
 * of clock 64.
 *
 * The arguments of an event are debug annotations: unsigned ones are
 * uint_value, hexadecimal ones pointer_value, durations nanoseconds in
 * int_value, all with 64 bits.  The annotations "cpu" and "priority" follow,
 * and "overlaps" if the event may have come before or after a neighbour of
 * another host.  A counter's value is an int64 or a double: an unsigned value
 * of 2^63 or above is written as the nearest double, and the change is
 * reported.  A loss is an instant on a track of its own, with the number of
 * entries, "lane" and "cpu".
 */
#ifndef TL_FORMAT_PERFETTO_WRITE_H
#define TL_FORMAT_PERFETTO_WRITE_H

#include "event/writer.h"

/* If the origin is not set, events are taken for events of this machine. */
tl_writer_new tl_perfetto_write_new;

#endif
