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

void
tl_browse_put_details(struct tl_text *text, const struct tl_browse *browse,
    const struct tl_row *row)
{
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
	if (row->node->event.message)
		put_message(text, browse, row);
	if (tl_tree_is_span(row->node))
		put_number(text, "children", row->node->child_count);
}

/* == the screen == */

enum {
	ROWS_FOR_DETAILS = 14, /* a smaller screen has none */
	DETAILS_MAX = 12,
	TIME_WIDTH = 10,
	TIME_GAP = 2,
	LEVEL_OF_LOSSES = 7
};

static const char hint[] = "? help  q quit  / search  l h unfold fold  "
			   "s S slowest  u parent  t threads";

/* Lines of the pane of details, with the line above it. */
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

/* Deep rows are moved to the right by half of the screen at most, and say how
 * deep they are. */
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

static void
draw_row(struct tl_view *view, unsigned line, const struct tl_row *row,
    bool at_cursor)
{
	const enum tl_look look = at_cursor ? TL_LOOK_CURSOR : TL_LOOK_PLAIN;
	const bool is_loss =
	    row->node && !row->thread && !row->node->event.message;
	struct tl_text *text = &view->text;
	size_t width;

	tl_text_clear(text);
	tl_browse_put_time(text, row);
	width = text->size < TIME_WIDTH ? TIME_WIDTH - text->size : 0;
	tl_text_clear(text);
	tl_put_repeat(text, ' ', width);
	tl_browse_put_time(text, row);
	tl_put_repeat(text, ' ', TIME_GAP);
	put_indent(text, row->depth);
	tl_browse_put_row(text, row);
	tl_screen_put(line, 0, tl_screen_columns(), taken(text), look,
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

/* All lines of a text from a row on, wrapped, as many as there is room. */
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
		fits = tl_browse_fit(line, tl_screen_columns(), &used);
		put_line(row++, tl_bytes(line.data, fits), TL_LOOK_PLAIN);
		fits += newline && fits == line.size;
		text.data += fits;
		text.size -= fits;
	}
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
	tl_browse_put_details(&view->text, view->browse, row);
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
		/* what was typed last is what matters */
		const size_t from = tl_browse_fit(line,
		    (unsigned)tl_text_width(line) - columns + 2, &used);

		line = tl_bytes(line.data + from, line.size - from);
	}
	put_line(row, line, TL_LOOK_PLAIN);
	tl_browse_fit(line, columns - 1, &used);
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
