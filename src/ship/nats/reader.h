/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.h - the messages of a stream, in its order, each once, whatever
 * happens to the servers meanwhile.
 */
#ifndef TL_SHIP_NATS_READER_H
#define TL_SHIP_NATS_READER_H

#include "event/reader.h"
#include "ship/nats/link.h"

#include <signal.h>

struct tl_nats_reader;

struct tl_nats_reading {
	const struct tl_nats_options *options;
	const char *subject;               /* a filter */
	int64_t from_ns;                   /* stored then; INT64_MIN: all */
	bool follow;                       /* else up to what is there now */
	const struct tl_report *report;    /* what is waited for; may be NULL */
	const volatile sig_atomic_t *stop; /* not 0: end; may be NULL */
};

/* All of reading outlives it.  A stream that is not there is waited for, with
 * follow, which is said.  0; -ENOENT no such stream, -errno; the fault says
 * why. */
int tl_nats_reader_new(struct tl_nats_reader **reader,
    const struct tl_nats_reading *reading, struct tl_fault *fault);
/* NULL does nothing. */
void tl_nats_reader_free(struct tl_nats_reader *reader);

/* The next message, which becomes the caller's, and its place in the stream:
 * 1, 0 the end, -errno and the fault says why. */
int tl_nats_reader_next(struct tl_nats_reader *reader, natsMsg **message,
    uint64_t *sequence, struct tl_fault *fault);

#endif
