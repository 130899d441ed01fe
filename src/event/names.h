/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - the names of processes and threads.
 *
 * A source that knows names has one such table, and each message of it refers
 * to the table (struct tl_message), so that an event leads to the names of
 * its thread and process: after merges, filters and conversions too.
 *
 *	name = tl_names_thread(tl_event_names(e), e->pid, e->tid);
 *
 * Names of live threads are as they were when the thread first logged, or
 * as timeline_thread_name gave them.  The same pid and tid in use a second time
 * is the same thread here: the last name counts.  Names come from files: they
 * are cut to TL_NAME_MAX bytes, and what is no printable UTF-8 is a '?'.
 */
#ifndef TL_EVENT_NAMES_H
#define TL_EVENT_NAMES_H

#include "base/table.h"
#include "base/text.h"
#include "event/event.h"

enum {
	TL_NAME_MAX = 55,      /* bytes */
	TL_NAMES_MAX = 1 << 20 /* more are not kept */
};

struct tl_named {
	uint32_t pid;
	uint32_t tid; /* 0: of the process */
	bool is_hidden;
	uint8_t size;
	char text[TL_NAME_MAX];
};

/* Starts from all zeros. */
struct tl_names {
	struct tl_table table;
	struct tl_named *list; /* as they came */
	size_t count;
	size_t capacity;
	bool apart; /* a thread without a record is not called as its process */
	/* Of the table of a timeline: has a set of slots no free one? */
	bool *full;
	uint64_t slots;    /* of that table; 0: there is none */
	uint64_t changes;  /* calls of tl_names_add that set one */
	uint64_t gathered; /* the thread of the last event of tl_names_gather */
	const struct tl_names *from; /* the names that it was looked up in */
};

/* Keep a name; tid 0: of the process; an empty one is none.  0, -ENOMEM. */
int tl_names_add(struct tl_names *names, uint32_t pid, uint32_t tid,
    struct tl_bytes name);
/* Keep that the name of a thread is not known, whatever its process is called,
 * unless one was added.  0, -ENOMEM. */
int tl_names_hide(struct tl_names *names, uint32_t pid, uint32_t tid);
/* Take which sets are full of the table of a timeline with so many slots.  A
 * thread that has no record there may have found no slot. */
void tl_names_set_full(struct tl_names *names, bool *full, uint64_t slots);
void tl_names_free(struct tl_names *names);

/*
 * The name of a process; of a thread: its own, or that of its process, whose
 * threads have no record where they are called the same, unless names are apart;
 * a thread that found no slot for its name has none.  Empty: not known.
 * names NULL: none is.  It is good until the next tl_names_add.
 */
struct tl_bytes tl_names_process(const struct tl_names *names, uint32_t pid);
struct tl_bytes
tl_names_thread(const struct tl_names *names, uint32_t pid, uint32_t tid);
/* Is the process known and the name of the thread not? */
bool
tl_names_is_hidden(const struct tl_names *names, uint32_t pid, uint32_t tid);
/* A thread's own name only: empty for one that is called as its process. */
struct tl_bytes
tl_names_own(const struct tl_names *names, uint32_t pid, uint32_t tid);

/* The table of an event's source; NULL: it knows none. */
static inline const struct tl_names *
tl_event_names(const struct tl_event *event)
{
	return event->message ? event->message->names : NULL;
}

/* A number with the name before it, worker/30473; just the number where the
 * name is empty. */
void tl_put_named(struct tl_text *text, struct tl_bytes name, uint32_t number);

/* A thread by its name, worker/30473; where it has none by its process, too:
 * 30470/30473. */
void tl_put_thread(struct tl_text *text, struct tl_bytes name, uint32_t pid,
    uint32_t tid);

/* For writers: keep the names of an event's thread and process, the latter
 * under this id.  Cheap where it is the thread of the last event.  0,
 * -ENOMEM. */
int tl_names_gather(struct tl_names *names, const struct tl_event *event,
    uint32_t pid);

#endif
