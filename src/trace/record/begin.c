/* SPDX-License-Identifier: Apache-2.0 */
/*
 * begin.c - begin and end a file of a recording.
 */
#include "base/ns.h"
#include "trace/record/work.h"

#include "base/process.h"
#include "clock/clock.h"
#include "clock/convert.h"
#include "event/hosts/origin.h"
#include "snap/snap.h"
#include "trace/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* == one file == */

int
tl_recorder_files_make(struct tl_recorder_files *files, int folder,
    const char *name, mode_t mode, bool stale)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	char index[TL_PATH_MAX];
	int rc;

	if (snprintf(index, sizeof(index), "%s" TL_TRACE_INDEX_SUFFIX, name) >=
	    (int)sizeof(index))
		return -ENAMETOOLONG;
	files->data = openat(folder, name, flags, mode);
	if (files->data < 0)
		return -errno;
	if (stale)
		unlinkat(folder, index, 0);
	files->index = openat(folder, index, flags, mode);
	if (files->index >= 0)
		return 0;
	rc = -errno;
	close(files->data);
	unlinkat(folder, name, 0);
	return rc;
}

/* Append all bytes or none. */
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
		file->rc = -errno; /* the file is as after a crash */
	file->rc = rc;
	return rc;
}

/* The first append is the header; all other appends are blocks or the end. */
static int
append_data(void *context, const void *data, size_t size)
{
	struct tl_recorder_file *file = context;
	const int rc =
	    append_to(file, file->files.data, &file->data_size, data, size);
	struct tl_trace_header header;
	struct tl_trace_block block;
	struct tl_fault fault = { 0 };

	if (rc < 0)
		return rc;
	if (!file->begun) {
		if (tl_trace_header_get(&header, tl_bytes(data, size),
			&fault) == 0)
			file->seed = tl_trace_seed(&header);
		file->begun = true;
	} else if (size > TL_TRACE_BLOCK_HEADER &&
		   tl_trace_block_get(&block, data, file->seed) &&
		   block.thread >= 0) {
		file->written(file->context, block.thread, block.events);
	}
	return 0;
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

int
tl_recorder_file_begin(struct tl_recorder_file *file, int64_t ns,
    const struct tl_recorder_options *wanted)
{
	struct tl_trace_options options = { .strategy = TL_TRACE_STREAMING,
		.block_size = wanted->block_size,
		.alone = true,
		.data = append_data,
		.index = append_index,
		.context = file,
		.created_ns = ns };
	int rc;

	if (wanted->compress > 0) {
		file->codec = tl_trace_zstd_at(wanted->compress);
		options.codec = &file->codec;
	}
	/* A process that reads the file meanwhile must not mistake the
	 * unfinished index for a broken one. */
	flock(file->files.data, LOCK_EX | LOCK_NB);
	rc = tl_trace_writer_new(&file->writer, &options);
	if (rc < 0) {
		close_files(file);
		tl_trace_remove(file->files.path);
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
		tl_trace_remove(file->files.path);
}

int
tl_recorder_file_info(struct tl_recorder_file *file, const char *name,
    const char *value)
{
	return tl_trace_write_info(file->writer, tl_bytes_of(name),
	    tl_bytes_of(value));
}

/* == begin and end == */

#define RETRY_NS TL_NS_PER_S

enum { NUMBER_MAX = 24 };

void
tl_recorder_changed(struct tl_recorder *r)
{
	if (r->host.changed)
		r->host.changed(r->host.context);
}

/* == properties of a file == */

/* Let the owner describe the file. */
static int
describe(struct tl_recorder *r, const struct tl_recorder_content *content)
{
	if (!r->host.describe)
		return 0;
	return r->host.describe(r->host.context, r, content);
}

static const struct timeline_header *
header_of(const struct tl_recorder *r, size_t source)
{
	return tl_follow_header(r->sources[source]->cursor);
}

/* Write the boot ID of the clock of the events, if all timelines have the same
 * boot ID. */
static int
write_boot_id(struct tl_recorder *r)
{
	const uint8_t *id = header_of(r, 0)->boot_id;
	char text[TL_ORIGIN_BOOT_SIZE];

	for (size_t i = 1; i < r->source_count; i++)
		if (memcmp(header_of(r, i)->boot_id, id,
			sizeof(header_of(r, i)->boot_id)) != 0)
			return 0;
	tl_origin_boot_text(id, text);
	return text[0] ? tl_recorder_file_info(&r->file, "boot", text) : 0;
}

/* Write the host: as configured, as in the timeline, or this machine. */
static int
write_host(struct tl_recorder *r)
{
	const struct timeline_header *h =
	    r->source_count > 0 ? header_of(r, 0) : NULL;
	struct tl_origin origin;

	if (r->now.host)
		return tl_recorder_file_info(&r->file, "host", r->now.host);
	if (h && h->creator_host[0])
		return tl_trace_write_info(r->file.writer, tl_bytes_of("host"),
		    tl_bytes(h->creator_host,
			strnlen(h->creator_host, sizeof(h->creator_host))));
	tl_origin_here(&origin);
	return tl_recorder_file_info(&r->file, "host", origin.machine);
}

/* Write the knots that the file does not have yet.  A file of several timelines
 * has no knots, because their knots would be mixed up. */
static int
write_knots(struct tl_recorder *r)
{
	struct tl_recorder_source *s = r->sources[0];
	struct tl_time time = { 0 };
	int rc;

	if (r->source_count != 1 ||
	    tl_snap_clock(&time, s->fd, header_of(r, 0)) != 0)
		return 0; /* events have their times without knots */
	rc = 0;
	for (size_t i = 0; rc == 0 && i < time.knot_count; i++) {
		const struct timeline_knot *knot = &time.knots[i];

		/* Has the knot been written?  Compared by stamp, because the
		 * time may have been set back. */
		if (s->knots > 0 && (knot->epoch < s->knot_epoch ||
					(knot->epoch == s->knot_epoch &&
					    knot->tsc <= s->knot_tsc)))
			continue;
		rc = tl_trace_write_knot(r->file.writer, knot);
		s->knot_epoch = knot->epoch;
		s->knot_tsc = knot->tsc;
		s->knots++;
	}
	tl_time_free(&time);
	return rc;
}

static int
write_continued(struct tl_recorder *r)
{
	const uint64_t max = r->now.size_max ? r->now.size_max / 2 : UINT64_MAX;
	char number[NUMBER_MAX];
	uint64_t count;
	int rc = tl_recorder_threads_continue(&r->threads, r->file.writer, max,
	    &count);

	if (rc < 0 || count == 0)
		return rc;
	snprintf(number, sizeof(number), "%llu", (unsigned long long)count);
	return tl_recorder_file_info(&r->file, "continued", number);
}

void
tl_recorder_count(struct tl_recorder *r, struct tl_recorder_source *s,
    const struct tl_event *event)
{
	struct tl_recorder_content *c = &r->content;

	if (event->kind == TL_LOST) {
		r->lost += event->lost;
		c->lost += event->lost;
		s->put_lost += event->lost;
	} else {
		r->events++;
		c->entries++;
		s->put_entries++;
	}
	if (event->ns < c->from_ns)
		c->from_ns = event->ns;
	if (event->ns > c->to_ns)
		c->to_ns = event->ns;
}

int
tl_recorder_write_carried(struct tl_recorder *r, struct tl_recorder_source *s,
    const struct tl_event *next)
{
	struct tl_event hole = { .kind = TL_LOST,
		.lost = s->carry,
		.cpu = TL_CPU_UNKNOWN,
		.source = s->number };
	int rc;

	if (s->carry == 0)
		return 0;
	hole.ns = next ? next->ns : tl_clock_read(CLOCK_REALTIME);
	hole.tsc = next ? next->tsc : 0;
	hole.epoch = next ? next->epoch : 0;
	hole.lane = next ? next->lane : 0;
	rc = tl_recorder_threads_put(&r->threads, r->file.writer, s, &hole);
	if (rc == 0) {
		tl_recorder_count(r, s, &hole);
		s->carry = 0;
		r->fresh++;
	}
	return rc;
}

/* Write the missing entries of sources that have had no event since. */
static int
write_carried(struct tl_recorder *r)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->source_count; i++)
		rc = tl_recorder_write_carried(r, r->sources[i], NULL);
	return rc;
}

/* Write the levels at this place.  A file of several timelines does not have
 * them, nor one that no event has begun. */
static int
write_observed(struct tl_recorder *r, const char *name)
{
	if (r->source_count != 1 || r->sources[0]->observer.count == 0)
		return 0;
	return tl_trace_write_observed(r->file.writer, &r->sources[0]->observer,
	    name);
}

/* == the files == */

static void
note_stream_written(void *context, int32_t stream, uint32_t events)
{
	struct tl_recorder *r = context;

	r->written += events;
	tl_recorder_threads_written(&r->threads, stream, events);
}

/* Note a failure.  Nothing is written for a while. */
static void
note_fault(struct tl_recorder *r, int rc)
{
	r->retry_ns = tl_clock_read(CLOCK_MONOTONIC) + RETRY_NS;
	pthread_mutex_lock(&r->lock);
	r->status.faults++;
	r->status.rc = rc;
	pthread_mutex_unlock(&r->lock);
	tl_recorder_changed(r);
}

int
tl_recorder_begin_file(struct tl_recorder *r)
{
	const int64_t ns = tl_clock_read(CLOCK_REALTIME);
	int rc;

	r->file = (struct tl_recorder_file){ .written = note_stream_written,
		.context = r };
	r->fresh = r->written = 0;
	r->content = (struct tl_recorder_content){ .from_ns = INT64_MAX,
		.to_ns = INT64_MIN };
	for (size_t i = 0; i < r->source_count; i++) {
		struct tl_recorder_source *s = r->sources[i];

		s->knots = s->put_entries = s->put_lost = 0;
	}
	rc = r->host.begin(r->host.context, ns, &r->file.files);
	if (rc == 0)
		rc = tl_recorder_file_begin(&r->file, ns, &r->now);
	if (rc < 0) {
		note_fault(r, rc);
		return rc;
	}
	/* Write the part before the first event. */
	rc = write_host(r);
	if (rc == 0 && r->now.command)
		rc = tl_recorder_file_info(&r->file, "command", r->now.command);
	if (rc == 0 && r->source_count > 0)
		rc = write_boot_id(r);
	for (size_t i = 0; rc == 0 && i < r->source_count; i++)
		rc = tl_recorder_file_info(&r->file, "timeline",
		    r->sources[i]->name);
	if (rc == 0)
		rc = describe(r, NULL);
	if (rc == 0)
		rc = write_observed(r, TL_TRACE_OBSERVED);
	if (rc == 0)
		rc = write_knots(r);
	if (rc == 0)
		rc = write_continued(r);
	if (rc < 0) {
		tl_recorder_fail_file(r, rc);
		return rc;
	}
	r->begun_ns = r->flushed_ns = tl_clock_read(CLOCK_MONOTONIC);
	r->retry_ns = 0;
	pthread_mutex_lock(&r->lock);
	r->status.files++;
	memcpy(r->status.path, r->file.files.path, sizeof(r->status.path));
	pthread_mutex_unlock(&r->lock);
	tl_recorder_changed(r);
	return 0;
}

/* Leave a file.  A file without events is removed. */
static void
leave_file(struct tl_recorder *r, int rc)
{
	struct tl_recorder_content *c = &r->content;

	c->data_size = r->file.data_size;
	c->index_size = r->file.index_size;
	r->bytes += c->data_size + c->index_size;
	if (r->host.ended)
		r->host.ended(r->host.context, r, &r->file.files, c, rc);
	tl_recorder_file_free(&r->file,
	    rc < 0 && (r->now.whole || r->written == 0));
	tl_recorder_threads_leave(&r->threads);
}

void
tl_recorder_fail_file(struct tl_recorder *r, int rc)
{
	for (size_t i = 0; i < r->source_count; i++) {
		struct tl_recorder_source *s = r->sources[i];
		/* put into the file, but not written, or removed with it */
		struct tl_recorder_missing missing = { s->put_entries,
			s->put_lost };

		if (!r->now.whole)
			missing =
			    tl_recorder_threads_missing(&r->threads, s->number);
		r->events -= missing.entries;
		r->lost -= missing.holes;
		r->content.entries -= missing.entries;
		r->content.lost -= missing.holes;
		s->carry += missing.entries + missing.holes;
	}
	leave_file(r, rc);
	r->over = r->now.once;
	note_fault(r, rc);
}

void
tl_recorder_end_file(struct tl_recorder *r)
{
	int rc;

	if (!r->file.writer)
		return;
	rc = write_knots(r);
	if (rc == 0)
		rc = write_carried(r);
	if (rc == 0)
		rc = tl_recorder_threads_rename(&r->threads);
	if (rc == 0)
		rc = write_observed(r, TL_TRACE_ENDS);
	if (rc == 0)
		rc = describe(r, &r->content);
	if (rc == 0)
		rc = tl_recorder_file_finish(&r->file);
	if (rc < 0) {
		tl_recorder_fail_file(r, rc);
		return;
	}
	leave_file(r, 0);
	r->over = r->now.once;
	tl_recorder_changed(r);
	if (r->host.rest)
		r->host.rest(r->host.context);
}

int
tl_recorder_flush_file(struct tl_recorder *r)
{
	bool was_failing = false;
	int rc = write_carried(r);

	if (rc == 0)
		rc = tl_recorder_threads_rename(&r->threads);
	if (rc == 0)
		rc = tl_trace_writer_flush(r->file.writer);
	r->flushed_ns = tl_clock_read(CLOCK_MONOTONIC);
	if (rc < 0) {
		tl_recorder_fail_file(r, rc);
		return rc;
	}
	if (r->fresh > 0) { /* events are in a file again */
		pthread_mutex_lock(&r->lock);
		was_failing = r->status.rc != 0;
		r->status.rc = 0;
		pthread_mutex_unlock(&r->lock);
	}
	if (was_failing)
		tl_recorder_changed(r);
	r->fresh = 0;
	if (r->host.rest)
		r->host.rest(r->host.context);
	return 0;
}
