/* SPDX-License-Identifier: Apache-2.0 */
/* file.c - find out what a file is, and open it as that. */
#include "read/file.h"

#include "base/file.h"
#include "base/process.h"
#include "event/observe.h"
#include "snap/compressed.h"
#include "snap/frames.h"
#include "trace/chain/blocks.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FIRST_SIZE = 64, /* bytes by which the format is detected */
	WRITER_MS = 1000 /* that a FIFO may be without a writer */
};

/* The format of a file, by its first bytes. */
enum format { FORMAT_TIMELINE, FORMAT_COMPRESSED, FORMAT_TRACE, FORMAT_OTHER };

/* The file at hand. */
struct source {
	int fd; /* that can be read at any place; -1: memory */
	struct tl_bytes bytes;
	const char *path; /* of the file, where an index may lie beside it */
	char first[FIRST_SIZE];
	size_t first_size;
};

static int
fail(struct tl_fault *fault, int rc)
{
	return tl_fault(fault, rc, TL_FAULT_NOWHERE, "%s", tl_file_error(rc));
}

static enum format
recognise(const struct source *s)
{
	const uint64_t magic = TIMELINE_MAGIC;

	if (s->first_size >= sizeof(magic) &&
	    memcmp(s->first, &magic, sizeof(magic)) == 0)
		return FORMAT_TIMELINE;
	if (s->first_size >= 4 && tl_zst_is_magic((const uint8_t *)s->first))
		return FORMAT_COMPRESSED;
	if (tl_trace_recognise(tl_bytes(s->first, s->first_size)) > 0)
		return FORMAT_TRACE;
	return FORMAT_OTHER;
}

static int
refuse(const struct source *s, struct tl_fault *fault)
{
	if (s->first_size == 0)
		return tl_fault(fault, -ENODATA, TL_FAULT_NOWHERE,
		    "the file is empty");
	if (s->first_size >= 4 && memcmp(s->first, "PK\3\4", 4) == 0)
		return tl_fault(fault, -ENOTSUP, TL_FAULT_NOWHERE,
		    "a zip file: timeline-convert -o OUT.trace writes a packed "
		    "trace as one that can be read here");
	return tl_fault(fault, -ENOTSUP, TL_FAULT_NOWHERE,
	    "neither a timeline nor a trace: timeline-convert -o OUT.trace "
	    "writes other formats as a trace");
}

/* == memory as storage == */

struct memory {
	struct tl_storage storage; /* first: what callers hold */
	const uint8_t *data;
};

static int64_t
memory_read_at(struct tl_storage *storage, void *data, size_t size,
    uint64_t offset)
{
	const struct memory *m = (struct memory *)(void *)storage;

	if (offset >= storage->size)
		return 0;
	if (size > storage->size - offset)
		size = (size_t)(storage->size - offset);
	memcpy(data, m->data + offset, size);
	return (int64_t)size;
}

static void
memory_close(struct tl_storage *storage)
{
	free(storage);
}

static int
open_storage(const struct source *s, struct tl_storage **storage)
{
	struct memory *m;

	if (s->fd >= 0)
		return tl_storage_of_fd(storage, s->fd);
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	m->storage.size = s->bytes.size;
	m->storage.read_at = memory_read_at;
	m->storage.close = memory_close;
	m->data = (const uint8_t *)s->bytes.data;
	*storage = &m->storage;
	return 0;
}

/* == timelines == */

static int
follow(struct tl_read_file *file, const struct source *s, enum format format,
    const struct tl_read_plan *plan, struct tl_fault *fault)
{
	if (format != FORMAT_TIMELINE || s->fd < 0)
		return tl_fault(fault, -EINVAL, TL_FAULT_NOWHERE,
		    "only a live timeline can be followed");
	return tl_follow_open_fd(&file->follow, s->fd, plan->tail, fault);
}

/* Frames that are too large to be decoded in parts, as zstd(1) makes them, are
 * decoded into a file. */
static int
open_large_frames(struct tl_read_file *file, const struct source *s,
    const struct tl_read_plan *plan, struct tl_fault *fault)
{
	const int copy = tl_file_unnamed();
	int rc;

	*fault = (struct tl_fault){ .at = TL_FAULT_NOWHERE };
	if (copy < 0)
		return fail(fault, copy);
	rc = tl_write_all(copy, s->bytes.data, s->bytes.size);
	if (rc < 0)
		fail(fault, rc);
	else
		rc = tl_zst_snap_open_fd(&file->snap, copy, plan->tail, NULL,
		    fault);
	close(copy);
	return rc;
}

static int
open_timeline(struct tl_read_file *file, const struct source *s,
    enum format format, const struct tl_read_plan *plan, struct tl_fault *fault)
{
	struct tl_storage *storage, *decoded;
	int rc;

	if (s->fd >= 0)
		return tl_zst_snap_open_fd(&file->snap, s->fd, plan->tail, NULL,
		    fault);
	if ((rc = open_storage(s, &storage)) < 0)
		return fail(fault, rc);
	if (format == FORMAT_COMPRESSED) {
		rc = tl_zst_open(&decoded, storage, fault);
		if (rc == -EFBIG)
			return open_large_frames(file, s, plan, fault);
		if (rc < 0)
			return rc;
		storage = decoded;
	}
	return tl_snap_open_storage(&file->snap, storage, plan->tail, fault);
}

/* == traces == */

static int
open_chains(struct tl_read_file *file, const struct source *s,
    struct tl_fault *fault)
{
	struct tl_chains *chains;
	size_t count;
	int rc = tl_chains_open(&chains, s->fd, fault);

	if (rc < 0)
		return rc;
	count = tl_chains_count(chains);
	file->chains = calloc(count + 1, sizeof(*file->chains));
	for (size_t i = 0; file->chains && i < count; i++)
		file->chains[file->chain_count++] = tl_chains_take(chains, i);
	tl_chains_free(chains);
	return file->chains ? 0 : fail(fault, -ENOMEM);
}

static int
open_trace(struct tl_read_file *file, const struct source *s,
    const struct tl_read_plan *plan, struct tl_fault *fault)
{
	const struct tl_trace_read_options options = {
		.codecs = &tl_trace_zstd,
		.codec_count = 1,
		.report = plan->report,
		.memory_max = plan->memory_max,
	};
	struct tl_storage *data, *index = NULL;
	struct tl_text name = { 0 };
	int rc = s->fd < 0 ? 0 : tl_blocks_is_stream(s->fd, s->path);

	if (rc < 0)
		return fail(fault, rc);
	if (rc > 0)
		return open_chains(file, s, fault);
	if (s->path && !plan->is_readonly)
		return tl_trace_open(&file->trace, s->path, &options, fault);
	if ((rc = open_storage(s, &data)) < 0)
		return fail(fault, rc);
	if (s->path) {
		tl_put_string(&name, s->path);
		tl_put_string(&name, TL_TRACE_INDEX_SUFFIX);
		const int fd =
		    name.rc == 0 ? tl_open_read(tl_text_string(&name)) : -1;
		if (fd >= 0 && tl_storage_of_fd(&index, fd) < 0)
			index = NULL;
		if (fd >= 0)
			close(fd);
		tl_text_free(&name);
	}
	return tl_trace_open_storage(&file->trace, data, index, &options,
	    fault);
}

/* == whatever it is == */

static int
open_source(struct tl_read_file *file, const struct source *s,
    const struct tl_read_plan *plan, struct tl_fault *fault)
{
	const enum format format = recognise(s);
	int rc;

	if (format == FORMAT_OTHER)
		rc = refuse(s, fault);
	else if (plan->follow)
		rc = follow(file, s, format, plan, fault);
	else if (format == FORMAT_TRACE)
		rc = open_trace(file, s, plan, fault);
	else
		rc = open_timeline(file, s, format, plan, fault);
	if (rc < 0)
		*file = (struct tl_read_file){ 0 };
	return rc;
}

static int
open_pipe(struct tl_read_file *file, int fd, struct source *s,
    const struct tl_read_plan *plan, struct tl_fault *fault)
{
	struct pollfd waits = { .fd = fd, .events = POLLIN };
	int64_t n;
	int rc;

	(void)poll(&waits, 1, WRITER_MS);
	do {
		n = tl_read_waiting(fd, s->first + s->first_size,
		    sizeof(s->first) - s->first_size);
		if (n > 0)
			s->first_size += (size_t)n;
	} while (n > 0 && s->first_size < sizeof(s->first));
	if (n < 0)
		return fail(fault, (int)n);
	if (recognise(s) == FORMAT_OTHER)
		return refuse(s, fault);
	s->fd = tl_file_copy(fd, s->first, s->first_size);
	if (s->fd < 0)
		return fail(fault, s->fd);
	rc = open_source(file, s, plan, fault);
	close(s->fd);
	return rc;
}

static int
open_fd(struct tl_read_file *file, int fd, const char *path,
    const struct tl_read_plan *plan, struct tl_fault *fault)
{
	struct source s = { .fd = fd, .path = path };
	struct stat st;
	int64_t n;

	if (fstat(fd, &st) < 0)
		return fail(fault, -errno);
	if (S_ISDIR(st.st_mode))
		return fail(fault, -EISDIR);
	if (!S_ISREG(st.st_mode)) {
		s.path = NULL;
		return open_pipe(file, fd, &s, plan, fault);
	}
	n = tl_read_at(fd, s.first, sizeof(s.first), 0);
	if (n < 0)
		return fail(fault, (int)n);
	s.first_size = (size_t)n;
	return open_source(file, &s, plan, fault);
}

int
tl_read_file_open_fd(struct tl_read_file *file, int fd,
    const struct tl_read_plan *plan, struct tl_fault *fault)
{
	*file = (struct tl_read_file){ 0 };
	return open_fd(file, fd, NULL, plan, fault);
}

int
tl_read_file_open(struct tl_read_file *file, const char *path,
    const struct tl_read_plan *plan, struct tl_fault *fault)
{
	char resolved[TL_PATH_MAX];
	int fd, rc;

	*file = (struct tl_read_file){ 0 };
	if (strcmp(path, "-") == 0)
		return open_fd(file, STDIN_FILENO, NULL, plan, fault);
	if ((rc = tl_name_find(path, resolved)) < 0)
		return fail(fault, rc);
	if ((fd = tl_open_read(path)) < 0)
		return fail(fault, fd);
	rc = open_fd(file, fd, resolved, plan, fault);
	close(fd);
	return rc;
}

int
tl_read_file_open_memory(struct tl_read_file *file, struct tl_bytes bytes,
    const struct tl_read_plan *plan, struct tl_fault *fault)
{
	struct source s = { .fd = -1, .bytes = bytes };

	*file = (struct tl_read_file){ 0 };
	s.first_size = bytes.size < FIRST_SIZE ? bytes.size : FIRST_SIZE;
	if (s.first_size > 0)
		memcpy(s.first, bytes.data, s.first_size);
	return open_source(file, &s, plan, fault);
}

void
tl_read_file_close(struct tl_read_file *file)
{
	tl_snap_close(file->snap);
	tl_cursor_close(file->follow);
	tl_trace_close(file->trace);
	for (size_t i = 0; i < file->chain_count; i++)
		tl_chain_free(file->chains[i]);
	free(file->chains);
	*file = (struct tl_read_file){ 0 };
}

static int
open_chain(struct tl_chain *chain, enum tl_order order,
    struct tl_cursor **cursor)
{
	const int rc = tl_chain_cursor(chain, order, cursor);

	return rc < 0 ? rc : tl_observe_recording(order, cursor);
}

/* Each chain is of another process or host: their stamps do not compare. */
static int
open_all_chains(const struct tl_read_file *file, enum tl_order order,
    struct tl_cursor **cursor)
{
	const size_t count = file->chain_count;
	struct tl_cursor **cursors = calloc(count + 1, sizeof(*cursors));
	unsigned *clocks = calloc(count + 1, sizeof(*clocks));
	size_t opened = 0;
	int rc = cursors && clocks ? 0 : -ENOMEM;

	while (rc == 0 && opened < count) {
		clocks[opened] = (unsigned)opened;
		rc = open_chain(file->chains[opened], order, &cursors[opened]);
		opened += rc == 0;
	}
	if (rc == 0)
		rc = tl_merge_new(cursor, cursors, clocks, count, order);
	else
		while (opened > 0)
			tl_cursor_close(cursors[--opened]);
	free(cursors);
	free(clocks);
	return rc;
}

int
tl_read_file_cursor(const struct tl_read_file *file, enum tl_order order,
    struct tl_cursor **cursor)
{
	int rc;

	if (file->snap)
		return tl_snap_cursor(file->snap, order, cursor);
	if (file->trace) {
		rc = tl_trace_cursor(file->trace, order, cursor);
		return rc < 0 ? rc : tl_observe_recording(order, cursor);
	}
	if (file->chain_count == 1)
		return open_chain(file->chains[0], order, cursor);
	return open_all_chains(file, order, cursor);
}
