/* SPDX-License-Identifier: Apache-2.0 */
/* recorder_file.c - append to a trace, and know what was. */
#include "trace/record/file.h"

#include "base/terminal.h"
#include "trace/codec.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* All of it or nothing. */
static int
append_to(struct tl_recorder_file *file, int fd, uint64_t *at, const void *data,
    size_t size)
{
	const int rc = tl_write_at(fd, data, size, *at);

	if (rc == 0) {
		*at += size;
		return 0;
	}
	if (ftruncate(fd, (off_t)*at) != 0)
		file->rc = -errno; /* then it looks as after a crash */
	file->rc = rc;
	return rc;
}

/* The first that is appended is the header, each of the others a block or the
 * end. */
static void
note_written(struct tl_recorder_file *file, const void *data, size_t size)
{
	struct tl_trace_header header;
	struct tl_trace_block block;
	struct tl_fault fault = { 0 };

	if (!file->begun) {
		if (tl_trace_header_get(&header, tl_bytes(data, size),
			&fault) == 0)
			file->seed = tl_trace_seed(&header);
		file->begun = true;
		return;
	}
	if (size > TL_TRACE_BLOCK_HEADER &&
	    tl_trace_block_get(&block, data, file->seed) && block.thread >= 0)
		file->written(file->context, block.thread, block.events);
}

static int
append_data(void *context, const void *data, size_t size)
{
	struct tl_recorder_file *file = context;
	const int rc =
	    append_to(file, file->files.data, &file->data_size, data, size);

	if (rc == 0)
		note_written(file, data, size);
	return rc;
}

static int
append_index(void *context, const void *data, size_t size)
{
	struct tl_recorder_file *file = context;

	return append_to(file, file->files.index, &file->index_size, data,
	    size);
}

static void
close_files(struct tl_recorder_file *file)
{
	close(file->files.data);
	close(file->files.index);
	file->files.data = file->files.index = -1;
}

static void
remove_files(const struct tl_recorder_file *file)
{
	struct tl_text index = { 0 };

	tl_put_string(&index, file->files.path);
	tl_put_string(&index, TL_TRACE_INDEX_SUFFIX);
	unlink(file->files.path);
	if (index.rc == 0)
		unlink(tl_text_string(&index));
	tl_text_free(&index);
}

int
tl_recorder_file_begin(struct tl_recorder_file *file, int64_t ns,
    const struct tl_recorder_options *wanted)
{
	struct tl_trace_options options = { .strategy = TL_TRACE_STREAMING,
		.block_size = wanted->block_size,
		.sized = true,
		.data = append_data,
		.index = append_index,
		.context = file,
		.created_ns = ns };
	int rc;

	if (wanted->compress > 0) {
		file->codec = tl_trace_zstd_at(wanted->compress);
		options.codec = &file->codec;
	}
	/* Who reads it meanwhile must not take its index for a broken one. */
	flock(file->files.data, LOCK_EX | LOCK_NB);
	rc = tl_trace_writer_new(&file->writer, &options);
	if (rc < 0) {
		close_files(file);
		remove_files(file);
	}
	return rc;
}

uint64_t
tl_recorder_file_size(const struct tl_recorder_file *file)
{
	return tl_trace_writer_size(file->writer) + file->index_size;
}

int
tl_recorder_file_finish(struct tl_recorder_file *file)
{
	return tl_trace_writer_finish(file->writer);
}

void
tl_recorder_file_free(struct tl_recorder_file *file, bool is_empty)
{
	if (!file->writer)
		return;
	tl_trace_writer_free(file->writer);
	file->writer = NULL;
	close_files(file);
	if (is_empty)
		remove_files(file);
}

int
tl_recorder_file_info(struct tl_recorder_file *file, const char *name,
    const char *value)
{
	return tl_trace_write_info(file->writer, tl_bytes_of(name),
	    tl_bytes_of(value));
}
