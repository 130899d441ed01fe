/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.h - the events of Chrome in order of time, and the pairing of spans.
 *
 *	event --keep--> store, sorted --finish--> begins and ends --> sink
 *
 * Events stand in a file in any order, and the member with the base of all
 * times may follow the events, so that events are kept until the file ends.
 * Then, by time,
 *
 *	an end event (E) belongs to the innermost begin event (B) before it that
 *	has the message, or else the name, of the end;
 *	a complete span (X) becomes two events.
 *
 * Spans with equal times nest: the longer span begins first, and a span ends
 * before the next span begins.  Other events of equal times keep the order of
 * the file.
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
	/* Complete spans of one time that are sorted. */
	TL_CHROME_WINDOW = 4096,
	/* Open begin events of all threads, and waiting ends. */
	TL_CHROME_OPEN_MAX = 1 << 18,
	/* Open begin events that are compared with an end. */
	TL_CHROME_SEARCH_MAX = 1024
};

/* The part that an event plays in a span. */
enum tl_chrome_role {
	TL_CHROME_ALONE, /* itself */
	TL_CHROME_WHOLE, /* X */
	TL_CHROME_BEGIN, /* B */
	TL_CHROME_END    /* E */
};

/*
 * Identifies a begin event.  A hash of 0 matches any; an equal message is
 * preferred.
 */
struct tl_chrome_key {
	uint64_t category; /* hashes, as name */
	uint64_t name;
	const struct tl_message *message;
};

struct tl_chrome_thread;
struct tl_chrome_waiting;

/*
 * Starts from all zeros except for sink and interner, which made the messages;
 * see tl_chrome_spans_make().
 */
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
	struct tl_pqueue ends; /* ends of complete spans */
	uint64_t begun;        /* complete spans */
	struct tl_chrome_waiting *window;
	size_t waiting;
	/* Counts of events that found no room, and of bad times: */
	uint64_t forgotten; /* open begin events */
	uint64_t full;      /* messages or threads */
	uint64_t beyond;
};

/* Make the store: 0, -ENOMEM. */
int tl_chrome_spans_make(struct tl_chrome_spans *spans);
void tl_chrome_spans_free(struct tl_chrome_spans *spans);

/*
 * Keep an event: 0, -ENOMEM, -errno of the store.  An end event has the message
 * that the event would have without a begin, and is bare without arguments.
 */
int tl_chrome_keep(struct tl_chrome_spans *spans, struct tl_event *event);
int tl_chrome_keep_whole(struct tl_chrome_spans *spans, struct tl_event *begin,
    int64_t duration_ns);
int tl_chrome_keep_half(struct tl_chrome_spans *spans, struct tl_event *event,
    enum tl_chrome_role role, uint64_t category, uint64_t name);

/* Pass on all events, base_ns later: 0, -ENOMEM, -errno of sink or store. */
int tl_chrome_spans_finish(struct tl_chrome_spans *spans);

#endif
