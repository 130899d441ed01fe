/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorded.c - recorded FILE...: sum up the content of recorded traces.
 *
 *	files 2 entries 1000 lost 0 damaged 0 cut 1
 *
 * A span that was continued from the file before is counted once.  The blocks
 * must not be packed.
 */
#include "trace/read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct sum {
	uint64_t files;
	uint64_t entries;
	uint64_t lost;
	uint64_t damaged;
	uint64_t cut;
};

static void
say(void *context, const struct tl_fault *fault)
{
	struct sum *sum = context;

	sum->cut += fault->rc == -ENODATA;
	sum->damaged += fault->rc < 0 && fault->rc != -ENODATA;
	if (fault->rc < 0)
		fprintf(stderr, "recorded: %s\n", fault->text);
}

static int
add_events(struct sum *sum, struct tl_trace *trace)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc = tl_trace_cursor(trace, TL_OLDEST_FIRST, &cursor);

	if (rc != 0)
		return rc;
	while ((rc = tl_cursor_next(cursor, &event)) > 0) {
		if (event.kind == TL_LOST)
			sum->lost += event.lost;
		else
			sum->entries++;
	}
	tl_cursor_close(cursor);
	return rc;
}

static int
add(struct sum *sum, const char *path)
{
	const struct tl_trace_read_options options = { .report = { say, sum } };
	struct tl_fault fault = { 0 };
	struct tl_bytes continued;
	struct tl_trace *trace;
	int rc = tl_trace_open(&trace, path, &options, &fault);

	if (rc != 0) {
		fprintf(stderr, "recorded: %s: %s\n", path, fault.text);
		return rc;
	}
	rc = add_events(sum, trace);
	continued = tl_trace_info(trace, "continued");
	if (continued.size > 0)
		sum->entries -= strtoull(continued.data, NULL, 10);
	sum->files++;
	tl_trace_close(trace);
	return rc;
}

int
main(int argc, char **argv)
{
	struct sum sum = { 0 };
	int failed = 0;

	for (int i = 1; i < argc; i++)
		failed |= add(&sum, argv[i]) != 0;
	printf("files %" PRIu64 " entries %" PRIu64 " lost %" PRIu64
	       " damaged %" PRIu64 " cut %" PRIu64 "\n",
	    sum.files, sum.entries, sum.lost, sum.damaged, sum.cut);
	return failed;
}
