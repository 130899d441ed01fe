/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.c - which entries a selection lets through.
 */
#include "script/select.h"

#include "base/options.h"
#include "clock/clock.h"
#include "format/rtl/rtl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Newest first, reading ends this long before since: clocks of several CPUs
 * and files do not agree to the nanosecond. */
static const int64_t early_end_slack_ns = 1000000000;

/* Verdicts that the map of messages points to. */
static char passes_verdict, fails_verdict;

struct selected {
	struct tl_cursor cursor; /* first: what callers see */
	struct tl_cursor *inner;
	struct tl_select *select;
	int64_t stop_ns; /* newest first: nothing of interest is older */
};

static void
set_window(struct tl_filter *filter, const struct tl_selection *selection,
    const struct tl_sources *inputs)
{
	const struct tl_bound *const since = &selection->since;
	const struct tl_bound *const until = &selection->until;
	int64_t newest_ns = 0;

	if (since->relative || until->relative)
		(void)tl_sources_newest(inputs, &newest_ns);
	if (since->given)
		filter->since_ns =
		    tl_add_ns(since->relative ? newest_ns : 0, since->ns);
	if (until->given)
		filter->until_ns =
		    tl_add_ns(until->relative ? newest_ns : 0, until->ns);
}

static int
read_patterns(struct tl_select *select, const struct tl_selection *selection,
    struct tl_fault *fault)
{
	int rc = 0;

	if (selection->include)
		rc = tl_patterns_read(&select->include, selection->include,
		    fault);
	if (rc == 0 && selection->exclude)
		rc = tl_patterns_read(&select->exclude, selection->exclude,
		    fault);
	if (rc < 0 || (!selection->include && !selection->exclude))
		return rc;
	rc = tl_rtl_write_new(&select->labels, NULL, NULL, NULL);
	return rc < 0
		   ? tl_fault(fault, rc, TL_FAULT_NOWHERE, "%s", strerror(-rc))
		   : 0;
}

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
	int rc;

	*select = (struct tl_select){ .filter = selection->filter,
		.all = !tl_selection_is_any(selection) };
	set_window(&select->filter, selection, inputs);
	rc = read_patterns(select, selection, fault);
	if (rc == 0 && selection->expression)
		rc = tl_script_filter_new(&select->expression,
		    selection->expression, limits, io, fault);
	if (rc == 0 && select->expression)
		tl_script_filter_set_hosts(select->expression, host_of, inputs);
	if (rc < 0)
		tl_select_free(select);
	return rc;
}

void
tl_select_free(struct tl_select *select)
{
	tl_message_map_free(&select->seen, NULL);
	tl_script_filter_free(select->expression);
	tl_patterns_free(select->include);
	tl_patterns_free(select->exclude);
	tl_writer_free(select->labels);
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
	/* Without memory the question is asked again next time. */
	(void)tl_message_map_add(&select->seen, message,
	    passes ? &passes_verdict : &fails_verdict);
	return passes;
}

/* As tl_select_passes, for the patterns; a loss matches none. */
static int
patterns_pass(struct tl_select *select, const struct tl_event *event)
{
	const char *label;
	int rc;

	if (!select->labels || !event->message)
		return 1;
	rc = tl_rtl_write_label(select->labels, event, &label);
	if (rc < 0)
		return rc;
	return (!select->include ||
		   tl_patterns_match(select->include, label)) &&
	       !(select->exclude && tl_patterns_match(select->exclude, label));
}

static int
passes(struct tl_select *select, const struct tl_event *event)
{
	int rc;

	if (!tl_filter_event(&select->filter, event) ||
	    (event->message && !tl_select_message(select, event->message)))
		return 0;
	rc = patterns_pass(select, event);
	if (rc <= 0 || !select->expression)
		return rc;
	return tl_script_filter_passes(select->expression, event,
	    &select->fault);
}

int
tl_select_passes(struct tl_select *select, const struct tl_event *event)
{
	int rc;

	if (select->all)
		return 1;
	rc = passes(select, event);
	select->passed += rc > 0 && event->kind != TL_LOST;
	return rc;
}

/* == nothing passed == */

/* The texts of every message, in which a word is searched. */
typedef void take_texts(const struct tl_message *message,
    void (*take)(void *context, struct tl_bytes text), void *context);

struct search {
	const char *word; /* a glob */
	bool is_found;
	struct tl_near near;
};

static void
look_at(void *context, struct tl_bytes text)
{
	struct search *search = context;
	char name[TL_NEAR_MAX + 1];

	if (search->is_found || tl_glob_matches(search->word, text)) {
		search->is_found = true;
		return;
	}
	if (text.size > TL_NEAR_MAX)
		return;
	if (text.size > 0)
		memcpy(name, text.data, text.size);
	name[text.size] = '\0';
	tl_near_try(&search->near, name);
}

static void
take_category(const struct tl_message *message,
    void (*take)(void *context, struct tl_bytes text), void *context)
{
	take(context, message->category);
}

static void
take_line(const struct tl_message *message,
    void (*take)(void *context, struct tl_bytes text), void *context)
{
	take(context, message->line1);
}

static void
take_arguments(const struct tl_message *message,
    void (*take)(void *context, struct tl_bytes text), void *context)
{
	for (size_t i = 0; i < message->argc; i++)
		take(context, message->args[i].name);
}

/* Is it nowhere?  Then the fault. */
static bool
is_nowhere(const struct tl_sources *inputs, const char *word, take_texts *take,
    const char *prefix, const char *what, struct tl_fault *fault)
{
	struct search search = { word, false, tl_near_to(word) };

	for (size_t i = 0; i < inputs->count; i++) {
		const struct tl_source *source = &inputs->items[i];
		const size_t count = tl_source_is_open(source)
					 ? tl_source_message_count(source)
					 : 0;

		for (size_t k = 0; k < count; k++)
			take(tl_source_message(source, k), look_at, &search);
	}
	if (search.is_found)
		return false;
	if (search.near.best[0])
		tl_fault(fault, -ENOENT, TL_FAULT_NOWHERE,
		    "%s%s: %s; did you mean %s%s?", prefix, word, what, prefix,
		    search.near.best);
	else
		tl_fault(fault, -ENOENT, TL_FAULT_NOWHERE, "%s%s: %s", prefix,
		    word, what);
	return true;
}

/* The next NAME of "args.NAME" in an expression; false: there is none. */
static bool
next_argument(const char **at, char name[TL_NEAR_MAX + 1])
{
	static const char words[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	static const char args[] = "args.";

	while ((*at = strstr(*at, args)) != NULL) {
		size_t size;

		*at += strlen(args);
		size = strspn(*at, words);
		if (size == 0 || size > TL_NEAR_MAX)
			continue;
		memcpy(name, *at, size);
		name[size] = '\0';
		return true;
	}
	return false;
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
	while (next_argument(&at, name)) {
		if (is_nowhere(inputs, name, take_arguments, "args.",
			"no message has this argument", fault))
			return -ENOENT;
	}
	return tl_fault(fault, -ENOENT, TL_FAULT_NOWHERE, "no entry matches");
}

/* == cursor == */

static int
selected_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct selected *s = (struct selected *)cursor;
	int rc;

	while ((rc = tl_cursor_next(s->inner, event)) > 0) {
		tl_progress_tick(&s->select->progress);
		if (event->ns < s->stop_ns && event->kind != TL_LOST)
			return 0;
		rc = tl_select_passes(s->select, event);
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
	free(s);
}

int
tl_select_cursor(struct tl_select *select, enum tl_order order,
    struct tl_cursor *inner, struct tl_cursor **cursor)
{
	struct selected *s;

	if (select->all) {
		*cursor = inner;
		return 0;
	}
	s = calloc(1, sizeof(*s));
	if (!s) {
		tl_cursor_close(inner);
		return -ENOMEM;
	}
	s->cursor.next = selected_next;
	s->cursor.close = selected_close;
	s->inner = inner;
	s->select = select;
	s->stop_ns = INT64_MIN;
	if (order == TL_NEWEST_FIRST && select->early_end)
		s->stop_ns =
		    tl_add_ns(select->filter.since_ns, -early_end_slack_ns);
	*cursor = &s->cursor;
	return 0;
}
