/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rtl.c - the macros of RTL_LOGFILE, see front/rtl_text.h for what their lines
 * are as messages.  Each of them is a line of the log file (front/rtl_log.h)
 * and an entry of the timeline beside it; either may be missing.
 *
 * The first macro that is met opens both, if there are to be any.  The
 * first time that a macro is met its text becomes a message; from then on it
 * costs what timeline_log costs, unless its text is another each time.
 *
 *	site.event	NULL at first; published (release) once, when all else
 *			in the site is written, under the lock of the strings,
 *			which fork knows of; never changed
 */
#include "base/text.h"
#include "base/word.h"
#include "event/message.h"
#include "front/fresh.h"
#include "front/rtl_log.h"
#include "front/rtl_text.h"
#include "front/rtl_words.h"
#include "ring/ring.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <timeline_rtl.h>
#include <unistd.h>

enum {
	ENTRIES = 1 << 16, /* 4 MiB: the first macro waits for its making */
	STRINGS_SIZE = 2 << 20
};

/* What is known of a site: the words are a string that is made anew each
 * time; they begin or end a part of the scope. */
enum { HAS_LABEL = 1, IS_WHOLE = 2, IS_PART = 4, IS_END = 8 };

int timeline_rtl_off;

static struct timeline *timeline;   /* NULL: a log file at most */
static struct timeline_event *full; /* NULL: not defined */
static uint64_t no_room;            /* the string for those that find no room */
static uint64_t lost;
static char *path;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A message while it is made. */
struct draft {
	struct tl_text text;
	struct tl_text format; /* of the line of a log, where it is needed */
	uint64_t label;
	bool has_label;
};

/* name_<pid>.tl, for a log name_<pid>.log; name.nopid.tl for name.nopid. */
static char *
choose_path(const char *name)
{
	struct tl_text text = { 0 };

	tl_put_string(&text, name);
	if (!tl_bytes_end_with(tl_bytes_of(name), ".nopid")) {
		tl_put_char(&text, '_');
		tl_put_unsigned(&text, (uint64_t)getpid());
	}
	tl_put_string(&text, ".tl");
	if (text.rc == 0)
		return text.data[text.size] = '\0', text.data;
	tl_text_free(&text);
	return NULL;
}

static void
open_log(const char *name)
{
	const char *entries = secure_getenv("RTL_LOGFILE_ENTRIES");
	struct timeline_options options = { .entries = ENTRIES,
		.stringtablesize = STRINGS_SIZE };
	uint64_t n;

	if (entries && tl_parse_size(entries, &n) == 0)
		options.entries = n;
	path = choose_path(name);
	if (path && tl_front_fresh(&timeline, path, &options) == 0)
		return;
	timeline = NULL;
	free(path);
	path = NULL;
}

/* Beside the log, so that tools see what happens; RTL_LOGFILE_ENTRIES=0:
 * there is none. */
static bool
wants_timeline(void)
{
	const char *entries = secure_getenv("RTL_LOGFILE_ENTRIES");

	return !entries || strcmp(entries, "0") != 0;
}

/* The message in place of others when the table of strings is full. */
static void
define_full(void)
{
	timeline_string(timeline, "(no room for this text)", &no_room);
	if (timeline_define(timeline, TL_RTL_CATEGORY, "warning",
		"texts are left out from here: the string table is full",
		&full) != 0)
		full = NULL;
}

__attribute__((cold)) static void
start(void)
{
	const char *name = secure_getenv("RTL_LOGFILE");

	if (name && name[0]) {
		if (!timeline && wants_timeline())
			open_log(name);
		tl_rtl_log_open(name);
	}
	if (timeline)
		define_full();
	if (!timeline && !tl_rtl_log_is_open())
		tl_store_int(&timeline_rtl_off, 1);
}

/* Is there a log?  The first to ask opens it. */
static bool
is_logging(void)
{
	pthread_once(&once, start);
	return timeline || tl_rtl_log_is_open();
}

static struct timeline *wanted;

static void
start_wanted(void)
{
	timeline = wanted;
	start();
}

int
timeline_rtl_use(struct timeline *tl)
{
	if (!tl)
		return tl_error(-EINVAL, "no timeline");
	wanted = tl;
	pthread_once(&once, start_wanted);
	return timeline == tl
		   ? 0
		   : tl_error(-EBUSY, "RTL_LOGFILE is in use already");
}

const char *
timeline_rtl_path(void)
{
	return is_logging() ? path : NULL;
}

const char *
timeline_rtl_log_path(void)
{
	return is_logging() ? tl_rtl_log_path() : NULL;
}

int
timeline_rtl_has_log_file(void)
{
	return is_logging();
}

uint64_t
timeline_rtl_lost(void)
{
	return tl_load_64(&lost) + tl_rtl_log_lost();
}

/* A text or a message found no room in the timeline. */
static void
count_lost(void)
{
	if (tl_fetch_add_64(&lost, 1) == 0 && full && timeline_enabled(full))
		timeline_append(full, 0, 0, 0, 0);
}

static uint64_t
intern(const char *text)
{
	uint64_t number;

	if (timeline && timeline_string(timeline, text, &number) == 0)
		return number;
	if (timeline)
		count_lost();
	return no_room;
}

/* Foreign text as part of a message: without line breaks. */
static void
put_plain(struct draft *d, const char *text, bool dollars)
{
	for (; *text; text++) {
		const bool bad = *text == '\n' || *text == '\r';

		tl_put_char(&d->text, bad                        ? ' '
				      : !dollars && *text == '$' ? '?'
								 : *text);
	}
}

/* The name of a scope; as an argument where it looks like one. */
static void
put_name(struct draft *d, const char *name)
{
	const bool plain = name[0] && !strchr(name, '$');

	if (plain || d->has_label) {
		put_plain(d, name, plain);
		return;
	}
	tl_put_string(&d->text, TL_RTL_LABEL);
	d->has_label = true;
	d->label = intern(name);
}

/* The event of a draft.  A closed one when it cannot be. */
__attribute__((cold)) static struct timeline_event *
define(struct draft *d, const struct timeline_rtl_context *c, int kind)
{
	struct timeline_definition definition = { .priority = "info",
		.kind = kind,
		.scope = TIMELINE_THREAD };
	struct timeline_event *event;

	definition.category =
	    c->project && c->project[0] ? c->project : TL_RTL_CATEGORY;
	if (c->author && c->author[0]) {
		tl_put_string(&d->text, "\n" TL_RTL_AUTHOR);
		put_plain(d, c->author, true);
	}
	if (d->format.size > 0) {
		tl_put_string(&d->text, "\n" TL_RTL_FORMAT);
		put_plain(d, tl_text_string(&d->format), true);
	}
	definition.message = tl_text_string(&d->text);
	if (timeline_define_event(d->text.rc == 0 ? timeline : NULL,
		&definition, &event) != 0 &&
	    timeline)
		count_lost();
	tl_text_free(&d->text);
	tl_text_free(&d->format);
	return event;
}

static bool
is_site(const struct timeline_rtl_site *site, const void *const key[3])
{
	return site->key[0] == key[0] && site->key[1] == key[1] &&
	       site->key[2] == key[2];
}

/* Does the site have the text that is wanted now? */
static bool
is_known(const struct timeline_rtl_site *site, const void *const key[3],
    int constant)
{
	/* acquire: pairs with publish() */
	return constant && __atomic_load_n(&site->event, __ATOMIC_ACQUIRE) &&
	       is_site(site, key);
}

/* The first to come keeps its findings in the site. */
static void
publish(struct timeline_rtl_site *site, const struct timeline_rtl_site *known,
    const void *const key[3])
{
	tl_strings_lock();
	if (!__atomic_load_n(&site->event, __ATOMIC_RELAXED)) {
		memcpy(site->key, key, sizeof(site->key));
		memcpy(site->conversions, known->conversions,
		    sizeof(site->conversions));
		site->label = known->label;
		site->flags = known->flags;
		/* release: pairs with is_known() */
		__atomic_store_n(&site->event, known->event, __ATOMIC_RELEASE);
	}
	tl_strings_unlock();
}

static void
append(struct timeline_event *event, const uint64_t args[TL_ARGS_MAX])
{
	if (timeline_enabled(event))
		timeline_append(event, args[0], args[1], args[2], args[3]);
}

/* The part of a span's event: ends without arguments are bare. */
static struct timeline_event *
part_of(struct timeline_event *span, bool is_end, bool has_args)
{
	return span + (!is_end ? 0 : has_args ? 1 : 2);
}

__attribute__((cold)) static void
learn_context(struct timeline_rtl_site *known,
    const struct timeline_rtl_context *context)
{
	struct draft d = { 0 };

	*known = (struct timeline_rtl_site){ 0 };
	put_name(&d, context->name ? context->name : "");
	known->label = d.label;
	known->flags = d.has_label ? HAS_LABEL : 0;
	known->event = define(&d, context, TIMELINE_SPAN);
}

static bool
has_label(const struct timeline_rtl_site *known)
{
	return known->flags & HAS_LABEL;
}

/* The stamp of the begin; 0: it was not logged. */
static uint64_t
begin_scope(const struct timeline_rtl_site *known)
{
	struct timeline_event *event = known->event + TIMELINE_PART_SCOPE;

	if (!timeline_enabled(event))
		return 0;
	return timeline_span_append(event, known->label, 0, 0, 0);
}

void
timeline_rtl_enter(struct timeline_rtl_context *context,
    struct timeline_rtl_site *site, int constant)
{
	const void *const key[3] = { context->project, context->author,
		context->name };
	const struct timeline_rtl_site *known = site;
	struct timeline_rtl_site learned;

	if (!is_known(site, key, constant)) {
		if (!is_logging())
			return;
		learn_context(&learned, context);
		if (constant)
			publish(site, &learned, key);
		known = &learned;
	}
	context->span = known->event;
	context->label = known->label;
	context->begun = (begin_scope(known) << 1) + has_label(known);
	if (tl_rtl_log_is_open())
		tl_rtl_log_scope('{', context);
}

void
timeline_rtl_leave(const struct timeline_rtl_context *context)
{
	const uint64_t begun = context->begun >> 1;

	if (context->begun & 1)
		timeline_end_of(context->span, begun, context->label);
	else
		timeline_end_of(context->span, begun);
	if (tl_rtl_log_is_open())
		tl_rtl_log_scope('}', context);
}

/* Put the scope and a colon before the text of a message. */
static void
put_scope(struct draft *d, const struct timeline_rtl_context *c, bool is_part)
{
	if (c->name && c->name[0]) {
		put_name(d, c->name);
		tl_put_string(&d->text, TL_RTL_COLON);
	} else if (is_part) {
		tl_put_string(&d->text, ": ");
	}
}

/* { or } and a blank, which are no part of the words. */
static const char *
skip_brace(const char *format)
{
	if (format[0] != '{' && format[0] != '}')
		return format;
	return format + (format[1] == ' ' ? 2 : 1);
}

/* A part whose words are not the same each time: the message holds them. */
static void
put_part(struct draft *d, const char *format, unsigned argc,
    const uint64_t values[3])
{
	struct tl_text words = { 0 };

	tl_rtl_words_render(&words, skip_brace(format), argc, values);
	put_name(d, tl_text_string(&words));
	tl_text_free(&words);
}

/* A name as part of a format. */
static void
put_escaped(struct tl_text *text, const char *name)
{
	for (; *name; name++) {
		if (*name == '%')
			tl_put_char(text, '%');
		tl_put_char(text, *name);
	}
}

/* The line of a log as a format of the message's arguments, for messages whose
 * arguments printf writes in another way than readers show them. */
static void
put_format(struct draft *d, const struct timeline_rtl_context *c,
    const char *format)
{
	const bool is_part = format[0] == '{' || format[0] == '}';

	if (c->name && c->name[0]) {
		if (d->has_label)
			tl_put_string(&d->format, "%s");
		else
			put_escaped(&d->format, c->name);
		tl_put_char(&d->format, ' ');
	}
	if (is_part)
		tl_put_string(&d->format, ": { ");
	else if ((c->name && c->name[0]) || !tl_rtl_words_have_scope(format))
		tl_put_string(&d->format, ": ");
	tl_put_string(&d->format, skip_brace(format));
}

/* Make the message of a format, and what to do with values. */
__attribute__((cold)) static void
learn(struct timeline_rtl_site *known, const struct timeline_rtl_context *c,
    int constant, const char *format, unsigned argc, const uint64_t values[3])
{
	const bool is_part = format[0] == '{' || format[0] == '}';
	const bool whole =
	    !constant || strchr(format, '$') || !skip_brace(format)[0];
	struct draft d = { 0 };

	*known = (struct timeline_rtl_site){ 0 };
	put_scope(&d, c, is_part);
	if (d.has_label)
		known->flags |= HAS_LABEL;
	if (is_part && whole)
		put_part(&d, format, argc, values);
	else if (whole)
		tl_put_string(&d.text, TL_RTL_MESSAGE);
	else if (!tl_rtl_words_text(&d.text, skip_brace(format), argc,
		     known->conversions))
		put_format(&d, c, format);
	/* The label may be that of the part. */
	if (d.has_label)
		known->flags |= HAS_LABEL;
	known->label = d.label;
	known->flags |= (whole ? IS_WHOLE : 0) | (is_part ? IS_PART : 0) |
			(format[0] == '}' ? IS_END : 0);
	known->event =
	    define(&d, c, is_part ? TIMELINE_SPAN : TIMELINE_INSTANT);
}

/* A label belongs to one context; a part whose words change is another
 * message each time. */
static bool
may_keep(const struct timeline_rtl_site *learned)
{
	const uint8_t changing = IS_WHOLE | IS_PART;

	return !(learned->flags & HAS_LABEL) &&
	       (learned->flags & changing) != changing;
}

/* The arguments that the values are; how many. */
static unsigned
put_values(const struct timeline_rtl_site *known, const char *format,
    unsigned argc, const uint64_t values[3], uint64_t *args)
{
	struct tl_text words = { 0 };
	unsigned n = 0;

	if (known->flags & IS_WHOLE) {
		if (known->flags & IS_PART)
			return 0;
		tl_rtl_words_render(&words, format, argc, values);
		args[0] = intern(tl_text_string(&words));
		tl_text_free(&words);
		return 1;
	}
	for (; n < TL_RTL_WORDS_MAX && known->conversions[n]; n++) {
		char buffer[2];
		const uint8_t conversion = known->conversions[n];
		const char *string =
		    tl_rtl_words_string(conversion, values[n], buffer);

		args[n] = string ? intern(string)
				 : tl_rtl_words_value(conversion, values[n]);
	}
	return n;
}

void
timeline_rtl_trace(struct timeline_rtl_site *site,
    const struct timeline_rtl_context *c, int constant, const char *format,
    unsigned argc, uint64_t a0, uint64_t a1, uint64_t a2)
{
	const uint64_t values[TL_RTL_WORDS_MAX] = { a0, a1, a2 };
	const void *const key[3] = { c->name ? (const void *)c->span
					     : c->project,
		c->name ? NULL : c->author, format };
	uint64_t args[TL_ARGS_MAX] = { 0 };
	const struct timeline_rtl_site *known = site;
	struct timeline_rtl_site learned;
	unsigned n = 0;

	if (!format || (c->name && !c->span)) /* entered while it was off? */
		return;
	if (!is_known(site, key, constant)) {
		if (!is_logging())
			return;
		learn(&learned, c, constant, format, argc, values);
		if (constant && may_keep(&learned))
			publish(site, &learned, key);
		known = &learned;
	}
	if (tl_rtl_log_is_open())
		tl_rtl_log_words(c, format, argc, values);
	if (!timeline_enabled(known->event))
		return;
	if (known->flags & HAS_LABEL)
		args[n++] = known->label;
	n += put_values(known, format, argc, values, args + n);
	append(known->flags & IS_PART
		   ? part_of(known->event, known->flags & IS_END, n > 0)
		   : known->event,
	    args);
}
