/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.h - the CSV of --profiling, written while the program runs.
 */
#ifndef TL_FRONT_PROFILE_H
#define TL_FRONT_PROFILE_H

#include <stddef.h>
#include <stdint.h>

struct tl_profile;

/* The label of a mark: the name (a string), its size and its hash. */
struct tl_profile_key {
	const char *name;
	size_t size;
	uint64_t hash;
};

/* Open a profile at a path; time starts now.  A profile of an earlier run is
 * replaced.  Returns 0, an error of tl_log_file_open, or -ENOMEM. */
int tl_profile_open(struct tl_profile **profile, const char *path);
void tl_profile_close(struct tl_profile *profile);

/* Write the line of a mark, in order of time; a new label has a line of its own
 * before the mark.  Any thread of the process that opened the profile may
 * call. */
void tl_profile_mark(struct tl_profile *profile,
    const struct tl_profile_key *key, int is_end);

/* The number of marks that the profile lacks: marks without memory, without
 * room in the file system, or of a forked process. */
uint64_t tl_profile_lost(const struct tl_profile *profile);

#endif
