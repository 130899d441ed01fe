/* SPDX-License-Identifier: Apache-2.0 */
/* save.c - timeline_save: a frozen copy under an ordinary name. */
#include "base/file.h"
#include "ring/ring.h"
#include "snap/take.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int
timeline_save(struct timeline *tl, const char *filename)
{
	struct tl_take take = { .close_clock = true };
	struct tl_file_new file;
	struct tl_faults *faults = calloc(1, sizeof(*faults));
	int rc = -ENOMEM;

	if (!faults)
		return tl_error(rc, "no memory to save a timeline");
	tl_clock_visit(tl);
	if ((rc = tl_file_new_begin(&file, filename)) == 0) {
		rc = tl_take(&take, tl->fd, &tl->geometry, file.fd, faults);
		if (rc == 0)
			rc = tl_file_new_commit(&file);
		else
			tl_file_new_abort(&file);
		free(take.heads);
	}
	free(faults);
	if (rc != 0)
		return tl_error(rc, "cannot save %s: %s", filename,
		    strerror(-rc));
	return 0;
}
