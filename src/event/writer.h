/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.h - the buffered output of a writer, and the frame of all writers.
 */
#ifndef TL_EVENT_WRITER_H
#define TL_EVENT_WRITER_H

#include "base/text.h"
#include "event/hosts/origin.h"
#include "event/names.h"
#include "event/reader.h"

#include <stdbool.h>

enum { TL_OUT_SIZE_MAX = 64 << 10 };

/* Take size bytes.  Returns 0, or -errno to stop. */
typedef int tl_write(void *context, const char *data, size_t size);

struct tl_out {
	struct tl_text text;
	tl_write *write;
	void *context;
};

/* Pass all text on.  Returns 0, -ENOMEM if some text is missing, or the result
 * of write. */
static inline int
tl_out_flush(struct tl_out *out)
{
	int rc = out->text.rc;

	if (rc == 0 && out->text.size > 0)
		rc = out->write(out->context, out->text.data, out->text.size);
	tl_text_clear(&out->text);
	return rc;
}

/* Pass the text on if it is at least TL_OUT_SIZE_MAX bytes. */
static inline int
tl_out_flush_full(struct tl_out *out)
{
	if (out->text.size < TL_OUT_SIZE_MAX && out->text.rc == 0)
		return 0;
	return tl_out_flush(out);
}

/*
 * == writer ==
 *
 * A writer of a format: events in, oldest first unless its file states another
 * order; bytes out in large pieces.  Every writer begins with struct tl_writer.
 *
 *	struct my_writer { struct tl_writer writer; ... own ... };
 *	tl_writer_make(sizeof(struct my_writer), &my_kind, ...)
 */

struct timeline_knot;
struct tl_observed_start;
struct tl_host_pids;
struct tl_snap;
struct tl_span;
struct tl_spans;
struct tl_writer;

/* The functions of a writer of one format. */
struct tl_writer_kind {
	/* Write one event into out.text; the frame passes the text on.  Returns
	 * 0 or -errno. */
	int (*put)(struct tl_writer *writer, const struct tl_event *event);
	/* Write the text before the first event, and after the last; either may
	 * be NULL.  The frame calls both even if there are no events. */
	int (*begin)(struct tl_writer *writer);
	int (*end)(struct tl_writer *writer);
	/* The kinds of writer->notes; the frame reports the notes after end.
	 * NULL: the writer has none. */
	const struct tl_note_kind *notes;
	/* Free the writer's own parts; may be NULL. */
	void (*free)(struct tl_writer *writer);
	/* The writer needs spans: writer->span is set for each event. */
	bool pairs;
	/* Write a begin that has no end: it is cut, it is still open after the
	 * last event, or the begins that are open became too many.  NULL: put
	 * has written the begin. */
	int (*put_lonely)(struct tl_writer *writer, const struct tl_span *span);
	/* The format knows processes by their id alone: processes of several
	 * hosts get distinct ids (struct tl_host_pids). */
	bool is_of_one_machine;
	/* Set the one setting of this format, before the first event; the
	 * format's header describes the setting.  NULL: the format has no
	 * setting. */
	void (*set)(struct tl_writer *writer, int value);
	/* All events come from this snapshot and from further snapshots that
	 * are set, and none from elsewhere.  Called before the first event; the
	 * snapshot outlives the writer.  Returns 0 or -ENOMEM.  NULL: the
	 * writer does not use snapshots. */
	int (*set_snap)(struct tl_writer *writer, const struct tl_snap *snap);
	/* A source of this number defines a message, which may have no event.
	 * Called before the first event; the message outlives the writer.
	 * Returns 0 or -ENOMEM.  NULL: messages without events are not
	 * written. */
	int (*set_message)(struct tl_writer *writer, uint32_t source,
	    const struct tl_message *message);
};

/* Properties of all events, set before the first event.  The caller keeps what
 * the pointers name. */
struct tl_writer_facts {
	struct tl_origin origin; /* of all events; unknown unless set */
	const char *title;       /* of a page or picture; may be NULL */
	/* The origin of each source, by number; NULL: unknown. */
	const struct tl_origin *sources;
	size_t source_count;
	bool may_be_several; /* sources of other hosts may come later */
	bool says_origin;    /* per event, also for one timeline */
	/* The clock, if all events belong to one timeline: */
	const struct timeline_knot *knots;
	size_t knot_count;
	/* What was observed before the first event; NULL: not known. */
	const struct tl_observed_start *observed;
};

struct tl_writer {
	struct tl_sink sink; /* first: callers hold a pointer to it */
	struct tl_out out;
	const struct tl_writer_kind *kind;
	/* Takes reports of events and fields that the format cannot hold. */
	const struct tl_report *report;
	struct tl_notes notes;
	uint64_t begun;
	struct tl_writer_facts facts;
	struct tl_host_pids *pids; /* NULL: pids as on their hosts */
	struct tl_names names;     /* kept by tl_writer_name */
	/* If the kind pairs: the spans, and the span that the event which is
	 * put has ended; NULL: none. */
	struct tl_spans *spans;
	struct tl_span *span;
};

/* Make a writer of size bytes, all zeros after the frame.  Returns 0 or
 * -ENOMEM. */
int tl_writer_make(struct tl_writer **writer, size_t size,
    const struct tl_writer_kind *kind, tl_write *write, void *context,
    const struct tl_report *report);
/* The facts of a writer that has not begun, for the caller to set. */
struct tl_writer_facts *tl_writer_facts(struct tl_writer *writer);
/* Set the origin of each source by its number.  The caller keeps sources. */
static inline void
tl_writer_set_sources(struct tl_writer *writer, const struct tl_origin *sources,
    size_t count)
{
	tl_writer_facts(writer)->sources = sources;
	tl_writer_facts(writer)->source_count = count;
}
/* The origin of an event, never NULL. */
const struct tl_origin *
tl_writer_source(const struct tl_writer *writer, const struct tl_event *event);
/* Keep the names of the thread and process of an event that is put.  One call
 * for each thread is enough.  Returns 0 or -ENOMEM. */
int tl_writer_name(struct tl_writer *writer, const struct tl_event *event);
/* Set the setting of the format, which must have one. */
static inline void
tl_writer_set(struct tl_writer *writer, int value)
{
	writer->kind->set(writer, value);
}
/* Free a writer before the sources of its events close.  NULL does nothing. */
void tl_writer_free(struct tl_writer *writer);

/* The function that makes a writer of a stream of bytes. */
typedef int tl_writer_new(struct tl_writer **writer, tl_write *write,
    void *context, const struct tl_report *report);
/* The function that makes a writer of a file or directory at path, which must
 * not exist. */
typedef int tl_writer_at(struct tl_writer **writer, const char *path,
    const struct tl_report *report);

#endif
