/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row.c - print a message of --stats as text, JSON and CSV.
 */
#include "dump/stats/row.h"

#include "base/array.h"
#include "base/fields.h"
#include "base/text.h"
#include "dump/views.h"
#include "event/render.h"
#include "format/lincheck/print.h"

#include <math.h>
#include <stdio.h>

/* A line of the table has 79 columns, or 93 if the terminal has room for larger
 * numbers and the histogram. */
enum {
	INDENT = 4,
	WIDTH_NAME = 12,
	WIDTH_VALUE = 8,
	WIDTH_WIDE = 10,
	VALUES = 7,
	COLUMNS_BARS = INDENT + WIDTH_NAME + VALUES * (WIDTH_VALUE + 1) + 2 +
		       TL_VALUES_BARS,
	COLUMNS_WIDE = COLUMNS_BARS + VALUES * (WIDTH_WIDE - WIDTH_VALUE)
};

const char tl_stats_csv_heading[] =
    "input,category,priority,kind,message,entries,rate_per_s,observed_count,"
    "observed_ns,observed_share,estimate,estimate_low,estimate_high,slots,"
    "what,unit,count,min,mean,p50,p90,p99,p99.9,max,starved,"
    "running_ns,interrupted_ns,runnable_ns,blocked_task_ns,"
    "blocked_timer_ns,blocked_io_ns,unknown_ns,nan,infinite";

/* Print the distribution of one quantity of a row. */
typedef void put_quantity(void *context, struct tl_bytes name, bool is_arg,
    enum tl_values_unit unit, const struct tl_values_summary *summary);

bool
tl_stats_unit(const struct tl_message *message, unsigned arg,
    enum tl_values_unit *unit)
{
	static const enum tl_values_unit units[] = { [TIMELINE_ARG_UNSIGNED] =
							 TL_VALUES_UNSIGNED,
		[TIMELINE_ARG_SIGNED] = TL_VALUES_SIGNED,
		[TIMELINE_ARG_HEX] = TL_VALUES_HEX,
		[TIMELINE_ARG_DOUBLE] = TL_VALUES_DOUBLE,
		[TIMELINE_ARG_DURATION] = TL_VALUES_NS };
	const unsigned format = message->args[arg].format;

	if (tl_arg_is_text(&message->args[arg]))
		return false;
	*unit = format < TL_COUNT(units) ? units[format] : TL_VALUES_UNSIGNED;
	return true;
}

/* Pass each quantity of a row that has values to put(). */
static int
put_each(struct tl_stats_row *row, bool bars, put_quantity *put, void *context)
{
	/* points of a Lincheck trace have numbers of steps instead of times */
	const enum tl_values_unit time = tl_lincheck_is_native(row->message)
					     ? TL_VALUES_SIGNED
					     : TL_VALUES_NS;
	struct tl_values *const times[] = { &row->interval, &row->duration };
	struct tl_values_summary s;
	int rc = 0;

	for (unsigned i = 0; i < 2u + row->message->argc && rc == 0; i++) {
		const unsigned arg = i - 2;
		struct tl_bytes name =
		    tl_bytes_of(i == 0 ? "interval" : "duration");
		enum tl_values_unit unit = time;

		if (i >= 2) {
			if (arg + 1 == row->by ||
			    !tl_stats_unit(row->message, arg, &unit))
				continue;
			name = row->message->args[arg].name;
		}
		rc = tl_values_summarise(i < 2 ? times[i] : &row->args[arg],
		    bars, &s);
		if (rc == 0 && s.count + s.nan + s.infinite > 0)
			put(context, name, i >= 2, unit, &s);
	}
	return rc;
}

static size_t
value_width(const struct tl_output *output)
{
	return output->columns < COLUMNS_WIDE ? WIDTH_VALUE : WIDTH_WIDE;
}

static bool
has_bars(const struct tl_output *output)
{
	return output->terminal && output->columns >= COLUMNS_BARS;
}

static void
put_value(struct tl_output *output, enum tl_values_unit unit, int64_t value)
{
	const size_t width = value_width(output);
	size_t since;

	tl_put_char(&output->text, ' ');
	since = output->text.size;
	tl_values_put(&output->text, unit, value, width);
	tl_text_align_right(&output->text, since, width);
}

/* U+2581 to U+2588: one to eight eighths. */
static void
put_bars(struct tl_text *text, const uint8_t bars[TL_VALUES_BARS])
{
	tl_put_string(text, "  ");
	for (size_t i = 0; i < TL_VALUES_BARS; i++) {
		if (bars[i] == 0)
			tl_put_char(text, ' ');
		else
			tl_put_bytes(text,
			    tl_bytes((const char[]){ '\xe2', '\x96',
					 (char)('\x80' + bars[i]) },
				3));
	}
}

/* End a line of plain ASCII that began at since: indent the line, and wrap at
 * the width of the terminal. */
static void
wrap(struct tl_output *output, size_t since)
{
	struct tl_text line = { 0 };
	size_t at = 0;

	tl_put_bytes(&line,
	    tl_bytes(output->text.data + since, output->text.size - since));
	output->text.size = since;
	for (size_t indent = INDENT; at < line.size; indent = 2 * INDENT) {
		const size_t room = output->columns - indent;
		size_t end = line.size;

		if (end - at > room)
			for (end = at + room;
			     end > at && line.data[end] != ' ';)
				end--;
		if (end == at)
			end = line.size;
		tl_put_repeat(&output->text, ' ', indent);
		tl_put_bytes(&output->text, tl_bytes(line.data + at, end - at));
		tl_put_char(&output->text, '\n');
		for (at = end; at < line.size && line.data[at] == ' ';)
			at++;
	}
	tl_text_free(&line);
}

static void
put_name(struct tl_text *text, struct tl_bytes name)
{
	const size_t since = text->size;

	tl_put_plain(text, name);
	tl_text_cut(text, since, WIDTH_NAME, "...");
}

/* Put how many values of an argument are no numbers, if there are any. */
static void
put_text_uncounted(struct tl_output *output, struct tl_bytes name,
    const struct tl_values_summary *s)
{
	struct tl_text *text = &output->text;
	const size_t since = text->size;

	if (s->nan + s->infinite == 0)
		return;
	put_name(text, name);
	tl_put_format(text, ": %llu NaN and %llu infinite values left out",
	    (unsigned long long)s->nan, (unsigned long long)s->infinite);
	wrap(output, since);
}

static void
put_text_line(void *context, struct tl_bytes name, bool is_arg,
    enum tl_values_unit unit, const struct tl_values_summary *s)
{
	const int64_t values[] = { s->min, s->p50, s->p90, s->p99, s->p999,
		s->max };
	struct tl_output *output = context;
	struct tl_text *text = &output->text;
	const size_t width = tl_text_width(name);

	(void)is_arg;
	if (s->count == 0) {
		put_text_uncounted(output, name, s);
		return;
	}
	tl_put_repeat(text, ' ', INDENT);
	put_name(text, name);
	tl_put_repeat(text, ' ', width < WIDTH_NAME ? WIDTH_NAME - width : 0);
	put_value(output, TL_VALUES_UNSIGNED, (int64_t)s->count);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		put_value(output, unit, values[i]);
	if (has_bars(output))
		put_bars(text, s->bars);
	tl_put_char(text, '\n');
	put_text_uncounted(output, name, s);
}

/* Was the message observed for a part of the time only? */
static bool
is_partial(const struct tl_stats_row *row)
{
	return row->known_ns != INT64_MIN ||
	       (row->observed_share >= 0 && row->observed_share < 1);
}

/* The entries per second of observed time, where a span counts once.  Negative:
 * no observed time. */
static double
rate_of(const struct tl_stats_row *row)
{
	return row->observed_ns > 0
		   ? (double)row->observed * 1e9 / (double)row->observed_ns
		   : -1;
}

/* Append 29,700.  Small numbers keep their decimals. */
static void
put_number(struct tl_text *text, double n)
{
	char digits[32];
	size_t count;

	if (n < 1000 || n >= 1e15) {
		tl_put_rounded(text, n, 4);
		return;
	}
	count = (size_t)snprintf(digits, sizeof(digits), "%.0f", n);
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && (count - i) % 3 == 0)
			tl_put_char(text, ',');
		tl_put_char(text, digits[i]);
	}
}

/* The things that a rate counts, if the rate does not count each entry. */
static const char *
counted_name(const struct tl_stats_row *row)
{
	return row->message->kind == TIMELINE_RECORD_SPAN ? " spans" : "";
}

/* Append how much of the message was observed, and what opened its level. */
static void
put_text_observed(struct tl_text *text, const struct tl_stats_row *row)
{
	const unsigned by = row->observed_by & ~(1U << TL_OBSERVED_BY_NOTHING);
	const char *where = by == 1U << TL_OBSERVED_BY_BURST  ? "bursts"
			    : by == 1U << TL_OBSERVED_BY_SLOT ? "slots"
							      : "observed time";

	if (row->known_ns == INT64_MAX) {
		tl_put_string(text, ", no rate: the levels are not known");
		return;
	}
	if (row->observed_ns == 0) {
		tl_put_string(text, ", none in observed time");
		return;
	}
	tl_put_format(text, ", %llu%s in %s, ",
	    (unsigned long long)row->observed, counted_name(row), where);
	put_number(text, rate_of(row));
	tl_put_string(text, "/s of observed time (");
	if (row->known_ns == INT64_MIN) {
		tl_put_rounded(text, fmin(row->observed_share * 100, 99.9), 3);
		tl_put_string(text, " % of all)");
		return;
	}
	tl_put_rounded(text, row->observed_share * 100, 3);
	tl_put_string(text, " % of the time since ");
	tl_put_time(text, row->known_ns);
	tl_put_string(text, "; levels are not known before)");
}

/* Append the value of --by as put() does, unless it is unknown. */
static void
put_by(struct tl_text *text, const struct tl_stats_row *row,
    void (*put)(struct tl_text *text, const struct tl_event *event,
	unsigned index))
{
	struct tl_event event = { .message = row->message, .kind = TL_INSTANT };

	event.args[row->by - 1] = row->value;
	if (!row->value_unknown)
		put(text, &event, row->by - 1u);
}

static void
put_text_heading(struct tl_output *output, const struct tl_stats_row *row)
{
	const size_t width = tl_text_width(row->message->category);
	struct tl_text *text = &output->text, by = { 0 };
	size_t since = text->size;

	if (row->by) {
		tl_put_string(&by, ", ");
		tl_put_plain(&by, row->message->args[row->by - 1].name);
		tl_put_string(&by, row->value_unknown ? " unknown" : " = ");
		put_by(&by, row, tl_render_arg);
		tl_text_cut(&by, 0, output->columns / 2, "...");
	}

	tl_put_plain(text, row->message->category);
	tl_put_repeat(text, ' ', width < 10 ? 11 - width : 1);
	tl_put_plain(text, row->message->line1);
	tl_text_cut(text, since,
	    output->columns -
		(unsigned)tl_text_width(tl_bytes(by.data, by.size)),
	    "...");
	tl_put_bytes(text, tl_bytes(by.data, by.size));
	tl_text_free(&by);
	tl_put_char(text, '\n');
	since = text->size;
	tl_put_format(text, "%s  ", tl_level_name(row->message->level));
	tl_put_count(text, row->count, "entry");
	if (is_partial(row)) {
		put_text_observed(text, row);
	} else if (rate_of(row) >= 0) {
		tl_put_string(text, "  ");
		put_number(text, rate_of(row));
		tl_put_format(text, "%s/s", counted_name(row));
	}
	wrap(output, since);
}

/* Append the total from slots, if the message has one. */
static void
put_text_total(struct tl_text *text, const struct tl_stats_row *row)
{
	struct tl_slot_total t;

	tl_slot_total(&t, row->samples, &row->tally, row->message->gate);
	if (t.slots == 0)
		return;
	if (!t.known) {
		tl_put_format(text,
		    "not estimated: the plan of slots was starved %.0f %% of "
		    "the time (its daemon did not run)",
		    t.starved * 100);
		return;
	}
	tl_put_string(text, "estimated ");
	put_number(text, t.rate * t.seconds);
	tl_put_string(text, counted_name(row)[0] ? " spans" : " entries");
	if (t.interval) {
		tl_put_string(text, " (");
		put_number(text, t.rate_low * t.seconds);
		tl_put_string(text, " .. ");
		put_number(text, t.rate_high * t.seconds);
		tl_put_string(text, ", 95 %)");
	}
	tl_put_string(text, ", ");
	put_number(text, t.rate);
	tl_put_string(text, "/s in ");
	tl_put_rounded(text, t.seconds, 4);
	tl_put_string(text, " s, from ");
	put_number(text, (double)t.slots);
	tl_put_string(text, t.slots == 1 ? " slot" : " slots");
}

/* Was the message observed in intervals, so that longer spans have no duration?
 * A proven end is always logged.  If all begins will have one, an end that is
 * not proven is that of another thread or process. */
static bool
is_censored(const struct tl_stats_row *row)
{
	return is_partial(row) && !row->timer &&
	       row->message->kind == TIMELINE_RECORD_SPAN &&
	       (row->begins == 0 || row->unmarked > 0) &&
	       (row->ends > row->proven ||
		   (row->spans == 0 && row->unmarked > 0));
}

static void
put_text_censored(struct tl_text *text, const struct tl_stats_row *row)
{
	const char *what = row->observed_by & 1U << TL_OBSERVED_BY_PRIORITY
			       ? "an observed interval"
			   : row->observed_by & 1U << TL_OBSERVED_BY_BURST
			       ? "a burst"
			       : "a slot";

	if (is_censored(row))
		tl_put_format(text,
		    "spans longer than %s are missing (timeline_scope logs "
		    "them whole)",
		    what);
}

static void
put_text_spans(struct tl_text *text, const struct tl_stats_row *row)
{
	const uint64_t begins = row->lonely_begins, ends = row->lonely_ends;

	if (row->message->kind != TIMELINE_RECORD_SPAN ||
	    begins + ends + row->unsure == 0)
		return;
	tl_put_count(text, begins, "begin");
	tl_put_string(text, " without an end, ");
	tl_put_count(text, ends, "end");
	tl_put_string(text, " without a begin, ");
	tl_put_count(text, row->unsure, "unsure span");
	tl_put_string(text, " left out");
}

static void
put_text_older(struct tl_text *text, const struct tl_stats_row *row)
{
	if (row->older == 0)
		return;
	tl_put_count(text, row->older, "older span");
	tl_put_string(text, " left out");
}

static void
put_text_handed(struct tl_text *text, const struct tl_stats_row *row)
{
	if (row->handed == 0)
		return;
	tl_put_string(text, "another thread ended ");
	tl_put_count(text, row->handed, "span");
	tl_put_string(text, " (the scope should be TIMELINE_SOURCE)");
}

/* Summarise the durations of all spans of a timer, including spans without
 * entries. */
static struct tl_values_summary
summary_of(const struct tl_timer *t)
{
	struct tl_values_summary s = { .count = t->count,
		.min = (int64_t)tl_timer_ns(t, tl_timer_at(t, 0)),
		.p50 = (int64_t)tl_timer_ns(t, tl_timer_at(t, 50)),
		.p90 = (int64_t)tl_timer_ns(t, tl_timer_at(t, 90)),
		.p99 = (int64_t)tl_timer_ns(t, tl_timer_at(t, 99)),
		.p999 = (int64_t)tl_timer_ns(t, tl_timer_at(t, 99.9)),
		.max = (int64_t)tl_timer_ns(t, t->max) };

	if (t->count > 0)
		s.mean = (double)tl_timer_ns(t, t->sum) / (double)t->count;
	return s;
}

/* Append the threshold of a timer, the reason for the threshold, and a remark
 * where the histogram counts spans that were cleared. */
static void
put_text_slower(struct tl_text *text, const struct tl_stats_row *row)
{
	const struct tl_timer *t = row->timer;

	if (row->cleared && !row->by)
		tl_put_string(text, "timer counts since it was created, also "
				    "what was cleared; ");
	if (t->fixed.slower == UINT64_MAX) {
		tl_put_string(text, "no span is kept");
	} else if (t->fixed.slower == 0) {
		tl_put_string(text, "each span is kept");
	} else {
		tl_put_string(text, "spans are kept from ");
		tl_put_duration(text, (int64_t)tl_timer_ns(t, t->fixed.slower));
	}
	if (t->fixed.percentile)
		tl_put_format(text, ", by p%g",
		    (double)t->fixed.percentile / 10000);
}

static bool
has_parts(const struct tl_stats_row *row)
{
	bool has = false;

	for (unsigned i = 0; i < TL_PARTS; i++)
		has |= row->parts[i] != 0;
	return has;
}

int
tl_stats_put_text(struct tl_stats_row *row, struct tl_output *output)
{
	const int width = (int)value_width(output);
	static const char *const headings[VALUES] = { "count", "min", "p50",
		"p90", "p99", "p99.9", "max" };
	static void (*const lines[])(struct tl_text * text,
	    const struct tl_stats_row *row) = { put_text_censored,
		put_text_spans, put_text_older, put_text_handed };
	struct tl_text *text = &output->text;
	size_t since;
	int rc;

	put_text_heading(output, row);
	since = text->size;
	put_text_total(text, row);
	wrap(output, since);
	tl_put_repeat(text, ' ', INDENT + WIDTH_NAME);
	for (size_t i = 0; i < VALUES; i++)
		tl_put_format(text, " %*s", width, headings[i]);
	tl_put_char(text, '\n');
	if (row->timer && !row->by) {
		const struct tl_values_summary s = summary_of(row->timer);

		/* at most WIDTH_NAME characters */
		put_text_line(output,
		    tl_bytes_of(row->cleared ? "timer (ever)" : "timer"), false,
		    TL_VALUES_NS, &s);
	}
	rc = put_each(row, has_bars(output), put_text_line, output);
	since = text->size;
	if (row->timer)
		put_text_slower(text, row);
	wrap(output, since);
	since = text->size;
	tl_parts_put(text, row->parts);
	wrap(output, since);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		since = text->size;
		lines[i](text, row);
		wrap(output, since);
	}
	return rc;
}

/* == JSON and CSV == */

/* State of printing a row as an object of JSON, or as a line of CSV for each
 * quantity. */
struct fields {
	struct tl_fields fields;
	struct tl_stats_row *row;
	struct tl_slot_total total;
	bool in_args;
};

static void
put_known(struct tl_fields *f, const char *name, bool known, double x)
{
	if (known)
		tl_fields_double(f, name, x);
	else
		tl_fields_null(f, name);
}

/* Put the number that a summary has; without values CSV has an empty column. */
static void
put_number_of(struct tl_fields *f, const char *name, enum tl_values_unit unit,
    bool known, int64_t value)
{
	if (!known || unit == TL_VALUES_DOUBLE)
		put_known(f, name, known, tl_double_of((uint64_t)value));
	else if (unit == TL_VALUES_UNSIGNED || unit == TL_VALUES_HEX)
		tl_fields_unsigned(f, name, (uint64_t)value);
	else
		tl_fields_signed(f, name, value);
}

static void
put_uncounted(struct tl_fields *f, const struct tl_values_summary *s)
{
	tl_fields_unsigned(f, "nan", s->nan);
	tl_fields_unsigned(f, "infinite", s->infinite);
}

static void
put_summary(struct tl_fields *f, enum tl_values_unit unit,
    const struct tl_values_summary *s)
{
	const bool any = s->count > 0;

	tl_fields_unsigned(f, "count", s->count);
	if (f->json && unit == TL_VALUES_DOUBLE)
		put_uncounted(f, s);
	if (f->json && !any)
		return;
	put_number_of(f, "min", unit, any, s->min);
	put_known(f, "mean", any, s->mean);
	put_number_of(f, "p50", unit, any, s->p50);
	put_number_of(f, "p90", unit, any, s->p90);
	put_number_of(f, "p99", unit, any, s->p99);
	put_number_of(f, "p99.9", unit, any, s->p999);
	put_number_of(f, "max", unit, any, s->max);
}

/* Put the value of --by as a member of JSON, or its name and the value as two
 * columns. */
static void
put_by_fields(struct tl_fields *f, const struct tl_stats_row *row)
{
	const struct tl_bytes name = row->message->args[row->by - 1].name;
	struct tl_text text = { 0 };

	if (f->csv) {
		tl_fields_bytes(f, NULL, name);
		put_by(&text, row, tl_render_arg);
		tl_fields_bytes(f, NULL, tl_bytes(text.data, text.size));
	} else {
		tl_put_bytes(&text, name);
		tl_fields_object(f, "by");
		if (row->value_unknown) {
			tl_fields_null(f, tl_text_string(&text));
		} else {
			tl_fields_member(f, tl_text_string(&text));
			put_by(f->text, row, tl_render_arg_json);
		}
		tl_fields_object_end(f);
	}
	tl_text_free(&text);
}

/* Put what all lines of a row begin with. */
static void
put_head(struct tl_fields *f, const struct tl_stats_row *row)
{
	tl_fields_object(f, NULL);
	tl_fields_string(f, "input", row->input);
	tl_fields_bytes(f, "category", row->message->category);
	tl_fields_string(f, "priority", tl_level_name(row->message->level));
	tl_fields_string(f, "kind", tl_record_kind_name(row->message->kind));
	tl_fields_bytes(f, "message", row->message->line1);
	if (f->json && row->by)
		put_by_fields(f, row);
	tl_fields_unsigned(f, "count", row->count);
	if (f->json) {
		tl_fields_time(f, "first", row->first_ns);
		tl_fields_time(f, "last", row->last_ns);
		if (row->complete_ns == INT64_MIN)
			tl_fields_null(f, "complete_ns");
		else
			tl_fields_time(f, "complete", row->complete_ns);
	}
	put_known(f, "rate_per_s", rate_of(row) >= 0, rate_of(row));
	if (row->observed_share < 0) {
		tl_fields_null(f, "observed_count");
		tl_fields_null(f, "observed_ns");
		tl_fields_null(f, "observed_share");
		return;
	}
	tl_fields_unsigned(f, "observed_count", row->observed);
	tl_fields_signed(f, "observed_ns", row->observed_ns);
	tl_fields_double(f, "observed_share", row->observed_share);
}

/* Put a line of CSV: a quantity of the row, or NULL if the row has none. */
static void
put_csv_line(struct fields *to, struct tl_bytes name, enum tl_values_unit unit,
    const struct tl_values_summary *s)
{
	const struct tl_slot_total *t = &to->total;
	struct tl_fields *f = &to->fields;

	put_head(f, to->row);
	put_known(f, NULL, t->known, t->rate);
	put_known(f, NULL, t->known && t->interval, t->rate_low);
	put_known(f, NULL, t->known && t->interval, t->rate_high);
	if (t->slots > 0)
		tl_fields_unsigned(f, NULL, t->slots);
	else
		tl_fields_null(f, NULL);
	tl_fields_bytes(f, NULL, name);
	tl_fields_string(f, NULL, s && unit == TL_VALUES_NS ? "ns" : "");
	if (s)
		put_summary(f, unit, s);
	for (int i = 0; !s && i < 8; i++)
		tl_fields_null(f, NULL);
	put_known(f, NULL, t->slots > 0, t->starved);
	if (has_parts(to->row))
		tl_part_fields(f, to->row->parts);
	else
		for (unsigned i = 0; i < TL_PARTS; i++)
			tl_fields_null(f, NULL);
	if (s && unit == TL_VALUES_DOUBLE) {
		put_uncounted(f, s);
	} else {
		tl_fields_null(f, NULL);
		tl_fields_null(f, NULL);
	}
	if (to->row->by)
		put_by_fields(f, to->row);
	tl_fields_object_end(f);
}

/* Put a quantity as a line of CSV, or as a member of the row or, so that no
 * names clash, of "args". */
static void
put_quantity_fields(void *context, struct tl_bytes name, bool is_arg,
    enum tl_values_unit unit, const struct tl_values_summary *s)
{
	struct fields *to = context;
	struct tl_fields *f = &to->fields;
	struct tl_text word = { 0 };

	if (f->csv) {
		put_csv_line(to, name, unit, s);
		return;
	}
	if (is_arg && !to->in_args)
		tl_fields_object(f, "args");
	to->in_args = is_arg;
	tl_put_bytes(&word, name);
	if (!is_arg)
		tl_put_string(&word, "_ns");
	tl_fields_object(f, tl_text_string(&word));
	put_summary(f, unit, s);
	tl_fields_object_end(f);
	tl_text_free(&word);
}

static void
put_json_total(struct tl_fields *f, const struct tl_slot_total *t)
{
	put_known(f, "starved", t->slots > 0, t->starved);
	if (!t->known) {
		tl_fields_null(f, "estimate");
		return;
	}
	tl_fields_object(f, "estimate");
	tl_fields_double(f, "rate", t->rate);
	tl_fields_double(f, "count", t->rate * t->seconds);
	if (t->interval) {
		tl_fields_double(f, "rate_low", t->rate_low);
		tl_fields_double(f, "rate_high", t->rate_high);
		tl_fields_double(f, "count_low", t->rate_low * t->seconds);
		tl_fields_double(f, "count_high", t->rate_high * t->seconds);
	}
	tl_fields_double(f, "seconds", t->seconds);
	tl_fields_unsigned(f, "slots", t->slots);
	tl_fields_object_end(f);
}

static int
put_json(struct fields *to)
{
	struct tl_stats_row *row = to->row;
	struct tl_fields *f = &to->fields;
	int rc;

	put_head(f, row);
	put_json_total(f, &to->total);
	if (row->message->kind == TIMELINE_RECORD_SPAN) {
		tl_fields_unsigned(f, "spans", row->spans);
		tl_fields_unsigned(f, "lonely_begins", row->lonely_begins);
		tl_fields_unsigned(f, "lonely_ends", row->lonely_ends);
		tl_fields_unsigned(f, "unsure", row->unsure);
		tl_fields_unsigned(f, "older", row->older);
		tl_fields_unsigned(f, "handed_over", row->handed);
		tl_fields_bool(f, "censored", is_censored(row));
	}
	if (row->timer && !row->by) {
		tl_fields_object(f, "timer");
		tl_timer_put(f, row->timer);
		tl_fields_object_end(f);
	}
	if (row->timer)
		tl_timer_put_slower(f, row->timer);
	if (has_parts(row)) {
		tl_fields_object(f, "states");
		tl_part_fields(f, row->parts);
		tl_fields_object_end(f);
	}
	rc = put_each(row, false, put_quantity_fields, to);
	if (to->in_args)
		tl_fields_object_end(f);
	tl_fields_object_end(f);
	return rc;
}

int
tl_stats_put_fields(struct tl_stats_row *row, const struct tl_fields *fields)
{
	struct fields to = { .fields = *fields, .row = row };
	const size_t before = fields->text->size;
	struct tl_values_summary s;
	int rc;

	tl_slot_total(&to.total, row->samples, &row->tally, row->message->gate);
	if (fields->json)
		return put_json(&to);
	if (row->timer && !row->by) {
		s = summary_of(row->timer);
		put_csv_line(&to, tl_bytes_of("timer"), TL_VALUES_NS, &s);
	}
	rc = put_each(row, false, put_quantity_fields, &to);
	if (rc == 0 && fields->text->size == before)
		put_csv_line(&to, tl_bytes("", 0), TL_VALUES_SIGNED, NULL);
	return rc;
}
