/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.h - the messages of a stream, in its order, each once, whatever
 * happens to the servers meanwhile.
 */
#ifndef TL_SHIP_NATS_READER_H
#define TL_SHIP_NATS_READER_H

#include "event/reader.h"
#include "ship/nats/protocol.h"
#include "ship/nats/url.h"

#include <signal.h>

struct tl_nats_reader;

struct tl_nats_reading {
	const struct tl_nats_options *options;
	enum tl_nats_kind kind;            /* which stream of the URL */
	const char *subject;               /* a filter */
	int64_t from_ns;                   /* time of storage; INT64_MIN: all */
	bool follow;                       /* else up to the last message now */
	const struct tl_report *report;    /* may be NULL */
	const volatile sig_atomic_t *stop; /* not 0: end; may be NULL */
};

/* reading outlives the reader.  With follow, a stream that does not exist is
 * reported and waited for.  0; -ENOENT: no such stream; -errno; the fault. */
int tl_nats_reader_new(struct tl_nats_reader **reader,
    const struct tl_nats_reading *reading, struct tl_fault *fault);
/* The sequence of the oldest message that the stream had when reading began. */
uint64_t tl_nats_reader_first(const struct tl_nats_reader *reader);
/* NULL does nothing. */
void tl_nats_reader_free(struct tl_nats_reader *reader);

/* A message of the stream.  The block refers to it until the next is read. */
struct tl_nats_read {
	struct tl_block block;
	uint64_t sequence;
	uint64_t whole; /* of a kept copy: the sequence of the whole block */
};

/* The next message: 1; 2: it is no block, as the fault says; 0: end; -errno and
 * the fault. */
int tl_nats_reader_next(struct tl_nats_reader *reader,
    struct tl_nats_read *read, struct tl_fault *fault);

#endif
