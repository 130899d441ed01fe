/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - the page as a file, written as the entries come.
 *
 *	head, style, body | <script type="application/json">chunk</script>
 *	| ... | <script id="why">answers</script> | script that reads the chunks
 *
 * chunk.h describes a chunk.  The daemon's answers (live.c) consist of the same
 * chunks.  A million plain entries take about 20 MB.
 */
#include "format/html/write.h"

#include "format/html/chunk.h"
#include "format/html/page.h"

struct html_write {
	struct tl_writer writer; /* first: callers see the writer */
	struct tl_html_chunk chunk;
	struct tl_fleet_hosts hosts;
	struct tl_bytes why;
};

static struct html_write *
write_of(struct tl_writer *writer)
{
	return (struct html_write *)writer;
}

/* Find the hosts of the sources, and write the head of the page. */
static int
html_begin(struct tl_writer *writer)
{
	struct html_write *w = write_of(writer);
	const int rc = tl_fleet_hosts_find(&w->hosts, writer);

	if (rc < 0)
		return rc;
	w->chunk.observes = TL_HTML_OBSERVED;
	tl_html_page_start(&writer->out.text,
	    writer->title ? writer->title : "timeline", false);
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
	struct html_write *w = write_of(writer);

	if (!tl_html_chunk_takes(&w->chunk, event))
		write_chunk(w);
	return tl_html_chunk_put(&w->chunk, event);
}

void
tl_html_write_set_why(struct tl_writer *writer, struct tl_bytes answers)
{
	write_of(writer)->why = answers;
}

/*
 * Append lines of JSON.  Only strings contain <, so escaping keeps the JSON
 * valid.
 */
static void
write_why(struct tl_text *text, struct tl_bytes lines)
{
	if (lines.size == 0)
		return;
	tl_put_string(text, "<script type=\"application/json\" id=\"why\">");
	for (size_t i = 0; i < lines.size; i++) {
		if (lines.data[i] == '<')
			tl_put_string(text, "\\u003c");
		else
			tl_put_char(text, lines.data[i]);
	}
	tl_put_string(text, "</script>\n");
}

static int
html_end(struct tl_writer *writer)
{
	write_chunk(write_of(writer));
	write_why(&writer->out.text, write_of(writer)->why);
	tl_html_page_end(&writer->out.text);
	return 0;
}

static void
html_free(struct tl_writer *writer)
{
	tl_html_chunk_free(&write_of(writer)->chunk);
	tl_fleet_hosts_free(&write_of(writer)->hosts);
}

static const struct tl_writer_kind html_kind = { .begin = html_begin,
	.put = html_put,
	.end = html_end,
	.free = html_free };

int
tl_html_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	return tl_writer_make(writer, sizeof(struct html_write), &html_kind,
	    write, context, report);
}
