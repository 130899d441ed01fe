/* SPDX-License-Identifier: Apache-2.0 */
/* ftrace.c - the marker of an instance of tracefs, TRUTH_TRACEFS: text in the
 * form that viewers read as begin and end. */
#include "spans.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int marker;

void
tracer_start(bool closed)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/trace_marker",
	    getenv("TRUTH_TRACEFS"));
	if ((marker = open(path, O_WRONLY | O_CLOEXEC)) < 0)
		spans_die(path);
	if (closed)
		gate_close();
}

static void
mark(char edge, int which, long id)
{
	char text[64];
	int n;

	if (!gate)
		return;
	n = snprintf(text, sizeof(text), "%c|%d|%s %ld", edge, (int)getpid(),
	    which == SPANS_OUTER ? "outer" : "inner", id);
	if (write(marker, text, (size_t)n) < 0)
		spans_die("trace_marker");
}

uint64_t
tracer_begin(int which, long id)
{
	mark('B', which, id);
	return 0;
}

void
tracer_end(int which, long id, uint64_t begun)
{
	(void)begun;
	mark('E', which, id);
}

int64_t
tracer_burst(int64_t ns)
{
	return spans_burst(ns);
}
