/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h - one file of a recording, and which of the events that
 * were put into it lie there.
 *
 * What cannot be appended whole is cut off again: a file that went wrong is
 * like one after a crash, but without half a block at its end.
 */
#ifndef TL_TRACE_RECORD_FILE_H
#define TL_TRACE_RECORD_FILE_H

#include "trace/record/recorder.h"
#include "trace/write.h"

/* So many events of this stream, the next of it, are written. */
typedef void
tl_recorder_written(void *context, int32_t stream, uint32_t events);

struct tl_recorder_file {
	struct tl_recorder_files files;
	struct tl_trace_writer *writer; /* NULL: there is none */
	struct tl_trace_codec codec;
	uint64_t data_size;
	uint64_t index_size;
	bool begun; /* the header was written: seed is known */
	uint32_t seed;
	int rc; /* the first error of appending */
	tl_recorder_written *written;
	void *context;
};

/* Starts from files, written, context and all else 0.  Takes the descriptors
 * over, even when it fails.  0 or -errno. */
int tl_recorder_file_begin(struct tl_recorder_file *file, int64_t ns,
    const struct tl_recorder_options *options);
/* How large it would be if it ended now, with its index as far as written. */
uint64_t tl_recorder_file_size(const struct tl_recorder_file *file);
/* Write what waits and the end: 0 or -errno.  Free it in any case. */
int tl_recorder_file_finish(struct tl_recorder_file *file);
/* Without its end, if it has none.  Where nothing but a header is in it, it
 * is removed. */
void tl_recorder_file_free(struct tl_recorder_file *file, bool is_empty);

/* An INFO.  0 or -errno. */
int tl_recorder_file_info(struct tl_recorder_file *file, const char *name,
    const char *value);

#endif
