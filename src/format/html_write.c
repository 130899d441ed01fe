/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html_write.c - the page as a file, written as its entries come.
 *
 *	head, style, body | <script type="application/json">chunk</script>
 *	| ... | the script, which reads the chunks
 *
 * What a chunk is stands in html_chunk.h; html_events.c has the daemon's
 * answers, which are made of the same chunks.  A million plain entries take
 * about 20 MB.
 */
#include "format/html_write.h"

#include "format/html_chunk.h"
#include "format/html_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct html_write {
	struct tl_sink sink; /* first: what callers see */
	struct tl_out out;
	struct tl_html_chunk chunk;
	char *title;
	bool started;
};

static void
start(struct html_write *w)
{
	if (!w->started)
		tl_html_page_start(&w->out.text, w->title, false);
	w->started = true;
}

static void
write_chunk(struct html_write *w)
{
	if (w->chunk.count == 0)
		return;
	tl_put_string(&w->out.text,
	    "<script type=\"application/json\" class=\"chunk\">");
	tl_html_chunk_write(&w->chunk, &w->out.text);
	tl_put_string(&w->out.text, "</script>\n");
}

static int
html_put(struct tl_sink *sink, const struct tl_event *event)
{
	struct html_write *w = (struct html_write *)(void *)sink;
	int rc = 0;

	start(w);
	if (!tl_html_chunk_takes(&w->chunk, event)) {
		write_chunk(w);
		rc = tl_out_settle(&w->out);
	}
	return rc != 0 ? rc : tl_html_chunk_put(&w->chunk, event);
}

static int
html_finish(struct tl_sink *sink)
{
	struct html_write *w = (struct html_write *)(void *)sink;

	start(w);
	write_chunk(w);
	tl_html_page_end(&w->out.text);
	return tl_out_flush(&w->out);
}

int
tl_html_write_new(struct tl_sink **sink, const char *title, tl_write *write,
    void *context)
{
	struct html_write *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	if (!(w->title = strdup(title))) {
		free(w);
		return -ENOMEM;
	}
	w->sink = (struct tl_sink){ html_put, html_finish };
	w->out.write = write;
	w->out.context = context;
	*sink = &w->sink;
	return 0;
}

void
tl_html_write_free(struct tl_sink *sink)
{
	struct html_write *w = (struct html_write *)(void *)sink;

	if (!w)
		return;
	tl_text_free(&w->out.text);
	tl_html_chunk_free(&w->chunk);
	free(w->title);
	free(w);
}

void
tl_html_live(struct tl_text *text)
{
	tl_html_page_start(text, "timeline", true);
	tl_html_page_end(text);
}
