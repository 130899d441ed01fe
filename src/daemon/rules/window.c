/* SPDX-License-Identifier: Apache-2.0 */
/* window.c - stamps in a ring. */
#include "daemon/rules/rules.h"

#include "base/ns.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int
tl_window_init(struct tl_window *window, uint64_t n_max)
{
	assert(n_max <= TL_WINDOW_ASKED_MAX);
	*window = (struct tl_window){ .every = n_max / TL_WINDOW_SLOTS + 1 };
	/* The newest stamp may begin a group, and the oldest needed stamp may
	 * end one. */
	window->size = n_max / window->every + 2;
	window->stamps = calloc(window->size, sizeof(*window->stamps));
	return window->stamps ? 0 : -ENOMEM;
}

void
tl_window_free(struct tl_window *window)
{
	free(window->stamps);
	*window = (struct tl_window){ 0 };
}

void
tl_window_clear(struct tl_window *window)
{
	window->total = 0;
}

void
tl_window_add(struct tl_window *window, int64_t ns)
{
	if (window->total > 0 && ns < window->newest)
		ns = window->newest;
	window->newest = ns;
	if (window->total % window->every == 0)
		window->stamps[window->total / window->every % window->size] =
		    ns;
	window->total++;
}

bool
tl_window_has(const struct tl_window *window, uint64_t n, int64_t after_ns)
{
	uint64_t slot;

	if (n == 0)
		return true;
	if (n > window->total)
		return false;
	slot = (window->total - n) / window->every;
	assert((window->total - 1) / window->every - slot < window->size);
	return window->stamps[slot % window->size] > after_ns;
}

void
tl_throttle_configure(struct tl_throttle *rate, uint64_t every_ns,
    uint64_t per_hour)
{
	rate->every_ns = every_ns;
	if (rate->per_hour != per_hour)
		tl_window_free(&rate->done);
	rate->per_hour = per_hour;
}

bool
tl_throttle_claim(struct tl_throttle *rate, int64_t ns)
{
	const struct tl_window *done = &rate->done;

	/* at least one slot, for the check of every_ns */
	if (!done->stamps && tl_window_init(&rate->done,
				 rate->per_hour > 0 ? rate->per_hour : 1) < 0)
		return true;
	if ((rate->every_ns > 0 &&
		tl_window_has(done, 1, ns - (int64_t)rate->every_ns)) ||
	    (rate->per_hour > 0 &&
		tl_window_has(done, rate->per_hour, ns - TL_NS_PER_H))) {
		rate->suppressed++;
		return false;
	}
	tl_window_add(&rate->done, ns);
	return true;
}
