/* SPDX-License-Identifier: Apache-2.0 */
/* convert.c - make the writer, and give it all events that are chosen. */
#include "convert/convert.h"

#include "analysis/why.h"
#include "base/array.h"
#include "base/file.h"
#include "event/spans.h"
#include "format/html/write.h"
#include "format/label.h"
#include "format/lincheck/lincheck.h"
#include "format/lms/lms.h"
#include "format/rtl/rtl.h"
#include "format/timelogger/timelogger.h"
#include "snap/timers.h"
#include "snap/write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <timeline.h>

/* The times of the begins that were written and that no end has taken. */
struct nest {
	int64_t *begins;
	size_t count, room;
};

/* A conversion. */
struct run {
	struct tl_conversion *conversion;
	const struct tl_sources *inputs;
	struct tl_select *select;
	const struct tl_options *options;
	struct tl_output *output;
	struct tl_fault *fault;
	struct tl_report report;
	struct tl_text title;
	struct tl_origin *sources;         /* of the inputs */
	struct timeline_knot *knots;       /* of the only one */
	struct tl_observed_start observed; /* of the only one */
	struct tl_writer *writer;
	struct tl_id_map nest_ids;
	struct nest *nests;
	size_t nest_count;
	uint64_t unnested;  /* ends that are left out */
	struct tl_why *why; /* of a page: it has the answers for each message */
	struct tl_why_plan plan;
	struct tl_text answers;
};

static void
take_report(void *context, const struct tl_fault *fault)
{
	struct run *run = context;
	const int rc = fault->rc;

	/* About the events, or about what went wrong with this file? */
	if (rc == 0 || rc == -ENOTSUP || rc == -ENOSPC || rc == -ERANGE ||
	    rc == -EBADMSG) {
		*tl_faults_next(&run->conversion->notes) = *fault;
		run->conversion->damaged |= fault->rc == -EBADMSG;
	} else if (run->fault->rc == 0) {
		*run->fault = *fault;
	}
}

/* Are the times of the input moved?  Its clock does not tell its times then. */
static bool
is_moved(const struct tl_source *input)
{
	return input->host && input->host->offset_ns != 0;
}

/* Are all inputs timelines whose times come from their own clocks? */
static bool
are_snaps(const struct tl_sources *inputs)
{
	for (size_t i = 0; i < inputs->count; i++) {
		const struct tl_source *input = &inputs->items[i];

		if (tl_source_is_open(input) &&
		    (!tl_source_snap(input) || is_moved(input)))
			return false;
	}
	return true;
}

/* A timeline that is all of another has its histograms and its levels, too. */
static bool
is_whole(const struct run *run)
{
	return run->options->to->write_new == tl_timeline_write_new &&
	       run->inputs->count == 1 && run->select->all;
}

/* The messages that are defined and chosen.  The processes of their events are
 * not known, nor what a condition says of them. */
static int
set_messages(struct run *run)
{
	const struct tl_select *select = run->select;
	const struct tl_filter *f = &select->filter;
	int rc = 0;

	if (select->on_condition ||
	    f->cpu_count + f->pid_count + f->tid_count > 0)
		return 0;
	for (size_t i = 0; i < run->inputs->count && rc == 0; i++) {
		const struct tl_source *input = &run->inputs->items[i];
		const size_t count = tl_source_is_open(input)
					 ? tl_source_message_count(input)
					 : 0;

		for (size_t k = 0; k < count && rc == 0; k++) {
			const struct tl_message *m =
			    tl_source_message(input, k);

			if (tl_filter_message(f, m))
				rc = run->writer->kind->set_message(run->writer,
				    (uint32_t)i, m);
		}
	}
	return rc;
}

/* The clock of a single input, whose times are as it has them, and what was
 * observed.  Of a part, the levels where it begins are not known. */
static int
set_knots(struct run *run)
{
	struct tl_writer_facts *facts = tl_writer_facts(run->writer);
	const struct tl_source *input = &run->inputs->items[0];
	size_t count;
	int rc;

	if (run->inputs->count != 1 || !tl_source_is_open(input) ||
	    is_moved(input))
		return 0;
	count = tl_source_knot_count(input);
	run->knots = calloc(count + 1, sizeof(*run->knots));
	if (!run->knots)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		run->knots[i] = *tl_source_knot(input, i);
	facts->knots = run->knots;
	facts->knot_count = count;
	rc = tl_source_observed(input, &run->observed);
	if (!run->select->all) {
		run->observed.guessed = true;
		run->observed.cut.tsc = 0;
	}
	facts->observed = &run->observed;
	return rc;
}

static int
set_up(struct run *run)
{
	const struct tl_options *o = run->options;
	struct tl_writer_facts *facts = tl_writer_facts(run->writer);
	int rc = 0;

	tl_sources_origin(run->inputs, &facts->origin);
	facts->sources = run->sources;
	facts->source_count = run->inputs->count;
	facts->title = tl_text_string(&run->title);
	if (o->rtl_us)
		tl_writer_set(run->writer, true);
	else if (o->parquet_time_given)
		tl_writer_set(run->writer, (int)o->parquet_time);
	if (run->writer->kind->set_snap && are_snaps(run->inputs)) {
		if (is_whole(run))
			tl_timeline_write_set_whole(run->writer);

		/* A timeline of timelines may keep their clock. */
		for (size_t i = 0; i < run->inputs->count && rc == 0; i++) {
			const struct tl_snap *snap =
			    tl_source_snap(&run->inputs->items[i]);

			if (snap)
				rc = run->writer->kind->set_snap(run->writer,
				    snap);
		}
		return rc;
	}
	if (run->writer->kind->set_message && (rc = set_messages(run)) < 0)
		return rc;
	return set_knots(run);
}

static int
make_writer(struct run *run)
{
	const struct tl_format_row *to = run->options->to;
	struct tl_writer *writer = NULL;
	const bool at = run->output->kind == TL_OUTPUT_PLACE;
	const int rc =
	    at ? to->write_at(&writer, run->output->made, &run->report)
	       : to->write_new(&writer, tl_output_write, run->output,
		     &run->report);

	if (rc < 0)
		return rc;
	run->writer = writer;
	run->plan = (struct tl_why_plan){ .glob = "*", .sources = run->inputs };
	if (to->write_new == tl_html_write_new &&
	    tl_why_new(&run->why, &run->plan) < 0)
		return -ENOMEM;
	return set_up(run);
}

/* Counts what the inputs give, before anything is kept out. */
struct counted {
	struct tl_cursor cursor; /* first: what callers see */
	struct tl_cursor *inner;
	struct tl_conversion *conversion;
};

static int
counted_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct counted *c = (struct counted *)cursor;
	const int rc = tl_cursor_next(c->inner, event);

	if (rc > 0 && event->kind == TL_LOST)
		*(event->overwritten ? &c->conversion->overwritten
				     : &c->conversion->lost) += event->lost;
	else if (rc > 0)
		c->conversion->read++;
	return rc;
}

static void
counted_close(struct tl_cursor *cursor)
{
	struct counted *c = (struct counted *)cursor;

	tl_cursor_close(c->inner);
}

/* counted must outlive the cursor. */
static int
open_cursor(struct run *run, struct counted *counted, struct tl_cursor **cursor)
{
	struct tl_cursor *scout, *inner;
	int rc =
	    tl_sources_cursor(run->inputs, TL_OLDEST_FIRST, &counted->inner);

	if (rc < 0)
		return rc;
	counted->cursor = (struct tl_cursor){ counted_next, counted_close };
	counted->conversion = run->conversion;
	rc = tl_select_scout(run->select, run->inputs, TL_OLDEST_FIRST, &scout);
	if (rc < 0) {
		tl_cursor_close(&counted->cursor);
		return rc;
	}
	inner = &counted->cursor;
	if (run->options->to->flags & TL_FORMAT_ENDS)
		rc = tl_spans_cursor(TL_OLDEST_FIRST, TL_SPANS_WINDOW, inner,
		    &inner);
	if (rc < 0) {
		tl_cursor_close(scout);
		return rc;
	}
	run->select->levels = run->options->to->flags & TL_FORMAT_LEVELS;
	rc = tl_select_cursor(run->select, TL_OLDEST_FIRST, inner, scout,
	    cursor);
	return rc < 0 ? rc
		      : tl_select_held(run->select, run->inputs,
			    TL_OLDEST_FIRST, cursor);
}

/*
 * Will the reader of the format pair the event as it was?  LMS profiles,
 * TimeLogger files and logs of RTL_LOGFILE have begins and ends; an end ends
 * the last open begin of its label, in a log of its thread.  An end that would
 * end another begin, or that is not sure to end one, is left out.  1; 0: no;
 * -errno.
 */
static int
nests(struct run *run, const struct tl_event *event)
{
	tl_writer_new *const to = run->options->to->write_new;
	uint64_t who = (uint64_t)event->pid << 32 | event->tid;
	struct tl_id_key key;
	struct nest *nest;
	uint32_t id;
	int rc;

	if ((event->kind != TL_BEGIN && event->kind != TL_END) ||
	    (to != tl_lms_write_new && to != tl_rtl_write_new &&
		to != tl_timelogger_write_new))
		return 1;
	if (to == tl_lms_write_new)
		who = 0;
	else if (to == tl_timelogger_write_new &&
		 event->message->scope == TIMELINE_SOURCE)
		who = event->pid;
	key = (struct tl_id_key){ (uintptr_t)event->message,
		tl_hash_pair(tl_label_is(event->message) ? event->args[0] : 0,
		    who) };
	rc = TL_ID_MAP_ROOM(&run->nest_ids, key, &id, run->nests,
	    run->nest_count);
	if (rc < 0)
		return rc == -ENOSPC ? 0 : rc;
	nest = &run->nests[id];
	if (event->kind == TL_END)
		return event->begun == TL_BEGUN && nest->count > 0 &&
		       nest->begins[nest->count - 1] == event->begun_ns &&
		       nest->count-- > 0;
	if (TL_ARRAY_ROOM(nest->begins, nest->room, nest->count) < 0)
		return -ENOMEM;
	nest->begins[nest->count++] = event->ns;
	return 1;
}

static int
put(struct run *run, const struct tl_event *event)
{
	struct tl_sink *sink = &run->writer->sink;
	struct tl_sink *why = run->why ? tl_why_sink(run->why) : NULL;
	int rc = why ? why->put(why, event) : 0;

	/* a copy begins where the selection does */
	if (event->aside && run->options->to->flags & TL_FORMAT_ENDS &&
	    event->ns < run->select->filter.since_ns)
		return rc;
	if (rc == 0 && (rc = nests(run, event)) == 0)
		run->unnested++;
	if (rc > 0)
		rc = sink->put(sink, event);
	run->conversion->output_failed = rc < 0;
	run->conversion->written += event->kind != TL_LOST && !event->aside;
	return rc;
}

/* The page answers why spans of a message are slow, as --why does. */
static int
answer_why(struct run *run)
{
	struct tl_sink *sink = tl_why_sink(run->why);
	int rc = sink->finish(sink);

	if (rc == 0)
		rc = tl_why_put_json(run->why, &run->answers);
	if (rc == 0)
		tl_html_write_set_why(run->writer,
		    tl_text_bytes(&run->answers));
	return rc;
}

static int
write_all(struct run *run, struct tl_cursor *cursor)
{
	struct tl_sink *sink = &run->writer->sink;
	struct tl_event event;
	int rc;

	while ((rc = tl_cursor_next(cursor, &event)) > 0) {
		if (run->select->all) /* else it counts them itself */
			tl_progress_tick(&run->select->progress);
		if ((rc = put(run, &event)) < 0)
			return rc;
	}
	if (rc < 0 || (run->why && (rc = answer_why(run)) < 0))
		return rc;
	rc = sink->finish(sink);
	run->conversion->output_failed = rc < 0;
	return rc;
}

/* A file of another format, or of a part, has the spans that timers logged, not
 * the counts of all.  0, -errno. */
static int
note_timers(struct run *run)
{
	struct tl_timer *timer = malloc(sizeof(*timer));
	struct tl_fault note = { 0 };
	bool counted = false;
	int rc = timer ? 0 : -ENOMEM;

	for (size_t i = 0; rc >= 0 && !is_whole(run) && i < run->inputs->count;
	     i++) {
		const struct tl_snap *snap =
		    tl_source_snap(&run->inputs->items[i]);

		for (uint32_t k = 0;
		     snap && (rc = tl_snap_timer(timer, snap, k)) > 0; k++)
			counted |= timer->count > 0;
	}
	free(timer);
	if (rc < 0 || !counted)
		return rc;
	(void)tl_fail(&note, -ENOTSUP,
	    "the histograms of timers, which count spans that were not logged, "
	    "are left out");
	take_report(run, &note);
	return 0;
}

static void
note_count(struct run *run, const char *what, uint64_t count)
{
	struct tl_fault note = { 0 };

	if (count == 0)
		return;
	(void)tl_fail(&note, -ENOTSUP, "%s (%" PRIu64 " time%s)", what, count,
	    count == 1 ? "" : "s");
	take_report(run, &note);
}

/* The names that a foreign format describes its threads by. */
static void
note_threads(struct run *run)
{
	const struct tl_format_row *to = run->options->to;
	uint64_t named = 0;

	if (to->write_new != tl_lincheck_write_new)
		return;
	for (size_t i = 0; i < run->inputs->count; i++) {
		const struct tl_source *input = &run->inputs->items[i];
		struct tl_reader_thread thread;

		for (size_t k = 0; tl_source_is_open(input) &&
				   tl_source_thread(input, k, &thread);
		     k++)
			named += thread.name.size > 0;
	}
	note_count(run, "the name of a thread is left out", named);
}

static int
run_all(struct run *run)
{
	struct counted counted;
	struct tl_cursor *cursor;
	int rc;

	/* The title: the names of the files that could be opened. */
	for (size_t i = 0; i < run->inputs->count; i++) {
		const struct tl_source *input = &run->inputs->items[i];

		if (!tl_source_is_open(input) || input->beside)
			continue;
		if (run->title.size > 0)
			tl_put_string(&run->title, ", ");
		tl_put_string(&run->title, strcmp(input->name, "-") == 0
					       ? "standard input"
					       : input->name);
	}
	(void)tl_text_string(&run->title); /* its NUL */
	rc = run->title.rc;
	if (rc == 0)
		rc = tl_sources_origins(run->inputs, &run->sources);
	if (rc < 0 || (rc = open_cursor(run, &counted, &cursor)) < 0)
		return rc;
	rc = make_writer(run);
	run->conversion->output_failed = rc < 0;
	if (rc == 0)
		rc = write_all(run, cursor);
	if (rc == 0)
		rc = note_timers(run);
	if (rc == 0) {
		note_threads(run);
		note_count(run,
		    "the end of a span that is unsure or crosses another, or "
		    "that has no begin, is left out",
		    run->unnested);
	}
	tl_writer_free(run->writer);
	tl_why_free(run->why);
	tl_cursor_close(cursor);
	return rc;
}

int
tl_convert(struct tl_conversion *conversion, const struct tl_sources *inputs,
    struct tl_select *select, const struct tl_options *options,
    struct tl_output *output, struct tl_fault *fault)
{
	struct run run = { .conversion = conversion,
		.inputs = inputs,
		.select = select,
		.options = options,
		.output = output,
		.fault = fault,
		.report = { take_report, &run } };
	const int rc = run_all(&run);

	for (size_t i = 0; i < run.nest_count; i++)
		free(run.nests[i].begins);
	free(run.nests);
	tl_id_map_free(&run.nest_ids);
	tl_text_free(&run.title);
	tl_text_free(&run.answers);
	free(run.sources);
	free(run.knots);
	if (rc == -EILSEQ && output->terminal)
		return tl_fail(fault, rc, "%s", tl_output_steers);
	if (rc < 0 && select->fault.rc < 0)
		*fault = select->fault;
	else if (rc < 0)
		tl_fail(fault, rc, "%s", tl_file_error(rc));
	return rc < 0 ? rc : 0;
}
