/* SPDX-License-Identifier: Apache-2.0 */
/* chrome_scan.c - events of plain bytes, without the machine of a parser. */
#include "format/chrome/scan.h"

#include "base/json.h"

enum {
	/* Deeper values are left to the parser. */
	DEPTH_MAX = 4
};

struct scan {
	struct tl_chrome_event *event;
	const char *data;
	size_t size;
	size_t at;
	uint64_t before; /* bytes of the pieces before */
	unsigned depth;
	struct tl_json_token token;
};

/* Is it the next byte?  Then it is behind us. */
static inline bool
skip(struct scan *s, char c)
{
	if (s->at == s->size || s->data[s->at] != c)
		return false;
	s->at++;
	return true;
}

/* Which is a blank behind a comma or a colon. */
static inline bool
skip_mark(struct scan *s, char c)
{
	if (!skip(s, c))
		return false;
	(void)skip(s, ' ');
	return true;
}

static inline int
take(struct scan *s, int kind)
{
	return tl_chrome_event_take(s->event, kind, &s->token, s->depth);
}

/* The string behind its quote; its token begins there. */
static bool
scan_string(struct scan *s)
{
	const size_t start = s->at;
	const size_t end = tl_json_plain_end(s->data, s->size, start);

	s->token.at = s->before + start - 1;
	s->token.text = tl_bytes(s->data + start, end - start);
	s->at = end;
	return end - start <= TL_JSON_STRING_MAX && skip(s, '"');
}

/* A number or a word: its kind; below 0: none that is whole. */
static int
scan_word(struct scan *s)
{
	const size_t start = s->at;
	const size_t end = tl_json_word_end(s->data, s->size, start);

	s->token.at = s->before + start;
	s->token.text = tl_bytes(s->data + start, end - start);
	s->at = end;
	return tl_json_word(s->token.text);
}

/* The brace before the next byte, as a token. */
static int
take_brace(struct scan *s, int kind)
{
	s->token.at = s->before + s->at - 1;
	s->token.text = tl_bytes("", 0);
	return take(s, kind);
}

/* Those that follow return 1; 0: written in another way; -ENOMEM. */
static int
scan_key(struct scan *s)
{
	int rc;

	if (!skip(s, '"') || !scan_string(s) || !skip_mark(s, ':'))
		return 0;
	rc = take(s, TL_JSON_KEY);
	return rc < 0 ? rc : 1;
}

static int
scan_value(struct scan *s)
{
	int kind = TL_JSON_STRING;
	int rc;

	if (skip(s, '"')) {
		if (!scan_string(s))
			return 0;
	} else if ((kind = scan_word(s)) < 0) {
		return 0;
	}
	rc = take(s, kind);
	return rc < 0 ? rc : 1;
}

/* All objects that end here, but for the event itself. */
static int
scan_ends(struct scan *s)
{
	int rc = 0;

	while (rc == 0 && s->depth > 1 && skip(s, '}')) {
		s->depth--;
		rc = take_brace(s, TL_JSON_OBJECT_END);
	}
	return rc < 0 ? rc : 1;
}

static int
scan_members(struct scan *s)
{
	int rc;

	do {
		while ((rc = scan_key(s)) == 1 && skip(s, '{')) {
			if (++s->depth > DEPTH_MAX)
				return 0;
			if ((rc = take_brace(s, TL_JSON_OBJECT)) < 0)
				return rc;
		}
		if (rc == 1 && (rc = scan_value(s)) == 1)
			rc = scan_ends(s);
	} while (rc == 1 && skip_mark(s, ','));
	return rc;
}

static int
scan_event(struct scan *s)
{
	int rc;

	s->depth = 1;
	if ((rc = take_brace(s, TL_JSON_OBJECT)) < 0 ||
	    (rc = scan_members(s)) <= 0)
		return rc;
	return s->depth == 1 && skip(s, '}') && skip(s, ',');
}

int
tl_chrome_scan(struct tl_json *json, struct tl_chrome_event *event)
{
	struct scan s = { .event = event,
		.data = json->data,
		.size = json->size,
		.at = json->at,
		.before = json->before };
	int rc;

	if (s.at == 0 || s.data[s.at - 1] != ',')
		return 0;
	(void)skip(&s, '\n');
	(void)skip(&s, ' ');
	rc = skip(&s, '{') ? scan_event(&s) : 0;
	if (rc == 1)
		json->at = s.at;
	return rc;
}
