/* SPDX-License-Identifier: Apache-2.0 */
/* critical.c - --critical and --path-of: the waits that determined the ends of
 * spans. */
#include "dump/overwritten.h"
#include "dump/views.h"

#include "analysis/critical.h"
#include "base/array.h"
#include "base/fields.h"
#include "base/ns.h"
#include "event/names.h"
#include "event/render.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Without --all, of parts and of steps. */
enum { SHOWN = 5, TIME_WIDTH = 10, THREAD_WIDTH = 15 };

struct view {
	const struct tl_sources *inputs;
	const struct tl_options *options;
	struct tl_text *text;
	char glob[TL_PAIR_GLOB_MAX];
	const char *value;
};

static const char *
host_name(const struct view *v, size_t clock)
{
	const struct tl_hosts *hosts = v->inputs->hosts;

	return hosts && hosts->count > 1 && clock < hosts->count
		   ? hosts->list[clock].name
		   : NULL;
}

/* The name of a thread, from the source of a message.  Empty: unknown. */
static struct tl_bytes
name_of(const struct tl_critical_thread *thread, const struct tl_message *from)
{
	return tl_names_thread(from ? from->names : NULL, thread->pid,
	    thread->tid);
}

static void
put_thread(const struct view *v, const struct tl_critical_thread *thread,
    struct tl_bytes name)
{
	const char *host = host_name(v, thread->clock);

	if (host) {
		tl_put_plain(v->text, tl_bytes_of(host));
		tl_put_char(v->text, ':');
	}
	tl_put_thread(v->text, name, thread->pid, thread->tid);
}

static void
put_pair_side(struct tl_text *text, const struct tl_pair_side *side)
{
	if (side->of_ends)
		tl_put_string(text, "end of ");
	tl_put_plain(text, tl_bytes_of(side->glob));
}

static void
put_what(const struct view *v, enum tl_critical_kind kind,
    const struct tl_message *message, unsigned rule)
{
	const struct tl_pair_rule *rules = v->options->pairs;

	if (kind == TL_CRITICAL_PAIR) {
		put_pair_side(v->text, &rules[rule].sides[TL_PAIR_SENT]);
		tl_put_string(v->text, " -> ");
		put_pair_side(v->text, &rules[rule].sides[TL_PAIR_RECEIVED]);
	} else {
		tl_critical_put_words(v->text, kind, message);
	}
}

static void
put_duration(struct tl_text *text, int64_t ns)
{
	const size_t since = text->size;

	tl_put_duration(text, ns);
	tl_text_align_right(text, since, TIME_WIDTH);
}

static void
put_parts(const struct view *v, const struct tl_critical_result *r)
{
	/* one line more takes no more room than a line that counts it */
	const size_t shown = v->options->all || r->part_count <= SHOWN + 1
				 ? r->part_count
				 : SHOWN;
	int64_t rest_ns = 0;

	for (size_t i = 0; i < shown; i++) {
		const struct tl_critical_part *part = &r->parts[i];

		tl_put_format(v->text, "  %5.1f%%",
		    r->total_ns > 0
			? 100.0 * (double)part->ns / (double)r->total_ns
			: 0.0);
		put_duration(v->text, part->ns);
		tl_put_string(v->text, "  ");
		put_what(v, part->kind, part->message, part->rule);
		if (part->uncertain_ns > 0) {
			tl_put_format(v->text, "  (uncertain: %s)",
			    TL_DURATION(part->uncertain_ns));
		}
		tl_put_char(v->text, '\n');
	}
	if (shown == r->part_count)
		return;
	for (size_t i = shown; i < r->part_count; i++)
		rest_ns = tl_add_ns(rest_ns, r->parts[i].ns);
	tl_put_format(v->text, "  ... and %zu more, together %s\n",
	    r->part_count - shown, TL_DURATION(rest_ns));
}

static void
put_step(const struct view *v, const struct tl_critical_result *r,
    const struct tl_critical_step *step)
{
	struct tl_bytes name = name_of(&step->thread, step->message);
	size_t since, width;

	if (name.size == 0 && step->thread.clock == r->thread.clock)
		name = name_of(&step->thread, r->message);
	tl_put_string(v->text, "  ");
	since = v->text->size;
	tl_put_format(v->text, "+%s", TL_DURATION(step->from_ns - r->begin_ns));
	tl_text_align_right(v->text, since, TIME_WIDTH);
	put_duration(v->text, step->to_ns - step->from_ns);
	tl_put_string(v->text, "  ");
	since = v->text->size;
	put_thread(v, &step->thread, name);
	width = tl_text_width(
	    tl_bytes(v->text->data + since, v->text->size - since));
	if (width < THREAD_WIDTH)
		tl_put_repeat(v->text, ' ', THREAD_WIDTH - width);
	tl_put_string(v->text, "  ");
	if (step->kind == TL_CRITICAL_TASK && step->from_ns == step->to_ns)
		tl_put_string(v->text, "wakeup of the next");
	else
		put_what(v, step->kind, step->message, step->rule);
	tl_put_string(v->text, step->certain ? "\n" : "  (uncertain)\n");
}

static size_t
count_longer(const struct tl_critical_result *r, int64_t ns)
{
	size_t count = 0;

	for (size_t i = 0; i < r->step_count; i++)
		count += r->steps[i].to_ns - r->steps[i].from_ns >= ns;
	return count;
}

/* Put the steps [from, to) that are too short to be shown: as a count, or the
 * step itself if it is the only one. */
static void
put_hidden(const struct view *v, const struct tl_critical_result *r,
    size_t from, size_t to)
{
	int64_t ns = 0;

	if (to == from + 1)
		put_step(v, r, &r->steps[from]);
	if (to <= from + 1)
		return;
	for (size_t i = from; i < to; i++)
		ns = tl_add_ns(ns, r->steps[i].to_ns - r->steps[i].from_ns);
	tl_put_format(v->text, "  ... %zu shorter, %s\n", to - from,
	    TL_DURATION(ns));
}

static void
put_path(const struct view *v, const struct tl_critical_result *r)
{
	size_t from = 0, left = SHOWN; /* hidden since; steps of equal length */
	int64_t least = 0;

	if (!v->options->all && r->step_count > SHOWN) {
		TL_SEARCH(least, 0, r->end_ns - r->begin_ns + 1,
		    count_longer(r, least) > SHOWN);
		left -= count_longer(r, least);
	}
	if (r->cut)
		tl_put_string(v->text, "  ... older steps are left out\n");
	for (size_t i = 0; i < r->step_count; i++) {
		const struct tl_critical_step *step = &r->steps[i];
		const int64_t ns = step->to_ns - step->from_ns;

		if (ns < least && (ns < least - 1 || left == 0))
			continue;
		left -= ns < least;
		put_hidden(v, r, from, i);
		from = i + 1;
		put_step(v, r, step);
	}
	put_hidden(v, r, from, r->step_count);
}

static void
put_text(const struct view *v, const struct tl_critical_result *r)
{
	const struct tl_event event = { .message = r->message,
		.kind = TL_BEGIN,
		.bare = r->bare,
		.args = { r->args[0], r->args[1], r->args[2], r->args[3] } };

	tl_put_plain(v->text, r->message->line1);
	tl_put_format(v->text, ": %llu span%s, %s, critical path:\n",
	    (unsigned long long)r->spans, r->spans == 1 ? "" : "s",
	    TL_DURATION(r->total_ns));
	put_parts(v, r);
	tl_put_string(v->text, r->spans == 1 ? "its path: " : "the longest: ");
	tl_render_node(v->text, &event, true);
	tl_put_format(v->text, "  %s  ", TL_DURATION(r->end_ns - r->begin_ns));
	put_thread(v, &r->thread, name_of(&r->thread, r->message));
	tl_put_format(v->text, "  %s%s", TL_TIME(r->begin_ns),
	    r->lossy ? "  (entries were lost meanwhile)\n" : "\n");
	put_path(v, r);
}

static void
json_thread(struct tl_fields *f, const struct view *v,
    const struct tl_critical_thread *thread)
{
	const char *host = host_name(v, thread->clock);

	if (host)
		tl_fields_string(f, "host", host);
	tl_fields_unsigned(f, "pid", thread->pid);
	tl_fields_unsigned(f, "tid", thread->tid);
}

static void
json_what(struct tl_fields *f, const struct view *v, enum tl_critical_kind kind,
    const struct tl_message *message, unsigned rule)
{
	struct tl_text what = { 0 };
	const struct view inner = { .inputs = v->inputs,
		.options = v->options,
		.text = &what };

	tl_fields_string(f, "kind", tl_critical_kind_name(kind));
	if (kind == TL_CRITICAL_PAIR) {
		put_what(&inner, kind, message, rule);
		tl_fields_string(f, "pair", tl_text_string(&what));
	} else if (message) {
		tl_fields_bytes(f, "category", message->category);
		tl_fields_bytes(f, "message", message->line1);
	}
	tl_text_free(&what);
}

static void
put_json(const struct view *v, const struct tl_critical_result *r)
{
	struct tl_fields f = { .text = v->text, .json = true };

	tl_fields_object(&f, NULL);
	tl_fields_bytes(&f, "category", r->message->category);
	tl_fields_bytes(&f, "message", r->message->line1);
	tl_fields_unsigned(&f, "spans", r->spans);
	tl_fields_signed(&f, "total_ns", r->total_ns);
	tl_fields_signed(&f, "uncertain_ns", r->uncertain_ns);
	tl_fields_array(&f, "parts");
	for (size_t i = 0; i < r->part_count; i++) {
		tl_fields_object(&f, NULL);
		json_what(&f, v, r->parts[i].kind, r->parts[i].message,
		    r->parts[i].rule);
		tl_fields_signed(&f, "ns", r->parts[i].ns);
		tl_fields_signed(&f, "uncertain_ns", r->parts[i].uncertain_ns);
		tl_fields_unsigned(&f, "count", r->parts[i].count);
		tl_fields_object_end(&f);
	}
	tl_fields_array_end(&f);
	tl_fields_object(&f, "longest");
	json_thread(&f, v, &r->thread);
	tl_fields_signed(&f, "begin_ns", r->begin_ns);
	tl_fields_signed(&f, "end_ns", r->end_ns);
	tl_fields_bool(&f, "lossy", r->lossy);
	tl_fields_bool(&f, "cut", r->cut);
	tl_fields_array(&f, "path");
	for (size_t i = 0; i < r->step_count; i++) {
		const struct tl_critical_step *step = &r->steps[i];

		tl_fields_object(&f, NULL);
		json_what(&f, v, step->kind, step->message, step->rule);
		json_thread(&f, v, &step->thread);
		tl_fields_signed(&f, "from_ns", step->from_ns);
		tl_fields_signed(&f, "to_ns", step->to_ns);
		tl_fields_bool(&f, "certain", step->certain);
		tl_fields_object_end(&f);
	}
	tl_fields_array_end(&f);
	tl_fields_object_end(&f);
	tl_fields_object_end(&f);
}

/* Split "request 42" into the glob request* and the argument 42. */
static void
split_wanted(struct view *v)
{
	const char *wanted = v->options->critical;
	const char *space = v->options->path_of ? strrchr(wanted, ' ') : NULL;
	const size_t size = space ? (size_t)(space - wanted) : strlen(wanted);
	const bool is_glob = memchr(wanted, '*', size) != NULL;

	snprintf(v->glob, sizeof(v->glob), "%.*s%s", (int)size, wanted,
	    space && !is_glob ? "*" : "");
	v->value = space ? space + 1 : NULL;
}

static int
read_events(struct tl_critical *critical, struct view *v,
    struct tl_select *select)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc;

	select->kernel = v->inputs;
	select->levels = true;
	rc = tl_select_sources(select, v->inputs, TL_OLDEST_FIRST, &cursor);
	if (rc < 0)
		return rc;
	while (rc >= 0 && (rc = tl_cursor_next(cursor, &event)) > 0) {
		if (select->all)
			tl_progress_tick(&select->progress);
		rc = tl_critical_put(critical, &event);
	}
	tl_cursor_close(cursor);
	return rc;
}

/* Does no message match a side of a pair?  If so, sets the fault. */
static bool
lacks_pair(const struct tl_sources *inputs, const struct tl_options *options,
    struct tl_fault *fault)
{
	for (unsigned i = 0; i < options->pair_count * TL_PAIR_SIDES; i++) {
		const struct tl_pair_rule *rule =
		    &options->pairs[i / TL_PAIR_SIDES];

		if (tl_select_no_message(inputs,
			rule->sides[i % TL_PAIR_SIDES].glob, fault))
			return true;
	}
	return false;
}

static void
put_left_out(const struct tl_critical *critical, struct tl_select *select,
    const struct tl_pair_rule *pairs, unsigned pair_count)
{
	struct tl_critical_counts counts;

	tl_critical_counts(critical, &counts);
	select->unknown += counts.unknown;
	if (counts.waits + counts.changes + counts.spans + counts.pairs > 0)
		fprintf(stderr,
		    "timeline-dump: --critical: too many entries: %llu waits, "
		    "%llu changes of spans, %llu spans and %llu pairs were "
		    "left out; choose a shorter time with --since\n",
		    (unsigned long long)counts.waits,
		    (unsigned long long)counts.changes,
		    (unsigned long long)counts.spans,
		    (unsigned long long)counts.pairs);
	for (unsigned i = 0; i < pair_count; i++)
		if (counts.waited[i] <= counts.found[i] / 100)
			fprintf(stderr,
			    "timeline-dump: --pair: %s -> %s: %lu pairs, in "
			    "%lu of which the receiver waited\n",
			    pairs[i].sides[TL_PAIR_SENT].glob,
			    pairs[i].sides[TL_PAIR_RECEIVED].glob,
			    counts.found[i], counts.waited[i]);
}

int
tl_critical_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_fault *fault)
{
	struct view v = { .inputs = inputs,
		.options = options,
		.text = &output->text };
	const struct tl_critical_options wanted = { .glob = v.glob,
		.value = (split_wanted(&v), v.value),
		.rules = options->pairs,
		.rule_count = options->pair_count,
		.slower_ns = options->slower_ns,
		.clocks = inputs->hosts ? inputs->hosts->machine_of : NULL };
	const struct tl_critical_result *results;
	struct tl_critical *critical;
	size_t count = 0;
	int rc = tl_critical_new(&critical, &wanted);

	if (rc == 0)
		rc = read_events(critical, &v, select);
	if (rc == 0)
		rc = tl_critical_finish(critical, &results, &count);
	tl_progress_end(&select->progress);
	if (rc == 0 && lacks_pair(inputs, options, fault))
		rc = -ENOENT;
	if (rc == 0 && count == 0)
		rc = options->path_of
			 ? tl_fail(fault, -ENOENT,
			       "no finished span matches '%s'",
			       options->critical)
			 : tl_select_no_span(inputs, options->critical, fault);
	if (rc == 0 && options->format != TL_FORMAT_JSON)
		rc =
		    tl_overwritten_warn(&output->text, inputs, &select->filter);
	for (size_t i = 0; i < count && rc == 0; i++) {
		if (options->format == TL_FORMAT_JSON)
			put_json(&v, &results[i]);
		else
			put_text(&v, &results[i]);
		rc = tl_output_more(output);
	}
	if (critical)
		put_left_out(critical, select, options->pairs,
		    rc == 0 ? (unsigned)options->pair_count : 0);
	tl_critical_free(critical);
	return rc;
}
