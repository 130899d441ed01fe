/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place.h - a folder in /dev/shm that goes with the process, whatever is in
 * it, unless SIGKILL ends it.
 */
#ifndef PLACE_H
#define PLACE_H

#include <stdint.h>
#include <sys/types.h>

/* Make it: its path. */
const char *place_make(void);
/* How many bytes are in the files at path, a file or a folder, which is
 * removed. */
uint64_t place_take(const char *path);
/* The process that works there now, which is to end with this one; 0: none. */
void place_worker(pid_t worker);

#endif
