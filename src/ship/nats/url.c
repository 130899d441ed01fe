/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url.c - parse the URL of a cluster
 */
#include "ship/nats/url.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const schemes[] = { "nats://", "tls://" };

/* The text after the scheme; NULL: another scheme. */
static const char *
after_scheme(const char *url, bool *tls)
{
	for (size_t i = 0; i < 2; i++) {
		const size_t size = strlen(schemes[i]);

		if (strncasecmp(url, schemes[i], size) == 0) {
			*tls = i == 1;
			return url + size;
		}
	}
	return NULL;
}

bool
tl_nats_is_url(const char *url)
{
	bool tls;

	return after_scheme(url, &tls) != NULL;
}

/* Servers use the name as a token of subjects and as a file name. */
static int
take_stream(struct tl_nats_url *url, const char *text, struct tl_fault *fault)
{
	const size_t size = strlen(text);

	if (size == 0) {
		strcpy(url->stream, TL_NATS_STREAM);
		return 0;
	}
	for (size_t i = 0; i < size; i++) {
		const unsigned char c = (unsigned char)text[i];

		if (!isalnum(c) && c != '_' && c != '-')
			return tl_fail(fault, -EINVAL,
			    "the name of a stream is letters, digits, _ and -");
	}
	if (size >= TL_NATS_STREAM_MAX)
		return tl_fail(fault, -EINVAL,
		    "the name of the stream is too long");
	strcpy(url->stream, text);
	return 0;
}

int
tl_nats_url_parse(struct tl_nats_url *url, const char *text,
    struct tl_fault *fault)
{
	const char *at, *slash;
	int rc;

	memset(url, 0, sizeof(*url));
	if (!(at = after_scheme(text, &url->tls)))
		return tl_fail(fault, -EINVAL, "not nats://HOST or tls://HOST");
	slash = strchrnul(at, '/');
	for (;;) {
		const char *end = at + strcspn(at, ",/");
		size_t size = (size_t)(end - at);
		const char *scheme = schemes[url->tls];
		char *to = url->servers[url->server_count];

		if (size == 0)
			return tl_fail(fault, -EINVAL,
			    "empty name of a server");
		if (url->server_count == TL_NATS_SERVERS_MAX)
			return tl_fail(fault, -EINVAL, "more than %d servers",
			    TL_NATS_SERVERS_MAX);
		if (strlen(scheme) + size >= TL_NATS_SERVER_MAX)
			return tl_fail(fault, -EINVAL,
			    "the name of a server is too long");
		for (size_t i = 0; i < size; i++) {
			if (!isgraph((unsigned char)at[i]))
				return tl_fail(fault, -EINVAL,
				    "invalid character in the name of a "
				    "server");
		}
		strcpy(to, scheme);
		strncat(to, at, size);
		url->server_count++;

		if (end == slash)
			break;
		at = end + 1;
	}
	rc = take_stream(url, *slash ? slash + 1 : "", fault);
	if (rc == 0)
		snprintf(url->keep, sizeof(url->keep), "%s-keep", url->stream);
	return rc;
}
