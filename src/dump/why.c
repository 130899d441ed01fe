/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why.c - --why: what distinguishes slow spans.
 */
#include "analysis/why.h"

#include "dump/overwritten.h"
#include "dump/views.h"

#include <errno.h>
#include <stdio.h>

static int
gather(struct tl_why *why, const struct tl_sources *inputs,
    struct tl_select *select)
{
	struct tl_sink *sink = tl_why_sink(why);
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc;

	select->kernel = inputs;
	select->levels = true;
	rc = tl_select_sources(select, inputs, TL_OLDEST_FIRST, &cursor);
	if (rc < 0)
		return rc;
	while (rc >= 0 && (rc = tl_cursor_next(cursor, &event)) > 0) {
		if (select->all)
			tl_progress_tick(&select->progress);
		rc = sink->put(sink, &event);
	}
	tl_cursor_close(cursor);
	return rc < 0 ? rc : sink->finish(sink);
}

int
tl_why_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_fault *fault)
{
	const struct tl_why_plan plan = { .glob = options->why,
		.slower_ns = options->slower_ns,
		.slowest = options->slowest,
		.all = options->all,
		.sources = inputs };
	struct tl_text left_out = { 0 };
	struct tl_why *why;
	int rc = tl_why_new(&why, &plan);

	if (rc < 0)
		return rc;
	rc = gather(why, inputs, select);
	if (rc == 0 && options->format != TL_FORMAT_JSON)
		rc =
		    tl_overwritten_warn(&output->text, inputs, &select->filter);
	if (rc == 0 && options->format == TL_FORMAT_JSON)
		rc = tl_why_put_json(why, &output->text);
	else if (rc == 0 && tl_why_target_count(why) > 0)
		rc = tl_why_put_text(why, &output->text);
	if (rc == 0 && tl_why_target_count(why) == 0)
		rc = tl_select_no_span(inputs, options->why, fault);
	if (rc == 0 && tl_why_left_out(why, "timeline-dump: ", &left_out))
		fputs(tl_text_string(&left_out), stderr);
	tl_text_free(&left_out);
	tl_why_free(why);
	return rc;
}
