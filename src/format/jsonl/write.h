/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - events as JSON lines.
 *
 *	{"ns":1795202658123456789,"tsc":7654321,"cpu":0,"pid":41,"tid":42,
 *	 "priority":"trace","category":"example",
 *	 "message":"processed $tcp, $udp, and $other","kind":"instant",
 *	 "args":{"tcp":10,"udp":20,"other":3}}
 *	{"lost":1234,"cpu":0}
 *
 * One object a line (drawn here on several).  Every 64-bit value is a plain
 * integer: a reader that keeps numbers as doubles rounds those above 2^53.
 * ns is Unix time; cpu is null when unknown; kind is instant, begin, end or
 * counter; $x%f is a number, null when not finite; $x%s the text.  args is
 * empty for an end that was logged without arguments.  A span that belongs to
 * its message, not to a thread, has "scope":"source" behind args.
 */
#ifndef TL_FORMAT_JSONL_WRITE_H
#define TL_FORMAT_JSONL_WRITE_H

#include "event/writer.h"

/* Its finish hands on what is left and may be called again after more
 * events. */
tl_writer_new tl_jsonl_write_new;

#endif
