/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.h - the events of Chrome in order of time, and what pairs of them.
 *
 *	event --keep--> store, sorted --finish--> begins and ends --> sink
 *
 * Events stand in a file in any order, and the member that says when they were
 * may stand behind them: they are kept until the file ends.  Then, by time,
 *
 *	an end event (E) is of the innermost begin event (B) before it, whose
 *	message it has;
 *	a complete span (X) is two events.
 *
 * Spans with equal times nest: the longer one begins first, and one ends before
 * the next begins.  Other events of one time stand as in the file.
 */
#ifndef TL_FORMAT_CHROME_SPANS_H
#define TL_FORMAT_CHROME_SPANS_H

#include "base/pqueue.h"
#include "base/table.h"
#include "base/text.h"
#include "event/intern.h"
#include "event/reader.h"
#include "event/sorter.h"

enum {
	/* Complete spans of one time that are put into order. */
	TL_CHROME_WINDOW = 4096,
	/* Begin events and waiting ends of all threads. */
	TL_CHROME_OPEN_MAX = 1 << 18,
	/* How many open begin events are compared with an end. */
	TL_CHROME_SEARCH_MAX = 1024
};

/* What is made of an event. */
enum tl_chrome_role {
	TL_CHROME_ALONE, /* itself */
	TL_CHROME_WHOLE, /* X */
	TL_CHROME_BEGIN, /* B */
	TL_CHROME_END    /* E */
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

/* Starts from all zeros but for sink, and interner, that of the messages; see
 * tl_chrome_spans_make. */
struct tl_chrome_spans {
	struct tl_sink *sink;
	struct tl_interner *interner;
	struct tl_store *store;
	struct tl_text text;
	int64_t base_ns;
	uint64_t count; /* events passed on */
	struct tl_id_map numbers;
	struct tl_chrome_thread *threads;
	size_t capacity;
	size_t open;           /* begin events of all threads */
	struct tl_pqueue ends; /* of complete spans */
	uint64_t begun;        /* complete spans */
	struct tl_chrome_waiting *window;
	size_t waiting;
	/* How often there was no room, or no such time. */
	uint64_t forgotten; /* for a begin event */
	uint64_t full;      /* for a message or thread */
	uint64_t beyond;
};

/* 0 or -ENOMEM. */
int tl_chrome_spans_make(struct tl_chrome_spans *spans);
void tl_chrome_spans_free(struct tl_chrome_spans *spans);

/* Keep an event.  An end event has the message that it would have alone, and is
 * bare without arguments. */
int tl_chrome_keep(struct tl_chrome_spans *spans, struct tl_event *event);
int tl_chrome_keep_whole(struct tl_chrome_spans *spans, struct tl_event *begin,
    int64_t duration_ns);
int tl_chrome_keep_half(struct tl_chrome_spans *spans, struct tl_event *event,
    enum tl_chrome_role role, uint64_t category, uint64_t name);

/* Pass on all events, base_ns later: 0, -ENOMEM, -errno of sink or store. */
int tl_chrome_spans_finish(struct tl_chrome_spans *spans);

#endif
