/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qb.c - the flight recorder of libqb, which Corosync and Pacemaker use: a ring
 * of the process in /dev/shm.
 */
#include "peer.h"

#include <qb/qblog.h>
#include <stdio.h>
#include <syslog.h>
#include <unistd.h>

enum { RING_SIZE = 4 << 20 };

/* run removes the files of these names. */
static void *
start(void)
{
	static char name[32];

	snprintf(name, sizeof(name), "bench-peers-%d", (int)getpid());
	qb_log_init(name, LOG_USER, LOG_EMERG);
	qb_log_ctl(QB_LOG_SYSLOG, QB_LOG_CONF_ENABLED, QB_FALSE);
	qb_log_filter_ctl(QB_LOG_BLACKBOX, QB_LOG_FILTER_ADD,
	    QB_LOG_FILTER_FILE, "*", LOG_INFO);
	qb_log_ctl(QB_LOG_BLACKBOX, QB_LOG_CONF_SIZE, RING_SIZE);
	qb_log_ctl(QB_LOG_BLACKBOX, QB_LOG_CONF_THREADED, QB_FALSE);
	if (qb_log_ctl(QB_LOG_BLACKBOX, QB_LOG_CONF_ENABLED, QB_TRUE) < 0)
		peer_die("libqb: the blackbox cannot be enabled");
	return name;
}

static void
log_four(void *it, long n)
{
	(void)it;
	for (long i = 0; i < n; i++) {
		qb_log(LOG_INFO, "processed %ld, %ld, %ld and %ld", i, 2L, 3L,
		    4L);
	}
}

static void
log_closed(void *it, long n)
{
	(void)it;
	for (long i = 0; i < n; i++) {
		qb_log(LOG_DEBUG, "processed %ld, %ld, %ld and %ld", i, 2L, 3L,
		    4L);
	}
}

int
main(void)
{
	const struct peer peer = { .name = "libqb blackbox",
		.n = 5000,
		.start = start,
		.log = log_four,
		.log_disabled = log_closed };

	peer_run(&peer);
	return 0;
}
