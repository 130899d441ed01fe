/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.h - read a line of JSON that is as jsonl.h has it.
 */
#ifndef TL_FORMAT_JSONL_SCAN_H
#define TL_FORMAT_JSONL_SCAN_H

#include "event/event.h"
#include "format/line_read.h"

/*
 * 1: the event was read, *event was all zeros before; 0: the line is not just
 * as expected, or its message is not remembered; -errno.  Nothing is noted.
 * key is how its message stands in the line, kind 0 where that is not known.
 */
int tl_jsonl_scan(struct tl_line_read *read, struct tl_bytes line,
    struct tl_event *event, struct tl_message_cache_key *key);

#endif
