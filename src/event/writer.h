/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.h - what a writer has ready, handed on in large pieces.
 */
#ifndef TL_EVENT_WRITER_H
#define TL_EVENT_WRITER_H

#include "base/text.h"
#include "event/hosts/origin.h"
#include "event/names.h"
#include "event/reader.h"

#include <stdbool.h>

enum { TL_OUT_SIZE_MAX = 64 << 10 };

/* Take size bytes: 0, or -errno to stop. */
typedef int tl_write(void *context, const char *data, size_t size);

struct tl_out {
	struct tl_text text;
	tl_write *write;
	void *context;
};

/* Pass all text on.  0; -ENOMEM: some text is missing; or the result of
 * write. */
static inline int
tl_out_flush(struct tl_out *out)
{
	int rc = out->text.rc;

	if (rc == 0 && out->text.size > 0)
		rc = out->write(out->context, out->text.data, out->text.size);
	tl_text_clear(&out->text);
	return rc;
}

/* Hand it on if it is worth it. */
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
 * a writer of a format: events in, oldest first unless its file states another
 * order, bytes out in large pieces.  Every writer begins with this struct.
 *
 *	struct my_writer { struct tl_writer writer; ... own ... };
 *	tl_writer_make(sizeof(struct my_writer), &my_kind, ...)
 */

struct timeline_knot;
struct tl_host_pids;
struct tl_snap;
struct tl_writer;

/* The functions of a writer of one format. */
struct tl_writer_kind {
	/* Write one event into out.text; the frame hands it on.  0, -errno. */
	int (*put)(struct tl_writer *writer, const struct tl_event *event);
	/* Write the text before the first event, and after the last; either may
	 * be NULL.  Both are called even if there are no events. */
	int (*begin)(struct tl_writer *writer);
	int (*end)(struct tl_writer *writer);
	/* Free its own parts; may be NULL. */
	void (*free)(struct tl_writer *writer);
	/* It knows processes by their id alone: of several hosts they get ids
	 * that differ (struct tl_host_pids). */
	bool is_of_one_machine;
	/* The one setting that this format has, before the first event, as its
	 * header describes it.  NULL: it has none. */
	void (*set)(struct tl_writer *writer, int value);
	/* All events come from this snapshot, or from this and others that are
	 * set, too; none from elsewhere.  Before the first event; the snapshot
	 * outlives the writer.  0, -ENOMEM.  NULL: it makes no difference. */
	int (*set_snap)(struct tl_writer *writer, const struct tl_snap *snap);
	/* A source of this number defines a message, of which there may be no
	 * event.  Before the first event; the message outlives the writer.  0,
	 * -ENOMEM.  NULL: such messages are not written. */
	int (*set_message)(struct tl_writer *writer, uint32_t source,
	    const struct tl_message *message);
};

struct tl_writer {
	struct tl_sink sink; /* first: what callers put events into */
	struct tl_out out;
	const struct tl_writer_kind *kind;
	/* of events and fields that the format cannot hold */
	const struct tl_report *report;
	uint64_t begun;
	/* Properties of all events, known before the first of them: */
	struct tl_origin origin;
	const char *title; /* of a page or picture; NULL: none */
	/* properties of each source, by number; NULL: unknown */
	const struct tl_origin *sources;
	size_t source_count;
	bool may_be_several;       /* hosts, as sources come while it runs */
	bool says_origin;          /* with each event, also of one timeline */
	struct tl_host_pids *pids; /* NULL: as their hosts have them */
	struct tl_names names;     /* that tl_writer_name has kept */
	/* The clock, where all events are of one timeline: */
	const struct timeline_knot *knots;
	size_t knot_count;
};

/* A writer of size bytes (all zeros behind the frame).  0, -ENOMEM. */
int tl_writer_make(struct tl_writer **writer, size_t size,
    const struct tl_writer_kind *kind, tl_write *write, void *context,
    const struct tl_report *report);
/* Where its events come from; unknown unless it is set. */
void
tl_writer_set_origin(struct tl_writer *writer, const struct tl_origin *origin);
/* The same of each source by its number; they stay the caller's. */
void tl_writer_set_sources(struct tl_writer *writer,
    const struct tl_origin *sources, size_t count);
/* The knots of the one clock that all stamps count; stay the caller's. */
void tl_writer_set_knots(struct tl_writer *writer,
    const struct timeline_knot *knots, size_t count);
/* The origin of an event: never NULL. */
const struct tl_origin *
tl_writer_source(const struct tl_writer *writer, const struct tl_event *event);
/* Keep in names what the thread and process of an event are called that is put:
 * once for each thread will do.  0, -ENOMEM. */
int tl_writer_name(struct tl_writer *writer, const struct tl_event *event);
/* The setting of its format, which must have one. */
static inline void
tl_writer_set(struct tl_writer *writer, int value)
{
	writer->kind->set(writer, value);
}
/* The title, which stays the caller's. */
void tl_writer_set_title(struct tl_writer *writer, const char *title);
/* Before the sources of its events close.  NULL does nothing. */
void tl_writer_free(struct tl_writer *writer);

/* Every writer's way to be made: of one that writes a stream of bytes, ... */
typedef int tl_writer_new(struct tl_writer **writer, tl_write *write,
    void *context, const struct tl_report *report);
/* The same for a writer that makes a file or directory at path, which must not
 * exist. */
typedef int tl_writer_at(struct tl_writer **writer, const char *path,
    const struct tl_report *report);

#endif
