/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.c - inspect a live timeline or a file
 */
#include "ctl/view.h"

#include "base/file.h"
#include "base/ns.h"
#include "base/utf8.h"
#include "clock/clock.h"
#include "event/message.h"
#include "ring/ring.h"
#include "snap/snap.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* == writers: those of the newest entries, with their state in /proc == */

enum {
	SHOWN_MAX = 8, /* in a line of text */
	TAKEN_MAX = 32 /* entries taken of a lane */
};

struct scan {
	struct tl_writers *writers;
	const struct tl_inspection *inspection;
};

static struct tl_writer *
find(struct tl_writers *writers, uint32_t pid)
{
	struct tl_writer *w;

	for (size_t i = 0; i < writers->count; i++) {
		if (writers->list[i].pid == pid)
			return &writers->list[i];
	}
	if (writers->count == TL_WRITERS_MAX)
		return NULL;
	w = &writers->list[writers->count++];
	*w = (struct tl_writer){ .pid = pid, .age_ns = UINT64_MAX };
	return w;
}

static void
take_entry(void *context, const struct timeline_entry *e)
{
	const struct scan *scan = context;
	const struct tl_inspection *g = scan->inspection;
	struct tl_writer *const w = find(scan->writers, e->pid);
	const uint64_t ticks = e->tsc < g->now_tsc ? g->now_tsc - e->tsc : 0;
	uint64_t age_ns;

	if (!w)
		return;
	age_ns = (uint64_t)tl_ticks_to_ns(ticks < INT64_MAX ? (int64_t)ticks
							    : INT64_MAX,
	    g->header.clock.mult ? g->header.clock.mult : TL_MULT_ONE);
	if (age_ns < w->age_ns)
		w->age_ns = age_ns;
}

static int
compare(const void *a, const void *b)
{
	const struct tl_writer *x = a, *y = b;

	if (x->age_ns != y->age_ns)
		return x->age_ns > y->age_ns ? 1 : -1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Find the processes that logged the newest entries of each lane.  A file that
 * is not live has no live writers. */
static void
read_writers(struct tl_writers *writers, int fd,
    const struct tl_inspection *inspection)
{
	struct scan scan = { writers, inspection };
	const bool old = tl_boot_of(&inspection->header) == TL_BOOT_OTHER;
	const bool known = old || (inspection->now_tsc != 0 &&
				      !tl_is_elsewhere(&inspection->header));

	*writers = (struct tl_writers){ 0 };
	if (inspection->header.state != TIMELINE_LIVE)
		return;
	/* Builtin messages have the process that changed a level, which need
	 * not log. */
	tl_inspection_newest(inspection, fd, TAKEN_MAX, take_entry, &scan);
	for (size_t i = 0; i < writers->count; i++) {
		struct tl_writer *w = &writers->list[i];
		char *const command = w->command;
		const size_t max = sizeof(w->command) - 1;

		w->known = w->pid != 0 && known;
		w->alive =
		    w->known && !old && tl_writer_is_alive(w->pid, w->age_ns);

		/* Set the name of a writer that /proc does not have, dead or
		 * of another PID namespace, if the header has it: that of the
		 * creator. */
		if (w->alive)
			tl_read_start(command, max, "/proc/%u/comm", w->pid);
		else if (w->pid == inspection->header.creator_pid)
			memcpy(command, inspection->header.creator_command,
			    max);
		command[strcspn(command, "\n")] = 0;
	}
	qsort(writers->list, writers->count, sizeof(writers->list[0]), compare);
}

void
tl_writers_put(struct tl_text *text, const struct tl_writers *writers)
{
	for (size_t i = 0; i < writers->count && i < SHOWN_MAX; i++) {
		const struct tl_writer *w = &writers->list[i];

		if (i > 0)
			tl_put_string(text, ", ");
		tl_put_plain(text, tl_bytes_of(w->command));
		if (w->command[0])
			tl_put_char(text, ' ');
		if (w->pid != 0)
			tl_put_unsigned(text, w->pid);
		else
			tl_put_char(text, '?');
		if (w->known && !w->alive)
			tl_put_string(text, " ended");
	}
	if (writers->count > SHOWN_MAX) {
		tl_put_string(text, ", and ");
		tl_put_unsigned(text, writers->count - SHOWN_MAX);
		tl_put_string(text, " more");
	}
	if (writers->count == 0)
		tl_put_char(text, '-');
}

static void
put_writers(struct tl_fields *f, const struct tl_writers *writers)
{
	tl_fields_array(f, "writers");
	for (size_t i = 0; i < writers->count; i++) {
		const struct tl_writer *w = &writers->list[i];

		tl_fields_object(f, NULL);
		tl_fields_unsigned(f, "pid", w->pid);
		tl_fields_string(f, "command", w->command);
		if (w->known)
			tl_fields_bool(f, "alive", w->alive);
		else
			tl_fields_null(f, "alive");
		tl_fields_unsigned(f, "age_ns", w->age_ns);
		tl_fields_object_end(f);
	}
	tl_fields_array_end(f);
}

/* == a timeline == */

int
tl_view_update(struct tl_view *view, bool whole)
{
	const uint64_t before = view->inspection.appended;
	const int64_t then_ns = view->updated_ns;
	int rc;

	if (fstat(view->fd, &view->status) != 0)
		return tl_fail(&view->fault, -errno, "%s", strerror(errno));
	tl_inspection_free(&view->inspection);
	view->seen = false;
	rc = tl_inspect_fd(&view->inspection, view->fd, whole, &view->fault);
	if (rc != 0)
		return rc;
	view->seen = true;
	view->updated_ns = tl_clock_read(CLOCK_MONOTONIC);
	view->round_ns = then_ns ? view->updated_ns - then_ns : 0;
	view->fresh = then_ns && view->inspection.appended > before
			  ? view->inspection.appended - before
			  : 0;
	if (whole)
		read_writers(&view->writers, view->fd, &view->inspection);
	return 0;
}

void
tl_view_free(struct tl_view *view)
{
	tl_inspection_free(&view->inspection);
	if (view->fd >= 0)
		close(view->fd);
	view->fd = -1;
}

double
tl_view_rate(const struct tl_view *view)
{
	if (view->round_ns <= 0)
		return 0;
	return (double)view->fresh * 1e9 / (double)view->round_ns;
}

const char *
tl_view_state(const struct tl_view *view)
{
	switch (view->inspection.header.state) {
	case TIMELINE_SAVED:
		return "saved";
	case TIMELINE_IMPORTED:
		return "imported";
	default:
		if (!view->inspection.now_tsc)
			return tl_boot_of(&view->inspection.header) ==
				       TL_BOOT_OTHER
				   ? "old"
				   : "unknown";
		return view->inspection.header.superseded ? "superseded"
							  : "live";
	}
}

const char *
tl_threshold_name(unsigned threshold)
{
	return threshold >= TIMELINE_LEVEL_NONE ? "off"
						: tl_level_name(threshold);
}

void
tl_put_threshold(struct tl_text *text, const struct tl_inspection *inspection)
{
	tl_put_string(text, tl_threshold_name(inspection->threshold));
	if (inspection->burst)
		tl_put_format(text, " for %s",
		    TL_DURATION((int64_t)inspection->burst_left_ns));
}

static void
put_optional_ns(struct tl_fields *f, const char *name, const char *null_name,
    bool known, int64_t ns)
{
	if (known)
		tl_fields_duration(f, name, ns);
	else
		tl_fields_null(f, null_name);
}

void
tl_view_json(struct tl_fields *f, const struct tl_view *view)
{
	const struct tl_inspection *g = &view->inspection;

	tl_fields_string(f, "state", tl_view_state(view));
	tl_fields_string(f, "level", tl_threshold_name(g->threshold));
	tl_fields_string(f, "base", tl_threshold_name(g->base));
	put_optional_ns(f, "burst_left", "burst_left_ns", g->burst,
	    (int64_t)g->burst_left_ns);
	tl_fields_double(f, "rate", tl_view_rate(view));
	tl_fields_unsigned(f, "entries", g->appended);
	tl_fields_unsigned(f, "lost", g->dropped);
	put_optional_ns(f, "kept", "kept_ns", g->kept_ns >= 0, g->kept_ns);
	if (g->header.pidns_inode)
		tl_fields_unsigned(f, "pid_namespace", g->header.pidns_inode);
	else
		tl_fields_null(f, "pid_namespace");
	tl_fields_bool(f, "elsewhere", tl_is_elsewhere(&g->header));
	put_writers(f, &view->writers);
}

/* == columns == */

void
tl_cell_end(struct tl_text *text, size_t start, size_t width, bool right)
{
	const size_t size = text->size - start;
	unsigned has;
	size_t fill;

	tl_utf8_fit(tl_bytes(text->data + start, size), UINT_MAX, &has);
	fill = has < width ? width - has : 0;
	if (right && fill > 0 && tl_text_reserve(text, fill)) {
		memmove(text->data + start + fill, text->data + start, size);
		memset(text->data + start, ' ', fill);
		text->size += fill;
	} else {
		tl_put_repeat(text, ' ', fill);
	}
	tl_put_char(text, ' ');
}
