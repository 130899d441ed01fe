/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinds.h - the functions that open each kind of source, for source.c.
 *
 * An opener gets a file of which the first bytes were read.  It sets ops and
 * state and returns 0, or it leaves them NULL, sets source->fault and returns
 * -errno.  Each is named in column "opened by" of format/formats.def.
 */
#ifndef TL_SOURCE_KINDS_H
#define TL_SOURCE_KINDS_H

#include "source/source.h"
#include "source/unpack.h"

struct tl_opening {
	const struct tl_source_plan *plan;
	const struct tl_format_row *format; /* given by the user, or detected */
	int fd;                             /* the caller closes it */
	/* A compressed file of another format: first and what follows come from
	 * here, not from fd.  Taken over, then NULL. */
	struct tl_unpack *unpack;
	mode_t withheld; /* tl_file_withheld() */
	bool is_regular; /* may be read in any order */
	bool has_place;  /* it is a file that may have other files beside it */
	char first[TL_FORMATS_FIRST_SIZE]; /* bytes that were read so far */
	size_t first_size;
};

typedef int tl_source_opener(struct tl_source *source, struct tl_opening *o);

/* timeline.c: live, saved, compressed. */
tl_source_opener tl_source_open_timeline;
/* trace.c: a recorded trace or a stream of traces; also another format, if that
 * may come in a zip. */
tl_source_opener tl_source_open_trace;
/* foreign.c: any other format, through its reader. */
tl_source_opener tl_source_open_reader;

/* trace.c: a stream from a server. */
int tl_source_open_remote(struct tl_source *source,
    const struct tl_source_plan *plan);
/* trace.c: a stream that the caller reads itself, to follow it. */
int tl_source_open_followed(struct tl_source *source);

/* foreign.c: the same with storage in place of o->fd, and that of the file
 * beside it, or NULL; both are taken over, even on failure. */
int tl_source_open_storage(struct tl_source *source, struct tl_opening *o,
    struct tl_storage *storage, struct tl_storage *beside);

/* == source.c: for openers == */

/* Set the fault to the text of errno -rc; returns rc. */
int tl_source_fail(struct tl_source *source, int rc);
/* Copy a pipe into an unnamed file, which can be read at any place: its
 * descriptor, or -errno. */
int tl_source_copy(const struct tl_opening *o);
/* Is there no knot after which time may run backwards? */
bool tl_source_has_steady_knots(const struct tl_source *source);

#endif
