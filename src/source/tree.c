/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - make a recorded trace in unnamed files. */
#include "source/tree.h"

#include "base/file.h"

#include <unistd.h>

int
tl_tree_make(struct tl_trace **trace,
    const struct tl_trace_read_options *options,
    int (*write)(void *context, struct tl_trace_writer *writer), void *context)
{
	struct tl_trace_files files = { tl_file_unnamed(), tl_file_unnamed() };
	const struct tl_trace_options as = { .strategy = TL_TRACE_STREAMING,
		.data = tl_trace_files_data,
		.index = tl_trace_files_index,
		.context = &files };
	struct tl_storage *data = NULL, *index = NULL;
	struct tl_trace_writer *writer;
	struct tl_fault fault = { 0 };
	int rc = files.data < 0    ? files.data
		 : files.index < 0 ? files.index
				   : 0;

	if (rc == 0 && (rc = tl_trace_writer_new(&writer, &as)) == 0) {
		rc = write(context, writer);
		tl_trace_writer_free(writer);
	}
	if (rc == 0 && (rc = tl_storage_of_fd(&data, files.data)) == 0 &&
	    (rc = tl_storage_of_fd(&index, files.index)) == 0)
		rc = tl_trace_open_storage(trace, data, index, options, &fault);
	else
		tl_storage_close(data);
	if (files.data >= 0)
		close(files.data);
	if (files.index >= 0)
		close(files.index);
	return rc;
}
