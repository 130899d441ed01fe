/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks.h - spans as stacks that nest, one for each thread and each source.
 *
 *	thread 41/42	| a         |		track: what is open now
 *			|  b  | | b |
 *	source lock	  | lock  |
 *
 * A flame graph knows nothing but nesting.  So an end closes what was opened
 * inside its span and is open still; an end without a begin is nothing; what
 * is open in the end is closed there; time within a track does not go back.
 * Where entries may be missing inside a span, because of a loss or because its
 * observed interval has ended, it is closed at the last event before; a span whose
 * end is proven is closed there.
 * A sink gets each frame that opens and closes, in that order.
 */
#ifndef TL_FORMAT_STACKS_H
#define TL_FORMAT_STACKS_H

#include "base/table.h"
#include "base/text.h"
#include "event/event.h"
#include "event/reader.h"
#include "event/writer.h"

#include <timeline.h>

enum { TL_STACKS_DEPTH_MAX = 512 };

/* The thread or source that an event is of.  Messages are no small numbers,
 * inputs are: the keys of the two never meet. */
static inline struct tl_id_key
tl_track_key(const struct tl_event *event)
{
	if (event->message->scope == TIMELINE_SOURCE)
		return (
		    struct tl_id_key){ tl_message_is_of_process(event->message)
					   ? event->pid
					   : 0,
			(uint64_t)(uintptr_t)event->message };
	return (struct tl_id_key){ (uint64_t)event->pid << 32 | event->tid,
		event->source };
}

/* A span that is open. */
struct tl_stacks_open {
	const struct tl_message *message;
	uint32_t frame; /* its name */
	int64_t begin_ns;
	uint64_t inner_ns; /* of the frames that were open in it */
	uint32_t user;     /* of the sink */
	uint64_t observed; /* of its begin */
	uint64_t tsc;      /* likewise */
	uint32_t epoch;
	bool proven; /* its end will be */
};

/* A thread or a source. */
struct tl_track {
	struct tl_text name; /* empty: a thread that is not known */
	bool is_source;
	struct tl_stacks_open *open;
	size_t capacity;
	uint32_t depth;
	uint64_t skipped; /* begins that were too deep */
	int64_t last_ns;
};

struct tl_stacks;

/* Called when the topmost frame of the track was opened, or is about to be
 * closed at ns.  0 or -errno. */
typedef int
tl_stacks_event(struct tl_stacks *stacks, struct tl_track *track, int64_t ns);

/* Starts from all zeros but for the three. */
struct tl_stacks {
	tl_stacks_event *opened;
	tl_stacks_event *closing;
	struct tl_writer *writer; /* of several hosts, which tracks name */
	struct tl_notes notes;    /* its kinds are set by put */
	struct tl_id_map tracks;
	struct tl_track *track;
	size_t track_capacity;
	struct tl_id_map frames;
	struct tl_text *frame; /* names, as they are */
	size_t frame_capacity;
	bool begun;
	int64_t first_ns;
	int64_t last_ns;
};

/* The next event, of any kind: 0 or -errno. */
int tl_stacks_put(struct tl_stacks *stacks, const struct tl_event *event);
/* The end: close open frames, report the notes. */
int tl_stacks_end(struct tl_stacks *stacks, const struct tl_report *report);
void tl_stacks_free(struct tl_stacks *stacks);

#endif
