/* SPDX-License-Identifier: Apache-2.0 */
/* values.c - the durations of spans and arguments, and their panels. */
#include "format/svg/svg.h"

int
tl_svg_count_name(struct svg_write *w, const struct tl_event *event,
    unsigned arg, unsigned *name)
{
	const int rc = tl_svg_names_get(&w->names, event, arg, name);

	if (rc < 0)
		return rc;
	if (*name == SVG_NAMES_OTHERS)
		tl_svg_note(w, SVG_MESSAGES);
	w->names.entries[*name]++;
	return 0;
}

int
tl_svg_values(struct svg_write *w, const struct tl_event *event,
    const struct tl_span *span, tl_svg_take *take)
{
	unsigned name;
	int rc = 0;

	if (span) { /* the arguments of the begin name the span */
		struct tl_event named = *event;

		named.message = span->message;
		memcpy(named.args, span->args, sizeof(named.args));
		named.bare = span->bare;
		rc = tl_svg_count_name(w, &named, SVG_NO_ARG, &name);
		if (rc == 0)
			rc = take(w, name, event->ns,
			    (uint64_t)span->duration_ns);
	}
	/* An end repeats the arguments of its begin. */
	if (!event->message || event->kind == TL_END)
		return rc;
	for (unsigned i = 0; rc == 0 && i < event->message->argc; i++) {
		if (event->message->args[i].format != TIMELINE_ARG_DURATION)
			continue;
		if ((int64_t)event->args[i] < 0) {
			tl_svg_note(w, SVG_NEGATIVE);
			continue;
		}
		rc = tl_svg_count_name(w, event, i, &name);
		if (rc == 0)
			rc = take(w, name, event->ns, event->args[i]);
	}
	return rc;
}

void
tl_svg_pairing_notes(struct svg_write *w)
{
	struct tl_spans_count count;

	tl_spans_counts(w->spans, &count);
	w->notes.count[SVG_LONELY_BEGINS] = count.lonely_begins;
	w->notes.count[SVG_LONELY_ENDS] = count.lonely_ends;
	w->notes.first[SVG_LONELY_BEGINS] = TL_FAULT_NOWHERE;
	w->notes.first[SVG_LONELY_ENDS] = TL_FAULT_NOWHERE;
}

unsigned
tl_svg_most(const struct svg_names *names, unsigned *most, unsigned max)
{
	const uint64_t *entries = names->entries;
	unsigned count = 0;

	for (unsigned i = 0; i < names->count; i++) {
		unsigned at = count;

		if (entries[i] == 0)
			continue;
		if (count < max)
			count++;
		else if (entries[most[--at]] >= entries[i])
			continue;
		/* behind the names with as many entries, which came first */
		for (; at > 0 && entries[most[at - 1]] < entries[i]; at--)
			most[at] = most[at - 1];
		most[at] = i;
	}
	return count;
}

void
tl_svg_unshown(struct svg_write *w, const unsigned *panels, unsigned count,
    struct svg_point at)
{
	struct tl_text words = { 0 };
	uint64_t values = 0;
	unsigned named = 0;

	for (unsigned i = 0; i < w->names.count; i++) {
		values += w->names.entries[i];
		named += w->names.entries[i] > 0;
	}
	for (unsigned i = 0; i < count; i++)
		values -= w->names.entries[panels[i]];
	if (named == count)
		return;
	tl_put_string(&words, "not shown: ");
	tl_svg_counted(&words, values, "value");
	tl_put_string(&words, " of ");
	tl_svg_counted(&words, named - count, "further name");
	tl_svg_words(&w->writer.out.text, "dim", at, &words);
}

void
tl_svg_nothing(struct svg_write *w, double y, double height, const char *words)
{
	struct tl_text *text = &w->writer.out.text;

	tl_svg_rect(text, "panel",
	    (struct svg_box){ SVG_MARGIN, y, SVG_WIDTH - 2 * SVG_MARGIN,
		height });
	tl_svg_word(text, "sub dim mid",
	    (struct svg_point){ SVG_WIDTH / 2.0, y + height / 2 + 4 }, words);
}
