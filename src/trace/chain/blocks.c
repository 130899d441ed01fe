/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.c - find traces in a stream of bytes, and skip the bytes between
 * traces. */
#include "trace/chain/blocks.h"

#include "base/file.h"
#include "trace/layout.h"
#include "trace/scan.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	LOOK_SIZE = 4096,        /* bytes read for a header */
	SEARCH_SIZE = 256 << 10, /* bytes read while a header is searched */
	MAGIC_FIRST = TL_TRACE_MAGIC >> 56
};

/* The result of a step. */
enum { WAIT, GO_ON, FOUND };

void
tl_blocks_init(struct tl_blocks *b, int fd,
    const struct tl_trace_report *report)
{
	*b = (struct tl_blocks){ .fd = fd, .report = *report };
	tl_context_init(&b->trace.context);
}

void
tl_blocks_free(struct tl_blocks *b)
{
	tl_context_free(&b->trace.context);
	tl_text_free(&b->content);
	tl_text_free(&b->window);
}

/* == bytes == */

/* Set bytes to `size` bytes of the file from a place, or to the fewer bytes
 * before end. */
static int
look(struct tl_blocks *b, uint64_t at, size_t size, uint64_t end,
    struct tl_bytes *bytes)
{
	const size_t there = end - at < size ? (size_t)(end - at) : size;
	struct tl_text *w = &b->window;
	int64_t n;
	char *to;

	if (at < b->window_at || at + there > b->window_at + w->size) {
		tl_text_clear(w);
		size = size < LOOK_SIZE ? LOOK_SIZE : size;
		size = end - at < size ? (size_t)(end - at) : size;
		to = tl_text_reserve(w, size);
		if (!to) {
			w->rc = 0;
			return -ENOMEM;
		}
		n = tl_read_at(b->fd, to, size, at);
		if (n < 0)
			return (int)n;
		if ((size_t)n < there) /* the file has been truncated */
			return -EIO;
		w->size = (size_t)n;
		b->window_at = at;
	}
	*bytes = tl_bytes(w->data + (at - b->window_at), there);
	return 0;
}

static int
read_content(struct tl_blocks *b, uint64_t at, size_t size)
{
	char *to;
	int64_t n;

	tl_text_clear(&b->content);
	to = tl_text_reserve(&b->content, size);
	if (!to) {
		b->content.rc = 0;
		return -ENOMEM;
	}
	n = tl_read_at(b->fd, to, size, at);
	if (n < 0)
		return (int)n;
	b->content.size = (size_t)n;
	return (size_t)n == size ? 0 : -EIO;
}

/* == damage == */

static void
lose(struct tl_blocks *b, uint64_t size)
{
	if (!b->lost)
		b->lost_from = b->at;
	b->lost = true;
	b->trace.whole = false;
	b->at += size;
}

/* Report lost bytes.  Damage inside a trace is reported by its reader. */
static void
end_lost(struct tl_blocks *b)
{
	if (b->lost && !b->inside) {
		b->damage++;
		tl_trace_say(&b->report, -EBADMSG, b->lost_from,
		    "%" PRIu64 " bytes are of no trace", b->at - b->lost_from);
	}
	b->lost = false;
}

/* == traces == */

static int
end_trace(struct tl_blocks *b)
{
	/* bytes lost after the last block need not belong to the trace */
	b->lost = false;
	b->inside = false;
	b->trace.size = b->at - b->trace.at;
	return FOUND;
}

static int
add_block(struct tl_blocks *b, const struct tl_trace_block *block)
{
	struct tl_blocks_trace *t = &b->trace;
	int rc;

	t->events += block->events;
	if (block->events > 0 && block->min_ns < t->min_ns)
		t->min_ns = block->min_ns;
	if (block->events > 0 && block->max_ns > t->max_ns)
		t->max_ns = block->max_ns;
	if (block->thread != TL_TRACE_DEFINITIONS ||
	    block->flags & TL_BLOCK_PACKED)
		return 0;
	rc = tl_context_read_all(&t->context,
	    tl_bytes(b->content.data, b->content.size));
	if (rc == -EBADMSG) {
		t->whole = false; /* the trace can be read up to here only */
		rc = 0;
	}
	return rc;
}

/* == steps == */

/* Take the header of a trace or of a block at this place, if there is one. */
static int
take_header(struct tl_blocks *b, uint64_t end, bool last)
{
	struct tl_fault fault = { 0 };
	struct tl_trace_header header;
	struct tl_bytes bytes;
	int rc = look(b, b->at, TL_TRACE_HEADER_SIZE, end, &bytes);
	struct tl_blocks_trace *t;

	if (rc < 0)
		return rc;
	if (bytes.size < TL_TRACE_HEADER_SIZE && !last &&
	    (bytes.size < 8 || tl_trace_recognise(bytes) > 0))
		return WAIT;
	rc = tl_trace_header_get(&header, bytes, &fault);
	if (rc == -EPROTO && !b->inside) {
		b->damage++;
		tl_trace_say(&b->report, rc, b->at, "%s", fault.text);
	}
	if (rc < 0) {
		lose(b, 1);
		return GO_ON;
	}
	if (b->inside)
		/* the header is read again as the header of the next trace */
		return end_trace(b);
	t = &b->trace;
	end_lost(b);
	tl_context_free(&t->context);
	*t = (struct tl_blocks_trace){ .at = b->at,
		.header = header,
		.min_ns = INT64_MAX,
		.max_ns = INT64_MIN,
		.whole = true };
	tl_context_init(&t->context);
	b->seed = tl_trace_seed(&header);
	b->inside = true;
	b->at += TL_TRACE_HEADER_SIZE;
	return GO_ON;
}

/* Is the block behind this header whole?  1: yes; 0: no; -errno. */
static int
is_whole(struct tl_blocks *b, const struct tl_trace_block *block)
{
	int rc = read_content(b, b->at + TL_TRACE_BLOCK_HEADER,
	    (size_t)block->stored + 1);

	if (rc < 0)
		return rc;
	b->content.size--;
	return (uint8_t)b->content.data[block->stored] == TL_TRACE_BLOCK_END &&
	       tl_crc32c(b->seed, b->content.data, block->stored) == block->crc;
}

static int
take_block(struct tl_blocks *b, uint64_t end, bool last)
{
	struct tl_trace_block block;
	struct tl_bytes bytes;
	int rc = look(b, b->at, TL_TRACE_BLOCK_HEADER, end, &bytes);
	uint64_t size;

	if (rc < 0)
		return rc;
	if (bytes.size < TL_TRACE_BLOCK_HEADER && !last)
		return WAIT;
	if (bytes.size < TL_TRACE_BLOCK_HEADER ||
	    !tl_trace_block_get(&block, (const uint8_t *)bytes.data, b->seed)) {
		lose(b, 1);
		return GO_ON;
	}
	size = tl_trace_block_size(&block);
	if (end - b->at < size) {
		if (!last)
			return WAIT;
		lose(b, TL_TRACE_BLOCK_HEADER);
		return GO_ON;
	}
	rc = is_whole(b, &block);
	if (rc <= 0) {
		b->twice += size;
		lose(b, b->twice > TL_BLOCKS_TWICE_MAX ? size
						       : TL_TRACE_BLOCK_HEADER);
		return rc < 0 ? rc : GO_ON;
	}
	end_lost(b);
	b->at += size;
	rc = add_block(b, &block);
	return rc < 0 ? rc : GO_ON;
}

/* Search for the header of a trace, or of a block of the current trace. */
static int
search(struct tl_blocks *b, uint64_t end)
{
	struct tl_bytes bytes;
	size_t i = 0;
	const int rc = look(b, b->at, SEARCH_SIZE, end, &bytes);

	if (rc < 0)
		return rc;
	for (; i < bytes.size; i++) {
		const uint8_t byte = (uint8_t)bytes.data[i];

		if (byte == MAGIC_FIRST ||
		    (byte == TL_TRACE_BLOCK_START && b->inside))
			break;
	}
	lose(b, i);
	return GO_ON;
}

static int
step(struct tl_blocks *b, uint64_t end, bool last)
{
	struct tl_bytes bytes;
	uint8_t kind;
	int rc;

	if (b->at == end) {
		if (!last)
			return WAIT;
		if (b->inside) {
			b->trace.whole = false;
			return end_trace(b);
		}
		end_lost(b);
		return WAIT;
	}
	rc = look(b, b->at, 1, end, &bytes);
	if (rc < 0)
		return rc;
	kind = (uint8_t)bytes.data[0];
	if (kind == MAGIC_FIRST)
		return take_header(b, end, last);
	if (kind == TL_TRACE_BLOCK_START && b->inside)
		return take_block(b, end, last);
	if (kind == TL_TRACE_EOF && b->inside && !b->lost) {
		b->at++;
		return end_trace(b);
	}
	return search(b, end);
}

int
tl_blocks_next(struct tl_blocks *b, uint64_t size, bool last)
{
	int rc;

	do
		rc = step(b, size, last);
	while (rc == GO_ON);
	return rc == FOUND ? 1 : rc;
}

/* Does an index cover as many bytes as the file has?  Then the file is one
 * trace. */
static bool
has_index(const char *path, uint64_t size)
{
	uint8_t end[TL_INDEX_FOOTER_SIZE];
	struct tl_text name = { 0 };
	struct tl_cell cell = { 0 };
	struct stat st;
	int fd;

	tl_put_string(&name, path);
	tl_put_string(&name, TL_TRACE_INDEX_SUFFIX);
	fd = name.rc == 0 ? tl_open_read(tl_text_string(&name)) : -1;
	tl_text_free(&name);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && st.st_size > (off_t)sizeof(end) &&
	    tl_read_at(fd, end, sizeof(end),
		(uint64_t)st.st_size - sizeof(end)) == sizeof(end))
		cell = tl_cell_get(end);
	close(fd);
	return cell.kind == TL_TRACE_EOF && cell.start == (int64_t)size;
}

int
tl_blocks_is_stream(int fd, const char *path)
{
	const struct tl_trace_report none = { NULL, NULL };
	struct tl_blocks blocks;
	struct stat st;
	uint64_t size;
	int rc;

	if (fstat(fd, &st) < 0)
		return -errno;
	size = (uint64_t)st.st_size;
	if (path && has_index(path, size))
		return 0;
	tl_blocks_init(&blocks, fd, &none);
	rc = tl_blocks_next(&blocks, size, true);
	if (rc > 0)
		rc = blocks.trace.at > 0 || blocks.trace.size < size;
	tl_blocks_free(&blocks);
	return rc;
}
