/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.c - the handler of SIGBUS, and the guarded mappings.
 */
#include "ring/guard.h"

#include "base/word.h"
#include "ring/ring.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <timeline_layout.h>

/* The handler reads guards at any moment: size is stored last and cleared
 * first. */
static struct guard {
	uint64_t map;
	uint64_t size; /* 0: free */
	uint32_t lost;
} guards[TL_GUARDS_MAX];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of adding */
static struct sigaction before;
static bool started;

static struct guard *
find(uint64_t address)
{
	for (int i = 0; i < TL_GUARDS_MAX; i++) {
		struct guard *g = &guards[i];
		const uint64_t size = tl_load_acquire_64(&g->size);

		if (size > 0 && address - g->map < size)
			return g;
	}
	return NULL;
}

static void
handle(int signal_number, siginfo_t *info, void *context)
{
	const uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
	const uint64_t page = address & ~(uint64_t)(TIMELINE_PAGE_SIZE - 1);
	struct guard *g = find(address);
	const int saved = errno;

	(void)context;
	if (!g ||
	    mmap((void *)(uintptr_t)page, TIMELINE_PAGE_SIZE,
		PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		-1, 0) == MAP_FAILED) {
		/* not a guarded mapping: do as without this handler */
		sigaction(signal_number, &before, NULL);
		raise(signal_number);
		return;
	}
	tl_store_32(&g->lost, 1);
	errno = saved;
}

int
tl_guard_start(void)
{
	static const struct tl_map_guard guard = { tl_guard_add,
		tl_guard_remove };
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_NODEFER };

	if (started)
		return 0;
	action.sa_sigaction = handle;
	if (sigaction(SIGBUS, &action, &before) < 0)
		return -errno;
	tl_map_guard = &guard;
	started = true;
	return 0;
}

int
tl_guard_add(const void *map, size_t size)
{
	int i = 0;

	if (!started)
		return -ENOSYS;
	pthread_mutex_lock(&lock);
	while (i < TL_GUARDS_MAX && tl_load_64(&guards[i].size) > 0)
		i++;
	if (i < TL_GUARDS_MAX) {
		guards[i].map = (uint64_t)(uintptr_t)map;
		tl_store_32(&guards[i].lost, 0);
		tl_store_release_64(&guards[i].size, size);
	}
	pthread_mutex_unlock(&lock);
	return i < TL_GUARDS_MAX ? i : -ENOSPC;
}

void
tl_guard_remove(int guard)
{
	if (guard >= 0)
		tl_store_release_64(&guards[guard].size, 0);
}

bool
tl_guard_is_lost(int guard)
{
	return guard >= 0 && tl_load_32(&guards[guard].lost) != 0;
}
