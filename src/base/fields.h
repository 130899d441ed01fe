/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.h - named values as text for people, as JSON or as CSV, from the same
 * calls.
 *
 *	state: live                       {"state":"live","created_ns":17...,
 *	created: 2026-11-20T19:24:18...    "lanes":[{"cpu":0,"head":5},
 *	lanes:                                      {"cpu":1,"head":7}]}
 *	    cpu 0  head 5
 *	    cpu 1  head 7
 *
 * An object inside an array is one line of text.
 *
 * CSV has a line for each object without its names; a heading is the caller's.
 * An object inside another one, or an array, is not for CSV.
 */
#ifndef TL_BASE_FIELDS_H
#define TL_BASE_FIELDS_H

#include "base/text.h"

#include <stdbool.h>

enum { TL_FIELDS_DEPTH_MAX = 8 };

struct tl_fields {
	struct tl_text *text;
	bool json;
	bool csv;
	unsigned depth;
	/* text: at this depth and deeper all is one line; 0: none */
	unsigned inline_depth;
	/* by depth: the level has a member */
	bool begun[TL_FIELDS_DEPTH_MAX + 1];
};

/* Begin an object: under a name, or as an element or at the top (name NULL).
 * Begin an array of objects.  End the innermost object or array. */
void tl_fields_object(struct tl_fields *fields, const char *name);
void tl_fields_object_end(struct tl_fields *fields);
void tl_fields_array(struct tl_fields *fields, const char *name);
void tl_fields_array_end(struct tl_fields *fields);

void tl_fields_unsigned(struct tl_fields *fields, const char *name, uint64_t n);
void tl_fields_signed(struct tl_fields *fields, const char *name, int64_t n);
void tl_fields_double(struct tl_fields *fields, const char *name, double x);
void tl_fields_bool(struct tl_fields *fields, const char *name, bool b);
void tl_fields_bytes(struct tl_fields *fields, const char *name,
    struct tl_bytes bytes);
void tl_fields_string(struct tl_fields *fields, const char *name,
    const char *string);
/* Put the name of a JSON member, whose value the caller puts as text. */
void tl_fields_member(struct tl_fields *fields, const char *name);
/* Put a missing value: null, "-", or nothing in CSV. */
void tl_fields_null(struct tl_fields *fields, const char *name);
/* Put nanoseconds: in JSON and CSV an integer, whose name is name_ns. */
void tl_fields_time(struct tl_fields *fields, const char *name, int64_t ns);
void tl_fields_duration(struct tl_fields *fields, const char *name, int64_t ns);

#endif
