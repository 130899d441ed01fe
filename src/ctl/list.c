/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.c - every timeline in /dev/shm, or those that are named.
 *
 * A file of any owner is listed if it has the magic of a timeline.  A file that
 * cannot be opened is listed with the reason if its size could be that of a
 * timeline.
 */
#include "base/array.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "ctl/ctl.h"
#include "ctl/view.h"
#include "kernel/kernel.h"
#include "ring/ring.h"
#include "snap/shm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SHM "/dev/shm"

enum {
	LIST_MAX = 1024,   /* timelines */
	FILES_MAX = 65536, /* of the directory */
	BETWEEN_MS = 200,  /* between the two inspections */
	WRITERS_MAX = 40   /* columns of writers for which others give way */
};

/* The columns before the writers; a file that is not read has the first two. */
enum { NAME, USED, LEVEL, RATE, ENTRIES, LOST, HISTORY, COLUMNS };
static const struct {
	const char *title;
	unsigned width;
	bool right;
} columns[COLUMNS] = { { "NAME", 20, false }, { "USED", 6, true },
	{ "LEVEL", 16, false }, { "ENTRIES/S", 10, true },
	{ "ENTRIES", 12, true }, { "LOST", 7, true }, { "HISTORY", 9, true } };

struct item {
	char name[TL_PATH_MAX]; /* with its slash */
	struct tl_view view;
};

struct list {
	struct item *items[LIST_MAX];
	size_t count;
	bool named; /* by the user */
	bool too_many;
};

/* Add the file of a name, unless the file is no timeline.  One that cannot be
 * opened has the reason. */
static int
add(struct list *list, int directory, const char *file, const char *name)
{
	struct tl_view view = { .fd = -1 };
	struct item *item;
	int rc = 0;

	if (fstatat(directory, file, &view.status, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISREG(view.status.st_mode))
		return 0;
	view.fd = openat(directory, file,
	    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (view.fd < 0) {
		if (errno == ENOENT || !tl_may_be_timeline(&view.status))
			return 0;
		tl_fail(&view.fault, -errno, "%s", strerror(errno));
	} else if (!tl_is_timeline(view.fd)) {
		goto leave;
	}
	if (list->count == LIST_MAX) {
		list->too_many = true;
		goto leave;
	}
	item = calloc(1, sizeof(*item));
	if (!item) {
		rc = -ENOMEM;
		goto leave;
	}
	snprintf(item->name, sizeof(item->name), "%s%s",
	    strchr(name, '/') ? "" : "/", name);
	item->view = view;
	list->items[list->count++] = item;
	return 0;
leave:
	tl_view_free(&view);
	return rc;
}

static int
compare(const void *a, const void *b)
{
	const struct item *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* Add the timelines that the user names. */
static int
gather_named(struct tl_call *call, struct list *list)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < call->operand_count; i++) {
		struct tl_name name;
		int fd;

		if ((rc = tl_call_name(call, i, &name)) != 0 ||
		    (rc = add(list, AT_FDCWD, name.path, name.shown)) != 0 ||
		    list->count > i)
			continue;
		fd = tl_call_open(call, &name);
		if (fd < 0)
			return fd;
		close(fd);
		rc = tl_call_fail(call, name.shown, -EINVAL, "not a timeline");
	}
	return rc;
}

/* Add all timelines. */
static int
gather_all(struct tl_call *call, struct list *list)
{
	DIR *directory = opendir(SHM);
	const struct dirent *entry;
	int rc = 0;

	if (!directory)
		return tl_call_fail(call, SHM, -errno, "%s", strerror(errno));
	for (int i = 0; rc == 0 && i < FILES_MAX; i++) {
		entry = readdir(directory);
		if (!entry)
			break;
		rc = add(list, dirfd(directory), entry->d_name, entry->d_name);
	}
	closedir(directory);
	return rc;
}

static void
put_cell(struct tl_text *text, const struct item *item, unsigned column,
    unsigned width)
{
	const struct tl_view *view = &item->view;
	const struct tl_inspection *g = &view->inspection;
	const size_t start = text->size;

	switch (column) {
	case NAME:
		tl_put_plain(text, tl_bytes_of(item->name));
		break;
	case USED:
		tl_put_size(text, tl_file_used(&view->status));
		break;
	case LEVEL:
		if (g->now_tsc && !g->header.superseded)
			tl_put_threshold(text, g);
		else
			tl_put_string(text, tl_view_state(view));
		break;
	case RATE:
		tl_cell_rate(text, tl_view_rate(view), width);
		return;
	case ENTRIES:
		tl_put_unsigned(text, g->appended);
		break;
	case LOST:
		tl_put_unsigned(text, g->dropped);
		break;
	case HISTORY:
		tl_put_string(text,
		    g->kept_ns >= 0 ? TL_DURATION(g->kept_ns) : "-");
		break;
	}
	tl_cell_end(text, start, width, columns[column].right);
}

static void
put_row(struct tl_text *text, const struct item *item,
    const unsigned widths[COLUMNS])
{
	const struct tl_view *view = &item->view;

	for (unsigned i = 0; i < (view->seen ? COLUMNS : LEVEL); i++)
		if (widths[i] > 0)
			put_cell(text, item, i, widths[i]);
	if (view->seen) {
		tl_writers_put(text, &view->writers);
	} else {
		/* a file of a later version of the format is whole */
		const bool damaged = view->fd >= 0 && view->fault.rc != -EPROTO;

		tl_put_string(text, damaged ? "damaged: " : "unreadable: ");
		tl_put_plain(text, tl_bytes_of(view->fault.text));
	}
	tl_put_char(text, '\n');
}

static unsigned
greater(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* The most columns that cells of a list need, that of the writers last. */
static void
measure(const struct list *list, unsigned needs[COLUMNS + 1])
{
	struct tl_text cell = { 0 };

	for (unsigned i = 0; i < COLUMNS; i++)
		needs[i] = (unsigned)strlen(columns[i].title);
	needs[COLUMNS] = 0;
	for (size_t k = 0; k < list->count; k++) {
		const struct tl_view *view = &list->items[k]->view;

		for (unsigned i = 0; i < (view->seen ? COLUMNS + 1 : LEVEL);
		     i++) {
			tl_text_clear(&cell);
			if (i < COLUMNS)
				put_cell(&cell, list->items[k], i, 0);
			else
				tl_writers_put(&cell, &view->writers);
			needs[i] = greater(needs[i],
			    (unsigned)tl_text_width(
				tl_bytes(cell.data, cell.size)) -
				(i < COLUMNS));
		}
	}
	tl_text_free(&cell);
}

/* The width of the terminal; UINT_MAX: no limit. */
static unsigned
line_width(void)
{
	const char *given = getenv("COLUMNS");
	unsigned width = UINT_MAX;
	uint64_t number;

	if (isatty(STDOUT_FILENO) == 1)
		tl_terminal_size(STDOUT_FILENO, &width, NULL);
	else if (given && tl_parse_unsigned(given, &number) == 0 &&
		 number > 0 && number < UINT_MAX)
		width = (unsigned)number;
	return width;
}

/* Set the width of each column.  If lines do not fit the terminal, columns are
 * narrow, and the least important have the width 0 and are not shown. */
static void
choose_columns(const struct list *list, unsigned widths[COLUMNS])
{
	static const uint8_t order[] = { ENTRIES, HISTORY, USED, RATE, LOST };
	const unsigned most = line_width();
	unsigned needs[COLUMNS + 1], sum, narrow;

	measure(list, needs);
	sum = narrow =
	    needs[COLUMNS] < WRITERS_MAX ? needs[COLUMNS] : WRITERS_MAX;
	for (unsigned i = 0; i < COLUMNS; i++) {
		widths[i] = columns[i].width;
		sum += greater(widths[i], needs[i]) + 1;
		narrow += needs[i] + 1;
	}
	if (sum <= most)
		return;
	memcpy(widths, needs, COLUMNS * sizeof(*widths));
	for (size_t i = 0; i < TL_COUNT(order) && narrow > most; i++) {
		narrow -= needs[order[i]] + 1;
		widths[order[i]] = 0;
	}
}

struct instances {
	struct tl_fields *fields;
	const struct list *list;
};

/* Append an instance of tracefs that timelinectl kernel made, in a listing by
 * root, unless the user names other timelines. */
static void
put_instance(void *context, const char *name, bool held)
{
	const struct instances *of = context;
	const char *timeline = name + strlen(TL_INSTANCE_PREFIX);
	struct tl_fields *f = of->fields;
	bool listed = !of->list->named;

	for (size_t i = 0; i < of->list->count && !listed; i++)
		listed = strcmp(of->list->items[i]->name + 1, timeline) == 0;
	if (!listed)
		return;
	if (f->json) {
		tl_fields_object(f, NULL);
		tl_fields_string(f, "name", name);
		tl_fields_bool(f, "in_use", held);
		tl_fields_object_end(f);
		return;
	}
	tl_put_string(f->text, "kernel events: instance ");
	tl_put_plain(f->text, tl_bytes_of(name));
	tl_put_string(f->text, held
				   ? ", in use\n"
				   : ", left by a process that was killed; the "
				     "next timelinectl kernel removes it\n");
}

static void
put_instances(struct tl_fields *f, const struct list *list)
{
	struct instances of = { .fields = f, .list = list };
	struct tl_fault fault = { 0 };
	const int fd = geteuid() == 0 ? tl_instances_open(&fault) : -1;

	if (fd < 0)
		return;
	tl_instances_list(fd, put_instance, &of);
	close(fd);
}

static void
put_text(struct tl_text *text, const struct list *list)
{
	struct tl_fields instances = { .text = text };
	unsigned widths[COLUMNS];

	choose_columns(list, widths);
	if (list->count == 0)
		tl_put_string(text, "no timelines in " SHM "\n");
	else {
		for (unsigned i = 0; i < COLUMNS; i++) {
			const size_t start = text->size;

			if (widths[i] == 0)
				continue;
			tl_put_string(text, columns[i].title);
			tl_cell_end(text, start, widths[i], columns[i].right);
		}
		tl_put_string(text, "WRITERS\n");
	}
	for (size_t i = 0; i < list->count; i++)
		put_row(text, list->items[i], widths);
	if (list->too_many)
		tl_put_string(text, "... and more\n");

	/* Lanes of CPUs hold less than was asked for. */
	for (size_t i = 0; i < list->count; i++) {
		const struct item *item = list->items[i];
		const struct timeline_header *h = &item->view.inspection.header;

		if (item->view.seen && tl_layout_is_small(h)) {
			tl_put_plain(text, tl_bytes_of(item->name));
			tl_put_format(text,
			    ": the lane of each CPU holds %lu entries, %lu "
			    "were asked for: remove the timeline and start its "
			    "programs again\n",
			    h->tier_entries[0], h->entries_asked);
		}
	}

	/* Why nothing is shown of the state of the writers. */
	for (size_t i = 0; i < list->count; i++) {
		const struct item *item = list->items[i];
		const struct timeline_header *h = &item->view.inspection.header;

		if (item->view.seen && h->state == TIMELINE_LIVE &&
		    tl_is_elsewhere(h)) {
			tl_put_plain(text, tl_bytes_of(item->name));
			tl_put_string(text,
			    ": its writers are processes of another PID "
			    "namespace, which may be alive or not\n");
		}
	}
	put_instances(&instances, list);
}

static void
put_json(struct tl_call *call, const struct list *list)
{
	struct tl_fields f = tl_call_json(call);

	tl_fields_object(&f, NULL);
	tl_fields_array(&f, "timelines");
	for (size_t i = 0; i < list->count; i++) {
		const struct item *item = list->items[i];

		tl_fields_object(&f, NULL);
		tl_fields_string(&f, "name", item->name);
		tl_fields_unsigned(&f, "size",
		    (uint64_t)item->view.status.st_size);
		tl_fields_unsigned(&f, "used",
		    tl_file_used(&item->view.status));
		tl_fields_unsigned(&f, "owner", item->view.status.st_uid);
		if (item->view.seen) {
			tl_view_json(&f, &item->view);
			tl_fields_bool(&f, "small_lanes",
			    tl_layout_is_small(&item->view.inspection.header));
			tl_fields_null(&f, "fault");
		} else {
			tl_fields_string(&f, "fault", item->view.fault.text);
		}
		tl_fields_object_end(&f);
	}
	tl_fields_array_end(&f);
	if (geteuid() == 0) {
		tl_fields_array(&f, "kernel_instances");
		put_instances(&f, list);
		tl_fields_array_end(&f);
	}
	tl_fields_bool(&f, "complete", !list->too_many);
	tl_fields_object_end(&f);
}

int
tl_verb_list(struct tl_call *call)
{
	struct list *list = calloc(1, sizeof(*list));
	int rc = -ENOMEM;

	if (!list)
		return rc;
	list->named = call->operand_count > 0;
	rc = (list->named ? gather_named : gather_all)(call, list);
	qsort(list->items, list->count, sizeof(list->items[0]), compare);
	if (rc == 0) {
		/* Inspect each timeline twice, for the rate.  A timeline that
		 * cannot be inspected keeps the fault. */
		const struct timespec between = { .tv_nsec =
						      BETWEEN_MS * 1000000L };

		for (int whole = 0; whole < 2; whole++) {
			for (size_t i = 0; i < list->count; i++) {
				struct tl_view *view = &list->items[i]->view;

				if (view->fd >= 0 && view->fault.rc == 0)
					(void)tl_view_update(view, whole);
			}
			if (!whole && list->count > 0)
				nanosleep(&between, NULL);
		}

		if (tl_call_has(call, TL_CTL_JSON))
			put_json(call, list);
		else
			put_text(&call->out, list);
	}
	for (size_t i = 0; i < list->count; i++) {
		tl_view_free(&list->items[i]->view);
		free(list->items[i]);
	}
	free(list);
	return rc;
}
