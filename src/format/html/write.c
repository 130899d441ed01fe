/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - the page as a file, written as the entries come.
 *
 *	head, style, body | <script type="application/json">chunk</script>
 *	| ... | <script class="history">levels of an input</script> ...
 *	| <script id="why">answers</script> | script that reads the chunks
 *
 * chunk.h describes a chunk.  The daemon's answers (live.c) consist of the same
 * chunks.  A million plain entries take about 20 MB.
 */
#include "format/html/write.h"

#include "base/array.h"
#include "format/html/chunk.h"
#include "format/html/live.h"

#include <errno.h>
#include <stdlib.h>

/* The time of the entries of an input. */
struct input {
	int64_t from_ns, to_ns;
	bool any;
	bool has_levels;
};

struct html_write {
	struct tl_writer writer; /* first: callers see the writer */
	struct tl_html_chunk chunk;
	struct tl_details *details;
	struct input *inputs; /* by source */
	size_t input_count;
	struct tl_fleet_hosts hosts;
	struct tl_bytes why;
};

/* Find the hosts of the sources, and write the head of the page. */
static int
html_begin(struct tl_writer *writer)
{
	struct html_write *w = (void *)writer;
	const int rc = tl_fleet_hosts_find(&w->hosts, writer);

	if (rc < 0)
		return rc;
	w->chunk.observes = TL_HTML_OBSERVED;
	tl_html_page_start(&writer->out.text,
	    writer->facts.title ? writer->facts.title : "timeline", false);
	return w->hosts.count < 2
		   ? 0
		   : tl_html_chunk_set_hosts(&w->chunk, &w->hosts);
}

static void
write_chunk(struct html_write *w)
{
	struct tl_text *text = &w->writer.out.text;

	if (w->chunk.count == 0)
		return;
	tl_put_string(text,
	    "<script type=\"application/json\" class=\"chunk\">");
	tl_html_chunk_write(&w->chunk, text);
	tl_put_string(text, "</script>\n");
}

static int
html_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct html_write *w = (void *)writer;
	struct input *input;
	const int rc = tl_details_put(w->details, NULL, event);

	if (rc == 0 && event->aside)
		return 0;
	if (rc < 0 ||
	    TL_ARRAY_ZEROS(w->inputs, w->input_count, event->source) < 0)
		return -ENOMEM;
	input = &w->inputs[event->source];
	if (event->kind != TL_LOST) {
		if (!input->any || event->ns < input->from_ns)
			input->from_ns = event->ns;
		if (!input->any || event->ns > input->to_ns)
			input->to_ns = event->ns;
		input->any = true;
		input->has_levels |= event->base != 0;
	}
	if (!tl_html_chunk_takes(&w->chunk, event))
		write_chunk(w);
	return tl_html_chunk_put(&w->chunk, event);
}

void
tl_html_write_set_why(struct tl_writer *writer, struct tl_bytes answers)
{
	struct html_write *w = (void *)writer;

	w->why = answers;
}

static void
write_history(struct html_write *w)
{
	struct tl_text *text = &w->writer.out.text;

	for (size_t i = 0; i < w->input_count; i++) {
		const struct input *input = &w->inputs[i];

		if (!input->any)
			continue;
		tl_put_string(text, "<script type=\"application/json\" "
				    "class=\"history\">[");
		tl_html_put_history(text, w->details, (uint16_t)i,
		    input->has_levels, input->from_ns, input->to_ns);
		tl_put_string(text, "]</script>\n");
	}
}

static int
html_end(struct tl_writer *writer)
{
	struct html_write *w = (void *)writer;
	struct tl_text *text = &writer->out.text;

	write_chunk(w);
	write_history(w);
	if (w->why.size != 0) {
		tl_put_string(text,
		    "<script type=\"application/json\" id=\"why\">");
		tl_html_put_script(text, w->why);
		tl_put_string(text, "</script>\n");
	}
	tl_html_page_end(text);
	return 0;
}

static void
html_free(struct tl_writer *writer)
{
	struct html_write *w = (void *)writer;

	tl_html_chunk_free(&w->chunk);
	tl_fleet_hosts_free(&w->hosts);
	tl_details_free(w->details);
	free(w->inputs);
}

static const struct tl_writer_kind html_kind = { .begin = html_begin,
	.put = html_put,
	.end = html_end,
	.free = html_free };

int
tl_html_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	struct html_write *w;
	int rc = tl_writer_make(writer, sizeof(*w), &html_kind, write, context,
	    report);

	if (rc < 0)
		return rc;
	w = (void *)*writer;
	if ((rc = tl_details_new(&w->details, false)) < 0)
		tl_writer_free(*writer);
	return rc;
}
