/* SPDX-License-Identifier: Apache-2.0 */
/* browse_text.c - a row as text. */
#include "dump/browse_text.h"

#include "base/utf8.h"
#include "dump/tree_line.h"
#include "event/render.h"

static const char lost_words[] = "<lost in a damaged part>";

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
tl_browse_put_words(struct tl_text *text, const struct tl_row *row)
{
	const bool inside = row->node && row->node->child_count > 0;

	tl_put_string(text, row->unfolded ? "- " : inside ? "+ " : "  ");
	if (row->thread)
		tl_tree_put_thread(text, row->thread_number, row->thread);
	else if (row->node)
		tl_tree_put_words(text, row->node);
	else
		tl_put_string(text, lost_words);
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
	put_when(text, "time", node->event.ns);
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
	put_when(text, "end", node->end.ns);
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
		tl_put_string(text, lost_words);
		tl_put_char(text, '\n');
		return;
	}
	tl_tree_put_words(text, row->node);
	tl_put_char(text, '\n');
	put_times(text, row->node);
	if (row->node->event.message)
		put_message(text, browse, row);
	if (tl_tree_is_span(row->node))
		put_number(text, "children", row->node->child_count);
}

size_t
tl_browse_fit(struct tl_bytes line, unsigned columns, unsigned *used)
{
	size_t at = 0;

	*used = 0;
	while (at < line.size) {
		uint32_t code;
		size_t size = tl_utf8_decode(line, at, &code);
		const unsigned width = size > 0 ? tl_utf8_width(code) : 1;

		if (*used + width > columns && at > 0)
			break;
		*used += width;
		at += size > 0 ? size : 1;
	}
	return at;
}
