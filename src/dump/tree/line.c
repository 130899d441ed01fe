/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.c - nodes as pieces of a line, and as JSON with the members of entries.
 */
#include "dump/tree/line.h"

#include "analysis/states.h"
#include "event/render.h"

/* == pieces of a line == */

/* Does the end event have arguments that differ from those of the begin
 * event? */
static bool
has_result(const struct tl_node *node)
{
	return node->ended == TL_NODE_ENDED && !node->end.bare &&
	       node->end.message->argc > 0 &&
	       memcmp(node->event.args, node->end.args,
		   sizeof(node->end.args)) != 0;
}

bool
tl_tree_is_counted(const struct tl_node *node)
{
	return tl_lincheck_is_native(node->event.message);
}

void
tl_tree_put_message(struct tl_text *text, const struct tl_node *node)
{
	const struct tl_lincheck_print how = { .children = node->child_count };

	if (!tl_lincheck_print_plain(text, &node->event, &how))
		tl_render_node(text, &node->event, tl_tree_is_span(node));
}

void
tl_tree_put_result(struct tl_text *text, const struct tl_node *node)
{
	const struct tl_message *message = node->end.message;

	for (unsigned i = 0; i < message->argc; i++) {
		if (i > 0)
			tl_put_string(text, ", ");
		tl_put_plain(text, message->args[i].name);
		tl_put_char(text, '(');
		tl_render_arg(text, &node->end, i);
		tl_put_char(text, ')');
	}
}

/* Is the node a proven end whose begin event is missing here? */
static bool
is_proven_end(const struct tl_node *node)
{
	return node->event.kind == TL_END && node->event.proven &&
	       node->event.begun != TL_BEGUN_UNSURE;
}

/* Is the node the end of a span whose begin is another leaf?  ends.h */
static bool
is_begun(const struct tl_node *node)
{
	return node->event.kind == TL_END && !node->event.proven &&
	       node->event.begun != TL_BEGUN_UNSURE &&
	       node->event.begun_ns != 0;
}

void
tl_tree_put_end(struct tl_text *text, const struct tl_node *node)
{
	if (is_proven_end(node) || is_begun(node)) {
		tl_put_string(text, ": ");
		tl_put_duration(text, node->event.duration_ns);
	}
	switch (node->ended) {
	case TL_NODE_ENDED:
		if (tl_tree_is_counted(node))
			return;
		tl_put_string(text, ": ");
		tl_put_duration(text, tl_node_duration(node));
		break;
	case TL_NODE_CROSSED:
		tl_put_string(text, ": <ends outside>");
		break;
	case TL_NODE_UNFINISHED:
		tl_put_string(text, ": <unfinished>");
		break;
	default:
		return;
	}
	if (!has_result(node))
		return;
	tl_put_string(text, " -> ");
	tl_tree_put_result(text, node);
}

void
tl_tree_put_location(struct tl_text *text, const struct tl_node *node)
{
	const struct tl_message *message = node->event.message;

	if (!message || message->file.size == 0)
		return;
	tl_put_string(text, " at ");
	tl_put_plain(text, message->file);
	tl_put_char(text, ':');
	tl_put_unsigned(text, message->line);
}

void
tl_tree_put_indent(struct tl_text *text, uint64_t depth)
{
	if (depth <= TL_TREE_INDENTED_MAX) {
		tl_put_repeat(text, ' ', TL_TREE_INDENT * depth);
		return;
	}
	tl_put_repeat(text, ' ', TL_TREE_INDENT * TL_TREE_INDENTED_MAX);
	tl_put_char(text, '+');
	tl_put_unsigned(text, depth - TL_TREE_INDENTED_MAX);
	tl_put_char(text, ' ');
}

static void
put_command(struct tl_text *text, const char *before,
    const struct tl_trace_thread *thread)
{
	if (thread->command.size == 0)
		return;
	tl_put_string(text, before);
	tl_put_plain(text, thread->command);
}

void
tl_tree_put_thread(struct tl_text *text, uint64_t number,
    const struct tl_trace_thread *thread)
{
	tl_put_string(text, "# Thread ");
	tl_put_unsigned(text, number + 1);
	if (thread->name.size > 0) {
		tl_put_string(text, " (");
		tl_put_plain(text, thread->name);
		if (!tl_bytes_equal(thread->name, thread->command))
			put_command(text, " of ", thread);
	} else if (thread->pid != 0 || thread->tid != 0) {
		tl_put_string(text, " (process ");
		tl_put_unsigned(text, thread->pid);
		put_command(text, " ", thread);
		tl_put_string(text, ", thread ");
		tl_put_unsigned(text, thread->tid);
	} else {
		return;
	}
	tl_put_char(text, ')');
}

/* == JSON == */

static void
put_text(struct tl_text *text, const char *name, struct tl_bytes value)
{
	tl_put_string(text, ",\"");
	tl_put_string(text, name);
	tl_put_string(text, "\":\"");
	tl_put_json(text, value);
	tl_put_char(text, '"');
}

static void
put_number(struct tl_text *text, const char *name, uint64_t value)
{
	tl_put_string(text, ",\"");
	tl_put_string(text, name);
	tl_put_string(text, "\":");
	tl_put_unsigned(text, value);
}

/* Append the place of a node, with which every object begins. */
static void
put_place(struct tl_text *text, struct tl_bytes path, uint64_t depth,
    const char *kind)
{
	tl_put_string(text, "{\"path\":");
	if (path.size > 0) {
		tl_put_char(text, '"');
		tl_put_json(text, path);
		tl_put_char(text, '"');
	} else {
		tl_put_string(text, "null");
	}
	put_number(text, "depth", depth);
	put_text(text, "kind", tl_bytes_of(kind));
}

static void
put_args(struct tl_text *text, const char *name, const struct tl_event *event)
{
	const struct tl_message *message = event->message;

	tl_put_string(text, ",\"");
	tl_put_string(text, name);
	tl_put_string(text, "\":{");
	for (unsigned i = 0; i < message->argc && !event->bare; i++) {
		tl_put_string(text, i > 0 ? ",\"" : "\"");
		tl_put_json(text, message->args[i].name);
		tl_put_string(text, "\":");
		tl_render_arg_json(text, event, i);
	}
	tl_put_char(text, '}');
}

static void
put_message(struct tl_text *text, const struct tl_node *node)
{
	const struct tl_message *message = node->event.message;
	struct tl_text rendered = { 0 };

	put_text(text, "priority",
	    tl_bytes_of(tl_level_name(node->event.level)));
	put_text(text, "category", message->category);
	put_text(text, "message", message->line1);
	tl_tree_put_message(&rendered, node);
	put_text(text, "text", tl_bytes(rendered.data, rendered.size));
	if (rendered.rc < 0)
		text->rc = rendered.rc;
	tl_text_free(&rendered);
	put_args(text, "args", &node->event);
	if (has_result(node))
		put_args(text, "result", &node->end);
	if (message->file.size == 0)
		return;
	put_text(text, "file", message->file);
	put_number(text, "line", message->line);
}

static void
put_end(struct tl_text *text, const struct tl_node *node)
{
	static const char *const ends[] = { [TL_NODE_ENDED] = "ended",
		[TL_NODE_CROSSED] = "outside",
		[TL_NODE_UNFINISHED] = "unfinished" };

	if (is_proven_end(node)) {
		tl_put_string(text, ",\"duration_ns\":");
		tl_put_signed(text, node->event.duration_ns);
		tl_put_string(text, ",\"proven\":true");
	} else if (is_begun(node)) {
		tl_put_string(text, ",\"duration_ns\":");
		tl_put_signed(text, node->event.duration_ns);
	}
	if (!tl_tree_is_span(node))
		return;
	tl_put_string(text,
	    tl_tree_is_counted(node) ? ",\"steps\":" : ",\"duration_ns\":");
	if (node->ended == TL_NODE_ENDED)
		tl_put_signed(text, tl_node_duration(node));
	else
		tl_put_string(text, "null");
	put_text(text, "end", tl_bytes_of(ends[node->ended]));
}

void
tl_tree_json_thread(struct tl_text *text, uint64_t number,
    const struct tl_trace_thread *thread, uint64_t children, const char *input)
{
	char path[TL_UNSIGNED_MAX];
	const char *end = tl_write_unsigned(path, number + 1);

	put_place(text, tl_bytes(path, (size_t)(end - path)), 0, "thread");
	put_text(text, "input", tl_bytes_of(input));
	put_text(text, "name", thread->name);
	if (thread->command.size > 0)
		put_text(text, "command", thread->command);
	put_number(text, "pid", thread->pid);
	put_number(text, "tid", thread->tid);
	put_number(text, "children", children);
	tl_put_string(text, "}\n");
}

void
tl_tree_json_node(struct tl_text *text, const struct tl_node *node,
    struct tl_bytes path, uint64_t index, const int64_t *parts)
{
	const bool span = tl_tree_is_span(node);

	put_place(text, path, node->depth,
	    span ? "span" : tl_event_kind_name(&node->event));
	put_number(text, "index", index);
	tl_put_string(text, ",\"ns\":");
	tl_put_signed(text, node->event.ns);
	put_end(text, node);
	if (parts) {
		/* add a member to an object that has begun */
		struct tl_fields f = { .text = text,
			.json = true,
			.depth = 1,
			.begun = { [1] = true } };

		tl_fields_object(&f, "states");
		tl_part_fields(&f, parts);
		tl_fields_object_end(&f);
	}
	if (node->event.message)
		put_message(text, node);
	else
		put_number(text, tl_event_kind_name(&node->event),
		    node->event.lost);
	put_number(text, "children", node->child_count);
	tl_put_string(text, "}\n");
}

void
tl_tree_json_missing(struct tl_text *text, uint64_t depth, struct tl_bytes path,
    uint64_t index, uint64_t count)
{
	put_place(text, path, depth, "missing");
	put_number(text, "index", index);
	put_number(text, "count", count);
	tl_put_string(text, "}\n");
}
