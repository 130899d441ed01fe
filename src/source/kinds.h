/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinds.h - the functions that open each kind of source, for source.c.
 *
 * An opener gets a file of which the first bytes were read.  It sets ops and
 * state and returns 0, or it leaves them NULL, sets source->fault and returns
 * -errno.  Each is named in column "opened by" of format/formats.def.
 *
 * A program that knows our own formats only is not linked with the readers of
 * others: nothing in this layer names them, and packed.c is named by
 * formats.def alone.
 */
#ifndef TL_SOURCE_KINDS_H
#define TL_SOURCE_KINDS_H

#include "source/source.h"
#include "source/unpack.h"

enum { TL_SOURCE_FIRST_SIZE = 4096 }; /* what is looked at of a file */

struct tl_opening {
	const struct tl_source_plan *plan;
	const struct tl_source_format *format; /* given by the user, or found */
	int fd; /* the caller closes it; -1: memory */
	struct tl_bytes memory;
	/* A compressed file of another format: first and what follows come from
	 * here, not from fd.  Taken over, then NULL. */
	struct tl_unpack *unpack;
	mode_t withheld; /* tl_file_withheld() */
	bool is_regular; /* may be read in any order */
	bool has_place;  /* it is a file that may have other files beside it */
	char first[TL_SOURCE_FIRST_SIZE]; /* bytes that were read so far */
	size_t first_size;
};

typedef int tl_source_opener(struct tl_source *source, struct tl_opening *o);

/* How a format is read. */
struct tl_source_format {
	const char *name;
	tl_source_opener *open;  /* NULL: it is not read */
	tl_recognise *recognise; /* the same */
	tl_reader_new *read_new; /* NULL: it is our own */
	bool may_be_packed;      /* it may come in a zip */
};

struct tl_source_formats {
	const struct tl_source_format *list;
	size_t count;
	/* Open a file that gzip or zstd compressed, where another format is
	 * inside.  false: it is none, or our own.  NULL: such a file is not
	 * read. */
	bool (*unpack)(struct tl_source *source, struct tl_opening *o);
};

/* The format that is read and that a file which begins like this looks most
 * like; NULL: none. */
const struct tl_source_format *
tl_source_recognise(const struct tl_source_formats *formats,
    struct tl_bytes first);

/* Our own format of this name; NULL: it is none. */
const struct tl_source_format *tl_source_own_format(const char *name);

/* unpacked.c: for tl_source_formats.unpack. */
bool tl_source_open_unpacked(struct tl_source *source, struct tl_opening *o);

/* timeline.c: live, saved, compressed. */
tl_source_opener tl_source_open_timeline;
/* core.c: timelines in a core or an image of memory. */
tl_source_opener tl_source_open_core;
/* trace.c: a recorded trace or a stream of traces. */
tl_source_opener tl_source_open_trace;
/* packed.c: a recording in a zip, of a trace or of a format that may be packed;
 * also such a file without the zip. */
tl_source_opener tl_source_open_packed;
/* foreign.c: any other format, through its reader. */
tl_source_opener tl_source_open_reader;

/* trace.c: a stream from a server. */
int tl_source_open_remote(struct tl_source *source,
    const struct tl_source_plan *plan);
/* trace.c: a stream that the caller reads itself, to follow it. */
int tl_source_open_followed(struct tl_source *source);

/* trace.c: a trace in storage, with its index or NULL; both are taken over,
 * even on failure. */
int tl_source_open_trace_storage(struct tl_source *source,
    const struct tl_opening *o, struct tl_storage *storage,
    struct tl_storage *index);
/* foreign.c: as tl_source_open_reader with storage in place of o->fd, and that of the file
 * beside it, or NULL; both are taken over, even on failure. */
int tl_source_open_storage(struct tl_source *source, struct tl_opening *o,
    struct tl_storage *storage, struct tl_storage *beside);

/* == source.c: for openers == */

/* Open what was read of as o->format or, if that is NULL, as what it looks like;
 * a fault of the source where nothing does. */
void tl_source_open_recognised(struct tl_source *source, struct tl_opening *o);

/* Set the fault to the text of errno -rc; returns rc. */
int tl_source_fail(struct tl_source *source, int rc);
/* Copy a pipe into an unnamed file, which can be read at any place: its
 * descriptor, or -errno. */
int tl_source_copy(const struct tl_opening *o);
/* Open what is read at any place: a pipe is copied first, and the copy closed. */
int tl_source_open_copied(struct tl_source *source, struct tl_opening *o,
    int (*open)(struct tl_source *source, const struct tl_opening *o));
/* Open a regular file or memory as storage. */
int tl_source_storage(const struct tl_opening *o, struct tl_storage **storage);
/* Is there no knot after which time may run backwards? */
bool tl_source_has_steady_knots(const struct tl_source *source);

#endif
