/* SPDX-License-Identifier: Apache-2.0 */
/*
 * absent.c - stands for target where libcurl was not found when timeline was
 * built.
 */
#include "ship/target/target.h"

#include <errno.h>

int
tl_click_target_new(struct tl_target **target,
    const struct tl_target_options *options, struct tl_fault *fault)
{
	(void)options;
	*target = NULL;
	return tl_fail(fault, -ENOTSUP,
	    "built without ClickHouse: install libcurl4-openssl-dev and build "
	    "again");
}
