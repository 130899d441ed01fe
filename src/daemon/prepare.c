/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prepare.c - the folders that the daemon writes to, made while it may still
 * make them.
 */
#include "daemon/start.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder of the user's own, if there is none. */
static int
make_folder(const char *path, mode_t mode, const struct passwd *user,
    struct tl_fault *fault)
{
	if (mkdir(path, mode) != 0)
		return errno == EEXIST
			   ? 0
			   : tl_fault(fault, -errno, TL_FAULT_NOWHERE,
				 "cannot make the folder %s: %s", path,
				 strerror(errno));
	if (user && chown(path, user->pw_uid, user->pw_gid) != 0)
		return tl_fault(fault, -errno, TL_FAULT_NOWHERE, "%s: %s", path,
		    strerror(errno));
	return 0;
}

int
tl_daemon_prepare(const struct tl_config *config, struct tl_fault *fault)
{
	const struct passwd *user = NULL;
	char folder[PATH_MAX];
	char *slash;
	int rc = 0;

	if (geteuid() == 0 && config->user)
		user = getpwnam(config->user);
	if (config->socket) {
		snprintf(folder, sizeof(folder), "%s", config->socket);
		slash = strrchr(folder, '/');
		if (slash && slash != folder) {
			*slash = '\0';
			rc = make_folder(folder, 0755, user, fault);
		}
	}
	return rc ? rc : make_folder(config->directory, 0750, user, fault);
}
