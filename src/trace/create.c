/* SPDX-License-Identifier: Apache-2.0 */
/* create.c - the two files of a trace that is written. */
#include "base/file.h"
#include "base/terminal.h"
#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

struct files {
	int data;
	int index;
};

static int
append_data(void *context, const void *data, size_t size)
{
	const struct files *files = context;

	return tl_write_all(files->data, data, size);
}

static int
append_index(void *context, const void *data, size_t size)
{
	const struct files *files = context;

	return tl_write_all(files->index, data, size);
}

static void
close_files(void *context)
{
	struct files *files = context;

	if (files->data >= 0)
		close(files->data);
	if (files->index >= 0)
		close(files->index);
	free(files);
}

static int
open_new(const char *path, int *fd)
{
	*fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return *fd < 0 ? -errno : 0;
}

/* Open both or neither. */
static int
open_files(struct files *files, const char *data, const char *index)
{
	int rc = open_new(data, &files->data);

	if (rc < 0)
		return rc;
	/* Says, as long as this process lives, that it is not finished. */
	flock(files->data, LOCK_EX | LOCK_NB);
	rc = open_new(index, &files->index);
	if (rc < 0)
		unlink(data);
	return rc;
}

static int
make_writer(struct tl_trace_writer **writer, struct files *files,
    const struct tl_trace_options *options)
{
	struct tl_trace_options own = *options;
	int rc;

	own.data = append_data;
	own.index = append_index;
	own.context = files;
	rc = tl_trace_writer_new(writer, &own);
	if (rc == 0)
		(*writer)->release = close_files;
	return rc;
}

void
tl_trace_remove(const char *path)
{
	struct tl_text index = { 0 };

	tl_put_string(&index, path);
	tl_put_string(&index, TL_TRACE_INDEX_SUFFIX);
	unlink(path);
	if (index.rc == 0)
		unlink(tl_text_string(&index));
	tl_text_free(&index);
}

int
tl_trace_create(struct tl_trace_writer **writer, const char *path,
    const struct tl_trace_options *options)
{
	struct files *files = malloc(sizeof(*files));
	struct tl_text index = { 0 };
	int rc;

	if (!files)
		return -ENOMEM;
	*files = (struct files){ -1, -1 };
	tl_put_string(&index, path);
	tl_put_string(&index, TL_TRACE_INDEX_SUFFIX);
	rc = index.rc;
	if (rc == 0)
		rc = open_files(files, path, tl_text_string(&index));
	if (rc == 0) {
		rc = make_writer(writer, files, options);
		if (rc < 0)
			tl_trace_remove(path);
	}
	tl_text_free(&index);
	if (rc < 0)
		close_files(files);
	return rc;
}
