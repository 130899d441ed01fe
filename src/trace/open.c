/* SPDX-License-Identifier: Apache-2.0 */
/* open.c - open a trace from its two files. */
#include "base/file.h"
#include "trace/opened.h"
#include "trace/write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

unsigned
tl_trace_recognise(struct tl_bytes first)
{
	struct tl_data_in in = tl_data_in(first.data, first.size);

	return tl_data_u64(&in) == TL_TRACE_MAGIC && !in.bad ? 100 : 0;
}

/* Read the index, or rebuild it if it is missing or is not that of the data. */
static int
make_index(struct tl_trace *t, struct tl_storage *index)
{
	struct tl_fault fault = { .at = TL_FAULT_NOWHERE };
	struct tl_text *bytes = &t->index.bytes;
	int rc = -ENOENT;

	if (index && index->size > t->index.data->size * 8 + TL_PATH_MAX) {
		rc = -EBADMSG; /* too large for the index of any data */
	} else if (index) {
		char *to = tl_text_reserve(bytes, (size_t)index->size);
		int64_t n;

		if (!to) {
			bytes->rc = 0;
			return -ENOMEM;
		}
		n = tl_storage_read_at(index, to, (size_t)index->size, 0);
		bytes->size = n < 0 ? 0 : (size_t)n;
		rc = n < 0 ? (int)n : tl_index_parse(&t->index, &fault);
	}
	if (rc == 0 || rc == -ENOMEM || rc == -EPROTO)
		return rc;
	t->state = rc == -ENOENT ? TL_INDEX_MISSING : TL_INDEX_BROKEN;
	if (t->state == TL_INDEX_BROKEN)
		tl_trace_say(&t->options.report, 0, fault.at,
		    "the index is not used: %s",
		    fault.rc < 0 ? fault.text : "it cannot be read");
	return tl_index_rebuild(&t->index);
}

static int
make_roots(struct tl_trace *t)
{
	const size_t count = t->index.lane_count;

	t->trees.threads = calloc(count + 1, sizeof(*t->trees.threads));
	t->trees.roots = calloc(count + 1, sizeof(*t->trees.roots));
	if (!t->trees.threads || !t->trees.roots)
		return -ENOMEM;
	t->trees.count = count;
	for (size_t i = 0; i < count; i++) {
		const struct tl_trace_lane *lane = &t->index.lanes[i];
		struct tl_trace_thread *thread = &t->trees.threads[i];
		struct tl_context_thread known = { 0 };

		tl_context_thread(&t->context, lane->id, &known);
		*thread = (struct tl_trace_thread){ .id = lane->id,
			.pid = known.pid,
			.tid = known.tid,
			.name = known.name,
			.command = known.command,
			.size = lane->size,
			.min_ns = INT64_MAX,
			.max_ns = INT64_MIN };
		for (size_t k = 0; k < lane->block_count; k++) {
			const struct tl_trace_block *b = &lane->blocks[k].block;

			thread->events += b->events;
			if (b->min_ns < thread->min_ns)
				thread->min_ns = b->min_ns;
			if (b->max_ns > thread->max_ns)
				thread->max_ns = b->max_ns;
		}
		t->trees.roots[i].child_count = lane->children;
		t->trees.roots[i].content_end = lane->size;
		t->trees.roots[i].thread = (uint32_t)i;
	}
	return 0;
}

static int
open_parts(struct tl_trace *t, struct tl_storage *index, struct tl_fault *fault)
{
	uint8_t bytes[TL_TRACE_HEADER_SIZE];
	const int64_t n =
	    tl_storage_read_at(t->index.data, bytes, sizeof(bytes), 0);
	int rc;

	if (n < 0)
		return tl_fault(fault, (int)n, 0, "cannot be read");
	rc = tl_trace_header_get(&t->index.header, tl_bytes(bytes, (size_t)n),
	    fault);
	if (rc < 0)
		return rc;
	t->index.seed = tl_trace_seed(&t->index.header);
	rc = make_index(t, index);
	if (rc == 0)
		rc = make_roots(t);
	if (rc < 0)
		tl_fail(fault, rc,
		    rc == -EPROTO ? "its blocks are packed in a way that is "
				    "not known here"
				  : "the trace cannot be read");
	return rc;
}

static int
load_nodes(struct tl_trees *trees, struct tl_node *node, uint64_t first,
    uint64_t count)
{
	return tl_trace_load((struct tl_trace *)(void *)trees, node, first,
	    count);
}

int
tl_trace_open_storage(struct tl_trace **trace, struct tl_storage *data,
    struct tl_storage *index, const struct tl_trace_read_options *options,
    struct tl_fault *fault)
{
	struct tl_trace *t = calloc(1, sizeof(*t));
	int rc;

	if (!t) {
		tl_storage_close(data);
		tl_storage_close(index);
		return tl_fail(fault, -ENOMEM, "no memory");
	}
	t->options = *options;
	t->trees.load = load_nodes;
	t->trees.budget.max = options->memory_max;
	tl_context_init(&t->context);
	t->index.data = data;
	t->index.options = &t->options;
	t->index.context = &t->context;
	rc = open_parts(t, index, fault);
	tl_storage_close(index);
	if (rc < 0)
		tl_trace_close(t);
	else
		*trace = t;
	return rc;
}

void
tl_trace_close(struct tl_trace *t)
{
	if (!t)
		return;
	tl_trees_free(&t->trees);
	for (unsigned i = 0; i < TL_CACHE_BLOCKS; i++)
		tl_trace_block_release(t->cache[i]);
	tl_index_clear(&t->index);
	tl_text_free(&t->index.bytes);
	tl_context_free(&t->context);
	free(t->path);
	tl_storage_close(t->index.data);
	free(t);
}

static int
open_file(const char *path, struct tl_storage **storage)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int rc;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		rc = -errno;
	else if (!S_ISREG(st.st_mode))
		rc = S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	else
		rc = tl_storage_of_fd(storage, fd);
	close(fd);
	return rc;
}

int
tl_trace_open(struct tl_trace **trace, const char *path,
    const struct tl_trace_read_options *options, struct tl_fault *fault)
{
	struct tl_storage *data, *index = NULL;
	struct tl_text name = { 0 };
	int rc = open_file(path, &data);

	if (rc < 0)
		return tl_fail(fault, rc, "cannot be opened");
	tl_put_string(&name, path);
	tl_put_string(&name, TL_TRACE_INDEX_SUFFIX);
	if (name.rc == 0)
		open_file(tl_text_string(&name), &index);
	rc = tl_trace_open_storage(trace, data, index, options, fault);
	if (rc == 0 && !options->readonly) {
		/* without a path the index is not written back */
		(*trace)->path = strdup(path);
		tl_trace_write_back(*trace);
	}
	tl_text_free(&name);
	return rc;
}

enum tl_trace_index
tl_trace_index_state(const struct tl_trace *t)
{
	return t->state;
}

struct tl_bytes
tl_trace_index_bytes(const struct tl_trace *t)
{
	return tl_bytes(t->index.bytes.data, t->index.bytes.size);
}

const struct tl_trace_header *
tl_trace_header(const struct tl_trace *t)
{
	return &t->index.header;
}

struct tl_bytes
tl_trace_info(const struct tl_trace *t, const char *name)
{
	return tl_context_info(&t->context, name);
}

void
tl_trace_observed(const struct tl_trace *t, enum tl_order order,
    struct tl_observed_start *start)
{
	tl_observed_said(start, order,
	    tl_trace_info(t,
		order == TL_OLDEST_FIRST ? TL_TRACE_OBSERVED : TL_TRACE_ENDS));
}

size_t
tl_trace_knot_count(const struct tl_trace *t)
{
	return t->context.knot_count;
}

const struct timeline_knot *
tl_trace_knot(const struct tl_trace *t, size_t i)
{
	return &t->context.knots[i];
}

int
tl_trace_messages(struct tl_trace *trace, const struct tl_message ***messages,
    size_t *count)
{
	return tl_context_messages(&trace->context, messages, count);
}

size_t
tl_trace_thread_count(const struct tl_trace *t)
{
	return t->index.lane_count;
}

const struct tl_trace_thread *
tl_trace_thread(const struct tl_trace *t, size_t i)
{
	return &t->trees.threads[i];
}

uint64_t
tl_trace_damage(const struct tl_trace *t)
{
	return t->index.damage;
}

struct tl_trees *
tl_trace_trees(struct tl_trace *t)
{
	return &t->trees;
}

struct tl_node *
tl_trace_root(struct tl_trace *t, size_t thread)
{
	return &t->trees.roots[thread];
}
