/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.h - begins and ends of Chrome's trace events, by thread.
 *
 * An end event has the message of its begin event.  A complete span (X) becomes
 * two events.  Spans with equal times nest: the longer one begins first, and
 * one ends before the next begins.  Therefore complete spans wait for the spans
 * around them, at most TL_CHROME_WINDOW, and their ends for the next event of
 * the thread.
 */
#ifndef TL_FORMAT_CHROME_SPANS_H
#define TL_FORMAT_CHROME_SPANS_H

#include "base/table.h"
#include "event/cursor.h"

enum {
	TL_CHROME_WINDOW = 4096,
	/* Begin events and waiting ends of all threads. */
	TL_CHROME_OPEN_MAX = 1 << 18,
	/* How many open begin events are compared with an end. */
	TL_CHROME_SEARCH_MAX = 1024
};

/* Identifies a begin event.  A hash of 0 matches all; an equal message is
 * preferred. */
struct tl_chrome_key {
	uint64_t category; /* hashes */
	uint64_t name;
	const struct tl_message *message;
};

struct tl_chrome_thread;
struct tl_chrome_waiting;

/* Starts from all zeros but for sink. */
struct tl_chrome_spans {
	struct tl_sink *sink;
	uint64_t count; /* events passed on */
	struct tl_id_map numbers;
	struct tl_chrome_thread *threads;
	size_t capacity;
	size_t open; /* begin events and waiting ends of all threads */
	struct tl_chrome_waiting *window;
	size_t waiting;
	bool unsorted;
	bool forgot; /* there was no room for a begin event */
};

/* Pass on an event; sets the members that are the same for all. */
int tl_chrome_put(struct tl_chrome_spans *spans, struct tl_event *event);

/* The number of a thread: 0, -ENOSPC, -ENOMEM. */
int tl_chrome_thread(struct tl_chrome_spans *spans, uint32_t pid, uint32_t tid,
    uint32_t *thread);

/* A complete span, and a begin event. */
int tl_chrome_complete(struct tl_chrome_spans *spans, uint32_t thread,
    const struct tl_event *begin, int64_t end_ns);
int tl_chrome_begin(struct tl_chrome_spans *spans, uint32_t thread,
    struct tl_event *begin, const struct tl_chrome_key *who);
/* For an end event: close the matching begin event and return its message, or
 * NULL if there is none. */
int tl_chrome_close(struct tl_chrome_spans *spans, uint32_t thread, int64_t ns,
    const struct tl_chrome_key *who, const struct tl_message **message);

/* Pass on all that wait. */
int tl_chrome_spans_finish(struct tl_chrome_spans *spans);
void tl_chrome_spans_free(struct tl_chrome_spans *spans);

#endif
