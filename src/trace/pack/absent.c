/* SPDX-License-Identifier: Apache-2.0 */
/*
 * absent.c - replaces this folder if timeline is built without libzip: a zip is
 * recognised and refused.
 */
#include "trace/pack/packed.h"

#include <errno.h>
#include <string.h>

static const char reason[] =
    "built without libzip: install libzip-dev and build again";

unsigned
tl_packed_recognise(struct tl_bytes first)
{
	return first.size >= 4 && memcmp(first.data, "PK\3\4", 4) == 0 ? 30 : 0;
}

int
tl_packed_open(struct tl_packed *packed, struct tl_storage *file,
    struct tl_fault *fault)
{
	*packed = (struct tl_packed){ 0 };
	tl_storage_close(file);
	return tl_fail(fault, -ENOTSUP, "%s", reason);
}

void
tl_packed_close(struct tl_packed *packed)
{
	(void)packed;
}

int
tl_packed_write_at(struct tl_writer **writer, const char *path,
    const struct tl_report *report)
{
	(void)path;
	*writer = NULL;
	tl_report_write(report, -ENOTSUP, TL_FAULT_NOWHERE, "%s", reason);
	return -ENOTSUP;
}
