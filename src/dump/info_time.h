/* SPDX-License-Identifier: Apache-2.0 */
/*
 * info_time.h - the part of --info that tells of time: levels and clock.
 */
#ifndef TL_DUMP_INFO_TIME_H
#define TL_DUMP_INFO_TIME_H

#include "base/fields.h"
#include "dump/levels.h"

void tl_info_put_clock(struct tl_fields *fields, const struct tl_snap *snap);
void tl_info_put_levels(struct tl_fields *fields,
    const struct timeline_header *header, const struct tl_levels *levels);

#endif
