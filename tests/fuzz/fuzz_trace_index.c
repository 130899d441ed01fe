/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_trace_index.c - any bytes as the index of a valid trace, as they are and
 * as the cells of an index with the right frame.
 */
#include "trace_repair.h"

#include "base/text.h"

/*
 * The trace is small, so that many indexes are tried in a second: reading what
 * they point to takes most of the time.
 */
enum { EVENTS = 600 };

static struct tl_text made;

static int
append(void *context, const void *data, size_t size)
{
	tl_put_bytes(context, tl_bytes(data, size));
	return made.rc;
}

/* The tree is large enough for cells and marks to point to. */
static void
make_trace(void)
{
	static struct tl_message messages[2];
	const struct tl_trace_options options = { .data = append,
		.context = &made,
		.block_size = 1024,
		.id = { [15] = 1 } };
	struct tl_trace_writer *writer;
	struct tl_sink *sink;
	struct tl_event event = { .pid = 1 };
	int rc;

	for (int i = 0; i < 2; i++)
		tl_message_parse(&messages[i], tl_bytes_of(i ? "b" : "a $x"));
	rc = tl_trace_writer_new(&writer, &options);
	assert(rc == 0 && tl_trace_sink(writer, &sink) == 0);
	for (int i = 0; i < EVENTS; i++) {
		const int place = i % (EVENTS - 100);

		event.tid = (uint32_t)(i / (EVENTS - 100));
		event.kind = place < 30 || place % 7 == 0 ? TL_BEGIN
			     : place > EVENTS - 130 || place % 7 == 3
				 ? TL_END
				 : TL_INSTANT;
		event.message = &messages[place % 2];
		event.ns += 10;
		rc = sink->put(sink, &event);
		assert(rc == 0);
	}
	rc = sink->finish(sink);
	assert(rc == 0);
	tl_trace_writer_free(writer);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *index = malloc(size + 1);

	assert(index);
	if (made.size == 0)
		make_trace();
	memcpy(index, data, size);
	if (size < TL_INDEX_HEADER_SIZE + TL_CELL_SIZE || data[0] & 1) {
		trace_read_all((const uint8_t *)made.data, made.size, index,
		    size);
	} else {
		/* the frame, with the id of our trace */
		struct tl_cell self = { .kind = TL_TRACE_SELF, .end = 1 };
		struct tl_trace_header header = { .id = { [15] = 1 } };
		struct tl_cell eof;

		trace_repair_index(index, size, made.size);
		tl_cell_put(index + TL_INDEX_HEADER_SIZE, &self);
		if (size >= TL_INDEX_HEADER_SIZE + TL_CELL_SIZE +
				TL_INDEX_FOOTER_SIZE) {
			eof = tl_cell_get(index + size - TL_INDEX_FOOTER_SIZE);
			eof.id = (int32_t)tl_crc32c(tl_trace_seed(&header),
			    index + TL_INDEX_HEADER_SIZE,
			    (size_t)eof.end * TL_CELL_SIZE);
			tl_cell_put(index + size - TL_INDEX_FOOTER_SIZE, &eof);
		}
		trace_read_all((const uint8_t *)made.data, made.size, index,
		    size);
	}
	free(index);
	return 0;
}
