/* SPDX-License-Identifier: Apache-2.0 */
/* privileges.c - drop every right that the daemon does not need. */
#include "daemon/sandbox/sandbox.h"

#include "base/text.h"

#include <cap-ng.h>
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* == folders == */

/* Check an existing folder.  Root drops its rights, so a folder of another user
 * would fail later with an error that does not name the owner. */
static int
check_folder(const char *path, const struct passwd *user,
    struct tl_fault *fault)
{
	const uid_t uid = user ? user->pw_uid : geteuid();
	const struct passwd *owner;
	char name[64];
	struct stat st;

	if (geteuid() != 0 || stat(path, &st) != 0 || st.st_uid == uid ||
	    (st.st_mode & (S_IWGRP | S_IWOTH)))
		return 0;
	snprintf(name, sizeof(name), "%u", st.st_uid);
	if ((owner = getpwuid(st.st_uid)))
		snprintf(name, sizeof(name), "%s", owner->pw_name);
	return tl_fail(fault, -EACCES,
	    "%s belongs to user '%s': set user = \"%s\" in the configuration "
	    "and start timelined as root, or choose another directory",
	    path, name, name);
}

/* Make a folder, owned by the user, or check an existing folder. */
static int
make_folder(const char *path, mode_t mode, const struct passwd *user,
    struct tl_fault *fault)
{
	if (mkdir(path, mode) != 0)
		return errno == EEXIST
			   ? check_folder(path, user, fault)
			   : tl_fail(fault, -errno,
				 "cannot create the directory %s: %s", path,
				 strerror(errno));
	if (user && chown(path, user->pw_uid, user->pw_gid) != 0)
		return tl_fail(fault, -errno, "%s: %s", path, strerror(errno));
	return 0;
}

/* Create the folder of a socket. */
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

static int
find_user(const char *user, const struct passwd **found, struct tl_fault *fault)
{
	uint64_t number;

	errno = 0;
	*found = getpwnam(user);
	if (!*found && tl_parse_unsigned(user, &number) == 0 &&
	    number < UINT32_MAX)
		*found = getpwuid((uid_t)number);
	if (*found)
		return 0;
	return tl_fail(fault, errno ? -errno : -ENOENT, "unknown user '%s'",
	    user);
}

int
tl_user_find(const char *user, uid_t *uid, gid_t *gid, struct tl_fault *fault)
{
	const struct passwd *found;
	const int rc = find_user(user, &found, fault);

	if (rc == 0) {
		*uid = found->pw_uid;
		*gid = found->pw_gid;
	}
	return rc;
}

int
tl_daemon_prepare(const struct tl_config *config, struct tl_fault *fault)
{
	const struct passwd *user = NULL;
	int rc;

	if ((geteuid() == 0 && config->user &&
		(rc = find_user(config->user, &user, fault)) != 0) ||
	    (rc = make_folder_of(config->socket, user, fault)) != 0 ||
	    (rc = make_folder_of(config->page, user, fault)) != 0)
		return rc;
	return make_folder(config->directory, 0750, user, fault);
}

/* == rights == */

static int
failed(struct tl_fault *fault, int rc, const char *what)
{
	return tl_fail(fault, rc, "%s: %s", what, strerror(-rc));
}

int
tl_privileges_drop(const char *user, struct tl_fault *fault)
{
	const struct passwd *found = NULL;
	int rc;

	if (geteuid() != 0)
		user = NULL;
	if (user && (rc = find_user(user, &found, fault)) < 0)
		return rc;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return failed(fault, -errno, "cannot set no_new_privs");

	/* Only a process with CAP_SETPCAP can empty the bounding set.  Without
	 * an empty bounding set, no_new_privs alone keeps programs that we run
	 * from gaining rights. */
	capng_clear(CAPNG_SELECT_ALL);
	capng_apply(CAPNG_SELECT_BOUNDS);

	if (found &&
	    (initgroups(found->pw_name, found->pw_gid) < 0 ||
		setresgid(found->pw_gid, found->pw_gid, found->pw_gid) < 0 ||
		setresuid(found->pw_uid, found->pw_uid, found->pw_uid) < 0))
		return failed(fault, -errno, "cannot change to the user");
	capng_clear(CAPNG_SELECT_ALL);
	if (capng_apply(CAPNG_SELECT_CAPS | CAPNG_SELECT_AMBIENT) < 0)
		return tl_fail(fault, -EPERM, "cannot drop capabilities");
	/* Read the sets back from the kernel. */
	if (capng_get_caps_process() < 0 ||
	    capng_have_capabilities(CAPNG_SELECT_CAPS) != CAPNG_NONE ||
	    capng_have_capabilities(CAPNG_SELECT_AMBIENT) == CAPNG_FULL)
		return tl_fail(fault, -EPERM, "capabilities were not dropped");
	/* A process that changed its user is not dumpable: it leaves no core,
	 * and /proc/self belongs to root.  This process holds no secret of
	 * root. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
		return failed(fault, -errno, "cannot become dumpable");
	return 0;
}
