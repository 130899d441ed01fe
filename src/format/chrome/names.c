/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - the rows of spans, and one line for each name:
 *
 *	{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{...}}
 */
#include "format/chrome/line.h"

#include "base/array.h"
#include "event/hosts/hosts.h"
#include "format/chrome/chrome.h"
#include "format/label.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

enum {
	/* Lanes of a thread or a source. */
	LANES_MAX = 1024,
	/* Spans of a lane that are kept: of more, the older half counts as one
	 * span. */
	LANE_SPANS_MAX = 1 << 14
};

static bool
is_of_source(const struct tl_event *event)
{
	return event->message->scope == TIMELINE_SOURCE &&
	       (event->kind == TL_BEGIN || event->kind == TL_END);
}

/* The first of the arguments that only follow the text: ": $a $b". */
static unsigned
first_behind(const struct tl_message *message)
{
	const struct tl_bytes between = tl_bytes_of(" ");
	unsigned i = message->argc;
	struct tl_bytes before;

	if (message->after.size > 0)
		return message->argc;
	while (i > 0 && tl_bytes_equal(message->args[i - 1].before, between))
		i--;
	if (i == 0)
		return message->argc;
	before = message->args[--i].before;
	if (before.size < 2 || (before.size == 2 && i == 0) ||
	    memcmp(before.data + before.size - 2, ": ", 2) != 0)
		return message->argc;
	return i;
}

void
tl_chrome_put_name(struct tl_text *text, const struct tl_event *event)
{
	const unsigned behind = first_behind(event->message);
	struct tl_message message = *event->message;
	struct tl_event shorter = *event;
	struct tl_text name = { 0 };

	if (behind < message.argc) {
		message.argc = (uint8_t)behind;
		message.after = message.args[behind].before;
		message.after.size -= 2;
	}
	shorter.message = &message;
	tl_label_put(&name, &shorter);
	tl_put_json(text, tl_text_bytes(&name));
	if (name.rc < 0)
		text->rc = name.rc;
	tl_text_free(&name);
}

/* Begin a line with a name of a row of a thread; the caller ends the line. */
static void
open_line(struct tl_chrome_names *names, const char *name, uint32_t pid,
    uint32_t tid, uint32_t row)
{
	struct tl_text *text = &names->writer->out.text;
	char *to = tl_text_reserve(text, 2);

	if (!to)
		return;
	text->size += (size_t)(tl_chrome_comma(names, to) - to);
	tl_put_format(text, "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u", pid, row);
	if (row != tid)
		tl_put_format(text, ",\"" TL_CHROME_LANE_OF "\":%u", tid);
	tl_put_format(text, ",\"name\":\"%s\",\"args\":{", name);
}

/* Append a member of args; lead precedes the text of the member. */
static void
put_member(struct tl_text *text, const char *lead, struct tl_bytes value)
{
	tl_put_string(text, lead);
	tl_put_json(text, value);
	tl_put_char(text, '"');
}

static void
name_process(struct tl_chrome_names *names, uint32_t pid)
{
	struct tl_writer *writer = names->writer;
	const struct tl_host_pid own = tl_host_pids_get(writer->pids, pid);
	const char *machine =
	    own.host ? own.host : writer->facts.origin.machine;
	struct tl_text *text = &writer->out.text;
	uint32_t number;

	if (tl_id_map_get(&names->processes, (struct tl_id_key){ pid, 0 },
		&number) != 1)
		return;
	open_line(names, TL_CHROME_PROCESS, pid, pid, pid);
	tl_text_clear(&names->scratch);
	tl_host_pids_name(writer, pid, "", &names->scratch);
	put_member(text, "\"name\":\"", tl_text_bytes(&names->scratch));
	tl_put_string(text, "}}");
	if (machine[0] != '\0') {
		open_line(names, "process_labels", pid, pid, pid);
		put_member(text, "\"labels\":\"", tl_bytes_of(machine));
		tl_put_string(text, "}}");
	}
	open_line(names, "process_sort_index", pid, pid, pid);
	tl_put_format(text, "\"sort_index\":%u}}", number);
}

/*
 * Name a row of the thread of an event, or of the source that the event was
 * moved to: the thread itself or a lane.
 */
static void
name_row(struct tl_chrome_names *names, const struct tl_event *event,
    uint32_t row)
{
	const uint32_t pid = event->pid, tid = event->tid;
	const uint32_t number = TL_CHROME_SOURCE_TID - tid;
	const bool is_main =
	    tl_host_pids_get(names->writer->pids, pid).pid == tid;
	struct tl_text *text = &names->writer->out.text;
	const struct tl_bytes name =
	    tl_names_thread(&names->writer->names, pid, tid);
	const bool of_source =
	    is_of_source(event) && number < names->sources.count;

	open_line(names, TL_CHROME_THREAD, pid, tid, row);
	tl_put_string(text, "\"name\":\"");
	if (of_source)
		tl_chrome_put_name(text, event);
	else if (name.size > 0)
		tl_put_json(text, name);
	else
		tl_put_format(text, "%s %u", is_main ? "main" : "thread", tid);
	tl_put_string(text, "\"}}");
	open_line(names, "thread_sort_index", pid, tid, row);
	if (of_source)
		tl_put_format(text, "\"sort_index\":%d}}", -(int)number - 1);
	else
		tl_put_format(text, "\"sort_index\":%u}}", is_main ? 0 : tid);
}

/*
 * Move an event of a source to the thread of the source, and name a new source
 * in the process that used the source first, before the threads of the process:
 * 0; -ENOSPC: too many sources; -ENOMEM.
 */
static int
to_source(struct tl_chrome_names *names, struct tl_event *event)
{
	const struct tl_id_key key = { (uintptr_t)event->message, 0 };
	uint32_t number;
	int rc = tl_id_map_get(&names->sources, key, &number);
	const bool is_new = rc == 1;

	if (rc < 0)
		return rc;
	if (is_new) {
		rc = TL_ARRAY_ZEROS(names->source_pids, names->source_capacity,
		    number);
		if (rc < 0 || (rc = tl_writer_name(names->writer, event)) < 0)
			return rc;
		names->source_pids[number] = event->pid;
		name_process(names, event->pid);
	}
	event->pid = names->source_pids[number];
	event->tid = TL_CHROME_SOURCE_TID - number;
	if (is_new)
		name_row(names, event, event->tid);
	return 0;
}

int
tl_chrome_names_put(struct tl_chrome_names *names, struct tl_event *event)
{
	struct tl_id_key key;
	uint32_t number;
	int rc;

	if (is_of_source(event)) {
		rc = to_source(names, event);
		if (rc != -ENOSPC)
			return rc;
		tl_note(&names->writer->notes, TL_CHROME_SOURCES,
		    TL_FAULT_NOWHERE);
	}
	key = (struct tl_id_key){ event->pid, event->tid };
	if (tl_id_map_get(&names->threads, key, &number) != 1)
		return 0;
	if ((rc = tl_writer_name(names->writer, event)) < 0)
		return rc;
	name_process(names, event->pid);
	name_row(names, event, event->tid);
	return 0;
}

int
tl_chrome_lane(struct tl_chrome_names *names, const struct tl_event *begin,
    int64_t to_ns, uint32_t *tid)
{
	const uint64_t track = (uint64_t)begin->pid << 32 | begin->tid;
	const int64_t from_ns = begin->ns;

	*tid = begin->tid;
	for (unsigned n = 0; n < LANES_MAX; n++) {
		struct tl_chrome_lane *lane;
		uint32_t number;
		size_t at;
		const int rc = TL_ID_MAP_ROOM(&names->lanes,
		    ((struct tl_id_key){ track, n }), &number, names->drawn,
		    names->drawn_capacity);

		if (rc == -ENOSPC)
			break;
		if (rc < 0)
			return rc;
		lane = &names->drawn[number];
		if (rc == 1 && n > 0)
			name_row(names, begin, TL_CHROME_LANE_TID - number);

		/*
		 * The spans from at on must lie within, those before must end
		 * before.  Open spans are the last and nest.
		 */
		TL_SEARCH(at, (size_t)0, lane->count,
		    lane->spans[at].from_ns < from_ns);
		if ((at > 0 && lane->spans[at - 1].to_ns > from_ns) ||
		    (at < lane->count &&
			lane->spans[lane->count - 1].to_ns > to_ns))
			continue;
		if (n > 0)
			*tid = TL_CHROME_LANE_TID - number;
		if (to_ns == INT64_MAX)
			return 0;
		if (at == LANE_SPANS_MAX) {
			at /= 2;
			lane->spans[0].to_ns = lane->spans[at - 1].to_ns;
			memmove(lane->spans + 1, lane->spans + at,
			    at * sizeof(*lane->spans));
			at++;
		}
		if (TL_ARRAY_ROOM(lane->spans, lane->capacity, at) < 0)
			return -ENOMEM;
		lane->spans[at] = (struct tl_chrome_drawn){ from_ns, to_ns };
		lane->count = at + 1;
		return 0;
	}
	tl_note(&names->writer->notes, TL_CHROME_LANES, TL_FAULT_NOWHERE);
	return 0;
}

void
tl_chrome_names_free(struct tl_chrome_names *names)
{
	tl_id_map_free(&names->processes);
	tl_id_map_free(&names->threads);
	tl_id_map_free(&names->sources);
	tl_id_map_free(&names->lanes);
	free(names->source_pids);
	for (size_t i = 0; i < names->drawn_capacity; i++)
		free(names->drawn[i].spans);
	free(names->drawn);
	tl_text_free(&names->scratch);
}
