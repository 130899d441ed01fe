/* SPDX-License-Identifier: Apache-2.0 */
/*
 * axis.h - the two axes that charts have: durations as logarithms, and
 * time.
 */
#ifndef TL_FORMAT_SVG_AXIS_H
#define TL_FORMAT_SVG_AXIS_H

#include "format/svg/draw.h"

/* The logarithm to base 2; of 0 as of 1. */
double tl_svg_log2(uint64_t n);

/* Durations from one to another. */
struct svg_log {
	double from; /* logarithms of nanoseconds */
	double to;
};

/* All that lies between two durations, and never less than a factor of 4. */
struct svg_log tl_svg_log_between(double from, double to);
struct svg_log tl_svg_log_around(uint64_t least_ns, uint64_t most_ns);
/* How far along an axis of a length something lies. */
double tl_svg_log_at(const struct svg_log *log, double log2, double length);

/* A duration worth a line: major ones are powers of ten of a unit. */
struct svg_tick {
	double log2;
	bool major;
	char label[16]; /* 100us */
};

/* The ticks, the least first: start with *index 0, goes on until false. */
bool tl_svg_log_tick(unsigned *index, struct svg_tick *tick);

/* Lines across a box and, below it, labels; durations go right. */
void tl_svg_log_below(struct tl_text *text, const struct svg_log *log,
    struct svg_box box);
/* The same with labels left of it; durations go up. */
void tl_svg_log_beside(struct tl_text *text, const struct svg_log *log,
    struct svg_box box);

/* The time that a box shows. */
struct svg_time {
	int64_t from_ns;
	uint64_t length_ns; /* never 0 */
	struct svg_box box;
};

/* Where a time is, within the box. */
double tl_svg_time_x(const struct svg_time *time, int64_t ns);
/* Lines across the box. */
void tl_svg_time_lines(struct tl_text *text, const struct svg_time *time);
/* Labels with their foot at y, and what they are. */
void
tl_svg_time_labels(struct tl_text *text, const struct svg_time *time, double y);

#endif
