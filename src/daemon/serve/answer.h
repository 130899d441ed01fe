/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.h - the answers to requests; http.h lists the paths.  answer.c knows
 * requests, but no connections.
 */
#ifndef TL_DAEMON_SERVE_ANSWER_H
#define TL_DAEMON_SERVE_ANSWER_H

#include "base/fault.h"
#include "base/text.h"
#include "daemon/daemon.h"
#include "daemon/disk/snapshots.h"
#include "daemon/serve/listen.h"
#include "daemon/target.h"
#include "event/cursor.h"
#include "format/html/summary.h"

#include <ev.h>
#include <microhttpd.h>
#include <stdbool.h>

/* == reading == */

/*
 * Answers that need the entries of a timeline.  A thread makes one answer after
 * another: an answer may take 0.2 s, and the loop, with triggers and metrics,
 * never waits for an answer.
 *
 *	loop: ask --> queue --> thread: copy the timeline, read it
 *	                           |
 *	loop: done <-- answered <--+
 *
 * The first reading starts the thread.  A reading belongs to the thread or list
 * that holds it; only the loop knows whether a request still waits for the
 * reading.
 */

struct tl_readings; /* all readings of a daemon */
struct tl_reading;  /* one reading */

/* The timeline to read, and the answer to make.  text is copied. */
struct tl_reading_plan {
	int fd;        /* of the timeline; duplicated */
	uint64_t tail; /* newest entries of each lane to read */
	const char *text;
	/* Write the answer in the thread, from a cursor that yields the oldest
	 * entry first.  Returns 0 or -errno. */
	int (*put)(struct tl_text *body, struct tl_cursor *cursor,
	    const struct tl_reading_plan *plan);
	size_t max;
	int64_t from_ns;
	int64_t to_ns;
	/* Called in the loop; done may take the body. */
	void (*done)(void *context, int rc, const struct tl_fault *fault,
	    struct tl_text *body);
	void *context;
};

/* Queue a reading; if *readings is NULL, the readings are made first.  Returns
 * 0, and done will be called; or -EAGAIN if too many readings wait, -ENOMEM or
 * -errno. */
int tl_reading_ask(struct tl_reading **reading, struct tl_readings **readings,
    struct ev_loop *loop, const struct tl_reading_plan *plan);
/* Make sure that done is not called any more. */
void tl_reading_cancel(struct tl_reading *reading);
/* Free the readings, after all were answered or cancelled.  Waits for the
 * current reading. */
void tl_readings_free(struct tl_readings *readings);

/* == request == */

/*
 * A snapshot that a user requested, over the socket or from the page.  The
 * snapshot is saved like any other, and the requester gets the result.
 */

/* A request, owned by the requester.  The request must not move until done was
 * called. */
struct tl_request {
	struct tl_daemon *daemon;
	tl_snapshot_done *done;
	void *context;
};

/* Queue a snapshot.  Returns 0, and done will be called; or -ENOENT without
 * such a timeline, -EBUSY, -EAGAIN, -EDQUOT after too many requests, or
 * -ENOTSUP if this daemon saves no snapshots. */
int tl_request_snapshot(struct tl_request *request, const char *name);
/* Make sure that done is not called any more. */
void tl_request_cancel(struct tl_request *request);
/* Set the fault for an error of tl_request_snapshot; of -ENOENT, with the
 * nearest name.  Returns rc. */
int tl_request_fault(const struct tl_daemon *daemon, const char *name, int rc,
    struct tl_fault *fault);
/* Put the result as a JSON object. */
void
tl_request_json(struct tl_text *text, const struct tl_snapshot_result *result);

/* == watch == */

/*
 * Count all entries of a timeline for the pages that show it.
 *
 * A watch starts with the first question and the entries that the timeline
 * holds then, reads each new entry once, and ends a minute after the last
 * question: a timeline that no page shows costs nothing.  A watch has a cursor
 * of its own, so that triggers and metrics do not wait for it.
 */

/* Append the answer of format/html/summary.h to text, and start a watch if
 * there is none.  The caller sets the ranges of the question.  Returns 0, or
 * -errno with a fault. */
int tl_watch_ask(struct tl_target *target, struct tl_text *text,
    struct tl_html_question question, struct tl_fault *fault);
/* End a target's watch, if it has one. */
void tl_watch_end(struct tl_target *target);

/* == answer == */

struct tl_http_request {
	/* Set by http.c: */
	struct tl_daemon *daemon;
	const struct tl_tcp_address *address;
	unsigned port;
	bool is_local; /* UNIX socket: needs no token */
	struct MHD_Connection *connection;
	/* Called when the answer of a suspended request is complete. */
	void (*resume)(struct tl_http_request *request);

	/* Set by tl_http_answer.  While answered is false, snapshot or reading
	 * is pending. */
	bool answered;
	unsigned status;
	const char *type;
	const char *allow; /* allowed methods, with status 405 */
	bool begins;       /* begins a session: set the cookie */
	struct tl_text body;
	struct tl_request snapshot;
	struct tl_reading *reading; /* NULL: no reading is pending */
};

/* The name of the cookie that holds the token.  Browsers do not separate
 * cookies by port, so the name contains the port. */
enum { TL_HTTP_COOKIE_MAX = 32 };
void tl_http_cookie_name(char name[TL_HTTP_COOKIE_MAX], unsigned port);

/* Answer a request, or begin to: then answered is false on return, and resume
 * is called later. */
void tl_http_answer(struct tl_http_request *request, const char *url,
    const char *method);
/* Make sure that resume is not called any more. */
void tl_http_cancel(struct tl_http_request *request);

#endif
