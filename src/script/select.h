/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.h - which entries a selection lets through.
 *
 * An instant or the value of a counter is judged by itself.  A span is judged
 * as a whole: its two events pass together.  A condition on arguments is true
 * of a span if the condition is true of the begin or of the end; both events
 * have the duration of the span.  If entries are shown, a condition that names
 * the kind of an event is asked of the begin and of the end, and each passes
 * for itself.
 *
 *	inputs --scout--> spans --> verdicts by number of the event
 *	inputs --cursor--> event n --> verdict n --> 1 or 0
 *
 * The verdict on the first event of a span is known when the second event is
 * read, which may be at the other end of the file.  So the events are read
 * twice: the scout is ahead of the cursor by as much as the next verdict needs.
 * Verdicts take two bits of memory an event.  First events whose second event
 * is not found yet are kept, at most TL_SPANS_OPEN_MAX of them.
 *
 * Rejected: to hold back the events after a begin until its end is read.  A
 * span that lasts as long as the file would hold back the whole file, and with
 * a limit the longest spans would be misjudged.
 */
#ifndef TL_SCRIPT_SELECT_H
#define TL_SCRIPT_SELECT_H

#include "event/message_map.h"
#include "event/writer.h"
#include "script/script.h"
#include "source/progress.h"
#include "source/selection.h"
#include "source/sources.h"

/* The previous event, in the order of reading. */
struct tl_select_before {
	bool is_any;
	int64_t ns;
};

/* An event, and its distance to the previous event. */
struct tl_asked {
	struct tl_event event;
	bool has_delta;
	int64_t delta_ns;
};

struct tl_select {
	struct tl_filter filter;
	/* Set before the first event: entries are shown, not spans.  Each event
	 * must itself be in the time window and on the CPU. */
	bool entries;
	/* Set before the first event: all events of a source that is marked
	 * "beside" (FILE.sched) pass.  NULL: no source is so. */
	const struct tl_sources *kernel;
	/* Set before the first event: entries that change levels pass, those
	 * that are left out as aside, for a caller that finds observed time. */
	bool levels;
	int64_t slower_ns; /* 0: any duration */
	bool on_spans;     /* the expression depends on whole spans */
	bool on_kind;      /* the expression names the kind of events */
	bool on_duration;  /* durations decide */
	bool on_condition; /* more than the message decides */
	bool all;          /* every event passes */
	bool early_end;    /* newest first may end at since */
	struct tl_message_map seen;          /* verdicts over messages */
	struct tl_script_filter *expression; /* NULL: none */
	struct tl_fault fault;               /* the fault of the expression */
	struct tl_progress progress;         /* of reading entries */
	uint64_t passed;                     /* entries; losses do not count */
	uint64_t messages_passed;
	uint64_t read;                  /* events of which a cursor was asked */
	struct tl_select_before before; /* for tl_select_passes */
	uint64_t entries_asked;         /* judged by themselves */
	uint64_t spans_asked;
	/* spans that fail because their durations are not known */
	uint64_t unknown;
};

/* Reads the events of a cursor ahead of the caller that asks about them. */
struct tl_chooser;

/*
 * Make a selection.  Relative times count from the newest entry of inputs;
 * limits (NULL: the usual) and io are for the expression.  Returns 0, or -errno
 * and a fault if the expression is wrong.
 */
int
tl_select_init(struct tl_select *select, const struct tl_selection *selection,
    const struct tl_script_limits *limits, const struct tl_script_io *io,
    const struct tl_sources *inputs, struct tl_fault *fault);
void tl_select_free(struct tl_select *select);

/* Must the events be read twice, by a scout? */
bool tl_select_scouts(const struct tl_select *select);
/* Make a scout for tl_sources_cursor() in this order; *scout is NULL if no
 * scout is needed.  Returns 0 or -errno. */
int
tl_select_scout(const struct tl_select *select, const struct tl_sources *inputs,
    enum tl_order order, struct tl_cursor **scout);

/* Make a chooser, which owns the scout (NULL: not needed); after an error the
 * scout is closed.  Returns 0 or -ENOMEM. */
int tl_chooser_new(struct tl_chooser **chooser, struct tl_select *select,
    enum tl_order order, struct tl_cursor *scout);
void tl_chooser_free(struct tl_chooser *chooser);
/*
 * Judge the next event of a cursor that gives the same events as the scout.
 * Returns 1: the event passes; 0: the event does not; -errno with select->fault
 * set.
 *
 * Without a scout, while entries are still logged: a begin passes if the
 * condition is true of the begin without a duration; an end passes if its begin
 * did or if the condition is true of the span.
 */
int tl_chooser_passes(struct tl_chooser *chooser, const struct tl_event *event);

/* Judge one event by itself.  Returns as tl_chooser_passes. */
int tl_select_passes(struct tl_select *select, const struct tl_event *event);
/* Make *asked of the next event, whose message passes. */
void tl_select_ask(struct tl_select_before *before,
    const struct tl_event *event, struct tl_asked *asked);
/* Does the event pass by itself?  Returns as tl_select_passes. */
int tl_select_one(struct tl_select *select, const struct tl_asked *asked);
/* Judge the begin and the end of a span, which get values of each other; sure:
 * the duration is known.  Returns 0 and whether each of the two passes;
 * -errno. */
int tl_select_span(struct tl_select *select, struct tl_asked *begin,
    struct tl_asked *end, bool sure, bool passes[2]);

/* May an event of the message pass? */
bool
tl_select_message(struct tl_select *select, const struct tl_message *message);
/* Does the message of an event pass, by its text or by the label of the
 * event? */
bool tl_select_of(struct tl_select *select, const struct tl_event *event);

/* Were spans left out because their durations are not known?  Returns 1 and the
 * fault that says so, or 0. */
int tl_select_unknown(const struct tl_select *select, struct tl_fault *fault);

/*
 * Explain that nothing passed.  Returns -ENOENT and a fault.  The fault names
 * the first glob that no category or message of inputs matches, or the first
 * argument of the expression that no message has, and the nearest name among
 * the messages.
 */
int tl_select_nothing(const struct tl_select *select,
    const struct tl_selection *selection, const struct tl_sources *inputs,
    struct tl_fault *fault);

/* Set the fault that no entry of the inputs has an argument of this name, with
 * the nearest name if no message has it.  Returns -ENOENT. */
int tl_select_no_argument(const struct tl_sources *inputs, const char *name,
    struct tl_fault *fault);

/* Set the fault that no span of the inputs matches the glob, with the nearest
 * message if there is one.  Returns -ENOENT. */
int tl_select_no_span(const struct tl_sources *inputs, const char *glob,
    struct tl_fault *fault);
/* Does no message of the inputs match the glob, which may name a category, too?
 * If so, sets the fault, which names the nearest message. */
bool tl_select_no_message(const struct tl_sources *inputs, const char *glob,
    struct tl_fault *fault);

/* Make a cursor of the events that pass.  The cursor owns inner and scout;
 * after an error both are closed.  Returns 0 or -errno. */
int tl_select_cursor(struct tl_select *select, enum tl_order order,
    struct tl_cursor *inner, struct tl_cursor *scout,
    struct tl_cursor **cursor);
/* Wrap such a cursor of all inputs, and add at the start of the time window the
 * begins of sources that are open during the whole window.  Owns *cursor, also
 * after an error.  Returns 0 or -errno. */
int tl_select_held(struct tl_select *select, const struct tl_sources *inputs,
    enum tl_order order, struct tl_cursor **cursor);
/* tl_select_cursor() over the events of all inputs, and of one input. */
int tl_select_sources(struct tl_select *select, const struct tl_sources *inputs,
    enum tl_order order, struct tl_cursor **cursor);
int tl_select_source(struct tl_select *select, const struct tl_sources *inputs,
    size_t input, enum tl_order order, struct tl_cursor **cursor);

#endif
