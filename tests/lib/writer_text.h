/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer_text.h - what a writer gets, as lines of text: the lines of
 * event_text.h, and
 *
 *	origin machine=a command=b pid=1	of all events; monotonic=, boottime=
 *	source machine=a timeline=b		of the next source
 *	title a page				of the output
 *	viewers plain				all events of a set (viewers.h)
 *	finish					once more, before the end
 */
#ifndef TESTS_LIB_WRITER_TEXT_H
#define TESTS_LIB_WRITER_TEXT_H

#include "event/writer.h"
#include "event_text.h"
#include "viewers.h"

#include <stdio.h>

enum { WRITER_TEXT_SOURCES = 8 };

static struct tl_origin writer_text_sources[WRITER_TEXT_SOURCES];
static size_t writer_text_count;

/* Begin anew, with a writer that knows nothing of this machine. */
static inline void
writer_text_begin(struct tl_writer *writer)
{
	event_text_reset();
	memset(writer_text_sources, 0, sizeof(writer_text_sources));
	writer_text_count = 0;
	tl_writer_facts(writer)->origin = writer_text_sources[0];
}

static inline void
writer_text_origin(char *line, struct tl_origin *origin)
{
	char *word;

	while ((word = strsep(&line, " "))) {
		char *value = strchr(word, '=') + 1;

		value[golden_unescape(value, strlen(value))] = '\0';
		if (strncmp(word, "pid", 3) == 0)
			origin->pid = (uint32_t)strtoul(value, NULL, 10);
		else if (strncmp(word, "monotonic", 9) == 0)
			origin->monotonic_ns = strtoll(value, NULL, 10);
		else if (strncmp(word, "boottime", 8) == 0)
			origin->boottime_ns = strtoll(value, NULL, 10);
		else
			snprintf(*word == 'm'   ? origin->machine
				 : *word == 'c' ? origin->command
						: origin->timeline,
			    sizeof(origin->machine), "%s", value);
	}
}

static inline void
writer_text_put(struct tl_writer *writer, char *line)
{
	struct tl_sink *const sink = &writer->sink;
	struct tl_event e = { 0 };

	if (event_text_define(line))
		return;
	if (strncmp(line, "origin ", 7) == 0) {
		writer_text_origin(line + 7, &tl_writer_facts(writer)->origin);
	} else if (strncmp(line, "source ", 7) == 0) {
		ck_assert_uint_lt(writer_text_count, WRITER_TEXT_SOURCES);
		writer_text_origin(line + 7,
		    &writer_text_sources[writer_text_count++]);
		tl_writer_set_sources(writer, writer_text_sources,
		    writer_text_count);
	} else if (strncmp(line, "title ", 6) == 0) {
		tl_writer_facts(writer)->title = event_text_copy(line + 6).data;
	} else if (strncmp(line, "viewers ", 8) == 0) {
		const int set = viewers_set(line + 8);

		ck_assert_int_ge(set, 0);
		for (uint64_t i = 0;
		     viewers_event((enum viewers_set)set, i, &e); i++)
			ck_assert_ok(sink->put(sink, &e));
	} else if (strcmp(line, "finish") == 0) {
		ck_assert_ok(sink->finish(sink));
	} else {
		e = event_text_parse(line, event_text_defined);
		ck_assert_ok(sink->put(sink, &e));
	}
}

/* Put all lines, and finish. */
static inline void
writer_text_put_all(struct tl_writer *writer, struct tl_bytes in)
{
	char *const lines = strndup(in.data, in.size);
	char *next = lines, *line;

	writer_text_begin(writer);
	while ((line = strsep(&next, "\n")) && next)
		writer_text_put(writer, line);
	ck_assert_ok(writer->sink.finish(&writer->sink));
	free(lines);
}

#endif
