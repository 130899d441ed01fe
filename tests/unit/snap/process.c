/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - which processes may write a file, from /proc. */
#include "snap/process.h"

#include "lib/test.h"

#include <unistd.h>

static struct stat
file(uid_t uid, gid_t gid, mode_t mode)
{
	return (struct stat){ .st_uid = uid, .st_gid = gid, .st_mode = mode };
}

TEST(a_process_writes_what_its_user_and_groups_may)
{
	const uint32_t me = (uint32_t)getpid();
	const uid_t uid = geteuid(), other_uid = uid + 12345;
	const gid_t gid = getegid(), other_gid = 3999999999U;
	const struct {
		struct stat file;
		bool may;
	} cases[] = {
		{ file(uid, other_gid, 0600), true },
		{ file(uid, other_gid, 0066), false },
		{ file(other_uid, gid, 0660), true },
		{ file(other_uid, gid, 0640), false },
		{ file(other_uid, gid, 0606), false },
		{ file(other_uid, other_gid, 0660), false },
		{ file(other_uid, other_gid, 0602), true },
		{ file(other_uid, other_gid, 0664), false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_int_eq(tl_process_may_write(me, &cases[i].file),
		    cases[i].may);
	/* a pid that is not in use, and pid 0 */
	ck_assert(!tl_process_may_write(0x7ffffff0, &cases[6].file));
	ck_assert(!tl_process_may_write(0, &cases[6].file));
}
