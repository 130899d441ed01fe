/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protocol.c - one object:
 *
 *	{"stream":"TIMELINE","seq":7}
 *	{"error":{"code":503,"err_code":10077,"description":"..."}}
 */
#include "ship/nats/protocol.h"

#include "base/json.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

/* == subjects == */

static const char *const prefixes[] = { "timeline.", "timeline-keep." };
const char *const tl_nats_subjects[] = { "timeline.>", "timeline-keep.>" };

static const char hex_digits[] = "0123456789ABCDEF";

static bool
is_plain(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static char *
put_token(char *to, const char *name)
{
	if (!*name)
		*to++ = '=';
	for (; *name; name++) {
		if (is_plain(*name)) {
			*to++ = *name;
			continue;
		}
		*to++ = '=';
		*to++ = hex_digits[(unsigned char)*name >> 4];
		*to++ = hex_digits[*name & 15];
	}
	*to = '\0';
	return to;
}

/* The byte of =XX, or -1. */
static int
unescape(const char *at)
{
	const char *high = at[1] ? strchr(hex_digits, at[1]) : NULL;
	const char *low = high && at[2] ? strchr(hex_digits, at[2]) : NULL;

	return low ? (int)(16 * (high - hex_digits) + (low - hex_digits)) : -1;
}

/* Parse a token up to end; only the form that put_token writes is accepted. */
static bool
get_token(char name[TL_BLOCK_NAME_MAX], const char *at, const char *end)
{
	size_t size = 0;

	if (at == end)
		return false;
	if (*at == '=' && at + 1 == end)
		at = end;
	while (at < end) {
		int c = (unsigned char)*at;

		if (c == '=') {
			c = end - at < 3 ? -1 : unescape(at);
			if (c <= 0 || is_plain((char)c))
				return false;
			at += 2;
		} else if (!is_plain((char)c)) {
			return false;
		}
		if (size == TL_BLOCK_NAME_MAX - 1)
			return false;
		name[size++] = (char)c;
		at++;
	}
	name[size] = '\0';
	return true;
}

void
tl_nats_subject_put(char to[TL_NATS_SUBJECT_MAX], enum tl_nats_kind kind,
    const struct tl_block *block)
{
	tl_nats_subject_filter(to, kind, block->host, block->timeline);
}

void
tl_nats_subject_filter(char to[TL_NATS_SUBJECT_MAX], enum tl_nats_kind kind,
    const char *host, const char *timeline)
{
	char *at = stpcpy(to, prefixes[kind]);

	at = host ? put_token(at, host) : stpcpy(at, "*");
	*at++ = '.';
	if (timeline)
		put_token(at, timeline);
	else
		strcpy(at, "*");
}

bool
tl_nats_subject_get(struct tl_block *block, const char *subject)
{
	const size_t whole = strlen(prefixes[TL_NATS_WHOLE]);
	const size_t kept = strlen(prefixes[TL_NATS_KEPT]);
	const char *dot, *at;

	if (strncmp(subject, prefixes[TL_NATS_WHOLE], whole) == 0)
		at = subject + whole;
	else if (strncmp(subject, prefixes[TL_NATS_KEPT], kept) == 0)
		at = subject + kept;
	else
		return false;
	if (!(dot = strchr(at, '.')))
		return false;
	return get_token(block->host, at, dot) &&
	       get_token(block->timeline, dot + 1, dot + strlen(dot));
}

bool
tl_nats_subject_matches(const char *pattern, const char *subject)
{
	for (;;) {
		const size_t p = strcspn(pattern, ".");
		const size_t s = strcspn(subject, ".");

		if (strcmp(pattern, ">") == 0)
			return s > 0;
		if (!(p == 1 && *pattern == '*') &&
		    (p != s || memcmp(pattern, subject, p) != 0))
			return false;
		if (!pattern[p] || !subject[s])
			return !pattern[p] && !subject[s];
		pattern += p + 1;
		subject += s + 1;
	}
}

/* == acknowledgements == */

enum { KEY_MAX = 16, CODE_UNKNOWN = 500 };

int
tl_nats_ack_parse(struct tl_nats_ack *ack, struct tl_bytes text)
{
	struct tl_json json = { 0 };
	struct tl_json_token token;
	char key[KEY_MAX] = ""; /* of the value that comes next */
	bool in_error = false;
	bool known = false; /* a sequence or an error was there */
	uint64_t value;
	int kind;

	memset(ack, 0, sizeof(*ack));
	tl_json_feed(&json, text);
	while ((kind = tl_json_next(&json, &token)) > 0) {
		/* one object; deeper members are not used */
		if (json.depth > 2)
			continue;
		switch (kind) {
		case TL_JSON_OBJECT:
			if (json.depth == 2 && strcmp(key, "error") == 0) {
				in_error = known = true;
				ack->code = CODE_UNKNOWN;
			}
			break;
		case TL_JSON_OBJECT_END:
			in_error = false;
			break;
		case TL_JSON_KEY:
			snprintf(key, sizeof(key), "%.*s", (int)token.text.size,
			    token.text.data);
			break;
		case TL_JSON_NUMBER:
			if (tl_json_unsigned(token.text, &value) < 0)
				break;
			if (in_error && strcmp(key, "code") == 0) {
				ack->code = value ? value : CODE_UNKNOWN;
			} else if (in_error && strcmp(key, "err_code") == 0) {
				ack->error_code = value;
			} else if (json.depth == 1 && strcmp(key, "seq") == 0) {
				ack->sequence = value;
				known = true;
			}
			break;
		case TL_JSON_STRING:
			if (in_error && strcmp(key, "description") == 0)
				snprintf(ack->error, sizeof(ack->error), "%.*s",
				    (int)token.text.size, token.text.data);
			break;
		}
	}
	if (kind == 0 && json.depth > 0)
		kind = -EBADMSG;
	tl_json_free(&json);
	if (kind < 0)
		return kind;
	if (!known)
		return -EBADMSG;
	return ack->code == 0 && ack->sequence == 0 ? -EBADMSG : 0;
}
