/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing.c - entries as lines of text.
 *
 * The aim is ten million lines a second: nothing here uses printf or allocates
 * memory for an entry.
 */
#include "dump/listing.h"

#include "base/ns.h"
#include "event/names.h"
#include "event/render.h"
#include "format/csv/csv.h"
#include "format/jsonl/jsonl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { INDENT = 4 };

/* The widths to which numbers are padded on the left. */
enum {
	WIDTH_CPU = 3,
	WIDTH_ID = 7,
	WIDTH_PRIORITY = 8,
	WIDTH_DELTA = 12,
	WIDTH_TSC = 16,
	WIDTH_ERROR = 6,
	WIDTH_SECONDS = 14,
	WIDTH_HOST_MAX = 24, /* a longer name shifts the rest of its line */
	WIDTH_NAMED_MAX = 24 /* as WIDTH_HOST_MAX; names of the kernel fit */
};

#define QUARTER_NS (15 * 60 * TL_NS_PER_S)

/* The distance to the previous entry. */
struct delta {
	bool ns_known;
	bool cycles_known;
	int64_t ns;
	int64_t cycles;
};

struct listing {
	struct tl_sink sink; /* first: what callers see */
	struct tl_output *output;
	struct tl_render *render;
	struct tl_time_cache time_cache;
	struct tl_listing_style style;
	int64_t first_ns; /* time of the first line */
	long offset_s;    /* local time minus UTC in this quarter of an hour */
	int64_t quarter;
	bool offset_known;
	bool deltas;
	size_t host_width;
	size_t id_width[2]; /* widest so far, for processes and for threads */
	bool held;          /* other is set */
	/* Newest first: the entry that waits for its delta.  Oldest first: the
	 * entry shown before. */
	struct tl_event other;
	uint64_t shown;
};

void
tl_listing_explain(struct tl_text *text, struct tl_bytes explain)
{
	while (explain.size > 0) {
		const char *end = memchr(explain.data, '\n', explain.size);
		const size_t size =
		    end ? (size_t)(end - explain.data) : explain.size;

		tl_put_repeat(text, ' ', INDENT);
		tl_put_plain(text, tl_bytes(explain.data, size));
		tl_put_char(text, '\n');
		explain.data += size;
		explain.size -= size;
		if (explain.size > 0) { /* skip the newline */
			explain.data++;
			explain.size--;
		}
	}
}

static void
put_number(struct tl_text *text, uint64_t n, size_t width)
{
	const size_t start = text->size;

	tl_put_unsigned(text, n);
	tl_text_align_right(text, start, width);
}

static void
put_known(struct tl_text *text, bool known, int64_t n, size_t width)
{
	const size_t start = text->size;

	if (known)
		tl_put_signed(text, n);
	else
		tl_put_char(text, '-');
	tl_text_align_right(text, start, width);
}

/* Append the duration of the span that ends, followed by "?"  if the span is
 * unsure. */
static void
put_duration(struct tl_text *text, const struct tl_event *event)
{
	const size_t start = text->size;
	const bool known = event->kind == TL_END && tl_event_is_begun(event);

	if (known)
		tl_put_signed(text, event->duration_ns);
	tl_put_char(text, !known                            ? '-'
			  : event->begun == TL_BEGUN_UNSURE ? '?'
							    : ' ');
	tl_text_align_right(text, start, WIDTH_DELTA);
}

/* The width of the longest host name that fits. */
static size_t
host_width(const struct tl_hosts *hosts)
{
	size_t widest = 0;

	for (size_t i = 0; hosts && i < hosts->count; i++) {
		const size_t width =
		    tl_text_width(tl_bytes_of(hosts->list[i].name));

		if (width > widest && width <= WIDTH_HOST_MAX)
			widest = width;
	}
	return widest;
}

static void
put_host(struct listing *l, const struct tl_event *event)
{
	struct tl_text *text = &l->output->text;
	const struct tl_hosts *hosts = l->style.hosts;
	struct tl_bytes name = tl_bytes_of("?");
	size_t width;

	if (hosts)
		name = tl_bytes_of(
		    hosts->list[hosts->of_source[event->source]].name);
	width = tl_text_width(name);
	tl_put_plain(text, name);
	/* hosts may appear during --follow */
	if (width > l->host_width && width <= WIDTH_HOST_MAX)
		l->host_width = width;
	if (width < l->host_width)
		tl_put_repeat(text, ' ', l->host_width - width);
}

/* Append worker/30473, or only the number if there is no name, padded to the
 * widest so far. */
static void
put_id(struct listing *l, struct tl_bytes name, uint32_t id, bool of_thread)
{
	struct tl_text *text = &l->output->text;
	size_t *column = &l->id_width[of_thread];
	const size_t start = text->size;
	size_t width;

	tl_put_named(text, name, id);
	width = tl_text_width(tl_bytes(text->data + start, text->size - start));
	if (width > *column && width <= WIDTH_NAMED_MAX)
		*column = width;
	tl_text_align_right(text, start, *column + text->size - start - width);
}

/* Append +0.000531200, in seconds.  "-": unknown. */
static void
put_seconds(struct tl_text *text, bool known, int64_t ns)
{
	const uint64_t n = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	const size_t start = text->size;
	char *to = tl_text_reserve(text, TL_UNSIGNED_MAX + 2);

	if (!to)
		return;
	if (!known) {
		tl_put_char(text, '-');
	} else {
		*to++ = ns < 0 ? '-' : '+';
		to = tl_write_unsigned(to, n / TL_NS_PER_S);
		*to = '.';
		for (uint64_t i = 9, rest = n % TL_NS_PER_S; i > 0; i--) {
			to[i] = (char)('0' + rest % 10);
			rest /= 10;
		}
		text->size = (size_t)(to + 10 - text->data);
	}
	tl_text_align_right(text, start, WIDTH_SECONDS);
}

/* Append local time and its offset from UTC.  The offset is read once for each
 * quarter of an hour. */
static void
put_local(struct listing *l, int64_t ns)
{
	const int64_t quarter = ns / QUARTER_NS;
	struct tl_text *text = &l->output->text;
	unsigned minutes;
	int64_t local;
	char *to;

	if (quarter != l->quarter || !l->offset_known) {
		const time_t at = (time_t)(ns / TL_NS_PER_S);
		struct tm tm = { 0 };

		l->offset_s = localtime_r(&at, &tm) ? tm.tm_gmtoff : 0;
		l->quarter = quarter;
		l->offset_known = true;
	}
	if (__builtin_add_overflow(ns, l->offset_s * TL_NS_PER_S, &local))
		local = ns;
	tl_put_time_cached(text, &l->time_cache, local);
	minutes = (unsigned)(labs(l->offset_s) / 60);
	to = text->data + text->size - 6;
	to[0] = l->offset_s < 0 ? '-' : '+';
	to[1] = (char)('0' + minutes / 600 % 10);
	to[2] = (char)('0' + minutes / 60 % 10);
	to[4] = (char)('0' + minutes % 60 / 10);
	to[5] = (char)('0' + minutes % 10);
}

static void
put_time(struct listing *l, const struct tl_event *event,
    const struct delta *delta)
{
	struct tl_text *text = &l->output->text;

	switch (l->style.time) {
	case TL_TIME_LOCAL:
		put_local(l, event->ns);
		break;
	case TL_TIME_DELTA:
		put_seconds(text, delta->ns_known, delta->ns);
		break;
	case TL_TIME_RELATIVE:
		if (l->shown == 1)
			l->first_ns = event->ns;
		put_seconds(text, true,
		    (int64_t)((uint64_t)event->ns - (uint64_t)l->first_ns));
		break;
	default:
		tl_put_time_cached(text, &l->time_cache, event->ns);
	}
}

static void
put_priority(struct tl_text *text, unsigned level)
{
	const char *name = tl_level_name(level);
	const size_t size = strlen(name);

	tl_put_bytes(text, tl_bytes(name, size));
	if (size < WIDTH_PRIORITY)
		tl_put_repeat(text, ' ', WIDTH_PRIORITY - size);
}

/* Append a column and a space.  The last column is without a space. */
static void
put_column(struct listing *l, enum tl_column column,
    const struct tl_event *event, const struct delta *delta)
{
	struct tl_text *text = &l->output->text;

	switch (column) {
	case TL_COLUMN_TIME:
		if (tl_message_counts_steps(event->message)) {
			const size_t start = text->size;

			tl_render_time(text, event);
			tl_text_align_right(text, start, TL_TIME_SIZE);
		} else
			put_time(l, event, delta);
		if (l->style.marks)
			tl_put_char(text, event->overlaps ? '~' : ' ');
		break;
	case TL_COLUMN_HOST:
		put_host(l, event);
		break;
	case TL_COLUMN_CPU:
		if (event->cpu != TL_CPU_UNKNOWN)
			put_number(text, event->cpu, WIDTH_CPU);
		else
			tl_put_string(text, "  ?");
		break;
	case TL_COLUMN_PID:
		put_id(l, tl_names_process(tl_event_names(event), event->pid),
		    event->pid, false);
		break;
	case TL_COLUMN_TID:
		put_id(l,
		    tl_names_thread(tl_event_names(event), event->pid,
			event->tid),
		    event->tid, true);
		break;
	case TL_COLUMN_PRIORITY:
		put_priority(text, event->level);
		break;
	case TL_COLUMN_DELTA_CYCLES:
		put_known(text, delta->cycles_known, delta->cycles,
		    WIDTH_DELTA);
		break;
	case TL_COLUMN_DELTA_NS:
		put_known(text, delta->ns_known, delta->ns, WIDTH_DELTA);
		break;
	case TL_COLUMN_DURATION:
		put_duration(text, event);
		break;
	case TL_COLUMN_TSC:
		put_number(text, event->tsc, WIDTH_TSC);
		break;
	case TL_COLUMN_CLOCK_ERROR:
		put_known(text, event->error_ns != UINT32_MAX, event->error_ns,
		    WIDTH_ERROR);
		break;
	case TL_COLUMN_CATEGORY: /* appends a space itself */
		tl_render_category(l->render, text, event);
		return;
	case TL_COLUMN_MESSAGE:
		tl_render_cached(l->render, text, event);
		if (event->moved)
			tl_put_string(text, " [stamp moved]");
		break;
	default:
		break;
	}
	tl_put_char(text, ' ');
}

static int
put_line(struct listing *l, const struct tl_event *event,
    const struct delta *delta)
{
	struct tl_text *text = &l->output->text;
	const char *color = "";
	bool colored = false;

	if (l->style.max && l->shown == l->style.max)
		return 0;
	l->shown++;
	if (l->output->color)
		color = tl_level_color(event->level);
	for (size_t i = 0; i < l->style.column_count; i++) {
		const enum tl_column column = l->style.columns[i];

		if (color[0] && !colored && column >= TL_COLUMN_CATEGORY) {
			tl_put_string(text, color);
			colored = true;
		}
		put_column(l, column, event, delta);
	}
	/* the space after the last column becomes the newline */
	if (text->size > 0)
		text->size--;
	if (colored)
		tl_put_string(text, TL_COLOR_END);
	tl_put_char(text, '\n');
	if (l->style.explain)
		tl_listing_explain(text, event->message->explain);
	return tl_output_more(l->output);
}

static struct delta
delta_between(const struct tl_event *newer, const struct tl_event *older)
{
	return (struct delta){
		.ns_known = true,
		.ns = (int64_t)((uint64_t)newer->ns - (uint64_t)older->ns),
		/* stamps compare only within an epoch of one clock */
		.cycles_known = newer->epoch == older->epoch &&
				newer->source == older->source,
		.cycles = (int64_t)(newer->tsc - older->tsc),
	};
}

/* Show the entry that was held back.  delta is unknown if there is no older
 * entry. */
static int
release(struct listing *l, const struct delta *delta)
{
	if (!l->held)
		return 0;
	l->held = false;
	return put_line(l, &l->other, delta);
}

/* Append a line about missing entries: a loss, or overwritten entries. */
static int
put_missing(struct listing *l, const struct tl_event *loss,
    const struct tl_overwritten *overwritten)
{
	static const struct delta unknown;
	struct tl_text *text = &l->output->text;
	int rc = 0;

	if (l->style.order == TL_NEWEST_FIRST)
		rc = release(l, &unknown);
	l->held = false;
	if (rc < 0 || (l->style.max && l->shown == l->style.max))
		return rc;
	if (l->output->color)
		tl_put_string(text, "\033[35m");
	if (overwritten)
		tl_overwritten_put(text, overwritten);
	else
		tl_render_loss(text, loss);
	if (l->output->color)
		tl_put_string(text, TL_COLOR_END);
	tl_put_char(text, '\n');
	return tl_output_more(l->output);
}

/* Append the line about overwritten entries once, between the last event before
 * since_ns and the first event after it. */
static int
put_overwritten(struct listing *l, const struct tl_event *event)
{
	const bool is_start = tl_event_is_start(event);
	struct tl_overwritten *o = &l->style.overwritten[event->source];
	const bool is_before = is_start || event->ns < o->since_ns;

	if (!o->any || o->said)
		return 0;
	o->due |= is_before;
	if (!o->due || (l->style.order == TL_OLDEST_FIRST && is_before))
		return 0;
	o->said = true;
	return put_missing(l, NULL, o);
}

static int
put_with_delta(struct listing *l, const struct tl_event *event)
{
	struct delta delta = { 0 };
	int rc = 0;

	if (l->style.order == TL_NEWEST_FIRST) {
		if (l->held)
			delta = delta_between(&l->other, event);
		rc = release(l, &delta);
	} else {
		if (l->held)
			delta = delta_between(event, &l->other);
		rc = put_line(l, event, &delta);
	}
	l->other = *event;
	l->held = true;
	return rc;
}

static int
listing_put(struct tl_sink *sink, const struct tl_event *event)
{
	static const struct delta unknown;
	struct listing *l = (struct listing *)sink;

	if (l->style.overwritten) {
		const int rc = put_overwritten(l, event);

		if (rc < 0 || (tl_event_is_start(event) &&
				  l->style.overwritten[event->source].any))
			return rc;
	}
	if (event->kind == TL_LOST)
		return put_missing(l, event, NULL);
	if (!l->deltas)
		return put_line(l, event, &unknown);
	return put_with_delta(l, event);
}

static int
listing_finish(struct tl_sink *sink)
{
	static const struct delta unknown;
	struct listing *l = (struct listing *)sink;
	int rc = 0;

	if (l->style.order == TL_NEWEST_FIRST)
		return release(l, &unknown);
	/* Append the line for the sources whose turn had not come at the last
	 * event. */
	for (size_t i = 0; l->style.overwritten && i < l->style.sources; i++) {
		struct tl_overwritten *o = &l->style.overwritten[i];

		if (rc == 0 && o->due && !o->said)
			rc = put_missing(l, NULL, o);
	}
	return rc;
}

bool
tl_listing_has_delta(const struct tl_listing_style *style)
{
	for (size_t i = 0; i < style->column_count; i++) {
		if (style->columns[i] == TL_COLUMN_DELTA_CYCLES ||
		    style->columns[i] == TL_COLUMN_DELTA_NS)
			return true;
	}
	return style->time == TL_TIME_DELTA;
}

void
tl_listing_prime(struct tl_sink *sink, const struct tl_event *event)
{
	struct listing *l = (struct listing *)sink;

	l->other = *event;
	l->held = event->kind != TL_LOST;
}

static int
listing_new(struct tl_sink **sink, struct tl_output *output,
    const struct tl_listing_style *style)
{
	struct listing *l = calloc(1, sizeof(*l));
	int rc;

	if (!l)
		return -ENOMEM;
	rc = tl_render_new(&l->render);
	if (rc < 0) {
		free(l);
		return rc;
	}
	l->sink.put = listing_put;
	l->sink.finish = listing_finish;
	l->output = output;
	l->style = *style;
	l->deltas = tl_listing_has_delta(style);
	l->host_width = host_width(style->hosts);
	l->id_width[0] = l->id_width[1] = WIDTH_ID;
	*sink = &l->sink;
	return 0;
}

static void
free_listing(struct tl_sink *sink)
{
	struct listing *l = (struct listing *)sink;

	if (!l)
		return;
	tl_render_free(l->render);
	free(l);
}

/* == text, JSON or CSV, by the options == */

int
tl_sinks_new(struct tl_sink **sink, const struct tl_options *options,
    struct tl_output *output, const struct tl_listing_style *style)
{
	struct tl_writer *writer;
	int rc;

	switch (options->format) {
	case TL_FORMAT_JSON:
		rc = tl_jsonl_write_new(&writer, tl_output_write, output, NULL);
		break;
	case TL_FORMAT_CSV:
		rc = tl_csv_write_new(&writer, tl_output_write, output, NULL);
		break;
	default:
		return listing_new(sink, output, style);
	}
	if (rc == 0)
		*sink = &writer->sink;
	return rc;
}

void
tl_sinks_free(struct tl_sink *sink, const struct tl_options *options)
{
	if (options->format == TL_FORMAT_TEXT)
		free_listing(sink);
	else
		tl_writer_free((struct tl_writer *)(void *)sink);
}

void
tl_sinks_set_sources(struct tl_sink *sink, const struct tl_options *options,
    const struct tl_origin *sources, size_t count)
{
	if (options->format != TL_FORMAT_TEXT)
		tl_writer_set_sources((void *)sink, sources, count);
}

void
tl_sinks_expect_hosts(struct tl_sink *sink, const struct tl_options *options)
{
	if (options->format != TL_FORMAT_TEXT)
		tl_writer_facts((void *)sink)->may_be_several = true;
}

struct tl_listing_style
tl_sinks_style(const struct tl_options *options, const struct tl_hosts *hosts,
    enum tl_order order)
{
	static const uint8_t of_hosts[] = { TL_COLUMN_TIME, TL_COLUMN_HOST,
		TL_COLUMN_CATEGORY, TL_COLUMN_MESSAGE };
	struct tl_listing_style style = { .columns = options->columns,
		.column_count = options->column_count,
		.order = order,
		.explain = options->explain,
		.time = options->time,
		.hosts = hosts,
		.marks = hosts && hosts->are_several };

	if (style.marks && !options->columns_given) {
		style.columns = of_hosts;
		style.column_count = sizeof(of_hosts);
	}
	return style;
}
