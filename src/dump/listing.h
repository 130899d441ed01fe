/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing.h - entries as lines of text, or as JSON or CSV.
 */
#ifndef TL_DUMP_LISTING_H
#define TL_DUMP_LISTING_H

#include "dump/options.h"
#include "dump/output.h"
#include "dump/overwritten.h"
#include "event/cursor.h"
#include "event/merge.h"
#include "source/hosts.h"

/* The style of a listing. */
struct tl_listing_style {
	const uint8_t *columns; /* enum tl_column; must outlive the listing */
	size_t column_count;
	enum tl_order order; /* order of the events that are put */
	bool explain;
	enum tl_time_form time;
	uint64_t max; /* lines of entries; 0: any number */
	/* the hosts of the events; NULL: not shown */
	const struct tl_hosts *hosts;
	bool marks; /* several hosts: mark entries that overlap */
	/* by source, each reported once; NULL: report the start of each lane */
	struct tl_overwritten *overwritten;
	size_t sources;
};

/* Does the style show a delta? */
bool tl_listing_has_delta(const struct tl_listing_style *style);

/* Oldest first: pass the entry before the first entry to show. */
void tl_listing_prime(struct tl_sink *sink, const struct tl_event *event);

/* Append the long text of a message, each line indented. */
void tl_listing_explain(struct tl_text *text, struct tl_bytes explain);

#define TL_COLOR_END "\033[0m"

/*
 * Make the sink that the options choose, for events of an order.  The delta of
 * an entry is the distance to the previous entry in time.  Newest first the
 * previous entry comes later, so a listing holds one entry back, and the caller
 * puts one entry more than max.  0 or -ENOMEM.
 */
int tl_sinks_new(struct tl_sink **sink, const struct tl_options *options,
    struct tl_output *output, const struct tl_listing_style *style);
void tl_sinks_free(struct tl_sink *sink, const struct tl_options *options);

/* The style of a listing by the options.  hosts NULL: unknown. */
struct tl_listing_style tl_sinks_style(const struct tl_options *options,
    const struct tl_hosts *hosts, enum tl_order order);
/* Set the sources of the events, in order.  For sinks other than a listing. */
void
tl_sinks_set_sources(struct tl_sink *sink, const struct tl_options *options,
    const struct tl_origin *sources, size_t count);
/* Tell a sink other than a listing that more sources may appear later, perhaps
 * of several hosts. */
void
tl_sinks_expect_hosts(struct tl_sink *sink, const struct tl_options *options);

#endif
