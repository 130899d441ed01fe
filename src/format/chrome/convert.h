/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.h - a trace event of Chrome becomes events of a timeline, by phase.
 */
#ifndef TL_FORMAT_CHROME_CONVERT_H
#define TL_FORMAT_CHROME_CONVERT_H

#include "event/reader.h"
#include "format/chrome/message.h"
#include "format/chrome/spans.h"

/* Diagnostics about an event and about the file; read.c has the texts. */
enum {
	TL_CHROME_NOTE_NOT_EVENT,
	TL_CHROME_NOTE_PHASE,
	TL_CHROME_NOTE_TIME,
	TL_CHROME_NOTE_VALUE,
	TL_CHROME_NOTE_LARGE,
	TL_CHROME_NOTE_CUT_TEXT,
	TL_CHROME_NOTE_MANY,
	TL_CHROME_NOTE_JOINED,
	TL_CHROME_NOTE_IDS,
	TL_CHROME_NOTE_NO_DURATION,
	TL_CHROME_NOTE_FULL,
	TL_CHROME_NOTE_DAMAGE,
	TL_CHROME_NOTE_MEMBER,
	TL_CHROME_NOTE_METADATA,
	TL_CHROME_NOTE_OPEN,
	TL_CHROME_NOTE_CUT,
	TL_CHROME_NOTE_FORGOTTEN
};

/* Starts from all zeros except for notes and spans.sink. */
struct tl_chrome_convert {
	struct tl_notes *notes;
	struct tl_chrome_messages messages;
	struct tl_chrome_spans spans;
	struct tl_chrome_args args;
	struct tl_text instance;
	int64_t last_ns; /* time of the event before */
};

/* Make the parts of a convert: 0, -ENOMEM. */
int tl_chrome_convert_make(struct tl_chrome_convert *convert);
/*
 * Convert an event and keep the result: 0, -ENOMEM, -errno of the temporary
 * file.  finish passes all events on, spans.base_ns later: 0, -ENOMEM, -errno
 * of the sink or of the temporary file.
 */
int tl_chrome_convert(struct tl_chrome_convert *convert,
    struct tl_chrome_event *event);
int tl_chrome_convert_finish(struct tl_chrome_convert *convert);
void tl_chrome_convert_free(struct tl_chrome_convert *convert);

#endif
