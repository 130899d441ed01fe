/* SPDX-License-Identifier: Apache-2.0 */
/* diff_text.c - write a line for each changed item, and its ancestors and
 * siblings once a change is found below or beside them. */
#include "format/diff_text.h"
#include "event/render.h"
#include "format/lincheck/print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* An item that was entered and not left, and its siblings. */
struct entry {
	struct tl_diff_item item;
	bool printed;
	uint64_t folded; /* siblings before it that were not printed */
};

struct text_sink {
	struct tl_diff_sink sink; /* first: what callers see */
	struct tl_out out;
	struct tl_diff_text_options options;
	struct tl_render *render;
	struct entry *entries; /* by depth */
	size_t capacity;
	uint64_t threads;
};

static const char *const prefixes[TL_DIFF_RESULTS] = {
	[TL_DIFF_SAME] = "  ",
	[TL_DIFF_REMOVED] = "- ",
	[TL_DIFF_ADDED] = "+ ",
	[TL_DIFF_SLOWER] = "! ",
	[TL_DIFF_FASTER] = "! ",
	[TL_DIFF_CHANGED] = "! ",
};

static struct text_sink *
text_of(struct tl_diff_sink *sink)
{
	return (struct text_sink *)sink;
}

/* The entry at a depth; NULL: no memory. */
static struct entry *
entry_at(struct text_sink *s, uint32_t depth)
{
	const size_t capacity = (size_t)depth * 2 + 16;
	struct entry *entries;

	if (depth < s->capacity)
		return &s->entries[depth];
	entries = realloc(s->entries, capacity * sizeof(*entries));
	if (!entries)
		return NULL;
	memset(entries + s->capacity, 0,
	    (capacity - s->capacity) * sizeof(*entries));
	s->entries = entries;
	s->capacity = capacity;
	return &entries[depth];
}

/* == lines == */

static void
begin_line(struct tl_text *text, const char *prefix, uint32_t depth)
{
	const bool deep = depth > TL_DIFF_TEXT_DEPTH_MAX;

	tl_put_string(text, prefix);
	tl_put_repeat(text, ' ',
	    2 * (size_t)(deep ? TL_DIFF_TEXT_DEPTH_MAX : depth));
	if (!deep)
		return;
	tl_put_char(text, '[');
	tl_put_unsigned(text, depth);
	tl_put_string(text, "] ");
}

/* An event as the line of a tree: that a span begins needs no mark. */
static void
put_event(struct text_sink *s, const struct tl_node *node, bool end)
{
	const struct tl_lincheck_print how = { .children = node->child_count };
	struct tl_event event = end ? node->end : node->event;

	if (!end && !tl_lincheck_is_result(event.message) &&
	    tl_lincheck_print_plain(&s->out.text, &event, &how))
		return;
	if (node->ended != TL_NODE_LEAF)
		event.kind = TL_INSTANT;
	tl_render_cached(s->render, &s->out.text, &event);
}

/* The arguments of the begin event, and of the end event if they differ. */
static void
put_node(struct text_sink *s, const struct tl_node *node)
{
	put_event(s, node, false);
	if (node->ended != TL_NODE_ENDED || node->end.bare ||
	    memcmp(node->end.args, node->event.args, sizeof(node->end.args)) ==
		0)
		return;
	tl_put_string(&s->out.text, ": ");
	put_event(s, node, true);
}

static void
put_message(struct text_sink *s, const struct tl_diff_item *item)
{
	if (item->changed) {
		put_node(s, item->left);
		tl_put_string(&s->out.text, " -> ");
	}
	put_node(s, item->right ? item->right : item->left);
}

static void
put_duration(struct tl_text *text, const struct tl_node *node, int64_t ns)
{
	if (ns != TL_DIFF_NO_TIME && tl_lincheck_is_native(node->event.message))
		tl_put_format(text, "%" PRId64 " step%s", ns,
		    ns == 1 ? "" : "s");
	else if (ns != TL_DIFF_NO_TIME)
		tl_put_duration(text, ns);
	else if (node->ended == TL_NODE_CROSSED)
		tl_put_string(text, "<no end of its own>");
	else
		tl_put_string(text, "<unfinished>");
}

static bool
differs_in_time(const struct tl_diff_item *item)
{
	return item->result == TL_DIFF_SLOWER ||
	       item->result == TL_DIFF_FASTER ||
	       (item->result == TL_DIFF_CHANGED &&
		   item->left->ended != item->right->ended);
}

static void
put_durations(struct tl_text *text, const struct tl_diff_item *item)
{
	const struct tl_node *node = item->right ? item->right : item->left;

	if (node->ended == TL_NODE_LEAF)
		return;
	tl_put_string(text, "  ");
	if (!differs_in_time(item)) {
		put_duration(text, node,
		    item->right ? item->right_ns : item->left_ns);
		return;
	}
	put_duration(text, item->left, item->left_ns);
	tl_put_string(text, " -> ");
	put_duration(text, item->right, item->right_ns);
	if (item->left_ns > 0 && item->right_ns != TL_DIFF_NO_TIME)
		tl_put_format(text, " (%+.0f%%)",
		    100.0 * (double)(item->right_ns - item->left_ns) /
			(double)item->left_ns);
}

static void
put_place(struct tl_text *text, const struct tl_message *message)
{
	if (!message || message->file.size == 0)
		return;
	tl_put_string(text, " at ");
	tl_put_plain(text, message->file);
	tl_put_char(text, ':');
	tl_put_unsigned(text, message->line);
}

static int
put_item(struct text_sink *s, const struct tl_diff_item *item)
{
	const struct tl_node *node = item->right ? item->right : item->left;
	struct tl_text *text = &s->out.text;

	begin_line(text, prefixes[item->result], item->depth + 1);
	put_message(s, item);
	put_durations(text, item);
	if (s->options.places)
		put_place(text, node->event.message);
	tl_put_char(text, '\n');
	return tl_out_flush_full(&s->out);
}

/* The siblings at a depth that were folded since the last line there. */
static void
put_folded(struct text_sink *s, uint32_t depth)
{
	struct tl_text *text = &s->out.text;

	if (depth >= s->capacity || s->entries[depth].folded == 0)
		return;
	begin_line(text, prefixes[TL_DIFF_SAME], depth + 1);
	tl_put_format(text, "... <%" PRIu64 " unchanged>\n",
	    s->entries[depth].folded);
	s->entries[depth].folded = 0;
}

/* == threads == */

static void
put_label(struct tl_text *text, const struct tl_trace_thread *thread)
{
	if (thread->name.size > 0)
		tl_put_plain(text, thread->name);
	else
		tl_put_format(text, "tid %" PRIu32, thread->tid);
}

static int
text_thread(struct tl_diff_sink *sink, const struct tl_trace_thread *left,
    const struct tl_trace_thread *right)
{
	struct text_sink *s = text_of(sink);
	struct tl_text *text = &s->out.text;

	put_folded(s, 0);
	tl_put_string(text, prefixes[!right  ? TL_DIFF_REMOVED
				     : !left ? TL_DIFF_ADDED
					     : TL_DIFF_SAME]);
	tl_put_format(text, "# Thread %" PRIu64 " (", ++s->threads);
	if (left)
		put_label(text, left);
	if (left && right &&
	    (!tl_bytes_equal(left->name, right->name) ||
		(left->name.size == 0 && left->tid != right->tid))) {
		tl_put_string(text, " -> ");
		put_label(text, right);
	} else if (!left) {
		put_label(text, right);
	}
	tl_put_string(text, ")\n");
	return tl_out_flush_full(&s->out);
}

/* == items == */

/* Report the nodes around a change, and the change. */
static int
tell_path(struct text_sink *s, uint32_t depth)
{
	for (uint32_t i = 0; i <= depth; i++) {
		int rc;

		if (s->entries[i].printed)
			continue;
		put_folded(s, i);
		s->entries[i].printed = true;
		if ((rc = put_item(s, &s->entries[i].item)) < 0)
			return rc;
	}
	return 0;
}

static int
text_enter(struct tl_diff_sink *sink, const struct tl_diff_item *item)
{
	struct text_sink *s = text_of(sink);
	struct entry *entry;

	if (!s->options.only_changes)
		return put_item(s, item);
	entry = entry_at(s, item->depth);
	if (!entry)
		return -ENOMEM;
	entry->item = *item;
	entry->printed = false;
	return item->result == TL_DIFF_SAME ? 0 : tell_path(s, item->depth);
}

static int
text_leave(struct tl_diff_sink *sink, const struct tl_diff_item *item)
{
	struct text_sink *s = text_of(sink);
	const uint32_t depth = item->depth;

	if (!s->options.only_changes)
		return 0;
	if (s->entries[depth].printed)
		put_folded(s, depth + 1);
	else
		s->entries[depth].folded++;
	if (depth + 1 < s->capacity)
		s->entries[depth + 1].folded = 0;
	return tl_out_flush_full(&s->out);
}

/* Facts that limit the other lines. */
static void
put_doubt(struct text_sink *s, uint64_t count, const char *what,
    const char *one, const char *many)
{
	if (count > 0)
		tl_put_format(&s->out.text, "  # %" PRIu64 " %s %s\n", count,
		    count == 1 ? one : many, what);
}

static int
text_finish(struct tl_diff_sink *sink, const struct tl_diff_counts *counts)
{
	struct text_sink *s = text_of(sink);

	put_folded(s, 0);
	tl_put_string(&s->out.text, "  # ");
	tl_diff_put_counts(&s->out.text, counts);
	tl_put_char(&s->out.text, '\n');
	put_doubt(s, counts->unread, "could not be read: damaged", "child",
	    "children");
	put_doubt(s, counts->guessed,
	    "may differ by less: too many children to find the least", "span",
	    "spans");
	return tl_out_flush(&s->out);
}

int
tl_diff_text_new(struct tl_diff_sink **sink, tl_write *write, void *context,
    const struct tl_diff_text_options *options)
{
	struct text_sink *s = calloc(1, sizeof(*s));
	const int rc = s ? tl_render_new(&s->render) : -ENOMEM;

	if (rc < 0) {
		free(s);
		return rc;
	}
	s->sink = (struct tl_diff_sink){ text_thread, text_enter, text_leave,
		text_finish };
	s->out.write = write;
	s->out.context = context;
	s->options = *options;
	*sink = &s->sink;
	return 0;
}

void
tl_diff_text_free(struct tl_diff_sink *sink)
{
	struct text_sink *s;

	if (!sink)
		return;
	s = text_of(sink);
	tl_render_free(s->render);
	tl_text_free(&s->out.text);
	free(s->entries);
	free(s);
}
