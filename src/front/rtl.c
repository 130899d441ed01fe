/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rtl.c - the macros of RTL_LOGFILE; front/rtl_text.h describes the messages of
 * their lines.  Each macro writes a line of the log file (front/rtl_log.h) and
 * an entry of the timeline beside the log; either may be missing.
 *
 * The first macro that runs opens the log and the timeline, if they are wanted.
 * When a macro runs first, its text becomes a message; later runs of the macro
 * cost as much as timeline_log, unless the text changes each time.
 *
 *	site.event	NULL at first; published (release) once, when all else
 *			in the site is written, under the lock of the strings,
 *			which fork knows of; never changed
 */
#include "base/text.h"
#include "base/word.h"
#include "event/message.h"
#include "front/front.h"
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
	ENTRIES = 1 << 16, /* 4 MiB, made while the first macro waits */
	STRINGS_SIZE = 2 << 20
};

/* The flags of a site: the message has a label; the words are a string made
 * anew each time; the words begin or end a part of the scope. */
enum { HAS_LABEL = 1, IS_WHOLE = 2, IS_PART = 4, IS_END = 8 };

int timeline_rtl_off;

static struct timeline *timeline;   /* NULL: only a log file, or nothing */
static struct timeline_event *full; /* NULL: not defined */
static uint64_t no_room; /* the string that replaces a text without room */
static uint64_t lost;
static char *path;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A message that is being made. */
struct draft {
	struct tl_text text;
	struct tl_text format; /* of the log's line, if printf's text differs */
	uint64_t label;
	bool has_label;
};

/* The path of the timeline: name_<pid>.tl beside the log name_<pid>.log, but
 * name.nopid.tl for name.nopid. */
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

/* A timeline beside the log lets tools read the entries; RTL_LOGFILE_ENTRIES=0
 * turns the timeline off. */
static bool
wants_timeline(void)
{
	const char *entries = secure_getenv("RTL_LOGFILE_ENTRIES");

	return !entries || strcmp(entries, "0") != 0;
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
	if (timeline) {
		/* Define the texts for a full table of strings: the string that
		 * replaces a text, and the warning. */
		timeline_string(timeline, "(no room for this text)", &no_room);
		if (timeline_define(timeline, TL_RTL_CATEGORY, "warning",
			"texts are left out from here: the string table is "
			"full",
			&full) != 0)
			full = NULL;
	}
	if (!timeline && !tl_rtl_log_is_open())
		tl_store_int(&timeline_rtl_off, 1);
}

/* Is there a log or a timeline?  The first call opens both. */
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

/* Count a text or a message that found no room in the timeline. */
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

/* Put foreign text into a message: line breaks become blanks and, without
 * dollars, each $ becomes a question mark. */
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

/* Put the name of a scope.  A name that is empty or has a $ becomes the
 * argument "$label%s"; a message has one such argument. */
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

/* Define the event of a draft.  Without a timeline or room the event is the
 * closed event. */
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

/* Does the site hold the message of this key? */
static bool
is_known(const struct timeline_rtl_site *site, const void *const key[3],
    int constant)
{
	/* acquire: pairs with publish() */
	return constant && __atomic_load_n(&site->event, __ATOMIC_ACQUIRE) &&
	       (site->key[0] == key[0] && site->key[1] == key[1] &&
		   site->key[2] == key[2]);
}

/* Keep the message in the site, unless another thread was first. */
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

/* The event of a span's begin or end; an end without arguments is a bare
 * end. */
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

/* Log the begin of a scope.  Returns the stamp of the begin; 0: not logged. */
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

/* Skip a brace and its blank, which do not belong to the words. */
static const char *
skip_brace(const char *format)
{
	if (format[0] != '{' && format[0] != '}')
		return format;
	return format + (format[1] == ' ' ? 2 : 1);
}

/* The message of a part whose words change holds the words themselves. */
static void
put_part(struct draft *d, const char *format, unsigned argc,
    const uint64_t values[3])
{
	struct tl_text words = { 0 };

	tl_rtl_words_render(&words, skip_brace(format), argc, values);
	put_name(d, tl_text_string(&words));
	tl_text_free(&words);
}

/* Put a name into a format. */
static void
put_escaped(struct tl_text *text, const char *name)
{
	for (; *name; name++) {
		if (*name == '%')
			tl_put_char(text, '%');
		tl_put_char(text, *name);
	}
}

/* Put the log's line as a format of the message's arguments, for messages whose
 * arguments printf writes differently from readers. */
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

/* Make the message of a format, and note how the values become arguments. */
__attribute__((cold)) static void
learn(struct timeline_rtl_site *known, const struct timeline_rtl_context *c,
    int constant, const char *format, unsigned argc, const uint64_t values[3])
{
	const bool is_part = format[0] == '{' || format[0] == '}';
	const bool whole =
	    !constant || strchr(format, '$') || !skip_brace(format)[0];
	struct draft d = { 0 };

	*known = (struct timeline_rtl_site){ 0 };
	/* Put the scope and a colon before the text of a message. */
	if (c->name && c->name[0]) {
		put_name(&d, c->name);
		tl_put_string(&d.text, TL_RTL_COLON);
	} else if (is_part) {
		tl_put_string(&d.text, ": ");
	}
	if (d.has_label)
		known->flags |= HAS_LABEL;
	if (is_part && whole)
		put_part(&d, format, argc, values);
	else if (whole)
		tl_put_string(&d.text, TL_RTL_MESSAGE);
	else if (!tl_rtl_words_text(&d.text, skip_brace(format), argc,
		     known->conversions))
		put_format(&d, c, format);
	/* The part may have the label. */
	if (d.has_label)
		known->flags |= HAS_LABEL;
	known->label = d.label;
	known->flags |= (whole ? IS_WHOLE : 0) | (is_part ? IS_PART : 0) |
			(format[0] == '}' ? IS_END : 0);
	known->event =
	    define(&d, c, is_part ? TIMELINE_SPAN : TIMELINE_INSTANT);
}

/* A message with a label belongs to one context, and a part whose words change
 * is a new message each time; neither stays in the site. */
static bool
may_keep(const struct timeline_rtl_site *learned)
{
	const uint8_t changing = IS_WHOLE | IS_PART;

	return !(learned->flags & HAS_LABEL) &&
	       (learned->flags & changing) != changing;
}

/* Convert the values into arguments.  Returns the number of arguments. */
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

	if (!format || (c->name && !c->span)) /* scope begun while off? */
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
