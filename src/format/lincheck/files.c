/* SPDX-License-Identifier: Apache-2.0 */
/* lincheck_files.c - the two files of a Lincheck trace, neither there yet. */
#include "format/lincheck/lincheck.h"
#include "format/lincheck/write.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* The descriptor, or -errno. */
static int
make_file(const char *path)
{
	const int fd =
	    open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	return fd < 0 ? -errno : fd;
}

/* Both files, or none. */
static int
make_files(const char *path, const char *index_path, int *data, int *index)
{
	*data = make_file(path);
	if (*data < 0)
		return *data;
	*index = make_file(index_path);
	if (*index >= 0)
		return 0;
	close(*data);
	unlink(path);
	return *index;
}

int
tl_lincheck_write_at(struct tl_writer **writer, const char *path,
    const struct tl_report *report)
{
	struct tl_text index_path = { 0 };
	int data, index, rc;

	tl_put_string(&index_path, path);
	tl_put_string(&index_path, TL_LINCHECK_INDEX_SUFFIX);
	rc = index_path.rc;
	if (rc == 0)
		rc = make_files(path, tl_text_string(&index_path), &data,
		    &index);
	if (rc == 0) {
		rc = tl_lincheck_write_files(writer, data, index, report);
		if (rc < 0) {
			close(data);
			close(index);
		}
	}
	tl_text_free(&index_path);
	return rc;
}
