/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks.h - spans as stacks that nest, one for each thread and each source.
 *
 *	thread 41/42	| a         |		track: spans that are open now
 *			|  b  | | b |
 *	source lock	  | lock  |
 *
 * A flame graph shows only nesting.  An end therefore closes spans that were
 * opened inside its span and are still open; the own end of such a span closes
 * nothing more; an end without a begin is ignored; spans that are open at the
 * end of the run are closed there; time within a track does not go back.  If
 * a span is not known to be around an event any more (event/spans.h), the span
 * is closed at the last event before; a span whose end is proven is closed at
 * that end.
 *
 * A sink gets each frame that opens and closes, in this order.
 */
#ifndef TL_FORMAT_STACKS_H
#define TL_FORMAT_STACKS_H

#include "base/table.h"
#include "base/text.h"
#include "event/event.h"
#include "event/reader.h"
#include "event/spans.h"
#include "event/writer.h"

#include <timeline.h>

enum { TL_STACKS_DEPTH_MAX = 512 };

/* A span that is open. */
struct tl_stacks_open {
	uint32_t frame; /* number of its name */
	uint32_t user;  /* for the sink */
	uint64_t id;    /* of the span */
	const struct tl_message *message;
};

/* A thread or a source. */
struct tl_track {
	struct tl_text name; /* empty: unknown thread */
	bool is_source;
	bool has_host;   /* the name begins with a host */
	uint16_t source; /* of its first event */
	struct tl_stacks_open *open;
	size_t capacity;
	uint32_t depth;
	int64_t last_ns;
	int64_t
	    since_ns; /* when the topmost frame opened, or one in it closed */
};

struct tl_stacks;

/*
 * Called after the topmost frame of a track was opened, and before it is closed
 * at ns.  0, -errno.
 */
typedef int
tl_stacks_event(struct tl_stacks *stacks, struct tl_track *track, int64_t ns);

/* Starts from all zeros except for opened, closing and writer. */
struct tl_stacks {
	tl_stacks_event *opened;
	tl_stacks_event *closing;
	struct tl_writer *writer; /* pairs; hosts and names of tracks */
	struct tl_notes notes;    /* put sets the kinds */
	struct tl_id_map tracks;
	struct tl_track *track;
	size_t track_capacity;
	struct tl_id_map frames;
	struct tl_text *frame; /* names, not escaped */
	size_t frame_capacity;
	bool begun;
	int64_t first_ns;
	int64_t last_ns;
};

/* Take the next event, of any kind: 0, -errno. */
int tl_stacks_put(struct tl_stacks *stacks, const struct tl_event *event);
/* Close open frames and report the notes: 0, -errno. */
int tl_stacks_end(struct tl_stacks *stacks, const struct tl_report *report);
void tl_stacks_free(struct tl_stacks *stacks);

#endif
