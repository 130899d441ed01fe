/* SPDX-License-Identifier: Apache-2.0 */
/* brief.c - one page about slow spans, see brief.h. */
#include "analysis/brief.h"

#include "analysis/critical.h"
#include "analysis/gather.h"
#include "base/ns.h"
#include "event/render.h"
#include "source/sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	STEPS_SHOWN = 8,
	/* an edge without kernel events that is shorter than 1/EDGES of the run
	 * is not reported */
	EDGES = 50
};

struct brief {
	const struct tl_brief_plan *plan;
	struct tl_text *text;
	struct tl_why *why;
	const struct tl_result *result;
	/* entries of the time that is compared, and of all of it */
	uint64_t events, lost;
	bool overwritten; /* the oldest entries of a lane were overwritten */
	int64_t first_ns, last_ns; /* of these entries */
	int64_t end_ns;            /* of the record */
	int64_t kernel_first_ns, kernel_last_ns;
	const struct tl_record *slow, *normal;
};

/* == reading == */

static void
count_event(struct brief *b, const struct tl_event *event)
{
	if (event->kind == TL_LOST) {
		b->overwritten |= tl_event_is_start(event);
		b->lost += tl_event_is_start(event) ? 0 : event->lost;
		return;
	}
	if (event->ns < b->plan->since_ns || tl_why_is_older(b->why, event))
		return;
	if (b->events++ == 0)
		b->first_ns = event->ns;
	b->last_ns = event->ns;
	if (!tl_states_is_kernel(event))
		return;
	if (b->kernel_first_ns == INT64_MIN)
		b->kernel_first_ns = event->ns;
	b->kernel_last_ns = event->ns;
}

/* Read all events into the paths and, unless NULL, into the sink.  Events for
 * the sink are counted. */
static int
read_events(struct brief *b, struct tl_sink *sink,
    struct tl_critical *const *paths, size_t count)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc = b->plan->open(b->plan->context, &cursor);

	if (rc < 0)
		return rc;
	while (rc >= 0 && (rc = tl_cursor_next(cursor, &event)) > 0) {
		if (sink) {
			count_event(b, &event);
			rc = sink->put(sink, &event);
		}
		for (size_t i = 0; i < count && rc >= 0; i++)
			rc = tl_critical_put(paths[i], &event);
	}
	tl_cursor_close(cursor);
	return rc;
}

static int
read_why(struct brief *b)
{
	struct tl_sink *sink = tl_why_sink(b->why);
	const int rc = read_events(b, sink, NULL, 0);

	if (!b->plan->is_to_end ||
	    tl_sources_end(b->plan->sources, &b->end_ns) < 0 ||
	    b->end_ns < b->last_ns)
		b->end_ns = b->last_ns;
	if (b->events == 0)
		b->first_ns = b->end_ns;
	return rc < 0 ? rc : sink->finish(sink);
}

/* == which spans == */

/* The time that the slow spans take beyond the median. */
static double
extra_of(const struct tl_result *result)
{
	struct tl_records_at at = { .records = &result->target->records };
	const struct tl_record *r;
	double sum = 0;

	while ((r = tl_records_known(&at)))
		if (result->level > 0 && r->level >= result->level)
			sum += (double)(r->duration_ns - result->median_ns) *
			       r->weight;
	return sum;
}

/* The message whose slow spans cost the most time. */
static const struct tl_result *
choose_result(const struct tl_why *why)
{
	const struct tl_result *best = NULL;
	double most = -1;

	for (size_t i = 0; i < why->target_count; i++) {
		const struct tl_result *result = &why->results[i];
		const double extra = extra_of(result);

		if (extra <= most || (result->target->records.count == 0 &&
					 result->target->open == 0))
			continue;
		most = extra;
		best = result;
	}
	return best;
}

static const struct tl_record *
longest(const struct tl_result *result)
{
	struct tl_records_at at = { .records = &result->target->records };
	const struct tl_record *r, *found = NULL;

	while ((r = tl_records_known(&at)))
		if (!found || r->duration_ns > found->duration_ns)
			found = r;
	return found;
}

static uint64_t
distance(int64_t a, int64_t b)
{
	return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

/* A usual span to compare a slow span with: of the spans within a tenth of the
 * median, the span that began nearest to the slow span. */
static const struct tl_record *
normal_beside(const struct tl_result *result, const struct tl_record *slow)
{
	struct tl_records_at at = { .records = &result->target->records };
	const struct tl_record *r, *found = NULL;

	while ((r = tl_records_known(&at))) {
		if (r == slow || distance(r->duration_ns, result->median_ns) >
				     (uint64_t)result->median_ns / 10)
			continue;
		if (!found || distance(r->begin_ns, slow->begin_ns) <
				  distance(found->begin_ns, slow->begin_ns))
			found = r;
	}
	return found;
}

/* == text == */

/* Append a glob for a name, between single quotes of a shell. */
static void
put_glob(struct tl_text *text, struct tl_bytes name)
{
	for (size_t i = 0; i < name.size; i++) {
		const char c = name.data[i];

		tl_put_char(text, c < ' ' || strchr("'[]\\*?", c) ? '?' : c);
	}
}

static void
put_observed(const struct brief *b)
{
	const struct tl_left_out *l = &b->why->left_out;
	const uint64_t edge =
	    ((uint64_t)b->last_ns - (uint64_t)b->first_ns) / EDGES;

	tl_put_format(b->text, "Record: %llu entries in %s, from %s\nMissing:",
	    (unsigned long long)b->events,
	    TL_DURATION(tl_sub_ns(b->end_ns, b->first_ns)),
	    TL_TIME(b->first_ns));
	if (b->lost > 0)
		tl_put_format(b->text, " %llu entries were lost;",
		    (unsigned long long)b->lost);
	if (l->unsure + l->alone > 0)
		tl_put_format(b->text,
		    " begin or end of %llu spans may be missing;",
		    (unsigned long long)(l->unsure + l->alone));
	if (b->overwritten)
		tl_put_string(b->text, " older entries are overwritten;");
	/* Append the periods for which the file has no kernel events. */
	if (!b->why->states || b->kernel_first_ns == INT64_MIN) {
		tl_put_string(b->text,
		    " what the kernel did (timelinectl kernel);");
	} else if (distance(b->kernel_first_ns, b->first_ns) > edge ||
		   distance(b->kernel_last_ns, b->last_ns) > edge) {
		tl_put_format(b->text,
		    " what the kernel did before %s and after %s;",
		    TL_TIME(b->kernel_first_ns), TL_TIME(b->kernel_last_ns));
	}
	if (b->text->rc < 0)
		return;
	if (b->text->data[b->text->size - 1] == ':')
		tl_put_string(b->text, " nothing known");
	else
		b->text->size--;
	tl_put_format(b->text, "\n  $ timeline-dump --info %s\n",
	    b->plan->files);
}

static bool
is_shown(const struct tl_critical_result *r, size_t step)
{
	const int64_t ns = r->steps[step].to_ns - r->steps[step].from_ns;
	size_t longer = 0;

	for (size_t i = 0; i < r->step_count; i++) {
		const int64_t other = r->steps[i].to_ns - r->steps[i].from_ns;

		longer += other > ns || (other == ns && i < step);
	}
	return longer < STEPS_SHOWN;
}

static void
put_steps(const struct brief *b, const struct tl_critical_result *r)
{
	int64_t hidden_ns = 0;

	for (size_t i = 0; i < r->step_count; i++) {
		const struct tl_critical_step *step = &r->steps[i];

		if (!is_shown(r, i)) {
			hidden_ns =
			    tl_add_ns(hidden_ns, step->to_ns - step->from_ns);
			continue;
		}
		tl_put_format(b->text, "    +%s  %s  thread %u  ",
		    TL_DURATION(step->from_ns - r->begin_ns),
		    TL_DURATION(step->to_ns - step->from_ns), step->thread.tid);
		tl_critical_put_words(b->text, step->kind, step->message);
		tl_put_string(b->text, step->certain ? "\n" : " (uncertain)\n");
	}
	if (hidden_ns > 0 || r->cut) {
		tl_put_format(b->text, "    shorter steps: %s%s",
		    TL_DURATION(hidden_ns),
		    r->cut ? ", and older ones are left out\n" : "\n");
	}
}

/* The open span of the message that began first, and its thread.  NULL: every
 * span of the message has ended. */
static const struct tl_frame *
longest_open(const struct brief *b, const struct tl_thread **thread)
{
	const struct tl_frame *found = NULL;

	for (uint32_t i = 0; i < b->why->thread_ids.count; i++) {
		const struct tl_thread *t = b->why->threads[i];

		for (size_t k = 0; t && k < t->count; k++) {
			const struct tl_frame *frame = &t->frames[k];

			if (!frame->target ||
			    frame->definition->group !=
				b->result->target->group ||
			    (found && found->ns <= frame->ns))
				continue;
			found = frame;
			*thread = t;
		}
	}
	return found;
}

/* Append the oldest span without an end in the record, and the spans that are
 * open in it.  The record cannot tell whether a span goes on or its process was
 * killed. */
static void
put_open(const struct brief *b)
{
	const struct tl_thread *t = NULL;
	const struct tl_frame *open = longest_open(b, &t), *inner;
	struct tl_event event = { .kind = TL_BEGIN };

	if (!open)
		return;
	event.message = open->definition->message;
	memcpy(event.args, open->args, sizeof(event.args));
	tl_put_format(b->text,
	    "No end in the record, begun %s before its end: %s  ",
	    TL_DURATION(tl_sub_ns(b->end_ns, open->ns)), TL_TIME(open->ns));
	tl_render_node(b->text, &event, true);
	tl_put_char(b->text, '\n');
	for (inner = open + 1; inner < t->frames + t->count; inner++) {
		tl_put_format(b->text, "    +%s  thread %u  ",
		    TL_DURATION(tl_sub_ns(inner->ns, open->ns)), t->tid);
		tl_put_plain(b->text, inner->definition->message->line1);
		tl_put_string(b->text, " has no end\n");
	}
	tl_put_format(b->text, "  $ timeline-dump --tid %u %s\n", t->tid,
	    b->plan->files);
}

/* Does only this span of its message have the value, in any argument? */
static bool
is_only(const struct brief *b, const struct tl_record *r, uint64_t value)
{
	struct tl_records_at at = { .records = &b->result->target->records };
	const struct tl_record *other;

	while ((other = tl_records_known(&at)))
		for (unsigned i = 0; other != r && i < other->argc; i++)
			if (tl_record_args(other)[i] == value)
				return false;
	return true;
}

/* Append --path-of for a span of a source, whose work other threads do, by the
 * first number that no other span has.  false: there is no such number, or it
 * may be given again. */
static bool
put_path_of(const struct brief *b, const struct tl_record *r)
{
	const struct tl_definition *d = b->why->list[r->definition];
	const struct tl_message *m = d->message;
	const uint64_t *args = tl_record_args(r);
	const char *end = memchr(m->line1.data, '$', m->line1.size);
	unsigned i = 0;

	while (i < r->argc && (m->args[i].format > TIMELINE_ARG_HEX ||
				  !is_only(b, r, args[i])))
		i++;
	if (!d->scoped || i == r->argc || !end || end - m->line1.data < 2 ||
	    end[-1] != ' ' || tl_why_is_moving(b->why))
		return false;
	tl_put_string(b->text, "--path-of '");
	put_glob(b->text,
	    tl_bytes(m->line1.data, (size_t)(end - m->line1.data)));
	tl_put_format(b->text, "%ld'", (int64_t)args[i]);
	return true;
}

/* Append a span and its path. */
static void
put_span(const struct brief *b, const char *what, const struct tl_record *r,
    struct tl_critical *path)
{
	const struct tl_critical_result *results;
	size_t count = 0;

	tl_put_format(b->text, "%s%s  %s  ", what, TL_DURATION(r->duration_ns),
	    TL_TIME(r->begin_ns));
	tl_why_put_span(b->text, b->why, r);
	tl_put_char(b->text, '\n');
	if (tl_critical_finish(path, &results, &count) < 0)
		b->text->rc = -ENOMEM;
	/* spans of other messages may begin at the same time */
	for (size_t i = 0; i < count; i++)
		if (tl_bytes_equal(results[i].message->line1,
			b->result->target->group->name))
			put_steps(b, &results[i]);
	tl_put_string(b->text, "  $ timeline-dump ");
	if (!put_path_of(b, r))
		tl_why_put_tree(b->text, b->why, r);
	tl_put_format(b->text, " %s\n", b->plan->files);
}

static int
put_paths(struct brief *b)
{
	const struct tl_record *const records[] = { b->slow, b->normal };
	const char *const words[] = {
		b->slow && ((b->result->level > 0 &&
				b->slow->level >= b->result->level) ||
			       (b->plan->slower_ns > 0 &&
				   b->slow->duration_ns >= b->plan->slower_ns))
		    ? "A slow one: "
		    : "The longest: ",
		"A normal one: "
	};
	const size_t count = b->normal ? 2 : b->slow ? 1 : 0;
	struct tl_critical_one one[2];
	struct tl_critical_options options[2];
	struct tl_critical *paths[2] = { NULL, NULL };
	const struct tl_hosts *hosts = b->plan->sources->hosts;
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++) {
		const struct tl_thread *t = b->why->threads[records[i]->thread];

		one[i] = (struct tl_critical_one){ records[i]->begin_ns, t->pid,
			t->tid };
		options[i] = (struct tl_critical_options){ .glob = "*",
			.one = &one[i],
			.clocks = hosts ? hosts->machine_of : NULL };
		rc = tl_critical_new(&paths[i], &options[i]);
	}
	if (rc == 0 && count > 0)
		rc = read_events(b, NULL, paths, count);
	for (size_t i = 0; i < count && rc == 0; i++)
		put_span(b, words[i], records[i], paths[i]);
	for (size_t i = 0; i < count; i++)
		tl_critical_free(paths[i]);
	return rc;
}

/* Cut the text at the end of a line. */
static void
cut(struct tl_text *text, size_t from)
{
	static const char more[] = "...\n";
	size_t size = from + TL_BRIEF_SIZE_MAX - (sizeof(more) - 1);

	if (text->rc < 0 || text->size - from <= TL_BRIEF_SIZE_MAX)
		return;
	while (size > from && text->data[size - 1] != '\n')
		size--;
	text->size = size;
	tl_put_string(text, more);
}

static int
put_all(struct brief *b)
{
	const struct tl_result *r;
	int rc = read_why(b);

	if (rc < 0)
		return rc;
	b->result = r = choose_result(b->why);
	if (!r)
		return -ENOENT;
	if (r->finding_count > 0 && r->causes[0].example_count > 0)
		b->slow = r->causes[0].examples[0];
	else if (r->where_count > 0 && r->where[0].example_count > 0)
		b->slow = r->where[0].examples[0];
	else
		b->slow = longest(r);
	if (b->slow)
		b->normal = normal_beside(r, b->slow);
	tl_why_put_finding(b->text, b->why, r);
	tl_put_string(b->text, "  $ timeline-dump --why '");
	put_glob(b->text, r->target->group->name);
	tl_put_char(b->text, '\'');
	if (b->plan->slower_ns > 0)
		tl_put_format(b->text, " --slower %ldns", b->plan->slower_ns);
	tl_put_format(b->text, " %s\n", b->plan->files);
	put_observed(b);
	put_open(b);
	/* the spans that another thread ended, by mistake */
	if (b->why->handed_over != 0) {
		tl_put_string(b->text, "Ended by another thread: ");
		tl_put_count(b->text, b->why->handed_over, "span");
		tl_put_string(b->text, ", the first of ");
		tl_put_plain(b->text, b->why->handed_end.message->line1);
		tl_put_format(b->text,
		    " by thread %u; a span that ends in another thread is a "
		    "TIMELINE_SOURCE\n",
		    b->why->handed_end.tid);
	}
	rc = put_paths(b);
	return rc < 0 ? rc : b->text->rc;
}

int
tl_brief_put(const struct tl_brief_plan *plan, struct tl_text *text)
{
	const struct tl_why_plan why = { .glob = plan->glob,
		.slower_ns = plan->slower_ns,
		.in_part = plan->in_part,
		.sources = plan->sources };
	struct brief b = { .plan = plan,
		.text = text,
		.kernel_first_ns = INT64_MIN };
	const size_t from = text->size;
	int rc = tl_why_new(&b.why, &why);

	if (rc < 0)
		return rc;
	rc = put_all(&b);
	cut(text, from);
	tl_why_free(b.why);
	return rc;
}
