/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sinks.h - the sink of entries that the options ask for.
 */
#ifndef TL_DUMP_SINKS_H
#define TL_DUMP_SINKS_H

#include "dump/listing.h"

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
/* ... of which more come later, maybe of several hosts. */
void
tl_sinks_expect_hosts(struct tl_sink *sink, const struct tl_options *options);

#endif
