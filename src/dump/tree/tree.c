/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - print trees.
 *
 *	# Thread 1 (main)
 *	request id(7): 1.234ms
 *	  open: 12.345us
 *	    ... <3 unloaded children>
 *	  = depth length(4)
 *
 * Only nodes that are printed are loaded.  In a Lincheck trace the last child
 * of a call may be its result; the result is printed on the line of the call.
 */
#include "dump/tree/tree.h"

#include "dump/listing.h"
#include "dump/tree/line.h"
#include "dump/tree/walk.h"
#include "dump/views.h"
#include "event/message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define COLOR_OF_HEADINGS "\033[1m"
#define COLOR_OF_LOSSES   "\033[35m"

struct print {
	const struct tl_forest *forest;
	const struct tl_tree_parts *parts;
	const struct tl_options *options;
	struct tl_output *output;
	struct tl_tree_pool pool;
	struct tl_tree_walk walk;
	/* frame of the node that is printed */
	const struct tl_tree_frame *base;
	uint64_t thread;
	uint64_t level;      /* depth of the current line below base */
	uint64_t level_end;  /* the first level that is not shown */
	struct tl_text path; /* path of the current line */
};

static bool
is_json(const struct print *p)
{
	return p->options->format == TL_FORMAT_JSON;
}

/* End a line, with the path of a frame's child.  NULL: the path of the
 * thread. */
static int
end_line(struct print *p, const struct tl_tree_frame *frame)
{
	struct tl_text *text = &p->output->text;

	if (p->options->paths) {
		tl_put_string(text, " [");
		tl_tree_put_path(text, p->thread, frame);
		tl_put_char(text, ']');
	}
	tl_put_char(text, '\n');
	return tl_output_more(p->output);
}

/* The path of the walk's child.  Empty if the path is too long. */
static struct tl_bytes
json_path(struct print *p)
{
	tl_text_clear(&p->path);
	if (!tl_tree_put_path(&p->path, p->thread, p->walk.top))
		return tl_bytes(NULL, 0);
	return tl_bytes(p->path.data, p->path.size);
}

static void
put_indent(struct print *p)
{
	if (p->options->lincheck)
		tl_put_repeat(&p->output->text, ' ',
		    TL_TREE_INDENT * (size_t)p->level);
	else
		tl_tree_put_indent(&p->output->text, p->level);
}

/* Put the heading of a thread as its format prints threads: with the format's
 * number, and with the name if there are several threads.  false: unknown. */
static bool
put_known_thread(struct print *p)
{
	const struct tl_reader_thread *known =
	    tl_forest_known(p->forest, p->thread);
	struct tl_text *text = &p->output->text;

	if (!known)
		return false;
	tl_put_string(text, "# Thread ");
	tl_put_unsigned(text, known->number);
	if (known->shows_name && p->forest->thread_count > 1) {
		tl_put_string(text, " (");
		tl_put_plain(text, known->name);
		tl_put_char(text, ')');
	}
	tl_put_char(text, '\n');
	return true;
}

static int
put_thread(struct print *p)
{
	const struct tl_tree_source *source =
	    tl_forest_source(p->forest, p->thread);
	const struct tl_trace_thread *thread =
	    tl_forest_thread(p->forest, p->thread);
	struct tl_text *text = &p->output->text;

	if (is_json(p)) {
		tl_tree_json_thread(text, p->thread, thread,
		    tl_forest_root(p->forest, p->thread)->child_count,
		    source->name);
		return tl_output_more(p->output);
	}
	if (p->options->lincheck && put_known_thread(p))
		return tl_output_more(p->output);
	if (p->output->color)
		tl_put_string(text, COLOR_OF_HEADINGS);
	tl_tree_put_thread(text, p->thread, thread);
	if (p->forest->count > 1) {
		tl_put_string(text, " in ");
		tl_put_plain(text, tl_bytes_of(source->name));
	}
	if (p->output->color)
		tl_put_string(text, TL_COLOR_END);
	tl_put_char(text, '\n');
	return tl_output_more(p->output);
}

/* Find the event of a call's result, which is the last child of the call.
 * Other nodes may be unloaded.  1, 0, -errno. */
static int
find_result(struct print *p, struct tl_trees *trees, const struct tl_node *node,
    struct tl_event *result)
{
	const struct tl_node *child;
	struct tl_tree_branch branch;
	int rc;

	if (is_json(p) || node->child_count == 0 || !tl_tree_is_counted(node))
		return 0;
	tl_tree_branch_init(&branch, trees, node);
	rc = tl_tree_branch_child(&p->pool, &branch, node->child_count - 1,
	    &child);
	if (rc == 0 && child && tl_lincheck_is_result(child->event.message)) {
		*result = child->event;
		rc = 1;
	}
	tl_tree_branch_drop(&p->pool, &branch);
	return rc;
}

/* Print a node.  hidden: the last child is the result of the node. */
static int
put_node(struct print *p, const struct tl_node *node, uint64_t hidden,
    const struct tl_event *result)
{
	struct tl_text *text = &p->output->text;
	const char *color = p->output->color
				? (node->event.kind == TL_LOST
					  ? COLOR_OF_LOSSES
					  : tl_level_color(node->event.level))
				: "";
	const struct tl_reader_thread *known =
	    tl_forest_known(p->forest, p->thread);
	const struct tl_lincheck_print how = {
		.thread = known ? known->name : tl_bytes(NULL, 0),
		.verbose = p->options->verbose,
		.children = node->child_count - hidden,
		.result = hidden ? result : NULL
	};
	const bool raw = p->options->lincheck && !p->output->terminal;
	const int64_t *parts = tl_tree_parts_find(p->parts,
	    tl_forest_source(p->forest, p->thread)->input, node);
	bool is_point;

	if (is_json(p)) {
		tl_tree_json_node(text, node, json_path(p), p->walk.top->index,
		    parts);
		return tl_output_more(p->output);
	}
	put_indent(p);
	tl_put_string(text, color);
	is_point = raw ? tl_lincheck_print(text, &node->event, &how)
		       : tl_lincheck_print_plain(text, &node->event, &how);
	if (!is_point)
		tl_tree_put_message(text, node);
	if (color[0])
		tl_put_string(text, TL_COLOR_END);
	if (!is_point || !p->options->lincheck)
		tl_tree_put_end(text, node);
	if (parts) {
		tl_put_string(text, " (");
		tl_parts_put(text, parts);
		tl_put_char(text, ')');
	}
	if (p->options->verbose && !is_point)
		tl_tree_put_location(text, node);
	return end_line(p, p->walk.top);
}

/* Print a line for children that are not shown.  JSON has their number
 * anyway. */
static int
put_unloaded(struct print *p, uint64_t count, const struct tl_tree_frame *of)
{
	struct tl_text *text = &p->output->text;

	if (is_json(p))
		return 0;
	put_indent(p);
	tl_put_string(text, "... <");
	if (count != 1) {
		tl_put_unsigned(text, count);
		tl_put_char(text, ' ');
	}
	tl_put_string(text,
	    count == 1 ? "unloaded child>" : "unloaded children>");
	return end_line(p, of);
}

/* Print a line for the children that the file has lost, from the walk's place
 * on, and move the walk past these children. */
static int
put_missing(struct print *p)
{
	struct tl_tree_frame *top = p->walk.top;
	struct tl_text *text = &p->output->text;
	const struct tl_node *node = NULL;
	const uint64_t first = top->index;
	const struct tl_bytes path =
	    is_json(p) ? json_path(p) : tl_bytes("", 0);
	int rc = 0;

	while (rc == 0 && !node && top->index < top->branch.child_count) {
		top->index++;
		if (top->index < top->branch.child_count)
			rc = tl_tree_walk_node(&p->walk, &node);
	}
	if (is_json(p)) {
		tl_tree_json_missing(text, top->branch.depth + 1, path, first,
		    top->index - first);
	} else {
		put_indent(p);
		tl_put_string(text, "... <");
		tl_put_unsigned(text, top->index - first);
		tl_put_string(text, " children lost in a damaged part>\n");
	}
	return rc < 0 ? rc : tl_output_more(p->output);
}

/* Walk into a node whose last children are hidden. */
static int
walk_into(struct print *p, struct tl_trees *trees, const struct tl_node *node,
    uint64_t hidden)
{
	const int rc = tl_tree_walk_into(&p->walk, trees, node);

	if (rc == 0)
		p->walk.top->hidden = hidden;
	return rc;
}

/* Walk into the node if its children are to be printed, else go on behind the
 * node. */
static int
go_inside(struct print *p, const struct tl_node *node, uint64_t hidden)
{
	const uint64_t count = node->child_count - hidden;
	int rc;

	p->level++;
	if (count > 0 && p->level < p->level_end)
		return walk_into(p, p->walk.top->branch.trees, node, hidden);
	rc = count > 0 ? put_unloaded(p, count, p->walk.top) : 0;
	p->level--;
	p->walk.top->index++;
	return rc;
}

static int
step(struct print *p)
{
	const struct tl_tree_frame *top = p->walk.top;
	const uint64_t count = top->branch.child_count - top->hidden;
	int rc = 0;

	if (top->index < count && top->index < p->options->children) {
		struct tl_trees *trees = p->walk.top->branch.trees;
		const struct tl_node *node;
		struct tl_event result;
		uint64_t hidden;

		rc = tl_tree_walk_node(&p->walk, &node);
		if (rc < 0)
			return rc;
		if (!node)
			return put_missing(p);
		rc = find_result(p, trees, node, &result);
		if (rc < 0)
			return rc;
		hidden = rc > 0;
		rc = put_node(p, node, hidden, &result);
		return rc == 0 ? go_inside(p, node, hidden) : rc;
	}
	if (top->index < count)
		rc = put_unloaded(p, count - top->index, top->outer);
	tl_tree_walk_out(&p->walk);
	p->level--;
	if (p->walk.top != p->base)
		p->walk.top->index++;
	return rc;
}

/* Print all nodes below a node.  The node's own frame is base. */
static int
put_below(struct print *p, struct tl_trees *trees, const struct tl_node *node,
    uint64_t hidden)
{
	const uint64_t depth = p->options->depth;
	const uint64_t count = node->child_count - hidden;
	int rc;

	p->base = p->walk.top;
	p->level_end =
	    depth < UINT64_MAX - p->level ? p->level + depth : UINT64_MAX;
	if (count == 0)
		return 0;
	if (depth == 0)
		return put_unloaded(p, count, p->base);
	rc = walk_into(p, trees, node, hidden);
	while (rc == 0 && p->walk.top != p->base)
		rc = step(p);
	return rc;
}

static int
put_tree(struct print *p)
{
	const int rc = put_thread(p);

	p->level = 0;
	if (rc < 0)
		return rc;
	return put_below(p, tl_forest_source(p->forest, p->thread)->trees,
	    tl_forest_root(p->forest, p->thread), 0);
}

/* Walk to the node at the end of a path. */
static int
find_node(struct print *p, const char *path, const struct tl_node **node,
    struct tl_fault *fault)
{
	struct tl_trees *trees = tl_forest_source(p->forest, p->thread)->trees;
	uint64_t number;
	int rc = 0;

	*node = tl_forest_root(p->forest, p->thread);
	while (rc == 0 && tl_tree_path_take(&path, &number) > 0) {
		const uint64_t count = (*node)->child_count;

		rc = tl_tree_walk_into(&p->walk, trees, *node);
		if (rc < 0)
			return rc;
		if (number >= count) {
			/* No node has the path: report how far the path
			 * leads. */
			tl_text_clear(&p->path);
			tl_tree_put_path(&p->path, p->thread,
			    p->walk.top ? p->walk.top->outer : NULL);
			return tl_fail(fault, -ENOENT,
			    "%s: there is no %" PRIu64 ": %s has %" PRIu64
			    " %s",
			    p->options->path, number, tl_text_string(&p->path),
			    count, count == 1 ? "child" : "children");
		}
		p->walk.top->index = number;
		rc = tl_tree_walk_node(&p->walk, node);
		if (rc == 0 && !*node)
			return tl_fail(fault, -EBADMSG,
			    "%s: lost in a damaged part", p->options->path);
	}
	return rc;
}

static int
put_subtree(struct print *p, struct tl_fault *fault)
{
	const char *path = p->options->path;
	const struct tl_node *found;
	struct tl_node node;
	struct tl_event result;
	uint64_t number = 0, hidden = 0;
	int rc;

	tl_tree_path_take(&path, &number);
	if (number == 0 || number > p->forest->thread_count)
		return tl_fail(fault, -ENOENT,
		    "%s: there is no thread %" PRIu64
		    ": they go from 1 to %" PRIu64,
		    p->options->path, number, p->forest->thread_count);
	p->thread = number - 1;
	if (*path == '\0')
		return put_tree(p);
	rc = find_node(p, path, &found, fault);
	if (rc < 0)
		return rc;
	node = *found;
	rc = find_result(p, p->walk.top->branch.trees, &node, &result);
	if (rc >= 0) {
		hidden = rc > 0;
		rc = put_thread(p);
	}
	if (rc == 0)
		rc = put_node(p, &node, hidden, &result);
	if (rc < 0)
		return rc;
	p->level = 1;
	return put_below(p, p->walk.top->branch.trees, &node, hidden);
}

static int
put_all(struct print *p)
{
	int rc = 0;

	for (uint64_t i = 0; i < p->forest->thread_count && rc == 0; i++) {
		p->thread = i;
		rc = put_tree(p);
	}
	return rc;
}

int
tl_tree_print(const struct tl_forest *forest, const struct tl_tree_parts *parts,
    const struct tl_options *options, struct tl_output *output,
    struct tl_fault *fault)
{
	struct print p = { .forest = forest,
		.parts = parts,
		.options = options,
		.output = output };
	int rc;

	p.walk.pool = &p.pool;
	p.pool.children = options->children;
	/* the text of a format that counts steps has no times */
	for (size_t i = 0; i < forest->count; i++)
		forest->sources[i].trees->untimed =
		    (forest->sources[i].known_count > 0 &&
			!forest->sources[i].made) &&
		    !is_json(&p);
	rc = options->path ? put_subtree(&p, fault) : put_all(&p);
	tl_tree_walk_free(&p.walk);
	tl_text_free(&p.path);
	return rc;
}

int
tl_tree_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_fault *fault)
{
	struct tl_tree_parts parts = { 0 };
	struct tl_forest forest;
	int rc = tl_tree_parts_read(&parts, inputs, &select->progress);

	if (rc == 0)
		rc = tl_forest_open(&forest, inputs, select);
	if (rc == 0) {
		rc = tl_tree_print(&forest, &parts, options, output, fault);
		tl_forest_close(&forest);
	}
	if (rc == 0)
		tl_tree_parts_report(&parts, inputs);
	tl_tree_parts_free(&parts);
	return rc;
}
