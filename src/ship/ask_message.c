/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask_message.c - one object, and nothing behind it:
 *
 *	{ member...  "array":[ { member... } ... ] }
 *	1                      3                depths
 */
#include "ship/ask_message.h"

#include "base/fault.h"
#include "base/fields.h"
#include "base/json.h"
#include "base/text.h"
#include "event/message.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

/* == JSON objects, by tables of their members == */

enum member_type {
	MEMBER_STRING, /* into char[size], no NUL in it */
	MEMBER_UNSIGNED,
	MEMBER_SIGNED,
	MEMBER_BOOL
};

struct member {
	const char *name;
	enum member_type type;
	size_t offset;
	size_t size;
};

struct members {
	const struct member *table;
	size_t count;
	/* The array of objects; name NULL: none.  add makes room for one
	 * more, or NULL, there are too many. */
	const char *array;
	const struct members *each;
	void *(*add)(void *object);
};

enum { NAME_MAX_SIZE = 32, TOP = 1, IN_ARRAY = 2, ELEMENT = 3 };

struct parse {
	const struct members *members;
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
store_string(struct parse *p, const struct member *member, char *to,
    const struct tl_json_token *token)
{
	if (token->text.size >= member->size || token->cut)
		return wrong(p, token, "too long");
	if (memchr(token->text.data, '\0', token->text.size))
		return wrong(p, token, "contains NUL");
	memcpy(to, token->text.data, token->text.size);
	to[token->text.size] = '\0';
	return 0;
}

static int
store(struct parse *p, const struct member *member, void *object, int kind,
    const struct tl_json_token *token)
{
	char *to = (char *)object + member->offset;
	int64_t signed_value;
	uint64_t value;

	switch (member->type) {
	case MEMBER_STRING:
		if (kind == TL_JSON_STRING)
			return store_string(p, member, to, token);
		break;
	case MEMBER_UNSIGNED:
		if (kind != TL_JSON_NUMBER ||
		    tl_json_unsigned(token->text, &value) < 0)
			break;
		memcpy(to, &value, sizeof(value));
		return 0;
	case MEMBER_SIGNED:
		if (kind != TL_JSON_NUMBER ||
		    tl_json_signed(token->text, &signed_value) < 0)
			break;
		memcpy(to, &signed_value, sizeof(signed_value));
		return 0;
	case MEMBER_BOOL:
		if (kind != TL_JSON_TRUE && kind != TL_JSON_FALSE)
			break;
		*(bool *)(void *)to = kind == TL_JSON_TRUE;
		return 0;
	}
	return wrong(p, token, "wrong type");
}

static const struct member *
find(const struct members *members, const char *name)
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
	const struct members *members = element ? p->members->each : p->members;
	const struct member *member;

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

/* Unknown members are skipped, missing ones keep their value.  0; -EBADMSG:
 * invalid; -ENOSPC: the array is too long; -ENOMEM; the fault. */
static int
parse_members(const struct members *members, void *object, struct tl_bytes json,
    struct tl_fault *fault)
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
		rc = tl_fail(fault, -EBADMSG, "not one object");
	return rc;
}

static void
put_members(struct tl_fields *f, const struct members *members,
    const void *object)
{
	for (size_t i = 0; i < members->count; i++) {
		const struct member *m = &members->table[i];
		const void *from = (const char *)object + m->offset;

		if (m->type == MEMBER_STRING)
			tl_fields_string(f, m->name, from);
		else if (m->type == MEMBER_UNSIGNED)
			tl_fields_unsigned(f, m->name, *(const uint64_t *)from);
		else if (m->type == MEMBER_SIGNED)
			tl_fields_signed(f, m->name, *(const int64_t *)from);
		else
			tl_fields_bool(f, m->name, *(const bool *)from);
	}
}

/* == verbs == */

static const char *const verbs[TL_ASK_VERBS] = {
	[TL_ASK_LIST] = "list",
	[TL_ASK_PRIORITY] = "priority",
	[TL_ASK_BURST] = "burst",
	[TL_ASK_SNAPSHOT] = "snapshot",
};

const char *
tl_ask_verb_name(unsigned verb)
{
	return verb < TL_ASK_VERBS ? verbs[verb] : "?";
}

int
tl_ask_verb_parse(struct tl_bytes word)
{
	for (int i = 0; i < TL_ASK_VERBS; i++) {
		if (tl_bytes_equal(word, tl_bytes_of(verbs[i])))
			return i;
	}
	return -ENOENT;
}

#define MEMBER(struct_name, member, kind) \
	{ \
#		member, kind, offsetof(struct struct_name, member), \
		    sizeof(((struct struct_name *)0)->member) \
	}
#define STRING(s, member)   MEMBER(s, member, MEMBER_STRING)
#define UNSIGNED(s, member) MEMBER(s, member, MEMBER_UNSIGNED)
#define SIGNED(s, member)   MEMBER(s, member, MEMBER_SIGNED)
#define BOOL(s, member)     MEMBER(s, member, MEMBER_BOOL)
#define MEMBERS(table)      table, sizeof(table) / sizeof((table)[0])

/* == requests == */

struct asked {
	uint64_t version;
	char verb[TL_ASK_LEVEL_MAX];
	struct tl_ask_request request;
};

static const struct member request_table[] = {
	{ "version", MEMBER_UNSIGNED, offsetof(struct asked, version), 0 },
	STRING(asked, verb),
	{ "host", MEMBER_STRING, offsetof(struct asked, request.host),
	    TL_ASK_NAME_MAX },
	{ "timeline", MEMBER_STRING, offsetof(struct asked, request.timeline),
	    TL_ASK_NAME_MAX },
	{ "level", MEMBER_STRING, offsetof(struct asked, request.level),
	    TL_ASK_LEVEL_MAX },
	{ "duration_ns", MEMBER_UNSIGNED,
	    offsetof(struct asked, request.duration_ns), 0 },
	{ "account", MEMBER_STRING, offsetof(struct asked, request.account),
	    TL_ASK_ACCOUNT_MAX },
	{ "from", MEMBER_STRING, offsetof(struct asked, request.from),
	    TL_ASK_ACCOUNT_MAX },
};
static const struct members request_members = { MEMBERS(request_table), NULL,
	NULL, NULL };

void
tl_ask_request_put(struct tl_text *text, const struct tl_ask_request *request)
{
	struct tl_fields f = { .text = text, .json = true };
	struct asked asked = { .version = TL_ASK_VERSION, .request = *request };

	strcpy(asked.verb, tl_ask_verb_name(request->verb));
	tl_fields_object(&f, NULL);
	put_members(&f, &request_members, &asked);
	tl_fields_object_end(&f);
}

int
tl_ask_request_check(const struct tl_ask_request *request,
    struct tl_fault *fault)
{
	const bool changes =
	    request->verb == TL_ASK_PRIORITY || request->verb == TL_ASK_BURST;
	const bool off = request->verb == TL_ASK_PRIORITY &&
			 strcmp(request->level, "off") == 0;

	if (changes && !off && tl_level_parse(request->level) < 0)
		return tl_fail(fault, -EINVAL,
		    "%s: not one of fatal error warning info debug trace "
		    "trace+ trace++ trace+++%s",
		    request->level,
		    request->verb == TL_ASK_PRIORITY ? " off" : "");
	if (request->verb == TL_ASK_BURST && request->duration_ns == 0)
		return tl_fail(fault, -EINVAL, "burst needs a duration");
	return 0;
}

int
tl_ask_request_parse(struct tl_ask_request *request, struct tl_bytes json,
    struct tl_fault *fault)
{
	struct asked asked = { 0 };
	int rc, verb;

	if (json.size > TL_ASK_SIZE_MAX)
		return tl_fail(fault, -EBADMSG, "too long");
	rc = parse_members(&request_members, &asked, json, fault);
	if (rc < 0)
		return rc;
	if (asked.version != TL_ASK_VERSION)
		return tl_fail(fault, -EPROTO,
		    "request of another version of timeline-ship");
	verb = tl_ask_verb_parse(tl_bytes_of(asked.verb));
	if (verb < 0)
		return tl_fail(fault, -EINVAL, "no such verb");
	*request = asked.request;
	request->verb = (enum tl_ask_verb)verb;
	return tl_ask_request_check(request, fault);
}

/* == answers == */

static const struct member timeline_table[] = {
	STRING(tl_ask_timeline, name),
	BOOL(tl_ask_timeline, ok),
	STRING(tl_ask_timeline, error),
	STRING(tl_ask_timeline, level),
	STRING(tl_ask_timeline, base),
	UNSIGNED(tl_ask_timeline, burst_left_ns),
	UNSIGNED(tl_ask_timeline, size),
	UNSIGNED(tl_ask_timeline, entries),
	UNSIGNED(tl_ask_timeline, lost),
	SIGNED(tl_ask_timeline, kept_ns),
	STRING(tl_ask_timeline, path),
};
static const struct members timeline_members = { MEMBERS(timeline_table), NULL,
	NULL, NULL };

static void *
add_timeline(void *object)
{
	struct tl_ask_answer *answer = object;

	return answer->count < TL_ASK_TIMELINES_MAX
		   ? &answer->timelines[answer->count++]
		   : NULL;
}

static const struct member answer_table[] = {
	STRING(tl_ask_answer, host),
	BOOL(tl_ask_answer, ok),
	STRING(tl_ask_answer, error),
};
static const struct members answer_members = { MEMBERS(answer_table),
	"timelines", &timeline_members, add_timeline };

void
tl_ask_answer_put(struct tl_text *text, const struct tl_ask_answer *answer)
{
	struct tl_fields f = { .text = text, .json = true };

	tl_fields_object(&f, NULL);
	tl_fields_unsigned(&f, "version", TL_ASK_VERSION);
	put_members(&f, &answer_members, answer);
	tl_fields_array(&f, "timelines");
	for (size_t i = 0; i < answer->count; i++) {
		tl_fields_object(&f, NULL);
		put_members(&f, &timeline_members, &answer->timelines[i]);
		tl_fields_object_end(&f);
	}
	tl_fields_array_end(&f);
	tl_fields_object_end(&f);
}

int
tl_ask_answer_parse(struct tl_ask_answer *answer, struct tl_bytes json,
    struct tl_fault *fault)
{
	memset(answer, 0, sizeof(*answer));
	if (json.size > TL_ASK_ANSWER_MAX)
		return tl_fail(fault, -EBADMSG, "too long");
	return parse_members(&answer_members, answer, json, fault);
}
