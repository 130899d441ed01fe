/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.h - scan the bytes of data files for whole blocks.
 *
 *	file --> window --> header of a block? --> its content, checked
 *	                     `-- else the bytes are lost up to the next block
 *
 * The files of an index scan one trace; chain/blocks.c scans a stream of many,
 * which may still grow.
 */
#ifndef TL_TRACE_SCAN_H
#define TL_TRACE_SCAN_H

#include "base/text.h"
#include "trace/read.h"

/* Starts from all zeros but data, options and end. */
struct tl_scan {
	struct tl_storage *data; /* owned by the caller */
	/* Without a codec packed blocks are checked but not unpacked. */
	const struct tl_trace_read_options *options;
	struct tl_trace_header header;
	uint32_t seed;
	uint64_t at;  /* scanned up to here */
	uint64_t end; /* the bytes before are scanned */
	bool lost;    /* the bytes from lost_from to at are of no block */
	uint64_t lost_from;
	uint64_t damage;       /* damaged places of one trace */
	struct tl_text window; /* a part of the data */
	uint64_t window_at;    /* offset of the window in the data */
	struct tl_text unpacked;
};

void tl_scan_free(struct tl_scan *scan);

/* Set bytes to those from the place on that are in memory: at least `size`, or
 * all before the end.  A file that has been truncated ends earlier.  The bytes
 * are valid until the next call.  0; -ENOMEM; -errno of reading. */
int tl_scan_look(struct tl_scan *scan, size_t size, struct tl_bytes *bytes);
/* Leave out bytes that are of no block. */
void tl_scan_lose(struct tl_scan *scan, uint64_t size);
/*
 * Read the block at the place and check it.  The content is valid until the
 * next call.  0; -ENOENT: no header of a block; -EAGAIN: the bytes end before
 * the block or its header does; -EBADMSG: damaged; -EPROTO: whole, but packed
 * and without a codec; -ENOMEM; -errno of reading.
 */
int tl_scan_block(struct tl_scan *scan, struct tl_trace_block *block,
    struct tl_bytes *content);

/* Called for a whole block with its place and its unpacked content, which is
 * valid during the call.  0 or -errno to stop. */
typedef int tl_scan_take(void *context, const struct tl_trace_block *block,
    uint64_t at, struct tl_bytes content);

/*
 * Scan one trace: from its header, or, with its seed set, from a later place.
 * Damage and truncation are reported with their place.  inside: blocks follow
 * after the end, so no EOF is expected there.  0; -errno of take; -ENOMEM;
 * -EBADMSG, -EPROTO, -ENODATA: not a readable trace, which has been reported;
 * -errno of reading.
 */
int tl_scan_trace(struct tl_scan *scan, bool inside, tl_scan_take *take,
    void *context);

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
