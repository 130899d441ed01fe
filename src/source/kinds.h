/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinds.h - the functions that open each kind of source, for source.c.
 *
 * An opener gets a file whose first bytes were read.  The opener sets ops and
 * state and returns 0, or leaves both NULL, sets source->fault and returns
 * -errno.  Column "opened by" of format/formats.def names the opener of each
 * format.
 *
 * A program that knows our own formats only is not linked with the readers of
 * other formats: nothing in this layer names those readers, and only
 * formats.def names packed.c.
 */
#ifndef TL_SOURCE_KINDS_H
#define TL_SOURCE_KINDS_H

#include "source/source.h"

enum { TL_SOURCE_FIRST_SIZE = 4096 }; /* bytes that show the format */

struct tl_unpack;

struct tl_opening {
	const struct tl_source_plan *plan;
	const struct tl_source_format *format; /* from the user, or detected */
	int fd; /* the caller closes fd; -1: memory */
	struct tl_bytes memory;
	/* A compressed file of another format: first has unpacked bytes, and
	 * unpack gives the bytes after them, instead of fd.  The opener takes
	 * unpack and sets NULL. */
	struct tl_unpack *unpack;
	mode_t withheld; /* tl_file_withheld() */
	bool is_regular; /* can be read at any place */
	bool has_place;  /* other files may lie beside the file */
	char first[TL_SOURCE_FIRST_SIZE]; /* bytes read so far */
	size_t first_size;
};

typedef int tl_source_opener(struct tl_source *source, struct tl_opening *o);

/* How to read a format. */
struct tl_source_format {
	const char *name;
	tl_source_opener *open;  /* NULL: not read */
	tl_recognise *recognise; /* NULL: not detected */
	tl_reader_new *read_new; /* NULL: our own format */
	bool may_be_packed;      /* a zip may contain the format */
};

struct tl_source_formats {
	const struct tl_source_format *list;
	size_t count;
	/* Open a file compressed by gzip or zstd that contains another format.
	 * Returns false if the file is not compressed or contains our own
	 * format.  NULL: compressed files are not read. */
	bool (*unpack)(struct tl_source *source, struct tl_opening *o);
};

/* The readable format that the first bytes of a file match best, or NULL. */
const struct tl_source_format *
tl_source_recognise(const struct tl_source_formats *formats,
    struct tl_bytes first);

/* Our own format of this name, or NULL. */
const struct tl_source_format *tl_source_own_format(const char *name);

/* unpacked.c: for tl_source_formats.unpack. */
bool tl_source_open_unpacked(struct tl_source *source, struct tl_opening *o);

/* timeline.c: a live, saved or compressed timeline. */
tl_source_opener tl_source_open_timeline;
/* core.c: timelines in a core or an image of memory. */
tl_source_opener tl_source_open_core;
/* trace.c: a recorded trace or a stream of traces. */
tl_source_opener tl_source_open_trace;
/* packed.c: a recording in a zip, a trace or a format that may be packed; also
 * a recording without the zip. */
tl_source_opener tl_source_open_packed;
/* foreign.c: any other format, through its reader. */
tl_source_opener tl_source_open_reader;

/* trace.c: a stream from a server. */
int tl_source_open_remote(struct tl_source *source,
    const struct tl_source_plan *plan);
/* trace.c: a stream that the caller reads itself in order to follow it. */
int tl_source_open_followed(struct tl_source *source);

/* trace.c: a trace in storage, with its index or NULL.  The function owns
 * storage and index, even on failure. */
int tl_source_open_trace_storage(struct tl_source *source,
    const struct tl_opening *o, struct tl_storage *storage,
    struct tl_storage *index);
/* foreign.c: like tl_source_open_reader, with storage instead of o->fd, and
 * with the storage of the file beside it or NULL.  The function owns both, even
 * on failure. */
int tl_source_open_storage(struct tl_source *source, struct tl_opening *o,
    struct tl_storage *storage, struct tl_storage *beside);

/* == source.c: for openers == */

/* Open a file as o->format or, if o->format is NULL, as the format that its
 * first bytes match.  Sets the fault of the source if no format matches. */
void tl_source_open_recognised(struct tl_source *source, struct tl_opening *o);

/* Set the fault to the text of errno -rc; returns rc. */
int tl_source_fail(struct tl_source *source, int rc);
/* Copy a pipe into an unnamed file, which can be read at any place.  Returns a
 * descriptor or -errno. */
int tl_source_copy(const struct tl_opening *o);
/* Call open for a file that can be read at any place: a pipe is copied first,
 * and the copy is closed after open. */
int tl_source_open_copied(struct tl_source *source, struct tl_opening *o,
    int (*open)(struct tl_source *source, const struct tl_opening *o));
/* Open a regular file or memory as storage. */
int tl_source_storage(const struct tl_opening *o, struct tl_storage **storage);
/* Do the knots show that time never runs backwards? */
bool tl_source_has_steady_knots(const struct tl_source *source);

/*
 * == core.c ==
 *
 * Timelines in the core of a dead process, or in an image of memory.
 *
 * A process maps a timeline whole.  The kernel writes the mapping of a shared
 * file into a core if bit 3 of coredump_filter(5) is set, or if the file was
 * removed.  The core has each page of the timeline as it was when the kernel
 * wrote the page: the process is dead by then, but other processes go on
 * logging.
 */

struct tl_core;

/* Rate how well the first bytes of a file match an ELF core: 0 to 100. */
unsigned tl_core_recognise(struct tl_bytes first);

/* Are there timelines that were not opened yet? */
bool tl_core_has_more(const struct tl_core *core);
/* Open the next timeline as a source of its own.  Sets the fault of the source
 * on failure. */
void tl_core_open_next(struct tl_core *core, struct tl_source *source);
/* Free core; NULL does nothing. */
void tl_core_free(struct tl_core *core);

/*
 * == unpack.c ==
 *
 * Read a file that gzip or zstd compressed, and decode it piece by piece.
 *
 *	first, fd --read--> packed bytes --decode--> pieces
 *
 * The memory needed is the decoder's, whatever the file contains: 32 KiB for
 * gzip, at most 128 MiB for zstd.
 */

/* The program that compressed a file with these first bytes, or NULL. */
const char *tl_unpack_recognise(struct tl_bytes first);

/* Decode first, which tl_unpack_recognise knows, and the bytes that follow in
 * fd.  The caller keeps fd until tl_unpack_own.  Returns 0 or -ENOMEM. */
int tl_unpack_new(struct tl_unpack **unpack, struct tl_bytes first, int fd);
/* Read from a duplicate of fd from here on; tl_unpack_free closes the
 * duplicate.  Returns 0 or -errno. */
int tl_unpack_own(struct tl_unpack *unpack);
void tl_unpack_free(struct tl_unpack *unpack);

/* Read up to size decoded bytes.  Returns their number, 0 at the end or if the
 * file is damaged or cut, or -errno of reading. */
int64_t tl_unpack_read(struct tl_unpack *unpack, char *data, size_t size);

/* After the last read: the fault of the file and its byte, with rc -EFBIG if
 * the decoder would need too much memory; NULL if there is no fault. */
const struct tl_fault *tl_unpack_fault(const struct tl_unpack *unpack);

#endif
