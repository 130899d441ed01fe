/* SPDX-License-Identifier: Apache-2.0 */
/*
 * data.h - a table that a chunk of Lua returns, as plain values of C.
 *
 *	text --load, run--> table --copied--> tree of values; the state is gone
 *
 * For configuration files: its reader needs no Lua.  The
 * chunk sees less than a script does: no input and no output, nothing that
 * compiles, no metatables, no coroutines, and of the libraries only functions
 * that cannot run long, so that its caps of memory and time always end it
 * with a fault and never with the process.
 */
#ifndef TL_SCRIPT_DATA_H
#define TL_SCRIPT_DATA_H

#include "base/fault.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TL_DATA_SOURCE_MAX = 1 << 20, /* bytes of the chunk */
	TL_DATA_TEXT_MAX = 1 << 20,   /* bytes of texts and names in it */
	TL_DATA_VALUES_MAX = 1 << 16,
	TL_DATA_DEPTH_MAX = 16, /* of tables in tables */
	TL_DATA_MEMORY_BYTES = 16 << 20,
	TL_DATA_CPU_SECONDS = 1
};

enum tl_data_kind {
	TL_DATA_FLAG = 1,
	TL_DATA_INTEGER,
	TL_DATA_REAL,
	TL_DATA_TEXT,
	TL_DATA_TABLE,
	TL_DATA_OTHER /* a function or so: text is its type */
};

struct tl_data {
	const struct tl_data *parent; /* NULL: the outermost table */
	const char *name;             /* its key; NULL: it stands in a list */
	uint32_t place;               /* there, from 1 */
	uint16_t depth;
	uint8_t kind; /* enum tl_data_kind */
	bool flag;
	int64_t integer;
	double real;           /* of an integer, too */
	const char *text;      /* no NUL in it */
	struct tl_data *items; /* the list, then what has names, by name */
	size_t count;
	size_t list_count;    /* of them, those of the list */
	struct tl_data *next; /* data.c's own */
};

/*
 * Run a chunk and copy what it returns, which has to be a table: lists without
 * holes and keys that are names.  name stands in faults.  0, or: -ENOEXEC it
 * does not compile, -ECANCELED it raised an error, -EINVAL it returns
 * something else, -EFBIG, -ENOMEM, -ETIME.
 */
int tl_data_load(struct tl_data **data, const char *name, const char *text,
    size_t size, struct tl_fault *fault);
/* Of what tl_data_load gave; NULL does nothing. */
void tl_data_free(struct tl_data *data);

/* The value of that name; NULL: there is none. */
const struct tl_data *
tl_data_get(const struct tl_data *table, const char *name);

/* Append "timelines[2].bursts"; escaped. */
void tl_data_put_path(struct tl_text *text, const struct tl_data *data);

/* Fault "FILE: PATH: text", escaped; returns rc. */
int tl_data_fault(const struct tl_data *data, struct tl_fault *fault, int rc,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
