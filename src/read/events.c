/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - return the next event and its properties. */
#include "clock/clock.h"
#include "read/read.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUND_MS = 10 /* between polls of a followed timeline */ };

/* == names == */

static int
name(struct timeline_reader *r, const struct tl_event *event,
    struct timeline_read_event *to)
{
	const struct tl_names *from = tl_event_names(event);
	struct tl_read_named *n = &r->named[event->tid % TL_READ_NAMED_MAX];
	int rc = 0;

	if (!from || from->count == 0)
		return 0;
	if (n->from != from || n->changes != from->changes ||
	    n->pid != event->pid || n->tid != event->tid) {
		const struct tl_bytes names[] = {
			tl_names_thread(from, event->pid, event->tid),
			tl_names_process(from, event->pid),
		};

		n->from = NULL;
		if (!r->names)
			rc = tl_interner_new(&r->names);
		for (int i = 0; rc == 0 && i < 2; i++) {
			char string[TL_NAME_MAX + 1] = "";
			uint64_t number;

			if (names[i].size > 0)
				memcpy(string, names[i].data, names[i].size);
			rc = tl_interner_string(r->names,
			    tl_bytes(string, names[i].size + 1), &number);
			if (rc == 0)
				*(i == 0 ? &n->thread : &n->process) =
				    tl_interner_text(r->names, number).data;
		}
		if (rc < 0)
			return rc;
		n->from = from;
		n->changes = from->changes;
		n->pid = event->pid;
		n->tid = event->tid;
	}
	to->thread = n->thread;
	to->process = n->process;
	return 0;
}

/* == events == */

int
tl_read_fill(struct timeline_reader *r, const struct tl_event *event,
    struct timeline_read_event *to)
{
	const struct timeline_read_definition *definition;
	const int rc =
	    tl_read_define(r, event->message, event->source, &definition);
	const uint64_t error =
	    (uint64_t)event->sync_us * 1000 + event->error_ns;

	if (rc < 0)
		return rc;
	*to = (struct timeline_read_event){ .ns = event->ns,
		.tsc = event->tsc,
		.cpu = event->cpu,
		.pid = event->pid,
		.tid = event->tid,
		.level = event->level,
		.kind = event->kind,
		.category = definition->category,
		.message = definition->message,
		.duration_ns = -1,
		.error_ns =
		    event->sync_us == TL_SYNC_UNBOUNDED || error > UINT32_MAX
			? UINT32_MAX
			: (uint32_t)error,
		.epoch = event->epoch,
		.definition = definition,
		.thread = "",
		.process = "" };
	if (event->kind == TL_LOST) {
		to->lost = event->lost ? event->lost : 1;
		to->flags = tl_read_flag(!event->lost, UNCOUNTED) |
			    tl_read_flag(event->overwritten, OVERWRITTEN) |
			    tl_read_flag(event->unread, UNREAD);
		return 0;
	}
	to->argc = event->message->argc;
	memcpy(to->args, event->args, sizeof(to->args));
	to->flags =
	    tl_read_flag(event->overlaps, OVERLAPS) |
	    tl_read_flag(event->bare, BARE) |
	    tl_read_flag(event->continued, CONTINUED) |
	    tl_read_flag(event->message->builtin != 0, BUILTIN) |
	    tl_read_flag(event->moved, MOVED) |
	    tl_read_flag(event->proven, PROVEN) |
	    tl_read_flag(tl_event_is_begun(event) && !tl_event_has_args(event),
		ALONE);
	return name(r, event, to);
}

/* Newest first, the cursor has completed an end.  The end is put in place of
 * its begin, with the duration in args[0], and the begin takes the end by its
 * stamp. */
static int
pair(struct timeline_reader *r, struct tl_event *event, struct tl_span *span)
{
	struct tl_event begin;
	int rc;

	if (r->options.oldest_first)
		return tl_spans_complete(r->spans, event, span);
	if (event->kind == TL_BEGIN) {
		rc = tl_spans_take(r->spans, event, span);
		span->duration_ns = rc > 0 ? (int64_t)span->args[0] : 0;
		return rc;
	}
	if (event->kind != TL_END || event->begun == TL_BEGUN_NONE ||
	    !tl_event_is_stamped(event))
		return 0;
	begin = *event;
	begin.kind = TL_BEGIN;
	begin.proven = true;
	begin.tsc = event->begun_tsc;
	begin.args[0] = (uint64_t)event->duration_ns;
	return tl_spans_put(r->spans, &begin, span);
}

bool
tl_read_passes(struct timeline_reader *r, const struct tl_event *event)
{
	if (event->message && event->message != r->filtered) {
		r->filtered = event->message;
		r->passes = tl_filter_message(&r->filter, event->message);
	}
	return (!event->message || r->passes) &&
	       tl_filter_event(&r->filter, event);
}

/* The name of a removed timeline; each timeline is named once. */
static const char *
name_removed(struct timeline_reader *r)
{
	struct tl_source *item = NULL;

	for (size_t i = 0; i < r->sources.count; i++) {
		item = &r->sources.items[i];
		if (!tl_source_is_live(item) && item->told == 0) {
			item->told = 1;
			break;
		}
	}
	return item ? item->name : "";
}

int
tl_read_advance(struct timeline_reader *r, struct tl_event *event,
    struct tl_span *span)
{
	int rc = tl_cursor_next(r->cursor, event);

	tl_read_report(r);
	if (rc == 0 && r->options.follow) {
		rc = -EPIPE;
		for (size_t i = 0; i < r->sources.count; i++)
			if (tl_source_is_live(&r->sources.items[i]))
				rc = 0;
	}
	if (rc <= 0)
		return rc;
	rc = pair(r, event, span);
	return rc < 0 ? rc : rc > 0 ? TL_READ_PAIRED : TL_READ_EVENT;
}

/* Read the next event that passes.  Returns 1, 0 or -errno.  Events that do not
 * pass still begin and end spans. */
static int
step(struct timeline_reader *r)
{
	struct tl_span span = { 0 };
	struct tl_event event;
	int paired, rc;

	do {
		paired = tl_read_advance(r, &event, &span);
		if (paired <= 0)
			return paired;
	} while (!tl_read_passes(r, &event));
	rc = tl_read_fill(r, &event, &r->event);
	if (rc < 0)
		return rc;
	if (event.kind == TL_END && tl_event_is_begun(&event)) {
		r->event.duration_ns = event.duration_ns;
		r->event.flags |=
		    tl_read_flag(event.begun == TL_BEGUN_UNSURE, UNSURE);
	} else if (paired == TL_READ_PAIRED) { /* a begin, newest first */
		r->event.duration_ns = span.duration_ns;
		r->event.flags |= tl_read_flag(span.lossy, UNSURE);
	}
	return 1;
}

/* Call next until it yields an entry of a followed timeline or the timeout has
 * passed. */
static int
wait_step(struct timeline_reader *r,
    int (*next)(struct timeline_reader *reader))
{
	const int64_t timeout = r->options.timeout_ms;
	int64_t end = 0;
	int rc;

	while ((rc = next(r)) == 0 && timeout != 0) {
		const int64_t now = tl_clock_read(CLOCK_MONOTONIC) / 1000000;
		int64_t left = ROUND_MS;
		struct timespec pause = { 0 };

		if (timeout > 0) {
			if (end == 0)
				end = now + timeout;
			if (now >= end)
				return 0;
			if (end - now < left)
				left = end - now;
		}
		pause.tv_nsec = (long)(left * 1000000);
		if (nanosleep(&pause, NULL) < 0)
			return -errno;
	}
	return rc;
}

int
tl_read_one(struct timeline_reader *r,
    int (*next)(struct timeline_reader *reader))
{
	int rc;

	if (r->options.trees)
		return tl_read_fail(-EINVAL,
		    "the reader was opened with options.trees, for nodes");
	if (r->given_by && r->given_by != next)
		return tl_read_fail(-EINVAL,
		    "a reader gives events or spans, not both");
	r->given_by = next;
	if (r->options.limit > 0 && r->given >= r->options.limit)
		return 0;
	rc = r->options.follow ? wait_step(r, next) : next(r);
	if (rc > 0)
		r->given++;
	else if (rc == -EPIPE && r->options.follow)
		tl_read_fail(rc, "%s: the timeline was removed",
		    name_removed(r));
	else if (rc < 0)
		tl_read_fail(rc, "an event cannot be read: %s", strerror(-rc));
	return rc;
}

int
timeline_read_next(struct timeline_reader *r,
    const struct timeline_read_event **event)
{
	const int rc = tl_read_one(r, step);

	*event = rc > 0 ? &r->event : NULL;
	return rc;
}

/* == text == */

int
tl_read_copy(struct timeline_reader *r, char *text, size_t size)
{
	struct tl_text *from = &r->text;
	const size_t length = from->size;
	int rc = from->rc;

	if (!text && size > 0) {
		rc = -EINVAL;
		size = 0;
	}
	if (rc == 0 && length > INT_MAX)
		rc = -EOVERFLOW;
	if (rc == 0 && size > 0) {
		const size_t n = length < size ? length : size - 1;

		if (n > 0)
			memcpy(text, from->data, n);
		text[n] = '\0';
	} else if (size > 0) {
		text[0] = '\0';
	}
	tl_text_clear(from);
	from->rc = 0;
	return rc < 0 ? tl_read_fail(rc, "%s", strerror(-rc)) : (int)length;
}

/* Rebuild an event for rendering. */
static int
restore(const struct timeline_read_event *event, struct tl_event *to)
{
	const struct tl_read_definition *d = tl_read_defined(event->definition);

	if (!d)
		return tl_read_fail(-EINVAL, "not an event of a reader");
	*to = (struct tl_event){ .message = d->message,
		.ns = event->ns,
		.tsc = event->tsc,
		.cpu = event->cpu,
		.kind = (uint8_t)event->kind,
		.lost =
		    event->flags & TIMELINE_READ_UNCOUNTED ? 0 : event->lost,
		.bare = (event->flags & TIMELINE_READ_BARE) != 0,
		.overwritten = (event->flags & TIMELINE_READ_OVERWRITTEN) != 0,
		.unread = (event->flags & TIMELINE_READ_UNREAD) != 0 };
	if (event->kind == TL_END && event->duration_ns >= 0) {
		to->known =
		    to->bare && (event->flags & TIMELINE_READ_ALONE) == 0;
		to->begun = event->flags & TIMELINE_READ_UNSURE
				? TL_BEGUN_UNSURE
				: TL_BEGUN;
		to->duration_ns = event->duration_ns;
		to->begun_ns = (int64_t)((uint64_t)event->ns -
					 (uint64_t)event->duration_ns);
	}
	memcpy(to->args, event->args, sizeof(to->args));
	return 0;
}

static struct timeline_reader *
reader_of(const struct timeline_read_event *event)
{
	return tl_read_defined(event->definition)->reader;
}

/* Render an event as its message, or as a whole line. */
static int
render(const struct timeline_read_event *event, bool is_line, char *text,
    size_t size)
{
	struct timeline_reader *r;
	struct tl_event ours;
	int rc = restore(event, &ours);

	if (rc < 0)
		return rc;
	r = reader_of(event);
	if (is_line && ours.message) {
		tl_render_time(&r->text, &ours);
		tl_put_char(&r->text, ' ');
		tl_render_category(r->render, &r->text, &ours);
	}
	if (ours.message)
		tl_render_cached(r->render, &r->text, &ours);
	else
		tl_render_loss(&r->text, &ours);
	return tl_read_copy(r, text, size);
}

int
timeline_read_text(const struct timeline_read_event *event, char *text,
    size_t size)
{
	return render(event, false, text, size);
}

int
timeline_read_line(const struct timeline_read_event *event, char *text,
    size_t size)
{
	return render(event, true, text, size);
}

/* Does the event have argument i? */
static bool
has_argument(const struct timeline_read_event *event, unsigned i)
{
	return event->definition && i < event->definition->argc;
}

const char *
timeline_read_argument_name(const struct timeline_read_event *event, unsigned i)
{
	return has_argument(event, i) ? event->definition->names[i] : NULL;
}

int
timeline_read_argument_format(const struct timeline_read_event *event,
    unsigned i)
{
	return has_argument(event, i) ? event->definition->formats[i] : 0;
}

int
timeline_read_argument_text(const struct timeline_read_event *event, unsigned i,
    char *text, size_t size)
{
	struct tl_event ours;

	if (!has_argument(event, i))
		return tl_read_fail(-EINVAL, "the event has no argument %u", i);
	(void)restore(event, &ours);
	tl_render_arg(&reader_of(event)->text, &ours, i);
	return tl_read_copy(reader_of(event), text, size);
}

int
timeline_read_argument_bytes(const struct timeline_read_event *event,
    unsigned i, void *bytes, size_t size)
{
	struct tl_event ours;
	struct tl_bytes text;

	if (timeline_read_argument_format(event, i) != 's' ||
	    (!bytes && size > 0))
		return tl_read_fail(-EINVAL, "argument %u is not a text", i);
	(void)restore(event, &ours);
	text = tl_message_text(ours.message, i, &ours.args[i]);
	if (!text.data)
		return tl_read_fail(-ENODATA, "the text of argument %u is gone",
		    i);
	if (size > 0)
		memcpy(bytes, text.data, text.size < size ? text.size : size);
	return (int)text.size;
}

const char *
timeline_read_priority(const struct timeline_read_event *event)
{
	return event->kind == TIMELINE_READ_LOSS ? ""
						 : tl_level_name(event->level);
}

const char *
timeline_read_explanation(const struct timeline_read_event *event)
{
	return event->definition ? event->definition->explanation : "";
}

const char *
timeline_read_location(const struct timeline_read_event *event, uint32_t *line)
{
	const struct timeline_read_definition *d = event->definition;

	if (!d || d->file[0] == '\0')
		return NULL;
	if (line)
		*line = d->line;
	return d->file;
}
