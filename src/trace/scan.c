/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c - scan a data file for blocks, and report the bytes between blocks. */
#include "trace/scan.h"

#include "trace/layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

enum { SLACK = 1 << 20 /* scanned bytes to keep, at most */ };

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
tl_scan_init(struct tl_scan *s, const struct tl_trace_read_options *options,
    tl_scan_block *block, void *context)
{
	*s = (struct tl_scan){ .options = options,
		.block = block,
		.context = context };
}

void
tl_scan_free(struct tl_scan *s)
{
	tl_text_free(&s->buffer);
	tl_text_free(&s->unpacked);
}

static struct tl_bytes
rest(const struct tl_scan *s)
{
	if (s->buffer.size == s->used)
		return tl_bytes("", 0);
	return tl_bytes(s->buffer.data + s->used, s->buffer.size - s->used);
}

static void
advance(struct tl_scan *s, size_t size)
{
	s->used += size;
	s->at += size;
}

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

static void
lose(struct tl_scan *s, size_t size)
{
	if (!s->lost)
		s->lost_from = s->at;
	s->lost = true;
	advance(s, size);
}

static int
read_header(struct tl_scan *s, bool last)
{
	struct tl_fault fault = { 0 };
	int rc;

	if (rest(s).size < TL_TRACE_HEADER_SIZE && !last)
		return -EAGAIN;
	rc = tl_trace_header_get(&s->header, rest(s), &fault);
	if (rc < 0) {
		tl_trace_say(&s->options->report, rc, fault.at, "%s",
		    fault.text);
		return rc;
	}
	s->seed = tl_trace_seed(&s->header);
	s->begun = true;
	advance(s, TL_TRACE_HEADER_SIZE);
	return 0;
}

/* Pass on a block that is in memory, or report the block as lost. */
static int
take_block(struct tl_scan *s, const struct tl_trace_block *block)
{
	const size_t size = (size_t)tl_trace_block_size(block);
	const char *data = rest(s).data;
	struct tl_bytes content;
	int rc = -EBADMSG;

	if ((uint8_t)data[size - 1] == TL_TRACE_BLOCK_END)
		rc = tl_block_content(block, &s->header, s->seed, s->options,
		    tl_bytes(data + TL_TRACE_BLOCK_HEADER, block->stored),
		    &s->unpacked, &content);
	if (rc == -EPROTO)
		tl_trace_say(&s->options->report, rc, s->at,
		    "blocks are packed in a way that is not known here: %u",
		    s->header.codec);
	if (rc == -EBADMSG) {
		/* the next block may begin anywhere */
		tl_trace_say(&s->options->report, rc, s->at,
		    "a block of thread %" PRId32 " with %" PRIu32
		    " events is damaged",
		    block->thread, block->events);
		lose(s, TL_TRACE_BLOCK_HEADER);
		return 0;
	}
	if (rc < 0)
		return rc;
	say_lost(s);
	rc = s->block(s->context, block, s->at, content);
	advance(s, size);
	return rc;
}

/* Scan one block.  -EAGAIN: more bytes are needed, unless these are the
 * last. */
static int
step(struct tl_scan *s, bool last)
{
	const struct tl_bytes bytes = rest(s);
	const uint8_t kind = (uint8_t)bytes.data[0];
	struct tl_trace_block block;
	const char *next;

	s->ended = false;
	if (kind == TL_TRACE_BLOCK_START) {
		const bool is_short = bytes.size < TL_TRACE_BLOCK_HEADER;

		if (is_short || tl_trace_block_get(&block,
				    (const uint8_t *)bytes.data, s->seed)) {
			if (!is_short &&
			    bytes.size >= tl_trace_block_size(&block))
				return take_block(s, &block);
			if (!last)
				return -EAGAIN;
			if (!s->lost) {
				s->cut = true;
				s->cut_at = s->at;
			}
		}
	} else if (kind == TL_TRACE_EOF && bytes.size == 1 && !s->inside) {
		if (!last)
			return -EAGAIN;
		say_lost(s);
		s->ended = true;
		advance(s, 1);
		return 0;
	}
	next = memchr(bytes.data + 1, TL_TRACE_BLOCK_START, bytes.size - 1);
	if (!next && last && !s->inside && bytes.size > 1 &&
	    (uint8_t)bytes.data[bytes.size - 1] == TL_TRACE_EOF)
		next = bytes.data + bytes.size - 1;
	lose(s,
	    next ? (size_t)(next - bytes.data) : bytes.size - (last ? 0 : 1));
	return bytes.size == 1 && !last ? -EAGAIN : 0;
}

static int
run(struct tl_scan *s, bool last)
{
	int rc = 0;

	if (!s->begun)
		rc = read_header(s, last);
	while (rc == 0 && rest(s).size > 0)
		rc = step(s, last);
	return rc == -EAGAIN ? 0 : rc;
}

int
tl_scan_feed(struct tl_scan *s, struct tl_bytes piece)
{
	int rc;

	if (piece.size == 0)
		return 0;
	tl_put_bytes(&s->buffer, piece);
	if (s->buffer.rc < 0)
		return s->buffer.rc;
	rc = run(s, false);
	/* drop scanned bytes if there are many */
	if (s->used >= SLACK || s->used >= s->buffer.size) {
		memmove(s->buffer.data, s->buffer.data + s->used,
		    s->buffer.size - s->used);
		s->buffer.size -= s->used;
		s->used = 0;
	}
	return rc;
}

int
tl_scan_finish(struct tl_scan *s)
{
	const int rc = run(s, true);

	if (rc < 0)
		return rc;
	/* a block without its end is not damage: the block was not written
	 * completely */
	s->cut &= s->lost && s->lost_from == s->cut_at && !s->inside;
	if (!s->cut)
		say_lost(s);
	if (!s->ended && !s->inside)
		tl_trace_say(&s->options->report, -ENODATA, s->at,
		    "the trace was not finished%s",
		    s->cut ? ": it ends inside a block" : "");
	return 0;
}
