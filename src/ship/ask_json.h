/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask_json.h - an object of JSON into a struct, by a table of its members;
 * and the objects of one array in it, by another.
 */
#ifndef TL_SHIP_ASK_JSON_H
#define TL_SHIP_ASK_JSON_H

#include "base/fault.h"
#include "base/text.h"

enum tl_member_type {
	TL_MEMBER_STRING, /* into char[size], no NUL in it */
	TL_MEMBER_UNSIGNED,
	TL_MEMBER_SIGNED,
	TL_MEMBER_BOOL
};

struct tl_member {
	const char *name;
	enum tl_member_type type;
	size_t offset;
	size_t size;
};

struct tl_members {
	const struct tl_member *table;
	size_t count;
	/* The array of objects; name NULL: none.  add makes room for one
	 * more, or NULL, there are too many. */
	const char *array;
	const struct tl_members *each;
	void *(*add)(void *object);
};

/* Members that are not in the table are read over; those that are missing
 * stay as they are.  0; -EBADMSG it is no such object, -ENOSPC too many in
 * the array, and the fault says why; -ENOMEM. */
int tl_members_parse(const struct tl_members *members, void *object,
    struct tl_bytes json, struct tl_fault *fault);

#endif
