/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing.h - entries as lines of text, or as JSON or CSV.
 */
#ifndef TL_DUMP_LISTING_H
#define TL_DUMP_LISTING_H

#include "dump/options.h"
#include "dump/output.h"
#include "event/cursor.h"
#include "event/merge.h"
#include "source/hosts.h"

/* How it looks. */
struct tl_listing_style {
	const uint8_t *columns; /* enum tl_column; outlives the listing */
	size_t column_count;
	enum tl_order order; /* of the events that come */
	bool explain;
	enum tl_time_form time;
	uint64_t max;                 /* lines of entries; 0: any number */
	const struct tl_hosts *hosts; /* that they come from; NULL: not shown */
	bool marks; /* of several hosts: mark entries that overlap */
};

/*
 * A sink of lines.  The delta of an entry to the one before it in time is
 * known only when that one comes: newest first the listing holds one entry
 * back, and the caller gives one more than max.
 */
int tl_listing_new(struct tl_sink **sink, struct tl_output *output,
    const struct tl_listing_style *style);

/* Does it show a delta? */
bool tl_listing_has_delta(const struct tl_listing_style *style);

/* Oldest first: the entry before the first that is shown. */
void tl_listing_prime(struct tl_sink *sink, const struct tl_event *event);

/* The long text of a message, each line indented. */
void tl_listing_explain(struct tl_text *text, struct tl_bytes explain);

#define TL_COLOR_END "\033[0m"

/* For events of an order; max as for a listing.  0 or -ENOMEM. */
int tl_sinks_new(struct tl_sink **sink, const struct tl_options *options,
    struct tl_output *output, const struct tl_listing_style *style);
void tl_sinks_free(struct tl_sink *sink, const struct tl_options *options);

/* The style of a listing that the options ask for, of these hosts (NULL: they
 * are not known). */
struct tl_listing_style tl_sinks_style(const struct tl_options *options,
    const struct tl_hosts *hosts, enum tl_order order);
/* Say to a sink that is no listing where events come from, source by source. */
void
tl_sinks_set_sources(struct tl_sink *sink, const struct tl_options *options,
    const struct tl_origin *sources, size_t count);
/* The same where more sources come later, perhaps of several hosts. */
void
tl_sinks_expect_hosts(struct tl_sink *sink, const struct tl_options *options);

#endif
