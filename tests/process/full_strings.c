/* SPDX-License-Identifier: Apache-2.0 */
/*
 * full_strings.c - several processes fill the string table: a definition that
 * finds no room fails with an error, and all earlier definitions keep working.
 */
#include "../lib/process.h"
#include "../lib/snap_open.h"

enum { PROCESSES = 4, MESSAGES_MAX = 2000 };

static struct timeline *tl;
static volatile unsigned *defined;

static void
text_of(char text[64], unsigned i)
{
	snprintf(text, 64, "message %u of many, with $arguments", i);
}

/* Every process defines the same messages in order until there is no room. */
static void
define_until_full(void *context)
{
	const unsigned me = (unsigned)(uintptr_t)context;
	struct timeline_event *event;
	char text[64];
	unsigned i;
	int rc = 0;

	for (i = 0; rc == 0 && i < MESSAGES_MAX; i++) {
		text_of(text, i);
		rc = timeline_define(tl, "full", "info", text, &event);
		timeline_log(event, i);
	}
	expect(rc == -ENOSPC && strstr(timeline_error(), "full"), "%d %s", rc,
	    timeline_error());
	expect(!timeline_enabled(event), "an event that is none is open");
	timeline_begin(event);
	timeline_end(event);
	defined[me] = i - 1;
}

static void
check_what_is_there(unsigned count)
{
	struct tl_fault fault = { 0 };
	struct tl_snap *snap;
	unsigned found = 0;

	expect(snap_open(&snap, test_name, 0, &fault) == 0, "%s", fault.text);
	expect(tl_snap_fault_count(snap) == 0, "%s",
	    tl_snap_fault(snap, 0)->text);
	for (size_t i = 0; i < tl_snap_message_count(snap); i++)
		found += !tl_snap_message(snap, i)->builtin;
	expect(found == count, "%u messages, not %u", found, count);
	tl_snap_close(snap);
}

int
main(void)
{
	const struct timeline_options options = { .entries = 4096,
		.stringtablesize = 16384 };
	struct timeline_event *event;
	pid_t pids[PROCESSES];
	unsigned most = 0;
	uint64_t number, tried = 0;
	char text[64];

	choose_test_name("strings");
	expect_ok(timeline_new(&tl, test_name, &options));
	defined = share(PROCESSES * sizeof(*defined));
	for (int i = 0; i < PROCESSES; i++)
		pids[i] = spawn(define_until_full, (void *)(uintptr_t)i);
	for (int i = 0; i < PROCESSES; i++) {
		expect_success(pids[i]);
		tried += defined[i];
		if (defined[i] > most)
			most = defined[i];
	}
	printf("%u messages defined\n", most);
	/* a lost race leaks a record, which leaves room for fewer messages */
	expect(most > 40, "only %u messages", most);
	expect(sum_of_heads(tl) == tried, "%lu appended of %lu",
	    sum_of_heads(tl), tried);
	check_what_is_there(most);
	expect(tl->header->drops[TIMELINE_DROP_TABLE_FULL] >= PROCESSES,
	    "%lu refusals counted",
	    tl->header->drops[TIMELINE_DROP_TABLE_FULL]);
	text_of(text, most - 1);
	expect_ok(timeline_define(tl, "full", "info", text, &event));
	expect(timeline_string(tl,
		   "some long new text, so long that it does "
		   "not fit into what may be left of the table",
		   &number) == -ENOSPC,
	    "a string found room");
	timeline_close(tl);
	return 0;
}
