/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speedscope_write.c - marks of each track are kept, then written.
 */
#include "format/speedscope_write.h"

#include "format/stacks.h"

#include <errno.h>

/* A begin or an end; the text of a track is an array of them. */
struct mark {
	uint64_t at_ns; /* from the first of all */
	uint32_t frame;
	uint32_t opens;
};

struct speedscope {
	struct tl_writer writer; /* first: what callers see */
	struct tl_stacks stacks;
};

static struct speedscope *
speedscope_of(struct tl_writer *writer)
{
	return (struct speedscope *)(void *)writer;
}

static int
keep(struct tl_stacks *stacks, struct tl_track *track, int64_t ns, bool opens)
{
	const struct mark mark = { (uint64_t)ns - (uint64_t)stacks->first_ns,
		track->open[track->depth - 1].frame, opens };

	tl_put_bytes(&track->text, tl_bytes(&mark, sizeof(mark)));
	return track->text.rc;
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
		rc = tl_out_settle(&w->writer.out);
	}
	tl_put_string(text, "]},\"profiles\":[");
	return rc;
}

static int
put_marks(struct speedscope *w, const struct tl_track *track)
{
	enum { MARK_SIZE_MAX = 48 + 2 * TL_UNSIGNED_MAX };
	struct tl_text *text = &w->writer.out.text;
	struct mark mark;
	int rc = 0;

	for (size_t at = 0; rc == 0 && at < track->text.size;
	     at += sizeof(mark)) {
		memcpy(&mark, track->text.data + at, sizeof(mark));
		tl_put_string(text, at > 0 ? ",\n" : "\n");
		tl_put_string(text, mark.opens ? "{\"type\":\"O\",\"frame\":"
					       : "{\"type\":\"C\",\"frame\":");
		tl_put_unsigned(text, mark.frame);
		tl_put_string(text, ",\"at\":");
		tl_put_unsigned(text, mark.at_ns);
		tl_put_char(text, '}');
		rc = tl_out_settle(&w->writer.out);
	}
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
	rc = put_marks(w, track);
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
		if (w->stacks.track[i].text.size == 0)
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
	tl_stacks_free(&speedscope_of(writer)->stacks);
}

static const struct tl_writer_kind kind = { .put = speedscope_put,
	.end = speedscope_end,
	.free = speedscope_free };

int
tl_speedscope_write_new(struct tl_writer **writer, tl_write *write,
    void *context, const struct tl_report *report)
{
	int rc = tl_writer_make(writer, sizeof(struct speedscope), &kind, write,
	    context, report);

	if (rc == 0) {
		speedscope_of(*writer)->stacks.opened = opened;
		speedscope_of(*writer)->stacks.closing = closing;
	}
	return rc;
}
