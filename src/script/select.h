/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.h - which entries a selection lets through.
 *
 * An instant or the value of a counter is judged by itself.  A span is judged
 * as a whole: its two events pass together.  A condition on arguments is true of
 * a span if it is true of its begin or of its end; both have its duration.  Where
 * entries are shown, a condition that names the kind of an event is asked of the
 * begin and of the end, and each passes for itself.
 *
 *	inputs --scout--> spans --> verdicts by number of the event
 *	inputs --cursor--> event n --> verdict n --> 1 or 0
 *
 * The verdict on the first event of a span is known when the second one is
 * read, which may be at the other end of the file.  So the events are read
 * twice: the scout is ahead of the cursor by as much as the next verdict needs.
 * Verdicts take two bits of memory an event, and events whose other one is not
 * found yet are kept, TL_SPANS_OPEN_MAX of them at the most.
 *
 * Rejected: to hold back the events after a begin until its end is read.  A
 * span that lasts as long as the file would hold all of it, and with a limit the
 * longest spans are those that are misjudged.
 */
#ifndef TL_SCRIPT_SELECT_H
#define TL_SCRIPT_SELECT_H

#include "event/message_map.h"
#include "event/writer.h"
#include "script/script.h"
#include "source/progress.h"
#include "source/selection.h"
#include "source/sources.h"

/* The event before, in the order of reading. */
struct tl_select_before {
	bool is_any;
	int64_t ns;
};

/* An event, and its distance to the one before it. */
struct tl_asked {
	struct tl_event event;
	bool has_delta;
	int64_t delta_ns;
};

struct tl_select {
	struct tl_filter filter;
	/* Set before the first event: entries are shown, not spans.  Each event
	 * is in the time window, and on a CPU, for itself. */
	bool entries;
	/* Set before the first event: kernel events that lie beside one of
	 * these pass.  NULL: of none. */
	const struct tl_sources *kernel;
	int64_t slower_ns; /* 0: any */
	bool on_spans;     /* the expression is of spans */
	bool on_kind;      /* of events, as the expression names their kind */
	bool on_duration;  /* durations decide */
	bool on_condition; /* not the message alone decides */
	bool all;          /* nothing is kept out */
	bool early_end;    /* newest first may end at since */
	struct tl_message_map seen;          /* verdicts over messages */
	struct tl_script_filter *expression; /* NULL: none */
	struct tl_fault fault;               /* of the expression */
	struct tl_progress progress;         /* of reading entries */
	uint64_t passed;                     /* entries; losses do not count */
	uint64_t messages_passed;
	struct tl_select_before before; /* of tl_select_passes */
	uint64_t entries_asked;         /* by themselves */
	uint64_t spans_asked;
	/* spans that do not pass as their durations are not known */
	uint64_t unknown;
};

/* Reads the events of a cursor ahead of whoever asks about them. */
struct tl_chooser;

/*
 * Make one.  Relative times count from the newest entry of inputs; limits
 * (NULL: the usual) and io are those of the expression.  Returns 0, or -errno
 * and a fault when the expression is wrong.
 */
int
tl_select_init(struct tl_select *select, const struct tl_selection *selection,
    const struct tl_script_limits *limits, const struct tl_script_io *io,
    const struct tl_sources *inputs, struct tl_fault *fault);
void tl_select_free(struct tl_select *select);

/* Must the events be read twice, by a scout? */
bool tl_select_scouts(const struct tl_select *select);
/* A scout for tl_sources_cursor() in this order; NULL: none is needed. */
int
tl_select_scout(const struct tl_select *select, const struct tl_sources *inputs,
    enum tl_order order, struct tl_cursor **scout);
/* The same for tl_source_cursor(). */
int tl_select_scout_one(const struct tl_select *select,
    const struct tl_source *input, enum tl_order order,
    struct tl_cursor **scout);

/* The scout (NULL: none is needed) is owned, also when it fails. */
int tl_chooser_new(struct tl_chooser **chooser, struct tl_select *select,
    enum tl_order order, struct tl_cursor *scout);
void tl_chooser_free(struct tl_chooser *chooser);
/*
 * The next event of a cursor that gives the same as the scout.  1 it passes, 0
 * not, -errno with select->fault set.
 *
 * Without a scout, while entries are still logged: a begin passes if the
 * condition is true of it without a duration; an end passes if its begin did or
 * if the condition is true of the span.
 */
int tl_chooser_passes(struct tl_chooser *chooser, const struct tl_event *event);

/* One event by itself. */
int tl_select_passes(struct tl_select *select, const struct tl_event *event);
/* The next event, of a message that passes. */
void tl_select_ask(struct tl_select_before *before,
    const struct tl_event *event, struct tl_asked *asked);
/* Does it pass by itself?  As tl_select_passes. */
int tl_select_one(struct tl_select *select, const struct tl_asked *asked);
/* The begin and the end of a span, which learn of each other; sure: its duration
 * is known.  0 and whether each of them passes; -errno. */
int tl_select_span(struct tl_select *select, struct tl_asked *begin,
    struct tl_asked *end, bool sure, bool passes[2]);

/* Does anything of a message pass? */
bool
tl_select_message(struct tl_select *select, const struct tl_message *message);
/* Does the message of an event pass, by its text or the label of the event? */
bool tl_select_of(struct tl_select *select, const struct tl_event *event);

/* Spans were left out as their durations are not known: 1 and the fault that
 * says so; 0. */
int tl_select_unknown(const struct tl_select *select, struct tl_fault *fault);

/*
 * Nothing passed: -ENOENT and the fault that says so.  It names the first glob
 * that no category or message of inputs matches, or the first argument of the
 * expression that no message has, and the nearest that there is.
 */
int tl_select_nothing(const struct tl_select *select,
    const struct tl_selection *selection, const struct tl_sources *inputs,
    struct tl_fault *fault);

/* The events of a cursor that pass; owns the cursor and the scout, also when it
 * fails. */
int tl_select_cursor(struct tl_select *select, enum tl_order order,
    struct tl_cursor *inner, struct tl_cursor *scout,
    struct tl_cursor **cursor);
/* Add to the events of such a cursor of all inputs the begins of sources that
 * are open during the whole time window, at its start.  Owns *cursor, also when
 * it fails. */
int tl_select_held(struct tl_select *select, const struct tl_sources *inputs,
    enum tl_order order, struct tl_cursor **cursor);
/* The same of tl_sources_cursor(), and of tl_source_cursor(). */
int tl_select_sources(struct tl_select *select, const struct tl_sources *inputs,
    enum tl_order order, struct tl_cursor **cursor);
int tl_select_source(struct tl_select *select, const struct tl_source *input,
    enum tl_order order, struct tl_cursor **cursor);

#endif
