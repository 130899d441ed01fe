/* SPDX-License-Identifier: Apache-2.0 */
/*
 * data.h - a table that a chunk of Lua returns, as plain values of C.
 *
 *	text --load, run--> table --copied--> tree of values; the state is gone
 *
 * Configuration files use this header, so their reader needs no Lua.  The chunk
 * has less than a script: no input and no output, no functions that compile, no
 * metatables, no coroutines, and only library functions that cannot run long.
 * So the caps of memory and time always end the chunk with a fault, and never
 * have to end the process.
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
	TL_DATA_TEXT_MAX = 1 << 20,   /* bytes of the chunk's texts and names */
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
	TL_DATA_OTHER /* a function or another type: text is the type's name */
};

struct tl_data {
	const struct tl_data *parent; /* NULL: the outermost table */
	const char *name;             /* its key; NULL: an element of a list */
	uint32_t place;               /* in the list, from 1 */
	uint16_t depth;
	uint8_t kind; /* enum tl_data_kind */
	bool flag;
	int64_t integer;
	double real;           /* of an integer as well */
	const char *text;      /* without a NUL */
	struct tl_data *items; /* the list, then the named values, by name */
	size_t count;
	size_t list_count;    /* how many of items are in the list */
	struct tl_data *next; /* private to data.c */
};

/*
 * Run a chunk and copy the table that the chunk returns, which may have lists
 * without gaps and keys that are names.  The name is for faults.  Returns 0;
 * -ENOEXEC: the chunk does not compile; -ECANCELED: the chunk raised an error;
 * -EINVAL: the chunk returns something else; -EFBIG; -ENOMEM; -ETIME.
 */
int tl_data_load(struct tl_data **data, const char *name, const char *text,
    size_t size, struct tl_fault *fault);
/* Free the result of tl_data_load; NULL does nothing. */
void tl_data_free(struct tl_data *data);

/* The value with this name; NULL: absent. */
const struct tl_data *
tl_data_get(const struct tl_data *table, const char *name);

/* Set the fault "FILE: PATH: text", escaped; returns rc. */
int tl_data_fault(const struct tl_data *data, struct tl_fault *fault, int rc,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
