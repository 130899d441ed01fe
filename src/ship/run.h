/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - ship timelines until stopped
 *
 *	timelines --chains--> spool --one loop--> target
 */
#ifndef TL_SHIP_RUN_H
#define TL_SHIP_RUN_H

#include "base/text.h"
#include "ship/spool/spool.h"
#include "ship/target/target.h"

#include <signal.h>
#include <stdbool.h>

/* == feed == */

/*
 * A live timeline that becomes blocks of a chain.
 *
 *	timeline --recorder--> small files in memory --put--> spool
 *
 * It continues where the chain ended if the file is still the one that the
 * chain was made from.  A new file of the same name is shipped from its first
 * entry, in the same chain.
 *
 * One thread reads all timelines.  The recorder has a thread of its own that
 * writes: all its callbacks run there, and no other puts blocks of this chain.
 */

struct tl_feed;
struct tl_recorder_crew;

struct tl_feed_options {
	const char *host;
	uint64_t block_size; /* of a block, about */
	uint64_t every_ns;   /* age at which a block ends */
	int compress;        /* zstd level, 0: plain */
	bool all;            /* begin a new chain with what was logged before */
	const struct tl_report *report; /* of faults; any thread */
	/* that reads; NULL: each timeline has its own thread */
	struct tl_recorder_crew *readers;
};

struct tl_feed_status {
	uint64_t entries; /* that were recorded */
	uint64_t lost;
	int rc;    /* why following or spooling fails; 0 */
	bool done; /* it has ended */
};

/* Follow the timeline of fd, which remains the caller's, into the chain.  0;
 * -errno and the fault. */
int tl_feed_start(struct tl_feed **chain, struct tl_spool_chain *kept,
    const char *timeline, int fd, const struct tl_feed_options *options,
    struct tl_fault *fault);
void tl_feed_status(struct tl_feed *chain, struct tl_feed_status *status);
/* Make blocks of what was logged so far, and end.  Returns at once. */
void tl_feed_stop(struct tl_feed *chain);
/* Stop, and wait for the last block.  NULL does nothing. */
void tl_feed_free(struct tl_feed *chain);

/* == sources == */

/*
 * The timelines that are shipped: found by name or glob, followed until they
 * are removed
 */

enum { TL_SOURCES_MAX = 256 /* at a time */ };

struct tl_ship_sources;

struct tl_ship_sources_status {
	size_t count;     /* timelines that are followed now */
	uint64_t entries; /* recorded of all, so far */
	uint64_t lost;
};

/* names, globs among them, and all of options outlive it; the thread that
 * reads is its own.  0 or -errno. */
int tl_ship_sources_new(struct tl_ship_sources **sources,
    struct tl_spool *spool, const char *const *names, size_t count,
    const struct tl_feed_options *options);
/* Follow new timelines, release those that ended. */
void tl_ship_sources_scan(struct tl_ship_sources *sources);
void tl_ship_sources_status(struct tl_ship_sources *sources,
    struct tl_ship_sources_status *status);
/* Make blocks of what was logged so far, and end.  Returns at once. */
void tl_ship_sources_stop(struct tl_ship_sources *sources);
/* Have all of them ended? */
bool tl_ship_sources_are_done(struct tl_ship_sources *sources);
/* NULL does nothing. */
void tl_ship_sources_free(struct tl_ship_sources *sources);

/* == run == */

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
