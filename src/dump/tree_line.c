/* SPDX-License-Identifier: Apache-2.0 */
/* tree_line.c - the pieces of a line. */
#include "dump/tree_line.h"

#include "event/render.h"

bool
tl_tree_has_result(const struct tl_node *node)
{
	return node->ended == TL_NODE_ENDED && !node->end.bare &&
	       node->end.message->argc > 0 &&
	       memcmp(node->event.args, node->end.args,
		   sizeof(node->end.args)) != 0;
}

int64_t
tl_tree_duration(const struct tl_node *node)
{
	if (node->ended != TL_NODE_ENDED || node->end.ns < node->event.ns)
		return 0;
	if (__builtin_sub_overflow(node->end.ns, node->event.ns,
		&(int64_t){ 0 }))
		return INT64_MAX;
	return node->end.ns - node->event.ns;
}

bool
tl_tree_is_counted(const struct tl_node *node)
{
	return tl_lincheck_is_native(node->event.message);
}

void
tl_tree_put_duration(struct tl_text *text, const struct tl_node *node)
{
	const int64_t duration = tl_tree_duration(node);

	if (!tl_tree_is_counted(node)) {
		tl_put_duration(text, duration);
		return;
	}
	tl_put_signed(text, duration);
	tl_put_string(text, duration == 1 ? " step" : " steps");
}

void
tl_tree_put_words(struct tl_text *text, const struct tl_node *node)
{
	const struct tl_lincheck_print how = { .children = node->child_count };
	struct tl_event event = node->event;

	if (tl_lincheck_print_plain(text, &node->event, &how))
		return;
	if (tl_tree_is_span(node)) /* no mark of a begin: all of it is here */
		event.kind = TL_INSTANT;
	tl_render_line(text, &event);
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

void
tl_tree_put_end(struct tl_text *text, const struct tl_node *node)
{
	switch (node->ended) {
	case TL_NODE_ENDED:
		if (tl_tree_is_counted(node))
			return;
		tl_put_string(text, ": ");
		tl_put_duration(text, tl_tree_duration(node));
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
	if (!tl_tree_has_result(node))
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
