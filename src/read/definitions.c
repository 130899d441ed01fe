/* SPDX-License-Identifier: Apache-2.0 */
/* definitions.c - the messages of the inputs, and their timers. */
#include "read/read.h"

#include "snap/timers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* == a definition == */

/* Copy a text to *to as a C string, and move *to past the string. */
static const char *
put_string(char **to, struct tl_bytes from)
{
	char *string = *to;

	if (from.size > 0)
		memcpy(string, from.data, from.size);
	string[from.size] = '\0';
	*to = string + from.size + 1;
	return string;
}

static int
format_of(unsigned format)
{
	switch (format) {
	case TIMELINE_ARG_SIGNED:
		return 'd';
	case TIMELINE_ARG_HEX:
		return 'x';
	case TIMELINE_ARG_OCTAL:
		return 'o';
	case TIMELINE_ARG_DOUBLE:
		return 'f';
	case TIMELINE_ARG_DURATION:
		return 't';
	case TIMELINE_ARG_STRING:
	case TIMELINE_ARG_TEXT8:
		return 's';
	default:
		return 'u';
	}
}

static unsigned
kind_of(unsigned kind)
{
	switch (kind) {
	case TIMELINE_RECORD_SPAN:
		return TIMELINE_READ_BEGIN;
	case TIMELINE_RECORD_COUNTER:
		return TIMELINE_READ_COUNTER;
	default:
		return TIMELINE_READ_INSTANT;
	}
}

/* Fill in the members that are not text. */
static void
describe(struct timeline_read_definition *to, const struct tl_message *m)
{
	to->line = m->line;
	to->level = m->level;
	to->gate = m->gate > TIMELINE_LEVEL_MAX ? TIMELINE_LEVEL_NONE : m->gate;
	to->kind = kind_of(m->kind);
	to->scope = m->kind == TIMELINE_RECORD_SPAN && m->scope != 0;
	to->is_timer = m->timer;
	to->argc = m->argc;
	for (unsigned i = 0; i < m->argc; i++)
		to->formats[i] = format_of(m->args[i].format);
}

static struct tl_read_definition *
new_definition(struct timeline_reader *r, const struct tl_message *m,
    size_t source)
{
	static const struct tl_message nothing;
	struct tl_read_definition *d;
	const struct tl_message *from = m ? m : &nothing;
	size_t size = from->category.size + from->line1.size +
		      from->explain.size + from->file.size + 4;
	char *to;

	for (unsigned i = 0; i < from->argc; i++)
		size += from->args[i].name.size + 1;
	d = calloc(1, sizeof(*d) + size);
	if (!d)
		return NULL;
	d->reader = r;
	d->message = m;
	d->source = source;
	to = d->text;
	d->shown.category = put_string(&to, from->category);
	d->shown.message = put_string(&to, from->line1);
	d->shown.explanation = put_string(&to, from->explain);
	d->shown.file = put_string(&to, from->file);
	for (unsigned i = 0; i < from->argc; i++)
		d->shown.names[i] = put_string(&to, from->args[i].name);
	if (m)
		describe(&d->shown, m);
	return d;
}

/* The definition of the losses of a source. */
static int
define_loss(struct timeline_reader *r, size_t source,
    const struct timeline_read_definition **definition)
{
	struct tl_read_about *about = tl_read_about(r, source);

	if (about && !about->loss)
		about->loss = new_definition(r, NULL, source);
	*definition = about && about->loss ? &about->loss->shown : NULL;
	return *definition ? 0 : -ENOMEM;
}

int
tl_read_define(struct timeline_reader *r, const struct tl_message *message,
    size_t source, const struct timeline_read_definition **definition)
{
	struct tl_read_definition *d;
	int rc;

	if (!message)
		return define_loss(r, source, definition);
	d = tl_message_map_find(&r->definitions, message);
	if (!d) {
		d = new_definition(r, message, source);
		if (!d)
			return -ENOMEM;
		rc = tl_message_map_add(&r->definitions, message, d);
		if (rc < 0) {
			free(d);
			return rc;
		}
	}
	*definition = &d->shown;
	return 0;
}

/* == all definitions == */

const struct timeline_read_definition *
timeline_read_message(struct timeline_reader *r, size_t i,
    const struct timeline_read_origin **origin)
{
	const struct timeline_read_definition *definition;
	size_t source = 0;
	int rc;

	if (origin)
		*origin = NULL;
	while (source < r->sources.count &&
	       i >= tl_source_message_count(&r->sources.items[source]))
		i -= tl_source_message_count(&r->sources.items[source++]);
	if (source == r->sources.count)
		return NULL;
	rc = tl_read_define(r, tl_source_message(&r->sources.items[source], i),
	    source, &definition);
	if (rc < 0) {
		tl_read_fail(rc, "a message cannot be kept: %s", strerror(-rc));
		return NULL;
	}
	if (origin && !(*origin = tl_read_origin(r, source)))
		return NULL;
	return definition;
}

/* == timers == */

struct tl_read_timer {
	/* first: callers hold a pointer to it */
	struct timeline_read_timer shown;
	struct tl_timer known;
};

static const struct tl_message *
message_of(const struct tl_source *source, uint64_t id)
{
	for (size_t i = 0; i < tl_source_message_count(source); i++)
		if (tl_source_message(source, i)->id == id)
			return tl_source_message(source, i);
	return NULL;
}

/* Find number i of the timers whose message is known.  Returns 1, 0 if there is
 * none, or -errno. */
static int
find_timer(struct timeline_reader *r, size_t i, size_t *source,
    const struct tl_message **message)
{
	struct tl_timer *timer = &r->timer->known;
	int rc = 0;

	for (*source = 0; *source < r->sources.count; ++*source) {
		const struct tl_source *item = &r->sources.items[*source];
		const struct tl_snap *snap = tl_source_snap(item);

		for (uint32_t k = 0;
		     snap && (rc = tl_snap_timer(timer, snap, k)) > 0; k++) {
			*message = message_of(item, timer->fixed.record);
			if (*message && i-- == 0)
				return 1;
		}
		if (rc < 0)
			return rc;
	}
	return 0;
}

int
timeline_read_timer(struct timeline_reader *r, size_t i,
    const struct timeline_read_timer **timer)
{
	const struct tl_message *message;
	struct tl_read_timer *t;
	size_t source;
	int rc;

	*timer = NULL;
	if (!r->timer && !(r->timer = calloc(1, sizeof(*r->timer))))
		return tl_read_fail(-ENOMEM, "not enough memory");
	t = r->timer;
	rc = find_timer(r, i, &source, &message);
	if (rc > 0 && (rc = tl_read_define(r, message, source,
			   &t->shown.definition)) == 0)
		rc = 1;
	if (rc <= 0)
		return rc < 0 ? tl_read_fail(rc, "a timer cannot be read: %s",
				    strerror(-rc))
			      : 0;
	if (!(t->shown.origin = tl_read_origin(r, source)))
		return -ENOMEM;
	t->shown.count = t->known.count;
	t->shown.sum_ns = (int64_t)tl_timer_ns(&t->known, t->known.sum);
	t->shown.max_ns = (int64_t)tl_timer_ns(&t->known, t->known.max);
	t->shown.slower_ns =
	    t->known.fixed.slower == UINT64_MAX
		? -1
		: (int64_t)tl_timer_ns(&t->known, t->known.fixed.slower);
	*timer = &t->shown;
	return 1;
}

int64_t
timeline_read_quantile(const struct timeline_read_timer *timer, double percent)
{
	const struct tl_timer *known =
	    &((const struct tl_read_timer *)(const void *)timer)->known;

	return known->count == 0
		   ? -1
		   : (int64_t)tl_timer_ns(known, tl_timer_at(known, percent));
}
