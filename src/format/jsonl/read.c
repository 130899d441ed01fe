/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - read an event from each line, a JSON object, in two ways.
 *
 *	line --> scan: the form of our writer, known message ------> event
 *	     \-> object: any JSON, members in any order -----------> event
 *
 * Nearly every line takes the first way, which reads each byte once.  A line of
 * another form is read again in the second way; only the second way reports
 * faults.
 */
#include "format/jsonl/jsonl.h"

#include "base/json.h"
#include "base/lines.h"
#include "base/text.h"
#include "format/line_read.h"

#include <errno.h>
#include <timeline.h>

/* == scan == */

#define SCOPE_SOURCE "\"scope\":\"source\"}"

static inline bool
scan_unsigned(struct tl_scan *s, uint64_t *n)
{
	const char *start = s->at;
	size_t count;

	if (s->end - start > 1 && tl_is_digit(start[0]) &&
	    !tl_is_digit(start[1])) {
		*n = (uint64_t)(start[0] - '0');
		count = 1;
	} else {
		count =
		    tl_number_take(tl_bytes(start, (size_t)(s->end - start)),
			n);
	}
	s->at += count;
	return count == 1 || (count > 1 && *start != '0');
}

static inline bool
scan_signed(struct tl_scan *s, uint64_t *n)
{
	const bool minus = TL_SCAN_SKIP(s, "-");

	if (!scan_unsigned(s, n) || *n > (uint64_t)INT64_MAX + minus)
		return false;
	*n = minus ? -*n : *n;
	return true;
}

static inline bool
scan_small(struct tl_scan *s, uint32_t *n)
{
	uint64_t value;

	if (!scan_unsigned(s, &value) || value > UINT32_MAX)
		return false;
	*n = (uint32_t)value;
	return true;
}

/* Read a string behind its first quote, up to and with the last quote. */
static inline bool
scan_string(struct tl_scan *s, struct tl_bytes *inside, bool *has_escapes)
{
	const char *start = s->at;
	const size_t size = (size_t)(s->end - start);
	bool is_escaped = false;

	*has_escapes = false;
	*inside = tl_bytes(start,
	    tl_json_string_end(start, size, 0, &is_escaped, has_escapes));
	s->at += inside->size;
	return TL_SCAN_SKIP(s, "\"");
}

/*
 * Read the host and the timeline, which a line has if there were several.  Only
 * the file has an origin, not the event.
 */
static bool
scan_origin(struct tl_scan *s, struct tl_bytes *host, struct tl_bytes *timeline)
{
	uint32_t sync_us;
	bool escapes = false;

	if (TL_SCAN_SKIP(s, ",\"host\":\"") &&
	    (!scan_string(s, host, &escapes) || escapes))
		return false;
	if (TL_SCAN_SKIP(s, ",\"timeline\":\"") &&
	    (!scan_string(s, timeline, &escapes) || escapes))
		return false;
	if (TL_SCAN_SKIP(s, ",\"sync_error_us\":") &&
	    !TL_SCAN_SKIP(s, "null") && !scan_small(s, &sync_us))
		return false;
	(void)TL_SCAN_SKIP(s, ",\"overlaps\":true");
	return true;
}

/* Read the names of thread and process, if present. */
static bool
scan_names(struct tl_scan *s, struct tl_bytes names[2])
{
	bool escapes = false;

	return (!TL_SCAN_SKIP(s, ",\"thread\":\"") ||
		   (scan_string(s, &names[0], &escapes) && !escapes)) &&
	       (!TL_SCAN_SKIP(s, ",\"process\":\"") ||
		   (scan_string(s, &names[1], &escapes) && !escapes));
}

/* Read what an end says of its begin, and whose arguments the end has. */
static bool
scan_duration(struct tl_scan *s, struct tl_event *e)
{
	const bool has_duration = TL_SCAN_SKIP(s, ",\"duration_ns\":");
	uint64_t ns = 0;
	bool is_unsure;

	if (has_duration && !scan_signed(s, &ns))
		return false;
	e->duration_ns = (int64_t)ns;
	is_unsure = TL_SCAN_SKIP(s, ",\"unsure\":true");
	e->proven = TL_SCAN_SKIP(s, ",\"proven\":true");
	if (TL_SCAN_SKIP(s, ",\"begun_tsc\":null")) {
		e->begun = TL_BEGUN_NONE;
	} else if (TL_SCAN_SKIP(s, ",\"begun_tsc\":")) {
		if (!scan_unsigned(s, &e->begun_tsc))
			return false;
		if (has_duration)
			e->begun = is_unsure ? TL_BEGUN_UNSURE : TL_BEGUN;
	}
	e->known = TL_SCAN_SKIP(s, ",\"bare\":true");
	return true;
}

static bool
scan_place(struct tl_scan *s, struct tl_event *e, struct tl_bytes names[2],
    struct tl_bytes origin[2])
{
	uint64_t ns;

	e->cpu = TL_CPU_UNKNOWN;
	if (!TL_SCAN_SKIP(s, "{\"ns\":") || !scan_signed(s, &ns) ||
	    !TL_SCAN_SKIP(s, ",\"tsc\":") || !scan_unsigned(s, &e->tsc) ||
	    !TL_SCAN_SKIP(s, ",\"cpu\":") ||
	    !(TL_SCAN_SKIP(s, "null") || scan_small(s, &e->cpu)))
		return false;
	e->ns = (int64_t)ns;
	return TL_SCAN_SKIP(s, ",\"pid\":") && scan_small(s, &e->pid) &&
	       TL_SCAN_SKIP(s, ",\"tid\":") && scan_small(s, &e->tid) &&
	       scan_names(s, names) && scan_origin(s, &origin[0], &origin[1]) &&
	       ((e->moved = TL_SCAN_SKIP(s, ",\"moved\":true")) || true) &&
	       scan_duration(s, e);
}

/*
 * Does the line end with a scope?  The scope belongs to the message, which is
 * read earlier.
 */
static bool
ends_with_scope(const struct tl_scan *s)
{
	const size_t size = sizeof(SCOPE_SOURCE) - 1;

	return (size_t)(s->end - s->at) >= size &&
	       memcmp(s->end - size, SCOPE_SOURCE, size) == 0;
}

static bool
scan_key(struct tl_scan *s, struct tl_message_cache_key *key)
{
	struct tl_bytes kind;
	bool escapes;

	if (!TL_SCAN_SKIP(s, ",\"priority\":\"") ||
	    !scan_string(s, &key->parts[TL_LINE_PRIORITY], &escapes) ||
	    !TL_SCAN_SKIP(s, ",\"category\":\"") ||
	    !scan_string(s, &key->parts[TL_LINE_CATEGORY], &escapes) ||
	    !TL_SCAN_SKIP(s, ",\"message\":\"") ||
	    !scan_string(s, &key->parts[TL_LINE_MESSAGE], &escapes) ||
	    !TL_SCAN_SKIP(s, ",\"kind\":\"") ||
	    !scan_string(s, &kind, &escapes))
		return false;
	key->kind = (uint8_t)tl_line_read_kind(kind);
	key->scope = TIMELINE_THREAD;
	if (tl_line_read_is_span(key->kind) && ends_with_scope(s))
		key->scope = TIMELINE_SOURCE;
	return key->kind != 0 && key->kind != TL_LOST;
}

/* Skip the members of the guessed message, if the line has this message. */
static bool
skip_guess(struct tl_scan *s, const struct tl_message_cache_slot *guess)
{
	const char *kind = tl_kind_name(guess->kind);
	const char *part = guess->data;
	const uint16_t *sizes = guess->sizes;
	struct tl_scan t = *s;

	if (!guess->message || !TL_SCAN_SKIP(&t, ",\"priority\":\"") ||
	    !tl_scan_skip(&t, tl_bytes(part, sizes[0])) ||
	    !TL_SCAN_SKIP(&t, "\",\"category\":\"") ||
	    !tl_scan_skip(&t, tl_bytes(part + sizes[0], sizes[1])) ||
	    !TL_SCAN_SKIP(&t, "\",\"message\":\"") ||
	    !tl_scan_skip(&t, tl_bytes(part + sizes[0] + sizes[1], sizes[2])) ||
	    !TL_SCAN_SKIP(&t, "\",\"kind\":\"") ||
	    !tl_scan_skip(&t, tl_bytes_of(kind)) || !TL_SCAN_SKIP(&t, "\""))
		return false;
	if (tl_line_read_is_span(guess->kind) &&
	    ends_with_scope(&t) != (guess->scope == TIMELINE_SOURCE))
		return false;
	*s = t;
	return true;
}

/*
 * Find the message in the cache; NULL: not found, or the line has another form.
 */
static const struct tl_message_cache_slot *
scan_message(struct tl_message_cache *cache, struct tl_scan *s,
    struct tl_message_cache_key *key)
{
	const struct tl_message_cache_slot *slot =
	    tl_message_cache_guess(cache);

	if (!skip_guess(s, slot)) {
		if (!scan_key(s, key) ||
		    !(slot = tl_message_cache_find(cache, key)))
			return NULL;
	}
	tl_message_cache_follow(cache, slot);
	return slot;
}

static bool
scan_double(struct tl_scan *s, uint64_t *bits)
{
	const size_t size = (size_t)(s->end - s->at);
	const size_t end = tl_json_word_end(s->at, size, 0);
	double value;

	if (tl_json_double(tl_bytes(s->at, end), &value) < 0)
		return false; /* null, too, is left to the second way */
	memcpy(bits, &value, sizeof(value));
	s->at += end;
	return true;
}

/* Read a text: 1; 0: another form; -errno. */
static int
scan_text(struct tl_line_read *r, struct tl_scan *s, unsigned format,
    uint64_t *value)
{
	struct tl_bytes text;
	bool has_escapes;
	int rc = 0;

	if (!TL_SCAN_SKIP(s, "\"") || !scan_string(s, &text, &has_escapes))
		return 0;
	if (has_escapes)
		rc = tl_json_unescape(&r->scratch, &text);
	if (rc == 0)
		rc = tl_line_read_text(r, format, text, value);
	return rc == -EBADMSG ? 0 : rc < 0 ? rc : 1;
}

static int
scan_value(struct tl_line_read *r, struct tl_scan *s, unsigned format,
    uint64_t *value)
{
	switch (format) {
	case TIMELINE_ARG_SIGNED:

		/* Read a 64-bit integer, signed or unsigned. */
		return s->at < s->end && *s->at == '-'
			   ? scan_signed(s, value)
			   : scan_unsigned(s, value);
	case TIMELINE_ARG_DURATION:
		return scan_signed(s, value);
	case TIMELINE_ARG_DOUBLE:
		return scan_double(s, value);
	case TIMELINE_ARG_STRING:
	case TIMELINE_ARG_TEXT8:
		return scan_text(r, s, format, value);
	default:
		return scan_unsigned(s, value);
	}
}

static int
scan_args(struct tl_line_read *r, struct tl_scan *s, struct tl_event *e)
{
	const struct tl_message *m = e->message;
	int rc = 1;

	if (!TL_SCAN_SKIP(s, ",\"args\":{"))
		return 0;
	if (e->kind == TL_END && m->argc > 0 && TL_SCAN_SKIP(s, "}")) {
		e->bare = true;
		e->known = false;
		return 1;
	}
	for (unsigned i = 0; i < m->argc && rc > 0; i++) {
		if ((i > 0 && !TL_SCAN_SKIP(s, ",")) ||
		    !TL_SCAN_SKIP(s, "\"") ||
		    !tl_scan_skip(s, m->args[i].name) ||
		    !TL_SCAN_SKIP(s, "\":"))
			return 0;
		rc = scan_value(r, s, m->args[i].format, &e->args[i]);
	}
	return rc > 0 ? TL_SCAN_SKIP(s, "}") : rc;
}

/*
 * Read a line into *event, which must be all zeros.  1: the event was read.  0:
 * the line has another form, or its message is not in the cache.  -errno.
 * Faults are not noted.  *key becomes the raw text of the message in the line;
 * kind 0: not found.
 */
static int
scan_line(struct tl_line_read *r, struct tl_bytes line, struct tl_event *e,
    struct tl_message_cache_key *key)
{
	struct tl_scan s = { line.data, line.data + line.size };
	struct tl_bytes origin[2] = { { 0 }, { 0 } };
	struct tl_bytes names[2] = { { 0 }, { 0 } };
	const struct tl_message_cache_slot *slot;
	int rc;

	key->kind = 0;
	if (!scan_place(&s, e, names, origin) ||
	    !(slot = scan_message(&r->cache, &s, key)))
		return 0;
	e->message = slot->message;
	e->kind = slot->kind;
	if ((rc = scan_args(r, &s, e)) <= 0)
		return rc;
	rc = slot->scope == TIMELINE_SOURCE ? TL_SCAN_SKIP(&s, "," SCOPE_SOURCE)
					    : TL_SCAN_SKIP(&s, "}");
	if (!rc || s.at != s.end)
		return 0;
	if (origin[0].size > 0 || origin[1].size > 0)
		tl_line_read_origin(r, origin[0], origin[1]);
	rc = tl_line_read_names(r, e, names[0], names[1]);
	return rc < 0 ? rc : 1;
}

/* == object == */

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

	while (i < MEMBERS && !tl_bytes_are(name, names[i]))
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
		.scope =
		    tl_line_read_is_span(e->kind) &&
			    tl_bytes_are(read_string(j, &m[SCOPE]), "source")
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
	if (whole)
		return 0;
	rc = 0;
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
	int rc = scan_line(r, line, &event, &j->key);

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
