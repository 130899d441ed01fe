/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - split each line, a JSON object, into its members, in two ways.
 *
 *	line --> split: no spaces, one level of braces ---> members
 *	     \-> parse: any JSON ------------------------> members
 *
 * Nearly every line takes the first way, which reads each byte once.  A line of
 * another form is read again in the second way; only the second way finds
 * faults.
 */
#include "format/jsonl/jsonl.h"

#include "base/json.h"
#include "base/text.h"
#include "format/line.h"

#include <errno.h>

struct jsonl {
	struct tl_line_read read; /* first: callers see the reader */
	struct tl_json json;
	struct tl_text texts; /* texts of the line that is parsed */
	struct tl_text plain; /* a text without its escapes */
};

static int
json_text(struct tl_line_read *r, const struct tl_line_value *value,
    struct tl_bytes *text)
{
	struct jsonl *j = (struct jsonl *)r;
	const size_t start = r->scratch.size;
	int rc;

	*text = value->kind == TL_LINE_TEXT || value->kind == TL_LINE_ESCAPED
		    ? value->text
		    : tl_bytes(NULL, 0);
	if (value->kind != TL_LINE_ESCAPED)
		return 0;
	if ((rc = tl_json_unescape(&j->plain, text)) < 0)
		return rc;
	tl_put_bytes(&r->scratch, *text);
	text->data = r->scratch.data + start;
	return 0;
}

/* == split == */

/* Take a string with its quotes. */
static inline __attribute__((always_inline)) bool
take_string(struct tl_scan *s, struct tl_line_value *v)
{
	bool is_escaped = false, has_escapes = false;
	const char *start;
	size_t room, size;

	if (!TL_SCAN_SKIP(s, "\""))
		return false;
	start = s->at;
	room = (size_t)(s->end - start);
	size = tl_json_plain_end(start, room, 0);
	if (size < room && start[size] == '\\')
		size = tl_json_string_end(start, room, size, &is_escaped,
		    &has_escapes);
	s->at += size;
	v->kind = has_escapes ? TL_LINE_ESCAPED : TL_LINE_TEXT;
	v->text = tl_bytes(start, size);
	return TL_SCAN_SKIP(s, "\"");
}

/* Take "name": without escapes. */
static inline __attribute__((always_inline)) bool
take_name(struct tl_scan *s, struct tl_line_value *name)
{
	return take_string(s, name) && name->kind == TL_LINE_TEXT &&
	       TL_SCAN_SKIP(s, ":");
}

/*
 * Take the name of a member behind the last one; TL_LINE_MEMBERS: another name.
 * The compiler knows each name, so that the search calls nothing.
 */
static inline __attribute__((always_inline)) unsigned
take_member(struct tl_scan *s, unsigned last)
{
	switch (last + 1) {
#define MEMBER(constant, name) \
	case TL_LINE_##constant: \
		if (TL_SCAN_SKIP(s, "\"" name "\":")) \
			return TL_LINE_##constant; \
		__attribute__((fallthrough));
#include "format/line_members.def"
#undef MEMBER
	default:
		return TL_LINE_MEMBERS;
	}
}

/* Take a string, a number, true, false or null. */
static inline __attribute__((always_inline)) bool
take_value(struct tl_scan *s, struct tl_line_value *v)
{
	const char *start = s->at;
	int kind;

	if (start < s->end && *start == '"')
		return take_string(s, v);
	if (tl_line_read_digits(s, v) && s->at < s->end &&
	    (*s->at == ',' || *s->at == '}')) {
		start += *start == '-';
		return *start != '0' || s->at - start == 1;
	}
	v->text = tl_bytes(start,
	    tl_json_word_end(start, (size_t)(s->end - start), 0));
	kind = tl_json_word(v->text);
	v->kind = kind == TL_JSON_NULL ? TL_LINE_NULL : TL_LINE_WORD;
	s->at = start + v->text.size;
	return kind > 0;
}

static bool
split_args(struct tl_scan *s, struct tl_line_row *row)
{
	struct tl_line_value further[2], *arg;

	row->members[TL_LINE_ARGS].kind = TL_LINE_OBJECT;
	row->count = 0;
	if (!TL_SCAN_SKIP(s, "{"))
		return false;
	if (TL_SCAN_SKIP(s, "}"))
		return true;
	do {
		arg = row->count < TL_LINE_ARGS_MAX
			  ? &row->args[2 * row->count++]
			  : further;
		if (!take_name(s, &arg[0]) || !take_value(s, &arg[1]))
			return false;
	} while (TL_SCAN_SKIP(s, ","));
	return TL_SCAN_SKIP(s, "}");
}

/* clang-format off */
#define LITERAL(text) { text, sizeof(text) - 1 }
/* clang-format on */

/*
 * Split a line; false: it has another form.  Escapes are left in the texts that
 * are the key of the cache of messages, and in arguments.
 */
static bool
split(const struct tl_line_read *r, struct tl_bytes line,
    struct tl_line_row *row)
{
	static const struct tl_bytes between[] = { LITERAL("\""),
		LITERAL("\",\"category\":\""), LITERAL("\",\"message\":\""),
		LITERAL("\",\"kind\":\""), LITERAL("\"") };
	struct tl_scan s = { line.data, line.data + line.size };
	struct tl_line_value unknown[2], *v;
	unsigned i = -1U;

	if (!TL_SCAN_SKIP(&s, "{"))
		return false;
	do {
		if ((i = take_member(&s, i)) == TL_LINE_MEMBERS)
			i = take_member(&s, -1U);
		v = i < TL_LINE_MEMBERS ? &row->members[i] : &unknown[0];
		if (i == TL_LINE_MEMBERS && !take_name(&s, &unknown[1]))
			return false;
		if (i == TL_LINE_PRIORITY &&
		    tl_line_read_guess(r, &s, row, between)) {
			i = TL_LINE_KIND;
			continue;
		}
		if (i == TL_LINE_ARGS ? !split_args(&s, row)
				      : !take_value(&s, v))
			return false;
		if (i >= TL_LINE_PRIORITY && i < TL_LINE_KIND
			? v->kind < TL_LINE_TEXT
			: v->kind == TL_LINE_ESCAPED)
			return false;
		/* Of a member that occurs twice the last one counts. */
		if (row->slot && i >= TL_LINE_PRIORITY && i <= TL_LINE_KIND)
			return false;
	} while (TL_SCAN_SKIP(&s, ","));
	return TL_SCAN_SKIP(&s, "}") && s.at == s.end;
}

/* == parse == */

/* Keep the text of a token; the texts of a line have room. */
static void
keep(struct jsonl *j, int kind, struct tl_bytes text, struct tl_line_value *v)
{
	static const uint8_t kinds[] = { [TL_JSON_OBJECT] = TL_LINE_OBJECT,
		[TL_JSON_ARRAY] = TL_LINE_WORD,
		[TL_JSON_KEY] = TL_LINE_TEXT,
		[TL_JSON_STRING] = TL_LINE_TEXT,
		[TL_JSON_NUMBER] = TL_LINE_WORD,
		[TL_JSON_TRUE] = TL_LINE_WORD,
		[TL_JSON_FALSE] = TL_LINE_WORD,
		[TL_JSON_NULL] = TL_LINE_NULL };

	v->kind = kinds[kind];
	v->text = tl_bytes(j->texts.data + j->texts.size, text.size);
	tl_put_bytes(&j->texts, text);
}

/* Return the next token; the line is one piece, so its end is -EBADMSG. */
static int
next_token(struct jsonl *j, struct tl_json_token *token)
{
	const int kind = tl_json_next(&j->json, token);

	return kind == TL_JSON_MORE ? -EBADMSG : kind;
}

/* Parse the members of an object, or of the arguments: 0, -EBADMSG, -ENOMEM. */
static int
parse_object(struct jsonl *j, struct tl_line_row *row, bool is_args)
{
	static const char *const names[] = {
#define MEMBER(constant, name) name,
#include "format/line_members.def"
#undef MEMBER
	};
	const unsigned depth = j->json.depth;
	struct tl_line_value further[2], *v;
	struct tl_json_token token;
	int kind;

	row->count = 0;
	while ((kind = next_token(j, &token)) == TL_JSON_KEY) {
		unsigned i = is_args ? TL_LINE_MEMBERS : 0;

		while (
		    i < TL_LINE_MEMBERS && !tl_bytes_are(token.text, names[i]))
			i++;
		v = i < TL_LINE_MEMBERS ? &row->members[i] : further;
		if (is_args && row->count < TL_LINE_ARGS_MAX)
			v = &row->args[2 * row->count++];
		if (is_args)
			keep(j, kind, token.text, v++);
		if ((kind = next_token(j, &token)) > 0)
			keep(j, kind, token.text, v);
		if (i == TL_LINE_ARGS && kind == TL_JSON_OBJECT)
			kind = parse_object(j, row, true);
		while (kind > 0 && j->json.depth > depth) /* skip the rest */
			kind = next_token(j, &token);
		if (kind < 0)
			break;
	}
	return kind < 0 ? kind : 0;
}

/* Parse one object that fills the line. */
static int
parse(struct jsonl *j, struct tl_bytes line, struct tl_line_row *row)
{
	struct tl_json_token token;
	int rc;

	row->is_plain = true;
	tl_text_clear(&j->texts);
	if (!tl_text_reserve(&j->texts, line.size)) /* keep() moves nothing */
		return -ENOMEM;
	tl_json_feed(&j->json, line);
	rc = next_token(j, &token);
	if (rc >= 0)
		rc = rc == TL_JSON_OBJECT ? parse_object(j, row, false)
					  : -EBADMSG;
	/* a word without its end would go on in the next line */
	if (rc == 0 && (tl_json_next(&j->json, &token) != TL_JSON_MORE ||
			   j->json.begun != 0))
		rc = -EBADMSG;
	if (rc < 0)
		tl_json_restart(&j->json);
	return rc;
}

static int
json_line(struct tl_line_read *r, struct tl_bytes line)
{
	struct jsonl *j = (struct jsonl *)r;
	struct tl_line_row row;
	const struct tl_line_value *m = row.members;
	int rc;

	tl_line_row_clear(&row);
	if (!split(r, line, &row)) {
		tl_line_row_clear(&row);
		if ((rc = parse(j, line, &row)) < 0)
			return rc;
	}
	if (m[TL_LINE_ARGS].kind != TL_LINE_OBJECT && !m[TL_LINE_LOST].kind &&
	    !m[TL_LINE_OVERWRITTEN].kind)
		return -EBADMSG;
	return tl_line_read_row(r, &row);
}

static void
json_free(struct tl_line_read *r)
{
	struct jsonl *j = (struct jsonl *)r;

	tl_json_free(&j->json);
	tl_text_free(&j->texts);
	tl_text_free(&j->plain);
}

static const struct tl_line_read_kind kind = {
	.name = "JSON lines of timeline-dump",
	.line = json_line,
	.text = json_text,
	.free = json_free,
	.has_timeless_losses = true,
	.is_json = true
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
