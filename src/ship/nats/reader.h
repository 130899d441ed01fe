/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.h - the messages of a stream, in its order, each once, whatever
 * happens to the servers meanwhile.
 */
#ifndef TL_SHIP_NATS_READER_H
#define TL_SHIP_NATS_READER_H

#include "event/reader.h"
#include "ship/nats/link.h"
#include "ship/nats/protocol.h"

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

/* The next message, which the caller destroys, and its sequence: 1; 0: end;
 * -errno and the fault. */
int tl_nats_reader_next(struct tl_nats_reader *reader, natsMsg **message,
    uint64_t *sequence, struct tl_fault *fault);

#endif
