/* SPDX-License-Identifier: Apache-2.0 */
/* browse.c - the keys of --browse and their actions. */
#include "dump/views.h"

#include "base/array.h"
#include "dump/browse/screen.h"
#include "dump/browse/task.h"
#include "dump/browse/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONTROL_L = 'L' & 31, PROGRESS_STEPS = 16, SHIFT = 16, WHEEL = 3 };

struct reader {
	struct tl_view view;
	struct tl_browse *browse;
	char wanted[TL_PROMPT_MAX]; /* the last search */
	bool done;
};

static const char *const help_lines[] = {
	"  j k  Down Up          next row, previous row",
	"  Space b  PgDn PgUp    next page, previous page",
	"  g G  Home End         first row, last row",
	"  l Right Enter         unfold",
	"  h Left                fold; if folded, go to the parent",
	"  u                     go to the parent",
	"  ] [                   next sibling, previous sibling",
	"  s S                   longest child; the same down to the end",
	"  < >                   scroll sideways",
	"  / n N                 search; next match; previous match",
	"  f                     show only rows with a text; f Enter: all rows",
	"  m                     merge equal calls inside the row",
	"  c                     columns: share, own, start, all, none",
	"  e                     open the source line in $VISUAL or $EDITOR",
	"  :                     go to a path, as 3/0/17",
	"  t d                   list of threads; details of the row or none",
	"  q                     quit",
	"  Mouse                 click: go there; again: unfold or fold; wheel",
	"", "  Any key stops a long search.  Without a capital letter case is",
	"  ignored."
};

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
	else if (rc == -EOVERFLOW)
		show_message(r,
		    "too many different calls: choose an inner node");
	else
		show_message(r, strerror(-rc));
}

/* == tasks == */

/* Work until the task is done or a key is pressed. */
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

static int
finish_task(struct reader *r, struct tl_task *task, int rc, const char *nothing)
{
	if (rc > 0)
		rc = run_task(r, task);
	tl_task_end(task);
	if (rc == -ECANCELED)
		show_message(r, "stopped");
	else if (rc < 0)
		show_failure(r, rc, nothing);
	return rc;
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

/* Let the user type a line of at most TL_PROMPT_MAX bytes.  The line is empty
 * if Enter was the only key.  false: the user cancelled. */
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
			return true;
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

	if (!ask(r, "/", line) || line[0] == '\0')
		return;
	memcpy(r->wanted, line, sizeof(line));
	search(r, true);
}

/* Show only the rows that contain a text, and let n search for the text.  An
 * empty text shows all rows. */
static void
ask_filter(struct reader *r)
{
	char line[TL_PROMPT_MAX];
	struct tl_task task;
	int rc;

	if (!ask(r, "filter: ", line))
		return;
	if (line[0] == '\0') {
		rc = tl_browse_set_filter(r->browse, NULL);
		if (rc < 0)
			show_failure(r, rc, "");
		return;
	}
	rc = tl_task_filter(&task, r->browse, line);
	if (finish_task(r, &task, rc, "not found: all rows are shown") < 0)
		return;
	memcpy(r->wanted, line, sizeof(line));
	if (task.truncated)
		show_message(r,
		    "too many rows have it: only the first are shown");
}

static void
ask_path(struct reader *r)
{
	char line[TL_PROMPT_MAX];
	int rc;

	if (!ask(r, ":", line) || line[0] == '\0')
		return;
	rc = tl_browse_open_path(r->browse, line);
	if (rc == -EINVAL)
		show_message(r, "not a path like 3/0/17");
	else if (rc < 0)
		show_failure(r, rc,
		    r->browse->filter.children
			? "there is no such node, or the filter hides it"
			: "there is no such node");
}

/* == other pages == */

static void
show_help(struct reader *r)
{
	int key;

	do {
		tl_view_draw_page(&r->view, " Keys", help_lines,
		    TL_COUNT(help_lines));
		key = tl_screen_key(true);
	} while (key == TL_KEY_RESIZE || key == TL_KEY_NONE);
	tl_view_resize(&r->view);
}

/* The row that a key moves to in a list of `count` rows. */
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

static void
unfold(struct reader *r)
{
	const int rc = tl_browse_unfold(r->browse);

	if (rc < 0)
		show_failure(r, rc, "");
}

static void
shift_rows(struct reader *r, int key)
{
	if (key == '>' && r->view.shift < UINT16_MAX)
		r->view.shift += SHIFT;
	else if (key == '<' && r->view.shift > 0)
		r->view.shift -= SHIFT;
}

/* == equal calls merged == */

/* Move the top of the page so that the call is visible on the page. */
static struct tl_merged_call *
move_top(struct tl_merged *merged, struct tl_merged_call *top,
    const struct tl_merged_call *at, uint64_t rows)
{
	struct tl_merged_call *call = top;

	for (uint64_t i = 0; call && i < rows; i++) {
		if (call == at)
			return top;
		call = tl_merged_next(call, false);
	}
	/* the call is above the page, folded or below: count from the first
	 * row */
	top = call = tl_merged_next(&merged->root, false);
	for (uint64_t i = 0; call != at; i++) {
		call = tl_merged_next(call, false);
		if (i + 1 >= rows)
			top = tl_merged_next(top, false);
	}
	return top;
}

/* Move by a number of rows.  Stops at the first and at the last row. */
static struct tl_merged_call *
move_call(struct tl_merged *merged, struct tl_merged_call *at, int64_t rows)
{
	struct tl_merged_call *call = tl_merged_next(&merged->root, false);
	struct tl_merged_call *behind = call;

	if (rows >= 0) {
		while (rows-- > 0 && (call = tl_merged_next(at, false)))
			at = call;
		return at;
	}
	for (; call != at; call = tl_merged_next(call, false)) {
		if (rows++ >= 0)
			behind = tl_merged_next(behind, false);
	}
	return behind;
}

static struct tl_merged_call *
take_merged_key(struct reader *r, struct tl_merged *merged,
    struct tl_merged_call *at, int key)
{
	const int64_t page = (int64_t)tl_view_page_rows();

	switch (key) {
	case 'j':
	case TL_KEY_DOWN:
		return move_call(merged, at, 1);
	case 'k':
	case TL_KEY_UP:
		return move_call(merged, at, -1);
	case TL_KEY_WHEEL_DOWN:
		return move_call(merged, at, WHEEL);
	case TL_KEY_WHEEL_UP:
		return move_call(merged, at, -WHEEL);
	case ' ':
	case TL_KEY_PAGE_DOWN:
		return move_call(merged, at, page);
	case 'b':
	case TL_KEY_PAGE_UP:
		return move_call(merged, at, -page);
	case 'g':
	case TL_KEY_HOME:
		return tl_merged_next(&merged->root, false);
	case 'G':
	case TL_KEY_END:
		return move_call(merged, at, INT64_MAX);
	case 'l':
	case TL_KEY_RIGHT:
		at->unfolded = true;
		return at;
	case 'h':
	case TL_KEY_LEFT:
		if (at->unfolded && at->inner_count > 0)
			at->unfolded = false;
		else if (at->outer->outer)
			return at->outer;
		return at;
	case '<':
	case '>':
		shift_rows(r, key);
		return at;
	default:
		return at;
	}
}

static void
show_merged(struct reader *r)
{
	struct tl_merged merged = { 0 };
	struct tl_merged_call *at, *top;
	struct tl_task task;
	int rc = tl_task_merge(&task, r->browse, &merged), key = TL_KEY_NONE;

	rc = finish_task(r, &task, rc, "there are no calls in it");
	if (rc == 0) {
		at = top = tl_merged_next(&merged.root, false);
		while (key != 'q' && key != 'm' && key != TL_KEY_ESCAPE &&
		       key != TL_KEY_GONE && key != '\r') {
			top = move_top(&merged, top, at, tl_view_page_rows());
			tl_view_draw_merged(&r->view, &merged, top, at);
			key = tl_screen_key(true);
			at = take_merged_key(r, &merged, at, key);
		}
		if (key == '\r')
			finish_task(r, &task,
			    tl_task_go(&task, r->browse, at->slowest),
			    "the filter hides it");
	}
	tl_merged_free(&merged);
	r->view.shift = 0;
	tl_view_resize(&r->view);
}

/* == the source == */

/* Run the user's editor on a line of a file.  Returns the exit status or
 * -errno. */
static int
run_editor(const char *editor, const char *file, uint32_t line)
{
	char script[TL_PROMPT_MAX + 16], number[16];
	int status;
	pid_t pid;

	if ((size_t)snprintf(script, sizeof(script), "%s \"$@\"", editor) >=
	    sizeof(script))
		return -ENAMETOOLONG;
	snprintf(number, sizeof(number), "+%u", line);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", script, editor, number, file,
		    (char *)NULL);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

static const char *
editor_of_user(void)
{
	const char *editor = getenv("VISUAL");

	if (!editor || editor[0] == '\0')
		editor = getenv("EDITOR");
	return editor && editor[0] != '\0' ? editor : "vi";
}

/* Open the source file at the definition of the row's message.  The name of the
 * file comes from the input, which is untrusted: only a regular file is opened,
 * and the name never becomes an option. */
static void
edit_source(struct reader *r)
{
	const struct tl_message *message;
	struct tl_text file = { 0 };
	struct tl_row row;
	struct stat st;
	int rc;

	if (r->browse->forest->thread_count == 0 ||
	    tl_browse_row(r->browse, r->browse->cursor, &row) < 0 ||
	    row.thread || !row.node || !row.node->event.message ||
	    row.node->event.message->file.size == 0) {
		show_message(r, "the source line of this row is not known");
		return;
	}
	message = row.node->event.message;
	if (message->file.data[0] != '/')
		tl_put_string(&file, "./");
	tl_put_bytes(&file, message->file);
	if (stat(tl_text_string(&file), &st) < 0 || !S_ISREG(st.st_mode)) {
		tl_text_clear(&file);
		tl_put_string(&file, "no such file from here: ");
		tl_put_plain(&file, message->file);
		show_message(r, tl_text_string(&file));
		tl_text_free(&file);
		return;
	}
	tl_screen_suspend();
	rc = run_editor(editor_of_user(), tl_text_string(&file), message->line);
	tl_screen_resume();
	tl_view_resize(&r->view);
	if (rc != 0)
		show_message(r, "the editor failed: set VISUAL or EDITOR");
	tl_text_free(&file);
}

/* == keys == */

/* Move the cursor to the row that was clicked.  A click on the row of the
 * cursor folds or unfolds the row. */
static void
click(struct reader *r)
{
	const unsigned line = tl_screen_clicked();
	const struct tl_place before = r->browse->cursor;
	struct tl_place place = r->browse->top;

	if (line == 0 || line > r->browse->height)
		return;
	for (unsigned i = 1; i < line; i++) {
		if (!tl_browse_next(&place))
			return;
	}
	tl_browse_go(r->browse, place);
	if (tl_browse_same(place, before) && !tl_browse_fold(r->browse))
		unfold(r);
}

/* Perform a key that moves the cursor.  false: the key does not. */
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
	case TL_KEY_WHEEL_DOWN:
		tl_browse_move(r->browse, WHEEL);
		return true;
	case TL_KEY_WHEEL_UP:
		tl_browse_move(r->browse, -WHEEL);
		return true;
	case TL_KEY_CLICK:
		click(r);
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
next_columns(struct reader *r)
{
	static const char *const names[TL_COLUMNS_COUNT] = {
		[TL_COLUMNS_FIT] = "what fits",
		[TL_COLUMNS_SHARE] = "share of the parent",
		[TL_COLUMNS_SELF] = "own time",
		[TL_COLUMNS_START] = "time since the start",
		[TL_COLUMNS_ALL] = "share, own time, time since the start",
		[TL_COLUMNS_NONE] = "none",
	};

	r->view.columns = (r->view.columns + 1) % TL_COLUMNS_COUNT;
	snprintf(r->view.message, sizeof(r->view.message), "columns: %s",
	    names[r->view.columns]);
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
	case 'f':
		ask_filter(r);
		break;
	case 'm':
		show_merged(r);
		break;
	case 'e':
		edit_source(r);
		break;
	case 'c':
		next_columns(r);
		break;
	case '<':
	case '>':
		shift_rows(r, key);
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
		return tl_fail(fault, rc, "%s: %s", path,
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
