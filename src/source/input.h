/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input.h - a file that is read, whatever its format: a live timeline, a
 * saved one, a recorded trace, or a foreign file, told apart by what they
 * begin with.
 */
#ifndef TL_SOURCE_INPUT_H
#define TL_SOURCE_INPUT_H

#include "snap/snap.h"
#include "source/import.h"
#include "source/remote.h"
#include "trace/chain/chain.h"
#include "trace/read.h"

struct tl_host;

struct tl_input {
	const char *name;
	const char *file; /* that it is in */
	char *own_name;   /* where that is no file's */
	/* One of them; all NULL: it could not be opened. */
	struct tl_snap *snap;     /* a timeline */
	struct tl_import *import; /* another format */
	struct tl_chain *chain;   /* one of a stream of traces ... */
	struct tl_chains *others; /* ... and what else is in it */
	bool is_stream; /* it is to be followed as it comes (chain_follow.h) */
	struct tl_trace *trace;             /* a recorded trace, ... */
	bool is_packed;                     /* ... in a zip; */
	struct tl_faults *faults;           /* what was wrong with it ... */
	const struct tl_message **messages; /* ... and is defined there */
	size_t message_count;
	struct tl_fault fault; /* why it could not, or what befell it since */
	struct tl_host *host; /* among those of other inputs; NULL: not known */
};

/* How files are opened. */
struct tl_input_plan {
	/* Taken for it; NULL: the first bytes of the file tell. */
	const struct tl_format_row *format;
	uint64_t tail; /* newest entries of each lane of a live one; 0 all */
	bool follow;   /* only what can grow */
	bool check;    /* look for damage nobody would read */
	/* What is asked of servers; its hosts are of all inputs.  NULL: all. */
	const struct tl_remote_plan *remote;
	struct tl_progress *progress; /* NULL: nobody waits */
};

/*
 * Open path as in timeline_open, "-" for standard input, SCHEME://... what
 * lies with a server.  A FIFO is read to its end; it may be a second without a
 * writer.  With follow, what comes through a pipe or from a server is left
 * alone, for who follows it.  What cannot be opened stays so, with its fault.
 */
void tl_input_open(struct tl_input *input, const char *path,
    const struct tl_input_plan *plan);
/* One of the timelines that are in a stream, which is taken over: 0, -ENOMEM.
 * input->name is the stream's. */
int tl_input_take(struct tl_input *input, struct tl_chain *chain);
/* The name and the fault stay. */
void tl_input_close(struct tl_input *input);

static inline bool
tl_input_is_open(const struct tl_input *input)
{
	return input->snap || input->trace || input->import || input->chain;
}

/* The format's name. */
const char *tl_input_format(const struct tl_input *input);

/* All events that can be shown, in order of time. */
int tl_input_cursor(const struct tl_input *input, enum tl_order order,
    struct tl_cursor **cursor);
/* At least as many as a cursor can give. */
uint64_t tl_input_entries(const struct tl_input *input);
/* The time of the newest entry; -ENODATA without. */
int tl_input_newest(const struct tl_input *input, int64_t *ns);

size_t tl_input_message_count(const struct tl_input *input);
const struct tl_message *
tl_input_message(const struct tl_input *input, size_t i);

/* The lanes of a timeline; whatever else has only one, number 0.  Did one have
 * entries before those shown? */
size_t tl_input_lane_count(const struct tl_input *input);
static inline size_t
tl_input_lane(const struct tl_input *input, const struct tl_event *event)
{
	return input->snap ? event->lane : 0;
}
bool tl_input_lane_is_cut(const struct tl_input *input, size_t i);

/* What was found out about the file, and how much of it is kept; rc is 0 where
 * it is no damage. */
size_t tl_input_fault_count(const struct tl_input *input);
size_t tl_input_faults_kept(const struct tl_input *input);
const struct tl_fault *tl_input_fault(const struct tl_input *input, size_t i);
/* Was it damaged, or not to be opened? */
bool tl_input_is_damaged(const struct tl_input *input);

/* What --check finds: a file is unfinished where its writer did not come to
 * the end, and all before that is whole. */
enum tl_input_state {
	TL_INPUT_WHOLE,
	TL_INPUT_UNFINISHED,
	TL_INPUT_DAMAGED /* as tl_input_is_damaged */
};
enum tl_input_state tl_input_state(const struct tl_input *input);

/* What its stamps count: TIMELINE_CLOCK_...; 0 unknown. */
unsigned tl_input_clock_kind(const struct tl_input *input);
/* The knots of its clock. */
size_t tl_input_knot_count(const struct tl_input *input);
const struct timeline_knot *
tl_input_knot(const struct tl_input *input, size_t i);
/* Is its time certain to run one way? */
bool tl_input_is_steady(const struct tl_input *input);

/* Where its events come from, as far as it tells. */
void tl_input_origin(const struct tl_input *input, struct tl_origin *origin);

#endif
