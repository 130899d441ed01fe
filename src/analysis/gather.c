/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather.c - make records from events.  Frames follow the rules of call trees
 * (trace/stream.c), so that a child has the same number in both.
 */
#include "analysis/gather.h"

#include "base/array.h"
#include "base/ns.h"
#include "event/filter.h"
#include "event/sched.h"
#include "source/sources.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

enum {
	LEARN_SPANS = 4096,
	LEARN_EVENTS = 1 << 17,
	/* innermost frames of a thread that a search visits */
	OWN_MAX = 64,
	DEPTH_MAX = 4096,
	SET_WORDS = TL_GROUPS_MAX / 64,
	PARTS_FIRST = 16
};

static const int64_t window_unknown_ns = 1000000;

/* Events of a thread since its last span of a target. */
struct tl_lane {
	bool begun; /* has the thread had a span of the target? */
	int64_t end_ns;
	uint64_t stretch; /* observed stretch at the end of that span */
	uint32_t rank;
	uint16_t count;
	uint16_t list[TL_PARTS_MAX]; /* groups that were logged since */
	uint64_t set[SET_WORDS];
	uint16_t value_count;
	/* features: the arguments of those groups */
	uint16_t values[TL_LANE_VALUES_MAX];
	const struct tl_definition *definition; /* of the last span */
	uint64_t args[TL_ARGS_MAX];
};

/* A span of a target that is not a record yet. */
struct tl_open {
	struct tl_record head;
	uint64_t args[TL_ARGS_MAX];
	const struct tl_definition *definition;
	struct tl_target *target;
	struct tl_thread *thread;
	/* the next open span outwards on the thread; for a free span and a span
	 * of no thread the next of its list */
	struct tl_open *outer;
	struct tl_open *next; /* the span whose window ends next */
	struct tl_open *made; /* the span that was allocated before */
	size_t frame;         /* index of the span's frame */
	int64_t mark_ns;      /* end of the last child, or begin of the span */
	uint32_t mark;        /* group of the last child */
	bool ended, left;
	bool unsure;     /* the end may belong to another span */
	uint64_t id;     /* of the span */
	uint64_t losses; /* of its input before it */
	uint64_t path[TL_RECORD_PATH_MAX];
	uint64_t *parts;
	size_t part_capacity;
};

/* == what events refer to == */

static struct tl_group *
find_group(struct tl_why *why, struct tl_bytes name, int *rc)
{
	const uint64_t hash = tl_hash_bytes(name);
	struct tl_probe probe = tl_table_probe(&why->group_table, hash);
	struct tl_group *group;
	uint32_t at;

	while (tl_probe_next(&probe, &at))
		if (tl_bytes_equal(why->groups[at]->name, name))
			return why->groups[at];
	if (why->group_count == TL_GROUPS_MAX) {
		why->left_out.groups++;
		return NULL;
	}
	group = calloc(1, sizeof(*group));
	if (!group ||
	    tl_table_add(&why->group_table, hash, why->group_count) < 0) {
		free(group);
		*rc = -ENOMEM;
		return NULL;
	}
	group->name = name;
	group->number = why->group_count;
	group->latest_ns = group->other_ns = INT64_MIN;
	group->latest_thread = UINT32_MAX;
	/* so far the group with the oldest activity */
	group->newer = why->oldest;
	if (why->oldest)
		why->groups[why->oldest - 1]->older = why->group_count + 1;
	else
		why->newest = why->group_count + 1;
	why->oldest = why->group_count + 1;
	why->groups[why->group_count++] = group;
	return group;
}

static void
add_target(struct tl_why *why, struct tl_group *group,
    const struct tl_message *message)
{
	if (group->target || group->kernel ||
	    message->kind != TIMELINE_RECORD_SPAN ||
	    !tl_glob_matches(why->plan.glob, message->line1))
		return;
	if (why->target_count == TL_TARGETS_MAX) {
		why->left_out.targets++;
		return;
	}
	why->targets[why->target_count].group = group;
	why->targets[why->target_count].message = message;
	why->targets[why->target_count].window_ns = why->window_ns;
	group->target = (uint8_t)++why->target_count;
}

static struct tl_definition *
define(struct tl_why *why, const struct tl_message *message, int *rc)
{
	struct tl_definition *d = calloc(1, sizeof(*d));

	if (!d || TL_ARRAY_ROOM(why->list, why->definition_capacity,
		      why->definition_count) < 0)
		goto fail;
	d->message = message;
	d->scoped = message->kind == TIMELINE_RECORD_SPAN &&
		    message->scope == TIMELINE_SOURCE;
	d->number = (uint32_t)why->definition_count;
	d->group = find_group(why, message->line1, rc);
	if (*rc < 0 || tl_message_map_add(&why->definitions, message, d) < 0)
		goto fail;
	why->list[why->definition_count++] = d;
	if (d->group) {
		if (!d->group->message)
			d->group->message = message;
		d->group->kernel |=
		    tl_bytes_equal(message->category, tl_bytes_of("sched")) ||
		    tl_bytes_equal(message->category, tl_bytes_of("irq")) ||
		    tl_bytes_equal(message->category, tl_bytes_of("kernel"));
		add_target(why, d->group, message);
	}
	return d;
fail:
	free(d);
	*rc = -ENOMEM;
	return NULL;
}

static inline struct tl_definition *
definition_of(struct tl_why *why, const struct tl_event *event, int *rc)
{
	const struct tl_message *message = event->message;
	struct tl_definition *d;

	if (message->argc > 0 && tl_label_is(message))
		message = tl_labels_get(&why->labels, event);
	d = tl_message_map_find(&why->definitions, message);
	return d ? d : define(why, message, rc);
}

/* The thread of an event.  NULL: too many threads, or an error in *rc. */
static struct tl_thread *
find_thread(struct tl_why *why, const struct tl_event *event, int *rc)
{
	const struct tl_id_key key = { (uint64_t)event->pid << 32 | event->tid,
		event->source };
	uint32_t number;
	struct tl_thread *t;

	*rc = tl_id_map_get(&why->thread_ids, key, &number);
	if (*rc < 0) {
		why->left_out.threads += *rc == -ENOSPC;
		*rc = *rc == -ENOSPC ? 0 : *rc;
		return NULL;
	}
	if (*rc == 0 && why->threads[number])
		return why->threads[number];
	*rc = -ENOMEM;
	if (TL_ARRAY_ZEROS(why->threads, why->thread_capacity, number) < 0 ||
	    !(t = calloc(1, sizeof(*t))))
		return NULL;
	*rc = 0;
	*t = (struct tl_thread){ .pid = event->pid,
		.tid = event->tid,
		.source = event->source,
		.names = tl_event_names(event),
		.number = number };
	return why->threads[number] = t;
}

uint32_t
tl_why_text(struct tl_why *why, struct tl_bytes text)
{
	const uint64_t hash = tl_hash_bytes(text);
	struct tl_probe probe = tl_table_probe(&why->text_table, hash);
	uint32_t at;
	char *copy;

	if (!text.data)
		return TL_TEXT_NONE;
	while (tl_probe_next(&probe, &at))
		if (tl_bytes_equal(why->texts[at], text))
			return at;
	if (why->text_count == TL_TEXTS_MAX) {
		why->left_out.texts++;
		return TL_TEXT_NONE;
	}
	copy = malloc(text.size + 1);
	if (!copy ||
	    TL_ARRAY_ROOM(why->texts, why->text_capacity, why->text_count) <
		0 ||
	    tl_table_add(&why->text_table, hash, why->text_count) < 0) {
		free(copy);
		return TL_TEXT_NONE;
	}
	if (text.size > 0)
		memcpy(copy, text.data, text.size);
	why->texts[why->text_count] = tl_bytes(copy, text.size);
	return (uint32_t)why->text_count++;
}

/* == features of a span == */

static int
find_feature(struct tl_why *why, unsigned kind, uint32_t a, uint64_t b,
    uint32_t *feature)
{
	const struct tl_id_key key = { (uint64_t)kind << 32 | a, b };
	int rc;

	if (why->feature_ids.count >= TL_FEATURES_MAX) {
		why->left_out.features++;
		return -ENOSPC;
	}
	rc = tl_id_map_get(&why->feature_ids, key, feature);
	if (rc <= 0)
		return rc;
	if (TL_ARRAY_ZEROS(why->features, why->feature_capacity, *feature) < 0)
		return -ENOMEM;
	why->features[*feature] = (struct tl_feature){ (uint8_t)kind, a, b };
	return 0;
}

static int
add_part(struct tl_why *why, struct tl_open *o, uint32_t feature,
    uint64_t amount)
{
	const uint64_t most = (UINT64_C(1) << TL_PART_BITS) - 1;
	unsigned i = 0;

	while (
	    i < o->head.part_count && tl_part_feature(o->parts[i]) != feature)
		i++;
	if (i == o->head.part_count) {
		if (i == TL_PARTS_MAX) {
			why->left_out.parts++;
			return 0;
		}
		if (TL_ARRAY_ROOM(o->parts, o->part_capacity, i) < 0)
			return -ENOMEM;
		o->parts[i] = (uint64_t)feature << TL_PART_BITS;
		o->head.part_count++;
	}
	if (amount > most - tl_part_amount(o->parts[i]))
		amount = most - tl_part_amount(o->parts[i]);
	o->parts[i] += amount;
	return 0;
}

/* Add an amount to a feature of one of the simple kinds. */
static int
add_simple(struct tl_why *why, struct tl_open *o, struct tl_group *group,
    unsigned kind, uint64_t amount)
{
	uint32_t feature;
	int rc;

	if (!group->features[kind]) {
		rc = find_feature(why, kind, group->number, 0, &feature);
		if (rc < 0)
			return rc == -ENOSPC ? 0 : rc;
		if (feature == UINT16_MAX) /* feature + 1 would not fit */
			return 0;
		group->features[kind] = (uint16_t)(feature + 1);
	}
	return add_part(why, o, group->features[kind] - 1u, amount);
}

static int
add_other(struct tl_why *why, struct tl_open *o, unsigned kind, uint32_t a,
    uint64_t b, uint64_t amount)
{
	uint32_t feature;
	const int rc = find_feature(why, kind, a, b, &feature);

	if (rc < 0)
		return rc == -ENOSPC ? 0 : rc;
	return add_part(why, o, feature, amount);
}

/* Find the feature for a value of an argument of a message.  1; 0: no feature;
 * -ENOMEM. */
static int
find_argument(struct tl_why *why, unsigned kind, struct tl_group *group,
    const struct tl_message *message, unsigned argument, uint64_t value,
    uint32_t *feature)
{
	const uint32_t a = group->number << TL_ARGUMENT_BITS | argument;
	uint8_t *values =
	    &group->values[kind - TL_FEATURE_BEFORE_ARG][argument];
	const uint32_t count = why->feature_ids.count;
	int rc;

	if (message->args[argument].format !=
		group->message->args[argument].format ||
	    *values == TL_ARG_DROPPED)
		return 0;
	if (tl_arg_is_text(&message->args[argument])) {
		value = tl_why_text(why,
		    tl_message_text(message, argument, &value));
		if (value == TL_TEXT_NONE)
			return 0;
	}
	if (*values == TL_ARG_VALUES_MAX &&
	    !tl_id_map_has(&why->feature_ids,
		(struct tl_id_key){ (uint64_t)kind << 32 | a, value })) {
		if (!tl_arg_is_text(&message->args[argument]))
			*values = TL_ARG_DROPPED;
		return 0;
	}
	rc = find_feature(why, kind, a, value, feature);
	*values += why->feature_ids.count > count;
	return rc < 0 ? (rc == -ENOSPC ? 0 : rc) : 1;
}

/* Add the arguments of another message to a span. */
static int
add_arguments(struct tl_why *why, struct tl_open *o, unsigned kind,
    const struct tl_definition *d, const uint64_t *args)
{
	int rc = 0;

	for (unsigned i = 0; i < d->message->argc && rc >= 0; i++) {
		uint32_t feature;

		rc = find_argument(why, kind, d->group, d->message, i, args[i],
		    &feature);
		if (rc > 0)
			rc = add_part(why, o, feature, 1);
	}
	return rc < 0 ? rc : 0;
}

/* Add the time since the last child: a gap between two groups, as far as
 * details were observed. */
static int
add_gap(struct tl_why *why, struct tl_open *o, uint32_t to,
    const struct tl_event *event)
{
	enum tl_part_of_own rest;
	const int64_t until = tl_details_until(why->details, event->source,
	    o->definition->message, o->mark_ns, event->ns, &rest);
	const int64_t gap = tl_ns_between(o->mark_ns, until);
	const int64_t unseen = tl_ns_between(until, event->ns);
	int rc = 0;

	if (gap > 0)
		rc = add_other(why, o, TL_FEATURE_GAP, o->mark, to,
		    (uint64_t)gap);
	if (rc == 0 && unseen > 0 && o->mark_ns < event->ns)
		rc = add_other(why, o, TL_FEATURE_GAP, TL_GROUP_NONE,
		    tl_gap_unseen(rest), (uint64_t)unseen);
	return rc;
}

/* == windows == */

static int
make_record(struct tl_why *why, struct tl_open *o)
{
	struct tl_target *target = o->target;
	const int rc = o->unsure ? 0
				 : tl_records_add(&target->records, &o->head,
				       o->args, o->parts, o->path);

	o->head.part_count = 0;
	o->outer = why->free;
	why->free = o;
	return rc;
}

/* Was the group logged on another thread since the span began, or is a span of
 * the group open there? */
static bool
is_beside(const struct tl_group *g, const struct tl_open *o)
{
	const struct tl_thread *t = o->thread;
	uint32_t own = 0;

	if (g->latest_thread != t->number ? g->latest_ns >= o->head.begin_ns
					  : g->other_ns >= o->head.begin_ns)
		return true;
	if (g->open == 0)
		return false;
	for (size_t i = t->count; i > 0 && t->count - i < OWN_MAX; i--)
		own += t->frames[i - 1].definition->group == g;
	return g->open > own;
}

static int
add_beside(struct tl_why *why, struct tl_open *o, struct tl_group *g)
{
	if (g->kernel || g == o->target->group || !is_beside(g, o))
		return 0;
	return add_simple(why, o, g, TL_FEATURE_BESIDE, 1);
}

/* The window of a span has ended: add the groups that were active in the
 * window. */
static int
leave_window(struct tl_why *why, struct tl_open *o)
{
	int rc = 0;

	for (uint32_t i = why->newest; i && rc == 0;
	     i = why->groups[i - 1]->older) {
		if (why->groups[i - 1]->latest_ns < o->head.begin_ns)
			break;
		rc = add_beside(why, o, why->groups[i - 1]);
	}
	for (uint32_t i = 0; i < why->open_group_count && rc == 0; i++)
		if (why->open_groups[i]->latest_ns < o->head.begin_ns)
			rc = add_beside(why, o, why->open_groups[i]);
	o->left = true;
	return rc == 0 && o->ended ? make_record(why, o) : rc;
}

static int64_t
window_end(const struct tl_open *o)
{
	return tl_add_ns(o->head.begin_ns, o->target->window_ns);
}

/* Leave all windows that end before ns. */
static int
leave_windows(struct tl_why *why, int64_t ns)
{
	int rc = 0;

	why->deadline_ns = INT64_MAX;
	for (size_t i = 0; i < why->target_count && rc == 0; i++) {
		struct tl_target *t = &why->targets[i];
		struct tl_open *o;

		while ((o = t->first) && rc == 0 && window_end(o) < ns) {
			t->first = o->next;
			rc = leave_window(why, o);
		}
		if (o && window_end(o) < why->deadline_ns)
			why->deadline_ns = window_end(o);
	}
	return rc;
}

/* == the begin of a span of a target == */

static struct tl_open *
get_open(struct tl_why *why)
{
	struct tl_open *o = why->free;

	if (!o) {
		o = calloc(1, sizeof(*o));
		if (o) {
			o->made = why->made;
			why->made = o;
		}
		return o;
	}
	why->free = o->outer;
	*o = (struct tl_open){ .parts = o->parts,
		.part_capacity = o->part_capacity,
		.made = o->made };
	return o;
}

/* Count the arguments that are larger than in the previous span. */
static void
count_rises(const struct tl_message *message, const uint64_t *before,
    const uint64_t *args, uint64_t *rises)
{
	for (unsigned i = 0; i < message->argc; i++)
		rises[i] += tl_why_key(message, i, args[i]) >
			    tl_why_key(message, i, before[i]);
}

/* The time since an earlier event of the message; INT64_MIN if events between
 * the two may be missing. */
static int64_t
since_observed(const struct tl_event *event, int64_t ns, uint64_t stretch)
{
	return tl_observed_joins(stretch, event->stretch)
		   ? tl_ns_between(ns, event->ns)
		   : INT64_MIN;
}

/* Set the time since the process began a span of the target, if the message has
 * been observed since. */
static int
take_interval(struct tl_target *target, const struct tl_event *event,
    int64_t *since)
{
	const struct tl_id_key key = { event->pid, event->source };
	uint32_t at;
	const int rc = tl_id_map_get(&target->processes, key, &at);

	*since = INT64_MIN;
	if (rc < 0)
		return rc == -ENOSPC ? 0 : rc;
	if (TL_ARRAY_ROOM(target->begins, target->begin_capacity, at) < 0)
		return -ENOMEM;
	if (rc == 0)
		*since = since_observed(event, target->begins[at].ns,
		    target->begins[at].stretch);
	target->begins[at] = (struct tl_begin){ event->ns, event->stretch };
	return 0;
}

/* Is a span of the group open on the thread? */
static bool
encloses(const struct tl_thread *t, uint32_t group)
{
	for (size_t i = t->count; i > 0 && t->count - i < OWN_MAX; i--) {
		const struct tl_group *g = t->frames[i - 1].definition->group;

		if (g && g->number == group)
			return true;
	}
	return false;
}

/* Add the groups that were logged since the previous span, their arguments, and
 * the arguments of the previous span. */
static int
take_before(struct tl_why *why, struct tl_open *o, const struct tl_lane *lane,
    const struct tl_event *event)
{
	int rc = 0;

	for (unsigned i = 0; i < lane->count && rc == 0; i++)
		if (!encloses(o->thread, lane->list[i]))
			rc = add_simple(why, o, why->groups[lane->list[i]],
			    TL_FEATURE_BEFORE, 1);
	for (unsigned i = 0; i < lane->value_count && rc == 0; i++)
		if (!encloses(o->thread,
			tl_feature_group(&why->features[lane->values[i]])))
			rc = add_part(why, o, lane->values[i], 1);
	if (rc == 0 && lane->begun &&
	    tl_observed_joins(lane->stretch, event->stretch))
		rc = add_arguments(why, o, TL_FEATURE_BEFORE_ARG,
		    lane->definition, lane->args);
	return rc;
}

/* Add the spans that enclose the span, and their arguments. */
static int
take_around(struct tl_why *why, struct tl_open *o)
{
	const struct tl_thread *t = o->thread;
	int rc = 0;

	for (size_t i = t->count; i > 0 && t->count - i < OWN_MAX && rc == 0;
	     i--) {
		const struct tl_frame *frame = &t->frames[i - 1];
		const struct tl_definition *d = frame->definition;

		if (!d->group || d->group->kernel)
			continue;
		rc = add_other(why, o, TL_FEATURE_AROUND, d->group->number, 0,
		    1);
		if (rc == 0)
			rc = add_arguments(why, o, TL_FEATURE_AROUND_ARG, d,
			    frame->args);
	}
	return rc;
}

static int
count_loss(struct tl_why *why, const struct tl_event *event)
{
	if (TL_ARRAY_ZEROS(why->losses, why->loss_capacity, event->source) < 0)
		return -ENOMEM;
	why->losses[event->source]++;
	return 0;
}

/* The losses of an input so far.  why->pairs does not see losses, which would
 * end the frames of spans whose ends prove their begins. */
static uint64_t
losses_of(const struct tl_why *why, uint16_t source)
{
	return source < why->loss_capacity ? why->losses[source] : 0;
}

/* Is the span that has just ended unsure?  Its begin came after so many
 * losses. */
static bool
is_unsure(const struct tl_why *why, const struct tl_event *end, uint64_t losses)
{
	return !tl_span_is_sure(&why->span) ||
	       (!end->proven && losses != losses_of(why, end->source));
}

/* Compare the arguments of a span with those of the previous span, of all
 * threads and of its own, and keep them for the next. */
static void
compare_arguments(struct tl_target *target, struct tl_lane *lane,
    const struct tl_event *event)
{
	if (target->begun++ > 0)
		count_rises(event->message, target->args, event->args,
		    target->rises);
	if (lane->rank > 1) {
		target->compared_in_thread++;
		count_rises(event->message, lane->args, event->args,
		    target->rises_in_thread);
	}
	memcpy(target->args, event->args, sizeof(target->args));
	memcpy(lane->args, event->args, sizeof(lane->args));
}

/* Begin a span of a target, which has been counted as a child.  NULL: no
 * memory. */
static struct tl_open *
begin_target(struct tl_why *why, struct tl_thread *t,
    const struct tl_definition *d, const struct tl_event *event)
{
	const size_t number = d->group->target - 1u;
	struct tl_target *target = &why->targets[number];
	struct tl_lane *lane;
	struct tl_open *o;

	if (TL_ARRAY_ZEROS(t->lanes, t->lane_capacity, number) < 0)
		return NULL;
	if (!t->lanes[number])
		t->lanes[number] = calloc(1, sizeof(**t->lanes));
	lane = t->lanes[number];
	if (!lane || !(o = get_open(why)))
		return NULL;
	o->head = (struct tl_record){ .begin_ns = event->ns,
		.since_thread_ns =
		    lane->begun
			? since_observed(event, lane->end_ns, lane->stretch)
			: INT64_MIN,
		.thread = t->number,
		.definition = d->number,
		.cpu = event->cpu,
		.queue = target->open,
		.rank = ++lane->rank,
		.weight = 1,
		/* one count for all records: other messages with the same first
		 * line may have other arguments, and a missing argument is 0 */
		.argc = target->message->argc };
	memcpy(o->args, event->args, sizeof(o->args));
	o->definition = d;
	o->target = target;
	o->thread = t;
	o->mark_ns = event->ns;
	o->mark = TL_GROUP_NONE;
	o->id = tl_spans_begun(why->pairs);
	o->losses = losses_of(why, event->source);
	/* Set the path of a span. The span is the last child counted so far. */
	if (t->count < TL_RECORD_PATH_MAX) {
		o->path[0] = t->children - 1;
		for (size_t i = 0; i < t->count; i++)
			o->path[i + 1] = t->frames[i].children - 1;
		o->head.path_count = (uint8_t)(t->count + 1);
	}
	if (target->first)
		target->last->next = o;
	else
		target->first = o;
	target->last = o;
	if (window_end(o) < why->deadline_ns)
		why->deadline_ns = window_end(o);
	target->open++;
	if (take_interval(target, event, &o->head.since_any_ns) < 0 ||
	    take_before(why, o, lane, event) < 0 ||
	    (!d->scoped && take_around(why, o) < 0))
		return NULL;
	compare_arguments(target, lane, event);
	lane->definition = d;
	return o;
}

/* == the end of a span of a target == */

/* Drop half of the records of a target that are not slow. */
static int
thin(struct tl_why *why, struct tl_target *target)
{
	struct tl_records_at at = { .records = &target->records };
	struct tl_weighed *values =
	    malloc(target->records.count * sizeof(*values));
	const double slowest = why->plan.slowest > 5 ? why->plan.slowest : 5;
	const struct tl_record *r;
	int64_t kept_ns;
	size_t count = 0;

	if (!values)
		return -ENOMEM;
	while ((r = tl_records_next(&at)))
		values[count++] =
		    (struct tl_weighed){ r->duration_ns, r->weight };
	kept_ns = tl_weighed_select(values, count,
	    (uint64_t)((double)target->records.weight * (1 - slowest / 100)));
	if (why->plan.slower_ns > 0)
		kept_ns = why->plan.slower_ns;
	/* if most spans are slow, thin all of them */
	if (tl_weighed_select(values, count, target->records.weight / 2) >=
	    kept_ns)
		kept_ns = INT64_MAX;
	free(values);
	tl_records_thin(&target->records, kept_ns);
	return 0;
}

/* Make room for records: the size is bounded over all targets. */
static int
make_room(struct tl_why *why)
{
	struct tl_target *largest = &why->targets[0];
	size_t size = 0;
	uint64_t count = 0;

	for (size_t i = 0; i < why->target_count; i++) {
		struct tl_target *t = &why->targets[i];

		size += tl_records_size(&t->records);
		count += t->records.count;
		if (t->records.count > largest->records.count)
			largest = t;
	}
	if (size < TL_RECORDS_SIZE_MAX && count < TL_RECORDS_MAX)
		return 0;
	return thin(why, largest);
}

/* Add a wait, and the task that ran meanwhile or ended the wait. */
static int
add_wait(struct tl_why *why, struct tl_open *o, unsigned part,
    const struct tl_wait *wait)
{
	struct tl_text name = { 0 };
	uint32_t text = TL_TEXT_NONE;

	if (wait->ns <= 0)
		return 0;
	tl_put_named(&name, wait->name, wait->tid);
	if (name.rc == 0)
		text = tl_why_text(why, tl_bytes(name.data, name.size));
	tl_text_free(&name);
	return text == TL_TEXT_NONE ? 0
				    : add_other(why, o, TL_FEATURE_TASK, part,
					  text, (uint64_t)wait->ns);
}

/* Add the states of the thread during the span that has just ended. */
static int
add_states(struct tl_why *why, struct tl_open *o)
{
	struct tl_parts parts;
	int rc = 0;

	if (!why->states || o->definition->scoped ||
	    !tl_states_span(why->states, &why->span, &parts))
		return 0;
	for (unsigned i = 0; i < TL_PART_UNKNOWN && rc == 0; i++)
		if (parts.ns[i] > 0)
			rc = add_other(why, o, TL_FEATURE_PART, i, 0,
			    (uint64_t)parts.ns[i]);
	if (rc == 0)
		rc = add_wait(why, o, TL_PART_TASK, &parts.blocked);
	if (rc == 0)
		rc = add_wait(why, o, TL_PART_RUNNABLE, &parts.preempted);
	return rc;
}

bool
tl_why_is_older(const struct tl_why *why, const struct tl_event *end)
{
	return why->complete && tl_observed_before(tl_observed_place(end),
				    why->complete[end->source]);
}

/* End a span that is no longer in any list of open spans: why->span. */
static int
end_target(struct tl_why *why, struct tl_open *o, const struct tl_event *event)
{
	struct tl_target *target = o->target;
	struct tl_lane *lane = o->thread->lanes[target - why->targets];
	int rc;

	o->unsure = is_unsure(why, event, o->losses);
	why->left_out.unsure += o->unsure;
	if (!o->unsure && tl_why_is_older(why, event)) {
		why->left_out.older++;
		o->unsure = true;
	}
	o->head.duration_ns = why->span.duration_ns;
	o->head.end_cpu = event->cpu;
	o->ended = true;
	target->open--;
	target->spans += !o->unsure;
	lane->begun = true;
	lane->end_ns = event->ns;
	lane->stretch = event->stretch;
	while (lane->count > 0) {
		const uint16_t g = lane->list[--lane->count];

		lane->set[g / 64] &= ~(UINT64_C(1) << g % 64);
	}
	lane->value_count = 0;
	rc = add_gap(why, o, TL_GROUP_NONE, event);
	if (rc == 0)
		rc = add_states(why, o);
	if (rc == 0 && target->spans % 256 == 0)
		rc = make_room(why);
	return rc == 0 && o->left ? make_record(why, o) : rc;
}

/* Take a span of a target whose begin event is not in the record. */
static int
take_alone(struct tl_why *why, struct tl_thread *t,
    const struct tl_definition *d, const struct tl_event *end)
{
	struct tl_target *target = &why->targets[d->group->target - 1u];
	const struct tl_record record = { .begin_ns = end->begun_ns,
		.duration_ns = end->duration_ns,
		.since_thread_ns = INT64_MIN,
		.since_any_ns = INT64_MIN,
		.thread = t->number,
		.definition = d->number,
		.cpu = TL_CPU_UNKNOWN,
		.end_cpu = end->cpu,
		.weight = 1,
		.argc = target->message->argc,
		.alone = true };

	if (tl_why_is_older(why, end)) {
		why->left_out.older++;
		return 0;
	}
	target->spans++;
	why->left_out.alone++;
	return tl_records_add(&target->records, &record, end->args, NULL, NULL);
}

/* == the call tree of a thread == */

static void
count_child(struct tl_thread *t)
{
	if (t->count > 0)
		t->frames[t->count - 1].children++;
	else
		t->children++;
}

static void
count_open(struct tl_why *why, struct tl_group *g)
{
	if (g->open++ > 0)
		return;
	g->open_at = why->open_group_count;
	why->open_groups[why->open_group_count++] = g;
}

static void
count_closed(struct tl_why *why, struct tl_group *g)
{
	struct tl_group *moved;

	if (g->open == 0 || --g->open > 0)
		return;
	moved = why->open_groups[--why->open_group_count];
	why->open_groups[g->open_at] = moved;
	moved->open_at = g->open_at;
}

/* The group has just been logged: make it the latest. */
static inline void
note_activity(struct tl_why *why, struct tl_group *g, const struct tl_thread *t,
    int64_t ns)
{
	const uint32_t at = g->number + 1;

	if (g->latest_thread != t->number) {
		g->other_ns = g->latest_ns;
		g->latest_thread = t->number;
	}
	g->latest_ns = ns;
	if (why->newest == at)
		return;
	why->groups[g->newer - 1]->older = g->older;
	if (g->older)
		why->groups[g->older - 1]->newer = g->newer;
	else
		why->oldest = g->newer;
	g->older = why->newest;
	g->newer = 0;
	why->groups[why->newest - 1]->newer = at;
	why->newest = at;
}

/* Note the arguments of a message for spans that begin later. */
static int
note_arguments(struct tl_why *why, struct tl_lane *lane,
    const struct tl_definition *d, const struct tl_event *event)
{
	for (unsigned i = 0; i < d->message->argc; i++) {
		uint32_t feature;
		unsigned k = 0;
		const int rc = find_argument(why, TL_FEATURE_BEFORE_ARG,
		    d->group, d->message, i, event->args[i], &feature);

		if (rc < 0)
			return rc;
		if (rc == 0 || feature > UINT16_MAX)
			continue;
		while (k < lane->value_count && lane->values[k] != feature)
			k++;
		if (k == lane->value_count && k < TL_LANE_VALUES_MAX)
			lane->values[lane->value_count++] = (uint16_t)feature;
	}
	return 0;
}

static inline int
note_before(struct tl_why *why, struct tl_thread *t,
    const struct tl_definition *d, const struct tl_event *event)
{
	const struct tl_group *g = d->group;
	const uint64_t bit = UINT64_C(1) << g->number % 64;
	int rc = 0;

	for (size_t i = 0; i < t->lane_capacity && rc == 0; i++) {
		struct tl_lane *lane = t->lanes[i];

		if (!lane || why->targets[i].group == g)
			continue;
		if (!event->bare)
			rc = note_arguments(why, lane, d, event);
		if (lane->set[g->number / 64] & bit ||
		    lane->count == TL_PARTS_MAX)
			continue;
		lane->set[g->number / 64] |= bit;
		lane->list[lane->count++] = (uint16_t)g->number;
	}
	return rc;
}

/* Note a logged event for the open spans of the thread, and for spans that
 * begin later. */
static int
note_logged(struct tl_why *why, struct tl_thread *t, struct tl_definition *d,
    const struct tl_event *event)
{
	struct tl_group *g = d->group;
	const int64_t ns = event->ns;
	int rc = 0;

	count_child(t);
	if (g && g->kernel)
		return 0;
	if (t->count > 0)
		t->frames[t->count - 1].own_children++;
	if (!g)
		return 0;
	/* Note whether events of the message since its first one may be
	 * missing. */
	if (g->latest_ns == INT64_MIN)
		g->first_ns = event->ns;
	g->broken |= d->logged ? !tl_observed_joins(d->stretch, event->stretch)
			       : event->stretch == TL_UNOBSERVED;
	d->stretch = event->stretch;
	d->logged = true;
	if (!t->inner)
		rc = note_before(why, t, d, event);
	for (struct tl_open *o = t->inner; o && rc == 0; o = o->outer) {
		rc = add_simple(why, o, g, TL_FEATURE_INSIDE, 1);
		if (rc == 0 && !event->bare)
			rc = add_arguments(why, o, TL_FEATURE_INSIDE_ARG, d,
			    event->args);
		if (rc == 0 && o->frame + 1 == t->count) {
			rc = add_gap(why, o, g->number, event);
			o->mark = g->number;
			o->mark_ns = ns;
		}
	}
	note_activity(why, g, t, ns);
	return rc;
}

/* Remove the innermost frame. */
static struct tl_frame
pop_frame(struct tl_thread *t)
{
	const struct tl_frame frame = t->frames[--t->count];

	if (frame.target) {
		t->inner = frame.target->outer;
		frame.target->outer = NULL;
	}
	return frame;
}

/* Remove the frames of spans that are not around the event any more: the end
 * events of these frames are missing. */
static int
cut_frames(struct tl_why *why, struct tl_thread *t)
{
	int rc = 0;

	for (size_t i = t->count; i > 0 && t->count - i < OWN_MAX && rc == 0;
	     i--) {
		const struct tl_frame frame = t->frames[i - 1];
		struct tl_open **link = &t->inner, *o = frame.target;

		if ((why->ended && frame.id == why->span.id) ||
		    tl_spans_is_around(why->pairs, frame.id))
			continue;
		memmove(&t->frames[i - 1], &t->frames[i],
		    (t->count - i) * sizeof(*t->frames));
		t->count--;
		why->open--;
		if (frame.definition->group)
			count_closed(why, frame.definition->group);
		if (!o)
			continue;
		while (*link != o)
			link = &(*link)->outer;
		*link = o->outer;
		for (struct tl_open *in = t->inner; in && in->frame > o->frame;
		     in = in->outer)
			in->frame--;
		/* Drop a span of a target whose end event is missing. */
		o->unsure = o->ended = true;
		o->outer = NULL;
		o->target->open--;
		why->left_out.unsure++;
		rc = o->left ? make_record(why, o) : 0;
	}
	return rc;
}

/* The index after the frame of a span; 0: none. */
static size_t
find_frame(const struct tl_frame *frames, size_t count,
    const struct tl_span *span)
{
	size_t i = count;

	while (i > 0 && frames[i - 1].id != span->id)
		i--;
	return i;
}

/* Take the frame of a span that has ended out of its list; NULL: the end has no
 * begin.  1; 0: no frame; -ENOMEM. */
static int
take_frame(const struct tl_why *why, struct tl_thread *t,
    const struct tl_event *end, struct tl_frame *frame)
{
	const struct tl_span *span = why->ended ? &why->span : NULL;
	size_t i = span ? find_frame(t->frames, t->count, span) : 0;

	if (i > 0) {
		while (t->count > i) {
			if (TL_ARRAY_ROOM(t->crossed, t->crossed_capacity,
				t->crossed_count) < 0)
				return -ENOMEM;
			t->crossed[t->crossed_count++] = pop_frame(t);
		}
		*frame = pop_frame(t);
	}
	/* an end event whose begin event is missing or unsure is an instant in
	 * a tree */
	if (i == 0 || is_unsure(why, end, frame->losses))
		count_child(t);
	if (i > 0)
		return 1;
	i = span ? find_frame(t->crossed, t->crossed_count, span) : 0;
	if (i == 0)
		return 0;
	*frame = t->crossed[i - 1];
	memmove(&t->crossed[i - 1], &t->crossed[i],
	    (t->crossed_count - i) * sizeof(*t->crossed));
	t->crossed_count--;
	return 1;
}

static int
take_begin(struct tl_why *why, struct tl_thread *t,
    const struct tl_definition *d, const struct tl_event *event)
{
	struct tl_open *o = NULL;

	if (cut_frames(why, t) < 0)
		return -ENOMEM;
	if (why->open == TL_SPANS_OPEN_MAX || t->count == DEPTH_MAX ||
	    t->crossed_count == DEPTH_MAX) {
		why->left_out.open++;
		return 0;
	}
	if (TL_ARRAY_ROOM(t->frames, t->capacity, t->count) < 0)
		return -ENOMEM;
	if (d->group && d->group->target) {
		o = begin_target(why, t, d, event);
		if (!o)
			return -ENOMEM;
		o->frame = t->count;
		o->outer = t->inner;
		t->inner = o;
	}
	t->frames[t->count++] = (struct tl_frame){ .definition = d,
		.id = tl_spans_begun(why->pairs),
		.ns = event->ns,
		.observed = event->observed,
		.losses = losses_of(why, event->source),
		.target = o };
	memcpy(t->frames[t->count - 1].args, event->args, sizeof(o->args));
	why->open++;
	if (d->group)
		count_open(why, d->group);
	return 0;
}

/* Is it the proven end of a span of a target whose begin was not read, or was
 * dropped when it was cut?  why->span is the span of this end, which ended no
 * open one. */
static bool
is_alone(const struct tl_why *why, const struct tl_definition *d,
    const struct tl_event *end)
{
	return d->group && d->group->target && end->proven && why->ended &&
	       tl_span_is_sure(&why->span);
}

static int
take_end(struct tl_why *why, struct tl_thread *t, const struct tl_definition *d,
    const struct tl_event *event)
{
	struct tl_group *g = d->group;
	struct tl_frame frame;
	int rc;

	if (cut_frames(why, t) < 0)
		return -ENOMEM;
	rc = take_frame(why, t, event, &frame);
	if (rc == 0 && is_alone(why, d, event))
		return take_alone(why, t, d, event);
	if (rc <= 0)
		return rc;
	rc = 0;
	why->open--;
	if (g) {
		count_closed(why, g);
		note_activity(why, g, t, event->ns);
	}
	for (struct tl_open *o = t->inner; g && !g->kernel && o && rc == 0;
	     o = o->outer) {
		if (frame.ns < o->head.begin_ns ||
		    (!event->proven &&
			!tl_observed_joins(frame.observed, event->observed)))
			continue;
		rc = add_simple(why, o, g, TL_FEATURE_SPENT,
		    (uint64_t)tl_ns_between(frame.ns, event->ns));
		if (o->frame + 1 == t->count) {
			o->mark = g->number;
			o->mark_ns = event->ns;
		}
	}
	if (rc == 0 && frame.target) {
		frame.target->head.children = frame.own_children;
		rc = end_target(why, frame.target, event);
	}
	return rc;
}

/* Take an event of a span that belongs to no thread.  In the tree the event is
 * an instant. */
static int
take_scoped(struct tl_why *why, struct tl_thread *t,
    const struct tl_definition *d, const struct tl_event *event)
{
	struct tl_group *g = d->group;
	struct tl_target *target =
	    g && g->target ? &why->targets[g->target - 1] : NULL;
	struct tl_open **at, *o;
	unsigned looked_at = 0;

	if (g && event->kind == TL_BEGIN)
		count_open(why, g);
	else if (g)
		count_closed(why, g);
	if (!target)
		return 0;
	if (event->kind == TL_BEGIN) {
		if (target->open >= TL_SPANS_OPEN_MAX) {
			why->left_out.open++;
			return 0;
		}
		o = begin_target(why, t, d, event);
		if (!o)
			return -ENOMEM;
		o->outer = target->scoped;
		target->scoped = o;
		return 0;
	}
	for (at = &target->scoped; *at && looked_at < DEPTH_MAX;
	     at = &(*at)->outer, looked_at++) {
		o = *at;
		if (!why->ended || o->id != why->span.id)
			continue;
		*at = o->outer;
		return end_target(why, o, event);
	}
	return is_alone(why, d, event) ? take_alone(why, t, d, event) : 0;
}

/* == events == */

static int64_t
length_of(const struct tl_pause *pause)
{
	return tl_ns_between(pause->from_ns, pause->to_ns);
}

/* Note that a thread logged: keep the longest pauses of the targets of which
 * the thread has spans, in order. */
static void
note_pauses(struct tl_why *why, const struct tl_thread *t, int64_t ns)
{
	for (size_t k = 0; k < t->lane_capacity; k++) {
		struct tl_target *target = &why->targets[k];
		const struct tl_pause pause = { target->latest_ns, ns };
		size_t i = target->pause_count;

		if (!t->lanes[k])
			continue;
		target->latest_ns = ns;
		if (target->logged++ == 0) {
			target->first_ns = ns;
			continue;
		}
		if (i < TL_PAUSES_MAX)
			target->pause_count++;
		else if (length_of(&target->pauses[--i]) >= length_of(&pause))
			continue;
		for (; i > 0 &&
		       length_of(&target->pauses[i - 1]) < length_of(&pause);
		     i--)
			target->pauses[i] = target->pauses[i - 1];
		target->pauses[i] = pause;
	}
}

/* Take an event of the kernel about a thread or a CPU. */
static int
take_state(struct tl_why *why, const struct tl_group *g,
    const struct tl_event *event)
{
	const struct tl_message *m = event->message;
	uint32_t text = TL_TEXT_NONE;
	unsigned i = 0;
	int rc = 0;

	if (tl_sched_what(m) != TL_SCHED_NONE)
		return 0; /* these events make the states of threads */
	while (i < m->argc && !tl_arg_is_text(&m->args[i]))
		i++;
	if (i < m->argc && !event->bare)
		text = tl_why_text(why, tl_message_text(m, i, &event->args[i]));
	for (size_t k = 0; k < why->target_count; k++) {
		for (struct tl_open *o = why->targets[k].first; o && rc == 0;
		     o = o->next) {
			if (event->tid == 0 ? event->cpu == o->head.cpu
					    : event->tid == o->thread->tid)
				rc = add_other(why, o, TL_FEATURE_STATE,
				    g->number, text, 1);
		}
	}
	return rc;
}

/* Follow the states of threads.  Other begin events than those of targets are
 * passed on as instants, because only spans of targets are asked for. */
static int
follow_states(struct tl_why *why, const struct tl_event *event)
{
	struct tl_event seen = *event;
	const struct tl_definition *d;
	int rc = 0;

	if (event->kind == TL_BEGIN) {
		d = definition_of(why, event, &rc);
		if (!d || !d->group || (!d->group->target && !d->group->kernel))
			seen.kind = TL_INSTANT;
	}
	return rc < 0 ? rc : tl_states_put(why->states, &seen);
}

/* Does the event come from a file that lies beside the file of the program? */
static bool
lies_beside(const struct tl_why *why, const struct tl_event *event)
{
	const struct tl_sources *sources = why->plan.sources;

	return sources && event->source < sources->count &&
	       sources->items[event->source].beside;
}

/* Note an end in another thread than the begin.  Returns the thread of the
 * begin, or NULL as find_thread(). */
static struct tl_thread *
hand_over(struct tl_why *why, const struct tl_event *end, int *rc)
{
	struct tl_event own = *end;

	if (why->handed_over++ == 0)
		why->handed_end = *end;
	own.tid = why->span.tid;
	return find_thread(why, &own, rc);
}

static int
take(struct tl_why *why, const struct tl_event *event)
{
	struct tl_definition *d;
	struct tl_thread *t;
	int rc = 0;

	if (event->ns > why->deadline_ns &&
	    (rc = leave_windows(why, event->ns)))
		return rc;
	if (why->states && (rc = follow_states(why, event)) < 0)
		return rc;
	if (lies_beside(why, event)) /* the states have taken it */
		return 0;
	t = find_thread(why, event, &rc);
	if (!t)
		return rc;
	if (event->kind == TL_LOST) {
		count_child(t);
		if (event->level == 0 && !tl_event_is_start(event) &&
		    (rc = count_loss(why, event)) < 0)
			return rc;
		if (!tl_event_is_start(event)) {
			/* Entries were lost: mark the spans of the same CPU
			 * whose windows contain the loss. */
			for (size_t i = 0; i < why->target_count; i++)
				for (struct tl_open *o = why->targets[i].first;
				     o; o = o->next)
					o->head.lost |=
					    event->cpu == TL_CPU_UNKNOWN ||
					    event->cpu == o->head.cpu;
		}
		return tl_details_put(why->details, NULL, event);
	}
	d = definition_of(why, event, &rc);
	if (!d || (rc = tl_details_put(why->details, NULL, event)) < 0)
		return rc;
	if (event->message->builtin == TIMELINE_BUILTIN_CLEAR &&
	    (rc = count_loss(why, event)) < 0)
		return rc;
	if (!d->group || !d->group->kernel)
		note_pauses(why, t, event->ns);
	if (d->group && d->group->kernel)
		rc = take_state(why, d->group, event);
	if (rc == 0 && (event->kind != TL_END || d->scoped))
		rc = note_logged(why, t, d, event);
	if (rc < 0 || (event->kind != TL_BEGIN && event->kind != TL_END))
		return rc;
	/* find the begin event of an end event */
	rc = tl_spans_put(why->pairs, event, &why->span);
	why->ended = rc > 0;
	if (rc < 0 ||
	    (rc = tl_details_put(why->details, why->pairs, event)) < 0)
		return rc;
	if (why->ended && why->span.handed && !(t = hand_over(why, event, &rc)))
		return rc;
	if (d->scoped)
		return take_scoped(why, t, d, event);
	return event->kind == TL_BEGIN ? take_begin(why, t, d, event)
				       : take_end(why, t, d, event);
}

/* == the length of windows, learned from the first spans == */

static int64_t
median_of(const struct tl_why *why, struct tl_weighed *room, size_t target)
{
	size_t count = 0;

	for (size_t i = 0; i < why->duration_count; i++)
		if (target == SIZE_MAX || why->duration_targets[i] == target)
			room[count++] = why->durations[i];
	return count > 0 ? tl_weighed_select(room, count, count / 2) : -1;
}

/* The lengths of the windows are known: take the events that waited. */
static int
end_learning(struct tl_why *why)
{
	struct tl_weighed *room = calloc(LEARN_SPANS, sizeof(*room));
	int64_t window_ns;
	int rc = room ? 0 : -ENOMEM;

	if (rc < 0)
		return rc;
	why->learns = false;
	window_ns = median_of(why, room, SIZE_MAX);
	if (window_ns >= 0)
		why->window_ns = window_ns;
	for (size_t i = 0; i < why->target_count; i++) {
		window_ns = median_of(why, room, i);
		why->targets[i].window_ns =
		    window_ns < 0 ? why->window_ns : window_ns;
	}
	for (size_t i = 0; i < why->event_count && rc == 0; i++)
		rc = take(why, &why->events[i]);
	free(room);
	free(why->events);
	free(why->durations);
	free(why->duration_targets);
	tl_spans_free(why->spans);
	why->events = NULL;
	why->event_capacity = 0;
	why->durations = NULL;
	why->duration_targets = NULL;
	why->spans = NULL;
	return rc;
}

static int
learn(struct tl_why *why, const struct tl_event *event)
{
	const struct tl_definition *d = NULL;
	struct tl_span span;
	int rc = 0;

	if (TL_ARRAY_ROOM(why->events, why->event_capacity, why->event_count) <
	    0)
		return -ENOMEM;
	why->events[why->event_count++] = *event;
	if (event->kind != TL_LOST)
		d = definition_of(why, event, &rc);
	if (d && d->group && d->group->target)
		rc = tl_spans_put(why->spans, event, &span);
	if (rc < 0)
		return rc;
	if (rc == 1 && !span.lossy) {
		why->durations[why->duration_count] =
		    (struct tl_weighed){ span.duration_ns, 1 };
		why->duration_targets[why->duration_count++] =
		    (uint8_t)(d->group->target - 1);
	}
	return why->duration_count == LEARN_SPANS ||
		       why->event_count == LEARN_EVENTS
		   ? end_learning(why)
		   : 0;
}

static int
put(struct tl_sink *sink, const struct tl_event *event)
{
	struct tl_why *why = (struct tl_why *)(void *)sink;

	return why->learns ? learn(why, event) : take(why, event);
}

static int
finish(struct tl_sink *sink)
{
	struct tl_why *why = (struct tl_why *)(void *)sink;
	int rc = why->learns ? end_learning(why) : 0;

	if (rc == 0)
		rc = leave_windows(why, INT64_MAX);
	return rc < 0 ? rc : tl_why_explain(why);
}

static int
find_complete(struct tl_why *w)
{
	const struct tl_sources *sources = w->plan.sources;
	int rc = 0;

	w->complete = calloc(sources->count + 1, sizeof(*w->complete));
	if (!w->complete)
		return -ENOMEM;
	for (size_t i = 0; i < sources->count && rc >= 0; i++)
		if (tl_source_is_open(&sources->items[i]))
			rc = tl_source_complete(&sources->items[i],
			    &w->complete[i]);
	return rc < 0 ? rc : 0;
}

int
tl_why_new(struct tl_why **why, const struct tl_why_plan *plan)
{
	struct tl_why *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return -ENOMEM;
	w->sink = (struct tl_sink){ put, finish };
	w->plan = *plan;
	w->deadline_ns = INT64_MAX;
	w->window_ns = window_unknown_ns;
	w->learns = true;
	w->durations = malloc(LEARN_SPANS * sizeof(*w->durations));
	w->duration_targets = malloc(LEARN_SPANS);
	if (!w->durations || !w->duration_targets)
		rc = -ENOMEM;
	else
		rc = tl_spans_new(&w->spans);
	if (rc == 0)
		rc = tl_spans_new(&w->pairs);
	if (rc == 0)
		rc = tl_details_new(&w->details, false);
	if (rc == 0 && plan->sources)
		rc = tl_states_of_sources(&w->states, plan->sources);
	if (rc == 0 && plan->sources)
		rc = find_complete(w);
	if (rc < 0) {
		tl_why_free(w);
		return rc;
	}
	*why = w;
	return 0;
}

void
tl_why_free(struct tl_why *w)
{
	if (!w)
		return;
	tl_why_forget(w);
	for (size_t i = 0; i < w->target_count; i++) {
		tl_records_free(&w->targets[i].records);
		tl_id_map_free(&w->targets[i].processes);
		free(w->targets[i].begins);
	}
	while (w->made) {
		struct tl_open *next = w->made->made;

		free(w->made->parts);
		free(w->made);
		w->made = next;
	}
	for (size_t i = 0; i < w->thread_capacity; i++) {
		struct tl_thread *t = w->threads[i];

		if (!t)
			continue;
		for (size_t k = 0; k < t->lane_capacity; k++)
			free(t->lanes[k]);
		free(t->lanes);
		free(t->frames);
		free(t->crossed);
		free(t);
	}
	for (uint32_t i = 0; i < w->group_count; i++)
		free(w->groups[i]);
	for (size_t i = 0; i < w->text_count; i++)
		free((char *)(uintptr_t)w->texts[i].data);
	free(w->threads);
	free(w->texts);
	free(w->features);
	free(w->list);
	free(w->events);
	free(w->losses);
	free(w->durations);
	free(w->duration_targets);
	tl_spans_free(w->spans);
	tl_spans_free(w->pairs);
	tl_details_free(w->details);
	tl_states_free(w->states);
	free(w->complete);
	tl_id_map_free(&w->thread_ids);
	tl_id_map_free(&w->feature_ids);
	tl_table_free(&w->group_table);
	tl_table_free(&w->text_table);
	tl_message_map_free(&w->definitions, free);
	tl_labels_free(&w->labels);
	free(w);
}

size_t
tl_why_size(const struct tl_why *why)
{
	size_t size = why->event_capacity * sizeof(*why->events);

	for (size_t i = 0; i < why->target_count; i++)
		size += tl_records_size(&why->targets[i].records);
	return size;
}

struct tl_sink *
tl_why_sink(struct tl_why *why)
{
	return &why->sink;
}

int
tl_why_read(struct tl_why *why, struct tl_cursor *cursor)
{
	struct tl_event event;
	int rc;

	while ((rc = tl_cursor_next(cursor, &event)) > 0) {
		rc = put(&why->sink, &event);
		if (rc < 0)
			return rc;
	}
	return rc < 0 ? rc : finish(&why->sink);
}
