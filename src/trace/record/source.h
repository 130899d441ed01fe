/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.h - a live timeline that is recorded: batches of events
 * through a ring, from the thread that reads to the one that writes.
 */
#ifndef TL_TRACE_RECORD_SOURCE_H
#define TL_TRACE_RECORD_SOURCE_H

#include "event/cursor.h"
#include "event/message_map.h"

#include "base/fault.h"
#include "snap/snap.h"

#include <ck_ring.h>
#include <limits.h>
#include <pthread.h>

enum {
	TL_BATCH_EVENTS = 1024,
	TL_BATCHES_MAX = 64, /* of a source, made as they are needed */
	TL_BATCH_RING = 128  /* a ring holds one less than its size */
};

struct tl_batch {
	uint32_t count;
	struct tl_event events[TL_BATCH_EVENTS];
};

/* One thread puts, one takes.  ThreadSanitizer does not see the order that
 * ck_ring keeps; two words say it once more, each stored by one side. */
struct tl_batch_ring {
	uint32_t put;
	uint32_t taken;
	ck_ring_t ring;
	ck_ring_buffer_t slots[TL_BATCH_RING];
};

void tl_batch_ring_init(struct tl_batch_ring *ring);
/* There is always room: a ring has more than there are batches. */
void tl_batch_ring_put(struct tl_batch_ring *ring, struct tl_batch *batch);
struct tl_batch *tl_batch_ring_take(struct tl_batch_ring *ring);

struct tl_recorder_source;

/* Texts of arguments, asked for by another thread than the one that reads. */
struct tl_recorder_strings {
	struct tl_strings strings; /* first: what messages point to */
	struct tl_recorder_source *source;
};

struct tl_recorder_source {
	char name[NAME_MAX + 2];
	int fd;
	uint16_t number;
	struct tl_cursor *cursor;
	uint64_t poll_ns;
	void (*wake)(void *context); /* the thread that writes */
	void *context;

	/* of the thread that reads */
	struct tl_batch *filling; /* NULL: none */
	int64_t due_ns;           /* CLOCK_MONOTONIC, the next round */
	bool fresh;               /* the next event begins a round */
	bool last;                /* ... this one is the last, but for ... */
	int64_t last_ns;          /* ... those since then that wait for holes */
	bool finishing;           /* they were waited for long enough */
	bool over;                /* nothing is read any more */
	size_t batch_count;
	uint64_t round; /* events of this one so far */
	uint64_t pause_ns;
	struct tl_message_map messages; /* to copies that have own strings */
	pthread_mutex_t lock; /* of the cursor's strings, while it changes */
	const struct tl_strings *strings_of; /* those of the cursor */
	struct tl_recorder_strings strings;

	/* shared */
	uint32_t stop;    /* what was logged before is the last */
	uint32_t abandon; /* nobody takes any more */
	uint32_t ended;
	uint64_t queued;  /* events in full */
	uint32_t trouble; /* -errno of the last round; 0 */
	struct tl_batch_ring full;
	struct tl_batch_ring empty;

	/* of the thread that writes */
	struct tl_batch *batch; /* in hand */
	uint32_t at;
	uint64_t carry;    /* missing entries that no file tells of yet */
	uint64_t losses;   /* holes so far */
	uint64_t knot_tsc; /* of the last knot in the file of now */
	uint32_t knot_epoch;
	uint64_t knots;      /* that it has */
	uint64_t *positions; /* next entry of each lane, after what was put */
	size_t lane_count;
	uint64_t put_entries; /* into the file of now ... */
	uint64_t put_lost;    /* ... that holes in it tell of */
};

/* Follow the timeline: 0 or -errno, and why. */
int tl_recorder_source_open(struct tl_recorder_source *source, const char *name,
    int fd, const struct tl_follow_start *start, struct tl_fault *fault);
int tl_recorder_source_start(struct tl_recorder_source *source);
/* Read what there is, if that is due, but bounded: when the next turn is. */
int64_t tl_recorder_source_turn(struct tl_recorder_source *source);
/* No thread has it any more. */
void tl_recorder_source_close(struct tl_recorder_source *source);

#endif
