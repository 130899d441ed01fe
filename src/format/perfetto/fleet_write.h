/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_write.h - events of many hosts as an archive for ui.perfetto.dev: a
 * Perfetto trace (perfetto_write.h) of each host, and a manifest that says
 * whose each is and that they are aligned by their wall clocks.
 *
 *	perfetto_manifest.json
 *	HOST.pftrace
 *	HOST.pftrace
 *	...
 *
 * Hosts are told apart as fleet_hosts.h says; one without an event has no
 * trace.  An archive tells sizes before contents, so that the traces wait in
 * a file without a name.
 */
#ifndef TL_FORMAT_PERFETTO_FLEET_WRITE_H
#define TL_FORMAT_PERFETTO_FLEET_WRITE_H

#include "event/writer.h"

tl_writer_new tl_fleet_write_new;

#endif
