/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - the metadata of Chrome's trace events: each process, thread and
 * source is named before its first event.
 */
#ifndef TL_FORMAT_CHROME_NAMES_H
#define TL_FORMAT_CHROME_NAMES_H

#include "base/table.h"
#include "event/writer.h"

/* Starts from all zeros except for writer. */
struct tl_chrome_names {
	struct tl_writer *writer;
	struct tl_id_map processes;
	struct tl_id_map threads;
	struct tl_id_map sources; /* messages with their own thread */
	uint32_t *source_pids;    /* by number of a source */
	size_t source_capacity;
	struct tl_text scratch;
	bool follows; /* an event was written before */
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

/*
 * Append the first line without the $ of arguments, and without arguments that
 * only follow the text: "read: $size $from%s" becomes read.
 */
void tl_chrome_put_name(struct tl_text *text, const struct tl_message *message);

/*
 * Write the names of an event's process and thread that were not written yet,
 * and move an event of a source to the thread of the source.  0; 1: there are
 * too many sources, and the event stays on its own thread; -ENOMEM.
 */
int tl_chrome_names_put(struct tl_chrome_names *names, struct tl_event *event);
void tl_chrome_names_free(struct tl_chrome_names *names);

#endif
