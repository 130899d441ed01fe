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
typedef void put_quantity(void *context, struct tl_bytes name,
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

static int
put_one(struct tl_values *numbers, struct tl_bytes name,
    enum tl_values_unit unit, bool bars, put_quantity *put, void *context)
{
	struct tl_values_summary summary;
	const int rc = tl_values_summarise(numbers, bars, &summary);

	if (rc == 0 && summary.count + summary.nan + summary.infinite > 0)
		put(context, name, unit, &summary);
	return rc;
}

/* Pass each quantity of a row that has values to put(). */
static int
put_each(struct tl_stats_row *row, bool bars, put_quantity *put, void *context,
    put_quantity *put_arg)
{
	/* points of a Lincheck trace have numbers of steps instead of times */
	const enum tl_values_unit time = tl_lincheck_is_native(row->message)
					     ? TL_VALUES_SIGNED
					     : TL_VALUES_NS;
	enum tl_values_unit unit;
	int rc = put_one(&row->interval, tl_bytes_of("interval"), time, bars,
	    put, context);

	if (rc == 0)
		rc = put_one(&row->duration, tl_bytes_of("duration"), time,
		    bars, put, context);
	for (unsigned i = 0; i < row->message->argc && rc == 0; i++) {
		if (i + 1 != row->by && tl_stats_unit(row->message, i, &unit))
			rc = put_one(&row->args[i], row->message->args[i].name,
			    unit, bars, put_arg, context);
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
put_text_line(void *context, struct tl_bytes name, enum tl_values_unit unit,
    const struct tl_values_summary *s)
{
	const int64_t values[] = { s->min, s->p50, s->p90, s->p99, s->p999,
		s->max };
	struct tl_output *output = context;
	struct tl_text *text = &output->text;
	const size_t width = tl_text_width(name);

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
		    tl_bytes_of(row->cleared ? "timer (ever)" : "timer"),
		    TL_VALUES_NS, &s);
	}
	rc = put_each(row, has_bars(output), put_text_line, output,
	    put_text_line);
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

/* State of printing JSON. */
struct json {
	struct tl_fields fields;
	bool in_args;
};

static void
put_json_number(struct json *j, const char *name, enum tl_values_unit unit,
    int64_t value)
{
	if (unit == TL_VALUES_DOUBLE)
		tl_fields_double(&j->fields, name,
		    tl_double_of((uint64_t)value));
	else if (unit == TL_VALUES_UNSIGNED || unit == TL_VALUES_HEX)
		tl_fields_unsigned(&j->fields, name, (uint64_t)value);
	else
		tl_fields_signed(&j->fields, name, value);
}

static void
put_json_body(struct json *j, enum tl_values_unit unit,
    const struct tl_values_summary *s)
{
	tl_fields_unsigned(&j->fields, "count", s->count);
	if (unit == TL_VALUES_DOUBLE) {
		tl_fields_unsigned(&j->fields, "nan", s->nan);
		tl_fields_unsigned(&j->fields, "infinite", s->infinite);
	}
	if (s->count == 0) {
		tl_fields_object_end(&j->fields);
		return;
	}
	put_json_number(j, "min", unit, s->min);
	tl_fields_double(&j->fields, "mean", s->mean);
	put_json_number(j, "p50", unit, s->p50);
	put_json_number(j, "p90", unit, s->p90);
	put_json_number(j, "p99", unit, s->p99);
	put_json_number(j, "p99.9", unit, s->p999);
	put_json_number(j, "max", unit, s->max);
	tl_fields_object_end(&j->fields);
}

/* Interval and duration are members of the row. */
static void
put_json_own(void *context, struct tl_bytes name, enum tl_values_unit unit,
    const struct tl_values_summary *s)
{
	struct json *j = context;

	tl_fields_object(&j->fields,
	    tl_bytes_equal(name, tl_bytes_of("interval")) ? "interval_ns"
							  : "duration_ns");
	put_json_body(j, unit, s);
}

/* Arguments are members of "args", so that no names clash. */
static void
put_json_arg(void *context, struct tl_bytes name, enum tl_values_unit unit,
    const struct tl_values_summary *s)
{
	struct tl_text word = { 0 };
	struct json *j = context;

	if (!j->in_args)
		tl_fields_object(&j->fields, "args");
	j->in_args = true;
	tl_put_bytes(&word, name);
	tl_fields_object(&j->fields, tl_text_string(&word));
	tl_text_free(&word);
	put_json_body(j, unit, s);
}

static void
put_json_observed(struct tl_fields *f, const struct tl_stats_row *row)
{
	const double rate = rate_of(row);

	if (rate >= 0)
		tl_fields_double(f, "rate_per_s", rate);
	else
		tl_fields_null(f, "rate_per_s");
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

static void
put_json_total(struct tl_fields *f, const struct tl_stats_row *row)
{
	struct tl_slot_total t;

	tl_slot_total(&t, row->samples, &row->tally, row->message->gate);
	if (t.slots > 0)
		tl_fields_double(f, "starved", t.starved);
	else
		tl_fields_null(f, "starved");
	if (!t.known) {
		tl_fields_null(f, "estimate");
		return;
	}
	tl_fields_object(f, "estimate");
	tl_fields_double(f, "rate", t.rate);
	tl_fields_double(f, "count", t.rate * t.seconds);
	if (t.interval) {
		tl_fields_double(f, "rate_low", t.rate_low);
		tl_fields_double(f, "rate_high", t.rate_high);
		tl_fields_double(f, "count_low", t.rate_low * t.seconds);
		tl_fields_double(f, "count_high", t.rate_high * t.seconds);
	}
	tl_fields_double(f, "seconds", t.seconds);
	tl_fields_unsigned(f, "slots", t.slots);
	tl_fields_object_end(f);
}

static void
put_json_timer(struct tl_fields *f, const struct tl_stats_row *row)
{
	if (!row->by) {
		tl_fields_object(f, "timer");
		tl_timer_put(f, row->timer);
		tl_fields_object_end(f);
	}
	tl_timer_put_slower(f, row->timer);
}

static void
put_json_by(struct tl_fields *f, const struct tl_stats_row *row)
{
	struct tl_text name = { 0 };

	tl_put_bytes(&name, row->message->args[row->by - 1].name);
	tl_fields_object(f, "by");
	if (row->value_unknown) {
		tl_fields_null(f, tl_text_string(&name));
	} else {
		tl_fields_member(f, tl_text_string(&name));
		put_by(f->text, row, tl_render_arg_json);
	}
	tl_fields_object_end(f);
	tl_text_free(&name);
}

int
tl_stats_put_json(struct tl_stats_row *row, struct tl_output *output)
{
	struct json j = { .fields = { .text = &output->text, .json = true } };
	struct tl_fields *f = &j.fields;
	int rc;

	tl_fields_object(f, NULL);
	tl_fields_string(f, "input", row->input);
	tl_fields_bytes(f, "category", row->message->category);
	tl_fields_string(f, "priority", tl_level_name(row->message->level));
	tl_fields_string(f, "kind", tl_record_kind_name(row->message->kind));
	tl_fields_bytes(f, "message", row->message->line1);
	if (row->by)
		put_json_by(f, row);
	tl_fields_unsigned(f, "count", row->count);
	tl_fields_time(f, "first", row->first_ns);
	tl_fields_time(f, "last", row->last_ns);
	if (row->complete_ns == INT64_MIN)
		tl_fields_null(f, "complete_ns");
	else
		tl_fields_time(f, "complete", row->complete_ns);
	put_json_observed(f, row);
	put_json_total(f, row);
	if (row->message->kind == TIMELINE_RECORD_SPAN) {
		tl_fields_unsigned(f, "spans", row->spans);
		tl_fields_unsigned(f, "lonely_begins", row->lonely_begins);
		tl_fields_unsigned(f, "lonely_ends", row->lonely_ends);
		tl_fields_unsigned(f, "unsure", row->unsure);
		tl_fields_unsigned(f, "older", row->older);
		tl_fields_unsigned(f, "handed_over", row->handed);
		tl_fields_bool(f, "censored", is_censored(row));
	}
	if (row->timer)
		put_json_timer(f, row);
	if (has_parts(row)) {
		tl_fields_object(f, "states");
		tl_part_fields(f, row->parts);
		tl_fields_object_end(f);
	}
	rc = put_each(row, false, put_json_own, &j, put_json_arg);
	if (j.in_args)
		tl_fields_object_end(f);
	tl_fields_object_end(f);
	return rc;
}

/* State of printing CSV. */
struct csv {
	const struct tl_stats_row *row;
	struct tl_text *text;
};

static const char *
unit_name(enum tl_values_unit unit)
{
	return unit == TL_VALUES_NS ? "ns" : "";
}

/* Append four columns. */
static void
put_csv_observed(struct csv *c)
{
	const struct tl_stats_row *row = c->row;
	struct tl_text *text = c->text;

	if (rate_of(row) >= 0)
		tl_put_double(text, rate_of(row));
	if (row->observed_share < 0) {
		tl_put_string(text, ",,,,");
		return;
	}
	tl_put_char(text, ',');
	tl_put_unsigned(text, row->observed);
	tl_put_char(text, ',');
	tl_put_signed(text, row->observed_ns);
	tl_put_char(text, ',');
	tl_put_double(text, row->observed_share);
	tl_put_char(text, ',');
}

/* Append four columns. */
static void
put_csv_total(struct csv *c)
{
	struct tl_text *text = c->text;
	struct tl_slot_total t;

	tl_slot_total(&t, c->row->samples, &c->row->tally,
	    c->row->message->gate);
	if (t.known)
		tl_put_double(text, t.rate);
	tl_put_char(text, ',');
	if (t.known && t.interval)
		tl_put_double(text, t.rate_low);
	tl_put_char(text, ',');
	if (t.known && t.interval)
		tl_put_double(text, t.rate_high);
	tl_put_char(text, ',');
	if (t.slots > 0)
		tl_put_unsigned(text, t.slots);
	tl_put_char(text, ',');
}

static void
put_csv_head(struct csv *c)
{
	struct tl_text *text = c->text;
	const struct tl_stats_row *row = c->row;

	tl_put_csv(text, tl_bytes_of(row->input));
	tl_put_char(text, ',');
	tl_put_csv(text, row->message->category);
	tl_put_char(text, ',');
	tl_put_string(text, tl_level_name(row->message->level));
	tl_put_char(text, ',');
	tl_put_string(text, tl_record_kind_name(row->message->kind));
	tl_put_char(text, ',');
	tl_put_csv(text, row->message->line1);
	tl_put_char(text, ',');
	tl_put_unsigned(text, row->count);
	tl_put_char(text, ',');
	put_csv_observed(c);
	put_csv_total(c);
}

/* Append two columns. */
static void
put_csv_by(struct csv *c)
{
	struct tl_text value = { 0 };

	tl_put_char(c->text, ',');
	tl_put_csv(c->text, c->row->message->args[c->row->by - 1].name);
	tl_put_char(c->text, ',');
	put_by(&value, c->row, tl_render_arg);
	tl_put_csv(c->text, tl_bytes(value.data, value.size));
	tl_text_free(&value);
}

/* Append the columns after those of a quantity, which is of doubles, or not. */
static void
put_csv_tail(struct csv *c, const struct tl_values_summary *doubles)
{
	const bool known = has_parts(c->row);
	struct tl_slot_total t;

	tl_slot_total(&t, c->row->samples, &c->row->tally,
	    c->row->message->gate);
	tl_put_char(c->text, ',');
	if (t.slots > 0)
		tl_put_double(c->text, t.starved);
	for (unsigned i = 0; i < TL_PARTS; i++) {
		tl_put_char(c->text, ',');
		if (known)
			tl_put_signed(c->text, c->row->parts[i]);
	}
	tl_put_char(c->text, ',');
	if (doubles)
		tl_put_unsigned(c->text, doubles->nan);
	tl_put_char(c->text, ',');
	if (doubles)
		tl_put_unsigned(c->text, doubles->infinite);
	if (c->row->by)
		put_csv_by(c);
	tl_put_char(c->text, '\n');
}

static void
put_csv_line(void *context, struct tl_bytes name, enum tl_values_unit unit,
    const struct tl_values_summary *s)
{
	const int64_t values[] = { s->p50, s->p90, s->p99, s->p999, s->max };
	struct csv *c = context;

	put_csv_head(c);
	tl_put_csv(c->text, name);
	tl_put_char(c->text, ',');
	tl_put_string(c->text, unit_name(unit));
	tl_put_char(c->text, ',');
	tl_put_unsigned(c->text, s->count);
	tl_put_char(c->text, ',');
	if (s->count > 0) {
		tl_values_put_plain(c->text, unit, s->min);
		tl_put_char(c->text, ',');
		tl_put_double(c->text, s->mean);
	} else {
		tl_put_char(c->text, ',');
	}
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		tl_put_char(c->text, ',');
		if (s->count > 0)
			tl_values_put_plain(c->text, unit, values[i]);
	}
	put_csv_tail(c, unit == TL_VALUES_DOUBLE ? s : NULL);
}

int
tl_stats_put_csv(struct tl_stats_row *row, struct tl_output *output)
{
	struct csv c = { .row = row, .text = &output->text };
	const size_t before = output->text.size;
	struct tl_values_summary s;
	int rc;

	if (row->timer && !row->by) {
		s = summary_of(row->timer);
		put_csv_line(&c, tl_bytes_of("timer"), TL_VALUES_NS, &s);
	}
	rc = put_each(row, false, put_csv_line, &c, put_csv_line);

	/* the row has no quantity */
	if (rc == 0 && output->text.size == before) {
		put_csv_head(&c);
		tl_put_string(&output->text, ",,,,,,,,,");
		put_csv_tail(&c, NULL);
	}
	return rc;
}
