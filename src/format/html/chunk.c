/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk.c - collect events, and the messages and strings of the events, as
 * JSON.
 */
#include "format/html/chunk.h"

#include "base/array.h"
#include "base/ns.h"
#include "event/names.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
	CODE_SHIFT = 4,
	CODE_OVERWRITTEN = TL_LOST + 1,
	CODE_BARE = 8,
	/* Three numbers and their commas. */
	FRAME_MAX = 96,
	/* Precision of a bound; only a change in these bits is written. */
	BOUND_BITS = 5
};

/* A bound of a host without a bound, and a bound that is not yet written. */
enum { UNBOUNDED = -1, UNTOLD = -2 };

/* The largest integer that a double holds exactly. */
#define EXACT_MAX ((UINT64_C(1) << 53) - 1)
/* The largest distance of an event from the event before. */
#define STEP_MAX (INT64_C(1) << 52)

bool
tl_html_chunk_takes(const struct tl_html_chunk *chunk,
    const struct tl_event *event)
{
	int64_t step;

	if (chunk->count == 0)
		return true;
	if (chunk->events.size + chunk->messages.size + chunk->strings.size >=
	    TL_HTML_CHUNK_SIZE)
		return false;
	return !__builtin_sub_overflow(event->ns, chunk->last.ns, &step) &&
	       step < STEP_MAX && step > -STEP_MAX;
}

int
tl_html_table_number(struct tl_html_table *table, const struct tl_html_key *key,
    uint32_t *number)
{
	const uint64_t hash =
	    tl_hash_more(tl_hash_pair(key->a, key->b), key->c);
	struct tl_probe probe = tl_table_probe(&table->table, hash);
	uint32_t at;

	while (tl_probe_next(&probe, &at)) {
		const struct tl_html_key *k = &table->keys[at];

		if (k->a == key->a && k->b == key->b && k->c == key->c) {
			*number = table->first + at;
			return 1;
		}
	}
	if (table->first + table->count >= UINT32_MAX - 1)
		return -ENOMEM;
	if (table->count == TL_HTML_TABLE_MAX) {
		tl_table_clear(&table->table);
		table->first += TL_HTML_TABLE_MAX;
		table->count = 0;
	}
	if (TL_ARRAY_ROOM(table->keys, table->capacity, table->count) < 0 ||
	    tl_table_add(&table->table, hash, table->count) < 0)
		return -ENOMEM;
	*number = table->first + table->count;
	table->keys[table->count++] = *key;
	return 0;
}

void
tl_html_table_free(struct tl_html_table *table)
{
	tl_table_free(&table->table);
	free(table->keys);
	*table = (struct tl_html_table){ 0 };
}

/* Put a comma before every item but the first. */
static void
separate(struct tl_text *text)
{
	if (text->size > 0)
		tl_put_char(text, ',');
}

void
tl_html_put_script(struct tl_text *text, struct tl_bytes json)
{
	while (json.size > 0) {
		const char *found = memchr(json.data, '<', json.size);
		const size_t run =
		    found ? (size_t)(found - json.data) : json.size;
		const size_t taken = run + (found != NULL);

		tl_put_bytes(text, tl_bytes(json.data, run));
		tl_put_string(text, found ? "\\u003c" : "");
		json = tl_bytes(json.data + taken, json.size - taken);
	}
}

/* Append a string, escaped as in a listing. */
static void
put_string(struct tl_html_chunk *chunk, struct tl_text *text,
    struct tl_bytes bytes, void (*escape)(struct tl_text *, struct tl_bytes))
{
	tl_text_clear(&chunk->plain);
	escape(&chunk->plain, bytes);
	tl_text_clear(&chunk->json);
	tl_put_json(&chunk->json, tl_text_bytes(&chunk->plain));
	tl_put_char(text, '"');
	tl_html_put_script(text, tl_text_bytes(&chunk->json));
	tl_put_char(text, '"');
}

static void
put_number(struct tl_text *text, uint64_t n)
{
	tl_put_char(text, ',');
	tl_put_unsigned(text, n);
}

/*
 * Append 64 bits as a number, or as digits in quotes if a double is too short.
 */
static void
put_unsigned(struct tl_text *text, uint64_t n)
{
	const char *quote = n > EXACT_MAX ? "\"" : "";

	tl_put_string(text, quote);
	tl_put_unsigned(text, n);
	tl_put_string(text, quote);
}

static void
put_signed(struct tl_text *text, int64_t n)
{
	const int64_t max = (int64_t)EXACT_MAX;
	const char *quote = n > max || n < -max ? "\"" : "";

	tl_put_string(text, quote);
	tl_put_signed(text, n);
	tl_put_string(text, quote);
}

static void
put_double(struct tl_text *text, uint64_t bits)
{
	const double value = tl_double_of(bits);
	const char *quote = isfinite(value) ? "" : "\"";

	tl_put_string(text, quote);
	tl_put_double(text, value);
	tl_put_string(text, quote);
}

/* Append the number of a text, and define a new text.  Equal bits of %8s
 * arguments are equal texts, whatever their source is. */
static int
put_words(struct tl_html_chunk *chunk, const struct tl_event *event, unsigned i)
{
	const struct tl_message *message = event->message;
	const uint64_t value = event->args[i];
	const struct tl_bytes string =
	    tl_message_text(message, i, &event->args[i]);
	const bool is_own = message->args[i].format == TIMELINE_ARG_TEXT8;
	const struct tl_html_key key = { is_own ? 0
						: (uintptr_t)message->strings,
		value, 0 };
	uint32_t number;
	int rc;

	if (!string.data) {
		tl_put_string(&chunk->events, "\"#");
		tl_put_unsigned(&chunk->events, value);
		tl_put_char(&chunk->events, '"');
		return 0;
	}
	rc = tl_html_table_number(&chunk->string_table, &key, &number);
	if (rc < 0)
		return rc;
	if (rc == 0) {
		separate(&chunk->strings);
		put_string(chunk, &chunk->strings, string, tl_put_plain);
	}
	tl_put_unsigned(&chunk->events, number);
	return 0;
}

/* Find the number of an event's place, and define a new place with its
 * names. */
static int
place_number(struct tl_html_chunk *chunk, const struct tl_event *event,
    uint32_t *number)
{
	const struct tl_html_key key = { (uint64_t)event->pid << 32 |
					     event->tid,
		(uint64_t)event->cpu << 32 | event->lane, event->source };
	const struct tl_names *names = tl_event_names(event);
	struct tl_bytes thread, process;
	struct tl_text *text = &chunk->places;
	const int rc = tl_html_table_number(&chunk->place_table, &key, number);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	separate(text);
	tl_put_unsigned(text, event->pid);
	put_number(text, event->tid);
	tl_put_char(text, ',');
	tl_put_signed(text,
	    event->cpu == TL_CPU_UNKNOWN ? -1 : (int64_t)event->cpu);
	put_number(text, event->lane);
	put_number(text, event->source);

	thread = tl_names_thread(names, event->pid, event->tid);
	process = tl_names_process(names, event->pid);
	if (thread.size == 0 && process.size == 0)
		return 0;
	text = &chunk->names;
	separate(text);
	tl_put_unsigned(text, event->source);
	put_number(text, event->pid);
	put_number(text, event->tid);
	tl_put_char(text, ',');
	put_string(chunk, text, thread, tl_put_plain);
	tl_put_char(text, ',');
	put_string(chunk, text, process, tl_put_plain);
	return 0;
}

/* The format that the page has for an argument. */
static unsigned
format_of(const struct tl_arg *arg)
{
	if (arg->format == TIMELINE_ARG_OCTAL)
		return TIMELINE_ARG_UNSIGNED;
	return tl_arg_is_text(arg) ? TIMELINE_ARG_STRING : arg->format;
}

/* Find the number of a message, and define a new message. */
static int
message_number(struct tl_html_chunk *chunk, const struct tl_message *message,
    uint32_t *number)
{
	const struct tl_html_key key = { (uintptr_t)message, message->id, 1 };
	struct tl_text *text = &chunk->messages;
	const int rc =
	    tl_html_table_number(&chunk->message_table, &key, number);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	separate(text);
	tl_put_char(text, '[');
	put_string(chunk, text, message->category, tl_put_plain);
	put_number(text, message->level);
	put_number(text, message->kind);
	put_number(text, message->scope);
	put_number(text, message->builtin);
	put_number(text, message->gate);
	tl_put_char(text, ',');
	put_string(chunk, text, message->file, tl_put_plain);
	put_number(text, message->line);
	tl_put_char(text, ',');
	put_string(chunk, text, message->explain, tl_put_lines);
	tl_put_char(text, ',');
	put_string(chunk, text, message->after, tl_put_plain);
	for (unsigned i = 0; i < message->argc; i++) {
		tl_put_char(text, ',');
		put_string(chunk, text, message->args[i].name, tl_put_plain);
		put_number(text, format_of(&message->args[i]));
		tl_put_char(text, ',');
		put_string(chunk, text, message->args[i].before, tl_put_plain);
	}
	tl_put_char(text, ']');
	return 0;
}

/* Append the values behind the frame. */
static int
put_values(struct tl_html_chunk *chunk, const struct tl_event *event)
{
	struct tl_text *text = &chunk->events;
	int rc = 0;

	if (!event->message) {
		tl_put_char(text, ',');
		put_unsigned(text, event->lost);
		return 0;
	}
	if (event->bare)
		return 0;
	for (unsigned i = 0; i < event->message->argc && rc == 0; i++) {
		const uint64_t value = event->args[i];

		tl_put_char(text, ',');
		switch (event->message->args[i].format) {
		case TIMELINE_ARG_SIGNED:
		case TIMELINE_ARG_DURATION:
			put_signed(text, (int64_t)value);
			break;
		case TIMELINE_ARG_DOUBLE:
			put_double(text, value);
			break;
		case TIMELINE_ARG_STRING:
		case TIMELINE_ARG_TEXT8:
			rc = put_words(chunk, event, i);
			break;
		default:
			put_unsigned(text, value);
			break;
		}
	}
	return rc;
}

int
tl_html_chunk_set_hosts(struct tl_html_chunk *chunk,
    const struct tl_fleet_hosts *hosts)
{
	chunk->host_bounds = calloc(hosts->count, sizeof(*chunk->host_bounds));
	if (!chunk->host_bounds)
		return -ENOMEM;
	for (size_t i = 0; i < hosts->count; i++)
		chunk->host_bounds[i] = UNTOLD;
	chunk->hosts = hosts;
	return 0;
}

/* The ns by which an event's time may be off, rounded up. */
static int64_t
bound_of(const struct tl_event *event)
{
	uint64_t ns = event->error_ns + UINT64_C(1000) * event->sync_us;
	unsigned bits;
	uint64_t unit;

	if (event->sync_us == TL_SYNC_UNBOUNDED)
		return UNBOUNDED;
	if (ns >> BOUND_BITS == 0)
		return (int64_t)ns;
	bits = 64 - (unsigned)__builtin_clzll(ns);
	unit = UINT64_C(1) << (bits - BOUND_BITS);
	return (int64_t)((ns + unit - 1) & ~(unit - 1));
}

/*
 * Note the observed interval of an event: 1: it differs from the interval of
 * the event before of its message; 0; -ENOMEM.
 */
static int
change_observed(struct tl_html_chunk *chunk, const struct tl_event *event)
{
	uint32_t number;
	int rc;

	if (chunk->observes == TL_HTML_UNOBSERVED || !event->message)
		return 0;
	rc = tl_html_table_number(&chunk->observed_table,
	    &(struct tl_html_key){ (uintptr_t)event->message,
		event->message->id, 1 },
	    &number);
	if (rc < 0 || TL_ARRAY_ZEROS(chunk->last_observed,
			  chunk->last_observed_capacity, number) < 0)
		return -ENOMEM;
	/*
	 * The page takes a message's first interval for 0.  A new message is
	 * skipped only if the page cannot have the message: in a file whose
	 * table never was cleared.
	 */
	if (chunk->last_observed[number] == event->observed &&
	    (rc > 0 || (chunk->observes == TL_HTML_OBSERVED &&
			   chunk->observed_table.first == 0)))
		return 0;
	chunk->last_observed[number] = event->observed;
	return 1;
}

static int
put_observed(struct tl_html_chunk *chunk, const struct tl_event *event)
{
	struct tl_text *text = &chunk->observed;
	const int rc = change_observed(chunk, event);

	if (rc <= 0)
		return rc;
	separate(text);
	tl_put_unsigned(text, chunk->count);
	if (event->observed == TL_UNOBSERVED)
		tl_put_string(text, ",-1");
	else
		put_number(text, event->observed);
	return 0;
}

static void
put_proven(struct tl_html_chunk *chunk, const struct tl_event *event)
{
	const bool is_end = event->kind == TL_END;
	const uint64_t tsc = is_end ? event->begun_tsc : event->tsc;
	struct tl_text *text = &chunk->proven;

	if (!event->proven)
		return;
	separate(text);
	tl_put_unsigned(text, chunk->count);
	tl_put_char(text, ',');
	put_signed(text, (int64_t)(tsc - chunk->proven_tsc));
	tl_put_char(text, ',');
	put_signed(text, is_end ? event->duration_ns : -1);
	chunk->proven_tsc = tsc;
}

/* Write the bound of an event's time, and whether the event overlaps. */
static void
put_bound(struct tl_html_chunk *chunk, const struct tl_event *event)
{
	size_t host;
	int64_t bound;

	if (!chunk->hosts || !event->message)
		return;
	host = tl_fleet_host_of(chunk->hosts, event);
	bound = bound_of(event);
	if (bound != chunk->host_bounds[host]) {
		chunk->host_bounds[host] = bound;
		separate(&chunk->bounds);
		tl_put_unsigned(&chunk->bounds, chunk->count);
		put_number(&chunk->bounds, host);
		tl_put_char(&chunk->bounds, ',');
		tl_put_signed(&chunk->bounds, bound);
	}
	if (event->overlaps) {
		separate(&chunk->overlaps);
		tl_put_unsigned(&chunk->overlaps,
		    chunk->count + 1 - chunk->overlap_next);
		chunk->overlap_next = chunk->count + 1;
	}
}

int
tl_html_chunk_skip(struct tl_html_chunk *chunk, const struct tl_event *event)
{
	const int rc = change_observed(chunk, event);

	return rc < 0 ? rc : 0;
}

int
tl_html_chunk_put(struct tl_html_chunk *chunk, const struct tl_event *event)
{
	struct tl_text *text = &chunk->events;
	uint32_t message = 0, place;
	uint64_t code;
	char *to;
	int rc;

	if (event->message &&
	    (rc = message_number(chunk, event->message, &message)) < 0)
		return rc;
	if ((rc = place_number(chunk, event, &place)) < 0)
		return rc;
	if (chunk->count == 0) {
		chunk->first = chunk->last = *event;
		chunk->proven_tsc = event->tsc;
	}
	code = (uint64_t)message << CODE_SHIFT |
	       (event->overwritten ? CODE_OVERWRITTEN : event->kind);
	if (event->bare)
		code |= CODE_BARE;

	/* the numbers that every event has: step,code,place */
	if ((to = tl_text_reserve(text, FRAME_MAX))) {
		if (chunk->count > 0)
			*to++ = ',';
		to = tl_write_signed(to, event->ns - chunk->last.ns);
		*to++ = ',';
		to = tl_write_unsigned(to, code);
		*to++ = ',';
		to = tl_write_unsigned(to, place);
		text->size = (size_t)(to - text->data);
	}
	put_bound(chunk, event);
	rc = put_values(chunk, event);
	if (rc == 0)
		rc = put_observed(chunk, event);
	put_proven(chunk, event);
	chunk->last = *event;
	chunk->count++;
	return rc;
}

static void
put_point(struct tl_text *text, const struct tl_event *event)
{
	tl_put_char(text, '"');
	tl_put_unsigned(text, event->tsc);
	tl_put_string(text, "\",\"");
	tl_put_signed(text, event->ns);
	tl_put_char(text, '"');
	put_number(text, event->epoch);
	put_number(text, event->source);
}

/* Move a list into the object; a failure of the list becomes the object's. */
static void
move_list(struct tl_text *text, const char *name, struct tl_text *list)
{
	tl_put_string(text, name);
	if (list->rc != 0)
		text->rc = list->rc;
	else
		tl_put_bytes(text, tl_text_bytes(list));
	tl_text_clear(list);
}

/*
 * Append the members that only several hosts need.  The first chunk lists every
 * host with its sources.
 */
static void
write_hosts(struct tl_html_chunk *chunk, struct tl_text *text)
{
	const struct tl_fleet_hosts *hosts = chunk->hosts;

	if (!chunk->hosts_written)
		tl_put_string(text, "],\"hosts\":[");
	for (size_t i = 0; !chunk->hosts_written && i < hosts->count; i++) {
		tl_put_string(text, i > 0 ? ",[" : "[");
		put_string(chunk, text, tl_bytes_of(hosts->items[i].name),
		    tl_put_plain);
		for (size_t k = 0; k < hosts->source_count; k++) {
			if (hosts->of_source[k] == i)
				put_number(text, k);
		}
		tl_put_char(text, ']');
	}
	chunk->hosts_written = true;
	move_list(text, "],\"bounds\":[", &chunk->bounds);
	move_list(text, "],\"overlaps\":[", &chunk->overlaps);
	chunk->overlap_next = 0;
}

void
tl_html_chunk_write(struct tl_html_chunk *chunk, struct tl_text *text)
{
	tl_put_string(text, "{\"base\":\"");
	tl_put_signed(text, chunk->first.ns);
	tl_put_string(text, "\",\"clock\":[");
	put_point(text, &chunk->first);
	tl_put_char(text, ',');
	put_point(text, &chunk->last);
	move_list(text, "],\"messages\":[", &chunk->messages);
	move_list(text, "],\"strings\":[", &chunk->strings);
	move_list(text, "],\"places\":[", &chunk->places);
	if (chunk->names.size > 0)
		move_list(text, "],\"names\":[", &chunk->names);
	if (chunk->hosts)
		write_hosts(chunk, text);
	if (chunk->observed.size > 0)
		move_list(text, "],\"observed\":[", &chunk->observed);
	if (chunk->proven.size > 0)
		move_list(text, "],\"proven\":[", &chunk->proven);
	move_list(text, "],\"events\":[", &chunk->events);
	tl_put_string(text, "]}");
	if (chunk->plain.rc != 0 || chunk->json.rc != 0)
		text->rc = -ENOMEM;
	chunk->count = 0;
}

void
tl_html_put_history(struct tl_text *text, const struct tl_details *details,
    uint16_t source, bool is_known, int64_t from_ns, int64_t to_ns)
{
	int64_t last_ns = from_ns, next_ns;
	unsigned last = TL_OWN_KINDS, kind;

	tl_put_format(text, "%u,\"%" PRId64 "\",%" PRId64, source, from_ns,
	    tl_ns_between(from_ns, to_ns));
	do {
		next_ns = to_ns;
		kind = tl_details_kind(details, source, from_ns, &next_ns);
		if (!is_known && kind == TIMELINE_LEVEL_MIN)
			kind = 0;
		if (last < TL_OWN_KINDS && kind != last) {
			tl_put_char(text, ',');
			tl_put_signed(text, tl_ns_between(last_ns, from_ns));
			last_ns = from_ns;
		}
		if (kind != last)
			tl_put_format(text, ",%u", kind);
		last = kind;
		from_ns = next_ns;
	} while (from_ns < to_ns);
}

void
tl_html_chunk_free(struct tl_html_chunk *chunk)
{
	struct tl_text *const texts[] = { &chunk->messages, &chunk->strings,
		&chunk->places, &chunk->events, &chunk->plain, &chunk->json,
		&chunk->bounds, &chunk->overlaps, &chunk->names,
		&chunk->observed, &chunk->proven };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		tl_text_free(texts[i]);
	tl_html_table_free(&chunk->message_table);
	tl_html_table_free(&chunk->string_table);
	tl_html_table_free(&chunk->place_table);
	tl_html_table_free(&chunk->observed_table);
	free(chunk->host_bounds);
	free(chunk->last_observed);
}
