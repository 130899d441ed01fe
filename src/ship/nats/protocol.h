/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protocol.h - what a block is about, as the subject of a message:
 *
 *	timeline.<host>.<timeline>	a whole block, in the stream NAME
 *	timeline-keep.<host>.<timeline>	its warnings and errors, in NAME-keep
 *
 * Bytes other than A-Z a-z 0-9 _ - are =XX; a name of none is =.
 *
 * A server discards the oldest messages of a full stream, and does not read
 * them.  So a sender stores a thinned copy of each block that has warnings in a
 * second, smaller stream, with the sequence of the whole block, and
 * acknowledges the block when both are stored.  A reader begins with those
 * copies whose blocks the first stream has discarded.
 */
#ifndef TL_SHIP_NATS_PROTOCOL_H
#define TL_SHIP_NATS_PROTOCOL_H

#include "base/bytes.h"
#include "event/reader.h"
#include "ship/block.h"
#include "ship/nats/url.h"

#include <signal.h>
#include <stdbool.h>

/* == subjects == */

enum tl_nats_kind { TL_NATS_WHOLE, TL_NATS_KEPT };

/* The subjects of all blocks of a kind. */
extern const char *const tl_nats_subjects[];

/* timeline-keep.HOST.TIMELINE at its longest, and NUL */
enum { TL_NATS_SUBJECT_MAX = 2 * 3 * TL_BLOCK_NAME_MAX + 24 };

void tl_nats_subject_put(char to[TL_NATS_SUBJECT_MAX], enum tl_nats_kind kind,
    const struct tl_block *block);
/* Parse an untrusted subject, of either kind.  false: not the subject of a
 * block. */
bool tl_nats_subject_get(struct tl_block *block, const char *subject);
/* A filter for a host and a timeline; NULL: any. */
void tl_nats_subject_filter(char to[TL_NATS_SUBJECT_MAX],
    enum tl_nats_kind kind, const char *host, const char *timeline);
/* Does a pattern with * and > match a subject? */
bool tl_nats_subject_matches(const char *pattern, const char *subject);

/* == acknowledgements == */

enum { TL_NATS_ERROR_MAX = 128 };

struct tl_nats_ack {
	uint64_t sequence;
	uint64_t code; /* 0: stored */
	uint64_t error_code;
	char error[TL_NATS_ERROR_MAX];
};

/* Parse an untrusted acknowledgement.  0; -EBADMSG: invalid, or without a
 * sequence, so that the message is not stored; -ENOMEM. */
int tl_nats_ack_parse(struct tl_nats_ack *ack, struct tl_bytes json);

/* == reader == */

/*
 * The messages of a stream, in its order, each once, whatever happens to the
 * servers meanwhile.
 */

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
