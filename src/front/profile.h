/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.h - the CSV of --profiling, written while the program runs.
 */
#ifndef TL_FRONT_PROFILE_H
#define TL_FRONT_PROFILE_H

#include <stddef.h>
#include <stdint.h>

struct tl_profile;

/* A label that is marked: its name (a string), size and hash. */
struct tl_profile_key {
	const char *name;
	size_t size;
	uint64_t hash;
};

/* A profile at a path; time starts now.  One of an earlier run is replaced.
 * Errors as tl_log_file_open, -ENOMEM. */
int tl_profile_open(struct tl_profile **profile, const char *path);
void tl_profile_close(struct tl_profile *profile);

/* A line, in order of time; a label that is new has a line before it.  Any
 * thread of the process that opened it. */
void tl_profile_mark(struct tl_profile *profile,
    const struct tl_profile_key *key, int is_end);

/* Marks that are not in it: no memory, no room in the file system, or of a
 * forked process. */
uint64_t tl_profile_lost(const struct tl_profile *profile);

#endif
