/* SPDX-License-Identifier: Apache-2.0 */
/* schema.h - private to this folder: the SQL. */
#ifndef TL_FORMAT_SQLITE_SCHEMA_H
#define TL_FORMAT_SQLITE_SCHEMA_H

/* Statements to run before the first event, and after the last event. */
extern const char tl_sqlite_tables[];
extern const char tl_sqlite_views[];

/* Insertions of one row, with the columns bound in order. */
extern const char tl_sqlite_event[];
extern const char tl_sqlite_message[];
extern const char tl_sqlite_thread[];
extern const char tl_sqlite_span[];
extern const char tl_sqlite_info[];
extern const char tl_sqlite_source[];

/* Columns of these rows. */
enum {
	EVENT_ID = 1,
	EVENT_NS,
	EVENT_KIND,
	EVENT_MESSAGE,
	EVENT_THREAD,
	EVENT_CPU,
	EVENT_VALUE, /* first of four */
	EVENT_LOST = EVENT_VALUE + 4,
	EVENT_TSC,
	EVENT_NUMBER,
	EVENT_LANE,
	EVENT_EPOCH,
	EVENT_ERROR_NS,
	EVENT_SOURCE,
	EVENT_SYNC_ERROR_US,
	EVENT_OVERLAPS,
	EVENT_OVERWRITTEN,
	EVENT_BARE
};
enum { KIND_OVERWRITTEN = 6 };
enum { SOURCE_ID = 1, SOURCE_MACHINE, SOURCE_TIMELINE, SOURCE_BOOT_ID };
enum {
	MESSAGE_ID = 1,
	MESSAGE_SOURCE,
	MESSAGE_CATEGORY,
	MESSAGE_LINE,
	MESSAGE_EXPLANATION,
	MESSAGE_KIND,
	MESSAGE_LEVEL,
	MESSAGE_SCOPE,
	MESSAGE_FILE,
	MESSAGE_FILE_LINE,
	MESSAGE_ARG /* first of four pairs: name, format */
};
enum {
	THREAD_ID = 1,
	THREAD_PID,
	THREAD_TID,
	THREAD_FIRST_NS,
	THREAD_LAST_NS,
	THREAD_EVENTS,
	THREAD_SOURCE,
	THREAD_NAME,
	THREAD_PROCESS
};
enum {
	SPAN_MESSAGE = 1,
	SPAN_THREAD,
	SPAN_BEGIN_NS,
	SPAN_END_NS,
	SPAN_DURATION_NS,
	SPAN_DEPTH,
	SPAN_NESTING,
	SPAN_BEGIN_CPU,
	SPAN_END_CPU,
	SPAN_LOSSY,
	SPAN_VALUE, /* first of four */
	SPAN_CUT = SPAN_VALUE + 4
};

#endif
