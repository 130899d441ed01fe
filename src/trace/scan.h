/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.h - find the blocks of a data file, which is fed in pieces.
 *
 * Damage and truncation are reported with their place; the scan continues at
 * the next whole block.
 */
#ifndef TL_TRACE_SCAN_H
#define TL_TRACE_SCAN_H

#include "base/text.h"
#include "trace/read.h"

/* Called for a whole block with its place and its unpacked content, which is
 * valid during the call.  0 or -errno to stop. */
typedef int tl_scan_block(void *context, const struct tl_trace_block *block,
    uint64_t at, struct tl_bytes content);

struct tl_scan {
	const struct tl_trace_read_options *options;
	tl_scan_block *block;
	void *context;
	struct tl_trace_header header;
	uint32_t seed;
	bool begun; /* has the header been read? */
	/* the file continues after the last piece, so no EOF is expected */
	bool inside;
	bool ended; /* the last byte was EOF */
	uint64_t damage;
	struct tl_text buffer; /* bytes that have been fed */
	size_t used;           /* number of bytes that have been scanned */
	uint64_t at;           /* offset of buffer.data + used in the file */
	bool lost;             /* between two blocks, searching for the next */
	uint64_t lost_from;
	bool cut; /* the file ends inside a block */
	uint64_t cut_at;
	struct tl_text unpacked;
};

void
tl_scan_init(struct tl_scan *scan, const struct tl_trace_read_options *options,
    tl_scan_block *block, void *context);
void tl_scan_free(struct tl_scan *scan);
/* Feed a piece; feed no more.  0; -errno of block; -ENOMEM; -EBADMSG, -EPROTO,
 * -ENODATA: not a readable trace, which has been reported. */
int tl_scan_feed(struct tl_scan *scan, struct tl_bytes piece);
int tl_scan_finish(struct tl_scan *scan);

/* Report a fault. */
void tl_trace_say(const struct tl_trace_report *report, int rc, uint64_t at,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

/*
 * Get the content of a block: the stored bytes, or the bytes unpacked into
 * room.  0; -EBADMSG: damaged; -EPROTO: no codec; -ENOMEM.
 */
int tl_block_content(const struct tl_trace_block *block,
    const struct tl_trace_header *header, uint32_t seed,
    const struct tl_trace_read_options *options, struct tl_bytes stored,
    struct tl_text *room, struct tl_bytes *content);

#endif
