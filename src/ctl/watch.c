/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - show the newest ten entries, then entries as they are logged.
 */
#include "base/process.h"
#include "ctl/ctl.h"
#include "ctl/table.h"
#include "event/render.h"
#include "format/jsonl/jsonl.h"
#include "snap/snap.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

enum {
	SHOWN_FIRST = 10,
	ROUND_MS = 50,
	WIDTH_CATEGORY = TL_CATEGORY_WIDTH,
	OUT_MAX = 64 << 10 /* written at once */
};

/* The earlier entries that are shown. */
struct tail {
	struct tl_event events[SHOWN_FIRST];
	uint64_t count; /* of all that were read */
};

struct watch {
	struct tl_call *call;
	struct tl_cursor *cursor;
	struct tl_writer *json; /* NULL: text */
	struct tl_time_cache time_cache;
	bool color;
	uint64_t left; /* entries still to show */
};

static int
write_json(void *context, const char *data, size_t size)
{
	struct tl_call *call = context;

	tl_put_bytes(&call->out, tl_bytes(data, size));
	return call->out.rc;
}

static void
put_line(struct watch *w, const struct tl_event *event)
{
	struct tl_text *text = &w->call->out;
	const char *color = w->color ? tl_level_color(event->level) : "";
	size_t start;

	tl_put_string(text, color);
	tl_put_time_cached(text, &w->time_cache, event->ns);
	tl_put_char(text, ' ');
	start = text->size;
	if (event->message)
		tl_put_plain(text, event->message->category);
	tl_cell_end(text, start, WIDTH_CATEGORY, false);
	tl_render_line(text, event);
	if (color[0])
		tl_put_string(text, "\033[0m");
	tl_put_char(text, '\n');
}

static int
put(struct watch *w, const struct tl_event *event)
{
	if (w->json)
		return w->json->sink.put(&w->json->sink, event);
	put_line(w, event);
	return w->call->out.rc;
}

static int
flush(struct watch *w)
{
	int rc = w->json ? w->json->sink.finish(&w->json->sink) : 0;

	return rc < 0 ? rc : tl_call_flush(w->call);
}

/* Show the newest entries of all lanes. */
static int
show_first(struct watch *w, uint64_t wanted)
{
	struct tail tail = { .count = 0 };
	struct tl_event event;
	int rc;

	while ((rc = tl_cursor_next(w->cursor, &event)) > 0 &&
	       !tl_stop_is_asked()) {
		if (event.kind != TL_LOST)
			tail.events[tail.count++ % SHOWN_FIRST] = event;
	}
	if (rc > 0) /* interrupted */
		return 0;
	if (wanted > tail.count)
		wanted = tail.count;
	for (uint64_t i = tail.count - wanted; rc == 0 && i < tail.count; i++) {
		rc = put(w, &tail.events[i % SHOWN_FIRST]);
		w->left--;
	}
	return rc;
}

/* Show new entries.  0: all were shown; 1: the wanted number was shown. */
static int
drain(struct watch *w)
{
	struct tl_event event;
	int rc;

	while (!tl_stop_is_asked() && w->left > 0) {
		rc = tl_cursor_next(w->cursor, &event);
		if (rc <= 0)
			return rc;
		if ((rc = put(w, &event)) < 0)
			return rc;
		w->left -= event.kind != TL_LOST;
		if (w->call->out.size > OUT_MAX && (rc = flush(w)) < 0)
			return rc;
	}
	return 1;
}

static int
run(struct watch *w, const struct tl_name *name)
{
	struct pollfd reader = { .fd = STDOUT_FILENO };
	int flush_rc, rc;

	do {
		rc = drain(w);
		flush_rc = flush(w);
		if (flush_rc < 0) /* the reader left, or the disk is full */
			return flush_rc;
		if (rc == -EPIPE)
			return tl_call_removed(w->call, name);
		if (rc < 0)
			return tl_call_fail(w->call, name->shown, rc,
			    "following it failed");
	} while (
	    rc == 0 && poll(&reader, 1, ROUND_MS) <= 0 && !tl_stop_is_asked());
	return 0;
}

static int
open_all(struct watch *w, const struct tl_name *name)
{
	struct tl_fault fault = { 0 };
	const uint64_t first = w->left < SHOWN_FIRST ? w->left : SHOWN_FIRST;
	const int fd = tl_call_open(w->call, name);
	int rc;

	if (fd < 0)
		return fd;
	rc = tl_follow_open_fd(&w->cursor, fd, first, &fault);
	close(fd);
	if (rc != 0)
		return tl_call_fault(w->call, name->shown, rc, &fault);
	if (tl_call_has(w->call, TL_CTL_JSON))
		rc = tl_jsonl_write_new(&w->json, write_json, w->call, NULL);
	return rc == 0 ? show_first(w, first) : rc;
}

int
tl_verb_watch(struct tl_call *call)
{
	struct watch w = { .call = call,
		.left = UINT64_MAX,
		.color = tl_terminal_wants_color(STDOUT_FILENO) };
	struct tl_name name;
	int rc = tl_call_name(call, 0, &name);

	if (rc != 0 || (rc = tl_call_number(call, TL_CTL_COUNT, 1, UINT64_MAX,
			    &w.left)) != 0)
		return rc;
	tl_signals_ask_to_stop(false);
	rc = open_all(&w, &name);
	if (rc == 0)
		rc = run(&w, &name);
	tl_writer_free(w.json);
	tl_cursor_close(w.cursor);
	return rc;
}
