/* SPDX-License-Identifier: Apache-2.0 */
/* window.c - stamps in a ring. */
#include "daemon/window.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int
tl_window_init(struct tl_window *window, uint64_t n_max)
{
	assert(n_max <= TL_WINDOW_ASKED_MAX);
	*window = (struct tl_window){ .every = n_max / TL_WINDOW_SLOTS + 1 };
	/* The newest may begin a group, the oldest asked for end one. */
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
