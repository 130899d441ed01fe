/* SPDX-License-Identifier: Apache-2.0 */
/*
 * absent.c - replaces this folder if libsqlite3 was not found when timeline was
 * built.
 */
#include "format/sqlite/write.h"

#include <errno.h>

int
tl_sqlite_write_new(struct tl_writer **writer, const char *path,
    const struct tl_report *report)
{
	(void)path;
	*writer = NULL;
	tl_report_write(report, -ENOTSUP, TL_FAULT_NOWHERE,
	    "built without SQLite: install libsqlite3-dev and build again");
	return -ENOTSUP;
}
