/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.h - survive a timeline that is truncated while it is mapped.
 *
 * The owner may truncate the file at any time; an access to the mapping would
 * then end this process by SIGBUS.  The handler maps an empty page of our own
 * in place of the lost page and marks the mapping; targets.c then detaches.
 */
#ifndef TL_DAEMON_SANDBOX_GUARD_H
#define TL_DAEMON_SANDBOX_GUARD_H

#include <stdbool.h>
#include <stddef.h>

enum { TL_GUARDS_MAX = 1024 };

/* Install the handler, once at start.  From then on every attached timeline is
 * guarded, by the number in its struct.  Returns 0 or -errno. */
int tl_guard_start(void);
/* Guard a mapping.  Returns the number of the guard or -ENOSPC. */
int tl_guard_add(const void *map, size_t size);
void tl_guard_remove(int guard);
/* Was a page of the mapping lost? */
bool tl_guard_is_lost(int guard);

#endif
