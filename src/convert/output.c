/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.c - where a conversion goes.
 */
#include "convert/convert.h"

#include "base/file.h"
#include "base/process.h"
#include "convert/replace.h"
#include "snap/compressed.h"
#include "trace/layout.h"
#include "trace/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Block signals while the files that they would remove are renamed. */
static void
hold_signals(sigset_t *before)
{
	sigset_t held;

	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGTERM);
	sigaddset(&held, SIGHUP);
	sigprocmask(SIG_BLOCK, &held, before);
}

static void
release_signals(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

const char tl_output_steers[] = "not for a terminal; use -o or a pipe";

/* The text of rc for the output. */
static int
explain(struct tl_fault *fault, int rc)
{
	const char *text = tl_file_error(rc);

	if (rc == -EEXIST)
		text = "exists already; --force replaces it";
	else if (rc == -ENOTEMPTY || rc == -ENOTDIR)
		text = "not the directory of a trace; not replaced";
	else if (rc == -EILSEQ)
		text = tl_output_steers;
	else if (rc == -ESTALE)
		text = "is no longer a trace; the old one is kept beside it";
	return tl_fail(fault, rc, "%s", text);
}

static int
open_stream(struct tl_output *output, const char *path)
{
	output->fd = tl_file_open_special(path ? path : "/dev/stdout");
	if (output->fd < 0)
		return output->fd;
	output->terminal = isatty(output->fd) == 1;
	output->kind = TL_OUTPUT_STREAM;
	return 0;
}

static int
open_file(struct tl_output *output)
{
	int rc = tl_file_new_begin(&output->file, output->path);

	if (rc < 0)
		return rc;
	output->fd = output->packed ? tl_file_unnamed() : output->file.fd;
	if (output->fd < 0) {
		tl_file_new_abort(&output->file);
		return output->fd;
	}
	output->kind = TL_OUTPUT_FILE;
	return 0;
}

static int
open_place(struct tl_output *output)
{
	static const char new[] = "/new";

	if ((size_t)snprintf(output->inside, TL_PATH_MAX, "%s.XXXXXX",
		output->path) >= TL_PATH_MAX - sizeof(new) - sizeof(".old"))
		return -ENAMETOOLONG;
	if (!mkdtemp(output->inside))
		return -errno;
	memcpy(output->made, output->inside, strlen(output->inside) + 1);
	strcat(output->made, new);
	output->kind = TL_OUTPUT_PLACE;
	return 0;
}

/* OUT as a path; that of a folder may end with slashes. */
static int
set_path(struct tl_output *output, const char *path)
{
	size_t size = strlen(path);

	if (size >= TL_PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(output->path, path, size + 1);
	while (output->folder && size > 1 && output->path[size - 1] == '/')
		output->path[--size] = '\0';
	return 0;
}

/* A saved timeline in a file whose name ends in .zst? */
static bool
is_packed(const struct tl_options *options)
{
	const size_t size = strlen(options->output);

	return strcmp(options->to->suffix, ".tl") == 0 && size > 4 &&
	       strcmp(options->output + size - 4, ".zst") == 0;
}

static int
open_named(struct tl_output *output, const struct tl_options *options)
{
	int rc = set_path(output, options->output);
	sigset_t before;

	if (rc == 0)
		rc = tl_replace_check(output->path, output->force,
		    output->folder);
	if (rc < 0)
		return rc;
	hold_signals(&before);
	rc = options->to->write_at ? open_place(output) : open_file(output);
	release_signals(&before);
	return rc;
}

int
tl_output_open(struct tl_output *output, const struct tl_options *options,
    struct tl_fault *fault)
{
	const bool special =
	    options->output && tl_file_is_special(options->output);
	int rc;

	*output = (struct tl_output){ .fd = -1,
		.force = options->force,
		.folder = options->to->flags & TL_FORMAT_FOLDER,
		.packed = options->output && is_packed(options),
		.indexed = options->to->flags & TL_FORMAT_INDEXED };
	if (special && !options->to->write_new)
		return tl_fail(fault, -EINVAL,
		    "%s cannot be written there: it is no file",
		    options->to->name);
	if (special || !options->output)
		rc = open_stream(output, options->output);
	else
		rc = open_named(output, options);
	if (rc == 0 && output->terminal &&
	    (options->to->flags & TL_FORMAT_BINARY)) {
		close(output->fd);
		output->kind = TL_OUTPUT_NONE;
		rc = -EILSEQ;
	}
	return rc < 0 ? explain(fault, rc) : 0;
}

/* Would a terminal do something else than show it?  Text has line breaks and
 * tabs; of other control characters C1 are two bytes of UTF-8. */
static bool
steers(struct tl_output *output, const unsigned char *data, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const unsigned char c = data[i];

		if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') ||
		    c == 0x7f || (output->half && c >= 0x80 && c <= 0x9f))
			return true;
		output->half = c == 0xc2;
	}
	return false;
}

int
tl_output_write(void *context, const char *data, size_t size)
{
	struct tl_output *output = context;

	if (output->terminal &&
	    steers(output, (const unsigned char *)data, size))
		return -EILSEQ;
	return tl_write_all(output->fd, data, size);
}

static int
rename_made(const struct tl_output *output, const char *made)
{
	if (!output->force)
		return tl_rename_new(made, output->path);
	if (output->folder)
		return tl_rename_trace(made, output->path);
	return tl_rename_over(made, output->path);
}

static int
close_file(struct tl_output *output, bool whole)
{
	int rc = 0;

	if (output->packed && whole)
		rc = tl_zst_write_fd(output->file.fd, output->fd, TL_ZST_LEVEL);
	/* some file systems have no modes */
	(void)tl_file_give_usual(output->file.fd);
	if (close(output->fd) < 0 && rc == 0)
		rc = -errno;
	if (output->packed && close(output->file.fd) < 0 && rc == 0)
		rc = -errno;
	if (whole && rc == 0)
		rc = rename_made(output, output->file.temporary);
	if (!whole || rc < 0)
		unlink(output->file.temporary);
	return rc;
}

static void
remove_place(const struct tl_output *output)
{
	tl_remove_flat(output->made); /* removed, unfinished, or the old OUT */
	tl_remove_flat(output->inside);
}

static int
close_place(struct tl_output *output, bool whole)
{
	const int rc = whole ? rename_made(output, output->made) : 0;

	if (whole && rc == 0) {
		/* Write the index of the output, if it has one. */
		char made[TL_PATH_MAX + sizeof(TL_TRACE_INDEX_SUFFIX)];
		char path[TL_PATH_MAX + sizeof(TL_TRACE_INDEX_SUFFIX)];

		snprintf(made, sizeof(made), "%s" TL_TRACE_INDEX_SUFFIX,
		    output->made);
		snprintf(path, sizeof(path), "%s" TL_TRACE_INDEX_SUFFIX,
		    output->path);
		/* There is one or not; without it the data is whole. */
		(void)rename(made, path);
	}
	if (rc != -ESTALE) /* another program's file is there */
		remove_place(output);
	return rc;
}

int
tl_output_close(struct tl_output *output, bool whole, struct tl_fault *fault)
{
	const int kind = output->kind;
	sigset_t before;
	int rc = 0;

	hold_signals(&before);
	if (kind == TL_OUTPUT_STREAM)
		rc = close(output->fd) < 0 ? -errno : 0;
	else if (kind == TL_OUTPUT_FILE)
		rc = close_file(output, whole);
	else if (kind == TL_OUTPUT_PLACE)
		rc = close_place(output, whole);
	output->kind = TL_OUTPUT_NONE;
	release_signals(&before);
	if (kind == TL_OUTPUT_FILE && output->indexed && whole && rc == 0) {
		/* A reader makes a missing index; the trace is whole
		 * without. */
		const struct tl_trace_read_options options = {
			.codecs = &tl_trace_zstd,
			.codec_count = 1
		};
		struct tl_fault unsaid = { 0 };
		struct tl_trace *trace;

		if (tl_trace_open(&trace, output->path, &options, &unsaid) == 0)
			tl_trace_close(trace);
	}
	return rc < 0 ? explain(fault, rc) : 0;
}

void
tl_output_abandon(struct tl_output *output)
{
	if (output->kind == TL_OUTPUT_FILE)
		unlink(output->file.temporary);
	else if (output->kind == TL_OUTPUT_PLACE)
		remove_place(output);
	output->kind = TL_OUTPUT_NONE;
}
