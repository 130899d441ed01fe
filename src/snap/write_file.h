/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_file.h - a snapshot of which all is known goes out, from its first
 * byte to its last.
 */
#ifndef TL_SNAP_WRITE_FILE_H
#define TL_SNAP_WRITE_FILE_H

#include "event/out.h"
#include "event/store.h"
#include "snap/write_clock.h"
#include "snap/write_lanes.h"
#include "snap/write_table.h"

/* Starts from all zeros; then its owner fills in store, lanes and table. */
struct tl_timeline_file {
	struct timeline_header header;
	struct tl_timeline_lanes lanes;
	struct tl_timeline_table table;
	struct tl_timeline_clock clock;
	struct tl_store *store;  /* events, with ns counting them as put */
	struct tl_store *placed; /* by their place in the file, if need be */
	uint64_t flip;           /* bits of every stamp */
	uint64_t renamed;        /* numbers of strings that are not there */
	struct tl_out *out;
	uint64_t at; /* bytes written */
};

enum { TL_TIMELINE_STORE_MEMORY = 16 << 20 }; /* of each store */

/* Plan lanes, and place every region: header knows the clock already. */
int tl_timeline_file_plan(struct tl_timeline_file *file);
int tl_timeline_file_write(struct tl_timeline_file *file);
void tl_timeline_file_free(struct tl_timeline_file *file);

static inline bool
tl_timeline_is_string(const struct tl_message *message, unsigned i)
{
	return message->args[i].format == TIMELINE_ARG_STRING;
}

#endif
