/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns.c - return one member of many events as an array.
 *
 * For an interpreter, a call for each event costs a hundred times as much as
 * the event costs here.  A column has 64 bits per row whatever the member, so
 * that the caller needs one type of array.
 */
#include "read/read.h"

#include <errno.h>

static uint64_t
value_of(const struct timeline_read_event *e, unsigned what)
{
	switch (what) {
	case TIMELINE_READ_NS:
		return (uint64_t)e->ns;
	case TIMELINE_READ_TSC:
		return e->tsc;
	case TIMELINE_READ_DURATION_NS:
		return (uint64_t)e->duration_ns;
	case TIMELINE_READ_ERROR_NS:
		return e->error_ns;
	case TIMELINE_READ_CPU:
		return e->cpu;
	case TIMELINE_READ_PID:
		return e->pid;
	case TIMELINE_READ_TID:
		return e->tid;
	case TIMELINE_READ_LEVEL:
		return e->level;
	case TIMELINE_READ_KIND:
		return e->kind;
	case TIMELINE_READ_FLAGS:
		return e->flags;
	case TIMELINE_READ_LOST:
		return e->lost;
	case TIMELINE_READ_DEFINITION:
		return (uintptr_t)e->definition;
	default:
		return e->args[what - TIMELINE_READ_ARG0];
	}
}

static int
check(const struct timeline_read_column *columns, size_t count)
{
	if (!columns && count > 0)
		return tl_read_fail(-EINVAL, "the columns are NULL");
	for (size_t i = 0; i < count; i++) {
		if (columns[i].what < TIMELINE_READ_NS ||
		    columns[i].what > TIMELINE_READ_ARG3)
			return tl_read_fail(-EINVAL, "there is no column %u",
			    columns[i].what);
		if (!columns[i].values)
			return tl_read_fail(-EINVAL,
			    "the values of a column are NULL");
	}
	return 0;
}

int64_t
timeline_read_columns(struct timeline_reader *r,
    const struct timeline_read_column *columns, size_t count, size_t rows)
{
	const struct timeline_read_event *event;
	size_t row = 0;
	int rc = check(columns, count);

	if (rc == 0 && r->behind_rows < 0) {
		rc = r->behind_rows;
		r->behind_rows = 0;
	}
	if (rc < 0)
		return rc;
	while (row < rows && (rc = timeline_read_next(r, &event)) > 0) {
		for (size_t i = 0; i < count; i++)
			columns[i].values[row] =
			    value_of(event, columns[i].what);
		row++;
	}
	if (rc < 0 && row > 0)
		r->behind_rows = rc;
	return rc < 0 && row == 0 ? rc : (int64_t)row;
}
