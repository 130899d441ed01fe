/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inputs.h - the files that are read, and all of them as one cursor.
 */
#ifndef TL_SOURCE_INPUTS_H
#define TL_SOURCE_INPUTS_H

#include "source/hosts.h"
#include "source/input.h"

enum {
	TL_INPUTS_MAX = 64, /* files that are named */
	/* ... and what is in them: a file may hold many timelines */
	TL_INPUT_ITEMS_MAX = UINT16_MAX
};

/* Starts from all zeros. */
struct tl_inputs {
	struct tl_input *items;
	size_t count;
	size_t capacity;
	struct tl_hosts *hosts; /* whose clocks they go by */
};

/* Open every file; one that holds several timelines becomes several inputs,
 * which are called FILE: HOST/TIMELINE.  Those that cannot be opened stay in
 * the list with their fault.  0, -ENOMEM. */
int tl_inputs_open(struct tl_inputs *inputs, const char *const *names,
    size_t count, const struct tl_input_plan *plan);
/* Their names and faults stay. */
void tl_inputs_close(struct tl_inputs *inputs);
/* ... and these go, too. */
void tl_inputs_free(struct tl_inputs *inputs);

/* Everything that can be shown, of all files that are open.  The source of
 * an event is the index of its file among them all; of several hosts, what
 * overlaps is marked.  -ENOENT: none is open. */
int tl_inputs_cursor(const struct tl_inputs *inputs, enum tl_order order,
    struct tl_cursor **cursor);

/* The time of the newest entry of all; -ENODATA without. */
int tl_inputs_newest(const struct tl_inputs *inputs, int64_t *ns);

/* At least as many entries as a cursor can give. */
uint64_t tl_inputs_entries(const struct tl_inputs *inputs);

/* Is time certain to run one way in all files? */
bool tl_inputs_are_steady(const struct tl_inputs *inputs);

/* Was anything damaged or not to be opened? */
bool tl_inputs_are_damaged(const struct tl_inputs *inputs);

/* What is true of the events of all of them: nothing where they differ. */
void tl_inputs_origin(const struct tl_inputs *inputs, struct tl_origin *origin);
/* ... and what is true of each, by the source of its events: an array to be
 * freed, of as many as there are inputs.  0, -ENOMEM. */
int
tl_inputs_origins(const struct tl_inputs *inputs, struct tl_origin **origins);

#endif
