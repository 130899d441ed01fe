/* SPDX-License-Identifier: Apache-2.0 */
/* hosts_fixture.h - files of hosts with planted clock errors. */
#ifndef TESTS_UNIT_HOSTS_FIXTURE_H
#define TESTS_UNIT_HOSTS_FIXTURE_H

#include "lib/disguise.h"
#include "lib/test.h"
#include "snap/write.h"
#include "source/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { HOSTS = 4, EVENTS_MAX = 2000, MS = 1000000 };

#define NOON INT64_C(1700000000000000000)

/* One host: its events in true time, and its file. */
struct host {
	struct tl_event events[EVENTS_MAX];
	size_t count;
	struct disguise disguise;
	char path[64];
};

static struct host hosts[HOSTS];
static struct tl_message sent, received;
static struct tl_sources inputs;
static char said[4096];

static inline void
setup(void)
{
	static const char *const names[] = { "host-a", "host-b", "host-c",
		"host-d" };
	struct tl_message *both[] = { &sent, &received };

	for (size_t i = 0; i < 2; i++) {
		*both[i] = (struct tl_message){ .kind = TIMELINE_RECORD_INSTANT,
			.level = 5,
			.gate = 5,
			.id = (uint32_t)i + 1,
			.category = tl_bytes_of("net") };
		ck_assert_ok(tl_message_parse(both[i],
		    tl_bytes_of(i ? "got $id" : "sent $id")));
	}
	memset(hosts, 0, sizeof(hosts));
	for (size_t i = 0; i < HOSTS; i++) {
		hosts[i].disguise = (struct disguise){ .host = names[i],
			.boot = (uint8_t)(i + 1),
			.sync_given = true };
		snprintf(hosts[i].path, sizeof(hosts[i].path),
		    "/tmp/test-hosts-%d-%zu.tl", (int)getpid(), i);
	}
	said[0] = '\0';
}

static inline void
teardown(void)
{
	tl_sources_free(&inputs);
	for (size_t i = 0; i < HOSTS; i++)
		unlink(hosts[i].path);
}

static inline void
log_at(size_t host, int64_t ns, const struct tl_message *message, uint64_t id)
{
	struct host *h = &hosts[host];

	ck_assert_uint_lt(h->count, EVENTS_MAX);
	h->events[h->count++] = (struct tl_event){ .ns = ns,
		.message = message,
		.kind = TL_INSTANT,
		.level = 5,
		.pid = 1,
		.tid = 1,
		.args = { id } };
}

static inline int
compare_events(const void *a, const void *b)
{
	const struct tl_event *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

static inline int
append(void *context, const char *data, size_t size)
{
	struct tl_text *text = context;

	tl_put_bytes(text, tl_bytes(data, size));
	return text->rc;
}

/* Save the events of a host. */
static inline void
save(struct host *h)
{
	struct tl_text text = { 0 };
	struct tl_writer *writer;
	FILE *file = fopen(h->path, "wb");

	qsort(h->events, h->count, sizeof(h->events[0]), compare_events);
	ck_assert_ok(tl_timeline_write_new(&writer, append, &text, NULL));
	for (size_t i = 0; i < h->count; i++)
		ck_assert_ok(writer->sink.put(&writer->sink, &h->events[i]));
	ck_assert_ok(writer->sink.finish(&writer->sink));
	tl_writer_free(writer);
	ck_assert(disguise(&h->disguise, (uint8_t *)text.data, text.size));
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(text.data, 1, text.size, file), text.size);
	ck_assert_int_eq(fclose(file), 0);
	tl_text_free(&text);
}

/* Open the files of the first count hosts. */
static inline void
open_hosts(size_t count)
{
	static const struct tl_source_plan plan;
	const char *names[HOSTS];

	for (size_t i = 0; i < count; i++) {
		save(&hosts[i]);
		names[i] = hosts[i].path;
	}
	tl_sources_free(&inputs);
	ck_assert_ok(tl_sources_open(&inputs, names, count, &plan));
	for (size_t i = 0; i < count; i++)
		ck_assert(tl_source_is_open(&inputs.items[i]));
}

static inline void
note(void *context, const struct tl_fault *fault)
{
	const size_t size = strlen(said);

	(void)context;
	ck_assert_int_eq(fault->rc, 0);
	snprintf(said + size, sizeof(said) - size, "%s\n", fault->text);
}

static const struct tl_report report = { note, NULL };

static inline struct tl_cursor *
open_cursor(enum tl_order order)
{
	struct tl_cursor *cursor = NULL;

	ck_assert_ok(tl_sources_cursor(&inputs, order, &cursor));
	return cursor;
}

/* The sources and marks of all events: "0 1~ 0". */
static inline const char *
sequence(enum tl_order order)
{
	static char text[1024];
	struct tl_cursor *cursor = open_cursor(order);
	struct tl_event event;
	size_t size = 0;

	text[0] = '\0';
	while (tl_cursor_next(cursor, &event) > 0)
		size += (size_t)snprintf(text + size, sizeof(text) - size,
		    "%s%u%s", size ? " " : "", event.source,
		    event.overlaps ? "~" : "");
	tl_cursor_close(cursor);
	return text;
}

static inline void
apply(const char *const *offsets, int want)
{
	struct tl_hosts_plan plan = { 0 };
	struct tl_fault fault = { 0 };

	for (; offsets && *offsets; offsets++)
		ck_assert_ok(tl_hosts_plan_offset(&plan, *offsets, &fault));
	ck_assert_int_eq(tl_sources_apply(&inputs, &plan, &fault), want);
	if (want < 0)
		snprintf(said, sizeof(said), "%s", fault.text);
}

#endif
