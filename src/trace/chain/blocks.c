/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.c - find traces in a stream of bytes, and skip the bytes between
 * traces. */
#include "trace/chain/blocks.h"

#include "base/file.h"
#include "trace/layout.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAGIC_FIRST = TL_TRACE_MAGIC >> 56 };

/* The result of a step. */
enum { WAIT, GO_ON, FOUND };

int
tl_blocks_init(struct tl_blocks *b, int fd,
    const struct tl_trace_report *report)
{
	*b = (struct tl_blocks){ .options = { .report = *report } };
	b->scan.options = &b->options;
	tl_context_init(&b->trace.context);
	return tl_storage_of_part(&b->scan.data, fd, 0, UINT64_MAX);
}

void
tl_blocks_free(struct tl_blocks *b)
{
	tl_context_free(&b->trace.context);
	tl_storage_close(b->scan.data);
	tl_scan_free(&b->scan);
}

/* == damage == */

static int
lose(struct tl_blocks *b, uint64_t size)
{
	tl_scan_lose(&b->scan, size);
	b->trace.whole = false;
	return GO_ON;
}

/* Report lost bytes.  Damage inside a trace is reported by its reader. */
static void
end_lost(struct tl_blocks *b)
{
	if (b->scan.lost && !b->inside) {
		b->damage++;
		tl_trace_say(&b->options.report, -EBADMSG, b->scan.lost_from,
		    "%" PRIu64 " bytes are of no trace",
		    b->scan.at - b->scan.lost_from);
	}
	b->scan.lost = false;
}

/* == traces == */

static int
end_trace(struct tl_blocks *b)
{
	/* bytes lost after the last block need not belong to the trace */
	b->scan.lost = false;
	b->inside = false;
	b->trace.size = b->scan.at - b->trace.at;
	return FOUND;
}

static int
add_block(struct tl_blocks *b, const struct tl_trace_block *block,
    struct tl_bytes content)
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
		return GO_ON;
	rc = tl_context_read_all(&t->context, content);
	if (rc == -EBADMSG) /* the trace can be read up to here only */
		t->whole = false;
	return rc < 0 && rc != -EBADMSG ? rc : GO_ON;
}

/* == steps == */

/* Take the header of a trace or of a block at this place, if there is one. */
static int
take_header(struct tl_blocks *b, bool last)
{
	struct tl_fault fault = { 0 };
	struct tl_trace_header header;
	struct tl_bytes bytes;
	int rc = tl_scan_look(&b->scan, TL_TRACE_HEADER_SIZE, &bytes);
	struct tl_blocks_trace *t;

	if (rc < 0)
		return rc;
	if (bytes.size < TL_TRACE_HEADER_SIZE && !last &&
	    (bytes.size < 8 || tl_trace_recognise(bytes) > 0))
		return WAIT;
	rc = tl_trace_header_get(&header, bytes, &fault);
	if (rc == -EPROTO && !b->inside) {
		b->damage++;
		tl_trace_say(&b->options.report, rc, b->scan.at, "%s",
		    fault.text);
	}
	if (rc < 0)
		return lose(b, 1);
	if (b->inside)
		/* the header is read again as the header of the next trace */
		return end_trace(b);
	t = &b->trace;
	end_lost(b);
	tl_context_free(&t->context);
	*t = (struct tl_blocks_trace){ .at = b->scan.at,
		.header = header,
		.min_ns = INT64_MAX,
		.max_ns = INT64_MIN,
		.whole = true };
	tl_context_init(&t->context);
	b->scan.seed = tl_trace_seed(&header);
	b->inside = true;
	b->scan.at += TL_TRACE_HEADER_SIZE;
	return GO_ON;
}

static int
take_block(struct tl_blocks *b, bool last)
{
	struct tl_trace_block block;
	struct tl_bytes content;
	const int rc = tl_scan_block(&b->scan, &block, &content);
	const uint64_t left = b->scan.end - b->scan.at;

	switch (rc) {
	case 0:
	case -EPROTO: /* its content is not read here */
		end_lost(b);
		b->scan.at += tl_trace_block_size(&block);
		return add_block(b, &block, content);
	case -EAGAIN:
		if (!last)
			return WAIT;
		return lose(b, left < TL_TRACE_BLOCK_HEADER
				   ? left
				   : TL_TRACE_BLOCK_HEADER);
	case -EBADMSG:
		b->twice += tl_trace_block_size(&block);
		return lose(b, b->twice > TL_BLOCKS_TWICE_MAX
				   ? tl_trace_block_size(&block)
				   : TL_TRACE_BLOCK_HEADER);
	case -ENOENT:
		return lose(b, 1);
	default:
		return rc;
	}
}

static int
step(struct tl_blocks *b, bool last)
{
	struct tl_bytes bytes;
	uint8_t kind;
	size_t i = 0;
	int rc;

	if (b->scan.at == b->scan.end) {
		if (last && b->inside) {
			b->trace.whole = false;
			return end_trace(b);
		}
		if (last)
			end_lost(b);
		return WAIT;
	}
	rc = tl_scan_look(&b->scan, 1, &bytes);
	if (rc < 0 || bytes.size == 0)
		return rc < 0 ? rc : GO_ON;
	kind = (uint8_t)bytes.data[0];
	if (kind == MAGIC_FIRST)
		return take_header(b, last);
	if (kind == TL_TRACE_BLOCK_START && b->inside)
		return take_block(b, last);
	if (kind == TL_TRACE_EOF && b->inside && !b->scan.lost) {
		b->scan.at++;
		return end_trace(b);
	}
	/* search the header of a trace, or of a block of the current trace */
	for (; i < bytes.size; i++) {
		kind = (uint8_t)bytes.data[i];
		if (kind == MAGIC_FIRST ||
		    (kind == TL_TRACE_BLOCK_START && b->inside))
			break;
	}
	return lose(b, i);
}

int
tl_blocks_next(struct tl_blocks *b, uint64_t size, bool last)
{
	int rc;

	b->scan.end = size;
	do
		rc = step(b, last);
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
	rc = tl_blocks_init(&blocks, fd, &none);
	if (rc == 0)
		rc = tl_blocks_next(&blocks, size, true);
	if (rc > 0)
		rc = blocks.trace.at > 0 || blocks.trace.size < size;
	tl_blocks_free(&blocks);
	return rc;
}
