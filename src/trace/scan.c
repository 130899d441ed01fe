/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c - scan data files for blocks, and report the bytes between blocks. */
#include "trace/scan.h"

#include "trace/layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

enum { WINDOW = 256 << 10 /* bytes read at once, at least */ };

void
tl_trace_say(const struct tl_trace_report *report, int rc, uint64_t at,
    const char *format, ...)
{
	struct tl_fault fault = { .rc = rc, .at = at };
	va_list args;

	if (!report->say)
		return;
	va_start(args, format);
	vsnprintf(fault.text, sizeof(fault.text), format, args);
	va_end(args);
	report->say(report->context, &fault);
}

int
tl_block_content(const struct tl_trace_block *block,
    const struct tl_trace_header *header, uint32_t seed,
    const struct tl_trace_read_options *options, struct tl_bytes stored,
    struct tl_text *room, struct tl_bytes *content)
{
	const struct tl_trace_codec *codec = options->codecs;
	size_t left = options->codec_count;
	char *to;
	int rc;

	if (tl_crc32c(seed, stored.data, stored.size) != block->crc)
		return -EBADMSG;
	*content = stored;
	if (!(block->flags & TL_BLOCK_PACKED))
		return 0;
	for (; left > 0 && codec->number != header->codec; codec++)
		left--;
	if (left == 0)
		return -EPROTO;
	tl_text_clear(room);
	to = tl_text_reserve(room, block->size);
	if (!to) {
		room->rc = 0;
		return -ENOMEM;
	}
	rc = codec->unpack(codec->context, to, block->size, stored.data,
	    stored.size);
	room->size = block->size;
	*content = tl_bytes(to, block->size);
	return rc;
}

void
tl_scan_free(struct tl_scan *s)
{
	tl_text_free(&s->window);
	tl_text_free(&s->unpacked);
}

int
tl_scan_look(struct tl_scan *s, size_t size, struct tl_bytes *bytes)
{
	struct tl_text *w = &s->window;
	const uint64_t left = s->end - s->at;
	int64_t n;
	char *to;

	*bytes = tl_bytes("", 0);
	if (left == 0)
		return 0;
	size = left < size ? (size_t)left : size;
	if (s->at < s->window_at || s->at + size > s->window_at + w->size) {
		size = size < WINDOW ? WINDOW : size;
		size = left < size ? (size_t)left : size;
		tl_text_clear(w);
		to = tl_text_reserve(w, size);
		if (!to) {
			w->rc = 0;
			return -ENOMEM;
		}
		n = tl_storage_read_at(s->data, to, size, s->at);
		if (n < 0) /* -EBADMSG is that of a block */
			return n == -EBADMSG ? -EIO : (int)n;
		if ((size_t)n < size) /* the file has been truncated */
			s->end = s->at + (uint64_t)n;
		w->size = (size_t)n;
		s->window_at = s->at;
	}
	*bytes = tl_bytes(w->data + (s->at - s->window_at),
	    w->size - (size_t)(s->at - s->window_at));
	return 0;
}

void
tl_scan_lose(struct tl_scan *s, uint64_t size)
{
	if (!s->lost)
		s->lost_from = s->at;
	s->lost = true;
	s->at += size;
}

int
tl_scan_block(struct tl_scan *s, struct tl_trace_block *block,
    struct tl_bytes *content)
{
	struct tl_bytes bytes;
	uint64_t size;
	int rc = tl_scan_look(s, TL_TRACE_BLOCK_HEADER, &bytes);

	if (rc < 0)
		return rc;
	if (bytes.size < TL_TRACE_BLOCK_HEADER)
		return -EAGAIN;
	if (!tl_trace_block_get(block, (const uint8_t *)bytes.data, s->seed))
		return -ENOENT;
	size = tl_trace_block_size(block);
	if (s->end - s->at < size)
		return -EAGAIN;
	if ((rc = tl_scan_look(s, (size_t)size, &bytes)) < 0)
		return rc;
	if (bytes.size < size)
		return -EAGAIN;
	if ((uint8_t)bytes.data[size - 1] != TL_TRACE_BLOCK_END)
		return -EBADMSG;
	return tl_block_content(block, &s->header, s->seed, s->options,
	    tl_bytes(bytes.data + TL_TRACE_BLOCK_HEADER, block->stored),
	    &s->unpacked, content);
}

/* == one trace == */

/* Report that the bytes up to here belong to no block. */
static void
say_lost(struct tl_scan *s)
{
	if (!s->lost)
		return;
	s->lost = false;
	s->damage++;
	tl_trace_say(&s->options->report, -EBADMSG, s->lost_from,
	    "%" PRIu64 " bytes are damaged and lost", s->at - s->lost_from);
}

static int
read_header(struct tl_scan *s)
{
	struct tl_fault fault = { 0 };
	struct tl_bytes bytes;
	int rc = tl_scan_look(s, TL_TRACE_HEADER_SIZE, &bytes);

	if (rc < 0)
		return rc;
	rc = tl_trace_header_get(&s->header, bytes, &fault);
	if (rc < 0) {
		tl_trace_say(&s->options->report, rc, fault.at, "%s",
		    fault.text);
		return rc;
	}
	s->seed = tl_trace_seed(&s->header);
	s->at += TL_TRACE_HEADER_SIZE;
	return 0;
}

/* Lose the bytes up to the next place where a block may begin, or the last byte
 * if it may be the EOF. */
static int
search(struct tl_scan *s, bool inside)
{
	struct tl_bytes bytes;
	const char *next;
	const int rc = tl_scan_look(s, 2, &bytes);

	if (rc < 0 || bytes.size == 0)
		return rc;
	next = memchr(bytes.data + 1, TL_TRACE_BLOCK_START, bytes.size - 1);
	if (!next && !inside && bytes.size > 1 &&
	    s->at + bytes.size == s->end &&
	    (uint8_t)bytes.data[bytes.size - 1] == TL_TRACE_EOF)
		next = bytes.data + bytes.size - 1;
	tl_scan_lose(s, next ? (size_t)(next - bytes.data) : bytes.size);
	return 0;
}

/* Pass on the block at the place, or report the block as damaged.  -EAGAIN and
 * -ENOENT as tl_scan_block(). */
static int
take_block(struct tl_scan *s, tl_scan_take *take, void *context)
{
	struct tl_trace_block block;
	struct tl_bytes content;
	int rc = tl_scan_block(s, &block, &content);

	if (rc == -EPROTO)
		tl_trace_say(&s->options->report, rc, s->at,
		    "blocks are packed in a way that is not known here: %u",
		    s->header.codec);
	if (rc == -EBADMSG) {
		/* the next block may begin anywhere */
		tl_trace_say(&s->options->report, rc, s->at,
		    "a block of thread %" PRId32 " with %" PRIu32
		    " events is damaged",
		    block.thread, block.events);
		tl_scan_lose(s, TL_TRACE_BLOCK_HEADER);
		return 0;
	}
	if (rc < 0)
		return rc;
	say_lost(s);
	rc = take(context, &block, s->at, content);
	s->at += tl_trace_block_size(&block);
	return rc;
}

int
tl_scan_trace(struct tl_scan *s, bool inside, tl_scan_take *take, void *context)
{
	bool ended = false, cut = false;
	int rc = s->at == 0 ? read_header(s) : 0;
	struct tl_bytes bytes;

	while (rc == 0 && s->at < s->end) {
		const bool was_lost = s->lost;
		uint8_t kind;

		rc = tl_scan_look(s, 1, &bytes);
		if (rc < 0 || bytes.size == 0)
			break;
		kind = (uint8_t)bytes.data[0];
		if (kind == TL_TRACE_EOF && s->at + 1 == s->end && !inside) {
			say_lost(s);
			ended = true;
			s->at++;
			break;
		}
		rc = kind == TL_TRACE_BLOCK_START ? take_block(s, take, context)
						  : -ENOENT;
		/* a block without its end is not damage: the block was not
		 * written completely */
		if (!was_lost)
			cut = rc == -EAGAIN;
		if (rc == -EAGAIN || rc == -ENOENT)
			rc = search(s, inside);
	}
	if (rc < 0)
		return rc;
	cut &= s->lost && !inside;
	if (!cut)
		say_lost(s);
	if (!ended && !inside)
		tl_trace_say(&s->options->report, -ENODATA, s->at,
		    "the trace was not finished%s",
		    cut ? ": it ends inside a block" : "");
	return 0;
}
