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

static struct tl_read_definition *
new_definition(struct timeline_reader *r, const struct tl_message *m,
    size_t source)
{
	static const struct tl_message nothing;
	struct timeline_read_definition *to;
	struct tl_read_definition *d;
	const struct tl_message *from = m ? m : &nothing;
	/* the names of the arguments are in the first line */
	const size_t size = from->category.size + 2 * from->text.size +
			    from->file.size + 4 + TL_ARGS_MAX;
	char *text;

	d = calloc(1, sizeof(*d) + size);
	if (!d)
		return NULL;
	d->reader = r;
	d->message = m;
	d->source = source;
	to = &d->shown;
	text = d->text;
	to->category = put_string(&text, from->category);
	to->message = put_string(&text, from->line1);
	to->explanation = put_string(&text, from->explain);
	to->file = put_string(&text, from->file);
	for (unsigned i = 0; i < from->argc; i++)
		to->names[i] = put_string(&text, from->args[i].name);
	if (!m)
		return d;
	to->line = m->line;
	to->level = m->level;
	to->gate = m->gate > TIMELINE_LEVEL_MAX ? TIMELINE_LEVEL_NONE : m->gate;
	to->kind = m->kind == TIMELINE_RECORD_SPAN      ? TIMELINE_READ_BEGIN
		   : m->kind == TIMELINE_RECORD_COUNTER ? TIMELINE_READ_COUNTER
							: TIMELINE_READ_INSTANT;
	to->scope = m->kind == TIMELINE_RECORD_SPAN && m->scope != 0;
	to->is_timer = m->timer;
	to->argc = m->argc;
	for (unsigned i = 0; i < m->argc; i++)
		to->formats[i] = format_of(m->args[i].format);
	return d;
}

int
tl_read_define(struct timeline_reader *r, const struct tl_message *message,
    size_t source, const struct timeline_read_definition **definition)
{
	struct tl_read_about *about = message ? NULL : tl_read_about(r, source);
	struct tl_read_definition *d;
	int rc = 0;

	if (!message && !about)
		return -ENOMEM;
	d = about ? about->loss : tl_message_map_find(&r->definitions, message);
	if (!d) {
		d = new_definition(r, message, source);
		if (!d)
			return -ENOMEM;
		if (about)
			about->loss = d;
		else
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
		const size_t count = tl_source_message_count(item);

		for (uint32_t k = 0;
		     snap && (rc = tl_snap_timer(timer, snap, k)) > 0; k++) {
			size_t m = 0;

			while (m < count && tl_source_message(item, m)->id !=
						timer->fixed.record)
				m++;
			if (m < count && i-- == 0) {
				*message = tl_source_message(item, m);
				return 1;
			}
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
