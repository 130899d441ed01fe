/* SPDX-License-Identifier: Apache-2.0 */
/*
 * window.h - did an event happen at least n times since some time?
 *
 * The newest stamps are in a ring, so the answer is one comparison with the
 * stamp n places back.  For large n only every k-th stamp is kept; the answer
 * is then exact to one part in TL_WINDOW_SLOTS and errs towards "no".
 */
#ifndef TL_DAEMON_RULES_WINDOW_H
#define TL_DAEMON_RULES_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

enum { TL_WINDOW_SLOTS = 1 << 16 };
/* The largest n of tl_window_has. */
#define TL_WINDOW_ASKED_MAX ((uint64_t)1 << 40)

struct tl_window {
	int64_t *stamps; /* NULL: not initialized */
	uint64_t size;   /* of the ring */
	uint64_t every;  /* one stamp of this many is kept */
	uint64_t total;  /* stamps added */
	int64_t newest;
};

/* Allocate a window for n up to n_max.  Returns 0 or -ENOMEM. */
int tl_window_init(struct tl_window *window, uint64_t n_max);
void tl_window_free(struct tl_window *window);
void tl_window_clear(struct tl_window *window);
/* Add a stamp.  A stamp older than the one before counts as equal to it. */
void tl_window_add(struct tl_window *window, int64_t ns);
/* Were at least n stamps added that are later than after_ns? */
bool
tl_window_has(const struct tl_window *window, uint64_t n, int64_t after_ns);

/* A rate limit, in the time of one clock. */
struct tl_throttle {
	struct tl_window done; /* actions of the last hour, if any */
	uint64_t per_hour;     /* 0: no limit */
	uint64_t every_ns;     /* 0: no limit */
	uint64_t suppressed;
};

/* Change the limits; past actions are forgotten if per_hour changes. */
void tl_throttle_configure(struct tl_throttle *rate, uint64_t every_ns,
    uint64_t per_hour);
/* May the action happen now?  If so, the action is counted as done, otherwise
 * as suppressed.  Without memory there is no limit. */
bool tl_throttle_claim(struct tl_throttle *rate, int64_t ns);

#endif
