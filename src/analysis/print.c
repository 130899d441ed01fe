/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.c - what was found as JSON, and as text.
 */
#include "analysis/explain.h"

#include "event/render.h"
#include "source/sources.h"
#include "trace/read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const char *const period_names[TL_PERIODS] = { "10ms", "100ms", "second",
	"minute", "hour", "day" };

/* == the numbers of threads == */

/* Those of a recorded trace, in its order. */
static size_t
number_in_trace(const struct tl_trace *trace, const struct tl_thread *t)
{
	const size_t count = tl_trace_thread_count(trace);

	for (size_t i = 0; i < count; i++) {
		const struct tl_trace_thread *thread =
		    tl_trace_thread(trace, i);

		if (thread->pid == t->pid && thread->tid == t->tid)
			return i;
	}
	return count;
}

/* Where the format knows threads, these come first; false: it does not know
 * this one. */
static bool
is_known(const struct tl_source *source, const struct tl_thread *t,
    size_t *number, size_t *count)
{
	struct tl_reader_thread thread;
	bool found = false;

	*count = 0;
	for (size_t i = 0; tl_source_thread(source, i, &thread); i++) {
		if (thread.is_empty)
			continue;
		if (!found && thread.pid == t->pid && thread.tid == t->tid) {
			*number = *count;
			found = true;
		}
		++*count;
	}
	return found;
}

/* Threads of a source in the order in which they came, up to one (NULL: all
 * of them). */
static size_t
number_as_met(const struct tl_why *why, size_t source, size_t known,
    const struct tl_thread *t)
{
	const struct tl_source *s = &why->plan.sources->items[source];
	size_t count = known, unused;

	for (uint32_t i = 0; i < why->thread_ids.count; i++) {
		const struct tl_thread *at = why->threads[i];

		if (!at || at->source != source)
			continue;
		if (at == t)
			break;
		count += known == 0 || !is_known(s, at, &unused, &unused);
	}
	return count;
}

static size_t
count_threads(const struct tl_why *why, size_t source)
{
	const struct tl_source *s = &why->plan.sources->items[source];
	const struct tl_trace *trace = tl_source_trace(s);
	const struct tl_thread none = { 0 };
	size_t number, known;

	if (!tl_source_is_open(s))
		return 0;
	if (trace)
		return tl_trace_thread_count(trace);
	is_known(s, &none, &number, &known);
	return number_as_met(why, source, known, NULL);
}

/* The number that a thread has in a call tree of all sources, from 1. */
static size_t
tree_number(const struct tl_why *why, const struct tl_thread *t)
{
	const struct tl_source *s = &why->plan.sources->items[t->source];
	size_t before = 0, number = 0, known;

	for (size_t i = 0; i < t->source; i++)
		before += count_threads(why, i);
	if (tl_source_trace(s))
		return before + number_in_trace(tl_source_trace(s), t) + 1;
	if (!is_known(s, t, &number, &known))
		number = number_as_met(why, t->source, known, t);
	return before + number + 1;
}

static bool
put_path(struct tl_text *text, const struct tl_why *why,
    const struct tl_record *r)
{
	const struct tl_thread *t = why->threads[r->thread];
	const uint64_t *path = tl_record_path(r);

	if (!why->plan.sources || r->path_count == 0 ||
	    t->source >= why->plan.sources->count)
		return false;
	tl_put_unsigned(text, tree_number(why, t));
	for (unsigned i = 0; i < r->path_count; i++) {
		tl_put_char(text, '/');
		tl_put_unsigned(text, path[i]);
	}
	return true;
}

/* The line of the span, as a call tree has it. */
static void
put_line(struct tl_text *text, const struct tl_why *why,
    const struct tl_record *r)
{
	struct tl_event event = { .ns = r->begin_ns,
		.message = why->list[r->definition]->message,
		.kind = TL_BEGIN,
		.level = why->list[r->definition]->message->level };

	memcpy(event.args, tl_record_args(r), r->argc * sizeof(event.args[0]));
	tl_render_node(text, &event, true);
}

/* == what a cause is called == */

static const struct tl_feature *
feature_of(const struct tl_why *why, const struct tl_cause *cause)
{
	return &why->features[cause->feature];
}

static const char *
kind_of(const struct tl_why *why, const struct tl_cause *cause)
{
	static const char *const of_features[] = { [TL_FEATURE_BEFORE] =
						       "before",
		[TL_FEATURE_INSIDE] = "inside",
		[TL_FEATURE_SPENT] = "inside",
		[TL_FEATURE_BESIDE] = "beside",
		[TL_FEATURE_GAP] = "gap",
		[TL_FEATURE_STATE] = "state" };

	switch (cause->kind) {
	case TL_CAUSE_ARGUMENT:
		return "argument";
	case TL_CAUSE_CPU:
	case TL_CAUSE_MIGRATED:
		return "cpu";
	case TL_CAUSE_PID:
		return "pid";
	case TL_CAUSE_TID:
		return "tid";
	case TL_CAUSE_RUN:
	case TL_CAUSE_PERIOD:
	case TL_CAUSE_START:
		return "time";
	case TL_CAUSE_QUEUE:
		return "queue";
	case TL_CAUSE_SINCE_THREAD:
	case TL_CAUSE_SINCE_ANY:
		return "interval";
	case TL_CAUSE_LOST:
		return "lost";
	default:
		return of_features[feature_of(why, cause)->kind];
	}
}

static struct tl_bytes
group_name(const struct tl_why *why, uint32_t group, const char *otherwise)
{
	return group == TL_GROUP_NONE ? tl_bytes_of(otherwise)
				      : why->groups[group]->name;
}

/* As JSON and, where it is a word, text have it. */
static void
put_name(struct tl_text *text, const struct tl_why *why,
    const struct tl_cause *cause, const struct tl_message *message)
{
	static const char *const names[] = { [TL_CAUSE_CPU] = "cpu",
		[TL_CAUSE_MIGRATED] = "migrated",
		[TL_CAUSE_PID] = "pid",
		[TL_CAUSE_TID] = "tid",
		[TL_CAUSE_RUN] = "run",
		[TL_CAUSE_START] = "start",
		[TL_CAUSE_QUEUE] = "open",
		[TL_CAUSE_SINCE_THREAD] = "thread",
		[TL_CAUSE_SINCE_ANY] = "any",
		[TL_CAUSE_LOST] = "entries" };
	const struct tl_feature *f;

	if (cause->kind == TL_CAUSE_ARGUMENT) {
		tl_put_bytes(text, message->args[cause->argument].name);
	} else if (cause->kind == TL_CAUSE_PERIOD) {
		tl_put_string(text, period_names[cause->argument]);
	} else if (cause->kind < TL_CAUSE_FEATURE) {
		tl_put_string(text, names[cause->kind]);
	} else {
		f = feature_of(why, cause);
		tl_put_bytes(text, group_name(why, f->a, "begin"));
		if (f->kind != TL_FEATURE_GAP)
			return;
		tl_put_string(text, " -> ");
		tl_put_bytes(text, group_name(why, f->b, "end"));
	}
}

static bool
is_in_ns(const struct tl_why *why, const struct tl_cause *cause)
{
	switch (cause->kind) {
	case TL_CAUSE_RUN:
	case TL_CAUSE_PERIOD:
	case TL_CAUSE_SINCE_THREAD:
	case TL_CAUSE_SINCE_ANY:
		return true;
	case TL_CAUSE_WHERE:
		return feature_of(why, cause)->kind == TL_FEATURE_SPENT ||
		       feature_of(why, cause)->kind == TL_FEATURE_GAP;
	default:
		return false;
	}
}

/* == JSON == */

static void
put_json_text(struct tl_text *text, struct tl_bytes bytes)
{
	tl_put_char(text, '"');
	tl_put_json(text, bytes);
	tl_put_char(text, '"');
}

static void
put_argument(struct tl_text *text, const struct tl_why *why,
    const struct tl_cause *cause, const struct tl_message *message)
{
	struct tl_event event = { .message = message, .kind = TL_BEGIN };
	const unsigned i = cause->argument;

	if (cause->op != TL_OP_EQUAL) {
		if (message->args[i].format == TIMELINE_ARG_DOUBLE)
			tl_put_double(text, tl_why_double(cause->value));
		else
			tl_put_signed(text, cause->value);
	} else if (message->args[i].format == TIMELINE_ARG_STRING) {
		put_json_text(text, why->texts[cause->value]);
	} else {
		event.args[i] = (uint64_t)cause->value;
		tl_render_arg_json(text, &event, i);
	}
}

static void
put_value(struct tl_text *text, const struct tl_why *why,
    const struct tl_cause *cause, const struct tl_message *message)
{
	uint32_t state;

	if (cause->kind == TL_CAUSE_ARGUMENT) {
		put_argument(text, why, cause, message);
	} else if (cause->kind == TL_CAUSE_MIGRATED) {
		tl_put_string(text, "true");
	} else if (cause->op == TL_OP_IN) {
		tl_put_format(text, "[%ld,%ld]", cause->value, cause->end);
	} else if (cause->kind == TL_CAUSE_FEATURE &&
		   cause->op == TL_OP_EQUAL) {
		state = feature_of(why, cause)->b;
		if (state == TL_TEXT_NONE)
			tl_put_string(text, "null");
		else
			put_json_text(text, why->texts[state]);
	} else {
		tl_put_signed(text, cause->value);
	}
}

static void
put_number(struct tl_text *text, const char *name, double value)
{
	tl_put_format(text, ",\"%s\":", name);
	tl_put_double(text, value);
}

static double
ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static double
risk_of(const struct tl_result *result, const struct tl_cause *cause)
{
	const double slow = (double)result->slow[cause->level - 1];
	const double missed = fmax(slow - (double)cause->hits, 0.5);

	return ratio((double)cause->hits, (double)cause->with) *
	       ((double)result->weight - (double)cause->with) / missed;
}

static void
put_json_example(struct tl_text *text, const struct tl_why *why,
    const struct tl_record *r)
{
	const struct tl_thread *t = why->threads[r->thread];
	struct tl_text line = { 0 };
	size_t at;

	tl_put_format(text,
	    "{\"ns\":%lld,\"duration_ns\":%lld,\"pid\":%u,"
	    "\"tid\":%u,\"cpu\":",
	    (long long)r->begin_ns, (long long)r->duration_ns, t->pid, t->tid);
	if (r->cpu == TL_CPU_UNKNOWN)
		tl_put_string(text, "null");
	else
		tl_put_unsigned(text, r->cpu);
	tl_put_string(text, ",\"path\":");
	at = text->size;
	tl_put_char(text, '"');
	if (put_path(text, why, r)) {
		tl_put_char(text, '"');
	} else {
		text->size = at;
		tl_put_string(text, "null");
	}
	tl_put_string(text, ",\"text\":");
	put_line(&line, why, r);
	put_json_text(text, tl_bytes(tl_text_string(&line), line.size));
	if (line.rc < 0)
		text->rc = line.rc;
	tl_text_free(&line);
	tl_put_char(text, '}');
}

static void
put_json_cause(struct tl_text *text, const struct tl_why *why,
    const struct tl_result *result, const struct tl_cause *cause)
{
	static const char *const ops[] = { "=", ">=", "<=", "in" };
	const struct tl_message *message = result->target->message;
	const double slow = (double)result->slow[cause->level - 1];
	const double precision =
	    ratio((double)cause->hits, (double)cause->with);
	struct tl_text name = { 0 };

	put_name(&name, why, cause, message);
	tl_put_format(text, "{\"kind\":\"%s\",\"name\":", kind_of(why, cause));
	put_json_text(text, tl_bytes(tl_text_string(&name), name.size));
	tl_text_free(&name);
	tl_put_format(text, ",\"op\":\"%s\",\"value\":", ops[cause->op]);
	put_value(text, why, cause, message);
	tl_put_format(text, ",\"unit\":%s",
	    is_in_ns(why, cause) ? "\"ns\"" : "null");
	put_number(text, "covers", ratio((double)cause->hits, slow));
	put_number(text, "precision", precision);
	put_number(text, "lift",
	    precision * ratio((double)result->weight, slow));
	put_number(text, "risk", risk_of(result, cause));
	put_number(text, "p", cause->p);
	tl_put_format(text,
	    ",\"threshold_ns\":%ld,\"slow\":%lu,\"with\":%lu,"
	    "\"hits\":%lu",
	    result->thresholds_ns[cause->level - 1],
	    result->slow[cause->level - 1], cause->with, cause->hits);
	put_number(text, "excess", cause->excess);
	tl_put_format(text,
	    ",\"median_with_ns\":%ld,\"median_without_ns\":%ld,"
	    "\"examples\":[",
	    cause->median_with_ns, cause->median_without_ns);
	for (size_t i = 0; i < cause->example_count; i++) {
		if (i > 0)
			tl_put_char(text, ',');
		put_json_example(text, why, cause->examples[i]);
	}
	tl_put_string(text, "]}");
}

/* The threshold that stands for all, from 1 on: that of the first cause, or
 * the one nearest to 1 %; 0: there is none. */
static size_t
main_threshold(const struct tl_result *result)
{
	double nearest = INFINITY;
	size_t at = 0;

	if (result->cause_count > 0)
		return result->causes[0].level;
	for (size_t i = 0; i < result->threshold_count; i++) {
		const double off = fabs(log(fmax((double)result->slow[i], 0.5) *
					    100 / (double)result->weight));

		if (off < nearest) {
			nearest = off;
			at = i + 1;
		}
	}
	return at;
}

static void
put_json_result(struct tl_text *text, const struct tl_why *why,
    const struct tl_result *result)
{
	const size_t at = main_threshold(result);

	tl_put_string(text, "{\"message\":");
	put_json_text(text, result->target->group->name);
	tl_put_format(text, ",\"spans\":%lu,\"slow\":%lu,\"threshold_ns\":",
	    result->target->spans, (at ? result->slow[at - 1] : 0));
	if (at)
		tl_put_signed(text, result->thresholds_ns[at - 1]);
	else
		tl_put_string(text, "null");
	tl_put_format(text, ",\"tests\":%lu,\"causes\":[", result->tests);
	for (size_t i = 0; i < result->cause_count; i++) {
		if (i > 0)
			tl_put_char(text, ',');
		put_json_cause(text, why, result, &result->causes[i]);
	}
	tl_put_string(text, "]}\n");
}

int
tl_why_put_json(struct tl_why *why, struct tl_text *text)
{
	for (size_t i = 0; i < why->target_count; i++)
		put_json_result(text, why, &why->results[i]);
	if (why->target_count == 0) {
		tl_put_string(text, "{\"message\":");
		put_json_text(text, tl_bytes_of(why->plan.glob));
		tl_put_string(text, ",\"spans\":0,\"slow\":0,"
				    "\"threshold_ns\":null,\"tests\":0,"
				    "\"causes\":[]}\n");
	}
	return text->rc;
}

/* == text == */

static void
put_quoted(struct tl_text *text, struct tl_bytes name)
{
	tl_put_char(text, '"');
	tl_put_plain(text, name);
	tl_put_char(text, '"');
}

static void
put_feature(struct tl_text *text, const struct tl_why *why,
    const struct tl_cause *cause)
{
	const struct tl_feature *f = feature_of(why, cause);

	switch (f->kind) {
	case TL_FEATURE_BEFORE:
		tl_put_string(text, "after ");
		break;
	case TL_FEATURE_BESIDE:
		tl_put_string(text, "beside ");
		break;
	case TL_FEATURE_SPENT:
		tl_put_string(text, "the time goes into ");
		break;
	case TL_FEATURE_GAP:
		tl_put_string(text, "the time goes between ");
		break;
	default:
		break;
	}
	put_quoted(text, group_name(why, f->a, "begin"));
	switch (f->kind) {
	case TL_FEATURE_BEFORE:
		tl_put_string(text, " in the same thread");
		break;
	case TL_FEATURE_INSIDE:
		tl_put_string(text, " inside");
		if (cause->value > 1)
			tl_put_format(text, ", %ld times or more",
			    cause->value);
		break;
	case TL_FEATURE_BESIDE:
		tl_put_string(text, " in another thread");
		break;
	case TL_FEATURE_GAP:
		tl_put_string(text, " and ");
		put_quoted(text, group_name(why, f->b, "end"));
		break;
	case TL_FEATURE_STATE:
		if (f->b == TL_TEXT_NONE)
			break;
		tl_put_string(text, " with ");
		tl_put_plain(text, why->texts[f->b]);
		break;
	default:
		break;
	}
}

static void
put_text_argument(struct tl_text *text, const struct tl_why *why,
    const struct tl_cause *cause, const struct tl_message *message)
{
	const bool string =
	    message->args[cause->argument].format == TIMELINE_ARG_STRING &&
	    cause->op == TL_OP_EQUAL;

	tl_put_plain(text, message->args[cause->argument].name);
	tl_put_string(text, cause->op == TL_OP_EQUAL   ? " = "
			    : cause->op == TL_OP_LEAST ? " >= "
						       : " <= ");
	if (string)
		tl_put_plain(text, why->texts[cause->value]);
	else
		put_argument(text, why, cause, message);
}

static void
put_interval(struct tl_text *text, const struct tl_cause *cause)
{
	tl_put_duration(text, cause->value);
	tl_put_string(text, cause->op == TL_OP_LEAST ? " or more" : " or less");
	tl_put_string(text, cause->kind == TL_CAUSE_SINCE_THREAD
				? " after the end of the one before in its "
				  "thread"
				: " after the begin of the one before in its "
				  "process");
}

static void
put_phrase(struct tl_text *text, const struct tl_why *why,
    const struct tl_cause *cause, const struct tl_message *message)
{
	switch (cause->kind) {
	case TL_CAUSE_ARGUMENT:
		put_text_argument(text, why, cause, message);
		return;
	case TL_CAUSE_CPU:
		tl_put_format(text, "on cpu %ld", cause->value);
		return;
	case TL_CAUSE_MIGRATED:
		tl_put_string(text, "begin and end on two CPUs");
		return;
	case TL_CAUSE_PID:
		tl_put_format(text, "in process %ld", cause->value);
		return;
	case TL_CAUSE_TID:
		tl_put_format(text, "in thread %ld", cause->value);
		return;
	case TL_CAUSE_RUN:
		tl_put_string(text, "from ");
		tl_put_time(text, cause->value);
		tl_put_string(text, " to ");
		tl_put_time(text, cause->end);
		return;
	case TL_CAUSE_PERIOD:
		tl_put_string(text, "from ");
		tl_put_duration(text, cause->value);
		tl_put_string(text, " to ");
		tl_put_duration(text, cause->end + 1);
		tl_put_format(text, " of each %s",
		    period_names[cause->argument]);
		return;
	case TL_CAUSE_START:
		tl_put_format(text, "among the first %ld of its thread",
		    cause->value);
		return;
	case TL_CAUSE_QUEUE:
		tl_put_format(text, "%ld or more others open", cause->value);
		return;
	case TL_CAUSE_SINCE_THREAD:
	case TL_CAUSE_SINCE_ANY:
		put_interval(text, cause);
		return;
	case TL_CAUSE_LOST:
		tl_put_string(text, "entries were lost nearby");
		return;
	default:
		put_feature(text, why, cause);
	}
}

static void
put_shares(struct tl_text *text, const struct tl_result *result,
    const struct tl_cause *cause)
{
	const double slow = (double)result->slow[cause->level - 1];
	const double precision =
	    ratio((double)cause->hits, (double)cause->with);

	tl_put_format(text, ": %.3g %% of the ",
	    100 * ratio((double)cause->hits, slow));
	if (cause->level == result->causes[0].level) {
		tl_put_string(text, "slow spans");
	} else {
		tl_put_format(text, "%.0f spans of ", slow);
		tl_put_duration(text, result->thresholds_ns[cause->level - 1]);
		tl_put_string(text, " or longer");
	}
	tl_put_format(text, ", of which %.3g %% are slow (", 100 * precision);
	tl_put_format(text, "%.3g times the average; p ",
	    precision * ratio((double)result->weight, slow));
	if (cause->p < 1e-300)
		tl_put_string(text, "< 1e-300)\n");
	else
		tl_put_format(text, "= %.1g)\n", cause->p);
	tl_put_string(text, "   median ");
	tl_put_duration(text, cause->median_with_ns);
	tl_put_string(text, " with it, ");
	tl_put_duration(text, cause->median_without_ns);
	tl_put_string(text, " without\n");
}

/* Have the same spans both?  What is counted of them tells. */
static bool
is_the_same(const struct tl_cause *a, const struct tl_cause *b)
{
	return a->kind != TL_CAUSE_WHERE && b->kind != TL_CAUSE_WHERE &&
	       a->level == b->level && a->with == b->with &&
	       a->hits == b->hits && a->excess == b->excess &&
	       a->median_with_ns == b->median_with_ns &&
	       a->median_without_ns == b->median_without_ns &&
	       memcmp(a->examples, b->examples, sizeof(a->examples)) == 0;
}

/* Is it on the line of one before it? */
static bool
is_told(const struct tl_result *result, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (is_the_same(&result->causes[k], &result->causes[i]))
			return true;
	return false;
}

static void
put_text_cause(struct tl_text *text, const struct tl_why *why,
    const struct tl_result *result, size_t i, unsigned number)
{
	const struct tl_cause *cause = &result->causes[i];
	bool any = false;

	tl_put_format(text, "%u. ", number);
	put_phrase(text, why, cause, result->target->message);
	if (cause->kind == TL_CAUSE_WHERE)
		tl_put_format(text,
		    " (%.0f %% of what the slow ones take longer)\n",
		    100 * cause->share);
	else
		put_shares(text, result, cause);
	/* What says the same, on a line of its own. */
	for (size_t k = i + 1; k < result->cause_count; k++) {
		if (!is_the_same(&result->causes[i], &result->causes[k]))
			continue;
		tl_put_string(text, any ? "; " : "   the same spans: ");
		put_phrase(text, why, &result->causes[k],
		    result->target->message);
		any = true;
	}
	if (any)
		tl_put_char(text, '\n');
	for (size_t k = 0; k < cause->example_count; k++) {
		tl_put_string(text, "     ");
		tl_put_time(text, cause->examples[k]->begin_ns);
		tl_put_string(text, "  ");
		tl_put_duration(text, cause->examples[k]->duration_ns);
		tl_put_string(text, "  [");
		if (!put_path(text, why, cause->examples[k]))
			tl_put_char(text, '-');
		tl_put_string(text, "]  ");
		put_line(text, why, cause->examples[k]);
		tl_put_char(text, '\n');
	}
}

/* Nothing is claimed: what that means. */
static void
put_nothing(struct tl_text *text, const struct tl_result *result)
{
	const size_t at = main_threshold(result);
	const unsigned long long spans = result->target->spans;

	if (spans < TL_SPANS_MIN) {
		tl_put_format(text,
		    "%llu spans; %d are needed to compare them.\n", spans,
		    TL_SPANS_MIN);
	} else if (at == 0) {
		tl_put_format(text,
		    "%llu spans, none of which stands out: the median is ",
		    spans);
		tl_put_duration(text, result->median_ns);
		tl_put_string(text, ".\n");
	} else if (result->slow[at - 1] == 0) {
		tl_put_format(text, "None of %llu spans took ", spans);
		tl_put_duration(text, result->thresholds_ns[at - 1]);
		tl_put_string(text, " or longer.\n");
	} else {
		tl_put_format(text,
		    "Nothing that was logged separates the %llu slowest of "
		    "%llu spans (",
		    (unsigned long long)result->slow[at - 1], spans);
		tl_put_duration(text, result->thresholds_ns[at - 1]);
		tl_put_format(text,
		    " and longer); %lu comparisons.\n"
		    "More detail may: a lower priority, or a burst "
		    "(timelinectl priority, timelinectl burst).\n",
		    result->tests);
	}
}

static void
put_text_result(struct tl_text *text, const struct tl_why *why,
    const struct tl_result *result)
{
	const size_t at = main_threshold(result);
	unsigned number = 0;

	tl_put_plain(text, result->target->group->name);
	tl_put_string(text, ": ");
	if (result->cause_count == 0) {
		put_nothing(text, result);
		return;
	}
	tl_put_format(text, "%lu of %lu spans took ", result->slow[at - 1],
	    result->target->spans);
	tl_put_duration(text, result->thresholds_ns[at - 1]);
	tl_put_format(text, " or longer (the slowest %.2g %%)\n",
	    100 * (double)result->slow[at - 1] / (double)result->weight);
	for (size_t i = 0; i < result->cause_count; i++)
		if (!is_told(result, i))
			put_text_cause(text, why, result, i, ++number);
}

int
tl_why_put_text(struct tl_why *why, struct tl_text *text)
{
	for (size_t i = 0; i < why->target_count; i++) {
		if (i > 0)
			tl_put_char(text, '\n');
		put_text_result(text, why, &why->results[i]);
	}
	if (why->target_count == 0) {
		tl_put_plain(text, tl_bytes_of(why->plan.glob));
		tl_put_string(text, ": no span of such a message was logged; "
				    "--list shows the messages.\n");
	}
	return text->rc;
}

bool
tl_why_left_out(const struct tl_why *why, const char *prefix,
    struct tl_text *text)
{
	const struct tl_left_out *l = &why->left_out;
	const struct {
		uint64_t count;
		const char *what;
	} lines[] = { { l->groups, "entries of messages beyond the limit" },
		{ l->targets, "matching messages beyond the limit" },
		{ l->features, "kinds of neighbours beyond the limit" },
		{ l->parts, "neighbours of spans that have too many" },
		{ l->open, "spans that began while too many were open" },
		{ l->texts, "texts beyond the limit" },
		{ l->threads, "entries of threads beyond the limit" },
		{ l->values, "values of arguments beyond the limit" } };
	bool any = false;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (lines[i].count == 0)
			continue;
		tl_put_format(text, "%sleft out: %lu %s\n", prefix,
		    lines[i].count, lines[i].what);
		any = true;
	}
	return any;
}
