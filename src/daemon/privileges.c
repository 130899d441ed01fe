/* SPDX-License-Identifier: Apache-2.0 */
/* privileges.c - give away every right that the daemon does not need. */
#include "daemon/privileges.h"

#include "base/text.h"

#include <cap-ng.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int
failed(struct tl_fault *fault, int rc, const char *what)
{
	return tl_fault(fault, rc, TL_FAULT_NOWHERE, "%s: %s", what,
	    strerror(-rc));
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
	return tl_fault(fault, errno ? -errno : -ENOENT, TL_FAULT_NOWHERE,
	    "no user '%s'", user);
}

static int
become(const struct passwd *user, struct tl_fault *fault)
{
	if (initgroups(user->pw_name, user->pw_gid) < 0 ||
	    setresgid(user->pw_gid, user->pw_gid, user->pw_gid) < 0 ||
	    setresuid(user->pw_uid, user->pw_uid, user->pw_uid) < 0)
		return failed(fault, -errno, "cannot become another user");
	return 0;
}

/* The bounding set can only be emptied by who has the right to; without it
 * no_new_privs alone keeps a program that we run from gaining anything. */
static void
empty_bounding_set(void)
{
	capng_clear(CAPNG_SELECT_ALL);
	capng_apply(CAPNG_SELECT_BOUNDS);
}

static int
empty_other_sets(struct tl_fault *fault)
{
	capng_clear(CAPNG_SELECT_ALL);
	if (capng_apply(CAPNG_SELECT_CAPS | CAPNG_SELECT_AMBIENT) < 0)
		return tl_fault(fault, -EPERM, TL_FAULT_NOWHERE,
		    "cannot give away capabilities");
	/* Ask the kernel and not the library. */
	if (capng_get_caps_process() < 0 ||
	    capng_have_capabilities(CAPNG_SELECT_CAPS) != CAPNG_NONE ||
	    capng_have_capabilities(CAPNG_SELECT_AMBIENT) == CAPNG_FULL)
		return tl_fault(fault, -EPERM, TL_FAULT_NOWHERE,
		    "capabilities are still there");
	return 0;
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
	empty_bounding_set();
	if (found && (rc = become(found, fault)) < 0)
		return rc;
	if ((rc = empty_other_sets(fault)) < 0)
		return rc;
	/* Whoever changes its user is hidden from it: no core dump, and
	 * /proc/self belongs to root.  There is no secret here to keep. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
		return failed(fault, -errno, "cannot become dumpable");
	return 0;
}
