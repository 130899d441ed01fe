/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.c - open the target that a URL or a path names
 */
#include "ship/target/target.h"

#include "ship/click/url.h"

#include <errno.h>
#include <unistd.h>

static bool
is_url(const char *word)
{
	const char *scheme = strstr(word, "://");

	return scheme && !memchr(word, '/', (size_t)(scheme - word));
}

bool
tl_target_takes_formats(const char *word)
{
	return !is_url(word);
}

int
tl_target_open(struct tl_target **target, const struct tl_target_options *o,
    struct tl_fault *fault)
{
	int rc;

	if (is_url(o->url)) {
		if (o->format)
			return tl_fail(fault, -EINVAL,
			    "--format works only with a directory or -");
		if (tl_nats_is_url(o->url))
			return tl_nats_target_new(target, &o->nats, fault);
		if (tl_click_is_url(o->url))
			return tl_click_target_new(target, o, fault);
		return tl_fail(fault, -EINVAL,
		    "unknown kind of target: nats://, tls://, clickhouse://, "
		    "clickhouses://, a directory, or -");
	}
	if (strcmp(o->url, "-") == 0) {
		if (o->format && !o->format->write_new)
			return tl_fail(fault, -EINVAL,
			    "%s cannot be written to a pipe", o->format->name);
		if ((!o->format || (o->format->flags & TL_FORMAT_BINARY)) &&
		    isatty(STDOUT_FILENO) == 1)
			return tl_fail(fault, -EINVAL,
			    "blocks are binary: redirect standard output");
		rc = tl_stdout_target_new(target, STDOUT_FILENO, o);
	} else if (o->format) {
		rc = tl_events_target_new(target, o);
	} else {
		rc = tl_dir_target_new(target, o);
	}
	return rc == 0 ? 0 : tl_fail(fault, rc, "%s", strerror(-rc));
}
