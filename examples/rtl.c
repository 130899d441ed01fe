/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rtl.c - the macros of RTL_LOGFILE.
 *
 *	cc rtl.c $(pkg-config --cflags --libs timeline) -o rtl
 *	RTL_LOGFILE=/tmp/rtl ./rtl
 *	timeline-dump /tmp/rtl_4711.log
 *
 * Without RTL_LOGFILE in the environment nothing is logged, and without
 * TIMELOG only what stands in product builds is there at all.
 */
#define TIMELOG
#include <stdio.h>
#include <timeline_rtl.h>

static unsigned
count_words(const char *text)
{
	unsigned count = 0;

	RTL_LOGFILE_CONTEXT_AUTHOR(context, "example", "ab123456",
	    "::count_words");
	RTL_LOGFILE_CONTEXT_TRACE(context, "{ lengthy calculation");
	for (; *text; text++)
		count += text[0] != ' ' && (text[1] == ' ' || !text[1]);
	RTL_LOGFILE_CONTEXT_TRACE(context, "} lengthy calculation");
	RTL_LOGFILE_CONTEXT_TRACE1(context, "%u words", count);
	return count;
}

int
main(int argc, char **argv)
{
	RTL_LOGFILE_PRODUCT_CONTEXT(context, "main");

	for (int i = 1; i < argc; i++)
		count_words(argv[i]);
	count_words("every time stamp has its place");
	RTL_LOGFILE_TRACE_AUTHOR("example", "ab123456", "done");
	if (RTL_LOGFILE_HASLOGFILE())
		printf("logged to %s\n", timeline_rtl_log_path());
	else
		printf("set RTL_LOGFILE to see a log\n");
	return 0;
}
