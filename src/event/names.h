/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - the names of processes and threads.
 *
 * A source that knows names has one table of names, and each message of the
 * source refers to the table (struct tl_message).  An event thus leads to the
 * names of its thread and process, also after merges, filters and conversions.
 *
 *	name = tl_names_thread(tl_event_names(e), e->pid, e->tid);
 *
 * The name of a live thread is the thread's name at its first entry, or the
 * name that timeline_thread_name gave.  A pid and tid in use a second time
 * count as the same thread: the last name wins.  Names come from files: names
 * are cut to TL_NAME_MAX bytes, and '?'  replaces bytes that are not printable
 * UTF-8.
 */
#ifndef TL_EVENT_NAMES_H
#define TL_EVENT_NAMES_H

#include "base/table.h"
#include "base/text.h"
#include "event/event.h"

enum {
	TL_NAME_MAX = 55,      /* bytes */
	TL_NAMES_MAX = 1 << 20 /* further names are dropped */
};

struct tl_named {
	uint32_t pid;
	uint32_t tid; /* 0: name of the process */
	bool is_hidden;
	uint8_t size;
	char text[TL_NAME_MAX];
};

/* Starts from all zeros. */
struct tl_names {
	struct tl_table table;
	struct tl_named *list; /* in order of addition */
	size_t count;
	size_t capacity;
	bool apart; /* threads do not inherit the process's name */
	/* For each set of slots in the timeline's table of names: is the set
	 * full? */
	bool *full;
	uint64_t slots;    /* slots of the timeline's table; 0: no table */
	uint64_t changes;  /* number of changes */
	uint64_t gathered; /* last thread put by tl_names_gather */
	const struct tl_names *from; /* table of that thread */
};

/* Keep a name.  tid 0 names the process; an empty name is no name.  Returns 0
 * or -ENOMEM. */
int tl_names_add(struct tl_names *names, uint32_t pid, uint32_t tid,
    struct tl_bytes name);
/* Record that the name of a thread is unknown, whatever the name of its
 * process, unless the thread already has a name.  Returns 0 or -ENOMEM. */
int tl_names_hide(struct tl_names *names, uint32_t pid, uint32_t tid);
/* Take ownership of full, which says for each set of a timeline's table of
 * slots whether the set is full; slots is the size of the table.  A thread
 * without a record in a full set may have found no slot. */
void tl_names_set_full(struct tl_names *names, bool *full, uint64_t slots);
void tl_names_free(struct tl_names *names);

/*
 * The name of a process or of a thread; empty if the name is unknown.  names
 * may be NULL.  The name is valid until the next tl_names_add.
 *
 * A thread without a record has the name of its process, because a timeline
 * stores no record for such a thread.  The exceptions are threads that may have
 * found no slot, and tables whose names are apart: those threads have no name.
 */
struct tl_bytes tl_names_process(const struct tl_names *names, uint32_t pid);
struct tl_bytes
tl_names_thread(const struct tl_names *names, uint32_t pid, uint32_t tid);
/* Is the name of the process known and the name of the thread unknown? */
bool
tl_names_is_hidden(const struct tl_names *names, uint32_t pid, uint32_t tid);
/* The thread's own name; empty for a thread that shares the name of its
 * process. */
struct tl_bytes
tl_names_own(const struct tl_names *names, uint32_t pid, uint32_t tid);

/* The names of an event's source; NULL if the source has no names. */
static inline const struct tl_names *
tl_event_names(const struct tl_event *event)
{
	return event->message ? event->message->names : NULL;
}

/* Append a name and a number, worker/30473; only the number if the name is
 * empty. */
void tl_put_named(struct tl_text *text, struct tl_bytes name, uint32_t number);

/* Append a thread as name and tid, worker/30473; a thread without a name as pid
 * and tid, 30470/30473. */
void tl_put_thread(struct tl_text *text, struct tl_bytes name, uint32_t pid,
    uint32_t tid);

/* For writers: keep the names of an event's thread and process, the process
 * under the given pid.  The call is cheap when the thread is the thread of the
 * last event.  Returns 0 or -ENOMEM. */
int tl_names_gather(struct tl_names *names, const struct tl_event *event,
    uint32_t pid);

#endif
