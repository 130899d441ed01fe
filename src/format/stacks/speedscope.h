/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speedscope.h - spans for speedscope, https://www.speedscope.app.
 *
 *	{"$schema":"https://www.speedscope.app/file-format-schema.json",
 *	 "exporter":"timeline","shared":{"frames":[{"name":"net: read"}]},
 *	 "profiles":[{"type":"evented","name":"41/42","unit":"nanoseconds",
 *	  "startValue":0,"endValue":90,"events":[
 *	   {"type":"O","frame":0,"at":10},{"type":"C","frame":0,"at":40}]}]}
 *
 * A profile for each thread and each source, all from the first span's begin:
 * Unix time in nanoseconds is more than a JavaScript number holds.  Each
 * profile stands in one piece, so 16 bytes of each begin and end are kept
 * until the last event.  Events must come oldest first.
 */
#ifndef TL_FORMAT_STACKS_SPEEDSCOPE_H
#define TL_FORMAT_STACKS_SPEEDSCOPE_H

#include "event/writer.h"

tl_writer_new tl_speedscope_write_new;

#endif
