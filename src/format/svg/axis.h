/* SPDX-License-Identifier: Apache-2.0 */
/*
 * axis.h - the two axes that charts have: durations on a logarithmic scale, and
 * time.
 */
#ifndef TL_FORMAT_SVG_AXIS_H
#define TL_FORMAT_SVG_AXIS_H

#include "format/svg/draw.h"

/* The logarithm to base 2; log2 of 0 is taken for log2 of 1. */
double tl_svg_log2(uint64_t n);

/* A range of durations. */
struct svg_log {
	double from; /* log2 of nanoseconds */
	double to;
};

/* The range between two durations, widened to at least a factor of 4. */
struct svg_log tl_svg_log_between(double from, double to);
struct svg_log tl_svg_log_around(uint64_t least_ns, uint64_t most_ns);
/* The distance of a logarithm from the start of an axis of a length. */
double tl_svg_log_at(const struct svg_log *log, double log2, double length);

/* A duration that gets a line; major ticks are powers of ten of a unit. */
struct svg_tick {
	double log2;
	bool major;
	char label[16]; /* such as 100us */
};

/*
 * Return the ticks in ascending order.  Start with *index 0, and go on until
 * false.
 */
bool tl_svg_log_tick(unsigned *index, struct svg_tick *tick);

/* Draw lines across a box and labels below the box; durations go right. */
void tl_svg_log_below(struct tl_text *text, const struct svg_log *log,
    struct svg_box box);
/* Draw lines across a box and labels left of the box; durations go up. */
void tl_svg_log_beside(struct tl_text *text, const struct svg_log *log,
    struct svg_box box);

/* The time that a box shows. */
struct svg_time {
	int64_t from_ns;
	uint64_t length_ns; /* never 0 */
	struct svg_box box;
};

/* The x of a time, kept within the box. */
double tl_svg_time_x(const struct svg_time *time, int64_t ns);
/* Draw lines across the box. */
void tl_svg_time_lines(struct tl_text *text, const struct svg_time *time);
/* Draw labels with their baseline at y, and the unit of the labels. */
void
tl_svg_time_labels(struct tl_text *text, const struct svg_time *time, double y);

#endif
