/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - the writer of a trace, and its two files.
 */
#include "trace/writer.h"

#include "base/file.h"
#include "base/process.h"
#include "base/word.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

enum { BLOCK_SIZE_MIN = 1024 };

/* Make the header, with a random id unless the options have one, and begin the
 * files. */
static int
init(struct tl_trace_writer *w)
{
	static const uint8_t none[TL_TRACE_ID_SIZE];
	const struct tl_trace_options *o = &w->options;
	int rc;

	w->header.created_ns = o->created_ns;
	memcpy(w->header.id, o->id, sizeof(o->id));
	w->header.incompat = TL_TRACE_PROOFS | TL_TRACE_SAID;
	if (o->codec) {
		w->header.incompat |= TL_TRACE_PACKED;
		w->header.codec = o->codec->number;
	}
	if (memcmp(w->header.id, none, sizeof(none)) == 0 &&
	    getrandom(w->header.id, TL_TRACE_ID_SIZE, 0) != TL_TRACE_ID_SIZE)
		return -EIO;
	w->seed = w->index_crc = tl_trace_seed(&w->header);
	rc = tl_definitions_init(&w->definitions);
	return rc < 0 ? rc : tl_block_begin_files(w);
}

int
tl_trace_writer_new(struct tl_trace_writer **writer,
    const struct tl_trace_options *options)
{
	struct tl_trace_writer *w;
	int rc;

	if (options->block_size != 0 &&
	    (options->block_size < BLOCK_SIZE_MIN ||
		options->block_size > TL_TRACE_BLOCK_MAX))
		return -EINVAL;
	if (!(w = calloc(1, sizeof(*w))))
		return -ENOMEM;
	w->options = *options;
	if (w->options.block_size == 0)
		w->options.block_size = TL_TRACE_BLOCK_SIZE;
	pthread_mutex_init(&w->lock, NULL);
	if ((rc = init(w)) < 0) {
		tl_trace_writer_free(w);
		return rc;
	}
	*writer = w;
	return 0;
}

/* Stream i.  Streams may be added meanwhile. */
static struct tl_trace_stream *
get_stream(struct tl_trace_writer *w, size_t i)
{
	struct tl_trace_stream *stream = NULL;

	pthread_mutex_lock(&w->lock);
	if (i < w->stream_count)
		stream = w->streams[i];
	pthread_mutex_unlock(&w->lock);
	return stream;
}

static int
for_each_stream(struct tl_trace_writer *w,
    int (*call)(struct tl_trace_stream *stream))
{
	struct tl_trace_stream *stream;
	int result = 0;

	for (size_t i = 0; (stream = get_stream(w, i)); i++) {
		int rc;

		pthread_mutex_lock(&stream->lock);
		rc = call(stream);
		pthread_mutex_unlock(&stream->lock);
		if (result == 0)
			result = rc;
	}
	return result;
}

int
tl_trace_writer_flush(struct tl_trace_writer *w)
{
	int rc = 0;

	if (w->options.strategy != TL_TRACE_COLLECT)
		rc = for_each_stream(w, tl_stream_rest);
	pthread_mutex_lock(&w->lock);
	if (rc == 0)
		rc = tl_block_write_definitions(w);
	pthread_mutex_unlock(&w->lock);
	return rc;
}

/* End a stream.  Kept blocks are written first, which frees their memory. */
static int
end_stream(struct tl_trace_stream *stream)
{
	const int rc = tl_trace_stream_write_kept(stream);

	return rc < 0 ? rc : tl_trace_stream_finish(stream);
}

static int
end(struct tl_trace_writer *w, bool whole)
{
	int rc;

	if (w->finished)
		return w->rc;
	w->finished = true;
	if (w->options.strategy == TL_TRACE_COLLECT)
		w->options.strategy = TL_TRACE_STREAMING;
	rc = for_each_stream(w, end_stream);
	pthread_mutex_lock(&w->lock);
	if (rc < 0 && w->rc == 0)
		w->rc = rc;
	rc = tl_block_write_definitions(w);
	if (rc == 0 && whole)
		rc = tl_block_end_files(w);
	pthread_mutex_unlock(&w->lock);
	return rc;
}

int
tl_trace_writer_finish(struct tl_trace_writer *w)
{
	return end(w, true);
}

int
tl_trace_writer_stop(struct tl_trace_writer *w)
{
	return end(w, false);
}

void
tl_trace_writer_free(struct tl_trace_writer *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->stream_count; i++)
		tl_trace_stream_free(w->streams[i]);
	free(w->streams);
	tl_trace_sink_free(w->sink);
	tl_definitions_free(&w->definitions);
	pthread_mutex_destroy(&w->lock);
	if (w->release)
		w->release(w->options.context);
	free(w);
}

uint64_t
tl_trace_writer_size(const struct tl_trace_writer *w)
{
	return tl_load_64(&w->settled) + w->waiting + 1; /* EOF */
}

int
tl_trace_write_info(struct tl_trace_writer *w, struct tl_bytes name,
    struct tl_bytes value)
{
	pthread_mutex_lock(&w->lock);
	return tl_block_unlock(w, tl_define_info(&w->definitions, name, value));
}

int
tl_trace_write_observed(struct tl_trace_writer *w, const struct tl_observer *o,
    const char *name)
{
	struct tl_text text = { 0 };
	int rc;

	tl_observed_put(&text, o);
	rc = text.rc;
	if (rc == 0)
		rc = tl_trace_write_info(w, tl_bytes_of(name),
		    tl_bytes(text.data, text.size));
	tl_text_free(&text);
	return rc;
}

int
tl_trace_write_knot(struct tl_trace_writer *w, const struct timeline_knot *knot)
{
	pthread_mutex_lock(&w->lock);
	return tl_block_unlock(w, tl_define_knot(&w->definitions, knot));
}

int
tl_trace_write_process(struct tl_trace_writer *w, uint32_t pid,
    struct tl_bytes command)
{
	pthread_mutex_lock(&w->lock);
	return tl_block_unlock(w,
	    tl_define_process(&w->definitions, pid, command));
}

static struct tl_bytes
no_string(const struct tl_strings *strings, uint64_t number)
{
	(void)strings;
	(void)number;
	return tl_bytes(NULL, 0);
}

const struct tl_strings tl_trace_own_strings = { no_string };

int
tl_trace_write_string(struct tl_trace_writer *w, struct tl_bytes text,
    uint64_t *number)
{
	int64_t id;
	int rc;

	pthread_mutex_lock(&w->lock);
	id = tl_define_text(&w->definitions, TL_TRACE_STRING, text);
	rc = tl_block_unlock(w, id);
	if (rc == 0)
		*number = (uint64_t)id;
	return rc;
}

/* == two files == */

int
tl_trace_files_data(void *context, const void *data, size_t size)
{
	const struct tl_trace_files *files = context;

	return tl_write_all(files->data, data, size);
}

int
tl_trace_files_index(void *context, const void *data, size_t size)
{
	const struct tl_trace_files *files = context;

	return tl_write_all(files->index, data, size);
}

static void
close_files(void *context)
{
	struct tl_trace_files *files = context;

	if (files->data >= 0)
		close(files->data);
	if (files->index >= 0)
		close(files->index);
	free(files);
}

static int
open_new(const char *path, int *fd)
{
	*fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return *fd < 0 ? -errno : 0;
}

void
tl_trace_remove(const char *path)
{
	struct tl_text index = { 0 };

	tl_put_string(&index, path);
	tl_put_string(&index, TL_TRACE_INDEX_SUFFIX);
	unlink(path);
	if (index.rc == 0)
		unlink(tl_text_string(&index));
	tl_text_free(&index);
}

int
tl_trace_create(struct tl_trace_writer **writer, const char *path,
    const struct tl_trace_options *options)
{
	struct tl_trace_files *files = malloc(sizeof(*files));
	struct tl_trace_options own = *options;
	struct tl_text index = { 0 };
	int rc;

	if (!files)
		return -ENOMEM;
	*files = (struct tl_trace_files){ -1, -1 };
	tl_put_string(&index, path);
	tl_put_string(&index, TL_TRACE_INDEX_SUFFIX);
	if ((rc = index.rc) < 0 || (rc = open_new(path, &files->data)) < 0)
		goto out;
	/* the lock tells readers that the trace is unfinished while this
	 * process lives */
	flock(files->data, LOCK_EX | LOCK_NB);
	rc = open_new(tl_text_string(&index), &files->index);
	if (rc < 0) {
		unlink(path);
		goto out;
	}
	own.data = tl_trace_files_data;
	own.index = tl_trace_files_index;
	own.context = files;
	rc = tl_trace_writer_new(writer, &own);
	if (rc == 0)
		(*writer)->release = close_files;
	else
		tl_trace_remove(path);
out:
	tl_text_free(&index);
	if (rc < 0)
		close_files(files);
	return rc;
}
