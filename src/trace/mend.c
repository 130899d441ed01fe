/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mend.c - an index made again under a trace that is open, and written back.
 *
 * Where the blocks are is known for sure by then: only what stands in them is
 * learnt again, so that walks and cursors go on, and nodes stay.
 */
#include "trace/check.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static struct tl_trace_lane *
find_lane(const struct tl_index *x, int32_t id)
{
	for (size_t i = 0; i < x->lane_count; i++)
		if (x->lanes[i].id == id)
			return &x->lanes[i];
	return NULL;
}

static void
free_cells(struct tl_trace_lane *lane)
{
	free(lane->spans);
	free(lane->marks);
	free(lane->open);
	lane->spans = NULL;
	lane->marks = lane->open = NULL;
	lane->span_count = lane->span_capacity = 0;
	lane->mark_count = lane->mark_capacity = 0;
	lane->open_count = lane->open_capacity = 0;
}

/* The cells of a lane become those that were made; the others go. */
static void
take_cells(struct tl_trace_lane *lane, struct tl_trace_lane *made)
{
	const struct tl_trace_lane old = *lane;

	if (!made) { /* all of its blocks are damaged */
		free_cells(lane);
		lane->holes = true;
		return;
	}
	lane->spans = made->spans;
	lane->span_count = made->span_count;
	lane->span_capacity = made->span_capacity;
	lane->marks = made->marks;
	lane->mark_count = made->mark_count;
	lane->mark_capacity = made->mark_capacity;
	lane->open = made->open;
	lane->open_count = made->open_count;
	lane->open_capacity = made->open_capacity;
	lane->children = made->children;
	lane->holes |= made->holes;
	made->spans = old.spans;
	made->marks = old.marks;
	made->open = old.open;
}

static void
take_index(struct tl_trace *t, struct tl_index *made)
{
	const struct tl_text bytes = t->index.bytes;

	t->index.bytes = made->bytes;
	made->bytes = bytes;
	for (size_t i = 0; i < t->index.lane_count; i++) {
		struct tl_trace_lane *lane = &t->index.lanes[i];

		take_cells(lane, find_lane(made, lane->id));
		if (!t->roots[i].chunks)
			t->roots[i].child_count = lane->children;
	}
}

/* What is damaged was said already, or is when it is read. */
static int
make_again(struct tl_trace *t)
{
	struct tl_trace_read_options quiet = t->options;
	struct tl_index made = { .data = t->index.data,
		.options = &quiet,
		.header = t->index.header,
		.seed = t->index.seed,
		.context = &t->context };
	int rc;

	quiet.report.say = NULL;
	rc = tl_index_rebuild(&made);
	if (rc == 0)
		take_index(t, &made);
	tl_index_clear(&made);
	tl_text_free(&made.bytes);
	return rc;
}

void
tl_trace_mend(struct tl_trace *t, struct tl_trace_lane *lane)
{
	const struct tl_trace_report *report = &t->options.report;

	if (t->state == TL_INDEX_READ) {
		tl_trace_say(report, 0, TL_FAULT_NOWHERE,
		    "the index is not used: a cell of thread %" PRId32
		    " is not what it points to",
		    lane->id);
		if (make_again(t) == 0) {
			t->state = TL_INDEX_BROKEN;
			tl_trace_write_back(t);
			return;
		}
	} else {
		t->index.damage++; /* no writer wrote this */
	}
	lane->holes = true;
	tl_trace_say(report, 0, TL_FAULT_NOWHERE,
	    "thread %" PRId32 " is read without an index", lane->id);
}

/* Is it still this file, does nobody write it just now, and did nobody since
 * it was read?  The index would be theirs then. */
static bool
is_ours(const struct tl_trace *t, const char *path, struct stat *st)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint8_t bytes[TL_TRACE_HEADER_SIZE], same[TL_TRACE_HEADER_SIZE];
	bool ours;

	if (fd < 0)
		return false;
	tl_trace_header_put(same, &t->index.header);
	ours = fstat(fd, st) == 0 && flock(fd, LOCK_SH | LOCK_NB) == 0 &&
	       (uint64_t)st->st_size == t->index.data->size &&
	       pread(fd, bytes, sizeof(bytes), 0) == (ssize_t)sizeof(bytes) &&
	       memcmp(bytes, same, sizeof(bytes)) == 0;
	close(fd);
	return ours;
}

/* Who may read and write the data may do so with the index. */
static int
write_index(const struct tl_trace *t, const char *path, mode_t mode)
{
	const struct tl_bytes bytes = tl_trace_index_bytes(t);
	struct tl_file_new file;
	int rc = tl_file_new_begin(&file, path);

	if (rc < 0)
		return rc;
	rc = tl_write_at(file.fd, bytes.data, bytes.size, 0);
	if (rc == 0 && fchmod(file.fd, mode & 0666) < 0)
		rc = -errno;
	if (rc == 0)
		return tl_file_new_commit(&file);
	tl_file_new_abort(&file);
	return rc;
}

void
tl_trace_write_back(const struct tl_trace *t)
{
	struct tl_text name = { 0 };
	struct stat st;

	if (!t->path || t->state == TL_INDEX_READ || !is_ours(t, t->path, &st))
		return;
	tl_put_string(&name, t->path);
	tl_put_string(&name, TL_TRACE_INDEX_SUFFIX);
	if (name.rc == 0 &&
	    write_index(t, tl_text_string(&name), st.st_mode) == 0 &&
	    t->state == TL_INDEX_BROKEN)
		tl_trace_say(&t->options.report, 0, TL_FAULT_NOWHERE,
		    "the index was made again");
	tl_text_free(&name);
}
