/* SPDX-License-Identifier: Apache-2.0 */
/* nats_subject.c - names as tokens of a subject, and back. */
#include "ship/nats_subject.h"

#include <ctype.h>

#define PREFIX "timeline."

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

/* A token up to end, which only has one way to be written. */
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
tl_nats_subject_put(char to[TL_NATS_SUBJECT_MAX], const struct tl_block *block)
{
	tl_nats_subject_filter(to, block->host, block->timeline);
}

void
tl_nats_subject_filter(char to[TL_NATS_SUBJECT_MAX], const char *host,
    const char *timeline)
{
	char *at = stpcpy(to, PREFIX);

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
	const char *dot, *at = subject + strlen(PREFIX);

	if (strncmp(subject, PREFIX, strlen(PREFIX)) != 0 ||
	    !(dot = strchr(at, '.')))
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
