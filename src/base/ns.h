/* SPDX-License-Identifier: Apache-2.0 */
/* ns.h - the number of nanoseconds in each unit of time. */
#ifndef TL_BASE_NS_H
#define TL_BASE_NS_H

#include <stdint.h>

#define TL_NS_PER_US INT64_C(1000)
#define TL_NS_PER_MS INT64_C(1000000)
#define TL_NS_PER_S  INT64_C(1000000000)
#define TL_NS_PER_H  (3600 * TL_NS_PER_S)

#endif
