/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.c - a row as text, and rows, details and prompts on the screen.
 */
#include "dump/browse/view.h"

#include "base/utf8.h"
#include "dump/browse/screen.h"
#include "dump/tree/line.h"
#include "event/render.h"

#include <string.h>

/* == text of a row == */

static const char lost_text[] = "<lost in a damaged part>";

void
tl_browse_put_time(struct tl_text *text, const struct tl_row *row)
{
	if (row->thread || !row->node)
		return;
	if (row->node->ended == TL_NODE_ENDED)
		tl_tree_put_duration(text, row->node);
	else if (tl_tree_is_proven_end(row->node))
		tl_put_duration(text, row->node->event.duration_ns);
	else if (tl_tree_is_span(row->node))
		tl_put_string(text, row->node->ended == TL_NODE_UNFINISHED
					? "unfinished"
					: "outside");
}

void
tl_browse_put_row(struct tl_text *text, const struct tl_row *row)
{
	const bool inside = row->node && row->node->child_count > 0;

	tl_put_string(text, row->unfolded ? "- " : inside ? "+ " : "  ");
	if (row->thread)
		tl_tree_put_thread(text, row->thread_number, row->thread);
	else if (row->node)
		tl_tree_put_message(text, row->node);
	else
		tl_put_string(text, lost_text);
}

static void
put_field(struct tl_text *text, const char *name, struct tl_bytes value)
{
	if (value.size == 0)
		return;
	tl_put_string(text, name);
	tl_put_string(text, ": ");
	tl_put_plain(text, value);
	tl_put_char(text, '\n');
}

static void
put_number(struct tl_text *text, const char *name, uint64_t value)
{
	tl_put_string(text, name);
	tl_put_string(text, ": ");
	tl_put_unsigned(text, value);
	tl_put_char(text, '\n');
}

static void
put_when(struct tl_text *text, const char *name, int64_t ns)
{
	tl_put_string(text, name);
	tl_put_string(text, ": ");
	tl_put_time(text, ns);
}

static void
put_thread(struct tl_text *text, const struct tl_browse *browse,
    const struct tl_row *row)
{
	const struct tl_trace_thread *thread = row->thread;

	put_field(text, "file",
	    tl_bytes_of(
		tl_forest_source(browse->forest, row->thread_number)->name));
	put_field(text, "name", thread->name);
	put_number(text, "process", thread->pid);
	put_number(text, "thread", thread->tid);
	put_number(text, "events", thread->events);
	put_number(text, "children", row->node->child_count);
	if (thread->events == 0)
		return;
	put_when(text, "from", thread->min_ns);
	tl_put_char(text, '\n');
	put_when(text, "until", thread->max_ns);
	tl_put_char(text, '\n');
}

static void
put_times(struct tl_text *text, const struct tl_node *node)
{
	tl_put_string(text, "time: ");
	tl_render_time(text, &node->event);
	if (node->event.error_ns != UINT32_MAX && node->event.error_ns != 0) {
		tl_put_string(text, " +-");
		tl_put_duration(text, node->event.error_ns);
	}
	tl_put_char(text, '\n');
	if (tl_tree_is_proven_end(node)) {
		tl_put_string(text, "begin: not here, took ");
		tl_put_duration(text, node->event.duration_ns);
		tl_put_char(text, '\n');
	}
	if (!tl_tree_is_span(node))
		return;
	if (node->ended != TL_NODE_ENDED) {
		tl_put_string(text,
		    node->ended == TL_NODE_CROSSED
			? "end: outside, a span around it ended first\n"
			: "end: none, it is unfinished\n");
		return;
	}
	tl_put_string(text, "end: ");
	tl_render_time(text, &node->end);
	tl_put_string(text, ", took ");
	tl_tree_put_duration(text, node);
	tl_put_char(text, '\n');
}

static void
put_args(struct tl_text *text, const char *name, const struct tl_event *event)
{
	for (unsigned i = 0; i < event->message->argc && !event->bare; i++) {
		tl_put_string(text, name);
		tl_put_char(text, ' ');
		tl_put_plain(text, event->message->args[i].name);
		tl_put_string(text, " = ");
		tl_render_arg(text, event, i);
		tl_put_char(text, '\n');
	}
}

static void
put_origin(struct tl_text *text, const struct tl_browse *browse,
    const struct tl_row *row)
{
	const struct tl_trace_thread *thread =
	    tl_forest_thread(browse->forest, row->thread_number);
	const struct tl_event *event = &row->node->event;
	const bool known = event->pid != 0 || event->tid != 0;

	tl_put_string(text, "logged: ");
	tl_put_string(text, tl_level_name(event->level));
	tl_put_string(text, ", process ");
	tl_put_unsigned(text, known ? event->pid : thread->pid);
	tl_put_string(text, ", thread ");
	tl_put_unsigned(text, known ? event->tid : thread->tid);
	if (event->cpu != TL_CPU_UNKNOWN) {
		tl_put_string(text, ", cpu ");
		tl_put_unsigned(text, event->cpu);
	}
	tl_put_char(text, '\n');
}

static void
put_message(struct tl_text *text, const struct tl_browse *browse,
    const struct tl_row *row)
{
	const struct tl_node *node = row->node;
	const struct tl_message *message = node->event.message;

	put_field(text, "category", message->category);
	put_args(text, "argument", &node->event);
	if (tl_tree_has_result(node))
		put_args(text, "result", &node->end);
	if (message->explain.size > 0) {
		tl_put_lines(text, message->explain);
		tl_put_char(text, '\n');
	}
	if (message->file.size > 0) {
		tl_put_string(text, "logged");
		tl_tree_put_location(text, node);
		tl_put_char(text, '\n');
	}
	put_origin(text, browse, row);
}

/* == the screen == */

enum {
	ROWS_FOR_DETAILS = 14, /* a screen with fewer rows shows no details */
	DETAILS_MAX = 12,
	TIME_WIDTH = 10,
	SHARE_WIDTH = 6,
	COUNT_WIDTH = 9,
	GAP = 2,
	/* a terminal with this many columns shows all columns of the table */
	WIDE = 110,
	LEVEL_OF_LOSSES = 7
};

static const char hint[] =
    "? help  q quit  / search  f filter  l h unfold fold  "
    "s slowest  m merge  e edit";

/* The number of lines of the details pane and of the separator above. */
static unsigned
detail_rows(const struct tl_view *view)
{
	const unsigned rows = tl_screen_rows();

	if (!view->details || rows < ROWS_FOR_DETAILS)
		return 0;
	return rows / 3 < DETAILS_MAX ? rows / 3 : DETAILS_MAX;
}

static struct tl_bytes
taken(const struct tl_text *text)
{
	return tl_bytes(text->data, text->size);
}

static void
put_line(unsigned row, struct tl_bytes text, enum tl_look look)
{
	tl_screen_put(row, 0, tl_screen_columns(), text, look, 0);
}

void
tl_view_resize(struct tl_view *view)
{
	const unsigned rest = 2 + detail_rows(view);
	const unsigned rows = tl_screen_rows();

	tl_browse_resize(view->browse, rows > rest ? rows - rest : 1);
}

static void
draw_title(struct tl_view *view, const struct tl_row *row)
{
	const struct tl_forest *forest = view->browse->forest;
	struct tl_text *text = &view->text;

	tl_text_clear(text);
	tl_put_char(text, ' ');
	tl_browse_put_path(text, row->place);
	if (view->browse->filter.children)
		tl_put_string(text, " (filtered)");
	tl_put_string(text, "  ");
	tl_put_unsigned(text, row->place.index + 1);
	tl_put_string(text, " of ");
	tl_put_unsigned(text, row->place.fold->branch.child_count);
	tl_put_string(text, "  ");
	tl_tree_put_thread(text, row->thread_number,
	    tl_forest_thread(forest, row->thread_number));
	tl_put_string(text, "  ");
	tl_put_plain(text,
	    tl_bytes_of(tl_forest_source(forest, row->thread_number)->name));
	put_line(0, taken(text), TL_LOOK_BAR);
}

/* Indent a row by its depth, at most by half of the screen.  A deeper row shows
 * its depth as a number. */
static void
put_indent(struct tl_text *text, uint64_t depth)
{
	const unsigned columns = tl_screen_columns();
	const uint64_t deepest =
	    columns > TIME_WIDTH ? (columns - TIME_WIDTH) / 4 : 0;

	if (depth <= deepest) {
		tl_put_repeat(text, ' ', TL_TREE_INDENT * depth);
		return;
	}
	tl_put_repeat(text, ' ', TL_TREE_INDENT * deepest);
	tl_put_char(text, '|');
	tl_put_unsigned(text, depth);
	tl_put_char(text, ' ');
}

/* == columns == */

int64_t
tl_view_self(struct tl_view *view, const struct tl_row *row)
{
	const struct tl_node *node = row->node;
	struct tl_self *known;
	struct tl_tree_branch branch;
	uint64_t i;
	int64_t ns;

	if (!node || row->thread || tl_tree_is_counted(node))
		return -1;
	ns = tl_browse_duration(view->browse, row->thread_number, node);
	if (ns < 0 || node->child_count == 0)
		return ns;
	if (node->child_count > TL_SELF_MAX)
		return -1;
	known = &view->self[(node->content * 31 + row->thread_number) %
			    TL_SELF_CACHE];
	if (known->content == node->content &&
	    known->thread == row->thread_number)
		return known->ns;
	tl_tree_branch_init(&branch,
	    tl_forest_source(view->browse->forest, row->thread_number)->trees,
	    node);
	for (i = 0; i < branch.child_count; i++) {
		const struct tl_node *child;
		int64_t inside;

		if (tl_tree_branch_child(&view->browse->pool, &branch, i,
			&child) < 0)
			break;
		inside = child ? tl_browse_duration(view->browse,
				     row->thread_number, child)
			       : 0;
		ns -= inside > 0 ? inside : 0;
	}
	if (i < branch.child_count)
		ns = -1;
	else if (ns < 0)
		ns = 0;
	*known = (struct tl_self){ .content = branch.content,
		.thread = row->thread_number,
		.ns = ns };
	tl_tree_branch_drop(&view->browse->pool, &branch);
	return ns;
}

/* The share of the parent in tenths of a percent.  -1: no share. */
static int64_t
share_of(const struct tl_browse *browse, const struct tl_row *row)
{
	const int64_t whole = row->place.fold->duration_ns;
	int64_t ns;

	if (!row->node || row->thread || whole <= 0)
		return -1;
	ns = tl_browse_duration(browse, row->thread_number, row->node);
	return ns < 0 ? -1 : (int64_t)((double)ns * 1000 / (double)whole + 0.5);
}

static void
put_share(struct tl_text *text, int64_t share)
{
	tl_put_unsigned(text, (uint64_t)share / 10);
	tl_put_char(text, '.');
	tl_put_unsigned(text, (uint64_t)share % 10);
	tl_put_char(text, '%');
}

/* Right-align the text appended since a size. */
static void
align(struct tl_text *text, size_t since, size_t width)
{
	tl_text_align_right(text, since, width);
	tl_put_repeat(text, ' ', GAP);
}

static void
put_duration(struct tl_text *text, int64_t ns)
{
	const size_t since = text->size;

	if (ns >= 0)
		tl_put_duration(text, ns);
	align(text, since, TIME_WIDTH);
}

static bool
has_column(const struct tl_view *view, enum tl_columns column)
{
	enum tl_columns shown = view->columns;

	if (shown == TL_COLUMNS_FIT)
		shown = tl_screen_columns() >= WIDE ? TL_COLUMNS_ALL
						    : TL_COLUMNS_SHARE;
	return shown == TL_COLUMNS_ALL || shown == column;
}

static void
put_columns(struct tl_text *text, struct tl_view *view,
    const struct tl_row *row)
{
	size_t since = text->size;

	tl_browse_put_time(text, row);
	align(text, since, TIME_WIDTH);
	if (has_column(view, TL_COLUMNS_SHARE)) {
		const int64_t share = share_of(view->browse, row);

		since = text->size;
		if (share >= 0)
			put_share(text, share);
		align(text, since, SHARE_WIDTH);
	}
	if (has_column(view, TL_COLUMNS_SELF))
		put_duration(text, tl_view_self(view, row));
	if (has_column(view, TL_COLUMNS_START)) {
		const bool known =
		    row->node && !row->thread && !tl_tree_is_counted(row->node);

		put_duration(text,
		    known ? row->node->event.ns - view->browse->start_ns : -1);
	}
}

/* Draw a line.  The first columns are fixed, the rest is shifted sideways. */
static void
put_shifted(const struct tl_view *view, unsigned line, size_t columns,
    enum tl_look look, unsigned level)
{
	const unsigned width = tl_screen_columns();
	struct tl_bytes rest =
	    tl_bytes(view->text.data + columns, view->text.size - columns);
	unsigned left = 0;

	if (columns < width)
		left = (unsigned)columns;
	tl_screen_put(line, 0, left, tl_bytes(view->text.data, left), look,
	    level);
	if (view->shift > 0 && rest.size > 0) {
		unsigned used;
		const size_t cut = tl_utf8_fit(rest, view->shift, &used);

		rest = tl_bytes(rest.data + cut, rest.size - cut);
	}
	tl_screen_put(line, left, width - left, rest, look, level);
}

static void
draw_row(struct tl_view *view, unsigned line, const struct tl_row *row,
    bool at_cursor)
{
	const bool is_loss =
	    row->node && !row->thread && !row->node->event.message;
	struct tl_text *text = &view->text;
	size_t columns;

	tl_text_clear(text);
	if (!row->thread) /* the name of a thread is a heading without times */
		put_columns(text, view, row);
	columns = text->size;
	put_indent(text, row->depth);
	tl_browse_put_row(text, row);
	if (text->rc < 0)
		return;
	put_shifted(view, line, columns,
	    at_cursor ? TL_LOOK_CURSOR : TL_LOOK_PLAIN,
	    is_loss                     ? LEVEL_OF_LOSSES
	    : row->node && !row->thread ? row->node->event.level
					: 0);
}

static void
draw_failure(struct tl_view *view, unsigned line, int rc)
{
	tl_text_clear(&view->text);
	tl_put_string(&view->text, "  <cannot be read: ");
	tl_put_string(&view->text, strerror(-rc));
	tl_put_char(&view->text, '>');
	put_line(line, taken(&view->text), TL_LOOK_PLAIN);
}

static void
draw_rows(struct tl_view *view)
{
	struct tl_browse *browse = view->browse;
	struct tl_place place = browse->top;
	struct tl_row row;

	for (unsigned i = 0; i < browse->height; i++) {
		const int rc = tl_browse_row(browse, place, &row);

		if (rc < 0)
			draw_failure(view, 1 + i, rc);
		else
			draw_row(view, 1 + i, &row,
			    tl_browse_same(place, browse->cursor));
		if (!tl_browse_next(&place))
			break;
	}
}

/* Draw text from a row on, wrapped, as far as there is room. */
static void
draw_wrapped(struct tl_bytes text, unsigned row, unsigned end)
{
	unsigned used;

	while (text.size > 0 && row < end) {
		const char *newline = memchr(text.data, '\n', text.size);
		struct tl_bytes line = text;
		size_t fits;

		if (newline)
			line.size = (size_t)(newline - text.data);
		fits = tl_utf8_fit(line, tl_screen_columns(), &used);
		put_line(row++, tl_bytes(line.data, fits), TL_LOOK_PLAIN);
		fits += newline && fits == line.size;
		text.data += fits;
		text.size -= fits;
	}
}

static void
put_parts(struct tl_view *view, const struct tl_row *row)
{
	struct tl_text *text = &view->text;
	const int64_t share = share_of(view->browse, row);
	const int64_t self = tl_view_self(view, row);

	if (!row->node || row->thread || tl_tree_is_counted(row->node))
		return;
	tl_put_string(text, "since the start: ");
	tl_put_duration(text, row->node->event.ns - view->browse->start_ns);
	if (share >= 0) {
		tl_put_string(text, ", ");
		put_share(text, share);
		tl_put_string(text, " of the parent");
	}
	if (self >= 0) {
		tl_put_string(text, ", own time ");
		tl_put_duration(text, self);
	} else if (row->node->child_count > TL_SELF_MAX) {
		tl_put_string(text, ", own time not summed (m sums it)");
	}
	tl_put_char(text, '\n');
}

void
tl_view_put_details(struct tl_view *view, const struct tl_row *row)
{
	const struct tl_browse *browse = view->browse;
	struct tl_text *text = &view->text;

	if (row->thread) {
		put_thread(text, browse, row);
		return;
	}
	if (!row->node) {
		tl_put_string(text, lost_text);
		tl_put_char(text, '\n');
		return;
	}
	tl_tree_put_message(text, row->node);
	tl_put_char(text, '\n');
	put_times(text, row->node);
	put_parts(view, row);
	if (row->node->event.message)
		put_message(text, browse, row);
	if (tl_tree_is_span(row->node))
		put_number(text, "children", row->node->child_count);
}

static void
draw_details(struct tl_view *view, const struct tl_row *row)
{
	const unsigned count = detail_rows(view);
	const unsigned end = tl_screen_rows() - 1;

	if (count == 0)
		return;
	put_line(end - count, tl_bytes(NULL, 0), TL_LOOK_BAR);
	tl_text_clear(&view->text);
	tl_view_put_details(view, row);
	draw_wrapped(taken(&view->text), end - count + 1, end);
}

void
tl_view_draw_prompt(struct tl_view *view, const char *lead, const char *typed)
{
	const unsigned row = tl_screen_rows() - 1;
	const unsigned columns = tl_screen_columns();
	struct tl_bytes line;
	unsigned used;

	tl_text_clear(&view->text);
	tl_put_string(&view->text, lead);
	if (typed)
		tl_put_plain(&view->text, tl_bytes_of(typed));
	line = taken(&view->text);
	if (typed && tl_text_width(line) >= columns) {
		/* a long line shows its end, because the user types at the
		 * end */
		const size_t from = tl_utf8_fit(line,
		    (unsigned)tl_text_width(line) - columns + 2, &used);

		line = tl_bytes(line.data + from, line.size - from);
	}
	put_line(row, line, TL_LOOK_PLAIN);
	tl_utf8_fit(line, columns - 1, &used);
	tl_screen_point(row, used, typed != NULL);
}

void
tl_view_draw(struct tl_view *view)
{
	struct tl_browse *browse = view->browse;
	struct tl_row row;

	tl_screen_clear();
	if (browse->forest->thread_count == 0) {
		put_line(0, tl_bytes_of(" there are no events"), TL_LOOK_BAR);
	} else {
		draw_rows(view);
		if (tl_browse_row(browse, browse->cursor, &row) == 0) {
			draw_title(view, &row);
			draw_details(view, &row);
		}
	}
	tl_view_draw_prompt(view, view->message[0] ? view->message : hint,
	    NULL);
	tl_screen_show();
}

uint64_t
tl_view_page_rows(void)
{
	return tl_screen_rows() > 2 ? tl_screen_rows() - 2 : 1;
}

void
tl_view_draw_page(struct tl_view *view, const char *title,
    const char *const *lines, size_t count)
{
	const uint64_t rows = tl_view_page_rows();

	tl_screen_clear();
	put_line(0, tl_bytes_of(title), TL_LOOK_BAR);
	for (size_t i = 0; i < count && i < rows; i++)
		put_line(1 + (unsigned)i, tl_bytes_of(lines[i]), TL_LOOK_PLAIN);
	tl_view_draw_prompt(view, "any key: back", NULL);
	tl_screen_show();
}

/* Append the times, the number of calls and the message of a merged call.
 * Returns the size of the columns before the message. */
static size_t
put_merged(struct tl_text *text, const struct tl_merged *merged,
    const struct tl_merged_call *call)
{
	const int64_t whole = merged->root.total_ns;
	const bool timed = call->max_ns >= 0;
	size_t since, depth = 0;

	put_duration(text, timed ? call->total_ns : -1);
	since = text->size;
	if (timed && whole > 0)
		put_share(text,
		    (int64_t)((double)call->total_ns * 1000 / (double)whole +
			      0.5));
	align(text, since, SHARE_WIDTH);
	put_duration(text, timed ? call->self_ns : -1);
	since = text->size;
	tl_put_unsigned(text, call->count);
	align(text, since, COUNT_WIDTH);
	if (tl_screen_columns() >= WIDE) {
		put_duration(text,
		    timed ? call->total_ns / (int64_t)call->count : -1);
		put_duration(text, call->max_ns);
	}
	since = text->size;
	for (const struct tl_merged_call *c = call->outer; c->outer;
	     c = c->outer)
		depth++;
	put_indent(text, depth);
	tl_put_string(text, call->inner_count == 0 ? "  "
			    : call->unfolded       ? "- "
						   : "+ ");
	if (call->message)
		tl_put_plain(text, call->message->line1);
	else
		tl_put_string(text, "lost entries");
	return since;
}

void
tl_view_draw_merged(struct tl_view *view, const struct tl_merged *merged,
    const struct tl_merged_call *top, const struct tl_merged_call *at)
{
	struct tl_text *text = &view->text;
	const uint64_t rows = tl_view_page_rows();

	tl_screen_clear();
	tl_text_clear(text);
	tl_put_string(text, "     total   share        self      calls  ");
	if (tl_screen_columns() >= WIDE)
		tl_put_string(text, "      mean     longest  ");
	tl_put_string(text, "equal calls merged");
	put_line(0, taken(text), TL_LOOK_BAR);
	for (uint64_t i = 0; i < rows && top; i++) {
		size_t columns;

		tl_text_clear(text);
		columns = put_merged(text, merged, top);
		if (text->rc == 0)
			put_shifted(view, 1 + (unsigned)i, columns,
			    top == at ? TL_LOOK_CURSOR : TL_LOOK_PLAIN, 0);
		top = tl_merged_next(top, false);
	}
	tl_view_draw_prompt(view,
	    view->message[0] ? view->message
			     : "l h unfold fold  Enter go to the longest  < > "
			       "scroll  q back",
	    NULL);
	tl_screen_show();
}

static void
put_thread_line(struct tl_view *view, uint64_t number)
{
	const struct tl_forest *forest = view->browse->forest;
	const struct tl_trace_thread *thread = tl_forest_thread(forest, number);
	struct tl_text *text = &view->text;

	tl_text_clear(text);
	tl_put_char(text, ' ');
	tl_tree_put_thread(text, number, thread);
	tl_put_string(text, "  ");
	tl_put_unsigned(text, thread->events);
	tl_put_string(text, thread->events == 1 ? " event" : " events");
	if (thread->events > 0) {
		tl_put_string(text, " from ");
		tl_put_time(text, thread->min_ns);
	}
	if (forest->count > 1) {
		tl_put_string(text, " in ");
		tl_put_plain(text,
		    tl_bytes_of(tl_forest_source(forest, number)->name));
	}
}

void
tl_view_draw_threads(struct tl_view *view, uint64_t top, uint64_t at)
{
	const uint64_t count = view->browse->forest->thread_count;
	const uint64_t rows = tl_view_page_rows();

	tl_screen_clear();
	put_line(0, tl_bytes_of(" Threads"), TL_LOOK_BAR);
	for (uint64_t i = 0; i < rows && top + i < count; i++) {
		put_thread_line(view, top + i);
		put_line(1 + (unsigned)i, taken(&view->text),
		    top + i == at ? TL_LOOK_CURSOR : TL_LOOK_PLAIN);
	}
	tl_view_draw_prompt(view, "j k move  Enter go there  q back", NULL);
	tl_screen_show();
}
