/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.h - the table of formats, from formats.def: by name, and by the
 * first bytes of a file.
 */
#ifndef TL_FORMAT_REGISTRY_H
#define TL_FORMAT_REGISTRY_H

#include "base/fault.h"
#include "event/writer.h"
#include "source/kinds.h"

#include <stdbool.h>

enum {
	TL_FORMAT_FOLDER = 1 << 0,  /* the output is a directory */
	TL_FORMAT_INDEXED = 1 << 1, /* the output has an index beside it */
	TL_FORMAT_BINARY = 1 << 2,  /* not for a terminal */
	TL_FORMAT_PACKED = 1 << 3,  /* the input may come in a zip: kinds.h */
	TL_FORMAT_KERNEL = 1 << 4,  /* takes FILE.sched beside the input */
	TL_FORMAT_ENDS = 1 << 5,    /* ends are completed: event/spans.h */
	/* The setting of the writer, if any: */
	TL_FORMAT_MICROSECONDS = 1 << 6, /* microseconds, not milliseconds */
	TL_FORMAT_UNITS = 1 << 7,        /* enum tl_parquet_time */
	TL_FORMAT_LEVELS = 1 << 8 /* takes what is aside (event/event.h) */
};

struct tl_format_row {
	const char *name;
	tl_writer_new *write_new; /* writes a stream of bytes */
	/*
	 * Writes to a path, and is then preferred.  Both NULL: the format is
	 * not written.
	 */
	tl_writer_at *write_at;
	const char *suffix; /* suffix of its files, with the dot */
	unsigned flags;
	const char *help;
};

static inline bool
tl_format_is_written(const struct tl_format_row *row)
{
	return row->write_new || row->write_at;
}

/* Row i of the table; NULL: behind the last row. */
const struct tl_format_row *tl_formats_at(size_t i);
/* Find a format by name; NULL: no such format. */
const struct tl_format_row *tl_formats_find(const char *name);

/*
 * The way in which each format is read, for a plan of sources; and for one row.
 */
extern const struct tl_source_formats tl_formats_read;
const struct tl_source_format *
tl_format_reading(const struct tl_format_row *row);

static inline bool
tl_format_is_read(const struct tl_format_row *row)
{
	return tl_format_reading(row)->open != NULL;
}

/* == choose.c: a format by the name that a user typed == */

/*
 * Return the format of a name for reading or writing.  NULL: the fault names
 * the nearest format, or lists the possible formats.
 */
const struct tl_format_row *
tl_formats_choose_read(const char *name, struct tl_fault *fault);
const struct tl_format_row *
tl_formats_choose_written(const char *name, struct tl_fault *fault);

/* Is a row listed for the given name? */
typedef bool
tl_format_listed(const struct tl_format_row *row, const char *given);

/* Append the names of the listed rows; return the number of names. */
size_t tl_formats_put(struct tl_text *text, tl_format_listed *listed,
    const char *given);
/* Set a fault: "GIVEN: WHAT (NAMES)". */
void tl_formats_refuse(struct tl_fault *fault, const char *given,
    const char *what, tl_format_listed *listed);

#endif
