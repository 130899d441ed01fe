/* SPDX-License-Identifier: Apache-2.0 */
/* info_host.h - the part of --info that tells of the host of a file. */
#ifndef TL_DUMP_INFO_HOST_H
#define TL_DUMP_INFO_HOST_H

#include "base/fields.h"
#include "source/hosts.h"

/* Which it is and what its clock is worth; of pairs, what they made of it. */
void tl_info_put_host(struct tl_fields *f, const struct tl_host *host);

#endif
