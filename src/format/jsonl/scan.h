/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.h - read a line that has exactly the form in jsonl.h.
 */
#ifndef TL_FORMAT_JSONL_SCAN_H
#define TL_FORMAT_JSONL_SCAN_H

#include "event/event.h"
#include "format/line_read.h"

/*
 * Read a line into *event, which must be all zeros.  1: the event was read.  0:
 * the line has another form, or its message is not in the cache.  -errno.
 * Faults are not noted.  *key becomes the raw text of the message in the line;
 * kind 0: not found.
 */
int tl_jsonl_scan(struct tl_line_read *read, struct tl_bytes line,
    struct tl_event *event, struct tl_message_cache_key *key);

#endif
