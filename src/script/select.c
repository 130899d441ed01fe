/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.c - which entries a selection lets through.
 */
#include "script/select.h"

#include "base/ns.h"
#include "base/options.h"
#include "base/text.h"
#include "clock/clock.h"
#include "event/observe.h"
#include "format/label.h"
#include "format/rtl/rtl.h"
#include "script/search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Newest first, reading ends when events are this much older than since,
 * because the clocks of several CPUs and files do not agree to the
 * nanosecond. */
static const int64_t early_end_slack_ns = TL_NS_PER_S;

/* The verdicts that the map of messages points to. */
static char passes_verdict, fails_verdict;

struct selected {
	struct tl_cursor cursor; /* first: callers see only this cursor */
	struct tl_cursor *inner;
	struct tl_select *select;
	struct tl_chooser *chooser;
	int64_t stop_ns; /* newest first: nothing of interest is older */
};

static const char *
host_of(const void *context, unsigned source)
{
	const struct tl_sources *inputs = context;

	return inputs->hosts && source < inputs->count
		   ? inputs->hosts->list[inputs->hosts->of_source[source]].name
		   : NULL;
}

int
tl_select_init(struct tl_select *select, const struct tl_selection *selection,
    const struct tl_script_limits *limits, const struct tl_script_io *io,
    const struct tl_sources *inputs, struct tl_fault *fault)
{
	const char *const text = selection->expression;
	int rc = 0;
	const struct tl_bound *const since = &selection->since;
	const struct tl_bound *const until = &selection->until;
	int64_t newest_ns = 0;

	*select = (struct tl_select){ .filter = selection->filter,
		.slower_ns = selection->slower_ns,
		.on_spans = text && tl_script_filter_mentions(text, NULL),
		.on_kind = text && tl_script_filter_mentions(text, "kind"),
		.on_duration =
		    selection->slower_ns > 0 ||
		    (text && tl_script_filter_mentions(text, "duration")),
		.on_condition = selection->slower_ns > 0 || text,
		.all = !tl_selection_is_any(selection) };
	if (since->relative || until->relative)
		(void)tl_sources_newest(inputs, &newest_ns);
	if (since->given)
		select->filter.since_ns =
		    tl_add_ns(since->relative ? newest_ns : 0, since->ns);
	if (until->given)
		select->filter.until_ns =
		    tl_add_ns(until->relative ? newest_ns : 0, until->ns);
	if (selection->expression)
		rc = tl_script_filter_new(&select->expression,
		    selection->expression, limits, io, fault);
	if (rc == 0 && select->expression)
		tl_script_filter_set_hosts(select->expression, host_of, inputs);
	if (rc < 0)
		tl_select_free(select);
	return rc;
}

bool
tl_select_scouts(const struct tl_select *select)
{
	const struct tl_filter *f = &select->filter;

	return select->slower_ns > 0 || select->on_spans ||
	       (!select->entries &&
		   (f->since_ns != INT64_MIN || f->until_ns != INT64_MAX ||
		       f->cpu_count + f->pid_count + f->tid_count > 0));
}

void
tl_select_free(struct tl_select *select)
{
	tl_message_map_free(&select->seen, NULL);
	tl_script_filter_free(select->expression);
}

bool
tl_select_message(struct tl_select *select, const struct tl_message *message)
{
	const void *verdict = tl_message_map_find(&select->seen, message);
	bool passes;

	if (verdict)
		return verdict == &passes_verdict;
	passes = tl_filter_message(&select->filter, message);
	select->messages_passed += passes;
	/* Without memory the next call filters the message again. */
	(void)tl_message_map_add(&select->seen, message,
	    passes ? &passes_verdict : &fails_verdict);
	return passes;
}

bool
tl_select_of(struct tl_select *select, const struct tl_event *event)
{
	struct tl_message named = *event->message;
	struct tl_text label = { 0 };
	bool passes;

	if (tl_select_message(select, event->message))
		return true;
	if (select->filter.message_count == 0 || !tl_label_is(event->message))
		return false;
	tl_label_name(&label, event);
	named.line1 = tl_bytes(label.data, label.size);
	passes = label.rc == 0 && tl_filter_message(&select->filter, &named);
	tl_text_free(&label);
	select->messages_passed += passes;
	return passes;
}

/* Is the duration known and long enough? */
static bool
is_slow(const struct tl_select *select, const struct tl_event *event)
{
	return select->slower_ns == 0 ||
	       (event->begun == TL_BEGUN &&
		   event->duration_ns >= select->slower_ns);
}

static int
is_true_of(struct tl_select *select, const struct tl_asked *asked)
{
	return select->expression
		   ? tl_script_filter_ask(select->expression, &asked->event,
			 asked->has_delta ? &asked->delta_ns : NULL,
			 &select->fault)
		   : 1;
}

void
tl_select_ask(struct tl_select_before *before, const struct tl_event *event,
    struct tl_asked *asked)
{
	const uint64_t now = (uint64_t)event->ns;
	const uint64_t then = (uint64_t)before->ns;

	asked->event = *event;
	asked->has_delta = before->is_any;
	asked->delta_ns =
	    (int64_t)(event->ns > before->ns ? now - then : then - now);
	before->is_any = true;
	before->ns = event->ns;
}

int
tl_select_one(struct tl_select *select, const struct tl_asked *asked)
{
	if (!tl_filter_event(&select->filter, &asked->event))
		return 0;
	select->entries_asked++;
	return is_slow(select, &asked->event) ? is_true_of(select, asked) : 0;
}

int
tl_select_passes(struct tl_select *select, const struct tl_event *event)
{
	struct tl_asked asked;
	int rc;

	if (select->all)
		return 1;
	if (event->kind == TL_LOST)
		return tl_filter_event(&select->filter, event);
	if (!tl_select_of(select, event))
		return 0;
	tl_select_ask(&select->before, event, &asked);
	rc = tl_select_one(select, &asked);
	select->passed += rc > 0;
	return rc;
}

/* Is the condition true of the begin, or else of the end? */
static int
is_true_of_span(struct tl_select *select, const struct tl_asked *begin,
    const struct tl_asked *end)
{
	int rc;

	select->spans_asked++;
	if (!is_slow(select, &end->event))
		return 0;
	rc = is_true_of(select, begin);
	return rc == 0 ? is_true_of(select, end) : rc;
}

int
tl_select_span(struct tl_select *select, struct tl_asked *begin,
    struct tl_asked *end, bool sure, bool passes[2])
{
	const struct tl_filter *f = &select->filter;
	bool in_place[2] = { tl_filter_place(f, &begin->event),
		tl_filter_place(f, &end->event) };
	bool in_time[2] = { tl_filter_time(f, &begin->event),
		tl_filter_time(f, &end->event) };
	int rc;
	struct tl_event *b = &begin->event, *e = &end->event;

	if (!select->entries) {
		in_place[0] = in_place[1] = in_place[0] || in_place[1];
		in_time[0] |= in_time[1];
	}
	passes[0] = in_place[0] && in_time[0];
	passes[1] = in_place[1] && in_time[1];
	if (!passes[0] && !passes[1])
		return 0;
	/* Give the two events of a span the values by which conditions judge
	 * them. */
	if (e->begun == TL_BEGUN_UNKNOWN)
		e->duration_ns = tl_event_between(b, e);
	e->begun_ns = b->ns;
	b->begun = e->begun = sure ? TL_BEGUN : TL_BEGUN_UNSURE;
	b->duration_ns = e->duration_ns;
	if (!tl_event_has_args(e))
		memcpy(e->args, b->args, sizeof(e->args));
	e->known = e->bare;
	if (select->entries && select->on_kind) {
		/* Ask the begin and the end of a span one by one. */
		const bool slow = is_slow(select, &end->event);
		const int first =
		    slow && passes[0] ? is_true_of(select, begin) : 0;
		const int second =
		    slow && passes[1] ? is_true_of(select, end) : 0;

		passes[0] = first > 0;
		passes[1] = second > 0;
		return first < 0 ? first : second < 0 ? second : 0;
	}
	rc = is_true_of_span(select, begin, end);
	if (rc <= 0)
		passes[0] = passes[1] = false;
	if (rc == 0 && !sure && select->on_duration)
		select->unknown++;
	return rc < 0 ? rc : 0;
}

/* == nothing passed == */

/* Takes each text of a message in which a word is searched. */
typedef void
take_texts(const struct tl_message *message, struct tl_search *search);

static void
take_category(const struct tl_message *message, struct tl_search *search)
{
	tl_search_take(search, message->category);
}

static void
take_line(const struct tl_message *message, struct tl_search *search)
{
	tl_search_take(search, message->line1);
}

static void
take_arguments(const struct tl_message *message, struct tl_search *search)
{
	for (size_t i = 0; i < message->argc; i++)
		tl_search_take(search, message->args[i].name);
}

/* Is the word in no text of the inputs?  If so, sets the fault. */
static bool
is_nowhere(const struct tl_sources *inputs, const char *word, take_texts *take,
    const char *prefix, const char *what, struct tl_fault *fault)
{
	struct tl_search search;

	tl_search_init(&search, word);
	for (size_t i = 0; i < inputs->count; i++) {
		const struct tl_source *source = &inputs->items[i];
		const size_t count = tl_source_is_open(source)
					 ? tl_source_message_count(source)
					 : 0;

		for (size_t k = 0; k < count; k++)
			take(tl_source_message(source, k), &search);
	}
	if (search.is_found)
		return false;
	(void)tl_search_fault(&search, prefix, what, fault);
	return true;
}

bool
tl_select_no_message(const struct tl_sources *inputs, const char *glob,
    struct tl_fault *fault)
{
	return is_nowhere(inputs, glob, tl_search_take_message, "",
	    "no message matches", fault);
}

int
tl_select_no_argument(const struct tl_sources *inputs, const char *name,
    struct tl_fault *fault)
{
	if (is_nowhere(inputs, name, take_arguments, "",
		"no message has this argument", fault))
		return -ENOENT;
	return tl_fail(fault, -ENOENT, "no entry has the argument %s", name);
}

int
tl_select_no_span(const struct tl_sources *inputs, const char *glob,
    struct tl_fault *fault)
{
	struct tl_fault near = { 0 };

	if (tl_select_no_message(inputs, glob, &near) && strchr(near.text, '?'))
		return tl_fail(fault, -ENOENT, "%s", near.text);
	return tl_fail(fault, -ENOENT,
	    "no span matches '%s': --list shows the messages", glob);
}

/* Every glob and argument is in the messages, so no condition is known to be
 * wrong. */
static int
no_match(const struct tl_select *select, const struct tl_selection *selection,
    struct tl_fault *fault)
{
	const unsigned long long spans = select->spans_asked;
	const unsigned long long entries = select->entries_asked + 2 * spans;
	char slower[64] = "", expression[256] = "";
	struct tl_text text = { 0 };

	if (selection->slower_ns > 0) {
		tl_put_duration(&text, selection->slower_ns);
		snprintf(slower, sizeof(slower), " --slower %s",
		    tl_text_string(&text));
		tl_text_free(&text);
	}
	if (selection->expression)
		snprintf(expression, sizeof(expression), " -e '%s'",
		    selection->expression);
	if (entries == 0 || (!slower[0] && !expression[0]))
		return tl_fail(fault, -ENOENT, "no entry matches");
	if (select->on_duration)
		return tl_fail(fault, -ENOENT,
		    "no span matches%s%s (%llu span%s)", slower, expression,
		    spans, spans == 1 ? "" : "s");
	return tl_fail(fault, -ENOENT, "no entry matches%s (%llu entr%s)",
	    expression, entries, entries == 1 ? "y" : "ies");
}

int
tl_select_nothing(const struct tl_select *select,
    const struct tl_selection *selection, const struct tl_sources *inputs,
    struct tl_fault *fault)
{
	const struct tl_filter *f = &select->filter;
	const char *at = selection->expression ? selection->expression : "";
	char name[TL_NEAR_MAX + 1];

	for (size_t i = 0; i < f->category_count; i++) {
		if (is_nowhere(inputs, f->categories[i], take_category, "",
			"no category matches", fault))
			return -ENOENT;
	}
	for (size_t i = 0; i < f->message_count; i++) {
		if (is_nowhere(inputs, f->messages[i], take_line, "",
			"no message matches", fault))
			return -ENOENT;
	}
	while (tl_search_argument(&at, name)) {
		if (is_nowhere(inputs, name, take_arguments, "args.",
			"no message has this argument", fault))
			return -ENOENT;
	}
	return no_match(select, selection, fault);
}

int
tl_select_unknown(const struct tl_select *select, struct tl_fault *fault)
{
	if (select->unknown == 0)
		return 0;
	tl_fail(fault, 0,
	    "%llu span%s of unknown duration left out: the begin or the end, "
	    "or entries between the two, may be missing",
	    (unsigned long long)select->unknown,
	    select->unknown == 1 ? "" : "s");
	return 1;
}

/* == cursor == */

/* Does an event that is left out decide what later events observed? */
static bool
is_for_levels(const struct tl_select *select, const struct tl_event *event)
{
	return select->levels && event->message &&
	       event->ns <= select->filter.until_ns &&
	       (tl_observed_is_change(event->message) ||
		   event->message->builtin == TIMELINE_BUILTIN_CLEAR);
}

static int
selected_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct selected *s = (struct selected *)cursor;
	int rc;

	while ((rc = tl_cursor_next(s->inner, event)) > 0) {
		tl_progress_tick(&s->select->progress);
		if (event->ns < s->stop_ns && event->kind != TL_LOST)
			return 0;
		rc = tl_chooser_passes(s->chooser, event);
		if (rc == 0 && s->select->kernel &&
		    s->select->kernel->items[event->source].beside)
			rc = 1;
		if (rc == 0 && is_for_levels(s->select, event))
			rc = event->aside = true;
		if (rc != 0)
			return rc;
	}
	return rc;
}

static void
selected_close(struct tl_cursor *cursor)
{
	struct selected *s = (struct selected *)cursor;

	tl_cursor_close(s->inner);
	tl_chooser_free(s->chooser);
	free(s);
}

int
tl_select_cursor(struct tl_select *select, enum tl_order order,
    struct tl_cursor *inner, struct tl_cursor *scout, struct tl_cursor **cursor)
{
	struct selected *s;
	int rc;

	if (select->all) {
		*cursor = inner;
		return 0;
	}
	s = calloc(1, sizeof(*s));
	if (!s) {
		tl_cursor_close(inner);
		tl_cursor_close(scout);
		return -ENOMEM;
	}
	s->cursor.next = selected_next;
	s->cursor.close = selected_close;
	s->inner = inner;
	s->select = select;
	s->stop_ns = INT64_MIN;
	rc = tl_chooser_new(&s->chooser, select, order, scout);
	if (rc < 0) {
		selected_close(&s->cursor);
		return rc;
	}
	if (order == TL_NEWEST_FIRST && select->early_end && select->entries)
		s->stop_ns =
		    tl_add_ns(select->filter.since_ns, -early_end_slack_ns);
	*cursor = &s->cursor;
	return 0;
}

int
tl_select_scout(const struct tl_select *select, const struct tl_sources *inputs,
    enum tl_order order, struct tl_cursor **scout)
{
	*scout = NULL;
	return tl_select_scouts(select)
		   ? tl_sources_cursor(inputs, order, scout)
		   : 0;
}

/* Select from a cursor and a scout of the inputs from first up to end. */
static int
select_from(struct tl_select *select, const struct tl_sources *inputs,
    size_t first, size_t end, enum tl_order order, struct tl_cursor **cursor)
{
	/* an expression may read the host, which is found by the number */
	const bool is_one = first + 1 == end && !select->expression &&
			    tl_source_is_open(&inputs->items[first]);
	struct tl_cursor *of[2] = { NULL, NULL };
	const int count = tl_select_scouts(select) ? 2 : 1;

	for (int i = 0; i < count; i++) {
		const int rc =
		    is_one
			? tl_source_cursor(&inputs->items[first], order, &of[i])
			: tl_sources_range(inputs, first, end, order, &of[i]);

		if (rc == 0)
			continue;
		if (i > 0)
			tl_cursor_close(of[0]);
		return rc;
	}
	return tl_select_cursor(select, order, of[0], of[1], cursor);
}

int
tl_select_sources(struct tl_select *select, const struct tl_sources *inputs,
    enum tl_order order, struct tl_cursor **cursor)
{
	return select_from(select, inputs, 0, inputs->count, order, cursor);
}

int
tl_select_source(struct tl_select *select, const struct tl_sources *inputs,
    size_t input, enum tl_order order, struct tl_cursor **cursor)
{
	return select_from(select, inputs, input, input + 1, order, cursor);
}
