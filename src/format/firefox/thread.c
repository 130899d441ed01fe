/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.c - the threads of a profile: one for each thread, one for each
 * source, and one for lost entries.
 */
#include "format/firefox/firefox.h"

#include "base/array.h"
#include "event/hosts/hosts.h"
#include "format/label.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

/* The second half of a key: what the first one is. */
enum { THREAD, SOURCE, LOST };

/* The thread of a key, made when it is new (1). */
static int
find(struct firefox_write *w, struct tl_id_key key,
    struct firefox_thread **thread)
{
	uint32_t number;
	const int found = tl_id_map_get(&w->thread_keys, key, &number);
	int rc;

	if (found < 0)
		return found;
	if (number >= FIREFOX_THREADS_MAX)
		return -ENOSPC;
	rc = TL_ARRAY_ZEROS(w->threads, w->thread_capacity, number);
	if (rc < 0)
		return rc;
	*thread = &w->threads[number];
	if (found > 0)
		w->thread_count = number + 1;
	return found;
}

static int
find_source(struct firefox_write *w, const struct tl_event *event,
    struct firefox_thread **thread)
{
	const struct tl_id_key key = { (uintptr_t)event->message, SOURCE };
	const int rc = find(w, key, thread);

	if (rc <= 0)
		return rc;
	(*thread)->is_source = true;
	(*thread)->pid = event->pid;
	(*thread)->tid = ++w->sources;
	tl_label_put(&(*thread)->name, event, "");
	return (*thread)->name.rc < 0 ? (*thread)->name.rc
				      : tl_writer_name(&w->writer, event);
}

int
tl_firefox_thread(struct firefox_write *w, const struct tl_event *event,
    struct firefox_thread **thread)
{
	const struct tl_id_key key = { (uint64_t)event->pid << 32 | event->tid,
		THREAD };
	int rc;

	if (event->message->scope == TIMELINE_SOURCE &&
	    (event->kind == TL_BEGIN || event->kind == TL_END))
		return find_source(w, event, thread);
	rc = find(w, key, thread);
	if (rc <= 0)
		return rc;
	(*thread)->pid = event->pid;
	(*thread)->tid = event->tid;
	return tl_writer_name(&w->writer, event);
}

int
tl_firefox_lost_thread(struct firefox_write *w, struct firefox_thread **thread)
{
	const int rc = find(w, (struct tl_id_key){ 0, LOST }, thread);

	if (rc > 0)
		(*thread)->is_lost = true;
	return rc < 0 ? rc : 0;
}

uint32_t
tl_firefox_main_thread(struct firefox_write *w, uint32_t pid, uint32_t other)
{
	const struct tl_id_key key = { (uint64_t)pid << 32 | pid, THREAD };
	uint32_t number;

	if (tl_id_map_get(&w->thread_keys, key, &number) != 0)
		return other;
	return number < w->thread_count ? number : other;
}

static void
put_process_name(struct firefox_write *w, uint32_t pid)
{
	struct tl_text name = { 0 };

	tl_host_pids_name(&w->writer, pid, "timeline", &name);
	tl_put_json(&w->writer.out.text, tl_bytes(name.data, name.size));
	if (name.rc < 0)
		w->writer.out.text.rc = name.rc;
	tl_text_free(&name);
}

/* The first thread of a process bears its name, as the viewer shows none
 * beside it. */
static bool
is_main(const struct firefox_write *w, const struct firefox_thread *thread)
{
	return !thread->is_source && !thread->is_lost &&
	       tl_host_pids_get(w->writer.pids, thread->pid).pid == thread->tid;
}

static void
put_thread_name(struct firefox_write *w, const struct firefox_thread *thread)
{
	const struct tl_bytes name =
	    tl_names_thread(&w->writer.names, thread->pid, thread->tid);
	struct tl_text *text = &w->writer.out.text;

	if (thread->is_source)
		tl_put_json(text,
		    tl_bytes(thread->name.data, thread->name.size));
	else if (thread->is_lost)
		tl_put_string(text, "entries lost");
	else if (is_main(w, thread))
		put_process_name(w, thread->pid);
	else if (name.size > 0)
		tl_put_json(text, name);
	else
		tl_put_format(text, "thread %u", thread->tid);
}

static void
put_tid(struct tl_text *text, const struct firefox_thread *thread)
{
	if (thread->is_source)
		tl_put_format(text, "\"source %u\"", thread->tid);
	else if (thread->is_lost)
		tl_put_string(text, "\"lost\"");
	else
		tl_put_unsigned(text, thread->tid);
}

static void
put_thread(struct firefox_write *w, const struct firefox_thread *thread)
{
	struct tl_text *text = &w->writer.out.text;

	tl_put_string(text, "\n{\"name\":\"");
	put_thread_name(w, thread);
	tl_put_string(text, "\",\"processName\":\"");
	put_process_name(w, thread->pid);
	tl_put_format(text, "\",\"isMainThread\":%s,\"pid\":\"%u\",\"tid\":",
	    is_main(w, thread) ? "true" : "false", thread->pid);
	put_tid(text, thread);
	tl_put_string(text,
	    ",\"processType\":\"default\",\"processStartupTime\":0,"
	    "\"processShutdownTime\":null,\"registerTime\":0,"
	    "\"unregisterTime\":null,\"pausedRanges\":[],"
	    "\"showMarkersInTimeline\":true,"
	    "\"samples\":{\"length\":0,\"weightType\":\"samples\","
	    "\"weight\":null,\"stack\":[],\"time\":[]},"
	    "\"markers\":{\"length\":");
	tl_put_unsigned(text, thread->markers);
}

static int
put_columns(struct firefox_write *w, const struct firefox_thread *thread)
{
	static const char *const names[FIREFOX_FIELDS] = { "name", "startTime",
		"endTime", "phase", "category", "data" };
	struct tl_text *text = &w->writer.out.text;
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < FIREFOX_FIELDS; i++) {
		tl_put_string(text, ",\n\"");
		tl_put_string(text, names[i]);
		tl_put_string(text, "\":[");
		rc = tl_column_write(&w->spill, &thread->columns[i],
		    &w->writer.out);
		tl_put_char(text, ']');
	}
	tl_put_string(text, "}}");
	return rc;
}

/* The viewer shows nothing of a profile without threads. */
int
tl_firefox_put_threads(struct firefox_write *w)
{
	static const struct firefox_thread none = { 0 };
	struct tl_text *text = &w->writer.out.text;
	int rc = 0;

	tl_put_string(text, ",\n\"threads\":[");
	if (w->thread_count == 0) {
		put_thread(w, &none);
		rc = put_columns(w, &none);
	}
	for (uint32_t i = 0; rc == 0 && i < w->thread_count; i++) {
		if (i > 0)
			tl_put_char(text, ',');
		put_thread(w, &w->threads[i]);
		rc = put_columns(w, &w->threads[i]);
	}
	tl_put_char(text, ']');
	return rc;
}

void
tl_firefox_threads_free(struct firefox_write *w)
{
	for (size_t i = 0; i < w->thread_capacity; i++) {
		for (unsigned k = 0; k < FIREFOX_FIELDS; k++)
			tl_column_free(&w->threads[i].columns[k]);
		tl_text_free(&w->threads[i].name);
	}
	free(w->threads);
	tl_id_map_free(&w->thread_keys);
}
