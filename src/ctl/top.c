/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top.c - timers and messages by rate: a live screen on a terminal, else a
 * number of rounds
 */
#include "base/array.h"
#include "base/ns.h"
#include "base/process.h"
#include "clock/clock.h"
#include "ctl/ctl.h"
#include "ctl/screen.h"
#include "ctl/view.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	WIDTH_RATE = 11,
	WIDTH_TOTAL = 13,
	WIDTH_PRIORITY = 8,
	WIDTH_CATEGORY = 12,
	WIDTH_DURATION = 8,
	HEAD_LINES = 4,
	ROWS_PLAIN = 50 /* rows of a plain round, for timers and for messages */
};
static const int64_t delay_min_ns = 10000000;
static const int64_t delay_max_ns = TL_NS_PER_H;

struct top {
	struct tl_call *call;
	struct tl_sample sample;
	enum tl_tally_key key;
	int64_t delay_ns;
	uint64_t rounds; /* plain rounds; 0: a screen */
	bool color;
	bool paused;
	size_t first; /* the first row that is shown */
};

static void
put_title(struct tl_text *text, const char *title, size_t width)
{
	const size_t start = text->size;

	tl_put_string(text, title);
	tl_cell_end(text, start, width, true);
}

/* Append a duration with about three digits. */
static void
put_took(struct tl_text *text, const struct tl_tally_row *row, uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	const size_t start = text->size;
	double n = (double)ns;
	unsigned unit = 0;

	for (; unit + 1 < TL_COUNT(units) && n >= 999.5; unit++)
		n /= 1000;
	if (row->max_ns == 0)
		tl_put_char(text, '-');
	else
		tl_put_format(text, "%.*f%s",
		    unit == 0 || n >= 99.95 ? 0
		    : n >= 9.995            ? 1
					    : 2,
		    n, units[unit]);
	tl_cell_end(text, start, WIDTH_DURATION, true);
}

static void
put_row(struct tl_text *text, const struct tl_tally_row *row)
{
	size_t start;

	tl_cell_rate(text, row->rate, WIDTH_RATE);
	start = text->size;
	if (row->before) {
		put_took(text, row, row->p50_ns);
		put_took(text, row, row->p99_ns);
		put_took(text, row, row->max_ns);
	} else {
		tl_put_format(text, "%.0f", row->total);
		tl_cell_end(text, start, WIDTH_TOTAL, true);
		tl_cell_string(text, tl_level_name(row->level), WIDTH_PRIORITY);
	}
	start = text->size;
	tl_put_plain(text, row->category);
	tl_cell_end(text, start, WIDTH_CATEGORY, false);
	tl_put_plain(text, row->line);
}

/* End a line that began at start: cut it to the screen, and colour it. */
static void
end_line(struct top *t, struct tl_text *text, size_t start, unsigned columns,
    const char *color)
{
	const size_t size = strlen(color);

	if (columns > 0)
		tl_text_cut(text, start, columns, "");
	if (t->color && size > 0 && tl_text_reserve(text, size)) {
		memmove(text->data + start + size, text->data + start,
		    text->size - start);
		memcpy(text->data + start, color, size);
		text->size += size;
		tl_put_string(text, "\033[0m");
	}
	tl_put_char(text, '\n');
}

/* columns 0: no limit. */
static void
put_head(struct top *t, struct tl_text *text, unsigned columns)
{
	const struct tl_view *view = &t->sample.view;
	const struct tl_inspection *g = &view->inspection;
	size_t start = text->size;

	tl_put_plain(text, tl_bytes_of(t->sample.name.shown));
	tl_put_string(text, "  level ");
	tl_put_threshold(text, g);
	if (g->burst)
		tl_put_format(text, ", then %s", tl_threshold_name(g->base));
	tl_put_format(text, "  %.0f entries/s  lost %lu (+%lu)  history %s",
	    tl_view_rate(view), g->dropped, t->sample.lost,
	    g->kept_ns >= 0 ? TL_DURATION(g->kept_ns) : "-");
	tl_put_share(text, t->sample.share);
	end_line(t, text, start, columns, "");
	start = text->size;
	tl_put_string(text, "written by ");
	tl_writers_put(text, &view->writers);
	end_line(t, text, start, columns, "");
	if (t->rounds == 0) {
		start = text->size;
		tl_put_format(text,
		    "sorted by %s%s  (q quit, p pause, s sort, arrows scroll)",
		    tl_tally_keys[t->key], t->paused ? "  PAUSED" : "");
		end_line(t, text, start, columns, "");
	}
}

static void
put_table(struct top *t, struct tl_text *text, const struct tl_tally *tally,
    size_t first, size_t max, unsigned columns)
{
	size_t start = text->size;
	bool timers = tally == &t->sample.timers;

	put_title(text, timers ? "SPANS/S" : "ENTRIES/S", WIDTH_RATE);
	if (timers) {
		put_title(text, "P50", WIDTH_DURATION);
		put_title(text, "P99", WIDTH_DURATION);
		put_title(text, "MAX", WIDTH_DURATION);
	} else {
		put_title(text, "TOTAL", WIDTH_TOTAL);
		tl_cell_string(text, "PRIORITY", WIDTH_PRIORITY);
	}
	tl_cell_string(text, "CATEGORY", WIDTH_CATEGORY);
	tl_put_string(text, timers ? "TIMER" : "MESSAGE");

	end_line(t, text, start, columns, "\033[7m");
	for (size_t i = first; i < tally->count && i - first < max; i++) {
		start = text->size;
		put_row(text, tally->rows[i]);
		end_line(t, text, start, columns,
		    tl_level_color(tally->rows[i]->level));
	}
}

/* How many timers a screen with this many rows shows: with their heading they
 * take at most half of it. */
static unsigned
shown_timers(const struct top *t, unsigned rows)
{
	const size_t count = t->sample.timers.count;
	const unsigned room =
	    rows > HEAD_LINES + 2 ? (rows - HEAD_LINES) / 2 - 1 : 0;

	return count < room ? (unsigned)count : room;
}

/* How many messages such a screen shows. */
static unsigned
page_rows(const struct top *t, unsigned rows)
{
	const unsigned timers = shown_timers(t, rows);

	rows -= timers > 0 ? timers + 1 : 0;
	return rows > HEAD_LINES ? rows - HEAD_LINES : 1;
}

/* columns 0: no limit. */
static void
put_round(struct top *t, struct tl_text *text, size_t timers, size_t messages,
    unsigned columns)
{
	put_head(t, text, columns);
	if (timers > 0 && t->sample.timers.count > 0)
		put_table(t, text, &t->sample.timers, 0, timers, columns);
	put_table(t, text, &t->sample.tally, t->first, messages, columns);
}

static void
put_json_rows(struct tl_fields *f, const struct tl_tally *tally)
{
	for (size_t i = 0; i < tally->count; i++) {
		const struct tl_tally_row *row = tally->rows[i];

		tl_fields_object(f, NULL);
		tl_fields_bytes(f, "category", row->category);
		tl_fields_bytes(f, "message", row->line);
		tl_fields_string(f, "priority", tl_level_name(row->level));
		tl_fields_double(f, "rate", row->rate);
		tl_fields_double(f, "total", row->total);
		if (row->before && row->max_ns > 0) {
			tl_fields_unsigned(f, "p50_ns", row->p50_ns);
			tl_fields_unsigned(f, "p99_ns", row->p99_ns);
			tl_fields_unsigned(f, "max_ns", row->max_ns);
		} else if (row->before) {
			tl_fields_null(f, "p50_ns");
			tl_fields_null(f, "p99_ns");
			tl_fields_null(f, "max_ns");
		}
		tl_fields_object_end(f);
	}
	tl_fields_array_end(f);
}

static void
sort(struct top *t)
{
	tl_tally_sort(&t->sample.tally, t->key);
	tl_tally_sort(&t->sample.timers, t->key);
}

/* Move the first row that is shown, within bounds. */
static void
scroll(struct top *t, int by)
{
	const size_t last =
	    t->sample.tally.count > 0 ? t->sample.tally.count - 1 : 0;

	if (by < 0)
		t->first -= t->first < (size_t)-by ? t->first : (size_t)-by;
	else
		t->first =
		    last - t->first < (size_t)by ? last : t->first + (size_t)by;
}

/* true: the key ends the program. */
static bool
handle_key(struct top *t, int key)
{
	unsigned rows;

	tl_terminal_size(STDOUT_FILENO, NULL, &rows);
	switch (key) {
	case 'q':
	case TL_KEY_QUIT:
		return true;
	case 'p':
	case ' ':
		t->paused = !t->paused;
		break;
	case 's':
		t->key = (t->key + 1) % TL_TALLY_KEYS;
		sort(t);
		break;
	case TL_KEY_UP:
		scroll(t, -1);
		break;
	case TL_KEY_DOWN:
		scroll(t, 1);
		break;
	case TL_KEY_PAGE_UP:
		scroll(t, -(int)page_rows(t, rows));
		break;
	case TL_KEY_PAGE_DOWN:
		scroll(t, (int)page_rows(t, rows));
		break;
	case TL_KEY_HOME:
		t->first = 0;
		break;
	case TL_KEY_END:
		scroll(t, INT_MAX);
		break;
	default:
		break;
	}
	return false;
}

static int
next_round(struct top *t)
{
	int rc = tl_sample_round(&t->sample, t->call);

	if (rc == 0)
		sort(t);
	return rc;
}

static int
run_screen(struct top *t)
{
	int64_t next_ns = tl_clock_read(CLOCK_MONOTONIC) + t->delay_ns;
	int rc = 0;

	while (rc == 0) {
		struct tl_text text = { 0 };
		unsigned columns, rows;
		int key;

		tl_terminal_size(STDOUT_FILENO, &columns, &rows);
		put_round(t, &text, shown_timers(t, rows), page_rows(t, rows),
		    columns);
		rc = text.rc ? text.rc : tl_screen_draw(&text);
		tl_text_free(&text);
		if (rc != 0)
			break;
		key = tl_screen_key(next_ns);
		if (key != TL_KEY_NONE) {
			if (handle_key(t, key))
				break;
			continue;
		}
		next_ns = tl_clock_read(CLOCK_MONOTONIC) + t->delay_ns;
		if (!t->paused)
			rc = next_round(t);
	}
	return rc;
}

static int
run_plain(struct top *t)
{
	struct tl_text *text = &t->call->out;
	int rc = 0;

	for (uint64_t i = 0; rc == 0 && i < t->rounds; i++) {
		struct timespec left = { .tv_sec = t->delay_ns / TL_NS_PER_S,
			.tv_nsec = t->delay_ns % TL_NS_PER_S };

		while (nanosleep(&left, &left) != 0 && errno == EINTR)
			;
		if ((rc = next_round(t)) != 0)
			break;
		if (tl_call_has(t->call, TL_CTL_JSON)) {
			struct tl_fields f = tl_call_json(t->call);

			tl_fields_object(&f, NULL);
			tl_fields_time(&f, "time",
			    tl_clock_read(CLOCK_REALTIME));
			tl_fields_string(&f, "name", t->sample.name.shown);
			tl_fields_duration(&f, "round",
			    t->sample.view.round_ns);
			tl_view_json(&f, &t->sample.view);
			tl_fields_unsigned(&f, "lost_in_round", t->sample.lost);
			tl_fields_double(&f, "share_seen", t->sample.share);
			tl_fields_array(&f, "timers");
			put_json_rows(&f, &t->sample.timers);
			tl_fields_array(&f, "messages");
			put_json_rows(&f, &t->sample.tally);
			tl_fields_object_end(&f);
		} else {
			if (i > 0)
				tl_put_char(text, '\n');
			put_round(t, text, ROWS_PLAIN, ROWS_PLAIN, 0);
		}
		rc = tl_call_flush(t->call);
	}
	return rc;
}

static int
parse(struct top *t)
{
	const char *delay = t->call->given[TL_CTL_DELAY];
	const char *sort = t->call->given[TL_CTL_SORT];
	int rc =
	    tl_call_number(t->call, TL_CTL_COUNT, 1, UINT32_MAX, &t->rounds);

	if (rc != 0 || (rc = tl_call_duration(t->call, delay, delay_min_ns,
			    delay_max_ns, &t->delay_ns)) != 0)
		return rc;
	if (sort) {
		rc = tl_call_choose(t->call, tl_tally_keys, TL_TALLY_KEYS, sort,
		    "key to sort by");
		if (rc < 0)
			return rc;
		t->key = (enum tl_tally_key)rc;
	}
	return 0;
}

int
tl_verb_top(struct tl_call *call)
{
	struct top *t = calloc(1, sizeof(*t));
	struct tl_name name;
	int rc = -ENOMEM;

	if (!t)
		return rc;
	t->call = call;
	t->sample.view.fd = -1;
	t->sample.share = 1;
	t->delay_ns = TL_NS_PER_S;
	if ((rc = parse(t)) != 0 || (rc = tl_call_name(call, 0, &name)) != 0 ||
	    (rc = tl_sample_open(&t->sample, call, &name)) != 0)
		goto close;
	t->sample.share = 1;
	if (t->rounds == 0 && !tl_call_has(call, TL_CTL_JSON) &&
	    tl_screen_open() == 0) {
		t->color = tl_terminal_wants_color(STDOUT_FILENO);
		rc = run_screen(t);
		tl_screen_close();
	} else {
		t->rounds = t->rounds ? t->rounds : 1;
		rc = run_plain(t);
	}
close:
	tl_sample_close(&t->sample);
	free(t);
	return rc;
}
