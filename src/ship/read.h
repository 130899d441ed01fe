/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - blocks out of a stream, one behind the other: those of some hosts
 * and timelines, of some time, each once and in the order of its chain.
 */
#ifndef TL_SHIP_READ_H
#define TL_SHIP_READ_H

#include "event/out.h"
#include "event/reader.h"
#include "ship/nats/link.h"

#include <signal.h>

enum { TL_SHIP_GLOBS_MAX = 64 };

struct tl_ship_read {
	struct tl_nats_options nats;
	const char *hosts[TL_SHIP_GLOBS_MAX]; /* globs; none: any */
	size_t host_count;
	const char *timelines[TL_SHIP_GLOBS_MAX];
	size_t timeline_count;
	int64_t since_ns; /* INT64_MIN: no bound; inclusive */
	int64_t until_ns; /* INT64_MAX: no bound; inclusive */
	uint64_t count;   /* stop after so many blocks; 0: no bound */
	bool follow;      /* wait for what comes; else up to what is there */
	const volatile sig_atomic_t *stop; /* not 0: end; may be NULL */
	tl_write *write;                   /* a block after the other */
	void *context;
	/* Told of what is missing, damaged or none of ours. */
	const struct tl_report *report;
};

/* 0; -errno and the fault says why; what write said; -EBADMSG: it was read to
 * the end, and something was wrong with it, which was said. */
int tl_ship_read(const struct tl_ship_read *read, struct tl_fault *fault);

#endif
