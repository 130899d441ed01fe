/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speedscope.c - the events of each track wait, then they are written.
 */
#include "format/stacks/speedscope.h"

#include "format/stacks.h"

#include <errno.h>
#include <stddef.h>

struct speedscope {
	struct tl_writer writer; /* first: what callers see */
	struct tl_stacks stacks;
	struct tl_columns columns; /* the events of each track */
};

static struct speedscope *
speedscope_of(struct tl_writer *writer)
{
	return (struct speedscope *)(void *)writer;
}

static bool
is_empty(const struct tl_column *column)
{
	return column->first == 0 && column->text.size == 0;
}

static int
spill_all(struct speedscope *w)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < w->stacks.track_capacity; i++)
		rc = tl_column_spill(&w->columns, &w->stacks.track[i].column);
	return rc;
}

/* A profile's events stand together: they wait in a column of its own. */
static int
keep(struct tl_stacks *stacks, struct tl_track *track, int64_t ns, bool opens)
{
	struct speedscope *w =
	    (struct speedscope *)(void *)((char *)stacks -
					  offsetof(struct speedscope, stacks));
	struct tl_text *text = &track->column.text;
	int rc;

	tl_put_string(text, is_empty(&track->column) ? "\n" : ",\n");
	tl_put_string(text, opens ? "{\"type\":\"O\",\"frame\":"
				  : "{\"type\":\"C\",\"frame\":");
	tl_put_unsigned(text, track->open[track->depth - 1].frame);
	tl_put_string(text, ",\"at\":");
	tl_put_unsigned(text, (uint64_t)ns - (uint64_t)stacks->first_ns);
	tl_put_char(text, '}');
	rc = tl_column_spill_full(&w->columns, &track->column);
	return rc == 0 && tl_columns_are_full(&w->columns) ? spill_all(w) : rc;
}

static int
opened(struct tl_stacks *stacks, struct tl_track *track, int64_t ns)
{
	return keep(stacks, track, ns, true);
}

static int
closing(struct tl_stacks *stacks, struct tl_track *track, int64_t ns)
{
	return keep(stacks, track, ns, false);
}

static int
speedscope_put(struct tl_writer *writer, const struct tl_event *event)
{
	return tl_stacks_put(&speedscope_of(writer)->stacks, event);
}

static void
put_json_text(struct tl_text *text, const struct tl_text *value)
{
	tl_put_char(text, '"');
	tl_put_json(text, tl_bytes(value->data, value->size));
	tl_put_char(text, '"');
}

static int
put_frames(struct speedscope *w)
{
	struct tl_text *text = &w->writer.out.text;
	int rc = 0;

	tl_put_string(text,
	    "{\"$schema\":"
	    "\"https://www.speedscope.app/file-format-schema.json\","
	    "\"exporter\":\"timeline\",\"shared\":{\"frames\":[");
	for (uint32_t i = 0; rc == 0 && i < w->stacks.frames.count &&
			     i < w->stacks.frame_capacity;
	     i++) {
		tl_put_string(text, i > 0 ? ",\n{\"name\":" : "\n{\"name\":");
		put_json_text(text, &w->stacks.frame[i]);
		tl_put_char(text, '}');
		rc = tl_out_flush_full(&w->writer.out);
	}
	tl_put_string(text, "]},\"profiles\":[");
	return rc;
}

static int
put_profile(struct speedscope *w, const struct tl_track *track, bool first)
{
	const struct tl_stacks *s = &w->stacks;
	struct tl_text *text = &w->writer.out.text;
	int rc;

	tl_put_string(text, first ? "\n" : ",\n");
	tl_put_string(text, "{\"type\":\"evented\",\"name\":");
	if (track->name.size > 0)
		put_json_text(text, &track->name);
	else
		tl_put_string(text, "\"spans\"");
	tl_put_string(text,
	    ",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":");
	tl_put_unsigned(text, (uint64_t)s->last_ns - (uint64_t)s->first_ns);
	tl_put_string(text, ",\"events\":[");
	rc = tl_column_write(&w->columns, &track->column, &w->writer.out);
	tl_put_string(text, "]}");
	return rc;
}

static int
speedscope_end(struct tl_writer *writer)
{
	static const struct tl_track none;
	struct speedscope *w = speedscope_of(writer);
	bool first = true;
	int rc = tl_stacks_end(&w->stacks, writer->report);

	if (rc == 0)
		rc = put_frames(w);
	for (size_t i = 0; rc == 0 && i < w->stacks.track_capacity; i++) {
		if (is_empty(&w->stacks.track[i].column))
			continue; /* no track, or only ends without a begin */
		rc = put_profile(w, &w->stacks.track[i], first);
		first = false;
	}
	if (rc == 0 && first) /* its page refuses a file without a profile */
		rc = put_profile(w, &none, true);
	tl_put_string(&w->writer.out.text, "]}\n");
	return rc;
}

static void
speedscope_free(struct tl_writer *writer)
{
	struct speedscope *w = speedscope_of(writer);

	tl_stacks_free(&w->stacks);
	tl_columns_free(&w->columns);
}

static const struct tl_writer_kind kind = { .put = speedscope_put,
	.end = speedscope_end,
	.free = speedscope_free,
	.is_of_one_machine = true };

int
tl_speedscope_write_new(struct tl_writer **writer, tl_write *write,
    void *context, const struct tl_report *report)
{
	int rc = tl_writer_make(writer, sizeof(struct speedscope), &kind, write,
	    context, report);

	if (rc == 0) {
		speedscope_of(*writer)->stacks.opened = opened;
		speedscope_of(*writer)->stacks.closing = closing;
		speedscope_of(*writer)->stacks.writer = *writer;
	}
	return rc;
}
