/* SPDX-License-Identifier: Apache-2.0 */
/* ask_request.c - the members of requests and answers. */
#include "ship/ask_request.h"

#include "base/fields.h"
#include "event/message.h"
#include "ship/ask_json.h"

#include <errno.h>
#include <stddef.h>

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
#define STRING(s, member)   MEMBER(s, member, TL_MEMBER_STRING)
#define UNSIGNED(s, member) MEMBER(s, member, TL_MEMBER_UNSIGNED)
#define SIGNED(s, member)   MEMBER(s, member, TL_MEMBER_SIGNED)
#define BOOL(s, member)     MEMBER(s, member, TL_MEMBER_BOOL)
#define MEMBERS(table)      table, sizeof(table) / sizeof((table)[0])

/* == requests == */

struct asked {
	uint64_t version;
	char verb[TL_ASK_LEVEL_MAX];
	struct tl_ask_request request;
};

static const struct tl_member request_table[] = {
	{ "version", TL_MEMBER_UNSIGNED, offsetof(struct asked, version), 0 },
	STRING(asked, verb),
	{ "host", TL_MEMBER_STRING, offsetof(struct asked, request.host),
	    TL_ASK_NAME_MAX },
	{ "timeline", TL_MEMBER_STRING,
	    offsetof(struct asked, request.timeline), TL_ASK_NAME_MAX },
	{ "level", TL_MEMBER_STRING, offsetof(struct asked, request.level),
	    TL_ASK_LEVEL_MAX },
	{ "duration_ns", TL_MEMBER_UNSIGNED,
	    offsetof(struct asked, request.duration_ns), 0 },
	{ "account", TL_MEMBER_STRING, offsetof(struct asked, request.account),
	    TL_ASK_WHO_MAX },
	{ "from", TL_MEMBER_STRING, offsetof(struct asked, request.from),
	    TL_ASK_WHO_MAX },
};
static const struct tl_members request_members = { MEMBERS(request_table), NULL,
	NULL, NULL };

void
tl_ask_request_put(struct tl_text *text, const struct tl_ask_request *request)
{
	struct tl_fields f = { .text = text, .json = true };

	tl_fields_object(&f, NULL);
	tl_fields_unsigned(&f, "version", TL_ASK_VERSION);
	tl_fields_string(&f, "verb", tl_ask_verb_name(request->verb));
	tl_fields_string(&f, "host", request->host);
	tl_fields_string(&f, "timeline", request->timeline);
	tl_fields_string(&f, "level", request->level);
	tl_fields_unsigned(&f, "duration_ns", request->duration_ns);
	tl_fields_string(&f, "account", request->account);
	tl_fields_string(&f, "from", request->from);
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
		return tl_fault(fault, -EINVAL, TL_FAULT_NOWHERE,
		    "%s: not one of fatal error warning info debug trace "
		    "trace+ trace++ trace+++%s",
		    request->level,
		    request->verb == TL_ASK_PRIORITY ? " off" : "");
	if (request->verb == TL_ASK_BURST && request->duration_ns == 0)
		return tl_fault(fault, -EINVAL, TL_FAULT_NOWHERE,
		    "a burst has a duration");
	return 0;
}

int
tl_ask_request_parse(struct tl_ask_request *request, struct tl_bytes json,
    struct tl_fault *fault)
{
	struct asked asked = { 0 };
	int rc, verb;

	if (json.size > TL_ASK_SIZE_MAX)
		return tl_fault(fault, -EBADMSG, TL_FAULT_NOWHERE, "too long");
	rc = tl_members_parse(&request_members, &asked, json, fault);
	if (rc < 0)
		return rc;
	if (asked.version != TL_ASK_VERSION)
		return tl_fault(fault, -EPROTO, TL_FAULT_NOWHERE,
		    "of another version");
	verb = tl_ask_verb_parse(tl_bytes_of(asked.verb));
	if (verb < 0)
		return tl_fault(fault, -EINVAL, TL_FAULT_NOWHERE,
		    "no such verb");
	*request = asked.request;
	request->verb = (enum tl_ask_verb)verb;
	return tl_ask_request_check(request, fault);
}

/* == answers == */

static const struct tl_member timeline_table[] = {
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
static const struct tl_members timeline_members = { MEMBERS(timeline_table),
	NULL, NULL, NULL };

static void *
add_timeline(void *object)
{
	struct tl_ask_answer *answer = object;

	return answer->count < TL_ASK_TIMELINES_MAX
		   ? &answer->timelines[answer->count++]
		   : NULL;
}

static const struct tl_member answer_table[] = {
	STRING(tl_ask_answer, host),
	BOOL(tl_ask_answer, ok),
	STRING(tl_ask_answer, error),
};
static const struct tl_members answer_members = { MEMBERS(answer_table),
	"timelines", &timeline_members, add_timeline };

static void
put_timeline(struct tl_fields *f, const struct tl_ask_timeline *t)
{
	tl_fields_object(f, NULL);
	tl_fields_string(f, "name", t->name);
	tl_fields_bool(f, "ok", t->ok);
	tl_fields_string(f, "error", t->error);
	tl_fields_string(f, "level", t->level);
	tl_fields_string(f, "base", t->base);
	tl_fields_unsigned(f, "burst_left_ns", t->burst_left_ns);
	tl_fields_unsigned(f, "size", t->size);
	tl_fields_unsigned(f, "entries", t->entries);
	tl_fields_unsigned(f, "lost", t->lost);
	tl_fields_signed(f, "kept_ns", t->kept_ns);
	tl_fields_string(f, "path", t->path);
	tl_fields_object_end(f);
}

void
tl_ask_answer_put(struct tl_text *text, const struct tl_ask_answer *answer)
{
	struct tl_fields f = { .text = text, .json = true };

	tl_fields_object(&f, NULL);
	tl_fields_unsigned(&f, "version", TL_ASK_VERSION);
	tl_fields_string(&f, "host", answer->host);
	tl_fields_bool(&f, "ok", answer->ok);
	tl_fields_string(&f, "error", answer->error);
	tl_fields_array(&f, "timelines");
	for (size_t i = 0; i < answer->count; i++)
		put_timeline(&f, &answer->timelines[i]);
	tl_fields_array_end(&f);
	tl_fields_object_end(&f);
}

int
tl_ask_answer_parse(struct tl_ask_answer *answer, struct tl_bytes json,
    struct tl_fault *fault)
{
	memset(answer, 0, sizeof(*answer));
	if (json.size > TL_ASK_ANSWER_MAX)
		return tl_fault(fault, -EBADMSG, TL_FAULT_NOWHERE, "too long");
	return tl_members_parse(&answer_members, answer, json, fault);
}
