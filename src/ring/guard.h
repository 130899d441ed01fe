/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.h - survive a timeline that is truncated while it is mapped.
 *
 * The owner may truncate the file at any time; an access to the mapping would
 * then end this process by SIGBUS.  The handler maps an empty page of our own
 * in place of the lost page and marks the mapping.  Programs install the
 * handler; the libraries do not, and map no file that they only read.
 */
#ifndef TL_RING_GUARD_H
#define TL_RING_GUARD_H

#include <stdbool.h>
#include <stddef.h>

enum { TL_GUARDS_MAX = 4096 };

/* Install the handler.  From then on every timeline that is opened is guarded,
 * by the number in its struct.  A SIGBUS of other memory goes to the handler
 * that was installed before.  Threads must not block SIGBUS.  Returns 0 or
 * -errno. */
int tl_guard_start(void);
/* Guard a mapping.  Any thread may call this function.  Returns the number of
 * the guard; -ENOSPC; -ENOSYS without a handler. */
int tl_guard_add(const void *map, size_t size);
void tl_guard_remove(int guard);
/* Was a page of the mapping lost? */
bool tl_guard_is_lost(int guard);

#endif
