/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask_json.c - one object, and nothing behind it:
 *
 *	{ member...  "array":[ { member... } ... ] }
 *	1                      3                depths
 */
#include "ship/ask_json.h"

#include "base/json_number.h"
#include "base/json_parse.h"

#include <errno.h>
#include <stdio.h>

enum { NAME_MAX_SIZE = 32, TOP = 1, IN_ARRAY = 2, ELEMENT = 3 };

struct parse {
	const struct tl_members *members;
	void *object;
	void *element; /* of the array; NULL: in none */
	struct tl_json json;
	char name[NAME_MAX_SIZE]; /* of the value that comes next */
	bool in_array;
	struct tl_fault *fault;
};

static int
wrong(struct parse *p, const struct tl_json_token *token, const char *what)
{
	return tl_fault(p->fault, -EBADMSG, token->at, "%s: %s", p->name, what);
}

static int
store_string(struct parse *p, const struct tl_member *member, char *to,
    const struct tl_json_token *token)
{
	if (token->text.size >= member->size || token->cut)
		return wrong(p, token, "too long");
	if (memchr(token->text.data, '\0', token->text.size))
		return wrong(p, token, "a NUL in it");
	memcpy(to, token->text.data, token->text.size);
	to[token->text.size] = '\0';
	return 0;
}

static int
store(struct parse *p, const struct tl_member *member, void *object, int kind,
    const struct tl_json_token *token)
{
	char *to = (char *)object + member->offset;
	int64_t signed_value;
	uint64_t value;

	switch (member->type) {
	case TL_MEMBER_STRING:
		if (kind == TL_JSON_STRING)
			return store_string(p, member, to, token);
		break;
	case TL_MEMBER_UNSIGNED:
		if (kind != TL_JSON_NUMBER ||
		    tl_json_unsigned(token->text, &value) < 0)
			break;
		memcpy(to, &value, sizeof(value));
		return 0;
	case TL_MEMBER_SIGNED:
		if (kind != TL_JSON_NUMBER ||
		    tl_json_signed(token->text, &signed_value) < 0)
			break;
		memcpy(to, &signed_value, sizeof(signed_value));
		return 0;
	case TL_MEMBER_BOOL:
		if (kind != TL_JSON_TRUE && kind != TL_JSON_FALSE)
			break;
		*(bool *)(void *)to = kind == TL_JSON_TRUE;
		return 0;
	}
	return wrong(p, token, "of another type");
}

static const struct tl_member *
find(const struct tl_members *members, const char *name)
{
	for (size_t i = 0; i < members->count; i++) {
		if (strcmp(members->table[i].name, name) == 0)
			return &members->table[i];
	}
	return NULL;
}

/* A value that is no object and no array. */
static int
take_value(struct parse *p, int kind, const struct tl_json_token *token)
{
	const bool element = p->element && p->json.depth == ELEMENT;
	const struct tl_members *members =
	    element ? p->members->each : p->members;
	const struct tl_member *member;

	if (p->json.depth == 0)
		return tl_fault(p->fault, -EBADMSG, token->at, "not an object");
	if (!element && p->json.depth != TOP)
		return 0;
	member = find(members, p->name);
	if (!member)
		return 0;
	return store(p, member, element ? p->element : p->object, kind, token);
}

static int
begin_object(struct parse *p, const struct tl_json_token *token)
{
	if (p->json.depth != ELEMENT || !p->in_array)
		return 0;
	p->element = p->members->add(p->object);
	if (!p->element)
		return tl_fault(p->fault, -ENOSPC, token->at, "too many %s",
		    p->members->array);
	return 0;
}

static int
take(struct parse *p, int kind, const struct tl_json_token *token)
{
	switch (kind) {
	case TL_JSON_KEY:
		snprintf(p->name, sizeof(p->name), "%.*s",
		    (int)token->text.size, token->text.data);
		return 0;
	case TL_JSON_OBJECT:
		return begin_object(p, token);
	case TL_JSON_OBJECT_END:
		if (p->json.depth < ELEMENT)
			p->element = NULL;
		return 0;
	case TL_JSON_ARRAY:
		if (p->json.depth == TOP)
			return tl_fault(p->fault, -EBADMSG, token->at,
			    "not an object");
		if (p->json.depth == IN_ARRAY && p->members->array)
			p->in_array = strcmp(p->name, p->members->array) == 0;
		return 0;
	case TL_JSON_ARRAY_END:
		if (p->json.depth == TOP)
			p->in_array = false;
		return 0;
	default:
		return take_value(p, kind, token);
	}
}

int
tl_members_parse(const struct tl_members *members, void *object,
    struct tl_bytes json, struct tl_fault *fault)
{
	struct parse p = { .members = members,
		.object = object,
		.fault = fault };
	struct tl_json_token token;
	int objects = 0;
	int rc = 0, kind;

	tl_json_feed(&p.json, json);
	while (
	    rc == 0 && (kind = tl_json_next(&p.json, &token)) != TL_JSON_END) {
		if (kind == TL_JSON_MORE) {
			tl_json_finish(&p.json);
			continue;
		}
		objects += kind == TL_JSON_OBJECT && p.json.depth == TOP;
		if (kind == -EBADMSG)
			rc = tl_fault(fault, kind, p.json.wrong_at, "%s",
			    p.json.why);
		else
			rc = kind < 0 ? kind : take(&p, kind, &token);
	}
	tl_json_free(&p.json);
	if (rc == 0 && objects != 1)
		rc = tl_fault(fault, -EBADMSG, TL_FAULT_NOWHERE,
		    "not one object");
	return rc;
}
