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

/* The folder that a socket is to lie in. */
static int
make_folder_of(const char *socket, const struct passwd *user,
    struct tl_fault *fault)
{
	char folder[PATH_MAX];
	char *slash;

	if (!socket)
		return 0;
	snprintf(folder, sizeof(folder), "%s", socket);
	slash = strrchr(folder, '/');
	if (!slash || slash == folder)
		return 0;
	*slash = '\0';
	return make_folder(folder, 0755, user, fault);
}

int
tl_daemon_prepare(const struct tl_config *config, struct tl_fault *fault)
{
	const struct passwd *user = NULL;
	int rc;

	if (geteuid() == 0 && config->user)
		user = getpwnam(config->user);
	if ((rc = make_folder_of(config->socket, user, fault)) != 0 ||
	    (rc = make_folder_of(config->page, user, fault)) != 0)
		return rc;
	return make_folder(config->directory, 0750, user, fault);
}
