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

/* The style of a listing that the options ask for. */
struct tl_listing_style
tl_sinks_style(const struct tl_options *options, enum tl_order order);

#endif
