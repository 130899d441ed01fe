/* SPDX-License-Identifier: Apache-2.0 */
/* packed_events.h - write events as a packed trace (packed.h). */
#ifndef TL_TRACE_PACK_EVENTS_H
#define TL_TRACE_PACK_EVENTS_H

#include "event/writer.h"

tl_writer_at tl_packed_write_at;

#endif
