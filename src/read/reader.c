/* SPDX-License-Identifier: Apache-2.0 */
/* reader.c - open and close a reader; errors and damage. */
#include "read/read.h"

#include "base/table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The size of the options in the first release, which ended with context. */
#define OPTIONS_SIZE_MIN \
	(offsetof(struct timeline_read_options, context) + sizeof(void *))

static const struct tl_read_release release = TL_READ_RELEASE;

static _Thread_local char last_error[512];

const char *
timeline_read_error(void)
{
	return last_error;
}

int
tl_read_fail(int rc, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(last_error, sizeof(last_error), format, arguments);
	va_end(arguments);
	return rc;
}

/* == damage == */

/* Report a fault of the input of that name to the caller. */
static void
report(void *context, const char *input, const struct tl_fault *fault)
{
	struct timeline_reader *r = context;
	const struct timeline_read_damage damage = { .error = fault->rc,
		.at = fault->at,
		.text = fault->text,
		.input = input };

	if (fault->rc != 0)
		r->damaged++;
	if (r->options.on_damage)
		r->options.on_damage(r->options.context, &damage);
}

void
tl_read_report(struct timeline_reader *r)
{
	for (size_t i = 0; i < r->sources.count; i++) {
		struct tl_source *item = &r->sources.items[i];

		/* a trace reports its faults itself */
		if (!item->ops || tl_source_trace(item))
			continue;
		for (; item->told < tl_source_fault_count(item); item->told++)
			if (item->told < TL_SNAP_FAULTS_MAX)
				report(r, item->name,
				    tl_source_fault(item, item->told));
			else
				r->damaged++;
	}
}

uint64_t
timeline_read_damaged(const struct timeline_reader *reader)
{
	return reader->damaged;
}

/* == opening == */

/* Take the options that the caller's release knows; the others are 0. */
static int
take_options(struct timeline_reader *r,
    const struct timeline_read_options *options)
{
	struct timeline_read_options *o = &r->options;
	size_t size;

	if (!options)
		return 0;
	size = options->size;
	if (size < OPTIONS_SIZE_MIN)
		return tl_read_fail(-EINVAL,
		    "options.size is %zu: set it to "
		    "sizeof(struct timeline_read_options)",
		    size);
	for (size_t i = sizeof(*o); i < size; i++)
		if (((const char *)options)[i] != 0)
			return tl_read_fail(-EINVAL,
			    "options has members that this release of "
			    "libtimeline-read does not know");
	memcpy(o, options, size < sizeof(*o) ? size : sizeof(*o));
	if (o->min_level > TIMELINE_LEVEL_MAX)
		return tl_read_fail(-EINVAL,
		    "options.min_level is %u: 1 (trace+++) to %u (fatal)",
		    o->min_level, (unsigned)TIMELINE_LEVEL_MAX);
	return 0;
}

/* Take the formats of the options, with this library's openers of our own
 * formats. */
static int
take_formats(struct timeline_reader *r)
{
	const struct timeline_read_formats *given = r->options.formats;
	struct tl_source_format *list;

	if (!given)
		return 0;
	if (memcmp(&given->release, &release, sizeof(release)) != 0)
		return tl_read_fail(-EINVAL,
		    "libtimeline-formats is of another release than "
		    "libtimeline-read: install both of one");
	tl_store_64(given->seed, tl_hash_seed());
	list = calloc(given->known->count, sizeof(*list));
	if (!list)
		return tl_read_fail(-ENOMEM, "not enough memory");
	for (size_t i = 0; i < given->known->count; i++) {
		const struct tl_source_format *own =
		    tl_source_own_format(given->known->list[i].name);

		list[i] = own ? *own : given->known->list[i];
	}
	r->formats = *given->known;
	r->formats.list = list;
	return 0;
}

int
tl_read_add(struct timeline_reader *r, const struct tl_source_from *from,
    const char *name)
{
	const struct tl_source_plan plan = { .formats = r->formats.count > 0
							    ? &r->formats
							    : NULL,
		.tail = r->options.tail,
		.live = r->options.follow != 0,
		.little = true,
		.readonly = r->options.read_only != 0,
		.trees = r->options.trees != 0,
		.report = { report, r },
		.memory_max = r->options.memory_max };
	const size_t place = r->sources.count;
	const struct tl_fault *fault;

	if (tl_sources_add(&r->sources, from, &plan) < 0)
		return tl_read_fail(-ENOMEM, "%s: not enough memory", name);
	if (tl_source_is_open(&r->sources.items[place]))
		return 0;
	fault = &r->sources.items[place].fault;
	if (fault->text[0] == '\0')
		return tl_read_fail(fault->rc, "%s: %s", name,
		    strerror(-fault->rc));
	if (fault->at == TL_FAULT_NOWHERE)
		return tl_read_fail(fault->rc, "%s: %s", name, fault->text);
	return tl_read_fail(fault->rc, "%s: byte %llu: %s", name,
	    (unsigned long long)fault->at, fault->text);
}

int
tl_read_begin(struct timeline_reader *r)
{
	const enum tl_order order =
	    r->options.oldest_first ? TL_OLDEST_FIRST : TL_NEWEST_FIRST;
	struct tl_fault fault = { 0 };
	int rc;

	tl_read_report(r);
	r->trees =
	    r->sources.count == 1 ? tl_source_trees(r->sources.items) : NULL;
	rc = tl_sources_find_hosts(&r->sources);
	if (rc == 0 && tl_sources_apply(&r->sources, &r->offsets, &fault) < 0)
		return tl_read_fail(fault.rc == -ENOMEM ? -ENOMEM : -ENOENT,
		    "%s", fault.text);
	if (rc == 0 && r->options.trees)
		return 0;
	if (rc == 0)
		rc = tl_sources_cursor(&r->sources, order, &r->cursor);
	/* an end has the duration before the begin is read */
	if (rc == 0 && order == TL_NEWEST_FIRST) {
		struct tl_cursor *inner = r->cursor;

		r->cursor = NULL;
		rc = tl_spans_cursor(order, TL_SPANS_WINDOW, inner, &r->cursor);
	}
	return rc < 0 ? tl_read_fail(rc, "the events cannot be read: %s",
			    strerror(-rc))
		      : 0;
}

static int
new_reader(struct timeline_reader **reader, const struct tl_source_from *from,
    const char *name, const struct timeline_read_options *options)
{
	struct timeline_reader *r = calloc(1, sizeof(*r));
	int rc;

	*reader = NULL;
	if (!r)
		return tl_read_fail(-ENOMEM, "%s: not enough memory", name);
	if ((rc = take_options(r, options)) == 0 &&
	    (rc = take_formats(r)) == 0) {
		const struct timeline_read_options *o = &r->options;
		struct tl_filter *filter = &r->filter;

		tl_filter_init(filter);
		if (o->since_ns != 0)
			filter->since_ns = o->since_ns;
		if (o->until_ns != 0)
			filter->until_ns = o->until_ns;
		filter->min_level = o->min_level;
		if (o->category)
			filter->categories[filter->category_count++] =
			    o->category;
		if (o->message)
			filter->messages[filter->message_count++] = o->message;
		if (r->options.follow)
			r->options.oldest_first = 1;
		if (tl_render_new(&r->render) < 0 ||
		    tl_spans_new(&r->spans) < 0)
			rc = tl_read_fail(-ENOMEM, "%s: not enough memory",
			    name);
		else if ((rc = tl_read_add(r, from, name)) == 0)
			rc = tl_read_begin(r);
	}
	if (rc < 0)
		timeline_read_close(r);
	else
		*reader = r;
	return rc;
}

int
timeline_read_open(struct timeline_reader **reader, const char *path,
    const struct timeline_read_options *options)
{
	const struct tl_source_from from = { .name = path };

	if (!path) {
		*reader = NULL;
		return tl_read_fail(-EINVAL, "the path is NULL");
	}
	return new_reader(reader, &from,
	    strcmp(path, "-") == 0 ? "standard input" : path, options);
}

int
timeline_read_open_fd(struct timeline_reader **reader, int fd,
    const struct timeline_read_options *options)
{
	char name[32];
	const struct tl_source_from from = { .name = name, .fd = &fd };

	(void)snprintf(name, sizeof(name), "descriptor %d", fd);
	if (fd < 0) {
		*reader = NULL;
		return tl_read_fail(-EBADF, "%s: %s", name, strerror(EBADF));
	}
	return new_reader(reader, &from, from.name, options);
}

int
timeline_read_open_memory(struct timeline_reader **reader, const void *data,
    size_t size, const struct timeline_read_options *options)
{
	const struct tl_bytes memory = tl_bytes(data, size);
	const struct tl_source_from from = { .name = "memory",
		.memory = &memory };

	if (!data && size > 0) {
		*reader = NULL;
		return tl_read_fail(-EINVAL, "the memory is NULL");
	}
	return new_reader(reader, &from, from.name, options);
}

void
timeline_read_close(struct timeline_reader *r)
{
	if (!r)
		return;
	tl_cursor_close(r->cursor);
	tl_read_free_roots(r);
	tl_trace_close(r->made);
	tl_spans_free(r->spans);
	tl_render_free(r->render);
	tl_message_map_free(&r->definitions, free);
	tl_read_free_about(r);
	tl_details_free(r->details);
	free(r->timer);
	tl_interner_free(r->names);
	tl_text_free(&r->text);
	tl_sources_free(&r->sources);
	free((struct tl_source_format *)(uintptr_t)r->formats.list);
	free(r);
}

const char *
timeline_read_format(const struct timeline_reader *reader)
{
	const struct tl_source *first = &reader->sources.items[0];

	if (tl_source_trace(first) || tl_source_snap(first) || first->foreign ||
	    reader->options.follow)
		return first->format;
	return "stream";
}
