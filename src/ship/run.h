/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - ship timelines until stopped
 *
 *	timelines --chains--> spool --one loop--> target
 */
#ifndef TL_SHIP_RUN_H
#define TL_SHIP_RUN_H

#include "base/text.h"
#include "ship/sources.h"
#include "ship/target/target.h"

#include <signal.h>

struct tl_run_options {
	struct tl_target_options target;
	struct tl_feed_options chain;
	const char *spool; /* NULL: in memory */
	uint64_t spool_size;
	const char *const *timelines;
	size_t timeline_count;
	int64_t for_ns; /* 0: until stopped */
	int64_t linger_ns;
	const volatile sig_atomic_t *stop; /* not 0: end */
	bool quiet;                        /* no status on a terminal */
	const struct tl_report *report;    /* any thread */
};

/* The totals.  Blocks still in the spool were not acknowledged. */
struct tl_run_result {
	struct tl_spool_status spool;
	struct tl_ship_sources_status sources;
	uint64_t refused; /* blocks that were too large for the target */
	int64_t lasted_ns;
	bool reader_left; /* of standard output */
	bool failed;      /* unsent blocks are lost: there is no spool folder */
};

/* 0; -errno and the fault: it could not start. */
int tl_run(const struct tl_run_options *options, struct tl_run_result *result,
    struct tl_fault *fault);

/* One line of progress for a terminal. */
void tl_run_line(struct tl_text *text, const struct tl_run_result *so_far,
    bool disconnected);

#endif
