/* SPDX-License-Identifier: Apache-2.0 */
/*
 * take.h - freeze a live file: copy it so that nothing half written or
 * overwritten passes for whole.
 *
 *	h1 of all lanes -> entries (fallback lanes twice) -> h2
 *	-> newest -> string tail -> strings -> clock and a closing point
 *	-> header, built last
 *
 * What an entry refers to was published before it was logged, so it is in
 * the copy.  An entry q is whole iff q < h1, q + N > h2 and its stamp is
 * 2q+2: the stamp alone does not tell, for an attempt that was aborted can
 * leave an old stamp over new bytes.  In fallback lanes the head moves before
 * the entry is written, so there the stamp must be 2q+2 in two copies.
 */
#ifndef TL_SNAP_TAKE_H
#define TL_SNAP_TAKE_H

#include "snap/faults.h"

struct tl_take {
	/* in */
	uint64_t tail;        /* newest entries wanted of a lane; 0 all */
	const uint64_t *from; /* entries wanted of each lane from here on;
				 NULL from the oldest */
	bool close_clock;     /* measure a closing point */
	/* out */
	struct timeline_header header; /* as written to the copy */
	struct timeline_head *heads;   /* of all lanes; free() them */
};

/*
 * Copy the timeline in live, whose header was checked, to out, an empty file
 * of the caller's.  Damage goes to faults.  0 or -errno (-ENOMEM, or what
 * reading and writing said; heads is NULL then).
 */
int tl_take(struct tl_take *take, int live,
    const struct timeline_header *geometry, int out, struct tl_faults *faults);

#endif
