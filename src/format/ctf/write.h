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
 * The files of a writer of several files.  Such a writer has a constructor of
 * its own, but takes events, finishes and is freed like any other writer; its
 * tl_write is never called.
 */
struct tl_files {
	/*
	 * Append to the file of this name, which consists of letters, digits
	 * and _; create a missing file.  0, -errno to stop.
	 */
	int (*write)(struct tl_files *files, const char *name, const char *data,
	    size_t size);
	/*
	 * Called when the writer is freed; NULL: the caller closes the files.
	 */
	void (*close)(struct tl_files *files);
};

/* Make a writer; files must live until the writer is freed.  0, -ENOMEM. */
int tl_ctf_write_new(struct tl_writer **writer, struct tl_files *files,
    const struct tl_report *report);

#endif
