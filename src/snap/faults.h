/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faults.h - the damage found in a file: the first ones kept, all counted.
 */
#ifndef TL_SNAP_FAULTS_H
#define TL_SNAP_FAULTS_H

#include "snap/snap.h"

struct tl_faults {
	struct tl_fault list[TL_SNAP_FAULTS_MAX];
	size_t count;
};

/* Where the next fault goes; when all are full, one that is thrown away. */
static inline struct tl_fault *
tl_faults_next(struct tl_faults *faults)
{
	static struct tl_fault thrown_away;
	const size_t i = faults->count++;

	if (i < TL_SNAP_FAULTS_MAX)
		return &faults->list[i];
	thrown_away.rc = 0;
	return &thrown_away;
}

#define tl_faults_add(faults, at, ...) \
	tl_fault(tl_faults_next(faults), -EBADMSG, (at), __VA_ARGS__)

#endif
