/* SPDX-License-Identifier: Apache-2.0 */
/* recorder_begin.c - one file after the other: begin, flush, end, fail. */
#include "format/recorder_work.h"

#include "base/clock.h"
#include "format/origin.h"
#include "snap/snap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define RETRY_NS INT64_C(1000000000)

enum { BOOT_ID_MAX = 64, NUMBER_MAX = 24 };

void
tl_recorder_changed(struct tl_recorder *r)
{
	if (r->host.changed)
		r->host.changed(r->host.context);
}

/* == what a file says of itself == */

/* Where the events are stamped by the clock of this boot. */
static int
write_boot_id(struct tl_recorder *r)
{
	struct tl_text text = { 0 };
	int rc =
	    tl_read_file("/proc/sys/kernel/random/boot_id", BOOT_ID_MAX, &text);

	while (rc == 0 && text.size > 0 && text.data[text.size - 1] == '\n')
		text.size--;
	if (rc == 0 && text.size > 0)
		rc = tl_trace_write_info(r->file.writer, tl_bytes_of("boot"),
		    tl_bytes(text.data, text.size));
	else
		rc = 0; /* not known */
	tl_text_free(&text);
	return rc;
}

static int
write_infos(struct tl_recorder *r)
{
	struct tl_origin origin;
	int rc;

	tl_origin_here(&origin);
	rc = tl_recorder_file_info(&r->file, "host", origin.machine);
	if (rc == 0 && r->now.command)
		rc = tl_recorder_file_info(&r->file, "command", r->now.command);
	if (rc == 0)
		rc = write_boot_id(r);
	for (size_t i = 0; rc == 0 && i < r->source_count; i++)
		rc = tl_recorder_file_info(&r->file, "timeline",
		    r->sources[i]->name);
	return rc;
}

/* The knots that this file does not have yet.  Those of several timelines
 * would be mixed up: a file of several has none. */
static int
write_knots(struct tl_recorder *r)
{
	struct tl_recorder_source *s = r->sources[0];
	struct tl_fault fault = { 0 };
	struct tl_snap *snap;
	int rc;

	if (r->source_count != 1 ||
	    tl_snap_open_fd(&snap, s->fd, 1, &fault) != 0)
		return 0; /* the events have their times without */
	rc = 0;
	for (size_t i = 0; rc == 0 && i < tl_snap_knot_count(snap); i++) {
		const struct timeline_knot *knot = tl_snap_knot(snap, i);

		if (s->knots > 0 && knot->utc_ns <= s->knot_ns)
			continue;
		rc = tl_trace_write_knot(r->file.writer, knot);
		s->knot_ns = knot->utc_ns;
		s->knots++;
	}
	tl_snap_close(snap);
	return rc;
}

static int
write_continued(struct tl_recorder *r)
{
	char number[NUMBER_MAX];
	uint64_t count;
	int rc =
	    tl_recorder_threads_continue(&r->threads, r->file.writer, &count);

	if (rc < 0 || count == 0)
		return rc;
	snprintf(number, sizeof(number), "%llu", (unsigned long long)count);
	return tl_recorder_file_info(&r->file, "continued", number);
}

/* Say what is missing since the last file. */
static int
write_carried(struct tl_recorder *r)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->source_count; i++) {
		struct tl_recorder_source *s = r->sources[i];
		const struct tl_event hole = { .kind = TL_LOST,
			.lost = s->carry,
			.cpu = TL_CPU_UNKNOWN,
			.source = s->number,
			.ns = tl_clock_read(CLOCK_REALTIME) };

		if (s->carry == 0)
			continue;
		rc = tl_recorder_threads_put(&r->threads, r->file.writer, &hole,
		    s->losses, s->name);
		if (rc == 0) {
			r->lost += s->carry;
			s->carry = 0;
		}
	}
	return rc;
}

static int
write_first(struct tl_recorder *r)
{
	int rc = write_infos(r);

	if (rc == 0)
		rc = write_knots(r);
	if (rc == 0)
		rc = write_continued(r);
	return rc == 0 ? write_carried(r) : rc;
}

/* == the files == */

static void
note_written(void *context, int32_t stream, uint32_t events)
{
	struct tl_recorder *r = context;

	r->written += events;
	tl_recorder_threads_written(&r->threads, stream, events);
}

/* Nothing is written for a while. */
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

static void
note_begun(struct tl_recorder *r)
{
	r->begun_ns = r->flushed_ns = tl_clock_read(CLOCK_MONOTONIC);
	r->retry_ns = 0;
	pthread_mutex_lock(&r->lock);
	r->status.files++;
	memcpy(r->status.path, r->file.files.path, sizeof(r->status.path));
	pthread_mutex_unlock(&r->lock);
	tl_recorder_changed(r);
}

int
tl_recorder_begin_file(struct tl_recorder *r)
{
	const int64_t ns = tl_clock_read(CLOCK_REALTIME);
	int rc;

	r->file =
	    (struct tl_recorder_file){ .written = note_written, .context = r };
	r->fresh = r->written = 0;
	for (size_t i = 0; i < r->source_count; i++)
		r->sources[i]->knots = 0;
	rc = r->host.begin(r->host.context, ns, &r->file.files);
	if (rc == 0)
		rc = tl_recorder_file_begin(&r->file, ns, r->now.compress);
	if (rc < 0) {
		note_fault(r, rc);
		return rc;
	}
	rc = write_first(r);
	if (rc < 0)
		tl_recorder_fail_file(r, rc);
	else
		note_begun(r);
	return rc;
}

/* Nothing of the file is used any more; without an event it is gone. */
static void
leave_file(struct tl_recorder *r, bool failed)
{
	uint64_t losses[TL_RECORDER_SOURCES_MAX];

	for (size_t i = 0; i < r->source_count; i++)
		losses[i] = r->sources[i]->losses;
	r->bytes += r->file.data_size + r->file.index_size;
	tl_recorder_file_free(&r->file, failed && r->written == 0);
	tl_recorder_threads_leave(&r->threads, losses);
}

void
tl_recorder_fail_file(struct tl_recorder *r, int rc)
{
	for (size_t i = 0; i < r->source_count; i++) {
		struct tl_recorder_source *s = r->sources[i];
		const struct tl_recorder_missing missing =
		    tl_recorder_threads_missing(&r->threads, s->number);

		r->events -= missing.entries;
		r->lost -= missing.holes;
		s->carry += missing.entries + missing.holes;
	}
	leave_file(r, true);
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
		rc = tl_recorder_file_finish(&r->file);
	if (rc < 0) {
		tl_recorder_fail_file(r, rc);
		return;
	}
	leave_file(r, false);
	r->over = r->now.once;
	tl_recorder_changed(r);
	if (r->host.rest)
		r->host.rest(r->host.context);
}

/* It works, now that something is in a file. */
static void
note_written_again(struct tl_recorder *r)
{
	bool changed;

	pthread_mutex_lock(&r->lock);
	changed = r->status.rc != 0;
	r->status.rc = 0;
	pthread_mutex_unlock(&r->lock);
	if (changed)
		tl_recorder_changed(r);
}

int
tl_recorder_flush_file(struct tl_recorder *r)
{
	int rc = write_carried(r);

	if (rc == 0)
		rc = tl_trace_writer_flush(r->file.writer);
	r->flushed_ns = tl_clock_read(CLOCK_MONOTONIC);
	if (rc < 0) {
		tl_recorder_fail_file(r, rc);
		return rc;
	}
	if (r->fresh > 0)
		note_written_again(r);
	r->fresh = 0;
	if (r->host.rest)
		r->host.rest(r->host.context);
	return 0;
}
