/*
 * write.c TRACE EVENTS SPAN - record EVENTS events in spans of SPAN events;
 * every 100th event is a span around two events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <timeline_trace.h>

int
main(int argc, char **argv)
{
	struct timeline_trace *trace;
	struct timeline_trace_message *outer, *inner, *leaf;
	const unsigned long count = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	const unsigned long span = argc == 4 ? strtoul(argv[3], NULL, 10) : 1;

	if (argc != 4 || timeline_trace_create(&trace, argv[1], NULL) < 0)
		return fprintf(stderr, "write: cannot create\n"), 1;
	timeline_trace_span(trace, "test", "info", "batch $number", &outer);
	timeline_trace_span(trace, "test", "info", "item $number%d", &inner);
	timeline_trace_instant(trace, "test", "debug",
	    "found $n, $x%x and $t%t\nexplained", &leaf);
	for (uint64_t i = 0; i < count; i++) {
		if (i % span == 0)
			timeline_trace_begin(outer, 1, i);
		if (i % 100 == 0) {
			timeline_trace_begin(inner, 1, i);
			timeline_trace_log(leaf, 3, i, i * 3, UINT64_C(1500));
			timeline_trace_log(leaf, 3, i, i * 7, UINT64_C(9));
			timeline_trace_end(inner, 0);
		} else {
			timeline_trace_log(leaf, 3, i, i << 20, i);
		}
		if (i % span == span - 1)
			timeline_trace_end(outer, 1, i);
	}
	return timeline_trace_close(trace) < 0;
}
