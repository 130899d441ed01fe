/* SPDX-License-Identifier: Apache-2.0 */
/* tree_json.c - members of the objects, in the words of the entries' JSON. */
#include "dump/tree_json.h"

#include "dump/tree_line.h"
#include "event/render.h"

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

/* Where it is: what every object begins with. */
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
put_words(struct tl_text *text, const struct tl_node *node)
{
	struct tl_text words = { 0 };

	tl_tree_put_words(&words, node);
	put_text(text, "text", tl_bytes(words.data, words.size));
	if (words.rc < 0)
		text->rc = words.rc;
	tl_text_free(&words);
}

static void
put_message(struct tl_text *text, const struct tl_node *node)
{
	const struct tl_message *message = node->event.message;

	put_text(text, "priority",
	    tl_bytes_of(tl_level_name(node->event.level)));
	put_text(text, "category", message->category);
	put_text(text, "message", message->line1);
	put_words(text, node);
	put_args(text, "args", &node->event);
	if (tl_tree_has_result(node))
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

	if (!tl_tree_is_span(node))
		return;
	tl_put_string(text,
	    tl_tree_is_counted(node) ? ",\"steps\":" : ",\"duration_ns\":");
	if (node->ended == TL_NODE_ENDED)
		tl_put_signed(text, tl_tree_duration(node));
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
    struct tl_bytes path, uint64_t index)
{
	const bool span = tl_tree_is_span(node);

	put_place(text, path, node->depth,
	    span                          ? "span"
	    : node->event.kind == TL_LOST ? "lost"
					  : tl_kind_name(node->event.kind));
	put_number(text, "index", index);
	tl_put_string(text, ",\"ns\":");
	tl_put_signed(text, node->event.ns);
	put_end(text, node);
	if (node->event.message)
		put_message(text, node);
	else
		put_number(text, "lost", node->event.lost);
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
