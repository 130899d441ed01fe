/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - --check: is a file whole, unfinished or damaged?  The exit status
 * is 1 if a file is damaged.
 *
 * The whole file is read once, because opening a file does not find all invalid
 * entries.
 */
#include "dump/views.h"

#include "base/fields.h"
#include "base/text.h"
#include "event/spans.h"

#include <errno.h>

static const struct tl_fault none = { .at = TL_FAULT_NOWHERE };

struct counts {
	uint64_t entries;     /* including entries that other files have */
	uint64_t handed_over; /* spans that another thread ended */
};

/* Read one file. */
static int
count(const struct tl_source *input, struct tl_progress *progress,
    struct counts *counts)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc = input->ops->cursor(input, TL_OLDEST_FIRST, &cursor);

	if (rc == 0)
		rc = tl_spans_cursor(TL_OLDEST_FIRST, TL_SPANS_WINDOW, cursor,
		    &cursor);
	if (rc < 0)
		return rc;
	while ((rc = tl_cursor_next(cursor, &event)) > 0) {
		tl_progress_tick(progress);
		counts->entries += event.kind != TL_LOST && !event.paired;
		counts->handed_over += event.span && event.span->handed;
	}
	tl_cursor_close(cursor);
	return rc;
}

static const char *const states[] = {
	[TL_SOURCE_WHOLE] = "whole",
	[TL_SOURCE_UNFINISHED] = "unfinished",
	[TL_SOURCE_DAMAGED] = "damaged",
};

/* The number of faults, without remarks and without signs of an unfinished
 * file. */
static size_t
count_faults(const struct tl_source *input)
{
	size_t count = tl_source_fault_count(input);

	for (size_t i = 0; i < tl_source_faults_kept(input); i++) {
		const int rc = tl_source_fault(input, i)->rc;

		count -= tl_source_state(input) != TL_SOURCE_DAMAGED ||
			 rc == 0 || rc == -ENODATA;
	}
	return count;
}

static void
put_name(struct tl_text *text, const struct tl_source *input)
{
	tl_put_plain(text, tl_bytes_of(input->name));
	tl_put_string(text, ": ");
}

static void
put_text(struct tl_text *text, const struct tl_source *input,
    const struct counts *counts)
{
	const enum tl_source_state state = tl_source_state(input);
	const size_t count = count_faults(input);
	const struct tl_snap *snap =
	    tl_source_is_open(input) ? tl_source_snap(input) : NULL;

	/* Name the lanes of a snapshot whose entries were overwritten while the
	 * snapshot was made. */
	for (size_t k = 0; snap && k < tl_snap_lane_count(snap); k++) {
		const struct tl_snap_lane *lane = tl_snap_lane(snap, k);

		if (lane->left_out == 0)
			continue;
		put_name(text, input);
		tl_snap_put_left_out(text, lane->cpu, lane->tier,
		    lane->end - lane->first, lane->left_out);
		tl_put_char(text, '\n');
	}
	for (size_t i = 0; i < tl_source_faults_kept(input); i++) {
		const struct tl_fault *fault = tl_source_fault(input, i);

		put_name(text, input);
		if (fault->at != TL_FAULT_NOWHERE) {
			tl_put_string(text, "byte ");
			tl_put_unsigned(text, fault->at);
			tl_put_string(text, ": ");
		}
		tl_put_plain(text, tl_bytes_of(fault->text));
		tl_put_char(text, '\n');
	}
	if (counts->handed_over > 0) {
		put_name(text, input);
		tl_put_string(text, "another thread ended ");
		tl_put_count(text, counts->handed_over, "span");
		tl_put_string(text,
		    ": the scope should be TIMELINE_SOURCE (--stats)\n");
	}
	put_name(text, input);
	if (!tl_source_is_open(input)) {
		tl_put_string(text, "cannot be read\n");
		return;
	}
	tl_put_string(text, states[state]);
	if (state == TL_SOURCE_DAMAGED && count > 0) {
		tl_put_string(text, ", ");
		tl_put_count(text, count, "fault");
	}
	tl_put_string(text, ": ");
	tl_put_count(text, counts->entries, "entry");
	tl_put_string(text, ", ");
	tl_put_count(text, tl_source_message_count(input), "message");
	tl_put_string(text, ", ");
	tl_put_count(text, tl_source_lane_count(input), "lane");
	tl_put_char(text, '\n');
}

static uint64_t
count_left_out(const struct tl_source *input)
{
	const struct tl_snap *snap =
	    tl_source_is_open(input) ? tl_source_snap(input) : NULL;
	uint64_t count = 0;

	for (size_t i = 0; snap && i < tl_snap_lane_count(snap); i++)
		count += tl_snap_lane(snap, i)->left_out;
	return count;
}

static void
put_fault(struct tl_fields *f, const struct tl_fault *fault)
{
	if (fault->at == TL_FAULT_NOWHERE)
		tl_fields_null(f, "byte");
	else
		tl_fields_unsigned(f, "byte", fault->at);
	tl_fields_string(f, "text", fault->text);
}

static void
put_json(struct tl_fields *f, const struct tl_source *input,
    const struct counts *counts)
{
	const enum tl_source_state state = tl_source_state(input);

	tl_fields_object(f, NULL);
	tl_fields_string(f, "file", input->name);
	tl_fields_bool(f, "whole", state == TL_SOURCE_WHOLE);
	tl_fields_string(f, "state", states[state]);
	tl_fields_bool(f, "readable", tl_source_is_open(input));
	tl_fields_unsigned(f, "entries", counts->entries);
	tl_fields_unsigned(f, "handed_over", counts->handed_over);
	tl_fields_unsigned(f, "left_out", count_left_out(input));
	tl_fields_unsigned(f, "fault_count", tl_source_fault_count(input));
	tl_fields_array(f, "faults");
	for (size_t i = 0; i < tl_source_faults_kept(input); i++) {
		tl_fields_object(f, NULL);
		put_fault(f, tl_source_fault(input, i));
		tl_fields_object_end(f);
	}
	tl_fields_array_end(f);
	tl_fields_object_end(f);
}

/* A line for each fault.  A file without faults has one line with the state. */
static void
put_csv(struct tl_fields *f, const struct tl_source *input)
{
	const bool whole = tl_source_fault_count(input) == 0;

	for (size_t i = 0; i < tl_source_faults_kept(input) + whole; i++) {
		tl_fields_object(f, NULL);
		tl_fields_string(f, "file", input->name);
		tl_fields_string(f, "state", states[tl_source_state(input)]);
		put_fault(f, whole ? &none : tl_source_fault(input, i));
		tl_fields_object_end(f);
	}
}

int
tl_check_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output)
{
	struct tl_fields f = tl_output_fields(output, options);
	int rc = 0;

	if (options->format == TL_FORMAT_CSV)
		tl_put_string(&output->text, "file,state,byte,text\n");
	for (size_t i = 0; i < inputs->count && rc == 0; i++) {
		const struct tl_source *input = &inputs->items[i];
		struct counts counts = { 0 };

		if (tl_source_is_open(input))
			rc = count(input, &select->progress, &counts);
		if (rc < 0)
			return rc;
		if (options->format == TL_FORMAT_JSON)
			put_json(&f, input, &counts);
		else if (options->format == TL_FORMAT_CSV)
			put_csv(&f, input);
		else
			put_text(&output->text, input, &counts);
		rc = tl_output_more(output);
	}
	return rc;
}
