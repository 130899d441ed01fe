/* SPDX-License-Identifier: Apache-2.0 */
/* axis.c - positions on an axis, and the ticks and labels of an axis. */
#include "format/svg/axis.h"

#include "base/array.h"
#include "base/ns.h"

enum {
	LOG_BITS = 24,     /* bits of the fraction */
	LABEL_APART = 110, /* pixels between two labels of time */
	LABEL_HIGH = 13,
	TICKS_MAX = 64 /* more than an axis of time has */
};

#define MINUTE_NS (60 * TL_NS_PER_S)
#define HOUR_NS   (60 * MINUTE_NS)
#define DAY_NS    (24 * HOUR_NS)

__extension__ typedef __int128 wide;

/*
 * Compute the logarithm bit by bit: squaring doubles the logarithm.  log2() of
 * libc would need libm.
 */
double
tl_svg_log2(uint64_t n)
{
	const unsigned whole = 63u - (unsigned)__builtin_clzll(n | 1);
	double rest = (double)(n | !n) / (double)(UINT64_C(1) << whole);
	double log = whole, bit = 1;

	for (unsigned i = 0; i < LOG_BITS; i++) {
		rest *= rest;
		bit /= 2;
		if (rest < 2)
			continue;
		rest /= 2;
		log += bit;
	}
	return log;
}

struct svg_log
tl_svg_log_between(double from, double to)
{
	struct svg_log log = { from, to };
	const double missing = 2 - (log.to - log.from);

	if (missing > 0) {
		log.from -= missing / 2;
		log.to += missing / 2;
	}
	if (log.from < 0) {
		log.to -= log.from;
		log.from = 0;
	}
	return log;
}

double
tl_svg_log_at(const struct svg_log *log, double log2, double length)
{
	return (log2 - log->from) / (log->to - log->from) * length;
}

bool
tl_svg_log_tick(unsigned *index, struct svg_tick *tick)
{
	static const struct {
		const char *name;
		uint64_t ns;
		unsigned count; /* how many of 1, 2, 5, 10, ... */
	} units[] = { { "ns", 1, 9 }, { "us", 1000, 9 }, { "ms", 1000000, 9 },
		{ "s", TL_NS_PER_S, 5 }, { "m", MINUTE_NS, 5 },
		{ "h", HOUR_NS, 4 }, { "d", DAY_NS, 16 } };
	static const unsigned steps[] = { 1, 2, 5 };
	unsigned unit = 0, at = *index;
	uint64_t n = 1;

	while (at >= units[unit].count) {
		at -= units[unit].count;
		if (++unit == TL_COUNT(units))
			return false;
	}
	for (unsigned i = 0; i < at / 3; i++)
		n *= 10;
	n *= steps[at % 3];
	tick->log2 = tl_svg_log2(n * units[unit].ns);
	tick->major = at % 3 == 0;
	tl_write_unsigned(tick->label, n)[0] = '\0';
	strcat(tick->label, units[unit].name);
	++*index;
	return true;
}

/* Has an axis of a length room for the labels of minor ticks? */
static bool
has_room(const struct svg_log *log, double length, double each)
{
	const double decade = 3.3219 / (log->to - log->from) * length;

	return decade > each;
}

struct svg_log
tl_svg_log_around(uint64_t least_ns, uint64_t most_ns)
{
	return tl_svg_log_between(tl_svg_log2(least_ns), tl_svg_log2(most_ns));
}

static bool
is_within(const struct svg_log *log, double log2)
{
	return log2 >= log->from - 1e-6 && log2 <= log->to + 1e-6;
}

void
tl_svg_log_below(struct tl_text *text, const struct svg_log *log,
    struct svg_box box)
{
	const bool all = has_room(log, box.width, 150);
	const double bottom = box.y + box.height;
	struct svg_tick tick;

	for (unsigned i = 0; tl_svg_log_tick(&i, &tick);) {
		const double x =
		    box.x + tl_svg_log_at(log, tick.log2, box.width);

		if (!is_within(log, tick.log2))
			continue;
		tl_svg_line(text, tick.major ? "grid" : "minor",
		    (struct svg_point){ x, box.y },
		    (struct svg_point){ x, bottom });
		if (tick.major || all)
			tl_svg_word(text, "dim mid",
			    (struct svg_point){ x, bottom + LABEL_HIGH },
			    tick.label);
	}
}

void
tl_svg_log_beside(struct tl_text *text, const struct svg_log *log,
    struct svg_box box)
{
	const bool all = has_room(log, box.height, 60);
	double before = box.y + 2 * box.height;
	struct svg_tick tick;

	for (unsigned i = 0; tl_svg_log_tick(&i, &tick);) {
		const double y = box.y + box.height -
				 tl_svg_log_at(log, tick.log2, box.height);

		if (!is_within(log, tick.log2) || !(tick.major || all))
			continue;
		tl_svg_line(text, tick.major ? "grid" : "minor",
		    (struct svg_point){ box.x, y },
		    (struct svg_point){ box.x + box.width, y });
		if (before - y < LABEL_HIGH)
			continue;
		before = y;
		tl_svg_word(text, "dim end",
		    (struct svg_point){ box.x - 6, y + 4 }, tick.label);
	}
}

double
tl_svg_time_x(const struct svg_time *time, int64_t ns)
{
	const uint64_t from = (uint64_t)ns - (uint64_t)time->from_ns;
	double share = (double)from / (double)time->length_ns;

	if (ns < time->from_ns)
		share = 0;
	return time->box.x + (share > 1 ? 1 : share) * time->box.width;
}

/*
 * The least step, among those that people count in, that leaves room for
 * labels.
 */
static uint64_t
step_of(const struct svg_time *time)
{
	static const unsigned seconds[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300,
		600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400 };
	static const unsigned digits[] = { 1, 2, 5 };
	const double apart =
	    (double)time->length_ns * LABEL_APART / time->box.width;
	const uint64_t least =
	    (uint64_t)apart + ((double)(uint64_t)apart < apart);
	uint64_t unit = least < TL_NS_PER_S ? 1 : DAY_NS;

	for (size_t i = 0; least >= TL_NS_PER_S && i < TL_COUNT(seconds); i++) {
		if (seconds[i] * TL_NS_PER_S >= least)
			return seconds[i] * TL_NS_PER_S;
	}
	for (;; unit *= 10) {
		for (size_t i = 0; i < 3; i++) {
			if (digits[i] * unit >= least)
				return digits[i] * unit;
		}
	}
}

/* Times of day have too many digits for steps below a millisecond. */
static bool
is_relative(uint64_t step)
{
	return step < 1000000;
}

/* Return tick i; false: behind the last tick. */
static bool
next_tick(const struct svg_time *time, uint64_t step, unsigned i, int64_t *ns)
{
	const wide from = time->from_ns;
	wide at = from;

	if (!is_relative(step)) { /* the first tick is a multiple of the step */
		at = from / (wide)step * (wide)step;
		if (at < from)
			at += (wide)step;
	}
	at += (wide)step * i;
	if (i == TICKS_MAX || at > from + (wide)time->length_ns ||
	    at > INT64_MAX)
		return false;
	*ns = (int64_t)at;
	return true;
}

void
tl_svg_time_lines(struct tl_text *text, const struct svg_time *time)
{
	const uint64_t step = step_of(time);
	const double bottom = time->box.y + time->box.height;
	int64_t ns;

	for (unsigned i = 0; next_tick(time, step, i, &ns); i++) {
		const double x = tl_svg_time_x(time, ns);

		tl_svg_line(text, "grid", (struct svg_point){ x, time->box.y },
		    (struct svg_point){ x, bottom });
	}
}

/* Append a time with the precision of a step: a date, a time, or an offset. */
static void
put_label(struct tl_text *label, const struct svg_time *time, uint64_t step,
    int64_t ns)
{
	char all[TL_TIME_SIZE + 1];
	struct tl_time_cache cache = { 0 };

	if (is_relative(step)) {
		tl_put_char(label, '+');
		tl_put_duration(label, ns - time->from_ns);
		return;
	}
	tl_write_time(all, &cache, ns);
	if (step >= DAY_NS)
		tl_put_bytes(label, tl_bytes(all, 10));
	else if (step >= TL_NS_PER_S)
		tl_put_bytes(label, tl_bytes(all + 11, 8));
	else
		tl_put_bytes(label, tl_bytes(all + 11, 12));
}

void
tl_svg_time_labels(struct tl_text *text, const struct svg_time *time, double y)
{
	const uint64_t step = step_of(time);
	struct tl_text label = { 0 };
	int64_t ns;

	for (unsigned i = 0; next_tick(time, step, i, &ns); i++) {
		tl_text_clear(&label);
		put_label(&label, time, step, ns);
		tl_svg_text(text, "dim mid",
		    (struct svg_point){ tl_svg_time_x(time, ns), y },
		    tl_bytes(label.data, label.size));
	}
	tl_text_free(&label);
	tl_svg_word(text, "dim", (struct svg_point){ SVG_MARGIN, y },
	    is_relative(step) ? "offset" : "UTC");
}
