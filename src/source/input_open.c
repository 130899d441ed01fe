/* SPDX-License-Identifier: Apache-2.0 */
/* input_open.c - find out what a file is, and open it as that. */
#include "base/file.h"
#include "base/terminal.h"
#include "snap/compressed.h"
#include "snap/frames.h"
#include "source/input.h"
#include "trace/chain/blocks.h"
#include "trace/layout.h"
#include "trace/pack/packed.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	COPY_SIZE = 256 << 10,
	WRITER_MS = 1000 /* that a FIFO may have no writer */
};

/* What is known of the file. */
struct opened {
	int fd;
	bool is_regular;
	char first[TL_FORMATS_FIRST_SIZE];
	size_t first_size;
};

static int
fail(struct tl_input *input, int rc)
{
	return tl_fault(&input->fault, rc, TL_FAULT_NOWHERE, "%s",
	    strerror(-rc));
}

/* A timeline, compressed or not?  Only the first words tell. */
static bool
is_timeline(const struct opened *o)
{
	const uint64_t magic = TIMELINE_MAGIC;

	return (o->first_size >= sizeof(magic) &&
		   memcmp(o->first, &magic, sizeof(magic)) == 0) ||
	       (o->first_size >= 4 &&
		   tl_zst_is_magic((const uint8_t *)o->first));
}

static bool
is_packed(const struct opened *o)
{
	return tl_packed_recognise(tl_bytes(o->first, o->first_size)) > 0;
}

static bool
is_trace(const struct opened *o)
{
	return tl_trace_recognise(tl_bytes(o->first, o->first_size)) > 0 ||
	       is_packed(o);
}

/* May there be an index beside it? */
static bool
is_beside(const struct tl_input *input, const struct opened *o)
{
	return o->is_regular && strcmp(input->name, "-") != 0 && !is_packed(o);
}

/* Who writes to a FIFO may come a little later than we. */
static void
wait_for_writer(int fd)
{
	struct pollfd fifo = { .fd = fd, .events = POLLIN };

	(void)poll(&fifo, 1, WRITER_MS);
}

static int
read_first(struct opened *o)
{
	struct stat status;
	int64_t n = 1;

	if (fstat(o->fd, &status) < 0)
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	o->is_regular = S_ISREG(status.st_mode);
	if (S_ISFIFO(status.st_mode))
		wait_for_writer(o->fd);
	while (o->first_size < sizeof(o->first) && n > 0) {
		n = tl_read_waiting(o->fd, o->first + o->first_size,
		    sizeof(o->first) - o->first_size);
		if (n > 0)
			o->first_size += (size_t)n;
	}
	return n < 0 ? (int)n : 0;
}

/* A timeline is read here and there, so one that comes through a pipe is
 * copied first. */
static int
copy_pipe(const struct opened *o)
{
	static char piece[COPY_SIZE];
	const int copy = tl_file_unnamed();
	int64_t n = 0;
	int rc;

	if (copy < 0)
		return copy;
	rc = tl_write_all(copy, o->first, o->first_size);
	while (
	    rc == 0 && (n = tl_read_waiting(o->fd, piece, sizeof(piece))) > 0)
		rc = tl_write_all(copy, piece, (size_t)n);
	if (rc == 0 && n == 0)
		return copy;
	close(copy);
	return rc < 0 ? rc : (int)n;
}

static void
open_timeline(struct tl_input *input, const struct opened *o,
    const struct tl_input_plan *plan)
{
	const int fd = o->is_regular ? o->fd : copy_pipe(o);
	bool compressed = false;
	int rc;

	if (fd < 0) {
		fail(input, fd);
		return;
	}
	rc = tl_zst_snap_open_fd(&input->snap, fd, plan->tail, &compressed,
	    &input->fault);
	if (fd != o->fd)
		close(fd);
	if (rc < 0) {
		input->snap = NULL;
	} else if (plan->follow && compressed) {
		/* who follows would take it for a plain one */
		tl_input_close(input);
		tl_fault(&input->fault, -EINVAL, TL_FAULT_NOWHERE,
		    "a saved timeline does not grow");
	} else if (plan->check && (rc = tl_snap_check(input->snap)) < 0) {
		fail(input, rc);
	}
}

/* What is wrong with a trace. */
static void
note(void *context, const struct tl_fault *fault)
{
	struct tl_input *input = context;

	*tl_faults_next(input->faults) = *fault;
}

/* Has the file an index of as many bytes as it has?  Then it is one trace. */
static bool
has_index(const char *path, uint64_t size)
{
	uint8_t end[TL_INDEX_FOOTER_SIZE];
	struct tl_text name = { 0 };
	struct tl_cell cell = { 0 };
	struct stat st;
	int fd;

	tl_put_string(&name, path);
	tl_put_string(&name, TL_TRACE_INDEX_SUFFIX);
	fd = name.rc == 0 ? tl_open_read(tl_text_string(&name)) : -1;
	tl_text_free(&name);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && st.st_size > (off_t)sizeof(end) &&
	    tl_read_at(fd, end, sizeof(end),
		(uint64_t)st.st_size - sizeof(end)) == sizeof(end))
		cell = tl_cell_get(end);
	close(fd);
	return cell.kind == TL_TRACE_EOF && cell.start == (int64_t)size;
}

/* Is there more in the file than the trace that it begins with? */
static int
is_stream(const struct tl_input *input, const struct opened *o, int fd)
{
	const struct tl_trace_report nobody = { NULL, NULL };
	struct tl_blocks blocks;
	struct stat st;
	uint64_t size;
	int rc;

	if (input->is_packed)
		return 0;
	if (fstat(fd, &st) < 0)
		return -errno;
	size = (uint64_t)st.st_size;
	if (is_beside(input, o) && has_index(input->name, size))
		return 0;
	tl_blocks_init(&blocks, fd, &nobody);
	rc = tl_blocks_next(&blocks, size, true);
	if (rc > 0)
		rc = blocks.trace.at > 0 || blocks.trace.size < size;
	tl_blocks_free(&blocks);
	return rc;
}

/* The first of its timelines; those who want them take the others. */
static int
read_stream(struct tl_input *input, int fd)
{
	struct tl_chains *chains;
	int rc = tl_chains_open(&chains, fd, &input->fault);

	if (rc < 0)
		return rc;
	rc = tl_input_take(input, tl_chains_take(chains, 0));
	input->others = chains;
	return rc < 0 ? fail(input, rc) : 0;
}

static int
read_storage(struct tl_input *input, int fd,
    const struct tl_trace_read_options *options)
{
	struct tl_storage *copy;
	const int rc = tl_storage_of_fd(&copy, fd);

	if (rc < 0)
		return fail(input, rc);
	return input->is_packed ? tl_packed_open_trace(&input->trace, NULL,
				      copy, options, &input->fault)
				: tl_trace_open_storage(&input->trace, copy,
				      NULL, options, &input->fault);
}

/* With the index beside it, unless it came through a pipe. */
static int
read_trace(struct tl_input *input, const struct opened *o,
    const struct tl_trace_read_options *options)
{
	const int fd = o->is_regular ? o->fd : copy_pipe(o);
	int rc;

	if (fd < 0)
		return fail(input, fd);
	input->is_packed = is_packed(o);
	rc = is_stream(input, o, fd);
	if (rc > 0)
		rc = read_stream(input, fd);
	else if (rc < 0)
		fail(input, rc);
	else if (is_beside(input, o))
		rc = tl_trace_open(&input->trace, input->name, options,
		    &input->fault);
	else
		rc = read_storage(input, fd, options);
	if (fd != o->fd)
		close(fd);
	return rc;
}

static void
open_trace(struct tl_input *input, const struct opened *o,
    const struct tl_input_plan *plan)
{
	const struct tl_trace_read_options options = {
		.codecs = &tl_trace_zstd,
		.codec_count = 1,
		.report = { note, input },
	};
	int rc;

	if (plan->follow) {
		tl_fault(&input->fault, -EINVAL, TL_FAULT_NOWHERE,
		    "a recorded trace is not followed");
		return;
	}
	input->faults = calloc(1, sizeof(*input->faults));
	if (!input->faults) {
		fail(input, -ENOMEM);
		return;
	}
	if (read_trace(input, o, &options) < 0)
		tl_input_close(input);
	else if (input->trace &&
		 (rc = tl_trace_messages(input->trace, &input->messages,
		      &input->message_count)) < 0)
		fail(input, rc);
}

static void
open_foreign(struct tl_input *input, const struct opened *o,
    const struct tl_format_row *format, const struct tl_input_plan *plan)
{
	const struct tl_import_plan import = { .format = format,
		.name = input->name,
		.first = tl_bytes(o->first, o->first_size),
		.fd = o->fd,
		.has_place = o->is_regular && strcmp(input->name, "-") != 0,
		.progress = plan->progress };

	if (plan->follow)
		tl_fault(&input->fault, -EINVAL, TL_FAULT_NOWHERE,
		    "a file of another format does not grow");
	else if (tl_import_new(&input->import, &import, &input->fault) < 0)
		input->import = NULL;
}

/* A packed trace of another format: false, it is none. */
static bool
open_packed_foreign(struct tl_input *input, const struct opened *o,
    const struct tl_input_plan *plan)
{
	struct tl_import_plan import = { .name = input->name,
		.fd = -1,
		.progress = plan->progress };
	struct tl_fault ignored = { 0 };
	struct tl_storage *file;
	struct tl_packed packed;
	char first[TL_FORMATS_FIRST_SIZE];
	int64_t n = -1;

	if (tl_storage_of_fd(&file, o->fd) < 0)
		return false;
	if (tl_packed_open(&packed, file, &ignored) < 0)
		return false;
	import.storage = packed.data;
	import.beside = packed.index;
	n = tl_storage_read_at(packed.data, first, sizeof(first), 0);
	import.first = tl_bytes(first, n > 0 ? (size_t)n : 0);
	import.format = tl_formats_recognise(import.first);
	if (!import.format || !import.format->read_new ||
	    !(import.format->flags & TL_FORMAT_PACKED)) {
		tl_packed_close(&packed);
		return false;
	}
	if (tl_import_new(&input->import, &import, &input->fault) < 0)
		input->import = NULL;
	tl_packed_close(&packed);
	return true;
}

/* A zip is read here and there: one that comes through a pipe is copied. */
static void
open_packed(struct tl_input *input, const struct opened *o,
    const struct tl_input_plan *plan)
{
	struct opened copy = *o;

	if (!o->is_regular) {
		copy.fd = copy_pipe(o);
		copy.is_regular = true;
	}
	if (copy.fd < 0)
		fail(input, copy.fd);
	else if (plan->follow || !open_packed_foreign(input, &copy, plan))
		open_trace(input, &copy, plan);
	if (copy.fd >= 0 && copy.fd != o->fd)
		close(copy.fd);
}

static void
open_as(struct tl_input *input, const struct opened *o,
    const struct tl_input_plan *plan)
{
	const struct tl_format_row *format = plan->format;

	if (!format && !is_timeline(o) && !is_trace(o))
		format =
		    tl_formats_recognise(tl_bytes(o->first, o->first_size));
	if (is_packed(o) &&
	    (!format || format->flags & (TL_FORMAT_PACKED | TL_FORMAT_TRACE)))
		open_packed(input, o, plan);
	else if (format ? format->flags & TL_FORMAT_TRACE : is_trace(o))
		open_trace(input, o, plan);
	else if (format && format->read_new)
		open_foreign(input, o, format, plan);
	else if (format || is_timeline(o))
		open_timeline(input, o, plan);
	else
		tl_fault(&input->fault, -EBADMSG, 0,
		    o->first_size == 0
			? "not a timeline: it is empty"
			: "not a timeline, nor of a format that is read");
}

/* == what comes from a server == */

static int
spool(const struct tl_remote *remote)
{
	const struct opened o = { .fd = remote->fd };

	return copy_pipe(&o);
}

/* What has come is shown, even if it is not all. */
static void
open_copy(struct tl_input *input, int fd, const struct tl_fault *why)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		fail(input, -errno);
	else if (st.st_size == 0 && why->rc < 0)
		input->fault = *why;
	else if (st.st_size == 0)
		tl_fault(&input->fault, -ENODATA, TL_FAULT_NOWHERE,
		    "there is nothing that was asked for");
	else if (read_stream(input, fd) == 0 && why->rc < 0)
		tl_chain_say(input->chain, why->rc, TL_FAULT_NOWHERE, "%s",
		    why->text);
}

static void
open_remote(struct tl_input *input, const struct tl_input_plan *plan)
{
	static const struct tl_remote_plan all = { .since_ns = INT64_MIN,
		.until_ns = INT64_MAX };
	struct tl_fault why = { 0 };
	struct tl_remote remote;
	int fd;

	if (tl_remote_open(&remote, input->name,
		plan->remote ? plan->remote : &all, &input->fault) < 0)
		return;
	fd = spool(&remote);
	tl_remote_close(&remote, fd < 0, &why);
	if (fd < 0) {
		fail(input, fd);
		return;
	}
	open_copy(input, fd, &why);
	close(fd);
}

/* == whatever it is == */

/* Does it come through a pipe? */
static bool
is_pipe(const char *path)
{
	char resolved[TL_PATH_MAX];
	struct stat st;

	if (strcmp(path, "-") == 0)
		return fstat(STDIN_FILENO, &st) == 0 &&
		       (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
	return tl_path_resolve(path, resolved) == 0 &&
	       stat(resolved, &st) == 0 && S_ISFIFO(st.st_mode);
}

static void
open_file(struct tl_input *input, const struct tl_input_plan *plan)
{
	const bool is_standard = strcmp(input->name, "-") == 0;
	struct opened o = { .fd = is_standard ? STDIN_FILENO
					      : tl_open_read(input->name) };
	int rc;

	if (o.fd < 0) {
		fail(input, o.fd);
		return;
	}
	rc = read_first(&o);
	if (rc < 0)
		fail(input, rc);
	else
		open_as(input, &o, plan);
	if (!is_standard)
		close(o.fd);
}

void
tl_input_open(struct tl_input *input, const char *path,
    const struct tl_input_plan *plan)
{
	const bool is_remote = tl_remote_is_name(path);

	*input = (struct tl_input){ .name = path, .file = path };
	if (plan->follow && (is_remote || is_pipe(path)))
		input->is_stream = true;
	else if (is_remote)
		open_remote(input, plan);
	else
		open_file(input, plan);
}
