/* SPDX-License-Identifier: Apache-2.0 */
/* syslog.c - syslog(3), to what listens on /dev/log. */
#include "peer.h"

#include <syslog.h>

static void *
start(void)
{
	static int it;

	openlog("bench-peers", 0, LOG_USER);
	setlogmask(LOG_UPTO(LOG_INFO));
	return &it;
}

static void
log_four(void *it, long n)
{
	(void)it;
	for (long i = 0; i < n; i++) {
		syslog(LOG_INFO, "processed %ld, %ld, %ld and %ld", i, 2L, 3L,
		    4L);
	}
}

static void
log_closed(void *it, long n)
{
	(void)it;
	for (long i = 0; i < n; i++) {
		syslog(LOG_DEBUG, "processed %ld, %ld, %ld and %ld", i, 2L, 3L,
		    4L);
	}
}

int
main(void)
{
	const struct peer peer = { .name = "syslog",
		.n = 5000,
		.start = start,
		.log = log_four,
		.log_disabled = log_closed };

	peer_run(&peer);
	return 0;
}
