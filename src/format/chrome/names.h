/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - the metadata of Chrome's trace events: each process, thread and
 * source is named before its first event.
 */
#ifndef TL_FORMAT_CHROME_NAMES_H
#define TL_FORMAT_CHROME_NAMES_H

#include "base/table.h"
#include "event/writer.h"

/* Starts from all zeros but for writer. */
struct tl_chrome_names {
	struct tl_writer *writer;
	struct tl_id_map processes;
	struct tl_id_map threads;
	struct tl_id_map sources; /* messages with a thread of their own */
	uint32_t *source_pids;    /* by number of a source */
	size_t source_capacity;
	struct tl_text scratch;
	bool follows; /* does an event stand before the next? */
};

/* Write the separator between two events, two bytes at most. */
static inline char *
tl_chrome_comma(struct tl_chrome_names *names, char *to)
{
	if (names->follows)
		*to++ = ',';
	*to++ = '\n';
	names->follows = true;
	return to;
}

/* Is the name of its events the string in their first argument? */
bool tl_chrome_is_labelled(const struct tl_message *message);

/* The first line without the $ of its arguments, and without those that only
 * follow it: "read: $size $from%s" is read. */
void tl_chrome_put_name(struct tl_text *text, const struct tl_message *message);

/*
 * Write what was not written yet of the process and thread of an event, and
 * turn one of a source to the thread of it.  0; 1: there are too
 * many sources, it stays on its own thread; -ENOMEM.
 */
int tl_chrome_names_put(struct tl_chrome_names *names, struct tl_event *event);
void tl_chrome_names_free(struct tl_chrome_names *names);

#endif
