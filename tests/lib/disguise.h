/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disguise.h - change a saved timeline as if another host had saved it, a host
 * whose clock is wrong by a given time.
 */
#ifndef TESTS_LIB_DISGUISE_H
#define TESTS_LIB_DISGUISE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <timeline_layout.h>

struct disguise {
	const char *host; /* NULL: unchanged */
	uint8_t boot;     /* each byte of the boot ID; 0: unchanged */
	int64_t shift_ns; /* how far the clock is ahead */
	bool sync_given;  /* false: sync_us is unchanged */
	uint32_t sync_us; /* the error that the clock reports; ~0: unknown */
};

static inline void
disguise_sync(const struct disguise *d, uint32_t *sync_us, uint16_t *flags)
{
	if (!d->sync_given)
		return;
	*sync_us = d->sync_us;
	*flags &= (uint16_t)~TIMELINE_KNOT_UNSYNC;
	if (d->sync_us == UINT32_MAX)
		*flags |= TIMELINE_KNOT_UNSYNC;
}

/* Change the bytes of a snapshot, which must be whole and not compressed.
 * false: there are too few bytes. */
static inline bool
disguise(const struct disguise *d, uint8_t *bytes, size_t size)
{
	struct timeline_header *h = (void *)bytes;
	struct timeline_knot *knots;

	if (size < sizeof(*h) || h->magic != TIMELINE_MAGIC ||
	    h->knots_offset > size ||
	    h->knots_max > (size - h->knots_offset) / sizeof(*knots))
		return false;
	if (d->host)
		snprintf(h->creator_host, sizeof(h->creator_host), "%s",
		    d->host);
	if (d->boot)
		memset(h->boot_id, d->boot, sizeof(h->boot_id));
	h->created_ns += d->shift_ns;
	h->saved_ns += h->saved_ns ? d->shift_ns : 0;
	h->clock.utc_ns += d->shift_ns;
	disguise_sync(d, &h->clock.sync_err_us, &h->clock.flags);
	knots = (void *)(bytes + h->knots_offset);
	for (size_t i = 0; i < h->knots_max; i++) {
		if (knots[i].seq == 0)
			continue;
		knots[i].utc_ns += d->shift_ns;
		disguise_sync(d, &knots[i].sync_err_us, &knots[i].flags);
	}
	return true;
}

#endif
