/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h - where timelined listens and timelinectl speaks.
 */
#ifndef TL_BASE_CONTROL_H
#define TL_BASE_CONTROL_H

/* Unless TIMELINED_SOCKET in the environment says otherwise. */
#define TL_CONTROL_SOCKET "/run/timeline/timelined.sock"

#endif
