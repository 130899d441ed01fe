/* SPDX-License-Identifier: Apache-2.0 */
/* browse.c - keys, and what they do. */
#include "dump/views.h"

#include "dump/browse/screen.h"
#include "dump/browse/task.h"
#include "dump/browse/view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { CONTROL_L = 'L' & 31, PROGRESS_STEPS = 16 };

struct reader {
	struct tl_view view;
	struct tl_browse *browse;
	char wanted[TL_PROMPT_MAX]; /* what was searched for last */
	bool done;
};

static const char *const help_lines[] = { "",
	"  j k  Down Up          next row, row before",
	"  Space b  PgDn PgUp    next page, page before",
	"  g G  Home End         first row, last row",
	"  l Right Enter         unfold",
	"  h Left                fold; what is folded: to its parent",
	"  u                     to the parent",
	"  ] [                   next child of the same parent, the one before",
	"  s                     to the child that took longest",
	"  S                     ... and on to its slowest, down to the end",
	"  / n N                 search; next; the one before",
	"  :                     go to a path, as 3/0/17",
	"  t                     list of threads",
	"  d                     details of the row, or none",
	"  q                     quit", "",
	"  Any key stops a search that takes long.  Words without a capital",
	"  letter are found in any case." };

static void
show_message(struct reader *r, const char *message)
{
	snprintf(r->view.message, sizeof(r->view.message), "%s", message);
}

static void
show_failure(struct reader *r, int rc, const char *nothing)
{
	if (rc == -ENOENT)
		show_message(r, nothing);
	else if (rc == -ENOSPC)
		show_message(r, "too many nodes are unfolded: fold some first");
	else
		show_message(r, strerror(-rc));
}

/* == what takes long == */

/* Do all of it, or until a key is pressed. */
static int
run_task(struct reader *r, struct tl_task *task)
{
	char line[TL_PROMPT_MAX];
	int rc = 1;

	for (unsigned i = 1; rc > 0; i++) {
		const int key = tl_screen_key(false);

		if (key != TL_KEY_NONE && key != TL_KEY_RESIZE)
			return -ECANCELED;
		if (i % PROGRESS_STEPS == 0) {
			snprintf(line, sizeof(line),
			    "%llu looked at, any key stops it",
			    (unsigned long long)task->seen);
			tl_view_draw_prompt(&r->view, line, NULL);
			tl_screen_show();
		}
		rc = tl_task_step(task);
	}
	return rc;
}

static void
finish_task(struct reader *r, struct tl_task *task, int rc, const char *nothing)
{
	if (rc > 0)
		rc = run_task(r, task);
	tl_task_end(task);
	if (rc == -ECANCELED)
		show_message(r, "stopped");
	else if (rc < 0)
		show_failure(r, rc, nothing);
}

static void
search(struct reader *r, bool forward)
{
	struct tl_task task;
	int rc;

	if (r->wanted[0] == '\0') {
		show_message(r, "no search yet");
		return;
	}
	rc = tl_task_search(&task, r->browse, r->wanted, forward);
	finish_task(r, &task, rc, "not found");
}

static void
go_slowest(struct reader *r, bool deep)
{
	struct tl_task task;
	const int rc = tl_task_slowest(&task, r->browse, deep);

	finish_task(r, &task, rc, "there are no spans in it");
}

/* == a line of text == */

static size_t
last_character(const char *text, size_t size)
{
	do
		size--;
	while (size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80);
	return size;
}

/* Type a line, which holds TL_PROMPT_MAX bytes: false, it was given up. */
static bool
ask(struct reader *r, const char *lead, char *line)
{
	size_t size = 0;

	line[0] = '\0';
	for (;;) {
		int key;

		tl_view_draw_prompt(&r->view, lead, line);
		tl_screen_show();
		key = tl_screen_key(true);
		if (key == '\r')
			return size > 0;
		if (key == TL_KEY_ESCAPE || key == TL_KEY_GONE ||
		    (key == TL_KEY_BACKSPACE && size == 0))
			return false;
		if (key == TL_KEY_BACKSPACE)
			size = last_character(line, size);
		else if (key >= ' ' && key < 256 && size + 1 < TL_PROMPT_MAX)
			line[size++] = (char)key;
		line[size] = '\0';
		if (key == TL_KEY_RESIZE) {
			tl_view_resize(&r->view);
			tl_view_draw(&r->view);
		}
	}
}

static void
ask_search(struct reader *r)
{
	char line[TL_PROMPT_MAX];

	if (!ask(r, "/", line))
		return;
	memcpy(r->wanted, line, sizeof(line));
	search(r, true);
}

static void
ask_path(struct reader *r)
{
	char line[TL_PROMPT_MAX];
	int rc;

	if (!ask(r, ":", line))
		return;
	rc = tl_browse_open_path(r->browse, line);
	if (rc == -EINVAL)
		show_message(r, "not a path like 3/0/17");
	else if (rc < 0)
		show_failure(r, rc, "there is no such node");
}

/* == other pages == */

static void
show_help(struct reader *r)
{
	int key;

	do {
		tl_view_draw_page(&r->view, " Keys", help_lines,
		    sizeof(help_lines) / sizeof(help_lines[0]));
		key = tl_screen_key(true);
	} while (key == TL_KEY_RESIZE || key == TL_KEY_NONE);
	tl_view_resize(&r->view);
}

/* The number that a key of a list leads to. */
static uint64_t
move_in_list(int key, uint64_t at, uint64_t count)
{
	const uint64_t page = tl_view_page_rows();

	switch (key) {
	case 'j':
	case TL_KEY_DOWN:
		return at + 1 < count ? at + 1 : at;
	case 'k':
	case TL_KEY_UP:
		return at > 0 ? at - 1 : at;
	case ' ':
	case TL_KEY_PAGE_DOWN:
		return count - at > page ? at + page : count - 1;
	case 'b':
	case TL_KEY_PAGE_UP:
		return at > page ? at - page : 0;
	case 'g':
	case TL_KEY_HOME:
		return 0;
	case 'G':
	case TL_KEY_END:
		return count - 1;
	default:
		return at;
	}
}

static void
show_threads(struct reader *r)
{
	const uint64_t count = r->browse->forest->thread_count;
	const struct tl_place cursor = r->browse->cursor;
	struct tl_place place = { &r->browse->all,
		cursor.fold->parent ? cursor.fold->thread : cursor.index };
	uint64_t top = 0;
	int key;

	if (count == 0)
		return;
	for (;;) {
		const uint64_t rows = tl_view_page_rows();

		if (place.index < top)
			top = place.index;
		else if (place.index - top >= rows)
			top = place.index - rows + 1;
		tl_view_draw_threads(&r->view, top, place.index);
		key = tl_screen_key(true);
		if (key == '\r')
			tl_browse_go(r->browse, place);
		if (key == '\r' || key == 'q' || key == 't' ||
		    key == TL_KEY_ESCAPE || key == TL_KEY_GONE)
			break;
		place.index = move_in_list(key, place.index, count);
	}
	tl_view_resize(&r->view);
}

/* == keys == */

static void
unfold(struct reader *r)
{
	const int rc = tl_browse_unfold(r->browse);

	if (rc < 0)
		show_failure(r, rc, "");
}

/* Keys that move the cursor; false: another one. */
static bool
take_move(struct reader *r, int key)
{
	const int64_t page = (int64_t)r->browse->height;

	switch (key) {
	case 'j':
	case TL_KEY_DOWN:
		tl_browse_move(r->browse, 1);
		return true;
	case 'k':
	case TL_KEY_UP:
		tl_browse_move(r->browse, -1);
		return true;
	case ' ':
	case TL_KEY_PAGE_DOWN:
		tl_browse_move(r->browse, page);
		return true;
	case 'b':
	case TL_KEY_PAGE_UP:
		tl_browse_move(r->browse, -page);
		return true;
	case 'g':
	case TL_KEY_HOME:
		tl_browse_home(r->browse);
		return true;
	case 'G':
	case TL_KEY_END:
		tl_browse_end(r->browse);
		return true;
	case 'u':
		if (!tl_browse_up(r->browse))
			show_message(r, "this is a thread");
		return true;
	case ']':
	case '[':
		if (!tl_browse_sibling(r->browse, key == ']' ? 1 : -1))
			show_message(r, key == ']' ? "this is the last child"
						   : "this is the first child");
		return true;
	default:
		return false;
	}
}

static void
take_other(struct reader *r, int key)
{
	switch (key) {
	case 'l':
	case '\r':
	case TL_KEY_RIGHT:
		unfold(r);
		break;
	case 'h':
	case TL_KEY_LEFT:
		if (!tl_browse_fold(r->browse))
			tl_browse_up(r->browse);
		break;
	case 's':
	case 'S':
		go_slowest(r, key == 'S');
		break;
	case '/':
		ask_search(r);
		break;
	case 'n':
	case 'N':
		search(r, key == 'n');
		break;
	case ':':
		ask_path(r);
		break;
	case 't':
		show_threads(r);
		break;
	case 'd':
		r->view.details = !r->view.details;
		tl_view_resize(&r->view);
		break;
	case '?':
		show_help(r);
		break;
	case CONTROL_L:
	case TL_KEY_RESIZE:
		tl_view_resize(&r->view);
		break;
	case 'q':
	case TL_KEY_GONE:
		r->done = true;
		break;
	default:
		break;
	}
}

static void
read_keys(struct reader *r)
{
	tl_view_resize(&r->view);
	while (!r->done) {
		int key;

		tl_view_draw(&r->view);
		key = tl_screen_key(true);
		if (key != TL_KEY_NONE && key != TL_KEY_RESIZE)
			r->view.message[0] = '\0';
		if (!take_move(r, key))
			take_other(r, key);
	}
}

static int
start_at(struct tl_browse *browse, const char *path, struct tl_fault *fault)
{
	const int rc = path ? tl_browse_open_path(browse, path) : 0;

	if (rc < 0)
		return tl_fault(fault, rc, TL_FAULT_NOWHERE, "%s: %s", path,
		    rc == -ENOENT ? "there is no such node" : strerror(-rc));
	return 0;
}

int
tl_browse_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, const struct tl_output *output,
    struct tl_fault *fault)
{
	struct tl_browse browse;
	struct reader r = { .browse = &browse,
		.view = { .browse = &browse, .details = true } };
	struct tl_forest forest;
	int rc = tl_forest_open(&forest, inputs, select);

	if (rc < 0)
		return rc;
	tl_progress_end(&select->progress);
	rc = tl_browse_init(&browse, &forest);
	if (rc == 0)
		rc = start_at(&browse, options->path, fault);
	if (rc == 0)
		rc = tl_screen_open(output->color, fault);
	if (rc == 0) {
		read_keys(&r);
		tl_screen_close();
	}
	tl_text_free(&r.view.text);
	tl_browse_free(&browse);
	tl_forest_close(&forest);
	return rc;
}
