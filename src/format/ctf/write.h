/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - events as a trace of the Common Trace Format 1.8, for babeltrace2
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
#ifndef TL_FORMAT_CTF_WRITE_H
#define TL_FORMAT_CTF_WRITE_H

#include "event/writer.h"

/*
 * Make a writer of a trace in the directory path, which must not exist yet.
 * 0, -EEXIST, -ENOMEM, or -errno.
 */
tl_writer_at tl_ctf_write_at;

#endif
