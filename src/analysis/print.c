/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.c - print the results of --why as JSON and as text.
 */
#include "analysis/gather.h"
#include "base/fields.h"
#include "base/ns.h"
#include "base/text.h"
#include "event/render.h"
#include "snap/snap.h"
#include "source/remote.h"
#include "source/sources.h"
#include "trace/read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A cause of half of the slow spans has few of fewer episodes than these. */
enum { EPISODES_FEW = 20 };

static const char *const period_names[TL_PERIODS] = { "1ms", "2.5ms", "3.33ms",
	"4ms", "10ms", "100ms", "second", "minute", "hour", "day" };

/* == the numbers of threads == */

/* The number of a thread in a recorded trace, in the order of the trace. */
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

/* Find a thread in the list of the source, if its format has a list.  count is
 * the length of the list.  false: the thread is not listed. */
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

/* The number of threads of a source that appeared before t; NULL: of all
 * threads. */
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

	if (!tl_source_is_open(s) || s->beside)
		return 0;
	if (trace)
		return tl_trace_thread_count(trace);
	is_known(s, &none, &number, &known);
	return number_as_met(why, source, known, NULL);
}

/* The number of a thread in the call tree of all sources, from 1. */
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

bool
tl_why_is_moving(const struct tl_why *why)
{
	const struct tl_sources *sources = why->plan.sources;

	for (size_t i = 0; sources && i < sources->count; i++) {
		const struct tl_source *s = &sources->items[i];

		if (tl_remote_is_name(s->name) ||
		    (tl_source_is_open(s) && tl_source_snap(s) &&
			tl_snap_was_live(tl_source_snap(s))))
			return true;
	}
	return why->plan.in_part;
}

/* Append the path of a span as call trees take paths.  false: the span has no
 * path, or paths move. */
static bool
put_path(struct tl_text *text, const struct tl_why *why,
    const struct tl_record *r)
{
	const struct tl_thread *t = why->threads[r->thread];
	const uint64_t *path = tl_record_path(r);

	if (!why->plan.sources || r->path_count == 0 ||
	    t->source >= why->plan.sources->count || tl_why_is_moving(why))
		return false;
	tl_put_unsigned(text, tree_number(why, t));
	for (unsigned i = 0; i < r->path_count; i++) {
		tl_put_char(text, '/');
		tl_put_unsigned(text, path[i]);
	}
	return true;
}

void
tl_why_put_tree(struct tl_text *text, const struct tl_why *why,
    const struct tl_record *r)
{
	tl_put_string(text, "--tree ");
	if (r->path_count > 0 && !tl_why_is_moving(why)) {
		tl_put_string(text, "--path ");
		put_path(text, why, r);
		return;
	}
	if (!why->list[r->definition]->scoped)
		tl_put_format(text, "--tid %u ", why->threads[r->thread]->tid);
	/* Cut to microseconds, with room: the calibration of a running clock
	 * moves times by some nanoseconds. */
	tl_put_format(text, "--since %.26s --until %.26s",
	    TL_TIME(tl_add_ns(r->begin_ns, -1000)),
	    TL_TIME(tl_add_ns(r->begin_ns, tl_add_ns(r->duration_ns, 2000))));
}

void
tl_why_put_span(struct tl_text *text, const struct tl_why *why,
    const struct tl_record *r)
{
	struct tl_event event = { .ns = r->begin_ns,
		.message = why->list[r->definition]->message,
		.kind = TL_BEGIN,
		.level = why->list[r->definition]->message->level };

	memcpy(event.args, tl_record_args(r), r->argc * sizeof(event.args[0]));
	tl_render_node(text, &event, true);
}

/* == names of causes == */

/* JSON: the kind and, if constant, the name of a cause.  Text: the words before
 * and after the value; a cause without words after has no value. */
static const struct {
	const char *kind, *name;
	bool in_ns;
	const char *before, *after;
} causes[TL_CAUSE_FEATURE] = {
	[TL_CAUSE_ARGUMENT] = { .kind = "argument" },
	[TL_CAUSE_CPU] = { "cpu", "cpu", false, "on cpu ", "" },
	[TL_CAUSE_MIGRATED] = { "cpu", "migrated", false,
	    "begin and end on two CPUs", NULL },
	[TL_CAUSE_PID] = { "pid", "pid", false, "in process ", "" },
	[TL_CAUSE_TID] = { "tid", "tid", false, "in thread ", "" },
	[TL_CAUSE_RUN] = { "time", "run", true, "from ", " to " },
	[TL_CAUSE_PERIOD] = { "time", NULL, true, "from ", " to " },
	[TL_CAUSE_START] = { "time", "start", false, "among the first ",
	    " of its thread" },
	[TL_CAUSE_QUEUE] = { "queue", "open", false, "",
	    " or more others open" },
	[TL_CAUSE_CHILDREN] = { "children", "children", false, "",
	    " or more children" },
	[TL_CAUSE_SINCE_THREAD] = { "interval", "thread", true, "",
	    " after the end of the one before in its thread" },
	[TL_CAUSE_SINCE_ANY] = { "interval", "any", true, "",
	    " after the begin of the one before in its process" },
	[TL_CAUSE_LOST] = { "lost", "entries", false,
	    "entries were lost nearby", NULL },
};

/* JSON: the kind of a feature.  Text: the words around the name of a group. */
static const struct {
	const char *kind, *before, *after;
} features[] = {
	[TL_FEATURE_BEFORE] = { "before", "after ", " in the same thread" },
	[TL_FEATURE_INSIDE] = { "inside", "", " inside" },
	[TL_FEATURE_SPENT] = { "inside", "the time goes into ", "" },
	[TL_FEATURE_BESIDE] = { "beside", "beside ", " in another thread" },
	[TL_FEATURE_GAP] = { "gap", "the time goes between ", " and " },
	[TL_FEATURE_STATE] = { "state", "", "" },
	[TL_FEATURE_PART] = { "states", "the time goes into ", "" },
	[TL_FEATURE_AROUND] = { "around", "inside ", "" },
	[TL_FEATURE_BEFORE_ARG] = { "before", "after ", " in the same thread" },
	[TL_FEATURE_INSIDE_ARG] = { "inside", "", " inside" },
	[TL_FEATURE_AROUND_ARG] = { "around", "inside ", "" },
};

/* The words for the state of a thread. */
static const char *const parts[TL_PARTS] = { [TL_PART_RUNNING] = "running",
	[TL_PART_INTERRUPTED] = "interrupts on its CPU",
	[TL_PART_RUNNABLE] = "waiting for a CPU",
	[TL_PART_TASK] = "waiting for another task",
	[TL_PART_TIMER] = "waiting for a timer or a device",
	[TL_PART_IO] = "waiting for I/O",
	[TL_PART_UNKNOWN] = "an unknown state" };

/* The words before the name of the task that caused a wait. */
static const char *const tasks[TL_PARTS] = { [TL_PART_RUNNABLE] =
						 "preempted by ",
	[TL_PART_TASK] = "ended by " };

static const struct tl_feature *
feature_of(const struct tl_why *why, const struct tl_cause *cause)
{
	return &why->features[cause->feature];
}

/* Is the feature a gap in which details were not observed? */
static bool
is_unseen(const struct tl_feature *f)
{
	return f->kind == TL_FEATURE_GAP && f->b >> 16 != 0;
}

static struct tl_bytes
group_name(const struct tl_why *why, uint64_t group, const char *otherwise)
{
	return group == TL_GROUP_NONE ? tl_bytes_of(otherwise)
				      : why->groups[group]->name;
}

/* The name of an argument of another message. */
static struct tl_bytes
argument_name(const struct tl_why *why, const struct tl_feature *f)
{
	return why->groups[tl_feature_group(f)]
	    ->message->args[tl_feature_argument(f)]
	    .name;
}

/* Append the name of a cause. */
static void
put_name(struct tl_text *text, const struct tl_why *why,
    const struct tl_cause *cause, const struct tl_message *message)
{
	const struct tl_feature *f;

	if (cause->kind == TL_CAUSE_ARGUMENT) {
		tl_put_bytes(text, message->args[cause->argument].name);
	} else if (cause->kind == TL_CAUSE_PERIOD) {
		tl_put_string(text, period_names[cause->argument]);
	} else if (cause->kind < TL_CAUSE_FEATURE) {
		tl_put_string(text, causes[cause->kind].name);
	} else {
		f = feature_of(why, cause);
		if (f->kind == TL_FEATURE_PART || is_unseen(f)) {
			tl_put_string(text, is_unseen(f)
						? tl_own_words[f->b >> 16]
						: tl_part_name(f->a));
			return;
		}
		tl_put_bytes(text,
		    group_name(why, tl_feature_group(f), "begin"));
		if (f->kind != TL_FEATURE_GAP)
			return;
		tl_put_string(text, " -> ");
		tl_put_bytes(text, group_name(why, f->b, "end"));
	}
}

/* The name of the process or thread of a cause.  Empty: the cause is neither,
 * or the name is unknown. */
static struct tl_bytes
named_cause(const struct tl_why *why, const struct tl_cause *cause)
{
	const struct tl_thread *t;

	if (cause->example_count == 0)
		return tl_bytes("", 0);
	t = why->threads[cause->examples[0]->thread];
	if (cause->kind == TL_CAUSE_PID)
		return tl_names_process(t->names, t->pid);
	return cause->kind == TL_CAUSE_TID
		   ? tl_names_thread(t->names, t->pid, t->tid)
		   : tl_bytes("", 0);
}

static bool
is_in_ns(const struct tl_why *why, const struct tl_cause *cause)
{
	if (cause->kind < TL_CAUSE_FEATURE)
		return causes[cause->kind].in_ns;
	return cause->kind == TL_CAUSE_WHERE &&
	       tl_feature_is_part(feature_of(why, cause)->kind);
}

/* States with a smaller share of the time of slow spans are not named. */
static const double state_least = 0.05;

/* The task that accounts for most of a wait in slow spans. */
struct task {
	uint32_t text;
	double share; /* of the time in the state; 0: no task is known */
};

static struct task
find_task(const struct tl_why *why, const struct tl_result *result,
    unsigned feature)
{
	struct tl_records_at at = { .records = &result->target->records };
	double *ns = calloc(why->feature_ids.count, sizeof(*ns));
	const struct tl_record *r;
	struct task task = { 0 };
	double all = 0;

	while (ns && (r = tl_records_known(&at))) {
		const uint64_t *of = tl_record_parts(r);

		if (r->level < result->level)
			continue;
		for (unsigned i = 0; i < r->part_count; i++)
			ns[tl_part_feature(of[i])] +=
			    (double)tl_part_amount(of[i]) * r->weight;
	}
	if (ns)
		all = ns[feature];
	for (uint32_t i = 0; ns && i < why->feature_ids.count; i++) {
		const struct tl_feature *f = &why->features[i];

		if (f->kind != TL_FEATURE_TASK ||
		    f->a != why->features[feature].a ||
		    ns[i] <= task.share * all)
			continue;
		task = (struct task){ f->b, ns[i] / all };
	}
	free(ns);
	return task;
}

static bool
is_of_states(const struct tl_why *why, const struct tl_cause *cause)
{
	return cause->kind >= TL_CAUSE_FEATURE &&
	       feature_of(why, cause)->kind == TL_FEATURE_PART;
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

	if (cause->op == TL_OP_EQUAL && tl_arg_is_text(&message->args[i])) {
		put_json_text(text, why->texts[cause->value]);
		return;
	}
	event.args[i] = cause->op == TL_OP_EQUAL
			    ? (uint64_t)cause->value
			    : tl_why_raw(message, i, cause->value);
	tl_render_arg_json(text, &event, i);
}

/* The value of an argument of another message. */
static void
put_other_argument(struct tl_text *text, const struct tl_why *why,
    const struct tl_feature *f, bool json)
{
	const unsigned i = tl_feature_argument(f);
	const struct tl_message *m = why->groups[tl_feature_group(f)]->message;
	struct tl_event event = { .message = m, .kind = TL_BEGIN };

	event.args[i] = f->b;
	if (!tl_arg_is_text(&m->args[i]))
		tl_render_arg_json(text, &event, i);
	else if (json)
		put_json_text(text, why->texts[f->b]);
	else
		tl_put_plain(text, why->texts[f->b]);
}

static void
put_value(struct tl_text *text, const struct tl_why *why,
    const struct tl_cause *cause, const struct tl_message *message)
{
	const struct tl_feature *f =
	    cause->kind >= TL_CAUSE_FEATURE ? feature_of(why, cause) : NULL;

	if (cause->kind == TL_CAUSE_ARGUMENT) {
		put_argument(text, why, cause, message);
	} else if (cause->kind == TL_CAUSE_MIGRATED) {
		tl_put_string(text, "true");
	} else if (cause->op == TL_OP_IN) {
		tl_put_format(text, "[%ld,%ld]", cause->value, cause->end);
	} else if (f && tl_feature_is_arg(f->kind)) {
		put_other_argument(text, why, f, true);
	} else if (f && f->kind == TL_FEATURE_STATE) {
		if (f->b == TL_TEXT_NONE)
			tl_put_string(text, "null");
		else
			put_json_text(text, why->texts[f->b]);
	} else {
		tl_put_signed(text, cause->value);
	}
}

static double
ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static void
put_json_name(struct tl_fields *f, const char *member, struct tl_bytes name)
{
	if (name.size > 0)
		tl_fields_bytes(f, member, name);
}

static void
put_json_example(struct tl_fields *f, const struct tl_why *why,
    const struct tl_record *r)
{
	const struct tl_thread *t = why->threads[r->thread];
	struct tl_text part = { 0 };

	tl_fields_object(f, NULL);
	tl_fields_signed(f, "ns", r->begin_ns);
	tl_fields_duration(f, "duration", r->duration_ns);
	tl_fields_unsigned(f, "pid", t->pid);
	tl_fields_unsigned(f, "tid", t->tid);
	put_json_name(f, "process", tl_names_process(t->names, t->pid));
	put_json_name(f, "thread", tl_names_thread(t->names, t->pid, t->tid));
	if (r->cpu == TL_CPU_UNKNOWN)
		tl_fields_null(f, "cpu");
	else
		tl_fields_unsigned(f, "cpu", r->cpu);
	if (put_path(&part, why, r))
		tl_fields_bytes(f, "path", tl_bytes(part.data, part.size));
	else
		tl_fields_null(f, "path");
	tl_text_clear(&part);
	tl_why_put_span(&part, why, r);
	tl_fields_bytes(f, "text", tl_bytes(part.data, part.size));
	if (part.rc < 0)
		f->text->rc = part.rc;
	tl_text_free(&part);
	tl_fields_object_end(f);
}

static void
put_json_cause(struct tl_fields *f, const struct tl_why *why,
    const struct tl_result *result, const struct tl_cause *cause)
{
	static const char *const ops[] = { "=", ">=", "<=", "in" };
	const struct tl_message *message = result->target->message;
	const double slow = (double)result->known_slow[result->level - 1];
	const double precision =
	    ratio((double)cause->hits, (double)cause->with);
	struct tl_text name = { 0 };

	put_name(&name, why, cause, message);
	tl_fields_object(f, NULL);
	tl_fields_string(f, "kind",
	    cause->kind < TL_CAUSE_FEATURE
		? causes[cause->kind].kind
		: features[feature_of(why, cause)->kind].kind);
	tl_fields_bytes(f, "name", tl_bytes(name.data, name.size));
	tl_text_free(&name);
	if (cause->kind >= TL_CAUSE_FEATURE &&
	    tl_feature_is_arg(feature_of(why, cause)->kind))
		tl_fields_bytes(f, "argument",
		    argument_name(why, feature_of(why, cause)));
	tl_fields_string(f, "op", ops[cause->op]);
	tl_fields_member(f, "value");
	put_value(f->text, why, cause, message);
	put_json_name(f, cause->kind == TL_CAUSE_PID ? "process" : "thread",
	    named_cause(why, cause));
	if (is_of_states(why, cause)) {
		const struct task task = find_task(why, result, cause->feature);

		if (task.share > 0) {
			tl_fields_bytes(f, "task", why->texts[task.text]);
			tl_fields_double(f, "task_share", task.share);
		}
	}
	if (is_in_ns(why, cause))
		tl_fields_string(f, "unit", "ns");
	else
		tl_fields_null(f, "unit");
	tl_fields_double(f, "covers", ratio((double)cause->hits, slow));
	tl_fields_double(f, "precision", precision);
	if (cause->kind == TL_CAUSE_WHERE) {
		tl_fields_double(f, "share", cause->share);
	} else {
		tl_fields_double(f, "lift", cause->lift);
		tl_fields_double(f, "risk", cause->risk);
		tl_fields_double(f, "explains", cause->explains);
	}
	tl_fields_double(f, "p", cause->p);
	tl_fields_unsigned(f, "with", cause->with);
	tl_fields_unsigned(f, "hits", cause->hits);
	tl_fields_double(f, "excess", cause->excess);
	tl_fields_duration(f, "median_with", cause->median_with_ns);
	tl_fields_duration(f, "median_without", cause->median_without_ns);
	tl_fields_duration(f, "p99_with", cause->p99_with_ns);
	tl_fields_duration(f, "p99_without", cause->p99_without_ns);
	if (cause->echo_of)
		tl_fields_unsigned(f, "echo_of", cause->echo_of);
	tl_fields_array(f, "examples");
	for (size_t i = 0; i < cause->example_count; i++)
		put_json_example(f, why, cause->examples[i]);
	tl_fields_array_end(f);
	tl_fields_object_end(f);
}

/* The number of causes to show. */
static size_t
shown_count(const struct tl_why *why, const struct tl_result *result)
{
	if (why->plan.all)
		return result->cause_count;
	return result->finding_count < TL_FINDINGS_MAX ? result->finding_count
						       : TL_FINDINGS_MAX;
}

/* Append the result of a message.  NULL: the glob matches no message. */
static void
put_json_result(struct tl_text *text, const struct tl_why *why,
    const struct tl_result *result)
{
	const size_t at = result ? result->level : 0;
	struct tl_fields f = { .text = text, .json = true };

	tl_fields_object(&f, NULL);
	tl_fields_bytes(&f, "message",
	    result ? result->target->group->name : tl_bytes_of(why->plan.glob));
	tl_fields_unsigned(&f, "spans", result ? result->target->spans : 0);
	tl_fields_unsigned(&f, "slow", at ? result->slow[at - 1] : 0);
	if (at)
		tl_fields_duration(&f, "threshold",
		    result->thresholds_ns[at - 1]);
	else
		tl_fields_null(&f, "threshold_ns");
	tl_fields_unsigned(&f, "episodes",
	    result ? (uint64_t)(result->episodes + 0.5) : 0);
	tl_fields_unsigned(&f, "tests", result ? result->tests : 0);
	tl_fields_array(&f, "where");
	for (size_t i = 0; result && i < result->where_count; i++)
		put_json_cause(&f, why, result, &result->where[i]);
	tl_fields_array_end(&f);
	tl_fields_array(&f, "causes");
	for (size_t i = 0; result && i < shown_count(why, result); i++)
		put_json_cause(&f, why, result, &result->causes[i]);
	tl_fields_array_end(&f);
	tl_fields_object_end(&f);
}

int
tl_why_put_json(struct tl_why *why, struct tl_text *text)
{
	for (size_t i = 0; i < why->target_count; i++)
		put_json_result(text, why, &why->results[i]);
	if (why->target_count == 0)
		put_json_result(text, why, NULL);
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

	if (f->kind == TL_FEATURE_INSIDE && cause->value == 0)
		tl_put_string(text, "no ");
	if (f->kind == TL_FEATURE_PART || is_unseen(f)) {
		tl_put_string(text, features[TL_FEATURE_PART].before);
		tl_put_string(text,
		    is_unseen(f) ? tl_own_words[f->b >> 16] : parts[f->a]);
		return;
	}
	tl_put_string(text, features[f->kind].before);
	put_quoted(text, group_name(why, tl_feature_group(f), "begin"));
	if (tl_feature_is_arg(f->kind)) {
		tl_put_string(text, " with ");
		tl_put_plain(text, argument_name(why, f));
		tl_put_string(text, " = ");
		put_other_argument(text, why, f, false);
	}
	tl_put_string(text, features[f->kind].after);
	if (f->kind == TL_FEATURE_INSIDE && cause->value > 1) {
		tl_put_format(text, ", %ld times or more", cause->value);
	} else if (f->kind == TL_FEATURE_GAP) {
		put_quoted(text, group_name(why, f->b, "end"));
	} else if (f->kind == TL_FEATURE_STATE && f->b != TL_TEXT_NONE) {
		tl_put_string(text, " with ");
		tl_put_plain(text, why->texts[f->b]);
	}
}

/* Are there kernel events? */
static bool
has_kernel(const struct tl_why *why)
{
	bool has = why->states != NULL;

	for (uint32_t i = 0; i < why->group_count; i++)
		has |= why->groups[i]->kernel;
	return has;
}

static void
put_phrase(struct tl_text *text, const struct tl_why *why,
    const struct tl_cause *cause, const struct tl_message *message)
{
	if (cause->kind == TL_CAUSE_ARGUMENT) {
		const bool string =
		    tl_arg_is_text(&message->args[cause->argument]) &&
		    cause->op == TL_OP_EQUAL;

		tl_put_plain(text, message->args[cause->argument].name);
		tl_put_string(text, cause->op == TL_OP_EQUAL   ? " = "
				    : cause->op == TL_OP_LEAST ? " >= "
							       : " <= ");
		if (string)
			tl_put_plain(text, why->texts[cause->value]);
		else
			put_argument(text, why, cause, message);
		return;
	}
	if (cause->kind >= TL_CAUSE_FEATURE) {
		put_feature(text, why, cause);
		return;
	}
	tl_put_string(text, causes[cause->kind].before);
	if (!causes[cause->kind].after)
		return;
	if (cause->kind == TL_CAUSE_RUN)
		tl_put_time(text, cause->value);
	else if (is_in_ns(why, cause))
		tl_put_duration(text, cause->value);
	else if (cause->kind == TL_CAUSE_PID || cause->kind == TL_CAUSE_TID)
		tl_put_named(text, named_cause(why, cause),
		    (uint32_t)cause->value);
	else
		tl_put_signed(text, cause->value);
	if (cause->kind == TL_CAUSE_SINCE_THREAD ||
	    cause->kind == TL_CAUSE_SINCE_ANY)
		tl_put_string(text,
		    cause->op == TL_OP_LEAST ? " or more" : " or less");
	tl_put_string(text, causes[cause->kind].after);
	if (cause->kind == TL_CAUSE_RUN) {
		tl_put_time(text, cause->end);
	} else if (cause->kind == TL_CAUSE_PERIOD) {
		tl_put_format(text, "%s of each %s",
		    TL_DURATION(cause->end + 1), period_names[cause->argument]);
		if (cause->argument < TL_TICKS)
			tl_put_format(text,
			    " (perhaps a timer tick or preemption%s)",
			    has_kernel(why) ? ""
					    : "; timelinectl kernel tells");
	}
}

static void
put_with(struct tl_text *text, const char *what, int64_t with_ns,
    int64_t without_ns)
{
	tl_put_format(text, "%s%s with it, %s without", what,
	    TL_DURATION(with_ns), TL_DURATION(without_ns));
}

/* "median 710us with it, 101us without; 99 % take at most 2ms with it, 180us
 * without"; the 99 % first if most spans with the cause are not slow. */
static void
put_durations(struct tl_text *text, const struct tl_result *result,
    const struct tl_cause *cause)
{
	const bool tail =
	    cause->median_with_ns < result->thresholds_ns[result->level - 1];

	tl_put_string(text, "   ");
	for (unsigned i = 0; i < 2; i++) {
		if (tail == (i == 0))
			put_with(text, "99 % take at most ", cause->p99_with_ns,
			    cause->p99_without_ns);
		else
			put_with(text, "median ", cause->median_with_ns,
			    cause->median_without_ns);
		tl_put_string(text, i == 0 ? "; " : "\n");
	}
}

static void
put_shares(struct tl_text *text, const struct tl_result *result,
    const struct tl_cause *cause)
{
	const double slow = (double)result->known_slow[result->level - 1];

	tl_put_string(text, ": ");
	tl_put_rounded(text, 100 * ratio((double)cause->hits, slow), 3);
	tl_put_string(text, " % of the slow spans, of which ");
	tl_put_rounded(text,
	    100 * ratio((double)cause->hits, (double)cause->with), 3);
	tl_put_string(text, " % are slow (");
	tl_put_rounded(text, cause->lift, 3);
	tl_put_string(text, " times the average; p ");
	if (cause->p < 1e-300)
		tl_put_string(text, "< 1e-300)\n");
	else
		tl_put_format(text, "= %.1g)\n", cause->p);
}

/* Append the task of a wait: " (preempted by R/4711 83 % of the time)". */
static void
put_task(struct tl_text *text, const struct tl_why *why,
    const struct tl_result *result, unsigned feature)
{
	const struct tl_feature *f = &why->features[feature];
	struct task task;

	if (f->kind != TL_FEATURE_PART || !tasks[f->a])
		return;
	task = find_task(why, result, feature);
	if (task.share <= 0)
		return;
	tl_put_format(text, " (%s", tasks[f->a]);
	tl_put_plain(text, why->texts[task.text]);
	tl_put_format(text, " %.0f %% of the time)", 100 * task.share);
}

/* Append the slowest spans of a cause. */
static void
put_examples(struct tl_text *text, const struct tl_why *why,
    const struct tl_cause *cause)
{
	for (size_t k = 0; k < cause->example_count; k++) {
		tl_put_format(text, "     %s  %s  [",
		    TL_TIME(cause->examples[k]->begin_ns),
		    TL_DURATION(cause->examples[k]->duration_ns));
		if (!put_path(text, why, cause->examples[k]))
			tl_why_put_tree(text, why, cause->examples[k]);
		tl_put_string(text, "]  ");
		tl_why_put_span(text, why, cause->examples[k]);
		tl_put_char(text, '\n');
	}
}

static void
put_text_cause(struct tl_text *text, const struct tl_why *why,
    const struct tl_result *result, size_t i)
{
	const struct tl_cause *cause = &result->causes[i];
	bool any = false;

	tl_put_format(text, "%zu. ", i + 1);
	put_phrase(text, why, cause, result->target->message);
	put_shares(text, result, cause);
	if (cause->explains > 0)
		tl_put_format(text,
		    "   explains %.0f %% of what the slow spans take longer\n",
		    100 * cause->explains);
	put_durations(text, result, cause);
	if (cause->echo_of)
		tl_put_format(text, "   says nothing of its own beside %u\n",
		    cause->echo_of);
	/* Append the echoes that have the same spans as a finding. */
	for (size_t k = 0; k < result->cause_count; k++) {
		const struct tl_cause *c = &result->causes[k];

		if (!c->same || c->echo_of != i + 1)
			continue;
		tl_put_string(text, any ? "; " : "   the same spans: ");
		put_phrase(text, why, c, result->target->message);
		any = true;
	}
	if (any)
		tl_put_char(text, '\n');
	if (i == 0)
		tl_put_format(text,
		    "   its slowest spans: begin, duration, [%s], message\n",
		    tl_why_is_moving(why) ? "options that show it"
					  : "N/M for --tree --path N/M");
	put_examples(text, why, cause);
}

/* Append the states of threads, unless a state is already claimed as a part. */
static void
put_states(struct tl_text *text, const struct tl_why *why,
    const struct tl_result *result)
{
	const char *between = "   the threads of slow spans: ";

	for (size_t i = 0; i < result->where_count; i++)
		if (is_of_states(why, &result->where[i]))
			return;
	for (uint32_t i = 0; i < why->feature_ids.count; i++) {
		const struct tl_feature *f = &why->features[i];
		const struct tl_state_share *share;

		if (f->kind != TL_FEATURE_PART)
			continue;
		share = &result->states[f->a];
		if (share->slow < state_least)
			continue;
		tl_put_format(text, "%s%s %.0f %% of the time", between,
		    parts[f->a], 100 * share->slow);
		put_task(text, why, result, i);
		tl_put_format(text, ", others %.0f %%", 100 * share->others);
		between = "; ";
	}
	if (*between == ';')
		tl_put_char(text, '\n');
}

/* Append the reason why there are no causes. */
static void
put_nothing(struct tl_text *text, const struct tl_why *why,
    const struct tl_result *result)
{
	const size_t at = result->level;
	const unsigned long long spans = result->target->spans;

	if (spans < TL_SPANS_MIN) {
		tl_put_format(text,
		    "%llu spans; %d are needed to compare them.\n", spans,
		    TL_SPANS_MIN);
	} else if (at == 0) {
		tl_put_format(text,
		    "%llu spans, none of which stands out: the median is %s.\n",
		    spans, TL_DURATION(result->median_ns));
	} else if (result->slow[at - 1] == 0) {
		tl_put_format(text, "None of %llu spans took %s or longer.\n",
		    spans, TL_DURATION(result->thresholds_ns[at - 1]));
	} else {
		tl_put_format(text,
		    "Nothing that --why looks at separates the %llu slowest of "
		    "%llu spans (%s and longer); %lu comparisons of %.0f "
		    "episodes%s.\nMore detail may: a lower priority or a burst "
		    "(timelinectl priority, timelinectl burst), timers inside "
		    "them%s.\n",
		    (unsigned long long)result->slow[at - 1], spans,
		    TL_DURATION(result->thresholds_ns[at - 1]), result->tests,
		    result->episodes,
		    result->episodes < EPISODES_FEW
			? ", which may be too few to tell"
			: "",
		    has_kernel(why) ? ""
				    : ", and what the kernel did (timelinectl "
				      "kernel)");
	}
}

/* Append which spans are slow, where the time goes, and the states. */
static void
put_slow(struct tl_text *text, const struct tl_why *why,
    const struct tl_result *result)
{
	const size_t at = result->level;

	tl_put_plain(text, result->target->group->name);
	tl_put_string(text, ": ");
	if (result->finding_count == 0 && result->where_count == 0) {
		put_nothing(text, why, result);
	} else {
		tl_put_format(text,
		    "%lu of %lu spans took %s or longer (the slowest ",
		    result->slow[at - 1], result->target->spans,
		    TL_DURATION(result->thresholds_ns[at - 1]));
		tl_put_rounded(text,
		    100 * (double)result->slow[at - 1] / (double)result->weight,
		    3);
		tl_put_string(text, " %)\n");
		/* Append the parts of the duration in which slow spans take
		 * longer. */
		for (size_t i = 0; i < result->where_count; i++) {
			const struct tl_cause *part = &result->where[i];

			tl_put_string(text, "   ");
			put_phrase(text, why, part, result->target->message);
			put_task(text, why, result, part->feature);
			tl_put_format(text,
			    " (%.0f %% of what the slow ones take longer)\n",
			    100 * part->share);
			if (i == 0 && result->finding_count == 0)
				put_examples(text, why, part);
		}
	}
	put_states(text, why, result);
}

void
tl_why_put_finding(struct tl_text *text, const struct tl_why *why,
    const struct tl_result *result)
{
	const struct tl_cause *cause = &result->causes[0];

	put_slow(text, why, result);
	if (result->finding_count == 0)
		return;
	tl_put_string(text, "   ");
	put_phrase(text, why, cause, result->target->message);
	put_shares(text, result, cause);
	tl_put_string(text, "   ");
	tl_put_rounded(text, cause->risk, 3);
	tl_put_string(text, " times the risk of a span without it\n");
	put_durations(text, result, cause);
}

int
tl_why_put_text(struct tl_why *why, struct tl_text *text)
{
	for (size_t i = 0; i < why->target_count; i++) {
		const struct tl_result *result = &why->results[i];
		const size_t shown = shown_count(why, result);

		if (i > 0)
			tl_put_char(text, '\n');
		put_slow(text, why, result);
		for (size_t k = 0; k < shown; k++)
			put_text_cause(text, why, result, k);
		if (shown < result->cause_count)
			tl_put_format(text,
			    "%zu more that come with these: --all shows "
			    "them.\n",
			    result->cause_count - shown);
	}
	if (why->target_count == 0) {
		tl_put_plain(text, tl_bytes_of(why->plan.glob));
		tl_put_string(text, ": no span of such a message was logged; "
				    "--list shows the messages.\n");
	}
	return text->rc;
}

size_t
tl_why_target_count(const struct tl_why *why)
{
	return why->target_count;
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
		{ l->values, "values of arguments beyond the limit" },
		{ l->unsure, "spans whose begin or end may be missing" },
		{ l->older, "older spans: others of their time are "
			    "overwritten" },
		{ l->alone,
		    "begins: of these spans only durations are compared" } };
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
