/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inputs.h - the files that are read, and all of them as one cursor.
 */
#ifndef TL_DUMP_INPUTS_H
#define TL_DUMP_INPUTS_H

#include "dump/options.h"
#include "event/merge.h"
#include "snap/snap.h"

struct tl_input {
	const char *name;
	struct tl_snap *snap;  /* NULL: could not be opened */
	struct tl_fault fault; /* why */
};

struct tl_inputs {
	struct tl_input items[TL_FILES_MAX];
	size_t count;
};

/* Open every file, with at least the newest tail entries of each (0: all).
 * Those that cannot be opened stay in the list with their fault. */
void tl_inputs_open(struct tl_inputs *inputs, const struct tl_options *options,
    uint64_t tail);
void tl_inputs_close(struct tl_inputs *inputs);
/* Close the files but keep their names and faults. */
void tl_inputs_close_snaps(struct tl_inputs *inputs);

/* Everything that can be shown, of all files that are open.  The source of
 * an event is the index of its file among them all.  -ENOENT: none is open. */
int tl_inputs_cursor(const struct tl_inputs *inputs, enum tl_order order,
    struct tl_cursor **cursor);

/* The time of the newest entry of all, or of one file; -ENODATA without. */
int tl_inputs_newest(const struct tl_inputs *inputs, int64_t *ns);
int tl_input_newest(const struct tl_input *input, int64_t *ns);

/* At least as many entries as a cursor can give. */
uint64_t tl_inputs_entries(const struct tl_inputs *inputs);

/* Is time certain to run one way in all files? */
bool tl_inputs_are_steady(const struct tl_inputs *inputs);

/* Was anything damaged or not to be opened? */
bool tl_inputs_are_damaged(const struct tl_inputs *inputs);

#endif
