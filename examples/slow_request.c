/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slow_request.c - a server whose requests take a tenth of a microsecond,
 * but one of them takes a thousand times as long.  Which, and why?
 *
 *	cc slow_request.c $(pkg-config --cflags --libs timeline) -o slow_request
 *	./slow_request
 *	timeline-dump --stats /timeline-example-slow
 *	timeline-dump --view gaps /timeline-example-slow
 *	timeline-dump --why 'request*' --slower 100us /timeline-example-slow
 *	timeline-dump --explain --min-priority info /timeline-example-slow
 *
 * (A session's key goes into a hash table, and the table has to grow.)
 */
#include "example.h"

enum { REQUESTS = 16000, SLOTS = 16384, SLOTS_MAX = 1 << 20 };

struct table {
	uint64_t *keys; /* 0: free */
	uint64_t slots;
	uint64_t count;
};

static const char default_name[] = "/timeline-example-slow";
static struct timeline_event *request;
static struct timeline_event *probed;
static struct timeline_event *grown;

static uint64_t
probe(const struct table *table, uint64_t key)
{
	uint64_t at = key * 0x9e3779b97f4a7c15 >> 20;

	for (at &= table->slots - 1; table->keys[at] && table->keys[at] != key;)
		at = (at + 1) & (table->slots - 1);
	return at;
}

static int
grow(struct table *table)
{
	struct table new = { .slots = 2 * table->slots, .count = table->count };

	new.keys = new.slots <= SLOTS_MAX ? calloc(new.slots, 8) : NULL;
	if (!new.keys)
		return -1;
	for (uint64_t i = 0; i < table->slots; i++) {
		if (table->keys[i])
			new.keys[probe(&new, table->keys[i])] = table->keys[i];
	}
	timeline_log(grown, table->slots, new.slots, table->count);
	free(table->keys);
	*table = new;
	return 0;
}

static int
serve(struct table *table, uint64_t id)
{
	const uint64_t key = id * 2654435761 + 1;
	uint64_t at;

	timeline_scope(request, id, key);
	example_work(100);
	if (table->count >= table->slots / 4 * 3 && grow(table) != 0)
		return -1;
	at = probe(table, key);
	timeline_log(probed, at);
	table->count += table->keys[at] == 0;
	table->keys[at] = key;
	return 0;
}

static void
define(struct timeline *tl)
{
	example_must(timeline_define_span(tl, "server", "debug",
	    "request $id for $key%x", TIMELINE_THREAD, &request));
	example_must(
	    timeline_define(tl, "table", "trace", "found $slot", &probed));
	example_must(timeline_define(tl, "table", "info",
	    "grew $from to $slots with $keys\n"
	    "Three quarters were taken.  Every key is moved while the request\n"
	    "that came just then waits.",
	    &grown));
}

int
main(void)
{
	struct timeline *tl = example_new(default_name);
	struct table table = { .slots = SLOTS };
	int rc = 0;

	define(tl);
	table.keys = calloc(table.slots, sizeof(*table.keys));
	for (uint64_t id = 1; table.keys && id <= REQUESTS && rc == 0; id++)
		rc = serve(&table, id);
	free(table.keys);
	timeline_close(tl);
	return rc != 0;
}
