/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - events as a Perfetto trace: TrackEvents, for
 * ui.perfetto.dev and its trace processor.
 *
 *	packet: incremental state starts, defaults (the clock of stamps)
 *	packet: clock snapshot          packet: machine, names of levels
 *	packet: strings   }
 *	packet: track     } each before the first event that needs it
 *	packet: event     }
 *	packet: bundle of an ftrace event: sched_switch, sched_waking
 *	...
 *
 * All packets are of one sequence.  Every process and thread has a track, a
 * span of scope TIMELINE_SOURCE one of its own, a counter one for each
 * process that logs it.  Categories, names, names of arguments, and strings
 * are interned.  Stamps are nanoseconds since the stamp before, on clock 64
 * of the sequence, whose Unix time the snapshot tells.
 *
 * An event has its arguments as debug annotations, unsigned ones as
 * uint_value, hexadecimal ones as pointer_value, durations as nanoseconds in
 * int_value, all 64 bits of them; then "cpu" and "priority", and "overlaps"
 * where it may have come before or after a neighbour of another host.  A
 * counter's value is an int64 or a double: for an unsigned one of 2^63 and
 * above the nearest double is written, which is reported.  A loss is an instant
 * on a track of its own, with "lost", "lane" and "cpu".
 */
#ifndef TL_FORMAT_PERFETTO_WRITE_H
#define TL_FORMAT_PERFETTO_WRITE_H

#include "event/writer.h"

/* Without an origin, events are taken to be of this machine. */
tl_writer_new tl_perfetto_write_new;

#endif
