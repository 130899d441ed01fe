/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_trace_diff.c - any bytes as two traces that are compared: the first two
 * bytes say how long the left one is, the next whether checksums are repaired
 * and one of them is a copy, the next what is asked for.  What comes of it is
 * text for a terminal, and a trace that can be read. */
#include "format/diff_text.h"
#include "trace/diff/trace.h"
#include "trace_repair.h"

enum { LEAD = 4, REPAIR_LEFT = 1, REPAIR_RIGHT = 2, SAME = 4 };

static struct tl_trace *
open_copy(const uint8_t *data, size_t size)
{
	const struct tl_trace_read_options options = { .memory_max = 64 << 20 };
	struct tl_fault fault = { 0 };
	struct tl_trace *trace;

	if (tl_trace_open_storage(&trace, trace_storage(data, size), NULL,
		&options, &fault) < 0)
		return NULL;
	return trace;
}

/* Nothing that a terminal would obey. */
static int
check_text(void *context, const char *data, size_t size)
{
	(void)context;
	for (size_t i = 0; i < size; i++)
		assert(data[i] == '\n' ||
		       ((uint8_t)data[i] >= ' ' && data[i] != 0x7f));
	return 0;
}

static int
keep(void *context, const void *data, size_t size)
{
	tl_put_bytes(context, tl_bytes(data, size));
	return ((struct tl_text *)context)->rc;
}

static struct tl_diff_options
options_of(uint8_t bits)
{
	return (struct tl_diff_options){ .by_index = bits & 1,
		.lines = bits & 2,
		.values = bits & 4,
		.unmatched = bits >> 3 & 1 ? TL_DIFF_SKIP : TL_DIFF_TELL,
		.depth = bits >> 4 & 3,
		.percent = bits & 64 ? 0 : TL_DIFF_PERCENT,
		.least_ns = bits & 64 ? 0 : TL_DIFF_LEAST_NS };
}

static void
diff_as_text(struct tl_trace *left, struct tl_trace *right, uint8_t bits)
{
	const struct tl_diff_text_options style = { bits & 128, bits & 2 };
	const struct tl_diff_options options = options_of(bits);
	struct tl_diff_counts counts;
	struct tl_diff_sink *sink;

	if (tl_diff_text_new(&sink, check_text, NULL, &style) < 0)
		return;
	(void)tl_trace_diff(left, right, &options, sink, &counts);
	tl_diff_text_free(sink);
}

static void
diff_as_trace(struct tl_trace *left, struct tl_trace *right, uint8_t bits)
{
	const struct tl_diff_options options = options_of(bits);
	struct tl_text text = { 0 };
	const struct tl_trace_options made = { .data = keep,
		.context = &text,
		.block_size = 1024 };
	struct tl_trace_writer *writer;
	struct tl_diff_counts counts;
	struct tl_diff_sink *sink;
	int rc = tl_trace_writer_new(&writer, &made);

	assert(rc == 0);
	rc = tl_diff_trace_new(&sink, left, right, writer);
	if (rc == 0) {
		rc = tl_trace_diff(left, right, &options, sink, &counts);
		if (rc == 0)
			rc = tl_trace_writer_finish(writer);
		tl_trace_writer_free(writer);
		tl_diff_trace_free(sink);
	} else {
		tl_trace_writer_free(writer);
	}
	if (rc == 0)
		trace_read_all((const uint8_t *)text.data, text.size, NULL, 0);
	tl_text_free(&text);
}

static void
diff(const struct trace_two *two, uint8_t bits)
{
	struct tl_trace *a = open_copy(two->first, two->first_size);
	struct tl_trace *b = open_copy(two->second, two->second_size);

	if (a && b) {
		diff_as_text(a, b, bits);
		diff_as_trace(a, b, bits);
		assert(tl_trace_memory(a) == 0 && tl_trace_memory(b) == 0);
	}
	tl_trace_close(a);
	tl_trace_close(b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_two two;

	if (size < LEAD)
		return 0;
	trace_two_split(&two, data, size, LEAD, data[2] & SAME);
	if (data[2] & REPAIR_LEFT)
		trace_repair_data(two.first, two.first_size);
	if (data[2] & REPAIR_RIGHT)
		trace_repair_data(two.second, two.second_size);
	diff(&two, data[3]);
	trace_two_free(&two);
	return 0;
}
