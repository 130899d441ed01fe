/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tally.h - how often each message was seen, lately and ever.
 *
 * Rows outlive the cursor that their messages came from: a message is known by
 * its number in the file, and its text is kept.
 */
#ifndef TL_CTL_TALLY_H
#define TL_CTL_TALLY_H

#include "event/event.h"

enum { TL_TALLY_MAX = 1 << 16 }; /* messages */

enum tl_tally_key {
	TL_TALLY_RATE,
	TL_TALLY_TOTAL,
	TL_TALLY_PRIORITY,
	TL_TALLY_NAME,
	TL_TALLY_KEYS
};

struct tl_tally_row {
	uint32_t id; /* of the message */
	uint8_t level;
	struct tl_bytes category; /* its own copies */
	struct tl_bytes line;
	uint64_t seen; /* since the round began */
	double rate;   /* a second, in the last round */
	double total;
};

struct tl_tally {
	struct tl_tally_row **rows; /* in order after tl_tally_sort */
	size_t count;
	size_t capacity;
	uint32_t *slots; /* by id: row of by_id + 1; 0 free */
	struct tl_tally_row **by_id;
	size_t slot_count; /* a power of two */
	uint64_t seen;     /* since the round began */
};

/* Starts from all zeros. */
void tl_tally_free(struct tl_tally *tally);
/* One event, not TL_LOST.  0 or -ENOMEM; messages beyond the bound count only
 * in seen. */
int tl_tally_put(struct tl_tally *tally, const struct tl_event *event);
/* The round took so long, and stands for fresh entries, of which seen were
 * looked at. */
void tl_tally_end_round(struct tl_tally *tally, double seconds, uint64_t fresh);
void tl_tally_sort(struct tl_tally *tally, enum tl_tally_key key);

/* "rate", "total", "priority", "name"; TL_TALLY_KEYS: no such key. */
enum tl_tally_key tl_tally_parse_key(const char *word);
const char *tl_tally_key_name(enum tl_tally_key key);

#endif
