/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.h - single values of Chrome's trace events.
 */
#ifndef TL_FORMAT_CHROME_VALUE_H
#define TL_FORMAT_CHROME_VALUE_H

#include "format/chrome/event.h"

/* Microseconds with decimals after base_ns, to the nanosecond: half of one
 * away from 0.  false: none (*ns is base_ns) or beyond all times (the last
 * one). */
bool tl_chrome_time(const struct tl_chrome_value *value, int64_t base_ns,
    int64_t *ns);

/* A hash of a name: 0 for none, and only then. */
uint64_t tl_chrome_hash(struct tl_bytes name);

#endif
