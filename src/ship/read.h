/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - read the blocks of a stream: of chosen hosts, timelines and times,
 * each once, in the order of its chain, concatenated
 */
#ifndef TL_SHIP_READ_H
#define TL_SHIP_READ_H

#include "event/reader.h"
#include "event/writer.h"
#include "ship/ship.h"

#include <signal.h>

struct tl_ship_read {
	struct tl_nats_options nats;
	const struct tl_arguments *hosts; /* globs; none: any */
	const struct tl_arguments *timelines;
	int64_t since_ns; /* INT64_MIN: no bound; inclusive */
	int64_t until_ns; /* INT64_MAX: no bound; inclusive */
	uint64_t count;   /* stop after this many blocks; 0: no bound */
	bool follow;      /* wait for new blocks; else end at the last now */
	const volatile sig_atomic_t *stop; /* not 0: end; may be NULL */
	tl_write *write;                   /* called with one block at a time */
	void *context;
	/* Receives missing, damaged and foreign messages. */
	const struct tl_report *report;
};

/* 0; -errno and the fault; the result of write; -EBADMSG: read to the end, and
 * damage was reported. */
int tl_ship_read(const struct tl_ship_read *read, struct tl_fault *fault);

#endif
