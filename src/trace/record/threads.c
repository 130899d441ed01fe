/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.c - recorded threads: streams, spans, names.
 */
#include "base/array.h"
#include "clock/clock.h"
#include "trace/record/work.h"
#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeline.h>
#include <unistd.h>

/* == names == */

/* The name of a thread; tid 0: of a process.  /proc has the names that the
 * timeline lacks.  Empty: unknown. */
static struct tl_bytes
comm_of(const struct tl_recorder_place *place, char name[TL_COMM_MAX],
    uint32_t pid, uint32_t tid)
{
	struct tl_bytes comm = { 0 };
	char path[64];
	ssize_t n;
	int fd;

	if (place && place->timeline)
		comm = tl_recorder_source_comm(place->timeline, name, pid, tid);
	if (comm.size > 0 || (place && place->is_elsewhere))
		return comm;
	if (tid == 0)
		snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	else
		snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return tl_bytes("", 0);
	n = read(fd, name, TL_COMM_MAX);
	close(fd);
	return tl_bytes(name, n > 0 ? (size_t)n - (name[n - 1] == '\n') : 0);
}

/* Find the process of a pid; a new process is added.  0 or -ENOMEM. */
static int
get_process(struct tl_recorder_processes *p, uint32_t pid,
    struct tl_recorder_process **process)
{
	const uint64_t hash = tl_hash_number(pid);
	struct tl_probe probe = tl_table_probe(&p->table, hash);
	uint32_t at;
	int rc;

	while (tl_probe_next(&probe, &at)) {
		*process = &p->list[at];
		if ((*process)->pid == pid)
			return 0;
	}
	if (TL_ARRAY_ROOM(p->list, p->capacity, p->count) < 0)
		return -ENOMEM;
	if ((rc = tl_table_add(&p->table, hash, p->count)) < 0)
		return rc;
	*process = &p->list[p->count++];
	**process = (struct tl_recorder_process){ .pid = pid };
	return 0;
}

int
tl_recorder_processes_define(struct tl_recorder_processes *p,
    struct tl_trace_writer *writer, uint32_t pid,
    const struct tl_recorder_place *place)
{
	struct tl_recorder_process *process;
	char name[TL_COMM_MAX];
	struct tl_bytes now;
	int rc;

	if (pid == 0)
		return 0;
	if ((rc = get_process(p, pid, &process)) < 0)
		return rc;
	if (process->defined)
		return 0;
	now = comm_of(place, name, pid, 0);
	process->defined = true;
	if (now.size > 0) {
		memcpy(process->name, now.data, now.size);
		process->size = (uint8_t)now.size;
	}
	if (process->size == 0)
		return 0;
	return tl_trace_write_process(writer, pid,
	    tl_bytes(process->name, process->size));
}

/* Keep the processes of the current file, for their names, and remove the
 * processes of earlier files. */
void
tl_recorder_processes_leave(struct tl_recorder_processes *p)
{
	const size_t count = p->count;

	tl_table_clear(&p->table);
	p->count = 0;
	for (size_t i = 0; i < count; i++) {
		if (!p->list[i].defined)
			continue;
		p->list[i].defined = false;
		/* the table had room for all processes */
		tl_table_add(&p->table, tl_hash_number(p->list[i].pid),
		    p->count);
		p->list[p->count++] = p->list[i];
	}
}

void
tl_recorder_processes_free(struct tl_recorder_processes *p)
{
	tl_table_free(&p->table);
	free(p->list);
	*p = (struct tl_recorder_processes){ 0 };
}

/* == the table == */

/* NULL: none. */
static struct tl_recorder_thread *
look_up(const struct tl_recorder_threads *t, uint64_t who, uint16_t source)
{
	struct tl_probe probe =
	    tl_table_probe(&t->table, tl_hash_pair(who, source));
	uint32_t at;

	while (tl_probe_next(&probe, &at))
		if (t->list[at]->who == who && t->list[at]->source == source)
			return t->list[at];
	return NULL;
}

/* Find a thread; a new thread is added.  0 or -ENOMEM. */
static int
find_thread(struct tl_recorder_threads *t, uint64_t who, uint16_t source,
    struct tl_recorder_thread **thread)
{
	*thread = t->last;
	if (t->last && t->last->who == who && t->last->source == source)
		return 0;
	if ((*thread = look_up(t, who, source))) {
		t->last = *thread;
		return 0;
	}
	if (TL_ARRAY_ROOM(t->list, t->capacity, t->count) < 0 ||
	    tl_table_reserve(&t->table) < 0 ||
	    !(*thread = calloc(1, sizeof(**thread))))
		return -ENOMEM;
	(*thread)->who = who;
	(*thread)->source = source;
	tl_table_add(&t->table, tl_hash_pair(who, source), t->count);
	t->last = t->list[t->count++] = *thread;
	return 0;
}

/* == streams == */

static int
new_stream(struct tl_recorder_threads *t, struct tl_trace_writer *writer,
    struct tl_recorder_thread *thread, const char *source)
{
	const uint32_t pid = (uint32_t)(thread->who >> 32);
	const uint32_t tid = (uint32_t)thread->who;
	const struct tl_recorder_place *place = &t->places[thread->source];
	struct tl_bytes name;
	int rc;

	if (TL_ARRAY_ROOM(t->streams, t->stream_capacity, t->stream_count) < 0)
		return -ENOMEM;
	name = thread->who == 0 ? tl_bytes_of(source)
				: comm_of(place, thread->name, pid, tid);
	thread->name_size = name.size;
	rc = tl_recorder_processes_define(&t->processes, writer, pid, place);
	if (rc == 0)
		rc = tl_trace_stream_new(&thread->stream, writer, pid, tid,
		    name);
	if (rc == 0)
		t->streams[t->stream_count++] = thread;
	return rc;
}

/* Write the name of a thread if the name in the timeline has changed. */
static int
rename_thread(const struct tl_recorder_threads *t,
    struct tl_recorder_thread *thread)
{
	const uint32_t pid = (uint32_t)(thread->who >> 32);
	const uint32_t tid = (uint32_t)thread->who;
	const struct tl_recorder_source *timeline =
	    t->places[thread->source].timeline;
	char text[TL_COMM_MAX];
	struct tl_bytes name = { 0 };

	if (thread->who != 0 && timeline)
		name = tl_recorder_source_comm(timeline, text, pid, tid);
	if (name.size == 0 ||
	    tl_bytes_equal(name, tl_bytes(thread->name, thread->name_size)))
		return 0;
	memcpy(thread->name, text, name.size);
	thread->name_size = name.size;
	return tl_trace_stream_rename(thread->stream, pid, tid, name);
}

int
tl_recorder_threads_rename(struct tl_recorder_threads *t)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < t->stream_count; i++)
		rc = rename_thread(t, t->streams[i]);
	return rc;
}

void
tl_recorder_threads_written(struct tl_recorder_threads *t, int32_t stream,
    uint32_t events)
{
	struct tl_recorder_thread *thread;
	size_t holes = events;

	if (stream < 0 || (size_t)stream >= t->stream_count)
		return;
	thread = t->streams[stream];
	thread->written += events;
	if (holes > thread->hole_count)
		holes = thread->hole_count;
	thread->hole_count -= holes;
	if (thread->hole_count > 0)
		memmove(thread->holes, thread->holes + holes,
		    thread->hole_count * sizeof(*thread->holes));
}

struct tl_recorder_missing
tl_recorder_threads_missing(const struct tl_recorder_threads *t,
    uint16_t source)
{
	struct tl_recorder_missing missing = { 0 };

	for (size_t i = 0; i < t->stream_count; i++) {
		const struct tl_recorder_thread *thread = t->streams[i];
		/* without repeated begin events */
		const uint64_t from = thread->written < thread->continued
					  ? thread->continued
					  : thread->written;

		if (thread->source != source)
			continue;
		for (size_t k = 0; thread->who == 0 && k < thread->hole_count;
		     k++)
			missing.holes += thread->holes[k];
		if (thread->who != 0 && thread->put > from)
			missing.entries += thread->put - from;
	}
	return missing;
}

/* == events == */

/* Put an event.  A loss is noted first, because putting it may write the
 * stream. */
static int
put(struct tl_recorder_thread *thread, const struct tl_event *event)
{
	const bool is_hole = event->kind == TL_LOST;
	int rc;

	if (is_hole) {
		if (TL_ARRAY_ROOM(thread->holes, thread->hole_capacity,
			thread->hole_count) < 0)
			return -ENOMEM;
		thread->holes[thread->hole_count++] = event->lost;
	}
	rc = tl_trace_stream_put(thread->stream, event);
	if (rc == 0)
		thread->put++;
	else if (is_hole && thread->hole_count > 0)
		thread->hole_count--;
	return rc;
}

int
tl_recorder_threads_account(struct tl_recorder_threads *t,
    struct tl_recorder_source *source, struct tl_event *event)
{
	struct tl_span span;
	int rc;

	if (source->accounted)
		return 0;
	rc = tl_spans_complete(t->spans, event, &span);
	if (rc < 0)
		return rc;
	source->accounted = true;
	source->tid = rc > 0 && span.handed ? span.tid : event->tid;
	source->begun = event->kind == TL_BEGIN ? tl_spans_begun(t->spans) : 0;
	/* the begin may be in a file of another recorder */
	if (rc == 0 && event->kind == TL_END &&
	    !(source->resumed && tl_spans_is_first(t->spans, event)))
		event->begun = TL_BEGUN_NONE;
	return 0;
}

int
tl_recorder_threads_put(struct tl_recorder_threads *t,
    struct tl_trace_writer *writer, const struct tl_recorder_source *source,
    const struct tl_event *event)
{
	const uint64_t who = event->kind == TL_LOST
				 ? 0
				 : (uint64_t)event->pid << 32 | source->tid;
	struct tl_recorder_thread *thread;
	int rc = find_thread(t, who, event->source, &thread);

	if (rc == 0 && !thread->stream)
		rc = new_stream(t, writer, thread, source->name);
	if (rc == 0)
		rc = tl_trace_stream_leave(thread->stream, t->spans, event);
	return rc < 0 ? rc : put(thread, event);
}

/* == from one file to the next == */

/* Keep the threads of the current file, and remove those of earlier files. */
void
tl_recorder_threads_leave(struct tl_recorder_threads *t)
{
	const size_t count = t->count;

	tl_table_clear(&t->table);
	t->count = t->stream_count = 0;
	t->last = NULL;
	for (size_t i = 0; i < count; i++) {
		struct tl_recorder_thread *thread = t->list[i];

		if (!thread->stream) {
			free(thread->holes);
			free(thread);
			continue;
		}
		thread->stream = NULL;
		thread->put = thread->continued = thread->written = 0;
		thread->hole_count = 0;
		/* the table had room for all threads */
		tl_table_add(&t->table,
		    tl_hash_pair(thread->who, thread->source), t->count);
		t->list[t->count++] = thread;
	}
	tl_recorder_processes_leave(&t->processes);
}

/* Has the process of a span ended, and are all entries of the process recorded?
 * A recorder that is behind reads them late, so an entry must be recorded that
 * is younger than the end of the process.  For a process in another PID
 * namespace the answer is no. */
static bool
is_gone(const struct tl_recorder_threads *t, const struct tl_span *span)
{
	struct tl_recorder_thread *thread =
	    look_up(t, (uint64_t)span->pid << 32 | span->tid, span->source);
	const struct tl_recorder_place *place = &t->places[span->source];
	const pid_t pid = (pid_t)span->pid;

	if (place->is_elsewhere || pid <= 0 || kill(pid, 0) == 0 ||
	    errno != ESRCH)
		return false;
	if (!thread) /* the last file left the span out */
		return true;
	if (thread->gone_ns == 0)
		thread->gone_ns = tl_clock_read(CLOCK_REALTIME);
	return place->timeline->newest_ns > thread->gone_ns;
}

int
tl_recorder_threads_continue(struct tl_recorder_threads *t,
    struct tl_trace_writer *writer, uint64_t size_max, uint64_t *count)
{
	struct tl_recorder_thread *thread;
	struct tl_span span;
	uint32_t index = 0;
	int rc = 0;

	*count = 0;
	while (rc == 0 && tl_trace_writer_size(writer) < size_max &&
	       tl_spans_open(t->spans, &index, &span)) {
		const struct tl_recorder_source *source =
		    t->places[span.source].timeline;
		struct tl_event begin = tl_span_begin(&span);

		if (span.id == source->begun ||
		    !tl_spans_lasts(t->spans, span.id, source->newest) ||
		    is_gone(t, &span))
			continue;
		begin.continued = true;
		rc = find_thread(t, (uint64_t)span.pid << 32 | span.tid,
		    span.source, &thread);
		if (rc == 0 && !thread->stream)
			rc = new_stream(t, writer, thread, "");
		if (rc == 0)
			rc = put(thread, &begin);
		if (rc == 0) {
			thread->continued++;
			++*count;
		}
	}
	return rc;
}

void
tl_recorder_threads_free(struct tl_recorder_threads *t)
{
	for (size_t i = 0; i < t->count; i++) {
		free(t->list[i]->holes);
		free(t->list[i]);
	}
	free(t->list);
	tl_table_free(&t->table);
	free(t->streams);
	tl_recorder_processes_free(&t->processes);
	tl_spans_free(t->spans);
	*t = (struct tl_recorder_threads){ 0 };
}
