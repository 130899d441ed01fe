/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinds.h - how each kind of source is opened, for source.c.
 *
 * An opener gets a file of which the first bytes were read.  It sets ops and
 * state and returns 0, or it leaves them NULL, sets source->fault and returns
 * -errno.  Each is named in column "opened by" of format/formats.def.
 */
#ifndef TL_SOURCE_KINDS_H
#define TL_SOURCE_KINDS_H

#include "source/source.h"

struct tl_opening {
	const struct tl_source_plan *plan;
	const struct tl_format_row *format; /* asked for, or detected */
	int fd;                             /* the opener does not close it */
	bool is_regular;                    /* may be read in any order */
	bool has_place; /* is a file, and other files may be beside it */
	char first[TL_FORMATS_FIRST_SIZE]; /* what was read of it so far */
	size_t first_size;
};

typedef int tl_source_opener(struct tl_source *source, struct tl_opening *o);

/* timeline.c: live, saved, compressed. */
tl_source_opener tl_source_open_timeline;
/* trace.c: a recorded trace or a stream of them; also of another format, where
 * that may come in a zip. */
tl_source_opener tl_source_open_trace;
/* foreign.c: any other format, through its reader. */
tl_source_opener tl_source_open_reader;

/* trace.c: what a server sends. */
int tl_source_open_remote(struct tl_source *source,
    const struct tl_source_plan *plan);
/* trace.c: a stream that the follower reads. */
int tl_source_open_followed(struct tl_source *source);

/* foreign.c: the same of storage in place of o->fd, and of the file beside it
 * (NULL: none); both are taken over, even on failure. */
int tl_source_open_storage(struct tl_source *source, struct tl_opening *o,
    struct tl_storage *storage, struct tl_storage *beside);

/* == source.c: for openers == */

/* Set the fault to the system's text for rc; returns rc. */
int tl_source_fail(struct tl_source *source, int rc);
/* Copy a pipe into a file without a name, which can be read in any order: its
 * descriptor, or -errno. */
int tl_source_copy(const struct tl_opening *o);
/* Is no knot one behind which time may run back? */
bool tl_source_has_steady_knots(const struct tl_source *source);

#endif
