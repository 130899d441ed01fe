/* SPDX-License-Identifier: Apache-2.0 */
/*
 * epoch.c - records of epochs: the counter restarted (suspend, migration).
 *
 * Stamps before and after a restart cannot be compared.  A record holds the
 * number of entries of each lane at the restart; for readers, later entries
 * belong to the next epoch.  In place of a text the record has a u64, the
 * epoch, and a u64 for the head of each lane.
 */
#include "base/word.h"
#include "ring/ring.h"

#include <stdlib.h>

void
tl_epoch_publish(struct timeline *tl)
{
	const uint32_t lanes = timeline_lane_count(&tl->geometry);
	struct tl_record record = { .fixed.kind = TIMELINE_RECORD_EPOCH };
	struct timeline_event **unused;
	uint64_t *words = calloc((size_t)lanes + 1, sizeof(*words));
	uint64_t offset;

	if (!words) /* the knots of the clock show the epoch too */
		return;
	words[0] = tl_load_32(&tl->header->epochs);
	for (uint32_t i = 0; i < lanes; i++)
		words[i + 1] = tl_load_acquire_64(&tl_lane_head(tl, i)->head);
	record.category = record.file = tl_bytes_of("");
	record.text = tl_bytes(words, ((size_t)lanes + 1) * sizeof(*words));
	tl_strings_lock();
	tl_strings_add_locked(tl, &record, &offset, &unused);
	tl_strings_unlock();
	free(words);
}

void
tl_clock_visit(struct timeline *tl)
{
	const int rc = tl_calibrate_maybe(&tl->calibrate);

	if (rc > 0 && (rc & TL_CALIBRATE_EPOCH))
		tl_epoch_publish(tl);
}
