/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expand.h - "app", "/app", "/run/x.tl", "web*": the paths that are meant.
 */
#ifndef TL_SHIP_EXPAND_H
#define TL_SHIP_EXPAND_H

#include <stdbool.h>

/* Told of a path; globbed: it only looks like what was meant.  false: stop. */
typedef bool tl_expand_found(void *context, const char *path, bool globbed);

/* A name without a slash is one in /dev/shm.  What is no glob is told whether
 * it is there or not. */
void tl_expand(const char *name, tl_expand_found *found, void *context);

/* What a path is called: that in /dev/shm by its name. */
const char *tl_expand_name(const char *path);

#endif
