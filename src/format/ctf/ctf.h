/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf.h - events as a trace of the Common Trace Format 1.8, for babeltrace2
 * and Trace Compass.
 *
 *	metadata    the layout of the streams, as text (TSDL)
 *	stream_0    packets of the events of one CPU's lane
 *	stream_1    ...
 *
 *	packet: magic, stream class | begin, end, sizes, events discarded,
 *	        number, cpu_id, lane, source | event | event | ...
 *	event:  class, Unix time | pid, tid, tsc, number, epoch, error_ns,
 *	        names of thread and process | category, level, kind, of an
 *	        exit begun and duration_ns | arguments
 *
 * All numbers are little endian and aligned to bytes.  The name of an event is
 * "category:first line", with the bare names of arguments; "_entry" or "_exit"
 * follows for the begin or end event of a span.  Arguments are integers of 64
 * bits, signed, unsigned or of base 16, doubles, and strings as tl_put_plain()
 * writes them; a duration is a signed number of nanoseconds.  Category, level,
 * kind and begun, what is known of the begin of an exit, are enumerations.  The
 * source location and the explanation of a message are comments in the
 * metadata.
 *
 * The number of lost entries is the difference between the discarded events of
 * a packet and those of the packet before.
 */
#ifndef TL_FORMAT_CTF_CTF_H
#define TL_FORMAT_CTF_CTF_H

#include "base/text.h"
#include "event/event.h"
#include "event/writer.h"

/*
 * Make a writer of a trace in the directory path, which must not exist yet.
 * 0, -EEXIST, -ENOMEM, or -errno.
 */
tl_writer_at tl_ctf_write_at;

/* == private to this folder: the metadata == */

#define CTF_MAGIC UINT32_C(0xc1fc1fc1)

/* A class of events: a message, the kind of event, with or without
 * arguments. */
struct ctf_class {
	const struct tl_message *message;
	uint32_t id;
	uint8_t kind; /* enum tl_kind */
	bool has_args;
};

/*
 * Append the layout that all packets and events share; their clock counts from
 * base_s.
 */
void tl_ctf_put_trace(struct tl_text *text, const struct tl_origin *origin,
    int64_t base_s);
void tl_ctf_put_class(struct tl_text *text, const struct ctf_class *c);

#endif
