/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points.h - points and footers of a Lincheck trace into the stream
 * of their thread, each behind what it refers to.
 */
#ifndef TL_FORMAT_LINCHECK_POINTS_H
#define TL_FORMAT_LINCHECK_POINTS_H

#include "format/lincheck/lane.h"
#include "format/lincheck/values.h"

/* Starts from all zeros but for known.bodies. */
struct tl_lincheck_points {
	struct tl_lincheck_known known;
	struct tl_lincheck_file file;
	struct tl_lincheck_values values;
	struct tl_data_out record; /* the one that is made */
	bool waits;                /* records wait in their lanes */
	int64_t next;              /* number of an event */
	bool foreign;      /* has there been one that was not read as such? */
	uint64_t numbered; /* events that got another number */
	uint64_t changed;  /* values that did not fit */
};

/* A point: a call begins, or something is read or written.  0, -ENOSPC,
 * -ENOMEM. */
int tl_lincheck_put_point(struct tl_lincheck_points *points,
    struct tl_lincheck_lane *lane, struct tl_lincheck_form *form,
    const struct tl_event *event);
/* The innermost call ends, with what an event says that was returned or
 * thrown; form is NULL: nothing. */
int tl_lincheck_put_footer(struct tl_lincheck_points *points,
    struct tl_lincheck_lane *lane, struct tl_lincheck_form *form,
    const struct tl_event *event);
/* The same, with what an end says that was not read as such. */
int tl_lincheck_put_end(struct tl_lincheck_points *points,
    struct tl_lincheck_lane *lane, const struct tl_event *event);
/* Write the next record of those that wait in a lane, with what it refers to
 * (define) or alone: 1; 0: there is none; -errno. */
int tl_lincheck_put_waiting(struct tl_lincheck_points *points,
    struct tl_lincheck_lane *lane, bool define);
void tl_lincheck_points_free(struct tl_lincheck_points *points);

#endif
