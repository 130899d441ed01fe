/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.c - compare the trees of two inputs.
 *
 *	inputs --> forest --> two traces --> differences --> text
 *	                                                +--> trace, into FILE
 */
#include "dump/views.h"

#include "clock/clock.h"
#include "dump/tree/forest.h"
#include "format/diff_text.h"
#include "trace/diff/trace.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static int
append_text(void *context, const char *data, size_t size)
{
	struct tl_output *output = context;

	tl_put_bytes(&output->text, tl_bytes(data, size));
	return tl_output_more(output);
}

static int
append_trace(void *context, const void *data, size_t size)
{
	return append_text(context, data, size);
}

static int
compare(struct tl_trace *left, struct tl_trace *right,
    const struct tl_options *options, struct tl_diff_sink *sink)
{
	const struct tl_diff_options how = { .by_index = options->by_index,
		.values = options->values,
		.lines = options->verbose,
		.percent = options->percent,
		.least_ns = options->least_ns };
	struct tl_diff_counts counts;

	return tl_trace_diff(left, right, &how, sink, &counts);
}

static int
as_text(struct tl_trace *left, struct tl_trace *right,
    const struct tl_options *options, struct tl_output *output)
{
	const struct tl_diff_text_options style = { options->only_changes,
		options->verbose };
	struct tl_diff_sink *sink;
	int rc = tl_diff_text_new(&sink, append_text, output, &style);

	if (rc < 0)
		return rc;
	rc = compare(left, right, options, sink);
	tl_diff_text_free(sink);
	return rc;
}

static int
as_trace(struct tl_trace *left, struct tl_trace *right,
    const struct tl_options *options, struct tl_output *output)
{
	const struct tl_trace_options made = { .data = append_trace,
		.context = output,
		.created_ns = tl_clock_read(CLOCK_REALTIME) };
	struct tl_trace_writer *writer;
	struct tl_diff_sink *sink;
	int rc = tl_trace_writer_new(&writer, &made);

	if (rc < 0)
		return rc;
	rc = tl_diff_trace_new(&sink, left, right, writer);
	if (rc == 0) {
		rc = compare(left, right, options, sink);
		if (rc == 0)
			rc = tl_trace_writer_finish(writer);
	} else {
		sink = NULL;
	}
	tl_trace_writer_free(writer);
	tl_diff_trace_free(sink);
	return rc;
}

int
tl_diff_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_fault *fault)
{
	struct tl_trace *left, *right;
	struct tl_forest forest;
	int rc = tl_forest_open(&forest, inputs, select);

	if (rc < 0)
		return rc;
	if (forest.count == 2) {
		left = forest.sources[0].trace;
		right = forest.sources[1].trace;
		rc = options->as_trace ? as_trace(left, right, options, output)
				       : as_text(left, right, options, output);
	} else {
		rc = tl_fault(fault, -EINVAL, TL_FAULT_NOWHERE,
		    "two files are compared, not %zu", forest.count);
	}
	tl_forest_close(&forest);
	return rc;
}
