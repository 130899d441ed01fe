/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_fixture.h - snapshots by our own writer: make them, read them again,
 * and describe them so that two can be compared.
 */
#ifndef TESTS_UNIT_TIMELINE_FIXTURE_H
#define TESTS_UNIT_TIMELINE_FIXTURE_H

#include "lib/foreign.h"
#include "lib/frozen.h"
#include "lib/random.h"
#include "lib/test.h"
#include "snap/write.h"

#include <inttypes.h>

/* The fields that a description leaves out. */
enum {
	NO_NUMBERS = 1 << 0,
	NO_LANES = 1 << 1,
	NO_STAMPS = 1 << 2,
	NO_LOSSES = 1 << 3,
	NO_IDS = 1 << 4,
	NO_ERRORS = 1 << 5,
	NO_PLACES = NO_NUMBERS | NO_LANES,
	FOREIGN = NO_PLACES | NO_STAMPS | NO_IDS
};

static inline void
describe_message(struct tl_text *text, const struct tl_message *m,
    unsigned without)
{
	if (!(without & NO_IDS))
		tl_put_format(text, " id=%u", m->id);
	tl_put_format(text, " %u.%u.%u.%u.%u line=%u [", m->kind, m->level,
	    m->gate, m->scope, m->builtin, m->line);
	tl_put_plain(text, m->category);
	tl_put_string(text, "] [");
	tl_put_plain(text, m->text);
	tl_put_string(text, "] [");
	tl_put_plain(text, m->explain);
	tl_put_string(text, "] [");
	tl_put_plain(text, m->file);
	tl_put_char(text, ']');
	for (unsigned i = 0; i < m->argc; i++)
		tl_put_format(text, " f%u", m->args[i].format);
}

static inline void
describe_args(struct tl_text *text, const struct tl_event *e, unsigned without)
{
	for (unsigned i = 0; i < TL_ARGS_MAX; i++) {
		struct tl_bytes string = { 0 };

		if (i < e->message->argc &&
		    e->message->args[i].format == TIMELINE_ARG_STRING)
			string = tl_message_string(e->message, e->args[i]);
		if (!string.data || !(without & NO_IDS))
			tl_put_format(text, " %" PRIu64, e->args[i]);
		if (!string.data)
			continue;
		tl_put_string(text, " \"");
		tl_put_plain(text, string);
		tl_put_char(text, '"');
	}
}

/* Describe an event in a line with every field. */
static inline void
describe(struct tl_text *text, const struct tl_event *e, unsigned without)
{
	if (e->kind == TL_LOST) {
		if (without & NO_LOSSES)
			return;
		tl_put_format(text, "lost %" PRIu64, e->lost);
		if (!(without & NO_LANES))
			tl_put_format(text, " lane=%u cpu=%u ns=%" PRId64,
			    e->lane, e->cpu, e->ns);
		tl_put_char(text, '\n');
		return;
	}
	tl_put_format(text, "%" PRId64 " k%u l%u b%d cpu=%u %u/%u", e->ns,
	    e->kind, e->level, e->bare, e->cpu, e->pid, e->tid);
	if (!(without & NO_STAMPS))
		tl_put_format(text, " tsc=%" PRIu64 " epoch=%u", e->tsc,
		    e->epoch);
	if (!(without & NO_ERRORS))
		tl_put_format(text, " error=%u", e->error_ns);
	if (!(without & NO_LANES))
		tl_put_format(text, " lane=%u", e->lane);
	if (!(without & NO_NUMBERS))
		tl_put_format(text, " number=%" PRIu64, e->number);
	describe_args(text, e, without);
	describe_message(text, e->message, without);
	tl_put_char(text, '\n');
}

static inline void
describe_cursor(struct tl_text *text, struct tl_cursor *cursor,
    unsigned without)
{
	struct tl_event e, loss = { 0 };
	int rc;

	/* a copy merges overwritten and lost entries into one number */
	while ((rc = tl_cursor_next(cursor, &e)) > 0) {
		const bool is_loss = e.kind == TL_LOST;

		if (is_loss && loss.lost > 0 && loss.lane == e.lane) {
			loss.lost += e.lost;
			continue;
		}
		if (loss.lost > 0)
			describe(text, &loss, without);
		loss = is_loss ? e : (struct tl_event){ 0 };
		if (!is_loss || e.lost == 0)
			describe(text, &e, without);
	}
	if (loss.lost > 0)
		describe(text, &loss, without);
	ck_assert_int_eq(rc, 0);
	tl_cursor_close(cursor);
}

static inline struct tl_text
describe_snap(struct tl_snap *snap, enum tl_order order, unsigned without)
{
	struct tl_text text = { 0 };
	struct tl_cursor *cursor;

	ck_assert_ok(tl_snap_cursor(snap, order, &cursor));
	describe_cursor(&text, cursor, without);
	return text;
}

/* Compare two texts; show the first line that differs. */
static inline void
check_same(struct tl_text *a, struct tl_text *b)
{
	const char *p = tl_text_string(a), *q = tl_text_string(b);
	const char *line_p = p, *line_q = q;

	for (; *p && *p == *q; p++, q++)
		if (*p == '\n') {
			line_p = p + 1;
			line_q = q + 1;
		}
	ck_assert_msg(*p == *q, "wanted:\n%.300s\ngot:\n%.300s", line_p,
	    line_q);
}

/* A writer, its output and its diagnostics. */
struct written {
	struct tl_writer *writer;
	struct tl_text out;
	struct foreign_report said;
	struct tl_snap *snap; /* the output, opened again */
};

static inline void
written_start(struct written *w)
{
	memset(w, 0, sizeof(*w));
	w->said.report = (struct tl_report){ foreign_say, &w->said.text };
	ck_assert_ok(tl_timeline_write_new(&w->writer, foreign_write, &w->out,
	    &w->said.report));
}

static inline void
written_put(struct written *w, const struct tl_event *event)
{
	ck_assert_ok(w->writer->sink.put(&w->writer->sink, event));
}

/* Finish the output, which must be a whole snapshot. */
static inline void
written_finish(struct written *w)
{
	struct tl_fault fault = { 0 };

	ck_assert_ok(w->writer->sink.finish(&w->writer->sink));
	ck_assert_msg(frozen_try(&w->snap, w->out.data, w->out.size, &fault) ==
			  0,
	    "%s", fault.text);
	ck_assert_ok(tl_snap_check(w->snap));
	ck_assert_uint_eq(tl_snap_header(w->snap)->state, TIMELINE_IMPORTED);
}

static inline void
written_whole(struct written *w)
{
	ck_assert_msg(tl_snap_fault_count(w->snap) == 0, "byte %" PRIu64 ": %s",
	    tl_snap_fault(w->snap, 0)->at, tl_snap_fault(w->snap, 0)->text);
}

static inline void
written_free(struct written *w)
{
	tl_writer_free(w->writer);
	tl_snap_close(w->snap);
	tl_text_free(&w->out);
	tl_text_free(&w->said.text);
}

/*
 * Copy a snapshot, or the events that pass a filter; expected, if not NULL,
 * receives a description of them.
 */
static inline void
written_copy(struct written *w, struct tl_snap *snap,
    bool (*pass)(const struct tl_event *event), struct tl_text *expected,
    unsigned without)
{
	struct tl_cursor *cursor;
	struct tl_event e;
	int rc;

	written_start(w);
	ck_assert_ok(tl_timeline_write_set_snap(w->writer, snap));
	ck_assert_ok(tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor));
	while ((rc = tl_cursor_next(cursor, &e)) > 0) {
		if (pass && !pass(&e))
			continue;
		if (expected)
			describe(expected, &e, without);
		written_put(w, &e);
	}
	ck_assert_int_eq(rc, 0);
	tl_cursor_close(cursor);
	written_finish(w);
}

/* Reverse the order of the lines. */
static inline struct tl_text
turn_round(const struct tl_text *text)
{
	struct tl_text turned = { 0 };
	size_t end = text->size;

	while (end > 0) {
		size_t start = end - 1;

		while (start > 0 && text->data[start - 1] != '\n')
			start--;
		tl_put_bytes(&turned,
		    tl_bytes(text->data + start, end - start));
		end = start;
	}
	return turned;
}

/*
 * The snapshot must give this text oldest first, and its reverse newest first.
 */
static inline void
check_gives(struct tl_snap *snap, struct tl_text *expected, unsigned without)
{
	struct tl_text turned = turn_round(expected);
	struct tl_text got = describe_snap(snap, TL_OLDEST_FIRST, without);

	check_same(expected, &got);
	tl_text_free(&got);
	got = describe_snap(snap, TL_NEWEST_FIRST, without);
	check_same(&turned, &got);
	tl_text_free(&got);
	tl_text_free(&turned);
}

#endif
