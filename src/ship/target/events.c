/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c - write the events of blocks
 */
#include "ship/target/events.h"

#include "event/intern.h"
#include "event/message_map.h"
#include "event/names.h"
#include "event/observe.h"
#include "event/spans.h"
#include "ship/block.h"

#include <errno.h>
#include <stdlib.h>

/* Strings of arguments: those of the current block. */
struct own_strings {
	struct tl_strings strings; /* first: what messages point to */
	const struct tl_strings *now;
};

/* A chain, and whether its last block was a placeholder. */
struct known_chain {
	char name[TL_CHAIN_SIZE];
	bool dropped;
	struct tl_names names; /* of its threads */
};

struct tl_events {
	struct tl_writer *writer;
	struct tl_interner *interner;
	struct tl_message_map copies; /* by message of the interner */
	struct own_strings strings;
	struct tl_origin *origins; /* by the number of its chain */
	struct known_chain *chains;
	size_t chain_count;
	size_t chains_max;
	size_t again; /* the next that gives its place to another */
	size_t last;
	const struct tl_report *damage;
	struct tl_report report;
};

enum { ORIGIN_NAME_SIZE = sizeof(((struct tl_origin *)0)->machine) };

_Static_assert(ORIGIN_NAME_SIZE == sizeof(((struct tl_origin *)0)->timeline),
    "both names are cut alike");

static struct tl_bytes
string_of(const struct tl_strings *strings, uint64_t number)
{
	const struct own_strings *own =
	    (const struct own_strings *)(const void *)strings;

	return own->now ? own->now->get(own->now, number) : tl_bytes(NULL, 0);
}

/* Only damage: what a format cannot represent is documented. */
static void
report_damage(void *context, const struct tl_fault *fault)
{
	const struct tl_events *e = context;

	if (fault->rc == -EBADMSG)
		e->damage->write(e->damage->context, fault);
}

int
tl_events_new(struct tl_events **events,
    const struct tl_target_options *options, size_t chains_max, tl_write *write,
    void *context)
{
	const struct tl_format_row *format = options->format;
	struct tl_events *e = calloc(1, sizeof(*e));
	int rc;

	if (!e)
		return -ENOMEM;
	e->strings.strings.get = string_of;
	e->damage = options->report;
	e->report = (struct tl_report){ report_damage, e };

	/* The table has its size from the first: the writer must know it. */
	e->chains_max = chains_max;
	e->chains = calloc(chains_max, sizeof(*e->chains));
	e->origins = calloc(chains_max, sizeof(*e->origins));
	rc = e->chains && e->origins ? tl_interner_new(&e->interner) : -ENOMEM;
	if (rc == 0)
		rc = format->write_new(&e->writer, write, context, &e->report);
	if (rc == 0) {
		tl_writer_set_sources(e->writer, e->origins, chains_max);
		tl_writer_facts(e->writer)->says_origin = true;
		if (format->flags & TL_FORMAT_UNITS)
			tl_writer_set(e->writer, (int)options->parquet_time);
	}
	if (rc < 0)
		tl_events_free(e);
	else
		*events = e;
	return rc;
}

void
tl_events_free(struct tl_events *e)
{
	if (!e)
		return;
	tl_writer_free(e->writer);
	tl_message_map_free(&e->copies, free);
	tl_interner_free(e->interner);
	for (size_t i = 0; e->chains && i < e->chains_max; i++)
		tl_names_free(&e->chains[i].names);
	free(e->origins);
	free(e->chains);
	free(e);
}

/* == where they come from == */

/* Cut to the size of an origin. */
static void
copy_name(char to[ORIGIN_NAME_SIZE], const char *from)
{
	const size_t size = strnlen(from, ORIGIN_NAME_SIZE - 1);

	memcpy(to, from, size);
	to[size] = '\0';
}

/* The number of a chain.  If the table is full, a new chain replaces the
 * oldest. */
static size_t
find_chain(struct tl_events *e, const struct tl_block *block)
{
	struct known_chain *chain;
	uint64_t changes;
	size_t n;

	for (size_t i = 0; i < e->chain_count; i++) {
		n = (e->last + i) % e->chain_count;
		if (strcmp(e->chains[n].name, block->chain) == 0)
			return n;
	}
	n = e->chain_count < e->chains_max ? e->chain_count++
					   : e->again++ % e->chains_max;
	chain = &e->chains[n];
	changes = chain->names.changes;
	tl_names_free(&chain->names);
	chain->names.changes = changes + 1; /* writers keep them */
	memcpy(chain->name, block->chain, TL_CHAIN_SIZE);
	chain->dropped = false;
	copy_name(e->origins[n].machine, block->host);
	copy_name(e->origins[n].timeline, block->timeline);
	return n;
}

/* == messages == */

static int
copy_message(struct tl_events *e, const struct tl_message *from,
    struct tl_message **copy)
{
	const struct tl_message *known;
	int rc = tl_interner_message(e->interner, from->category, from->text,
	    from->kind, from->level, from->scope, &known);

	if (rc < 0)
		return rc;
	*copy = tl_message_map_find(&e->copies, known);
	if (*copy)
		return 0;
	*copy = malloc(sizeof(**copy));
	if (!*copy)
		return -ENOMEM;
	**copy = *known;
	(*copy)->builtin = from->builtin;
	(*copy)->strings = &e->strings.strings;
	rc = tl_message_map_add(&e->copies, known, *copy);
	if (rc < 0)
		free(*copy);
	return rc;
}

/* Replace the message of the block by the copy that the writer knows. */
static int
translate(struct tl_events *e, struct tl_message_map *met,
    struct tl_event *event)
{
	struct tl_names *names = &e->chains[e->last].names;
	struct tl_message *copy;
	int rc = 0;

	if (!event->message)
		return 0;
	if ((rc = tl_names_gather(names, event, event->pid)) < 0)
		return rc;
	copy = tl_message_map_find(met, event->message);
	if (!copy) {
		rc = copy_message(e, event->message, &copy);
		if (rc == 0)
			rc = tl_message_map_add(met, event->message, copy);
	}
	if (rc < 0)
		return rc;
	e->strings.now = event->message->strings;
	copy->names = names; /* chains share their messages */
	event->message = copy;
	return 0;
}

/* == blocks == */

int
tl_events_each(struct tl_trace *trace, tl_events_visit *visit, void *context)
{
	struct tl_spans *spans = NULL;
	struct tl_cursor *cursor = NULL;
	const struct tl_message **messages = NULL;
	struct tl_observed_start start;
	struct tl_event event;
	struct tl_span span;
	size_t count = 0;
	uint32_t row = 0;
	int rc = tl_trace_messages(trace, &messages, &count);

	if (rc == 0)
		rc = tl_trace_cursor(trace, TL_OLDEST_FIRST, &cursor);
	tl_trace_observed(trace, TL_OLDEST_FIRST, &start);
	if (rc == 0 &&
	    (rc = tl_observe_recording(&start, messages, count, &cursor)) < 0)
		cursor = NULL;
	free(messages);
	if (rc == 0)
		rc = tl_spans_new(&spans);
	while (rc >= 0 && (rc = tl_cursor_next(cursor, &event)) > 0) {
		if ((event.continued && !event.proven) ||
		    (rc = tl_spans_complete(spans, &event, &span)) >= 0)
			rc = visit(context, &event, row++);
	}
	if (cursor)
		tl_cursor_close(cursor);
	tl_spans_free(spans);
	return rc;
}

/* Writing the events of a block. */
struct putting {
	struct tl_events *events;
	struct tl_message_map met;
	bool all; /* repeated begins, too */
};

static int
put_event(void *context, struct tl_event *event, uint32_t row)
{
	struct putting *p = context;
	struct tl_sink *sink = &p->events->writer->sink;
	int rc;

	(void)row;
	if (event->continued && !p->all)
		return 0;
	event->source = (uint16_t)p->events->last;
	rc = translate(p->events, &p->met, event);
	return rc < 0 ? rc : sink->put(sink, event);
}

int
tl_events_put(struct tl_events *e, const struct tl_block *block, bool gap)
{
	struct putting p = { .events = e };
	struct tl_fault fault = { 0 };
	struct known_chain *chain;
	struct tl_trace *trace;
	int rc = tl_block_open(&trace, block->data, &fault);

	if (rc < 0)
		return rc;
	e->last = find_chain(e, block);
	chain = &e->chains[e->last];
	p.all = gap || chain->dropped;
	rc = tl_events_each(trace, put_event, &p);
	tl_message_map_free(&p.met, NULL);
	e->strings.now = NULL;
	chain->names.from = NULL; /* those of this block */
	chain->dropped = tl_trace_info(trace, TL_INFO_DROPPED).size > 0;
	tl_trace_close(trace);
	return rc < 0 ? rc : tl_out_flush(&e->writer->out);
}

int
tl_events_finish(struct tl_events *e)
{
	return e->writer->sink.finish(&e->writer->sink);
}
