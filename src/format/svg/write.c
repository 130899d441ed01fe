/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - the frame of a chart: totals of all entries above the chart,
 * omissions below.
 */
#include "format/svg/svg.h"

#include "base/array.h"

#include <assert.h>
#include <errno.h>

enum {
	HEAD = 112,         /* pixels above a chart */
	FOOT = 34,          /* pixels below a chart */
	TITLE_COLUMNS = 84, /* columns of 20 px */
	MACHINE_COLUMNS = 56,
	COMMAND_COLUMNS = 40
};

static const struct {
	const char *name;
	const char *help;
	const struct svg_chart *chart;
} charts[] = {
#define CHART(NAME, name, help) { name, help, &CHART_##NAME },
#define CHART_LATENCY           tl_svg_latency
#define CHART_HEAT              tl_svg_heat
#define CHART_SPANS             tl_svg_spans
#include "format/svg/charts.def"
#undef CHART
};

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[SVG_NEGATIVE] = { -ENOTSUP, "a duration below zero is left out" },
	[SVG_UNSURE] = { -ENOTSUP,
	    "a span during which entries may be missing is left out" },
	[SVG_LONELY_BEGINS] = { -ENOTSUP,
	    "a begin without an end is left out" },
	[SVG_LONELY_ENDS] = { -ENOTSUP, TL_NOTE_LONELY_ENDS },
	[SVG_COUNTERS] = { -ENOTSUP, TL_NOTE_COUNTERS },
	[SVG_MESSAGES] = { -ENOSPC, "too many messages: taken for one" },
	[SVG_TRACKS] = { -ENOSPC,
	    "too many threads: spans and instants are left out" },
	[SVG_DEEP] = { -ENOSPC,
	    "a span is too deep: drawn with what is around it" },
};

/* The notes for the foot of the picture, where a number precedes each. */
static const char *const foot_words[] = {
	[SVG_NEGATIVE] = "duration(s) below zero left out",
	[SVG_UNSURE] = "span(s) that may miss entries left out",
	[SVG_LONELY_BEGINS] = "begin(s) without an end left out",
	[SVG_LONELY_ENDS] = "end(s) without a begin left out",
	[SVG_COUNTERS] = "counter value(s) left out",
	[SVG_MESSAGES] = "value(s) of too many messages taken for one",
	[SVG_TRACKS] = "entries of too many threads left out",
	[SVG_DEEP] = "span(s) too deep drawn with others",
};

static struct svg_write *
write_of(struct tl_writer *writer)
{
	return (struct svg_write *)(void *)writer;
}

int
tl_svg_chart_parse(const char *name, enum tl_svg_chart *chart)
{
	for (unsigned i = 0; i < TL_SVG_CHARTS; i++) {
		if (strcmp(charts[i].name, name) == 0) {
			*chart = (enum tl_svg_chart)i;
			return 0;
		}
	}
	return -EINVAL;
}

const char *
tl_svg_chart_name(unsigned chart)
{
	return chart < TL_SVG_CHARTS ? charts[chart].name : NULL;
}

const char *
tl_svg_chart_help(unsigned chart)
{
	return chart < TL_SVG_CHARTS ? charts[chart].help : NULL;
}

static int
svg_begin(struct tl_writer *writer)
{
	struct svg_write *w = write_of(writer);
	const int rc = tl_spans_new(&w->spans);

	w->chart = charts[w->which].chart;
	w->notes.kinds = kinds;
	return rc < 0 ? rc : w->chart->start(w);
}

static int
svg_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct svg_write *w = write_of(writer);
	struct tl_span span;
	int rc;

	if (event->kind != TL_LOST) {
		w->entries++;
		if (!w->begun || event->ns < w->first_ns)
			w->first_ns = event->ns;
		if (!w->begun || event->ns > w->last_ns)
			w->last_ns = event->ns;
		w->begun = true;
	} else if (!event->overwritten) { /* a loss has no usable time */
		w->losses++;
		w->lost = event->lost > UINT64_MAX - w->lost
			      ? UINT64_MAX
			      : w->lost + event->lost;
	}
	rc = tl_spans_put(w->spans, event, &span);
	if (rc < 0)
		return rc;
	if (rc == 1 && !tl_span_is_sure(&span)) {
		tl_svg_note(w, SVG_UNSURE);
		rc = 0;
	}
	return w->chart->put(w, event, rc == 1 ? &span : NULL);
}

static void
put_title(struct svg_write *w, const char *element, unsigned columns)
{
	const char *title = w->writer.title;
	struct tl_text plain = { 0 };
	struct tl_text *text = &w->writer.out.text;

	if (!title || title[0] == '\0')
		title = "timeline";
	tl_svg_plain(&plain, tl_bytes_of(title), columns);
	if (element) {
		tl_put_string(text, element);
		tl_put_xml(text, tl_bytes(plain.data, plain.size));
	} else {
		tl_svg_text(text, "title", (struct svg_point){ SVG_MARGIN, 36 },
		    tl_bytes(plain.data, plain.size));
	}
	if (plain.rc < 0)
		text->rc = plain.rc;
	tl_text_free(&plain);
}

/* Append a time: 2026-11-20 19:24:18.123456789 */
static void
put_time(struct tl_text *words, int64_t ns)
{
	char time[TL_TIME_SIZE];
	struct tl_time_cache cache = { 0 };

	tl_write_time(time, &cache, ns);
	time[10] = ' ';
	tl_put_bytes(words, tl_bytes(time, TL_TIME_SIZE - 6)); /* no +00:00 */
}

/* Append the time from the first to the last entry. */
static void
put_window(const struct svg_write *w, struct tl_text *words)
{
	uint64_t length = (uint64_t)w->last_ns - (uint64_t)w->first_ns;

	if (!w->begun) {
		tl_put_string(words, "no entries");
		return;
	}
	if (length > INT64_MAX)
		length = INT64_MAX;
	put_time(words, w->first_ns);
	tl_put_string(words, " to ");
	put_time(words, w->last_ns);
	tl_put_string(words, " UTC  (");
	tl_put_duration(words, (int64_t)length);
	tl_put_char(words, ')');
}

/* Append the origin of the entries, if all have the same origin. */
static void
put_machine(const struct svg_write *w, struct tl_text *words)
{
	const struct tl_origin *o = &w->writer.origin;

	if (o->machine[0] != '\0') {
		tl_put_string(words, "machine ");
		tl_svg_plain(words, tl_bytes_of(o->machine), MACHINE_COLUMNS);
	}
	if (o->command[0] != '\0') {
		tl_put_string(words, words->size > 0 ? " \xc2\xb7 " : "");
		tl_svg_plain(words, tl_bytes_of(o->command), COMMAND_COLUMNS);
	}
	if (o->pid != 0) {
		tl_put_string(words, words->size > 0 ? " \xc2\xb7 " : "");
		tl_put_string(words, "process ");
		tl_put_unsigned(words, o->pid);
	}
}

/* Draw the text in words, unless the text is empty, and free words. */
static void
put_words(struct svg_write *w, const char *class, double x, double y,
    struct tl_text *words)
{
	struct tl_text *text = &w->writer.out.text;

	if (words->size > 0 || words->rc < 0)
		tl_svg_words(text, class, (struct svg_point){ x, y }, words);
	else
		tl_text_free(words);
}

/* Draw the title, and what is known of all entries. */
static void
put_head(struct svg_write *w, double height)
{
	struct tl_text *text = &w->writer.out.text;
	const double right = SVG_WIDTH - SVG_MARGIN;
	struct tl_text words = { 0 };

	tl_put_format(text,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
	    "height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n",
	    SVG_WIDTH, (int)height, SVG_WIDTH, (int)height);
	put_title(w, "<title>", SVG_NAME_COLUMNS);
	tl_put_string(text, "</title>\n<desc>");
	tl_put_string(text, w->chart->caption);
	tl_put_string(text, "</desc>\n");
	tl_put_string(text, tl_svg_style);
	tl_svg_rect(text, "back", (struct svg_box){ 0, 0, SVG_WIDTH, height });
	put_title(w, NULL, TITLE_COLUMNS);
	tl_svg_word(text, "sub strong", (struct svg_point){ SVG_MARGIN, 58 },
	    w->chart->caption);
	put_window(w, &words);
	put_words(w, "sub", SVG_MARGIN, 76, &words);
	put_machine(w, &words);
	put_words(w, "sub dim", SVG_MARGIN, 93, &words);
	tl_svg_count(&words, w->entries);
	tl_put_string(&words, w->entries == 1 ? " entry" : " entries");
	if (w->losses == 0)
		tl_put_string(&words, ", none lost");
	put_words(w, "sub end", right, 58, &words);
	if (w->losses == 0)
		return;
	if (w->lost == UINT64_MAX)
		tl_put_string(&words, "at least ");
	tl_svg_count(&words, w->lost);
	tl_put_string(&words, w->lost == 1 ? " entry lost" : " entries lost");
	tl_put_string(&words, ", in ");
	tl_svg_counted(&words, w->losses, "place");
	put_words(w, "sub end bad", right, 76, &words);
}

/* Draw the notes; (s) in a note becomes s, or nothing behind 1. */
static void
put_foot(struct svg_write *w, double y)
{
	struct tl_text words = { 0 };

	for (unsigned i = 0; i < TL_COUNT(foot_words); i++) {
		const uint64_t count = w->notes.count[i];
		const char *word = foot_words[i];
		const char *plural = strstr(word, "(s)");

		if (count == 0)
			continue;
		tl_put_string(&words, words.size > 0 ? ", " : "");
		tl_svg_count(&words, count);
		tl_put_char(&words, ' ');
		if (plural) {
			tl_put_bytes(&words,
			    tl_bytes(word, (size_t)(plural - word)));
			tl_put_string(&words, count == 1 ? "" : "s");
			word = plural + strlen("(s)");
		}
		tl_put_string(&words, word);
	}
	put_words(w, "dim", SVG_MARGIN, y, &words);
}

static int
svg_end(struct tl_writer *writer)
{
	struct svg_write *w = write_of(writer);
	double height;
	int rc = w->chart->layout(w, &height);

	if (rc < 0)
		return rc;
	put_head(w, HEAD + height + FOOT);
	if ((rc = w->chart->draw(w, HEAD)) < 0)
		return rc;
	put_foot(w, HEAD + height + 20);
	tl_put_string(&writer->out.text, "</svg>\n");
	tl_notes_report(&w->notes, writer->report);
	return 0;
}

static void
svg_free(struct tl_writer *writer)
{
	struct svg_write *w = write_of(writer);

	if (w->chart)
		w->chart->free(w);
	tl_spans_free(w->spans);
	tl_svg_names_free(&w->names);
}

static void
svg_set_chart(struct tl_writer *writer, int chart)
{
	struct svg_write *w = write_of(writer);

	assert(!w->chart && chart >= 0 && chart < TL_SVG_CHARTS);
	w->which = (enum tl_svg_chart)chart;
}

static const struct tl_writer_kind svg_kind = { .begin = svg_begin,
	.put = svg_put,
	.end = svg_end,
	.free = svg_free,
	.set = svg_set_chart,
	.is_of_one_machine = true };

int
tl_svg_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	return tl_writer_make(writer, sizeof(struct svg_write), &svg_kind,
	    write, context, report);
}
