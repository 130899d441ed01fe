/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats.c - count, rate and percentiles of each message.
 *
 * Population.  The lane of a CPU that logs much reaches back less far than
 * other lanes, so the entries before all lanes are complete are mostly those of
 * quiet CPUs.  A span is in the percentiles if its end comes later, an entry if
 * the entry does; the others are counted as older.
 *
 * Rates.  A span counts once.  The rate of a message is the number of its
 * entries in observed time, divided by the length of that time (observed.h).
 * This rate says nothing about the rest of the time: bursts come when something
 * happens, or when the scheduler lets their daemon run.  Only slots are a fair
 * sample of the rest (slots.h).
 */
#include "dump/views.h"

#include "analysis/states.h"
#include "base/array.h"
#include "clock/clock.h"
#include "dump/stats/by.h"
#include "dump/stats/observed.h"
#include "dump/stats/row.h"
#include "event/spans.h"
#include "format/label.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	VALUES_SHOWN = 20, /* of --by, of one message, without --all */
	/* Entries whose rows are on the way from memory; a power of two. */
	WAITING = 16,
	LATELY_BITS = 15
};

/* An entry that waits for its row. */
struct waiting {
	struct tl_event event;
	struct tl_span span;
	enum tl_observed_by by;
	uint64_t losses; /* before the entry */
	struct tl_stats_row *row;
};

/* One input. */
struct source {
	/* kernel events that the command line does not name: used only for
	 * states */
	bool beside;
	bool cleared; /* an entry says so */
	struct tl_levels levels;
	int64_t from_ns; /* start of the time range */
	int64_t to_ns;
	struct tl_observed_time observed;
	struct tl_slot_samples slots;
	/* for messages whose levels changed: since the change */
	struct tl_slot_samples named_slots;
};

struct stats {
	const struct tl_sources *inputs;
	struct tl_select *select;
	struct tl_chooser *chooser;
	struct source *sources;
	struct tl_labels labels;
	struct tl_stats_by by;
	/* message, after labels, and value of --by -> rows[] */
	struct tl_id_map numbers;
	/* rows found last, by a hash of messages that are one row each */
	struct lately {
		const struct tl_message *message;
		struct tl_stats_row *row;
	} lately[1 << LATELY_BITS];
	struct tl_stats_row **rows;
	size_t row_count;
	size_t row_capacity;
	struct tl_states *states; /* NULL: no kernel events */
	uint64_t losses;
	struct waiting waiting[WAITING];
	uint64_t put;   /* entries that began to wait */
	uint64_t found; /* of them: with rows */
	uint64_t taken;
};

/* Sample the slots from the time on at which all entries and gates are
 * known. */
static void
init_slots(struct source *source)
{
	const struct tl_levels *l = &source->levels;
	int64_t from_ns = source->from_ns;

	from_ns = l->gates_ns > from_ns ? l->gates_ns : from_ns;
	from_ns = l->complete_ns > from_ns ? l->complete_ns : from_ns;
	tl_slot_samples_init(&source->slots, &l->slots, l->windows, l->count,
	    from_ns, source->to_ns);
	if (l->named_count == 0)
		return;
	from_ns = l->named_ns > from_ns ? l->named_ns : from_ns;
	tl_slot_samples_init(&source->named_slots, &l->slots, l->windows,
	    l->count, from_ns, source->to_ns);
}

static const struct tl_slot_samples *
samples_of(const struct source *source, const struct tl_message *message)
{
	return tl_levels_is_named(&source->levels, message)
		   ? &source->named_slots
		   : &source->slots;
}

static int
source_init(struct stats *s, size_t i)
{
	const struct tl_source *input = &s->inputs->items[i];
	const struct tl_filter *filter = &s->select->filter;
	struct source *source = &s->sources[i];
	int rc = tl_levels_read(&source->levels, input, &s->select->progress);

	if (rc < 0)
		return rc;
	source->from_ns = source->levels.first_ns;
	source->to_ns = source->levels.end_ns;
	if (filter->since_ns > source->from_ns)
		source->from_ns = filter->since_ns;
	if (filter->until_ns < source->to_ns)
		source->to_ns = filter->until_ns;
	init_slots(source);
	return tl_observed_time_init(&source->observed, input, &source->levels,
	    source->from_ns, source->to_ns);
}

static int
stats_init(struct stats *s)
{
	int rc = 0;

	s->sources = calloc(s->inputs->count + 1, sizeof(*s->sources));
	if (!s->sources)
		return -ENOMEM;
	for (size_t i = 0; i < s->inputs->count && rc == 0; i++) {
		if (tl_source_is_open(&s->inputs->items[i]))
			rc = source_init(s, i);
	}
	return rc;
}

static void
row_free(struct tl_stats_row *row)
{
	tl_values_free(&row->interval);
	tl_values_free(&row->duration);
	for (unsigned i = 0; i < row->message->argc; i++)
		tl_values_free(&row->args[i]);
	tl_slot_tally_free(&row->tally);
	free(row->timer);
	free(row);
}

static void
stats_free(struct stats *s)
{
	for (size_t i = 0; i < s->row_count; i++)
		row_free(s->rows[i]);
	free(s->rows);
	tl_id_map_free(&s->numbers);
	tl_stats_by_free(&s->by);
	tl_labels_free(&s->labels);
	for (size_t i = 0; s->sources && i < s->inputs->count; i++)
		tl_levels_free(&s->sources[i].levels);
	free(s->sources);
	tl_states_free(s->states);
	tl_chooser_free(s->chooser);
}

/* Read the states of threads if a file has kernel events. */
static int
init_states(struct stats *s)
{
	for (size_t i = 0; i < s->inputs->count; i++)
		s->sources[i].beside = s->inputs->items[i].beside;
	return tl_states_of_sources(&s->states, s->inputs);
}

/* Set the timer of a row to the histograms of its message, if the message is a
 * timer. */
static int
take_timer(const struct stats *s, const struct tl_event *event,
    struct tl_stats_row *row)
{
	const struct tl_snap *snap =
	    tl_source_snap(&s->inputs->items[event->source]);
	int rc;

	if (!snap || !tl_snap_is_timed(snap, event->message))
		return 0;
	row->timer = malloc(sizeof(*row->timer));
	if (!row->timer)
		return -ENOMEM;
	rc = tl_snap_timer_of(row->timer, snap, event->message);
	if (rc <= 0) {
		free(row->timer);
		row->timer = NULL;
	}
	return rc < 0 ? rc : 0;
}

/* The time from which an input is complete.  INT64_MIN: always. */
static int64_t
complete_ns(const struct source *source)
{
	return source->levels.complete_ns > source->levels.first_ns
		   ? source->levels.complete_ns
		   : INT64_MIN;
}

static int
row_new(struct stats *s, const struct tl_event *event,
    struct tl_stats_row **row)
{
	struct source *source = &s->sources[event->source];

	if (TL_ARRAY_ROOM(s->rows, s->row_capacity, s->row_count) < 0)
		return -ENOMEM;
	*row = calloc(1,
	    sizeof(**row) + event->message->argc * sizeof((*row)->args[0]));
	if (!*row)
		return -ENOMEM;
	s->rows[s->row_count++] = *row;
	(*row)->message = event->message;
	(*row)->input = s->inputs->items[event->source].name;
	(*row)->first_ns = event->ns;
	(*row)->complete_ns = complete_ns(source);
	(*row)->before.losses = UINT64_MAX;
	(*row)->samples = samples_of(source, event->message);
	(*row)->source = event->source;
	(*row)->tier = tl_observed_time_tier(&source->observed, event);
	return take_timer(s, event, *row);
}

static struct tl_id_key
key_of(const struct tl_message *message)
{
	return (struct tl_id_key){ (uint64_t)(uintptr_t)message, 0 };
}

static struct lately *
lately_of(struct stats *s, const struct tl_message *message)
{
	return &s->lately[(uint64_t)(uintptr_t)message *
			      UINT64_C(0x9e3779b97f4a7c15) >>
			  (64 - LATELY_BITS)];
}

static int
take_interval(struct tl_stats_row *row, const struct tl_event *event,
    uint64_t losses)
{
	const struct tl_event before = { .ns = row->before.ns,
		.steps_ns = row->before.steps_ns,
		.epoch = row->before.epoch,
		.source = event->source };
	int rc = 0;

	/* entries that were lost since may have been of this message */
	if (row->before.losses == losses &&
	    tl_observed_joins(event->stretch, row->before.stretch))
		rc = tl_values_add(&row->interval,
		    tl_event_between(&before, event));
	row->before = (struct tl_stats_before){ .ns = event->ns,
		.steps_ns = event->steps_ns,
		.stretch = event->stretch,
		.losses = losses,
		.epoch = event->epoch };
	return rc;
}

static int
take_args(struct tl_stats_row *row, const struct tl_event *event)
{
	enum tl_values_unit unit;
	int rc = 0;

	for (unsigned i = 0; i < event->message->argc && rc == 0; i++) {
		if (tl_stats_unit(event->message, i, &unit))
			rc = tl_values_add_bits(&row->args[i], unit,
			    event->args[i]);
	}
	return rc;
}

static void
take_parts(struct stats *s, struct tl_stats_row *row,
    const struct tl_span *span)
{
	struct tl_parts parts;

	if (!s->states)
		return;
	tl_states_span(s->states, span, &parts);
	for (unsigned i = 0; i < TL_PARTS; i++)
		row->parts[i] = tl_add_ns(row->parts[i], parts.ns[i]);
}

/* The row of an event; NULL: the event is not counted.  An end event without
 * arguments counts for the message of its begin event. */
static int
find_row(struct stats *s, const struct tl_event *event,
    const struct tl_span *span, struct tl_stats_row **row)
{
	struct lately *lately = lately_of(s, event->message);
	struct tl_event named;
	struct tl_id_key key;
	unsigned by = 0;
	uint32_t number;
	int rc;

	*row = NULL;
	if (lately->message == event->message) {
		*row = lately->row;
		return 0;
	}
	named = *event;
	if (span && event->bare && !span->bare) {
		named.bare = false;
		memcpy(named.args, span->args, sizeof(named.args));
	}
	named.message = tl_labels_get(&s->labels, &named);
	key = key_of(named.message);
	if (s->by.name) {
		by = tl_stats_by_key(&s->by, event, &named, &key);
		if (by == 0)
			return 0;
		if (s->row_count >= TL_STATS_BY_ROWS_MAX &&
		    !tl_id_map_has(&s->numbers, key)) {
			s->by.left_out++;
			return 0;
		}
	}
	rc = tl_id_map_get(&s->numbers, key, &number);
	if (rc < 0)
		return rc;
	if (rc == 0)
		*row = s->rows[number];
	else
		rc = row_new(s, &named, row);
	if (!s->by.name && !tl_label_is(event->message))
		*lately = (struct lately){ event->message, *row };
	if (rc == 0 && by > 0) {
		(*row)->by = (uint8_t)by;
		(*row)->value = key.b;
		(*row)->value_unknown = key.a & 1;
	}
	return rc;
}

static int
take_counted(struct stats *s, struct tl_stats_row *row,
    const struct tl_event *event, enum tl_observed_by by)
{
	const struct source *source = &s->sources[event->source];

	row->observed += by != TL_OBSERVED_BY_NOTHING;
	row->observed_by |= 1U << by;
	return tl_slot_tally_put(&row->tally,
	    samples_of(source, event->message), event->message->gate, event->ns,
	    event->tsc);
}

static int
take_entry(struct stats *s, const struct waiting *w)
{
	const struct tl_event *event = &w->event;
	const struct tl_observed_time *time =
	    &s->sources[event->source].observed;
	const bool is_older = !tl_observed_time_has(time, event);
	const struct tl_span *span = event->span;
	struct tl_stats_row *row = w->row;
	int rc;

	if (!row)
		return 0;
	row->count++;
	row->last_ns = event->ns;
	row->begins += event->kind == TL_BEGIN;
	row->unmarked += event->kind == TL_BEGIN && !event->proven;
	row->ends += event->kind == TL_END;
	row->lonely_begins += event->kind == TL_BEGIN && !is_older;
	row->lonely_ends += event->kind == TL_END && !is_older && !span;
	if (tl_event_counts(event) &&
	    (rc = take_counted(s, row, event, w->by)) < 0)
		return rc;
	/* intervals are those between begins, which come in order */
	if (event->kind != TL_END &&
	    (rc = take_interval(row, event, w->losses)) < 0)
		return rc;
	rc = 0;
	if (span) {
		const struct tl_event begin = tl_span_begin(span);

		row->spans++;
		row->proven += span->proven;
		row->lonely_begins -= !span->alone &&
				      begin.ns >= s->select->filter.since_ns &&
				      tl_observed_time_has(time, &begin);
		row->unsure += span->lossy;
		row->handed += span->handed;
		row->older += is_older && !span->lossy;
		if (!is_older && !span->lossy) {
			take_parts(s, row, span);
			rc = tl_values_add(&row->duration, span->duration_ns);
		}
	}
	if (rc < 0 || event->kind == TL_END || is_older)
		return rc;
	return take_args(row, event);
}

/* Have a row read from memory. */
static void
fetch(const struct tl_stats_row *row, unsigned argc)
{
	const char *end = (const char *)&row->args[argc];

	for (const char *at = (const char *)row; at < end; at += 64)
		__builtin_prefetch(at, 1);
}

/* Let the entries go on that have more than `ahead` entries behind them. */
static int
go_on(struct stats *s, uint64_t ahead)
{
	int rc = 0;

	while (rc >= 0 && s->put - s->found > ahead / 2) {
		struct waiting *w = &s->waiting[s->found++ % WAITING];

		rc = find_row(s, &w->event, w->event.span, &w->row);
		if (w->row)
			fetch(w->row, w->event.message->argc);
	}
	while (rc >= 0 && s->put - s->taken > ahead)
		rc = take_entry(s, &s->waiting[s->taken++ % WAITING]);
	return rc;
}

/* Put an entry, which waits while its row is read from memory: a file may have
 * more messages than a cache holds. */
static int
put_entry(struct stats *s, const struct tl_event *event, enum tl_observed_by by)
{
	struct waiting *w = &s->waiting[s->put++ % WAITING];

	w->event = *event;
	if (event->span) {
		w->span = *event->span;
		w->event.span = &w->span;
	}
	w->by = by;
	w->losses = s->losses;
	__builtin_prefetch(lately_of(s, event->message));
	/* states are asked for at the time of the entry */
	return go_on(s, s->states ? 0 : WAITING - 1);
}

static int
take(struct stats *s, const struct tl_event *event)
{
	struct source *source = &s->sources[event->source];
	enum tl_observed_by by;
	const int passes = tl_chooser_passes(s->chooser, event);
	int rc = passes < 0 ? passes : 0;

	if (rc == 0 && s->states)
		rc = tl_states_put(s->states, event);
	if (rc < 0 || source->beside)
		return rc;
	source->cleared |=
	    event->message && event->message->builtin == TIMELINE_BUILTIN_CLEAR;
	by = tl_observed_time_put(&source->observed, event);
	if (!passes)
		return 0;
	/* the begin of a span that ends in the time range */
	if (event->ns < s->select->filter.since_ns)
		return 0;
	if (event->kind == TL_LOST) {
		s->losses++;
		return 0;
	}
	return put_entry(s, event, by);
}

/* Look at an event of the first reading, for --by. */
static int
look(struct stats *s, const struct tl_event *event)
{
	return tl_stats_by_look(&s->by, event);
}

static int
read_all(struct stats *s,
    int (*put)(struct stats *s, const struct tl_event *event))
{
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc = tl_sources_spans(s->inputs, TL_OLDEST_FIRST, &cursor);

	if (rc < 0)
		return rc;
	while (rc >= 0 && (rc = tl_cursor_next(cursor, &event)) > 0) {
		tl_progress_tick(&s->select->progress);
		rc = put(s, &event);
	}
	tl_cursor_close(cursor);
	return rc;
}

static int
gather(struct stats *s)
{
	struct tl_cursor *scout;
	int rc = s->by.name ? read_all(s, look) : 0;

	if (rc == 0)
		rc = tl_select_scout(s->select, s->inputs, TL_OLDEST_FIRST,
		    &scout);
	if (rc == 0)
		rc = tl_chooser_new(&s->chooser, s->select, TL_OLDEST_FIRST,
		    scout);
	if (rc == 0)
		rc = read_all(s, take);
	return rc < 0 ? rc : go_on(s, 0);
}

/* Add rows for the timers without spans in the file. */
static int
add_timers(struct stats *s, size_t i)
{
	const struct tl_snap *snap = tl_source_is_open(&s->inputs->items[i])
					 ? tl_source_snap(&s->inputs->items[i])
					 : NULL;
	const size_t count = snap ? tl_snap_message_count(snap) : 0;
	int rc = 0;

	/* a histogram cannot be divided */
	if (s->by.name)
		return 0;
	for (size_t k = 0; k < count && rc >= 0 && !s->sources[i].beside; k++) {
		const struct tl_message *m = tl_snap_message(snap, k);
		const struct tl_event event = { .kind = TL_END,
			.message = m,
			.level = m->level,
			.source = (uint16_t)i,
			.ns = s->sources[i].levels.last_ns,
			.cpu = TL_CPU_UNKNOWN };
		struct tl_stats_row *row;

		if (!tl_snap_is_timed(snap, m) ||
		    tl_id_map_has(&s->numbers, key_of(m)))
			continue;
		rc = tl_select_passes(s->select, &event);
		if (rc > 0 && (rc = row_new(s, &event, &row)) == 0)
			row->last_ns = event.ns;
	}
	return rc < 0 ? rc : 0;
}

/* Compute the time in which each message was observed. */
static void
measure_rows(struct stats *s)
{
	for (size_t i = 0; i < s->inputs->count; i++)
		tl_observed_time_end(&s->sources[i].observed);
	for (size_t i = 0; i < s->row_count; i++) {
		struct tl_stats_row *row = s->rows[i];

		row->cleared = s->sources[row->source].cleared;
		/* a builtin message is logged at any level */
		row->known_ns =
		    row->message->builtin
			? INT64_MIN
			: tl_observed_time_since(&s->sources[row->source]
						      .observed,
			      row->tier);
		row->observed_share =
		    tl_observed_time_of(&s->sources[row->source].observed,
			row->tier, row->message, &row->observed_ns);
	}
}

static int
compare_messages(const void *a, const void *b)
{
	const struct tl_stats_row *const *x = a, *const *y = b;

	if ((*x)->source != (*y)->source)
		return (*x)->source < (*y)->source ? -1 : 1;
	if ((*x)->message->id != (*y)->message->id)
		return (*x)->message->id < (*y)->message->id ? -1 : 1;
	/* labels make several of one */
	return ((*x)->message > (*y)->message) -
	       ((*x)->message < (*y)->message);
}

/* Most entries first, of a message and then of a value; rows with equal counts
 * in the order of their first entries. */
static int
compare_rows(const void *a, const void *b)
{
	const struct tl_stats_row *const *x = a, *const *y = b;

	if ((*x)->total != (*y)->total)
		return (*x)->total < (*y)->total ? 1 : -1;
	if ((*x)->by && (*x)->message != (*y)->message)
		return compare_messages(a, b);
	if ((*x)->count != (*y)->count)
		return (*x)->count < (*y)->count ? 1 : -1;
	if ((*x)->first_ns != (*y)->first_ns)
		return (*x)->first_ns > (*y)->first_ns ? 1 : -1;
	return ((*x)->message->id > (*y)->message->id) -
	       ((*x)->message->id < (*y)->message->id);
}

/* Are entries of the input missing because newer entries overwrote them, and
 * not because the timeline was cleared? */
static bool
was_overwritten(const struct tl_source *input)
{
	const struct tl_snap *snap = tl_source_snap(input);

	if (!snap)
		return true;
	for (size_t i = 0; i < tl_snap_lane_count(snap); i++) {
		const struct tl_snap_lane *lane = tl_snap_lane(snap, i);

		if (lane->first > lane->cleared)
			return true;
	}
	return false;
}

/* Append the time from which durations and intervals are complete, if not
 * always. */
static void
put_complete(const struct stats *s, struct tl_text *text)
{
	for (size_t i = 0; i < s->inputs->count; i++) {
		const struct source *source = &s->sources[i];

		if (source->beside || source->levels.entries == 0 ||
		    complete_ns(source) == INT64_MIN)
			continue;
		tl_put_plain(text, tl_bytes_of(s->inputs->items[i].name));
		tl_put_string(text, ": complete since ");
		tl_put_time(text, complete_ns(source));
		tl_put_string(text, " (");
		tl_put_duration(text,
		    source->levels.end_ns - complete_ns(source));
		tl_put_string(text, " of ");
		tl_put_duration(text,
		    source->levels.end_ns - source->levels.first_ns);
		tl_put_string(text, "):\n  before that, entries ");
		tl_put_string(text,
		    was_overwritten(&s->inputs->items[i])
			? "are overwritten; a larger ring or timelinectl "
			  "record keeps more\n\n"
			: "were cleared\n\n");
	}
}

/* Say that there is nothing to count. */
static void
put_empty(const struct stats *s, struct tl_text *text)
{
	for (size_t i = 0; i < s->inputs->count; i++) {
		const struct tl_source *input = &s->inputs->items[i];

		if (!tl_source_is_open(input) || s->sources[i].beside ||
		    s->sources[i].levels.entries > 0)
			continue;
		tl_put_plain(text, tl_bytes_of(input->name));
		tl_put_string(text, ": no entries\n");
	}
}

/* Say which windows end before the copy. */
static void
put_ended(const struct stats *s, struct tl_text *text)
{
	for (size_t i = 0; i < s->inputs->count; i++) {
		const struct tl_snap *snap =
		    tl_source_snap(&s->inputs->items[i]);

		if (!snap || !tl_snap_has_ended(snap) || s->sources[i].beside)
			continue;
		tl_put_char(text, '\n');
		tl_put_plain(text, tl_bytes_of(s->inputs->items[i].name));
		tl_put_string(text,
		    ": its programs have ended, and rates with the last "
		    "entry\n");
	}
}

/* The end of the rows of a message, which are neighbours. */
static size_t
end_of(const struct stats *s, size_t from)
{
	size_t i = from;

	while (
	    i < s->row_count && s->rows[i]->message == s->rows[from]->message)
		i++;
	return i;
}

static void
sort_rows(struct stats *s)
{
	if (s->by.name && s->row_count > 1)
		qsort(s->rows, s->row_count, sizeof(*s->rows),
		    compare_messages);
	for (size_t i = 0; s->by.name && i < s->row_count;) {
		const size_t end = end_of(s, i);
		uint64_t total = 0;

		for (size_t k = i; k < end; k++)
			total += s->rows[k]->count;
		for (; i < end; i++)
			s->rows[i]->total = total;
	}
	if (s->row_count > 1)
		qsort(s->rows, s->row_count, sizeof(*s->rows), compare_rows);
}

/* Append the rows of a message that are not shown, as a line.  Returns the end
 * of the rows. */
static size_t
fold(const struct stats *s, size_t from, struct tl_text *text)
{
	const struct tl_stats_row *row = s->rows[from];
	const size_t end = end_of(s, from);
	uint64_t count = 0;

	for (size_t i = from; i < end; i++)
		count += s->rows[i]->count;
	tl_put_string(text, "\n... and ");
	tl_put_count(text, end - from, "more value");
	tl_put_string(text, " of ");
	tl_put_plain(text, row->message->args[row->by - 1].name);
	tl_put_string(text, ", together ");
	tl_put_count(text, count, count == 1 ? "entry" : "entrie");
	tl_put_string(text, "; --all shows them\n");
	return end;
}

static int
put_rows(struct stats *s, const struct tl_options *options,
    struct tl_output *output)
{
	const enum tl_format format = options->format;
	size_t first = 0; /* row of the message */
	int rc = 0;

	if (format == TL_FORMAT_CSV) {
		tl_put_string(&output->text, tl_stats_csv_heading);
		tl_put_string(&output->text, s->by.name ? ",by,value\n" : "\n");
	}
	if (format != TL_FORMAT_CSV && format != TL_FORMAT_JSON) {
		put_complete(s, &output->text);
		if (s->row_count == 0)
			put_empty(s, &output->text);
	}
	sort_rows(s);
	for (size_t i = 0; i < s->row_count && rc == 0; i++) {
		if (s->rows[i]->message != s->rows[first]->message)
			first = i;
		if (s->by.name && format == TL_FORMAT_TEXT && !options->all &&
		    i == first + VALUES_SHOWN && end_of(s, i) > i + 1) {
			i = fold(s, i, &output->text) - 1;
			continue;
		}
		if (format == TL_FORMAT_JSON) {
			rc = tl_stats_put_json(s->rows[i], output);
		} else if (format == TL_FORMAT_CSV) {
			rc = tl_stats_put_csv(s->rows[i], output);
		} else {
			if (i > 0)
				tl_put_char(&output->text, '\n');
			rc = tl_stats_put_text(s->rows[i], output);
		}
		if (rc == 0)
			rc = tl_output_more(output);
	}
	if (format == TL_FORMAT_TEXT && s->row_count > 0)
		put_ended(s, &output->text);
	return rc;
}

int
tl_stats_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_fault *fault)
{
	static struct stats s; /* too large for a stack */
	int rc;

	s.inputs = inputs;
	s.select = select;
	s.by.name = options->by;
	rc = stats_init(&s);
	if (rc == 0)
		rc = init_states(&s);
	if (rc == 0)
		rc = gather(&s);
	for (size_t i = 0; i < inputs->count && rc == 0; i++)
		rc = add_timers(&s, i);
	measure_rows(&s);
	if (rc == 0 && options->by && s.row_count == 0)
		rc = tl_select_no_argument(inputs, options->by, fault);
	if (rc == 0)
		rc = put_rows(&s, options, output);
	if (s.by.left_out > 0)
		fprintf(stderr,
		    "timeline-dump: left out: %llu entries with values of %s "
		    "beyond the limit\n",
		    (unsigned long long)s.by.left_out, options->by);
	stats_free(&s);
	return rc;
}
