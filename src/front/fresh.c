/* SPDX-License-Identifier: Apache-2.0 */
/* fresh.c - replace timelines of the same user, and leave all other files. */
#include "front/fresh.h"

#include "base/file.h"
#include "ring/ring.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int
tl_front_fresh(struct timeline **tl, const char *path,
    const struct timeline_options *options)
{
	char file[TL_PATH_MAX], resolved[TL_PATH_MAX];
	struct stat st;
	int rc;

	if (snprintf(file, sizeof(file), "%s%s", strchr(path, '/') ? "" : "./",
		path) >= (int)sizeof(file) ||
	    (rc = tl_name_path(file, resolved)) != 0)
		return tl_error(-EINVAL, "bad path \"%s\"", path);
	if (lstat(resolved, &st) == 0) {
		if (S_ISREG(st.st_mode) && st.st_uid != geteuid())
			return tl_error(-EPERM, "%s belongs to user %u",
			    resolved, (unsigned)st.st_uid);
		if ((rc = timeline_remove(resolved)) != 0 && rc != -ENOENT)
			return rc;
	}
	return timeline_new(tl, resolved, options);
}
