/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer.h - a tracer or a logger, measured as every other one is: an event of
 * four integers in one process, in two and in two threads, and an event that
 * is disabled; each beside a bare rdtsc of the same rounds.
 *
 *	LTTng-UST            245.10 cycles    [..]  9.981x  -
 *	LTTng-UST, disabled    0.71 cycles    [..]  0.029x  -
 *
 * Nothing is subtracted: an empty loop is about half a cycle.
 */
#ifndef PEER_H
#define PEER_H

#ifdef __cplusplus
extern "C" {
#endif

struct peer {
	const char *name;
	long n; /* events a round */
	/* Called once in each process that logs; the result is for the loops.
	 * Ends the process where nothing would be logged. */
	void *(*start)(void);
	/* Log n events: of four integers, the first one rising; disabled. */
	void (*log)(void *it, long n);
	void (*log_disabled)(void *it, long n); /* or NULL */
};

/* Measure and print.  No library may have been started before. */
void peer_run(const struct peer *peer);
void peer_die(const char *why) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

/* The compiler may not keep anything over a turn of these loops. */
#define PEER_TURN() __asm__ volatile("" ::: "memory")

#endif
