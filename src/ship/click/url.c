/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url.c - parse the URL of a table of ClickHouse
 */
#include "ship/click/url.h"

#include "base/array.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct scheme {
	const char *name;
	const char *http;
	const char *port;
} schemes[] = { { "clickhouse://", "http://", ":8123" },
	{ "clickhouses://", "https://", ":8443" } };

static const struct scheme *
scheme_of(const char *url)
{
	for (size_t i = 0; i < TL_COUNT(schemes); i++)
		if (strncasecmp(url, schemes[i].name,
			strlen(schemes[i].name)) == 0)
			return &schemes[i];
	return NULL;
}

bool
tl_click_is_url(const char *url)
{
	return scheme_of(url) != NULL;
}

/* The byte of "%XX"; -1: it is none. */
static int
hex_byte(const char *text, size_t size)
{
	char digits[3] = { 0 };

	if (size < 3 || !isxdigit((unsigned char)text[1]) ||
	    !isxdigit((unsigned char)text[2]))
		return -1;
	memcpy(digits, text + 1, 2);
	return (int)strtol(digits, NULL, 16);
}

/* A user or a password, with its %XX read. */
static int
take_secret(char to[TL_CLICK_SECRET_MAX], const char *text, size_t size,
    struct tl_fault *fault)
{
	size_t count = 0;
	int byte;

	for (size_t at = 0; at < size; at += byte >= 0 ? 3 : 1) {
		byte = text[at] == '%' ? hex_byte(text + at, size - at) : -1;
		if (text[at] == '%' && byte <= 0)
			return tl_fail(fault, -EINVAL,
			    "%% in a user or a password is written as %%25");
		if (count == TL_CLICK_SECRET_MAX - 1)
			return tl_fail(fault, -EINVAL,
			    "a user or a password of more than %d bytes",
			    TL_CLICK_SECRET_MAX - 1);
		to[count++] = byte > 0 ? (char)byte : text[at];
	}
	to[count] = '\0';
	return 0;
}

/* HOST or [::1], each with a port or without. */
static int
take_server(struct tl_click_url *url, const struct scheme *scheme,
    const char *text, size_t size, struct tl_fault *fault)
{
	const char *bracket = memchr(text, ']', size);
	const char *host_end = bracket ? bracket : text;
	const bool has_port =
	    memchr(host_end, ':', size - (size_t)(host_end - text)) != NULL;
	int length;

	if (size == 0)
		return tl_fail(fault, -EINVAL, "empty name of a server");
	for (size_t i = 0; i < size; i++)
		if (!isalnum((unsigned char)text[i]) &&
		    !strchr("-_.:[]", text[i]))
			return tl_fail(fault, -EINVAL,
			    "invalid character in the name of a server; give "
			    "one HOST or HOST:PORT");
	length = snprintf(url->server, sizeof(url->server), "%s%.*s%s",
	    scheme->http, (int)size, text, has_port ? "" : scheme->port);
	if (length < 0 || (size_t)length >= sizeof(url->server))
		return tl_fail(fault, -EINVAL,
		    "the name of a server is too long");
	return 0;
}

static int
take_name(char to[TL_CLICK_NAME_MAX], const char *text, size_t size,
    struct tl_fault *fault)
{
	bool valid = size > 0 && !isdigit((unsigned char)text[0]);

	for (size_t i = 0; i < size; i++)
		valid = valid &&
			(isalnum((unsigned char)text[i]) || text[i] == '_');
	if (!valid)
		return tl_fail(fault, -EINVAL,
		    "a table is DATABASE.TABLE, of letters, digits and _");
	if (size >= TL_CLICK_NAME_MAX)
		return tl_fail(fault, -EINVAL,
		    "the name of a table is too long");
	memcpy(to, text, size);
	to[size] = '\0';
	return 0;
}

static int
take_table(struct tl_click_url *url, const char *text, struct tl_fault *fault)
{
	const char *dot = strchr(text, '.');
	int rc;

	strcpy(url->database, "default");
	strcpy(url->table, "timeline");
	if (text[0] == '\0')
		return 0;
	if (dot && (rc = take_name(url->database, text, (size_t)(dot - text),
			fault)) < 0)
		return rc;
	text = dot ? dot + 1 : text;
	return take_name(url->table, text, strlen(text), fault);
}

int
tl_click_url_parse(struct tl_click_url *url, const char *text,
    struct tl_fault *fault)
{
	const struct scheme *scheme = scheme_of(text);
	const char *at, *slash, *user_end;
	int rc;

	memset(url, 0, sizeof(*url));
	if (!scheme)
		return tl_fail(fault, -EINVAL,
		    "not clickhouse://HOST or clickhouses://HOST");
	at = text + strlen(scheme->name);
	user_end = strrchr(at, '@');
	if (user_end) {
		const size_t size = (size_t)(user_end - at);
		const char *colon = memchr(at, ':', size);
		const size_t user_size = colon ? (size_t)(colon - at) : size;

		rc = take_secret(url->user, at, user_size, fault);
		if (rc == 0 && colon)
			rc = take_secret(url->password, colon + 1,
			    size - user_size - 1, fault);
		if (rc < 0)
			return rc;
		at = user_end + 1;
	}
	slash = strchrnul(at, '/');
	rc = take_server(url, scheme, at, (size_t)(slash - at), fault);
	return rc < 0 ? rc : take_table(url, *slash ? slash + 1 : "", fault);
}
