/* SPDX-License-Identifier: Apache-2.0 */
/* line_write.c - events to lines, and notes about the omissions. */
#include "format/line.h"

#include "base/utf8.h"
#include "event/reader.h"

#include <errno.h>
#include <math.h>
#include <timeline.h>

enum note {
	EXPLAINED,
	PLACES,
	GATES,
	BUILTIN,
	SCOPES,
	STAMPS,
	LOSS_TIMES,
	NOT_UTF8,
	DOUBLES,
	STRINGS,
	BOUNDS
};

static const struct tl_note_kind notes[TL_NOTES_MAX] = {
	[EXPLAINED] = { -ENOTSUP, "the explanation of a message is left out" },
	[PLACES] = { -ENOTSUP,
	    "the file and line that define a message are left out" },
	[GATES] = { -ENOTSUP,
	    "the level that was set for a message is left out" },
	[BUILTIN] = { -ENOTSUP,
	    "what opens and closes bursts becomes a message as any other" },
	[SCOPES] = { -ENOTSUP, "spans of a message with so many arguments are "
			       "written as those of a thread" },
	[STAMPS] = { -ENOTSUP, "lane, number, epoch and clock error of an "
			       "entry are left out" },
	[LOSS_TIMES] = { -ENOTSUP, "the time of a loss is left out" },
	[NOT_UTF8] = { -ENOTSUP, "bytes that are no UTF-8 become U+FFFD" },
	[DOUBLES] = { -ENOTSUP,
	    "a double that is no number is not written exactly" },
	[STRINGS] = { -ENOTSUP,
	    "a text that is missing is written as its number" },
	[BOUNDS] = { -ENOTSUP, "how sure the time of an entry is among those "
			       "of other hosts is left out" },
};

/* The text that put_names made for a thread; valid until the names change. */
struct named {
	const struct tl_names *from;
	uint64_t changes;
	uint32_t pid;
	uint32_t tid;
	struct tl_text text;
};

enum { NAMED_MAX = 64 };

struct line_write {
	struct tl_writer writer; /* first: callers see the writer */
	const struct tl_line_write_kind *kind;
	struct named named[NAMED_MAX]; /* by the low bits of tid */
	struct tl_pieces_cache cache;
	/* The text that put_origin made for the origin of the last event. */
	struct tl_origin from;
	struct tl_text origin;
	bool of_several; /* several timelines */
	bool of_hosts;   /* several hosts */
};

static void
note(struct line_write *w, enum note kind, bool is_so)
{
	if (is_so)
		tl_note(&w->writer.notes, kind, TL_FAULT_NOWHERE);
}

static bool
is_utf8(struct tl_bytes bytes)
{
	return tl_utf8_valid(bytes) == bytes.size;
}

/* Would a double change when it is written and read? */
static bool
is_odd_double(const struct line_write *w, uint64_t bits)
{
	const double canonical = __builtin_nan("");
	const double value = tl_double_of(bits);

	if (isinf(value))
		return w->kind->is_finite;
	return isnan(value) && memcmp(&bits, &canonical, sizeof(bits)) != 0;
}

static void
note_event(struct line_write *w, const struct tl_event *e)
{
	note(w, BOUNDS, w->of_hosts && !w->kind->has_bounds);
	note(w, STAMPS, (e->number | e->lane | e->epoch | e->error_ns) != 0);
	if (!e->message) {
		note(w, LOSS_TIMES, !w->kind->has_loss_time);
		return;
	}
	for (unsigned i = 0; i < e->message->argc && tl_event_has_args(e);
	     i++) {
		struct tl_bytes string;

		switch (e->message->args[i].format) {
		case TIMELINE_ARG_DOUBLE:
			note(w, DOUBLES, is_odd_double(w, e->args[i]));
			break;
		case TIMELINE_ARG_STRING:
		case TIMELINE_ARG_TEXT8:
			string = tl_message_text(e->message, i, &e->args[i]);
			note(w, STRINGS, !string.data);
			note(w, NOT_UTF8, w->kind->is_utf8 && !is_utf8(string));
			break;
		}
	}
}

static const struct tl_pieces *
pieces_of(struct line_write *w, const struct tl_message *message)
{
	const struct tl_pieces *pieces =
	    tl_message_map_find(&w->cache.map, message);

	if (pieces)
		return pieces;
	note(w, EXPLAINED, message->explain.size > 0);
	note(w, PLACES, message->file.size > 0);
	note(w, GATES, message->gate != message->level);
	note(w, BUILTIN, message->builtin != TIMELINE_BUILTIN_NONE);
	note(w, SCOPES,
	    message->kind == TIMELINE_RECORD_SPAN &&
		message->scope == TIMELINE_SOURCE &&
		message->argc > w->kind->scope_argc_max);
	note(w, NOT_UTF8,
	    w->kind->is_utf8 &&
		!(is_utf8(message->category) && is_utf8(message->line1)));
	return tl_pieces_make(&w->cache, message);
}

static struct tl_bytes
names_of(struct line_write *w, const struct tl_event *event)
{
	const struct tl_names *from = tl_event_names(event);
	struct named *n = &w->named[event->tid % NAMED_MAX];

	if (!from || from->count == 0 || !w->kind->put_names)
		return tl_bytes(NULL, 0);
	if (n->from != from || n->changes != from->changes ||
	    n->pid != event->pid || n->tid != event->tid) {
		n->from = from;
		n->changes = from->changes;
		n->pid = event->pid;
		n->tid = event->tid;
		tl_text_clear(&n->text);
		w->kind->put_names(&n->text,
		    tl_names_thread(from, n->pid, n->tid),
		    tl_names_process(from, n->pid));
		if (n->text.rc < 0)
			w->writer.out.text.rc = n->text.rc;
	}
	return tl_text_bytes(&n->text);
}

static struct tl_bytes
origin_of(struct line_write *w, const struct tl_event *event)
{
	const struct tl_origin *from = tl_writer_source(&w->writer, event);

	if (!w->of_several && !w->kind->always_has_origin)
		return tl_bytes(NULL, 0);
	if (w->origin.size == 0 ||
	    strcmp(w->from.machine, from->machine) != 0 ||
	    strcmp(w->from.timeline, from->timeline) != 0) {
		w->from = *from;
		tl_text_clear(&w->origin);
		w->kind->put_origin(&w->origin, tl_bytes_of(from->machine),
		    tl_bytes_of(from->timeline));
		if (w->origin.rc < 0)
			w->writer.out.text.rc = w->origin.rc;
	}
	return tl_text_bytes(&w->origin);
}

/* Find whether the sources are several timelines or several hosts. */
static void
compare_sources(struct line_write *w)
{
	static const struct tl_origin nothing;
	const struct tl_writer *writer = &w->writer;
	const struct tl_origin *first = NULL;

	w->of_hosts = writer->facts.may_be_several;
	w->of_several =
	    writer->facts.may_be_several || writer->facts.says_origin;
	for (size_t i = 0; i < writer->facts.source_count; i++) {
		const struct tl_origin *one = &writer->facts.sources[i];

		if (memcmp(one, &nothing, sizeof(nothing)) == 0)
			continue; /* could not be opened */
		if (first && (strcmp(first->machine, one->machine) != 0 ||
				 memcmp(first->boot_id, one->boot_id,
				     sizeof(one->boot_id)) != 0))
			w->of_hosts = w->of_several = true;
		else if (first && strcmp(first->timeline, one->timeline) != 0)
			w->of_several = true;
		first = one;
	}
}

static int
line_begin(struct tl_writer *writer)
{
	struct line_write *w = (void *)writer;

	compare_sources(w);
	if (w->kind->names)
		tl_put_string(&writer->out.text, w->kind->names);
	return 0;
}

static int
line_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct line_write *w = (void *)writer;
	const struct tl_line_words words = { .origin = origin_of(w, event),
		.names =
		    event->message ? names_of(w, event) : tl_bytes(NULL, 0),
		.has_bound = w->of_hosts };
	const struct tl_pieces *pieces;

	if (writer->report) /* notes have a consumer */
		note_event(w, event);
	if (!event->message) {
		w->kind->lost(&writer->out.text, event, words.origin);
		return 0;
	}
	if (!(pieces = pieces_of(w, event->message)))
		return -ENOMEM;
	w->kind->event(&writer->out.text, pieces, event, &words);
	return 0;
}

static void
line_free(struct tl_writer *writer)
{
	struct line_write *w = (void *)writer;

	for (size_t i = 0; i < NAMED_MAX; i++)
		tl_text_free(&w->named[i].text);
	tl_text_free(&w->origin);
	tl_pieces_free(&w->cache);
}

static const struct tl_writer_kind frame = { .put = line_put,
	.begin = line_begin,
	.notes = notes,
	.free = line_free };

int
tl_line_write_new(struct tl_writer **writer,
    const struct tl_line_write_kind *kind, tl_write *write, void *context,
    const struct tl_report *report)
{
	struct line_write *w;
	int rc =
	    tl_writer_make(writer, sizeof(*w), &frame, write, context, report);

	if (rc < 0)
		return rc;
	w = (struct line_write *)*writer;
	w->kind = kind;
	w->cache.make = kind->make;
	return 0;
}
