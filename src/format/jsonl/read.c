/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - read an event from each line, a JSON object, in two ways.
 *
 *	line --> scan.h: the form of our writer, known message ----> event
 *	     \-> here: any JSON, members in any order -------------> event
 *
 * Nearly every line takes the first way, which reads each byte once.  A line of
 * another form is read again in the second way; only the second way reports
 * faults.
 */
#include "format/jsonl/jsonl.h"

#include "base/json.h"
#include "format/jsonl/scan.h"

#include <errno.h>
#include <timeline.h>

enum member {
	NS,
	TSC,
	CPU,
	PID,
	TID,
	PRIORITY,
	CATEGORY,
	MESSAGE,
	KIND,
	ARGS,
	SCOPE,
	LOST,
	OVERWRITTEN,
	HOST,
	MOVED,
	THREAD,
	PROCESS,
	DURATION,
	UNSURE,
	PROVEN,
	BEGUN,
	BARE,
	TIMELINE,
	MEMBERS
};

static const char *const names[MEMBERS] = { "ns", "tsc", "cpu", "pid", "tid",
	"priority", "category", "message", "kind", "args", "scope", "lost",
	"overwritten", "host", "moved", "thread", "process", "duration_ns",
	"unsure", "proven", "begun_tsc", "bare", "timeline" };

enum { VALUES_MAX = 16 /* further args are left out */ };

/* A value in the line: the kind of its token, 0 if absent, and its text. */
struct value {
	int kind;
	size_t at; /* offset in texts */
	size_t size;
};

struct object {
	struct value members[MEMBERS];
	struct value names[VALUES_MAX];
	struct value values[VALUES_MAX];
	unsigned count; /* number of values */
};

struct jsonl {
	struct tl_line_read read; /* first: callers see the reader */
	struct tl_json json;
	struct tl_text texts;            /* texts of the current object */
	struct tl_message_cache_key key; /* raw key; kind 0: none */
};

static struct tl_bytes
text_of(const struct jsonl *j, const struct value *value)
{
	return tl_bytes(j->texts.data + value->at, value->size);
}

static void
keep(struct jsonl *j, int kind, struct tl_bytes text, struct value *value)
{
	*value = (struct value){ kind, j->texts.size, text.size };
	tl_put_bytes(&j->texts, text);
}

/* Return the next token; the line is one piece, so its end is -EBADMSG. */
static int
next_token(struct jsonl *j, struct tl_json_token *token)
{
	const int kind = tl_json_next(&j->json, token);

	return kind == TL_JSON_MORE ? -EBADMSG : kind;
}

/* Skip the rest of a value that began with a token: 0, -EBADMSG, -ENOMEM. */
static int
skip_value(struct jsonl *j, int kind, unsigned depth)
{
	struct tl_json_token token;

	while (kind > 0 && j->json.depth > depth)
		kind = next_token(j, &token);
	return kind < 0 ? kind : 0;
}

static int
parse_args(struct jsonl *j, struct object *o)
{
	const unsigned depth = j->json.depth;
	struct tl_json_token token;
	struct value name, value;
	int kind, rc;

	o->count = 0;
	while ((kind = next_token(j, &token)) == TL_JSON_KEY) {
		keep(j, kind, token.text, &name);
		if ((kind = next_token(j, &token)) < 0)
			return kind;
		keep(j, kind, token.text, &value);
		if ((rc = skip_value(j, kind, depth)) < 0)
			return rc;
		if (o->count == VALUES_MAX)
			continue;
		o->names[o->count] = name;
		o->values[o->count++] = value;
	}
	return kind < 0 ? kind : 0;
}

static unsigned
member_of(struct tl_bytes name)
{
	unsigned i = 0;

	while (i < MEMBERS && !tl_bytes_equal(name, tl_bytes_of(names[i])))
		i++;
	return i;
}

static int
parse_members(struct jsonl *j, struct object *o)
{
	struct tl_json_token token;
	int kind, rc;

	while ((kind = next_token(j, &token)) == TL_JSON_KEY) {
		const unsigned i = member_of(token.text);

		if ((kind = next_token(j, &token)) < 0)
			return kind;
		if (i < MEMBERS)
			keep(j, kind, token.text, &o->members[i]);
		rc = i == ARGS && kind == TL_JSON_OBJECT
			 ? parse_args(j, o)
			 : skip_value(j, kind, 1);
		if (rc < 0)
			return rc;
	}
	return kind < 0 ? kind : 0;
}

/* Parse one object that fills the line. */
static int
parse_line(struct jsonl *j, struct tl_bytes line, struct object *o)
{
	struct tl_json_token token;
	int rc;

	tl_text_clear(&j->texts);
	tl_json_feed(&j->json, line);
	rc = next_token(j, &token);
	if (rc >= 0)
		rc = rc == TL_JSON_OBJECT ? parse_members(j, o) : -EBADMSG;
	if (rc == 0 && tl_json_next(&j->json, &token) != TL_JSON_MORE)
		rc = -EBADMSG;
	if (rc < 0)
		tl_json_restart(&j->json);
	return rc < 0 ? rc : j->texts.rc;
}

static bool
read_unsigned(const struct jsonl *j, const struct value *value, uint64_t *n)
{
	return value->kind == TL_JSON_NUMBER &&
	       tl_json_unsigned(text_of(j, value), n) == 0;
}

static bool
read_signed(const struct jsonl *j, const struct value *value, int64_t *n)
{
	return value->kind == TL_JSON_NUMBER &&
	       tl_json_signed(text_of(j, value), n) == 0;
}

static bool
read_small(const struct jsonl *j, const struct value *value, uint32_t *n)
{
	uint64_t size;

	if (!read_unsigned(j, value, &size) || size > UINT32_MAX)
		return false;
	*n = (uint32_t)size;
	return true;
}

static struct tl_bytes
read_string(const struct jsonl *j, const struct value *value)
{
	return value->kind == TL_JSON_STRING ? text_of(j, value)
					     : tl_bytes(NULL, 0);
}

static bool
read_cpu(const struct jsonl *j, const struct value *value, uint32_t *cpu)
{
	*cpu = TL_CPU_UNKNOWN;
	return value->kind == 0 || value->kind == TL_JSON_NULL ||
	       read_small(j, value, cpu);
}

static bool
read_double(const struct jsonl *j, const struct value *value, uint64_t *bits)
{
	double number = __builtin_nan("");

	if (value->kind != TL_JSON_NULL &&
	    (value->kind != TL_JSON_NUMBER ||
		tl_json_double(text_of(j, value), &number) < 0))
		return false;
	memcpy(bits, &number, sizeof(number));
	return true;
}

static int
read_value(struct jsonl *j, unsigned format, const struct value *value,
    uint64_t *to)
{
	bool good;

	switch (format) {
	case TIMELINE_ARG_SIGNED: /* 64 bits, signed or unsigned */
		good = read_signed(j, value, (int64_t *)to) ||
		       read_unsigned(j, value, to);
		break;
	case TIMELINE_ARG_DURATION:
		good = read_signed(j, value, (int64_t *)to);
		break;
	case TIMELINE_ARG_DOUBLE:
		good = read_double(j, value, to);
		break;
	case TIMELINE_ARG_STRING:
	case TIMELINE_ARG_TEXT8:
		if ((good = value->kind == TL_JSON_STRING))
			return tl_line_read_text(&j->read, format,
			    text_of(j, value), to);
		break;
	default:
		good = read_unsigned(j, value, to);
	}
	if (!good)
		tl_line_read_odd_value(&j->read);
	return 0;
}

/* The value of an argument; NULL: absent. */
static const struct value *
find_value(const struct jsonl *j, const struct object *o, struct tl_bytes name)
{
	for (unsigned i = 0; i < o->count; i++) {
		if (tl_bytes_equal(text_of(j, &o->names[i]), name))
			return &o->values[i];
	}
	return NULL;
}

static int
read_values(struct jsonl *j, const struct object *o, struct tl_event *e)
{
	int rc = 0;

	e->bare = e->kind == TL_END && e->message->argc > 0 && o->count == 0;
	e->known = !e->bare && o->members[BARE].kind == TL_JSON_TRUE;
	for (unsigned i = 0; i < e->message->argc && !e->bare; i++) {
		const struct tl_arg *arg = &e->message->args[i];
		const struct value *value = find_value(j, o, arg->name);

		if (!value)
			tl_line_read_odd_value(&j->read);
		else
			rc = read_value(j, arg->format, value, &e->args[i]);
		if (rc < 0)
			break;
	}
	return rc;
}

/* Is a JSON string of the line, unescaped, equal to a text? */
static bool
is_same_text(struct jsonl *j, struct tl_bytes raw, struct tl_bytes plain)
{
	if (memchr(raw.data, '\\', raw.size) &&
	    tl_json_unescape(&j->read.scratch, &raw) < 0)
		return false;
	return tl_bytes_equal(raw, plain);
}

/*
 * Return the raw bytes of a message's members, as a key for the cache.  NULL: a
 * member occurs twice, and its bytes could stand for another message.
 */
static const struct tl_message_cache_key *
raw_of(struct jsonl *j, const struct tl_message_cache_key *plain)
{
	bool same = j->key.kind == plain->kind && j->key.scope == plain->scope;

	for (unsigned i = 0; i < TL_MESSAGE_CACHE_PARTS && same; i++)
		same = is_same_text(j, j->key.parts[i], plain->parts[i]);
	return same ? &j->key : NULL;
}

static int
read_message(struct jsonl *j, const struct object *o, struct tl_event *e,
    uint64_t *whole)
{
	const struct value *m = o->members;
	const struct tl_message_cache_key plain = {
		.parts = { read_string(j, &m[PRIORITY]),
		    read_string(j, &m[CATEGORY]), read_string(j, &m[MESSAGE]) },
		.kind = e->kind,
		.scope = tl_line_read_is_span(e->kind) &&
				 tl_bytes_equal(read_string(j, &m[SCOPE]),
				     tl_bytes_of("source"))
			     ? TIMELINE_SOURCE
			     : TIMELINE_THREAD
	};

	return tl_line_read_message(&j->read, &plain, raw_of(j, &plain),
	    &e->message, whole);
}

static int
read_event(struct jsonl *j, const struct object *o, struct tl_event *e)
{
	const struct value *m = o->members;
	uint64_t whole;
	int rc;

	e->kind = (uint8_t)tl_line_read_kind(read_string(j, &m[KIND]));
	if (e->kind == 0 || e->kind == TL_LOST ||
	    m[ARGS].kind != TL_JSON_OBJECT || !read_signed(j, &m[NS], &e->ns) ||
	    !read_unsigned(j, &m[TSC], &e->tsc) ||
	    !read_small(j, &m[PID], &e->pid) ||
	    !read_small(j, &m[TID], &e->tid))
		return -EBADMSG;
	if ((rc = read_message(j, o, e, &whole)) < 0)
		return rc;
	if ((rc = tl_line_read_names(&j->read, e, read_string(j, &m[THREAD]),
		 read_string(j, &m[PROCESS]))) < 0)
		return rc;
	e->args[0] = whole;
	e->moved = m[MOVED].kind == TL_JSON_TRUE;
	e->proven = m[PROVEN].kind == TL_JSON_TRUE;
	if (m[BEGUN].kind == TL_JSON_NULL)
		e->begun = TL_BEGUN_NONE;
	else if (read_signed(j, &m[DURATION], &e->duration_ns) &&
		 read_unsigned(j, &m[BEGUN], &e->begun_tsc))
		e->begun =
		    m[UNSURE].kind == TL_JSON_TRUE ? TL_BEGUN_UNSURE : TL_BEGUN;
	if (m[HOST].kind == TL_JSON_STRING ||
	    m[TIMELINE].kind == TL_JSON_STRING)
		tl_line_read_origin(&j->read, read_string(j, &m[HOST]),
		    read_string(j, &m[TIMELINE]));
	return whole ? 0 : read_values(j, o, e);
}

static int
read_object(struct jsonl *j, const struct object *o, struct tl_event *e)
{
	if (!read_cpu(j, &o->members[CPU], &e->cpu))
		return -EBADMSG;
	e->overwritten = o->members[OVERWRITTEN].kind != 0;
	if (!e->overwritten && o->members[LOST].kind == 0)
		return read_event(j, o, e);
	e->kind = TL_LOST;
	return read_unsigned(j,
		   &o->members[e->overwritten ? OVERWRITTEN : LOST], &e->lost)
		   ? 0
		   : -EBADMSG;
}

static int
json_line(struct tl_line_read *r, struct tl_bytes line)
{
	struct jsonl *j = (struct jsonl *)r;
	struct tl_event event = { 0 };
	struct object object;
	int rc = tl_jsonl_scan(r, line, &event, &j->key);

	if (rc == 0) {
		memset(object.members, 0, sizeof(object.members));
		object.count = 0;
		event = (struct tl_event){ 0 };
		if ((rc = parse_line(j, line, &object)) == 0)
			rc = read_object(j, &object, &event);
	}
	return rc < 0 ? rc : tl_line_read_give(r, &event);
}

static void
json_free(struct tl_line_read *r)
{
	struct jsonl *j = (struct jsonl *)r;

	tl_json_free(&j->json);
	tl_text_free(&j->texts);
}

static const struct tl_line_read_kind kind = {
	.name = "JSON lines of timeline-dump",
	.line = json_line,
	.free = json_free,
	.has_timeless_losses = true
};

int
tl_jsonl_read_new(struct tl_reader **reader, struct tl_sink *sink,
    const struct tl_report *report)
{
	return tl_line_read_new(reader, sizeof(struct jsonl), &kind, sink,
	    report);
}

unsigned
tl_jsonl_recognise(struct tl_bytes first)
{
	static const char *const starts[] = { "{\"ns\":", "{\"lost\":",
		"{\"overwritten\":" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		const size_t size = strlen(starts[i]);

		if (first.size >= size &&
		    memcmp(first.data, starts[i], size) == 0)
			return 95;
	}
	return 0;
}
