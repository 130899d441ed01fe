/* SPDX-License-Identifier: Apache-2.0 */
/* expand.c - globs over /dev/shm and other folders. */
#include "ship/expand.h"

#include "base/file.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#define SHM "/dev/shm/"

void
tl_expand(const char *name, tl_expand_found *found, void *context)
{
	char path[TL_PATH_MAX], shown[TL_PATH_MAX];
	glob_t paths;

	if (snprintf(shown, sizeof(shown), "%s%s", strchr(name, '/') ? "" : "/",
		name) >= (int)sizeof(shown) ||
	    tl_path_resolve(shown, path) != 0)
		return;
	if (!strpbrk(name, "*?[")) {
		found(context, path, false);
		return;
	}
	if (glob(path, 0, NULL, &paths) != 0)
		return;
	for (size_t i = 0; i < paths.gl_pathc; i++) {
		if (!found(context, paths.gl_pathv[i], true))
			break;
	}
	globfree(&paths);
}

const char *
tl_expand_name(const char *path)
{
	const size_t size = strlen(SHM);

	if (strncmp(path, SHM, size) == 0 && !strchr(path + size, '/'))
		return path + size;
	return path;
}
