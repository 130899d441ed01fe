/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - make a recorded trace in unnamed files. */
#include "source/tree.h"

#include "base/file.h"

#include <unistd.h>

static int
open_files(struct tl_trace_files *files)
{
	files->data = tl_file_unnamed();
	if (files->data < 0)
		return files->data;
	files->index = tl_file_unnamed();
	if (files->index >= 0)
		return 0;
	close(files->data);
	return files->index;
}

static int
write_trace(struct tl_trace_files *files,
    int (*write)(void *context, struct tl_trace_writer *writer), void *context)
{
	const struct tl_trace_options options = { .strategy =
						      TL_TRACE_STREAMING,
		.data = tl_trace_files_data,
		.index = tl_trace_files_index,
		.context = files };
	struct tl_trace_writer *writer;
	int rc = tl_trace_writer_new(&writer, &options);

	if (rc < 0)
		return rc;
	rc = write(context, writer);
	tl_trace_writer_free(writer);
	return rc;
}

static int
open_written(struct tl_trace **trace, const struct tl_trace_files *files,
    const struct tl_trace_read_options *options)
{
	struct tl_storage *data, *index;
	struct tl_fault fault = { 0 };
	int rc = tl_storage_of_fd(&data, files->data);

	if (rc < 0)
		return rc;
	rc = tl_storage_of_fd(&index, files->index);
	if (rc < 0) {
		tl_storage_close(data);
		return rc;
	}
	return tl_trace_open_storage(trace, data, index, options, &fault);
}

int
tl_tree_make(struct tl_trace **trace,
    const struct tl_trace_read_options *options,
    int (*write)(void *context, struct tl_trace_writer *writer), void *context)
{
	struct tl_trace_files files;
	int rc = open_files(&files);

	if (rc < 0)
		return rc;
	rc = write_trace(&files, write, context);
	if (rc == 0)
		rc = open_written(trace, &files, options);
	close(files.data);
	close(files.index);
	return rc;
}
