/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_write.h - events of many hosts as an archive for ui.perfetto.dev: a
 * Perfetto trace (write.h) of each host, and a manifest that says
 * whose each is and that they are aligned by their wall clocks.
 *
 *	perfetto_manifest.json
 *	HOST.pftrace
 *	HOST.pftrace
 *	...
 *
 * event/hosts/hosts.h describes how hosts are distinguished.  A host without
 * an event has no trace.  An archive has sizes before contents, so the traces
 * are kept in an unnamed temporary file until the end.
 */
#ifndef TL_FORMAT_PERFETTO_FLEET_WRITE_H
#define TL_FORMAT_PERFETTO_FLEET_WRITE_H

#include "event/writer.h"

tl_writer_new tl_fleet_write_new;

#endif
