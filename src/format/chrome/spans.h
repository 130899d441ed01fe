/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.h - begins and ends of Chrome's trace events, by thread.
 *
 * An end has no message of its own: it is that of its begin.  A span that is
 * written as one (X) becomes two events.  Where times are equal they nest: the
 * longer of two spans begins first, and the end of one stands before the begin
 * of the next.  For that such spans wait for others around them, at most
 * TL_CHROME_WINDOW, and their ends for the thread's next event.
 */
#ifndef TL_FORMAT_CHROME_SPANS_H
#define TL_FORMAT_CHROME_SPANS_H

#include "base/table.h"
#include "event/cursor.h"

enum {
	TL_CHROME_WINDOW = 4096,
	/* Begins and ends that wait, of all threads. */
	TL_CHROME_OPEN_MAX = 1 << 18,
	/* So deep is looked for a begin of the name of an end. */
	TL_CHROME_SEARCH_MAX = 1024
};

/* What a begin is found by; 0: any. */
struct tl_chrome_who {
	uint64_t category; /* hashes */
	uint64_t name;
	const struct tl_message *message; /* before the others */
};

struct tl_chrome_thread;
struct tl_chrome_waiting;

/* Starts from all zeros but for sink. */
struct tl_chrome_spans {
	struct tl_sink *sink;
	uint64_t count; /* of all events */
	struct tl_id_map numbers;
	struct tl_chrome_thread *threads;
	size_t capacity;
	size_t open; /* what waits on threads */
	struct tl_chrome_waiting *window;
	size_t waiting;
	bool unsorted;
	bool forgot; /* a begin for which there was no room */
};

/* Hand on an event: sets what all events of a reader have. */
int tl_chrome_put(struct tl_chrome_spans *spans, struct tl_event *event);

/* The number of a thread: 0, -ENOSPC, -ENOMEM. */
int tl_chrome_thread(struct tl_chrome_spans *spans, uint32_t pid, uint32_t tid,
    uint32_t *thread);

/* The message that was told of a thread, which is a source then; NULL. */
const struct tl_message *
tl_chrome_source(const struct tl_chrome_spans *spans, uint32_t thread);
void tl_chrome_set_source(struct tl_chrome_spans *spans, uint32_t thread,
    const struct tl_message *message);

/* A span that is whole; its begin. */
int tl_chrome_whole(struct tl_chrome_spans *spans, uint32_t thread,
    const struct tl_event *begin, int64_t end_ns);
int tl_chrome_begin(struct tl_chrome_spans *spans, uint32_t thread,
    struct tl_event *begin, const struct tl_chrome_who *who);
/* A begin that has been handed on. */
int tl_chrome_open(struct tl_chrome_spans *spans, uint32_t thread,
    const struct tl_chrome_who *who);

/* Before an end: the message of its begin, which is not open then any more;
 * NULL: it has none. */
int tl_chrome_close(struct tl_chrome_spans *spans, uint32_t thread, int64_t ns,
    const struct tl_chrome_who *who, const struct tl_message **message);

/* Hand on all that waits. */
int tl_chrome_spans_finish(struct tl_chrome_spans *spans);
void tl_chrome_spans_free(struct tl_chrome_spans *spans);

#endif
