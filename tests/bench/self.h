/* SPDX-License-Identifier: Apache-2.0 */
/*
 * self.h - a program of some threads that records itself: spans, instants and
 * counters by timeline_trace.h.
 */
#ifndef SELF_H
#define SELF_H

/* So many events in all, into a new file: 0, -errno. */
int self_record(const char *path, long events, int threads);

#endif
