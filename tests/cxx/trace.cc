/* SPDX-License-Identifier: Apache-2.0 */
/* trace.cc - timeline_trace.h. */
#include <timeline_trace.h>

int
main(int argc, char **argv)
{
	struct timeline_trace *trace;
	struct timeline_trace_message *found, *parse, *queue;
	uint64_t text;

	if (argc < 2 || timeline_trace_create(&trace, argv[1], nullptr) != 0 ||
	    timeline_trace_instant(trace, "trace", "info", "found $text%s",
		&found) != 0 ||
	    timeline_trace_span(trace, "trace", "info", "parse $bytes",
		&parse) != 0 ||
	    timeline_trace_counter(trace, "trace", "info", "queue $n",
		&queue) != 0 ||
	    timeline_trace_string(trace, "words", &text) != 0)
		return 1;
	timeline_trace_begin(parse, 1, UINT64_C(7));
	timeline_trace_log(found, 1, text);
	timeline_trace_log(queue, 1, UINT64_C(3));
	timeline_trace_end(parse, 0);
	return timeline_trace_close(trace) == 0 ? 0 : 1;
}
