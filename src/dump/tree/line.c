/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.c - nodes as pieces of a line, and as JSON with the members of entries.
 */
#include "dump/tree/line.h"

#include "analysis/states.h"
#include "base/fields.h"
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

/* Append the arguments of the end event: "id(7), size(9)". */
static void
put_result(struct tl_text *text, const struct tl_node *node)
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

/* Is the node the end of a span whose begin is another leaf? */
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
	put_result(text, node);
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

/* Begin an object with the place of a node. */
static struct tl_fields
begin_json(struct tl_text *text, struct tl_bytes path, uint64_t depth,
    const char *kind)
{
	struct tl_fields f = { .text = text, .json = true };

	tl_fields_object(&f, NULL);
	if (path.size > 0)
		tl_fields_bytes(&f, "path", path);
	else
		tl_fields_null(&f, "path");
	tl_fields_unsigned(&f, "depth", depth);
	tl_fields_string(&f, "kind", kind);
	return f;
}

static void
put_args(struct tl_fields *f, const char *name, const struct tl_event *event)
{
	const struct tl_message *message = event->message;

	tl_fields_member(f, name);
	tl_put_char(f->text, '{');
	for (unsigned i = 0; i < message->argc && !event->bare; i++) {
		tl_put_string(f->text, i > 0 ? ",\"" : "\"");
		tl_put_json(f->text, message->args[i].name);
		tl_put_string(f->text, "\":");
		tl_render_arg_json(f->text, event, i);
	}
	tl_put_char(f->text, '}');
}

static void
put_message(struct tl_fields *f, const struct tl_node *node)
{
	const struct tl_message *message = node->event.message;
	struct tl_text rendered = { 0 };

	tl_fields_string(f, "priority", tl_level_name(node->event.level));
	tl_fields_bytes(f, "category", message->category);
	tl_fields_bytes(f, "message", message->line1);
	tl_tree_put_message(&rendered, node);
	tl_fields_bytes(f, "text", tl_bytes(rendered.data, rendered.size));
	if (rendered.rc < 0)
		f->text->rc = rendered.rc;
	tl_text_free(&rendered);
	put_args(f, "args", &node->event);
	if (has_result(node))
		put_args(f, "result", &node->end);
	if (message->file.size == 0)
		return;
	tl_fields_bytes(f, "file", message->file);
	tl_fields_unsigned(f, "line", message->line);
}

static void
put_end(struct tl_fields *f, const struct tl_node *node)
{
	static const char *const ends[] = { [TL_NODE_ENDED] = "ended",
		[TL_NODE_CROSSED] = "outside",
		[TL_NODE_UNFINISHED] = "unfinished" };
	const char *length = tl_tree_is_counted(node) ? "steps" : "duration_ns";

	if (is_proven_end(node) || is_begun(node))
		tl_fields_signed(f, "duration_ns", node->event.duration_ns);
	if (is_proven_end(node))
		tl_fields_bool(f, "proven", true);
	if (!tl_tree_is_span(node))
		return;
	if (node->ended == TL_NODE_ENDED)
		tl_fields_signed(f, length, tl_node_duration(node));
	else
		tl_fields_null(f, length);
	tl_fields_string(f, "end", ends[node->ended]);
}

void
tl_tree_json_thread(struct tl_text *text, uint64_t number,
    const struct tl_trace_thread *thread, uint64_t children, const char *input)
{
	char path[TL_UNSIGNED_MAX];
	const char *end = tl_write_unsigned(path, number + 1);
	struct tl_fields f =
	    begin_json(text, tl_bytes(path, (size_t)(end - path)), 0, "thread");

	tl_fields_string(&f, "input", input);
	tl_fields_bytes(&f, "name", thread->name);
	if (thread->command.size > 0)
		tl_fields_bytes(&f, "command", thread->command);
	tl_fields_unsigned(&f, "pid", thread->pid);
	tl_fields_unsigned(&f, "tid", thread->tid);
	tl_fields_unsigned(&f, "children", children);
	tl_fields_object_end(&f);
}

void
tl_tree_json_node(struct tl_text *text, const struct tl_node *node,
    struct tl_bytes path, uint64_t index, const int64_t *parts)
{
	const char *kind = tl_event_kind_name(&node->event);
	struct tl_fields f = begin_json(text, path, node->depth,
	    tl_tree_is_span(node) ? "span" : kind);

	tl_fields_unsigned(&f, "index", index);
	tl_fields_signed(&f, "ns", node->event.ns);
	put_end(&f, node);
	if (parts) {
		tl_fields_object(&f, "states");
		tl_part_fields(&f, parts);
		tl_fields_object_end(&f);
	}
	if (node->event.message)
		put_message(&f, node);
	else
		tl_fields_unsigned(&f, kind, node->event.lost);
	tl_fields_unsigned(&f, "children", node->child_count);
	tl_fields_object_end(&f);
}

void
tl_tree_json_missing(struct tl_text *text, uint64_t depth, struct tl_bytes path,
    uint64_t index, uint64_t count)
{
	struct tl_fields f = begin_json(text, path, depth, "missing");

	tl_fields_unsigned(&f, "index", index);
	tl_fields_unsigned(&f, "count", count);
	tl_fields_object_end(&f);
}
