/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - find the events among the tokens of the file:
 *
 *	{"otherData":{"base_ns":"5"},"traceEvents":[ {event} , {event} ],
 *	                                            ^ list, at depth 2
 *	"beginningOfTime":7}
 *	[ {event} , {event}
 *	 ^ list, at depth 1
 */
#include "format/chrome/chrome.h"

#include "base/array.h"
#include "base/json.h"
#include "format/chrome/convert.h"

#include <errno.h>
#include <stdlib.h>

enum {
	/*
	 * After this many elements that are no events, and no event, the file
	 * is taken for another format.
	 */
	NOT_EVENTS_MAX = 64,
	/* Places of damage that are reported one by one. */
	DAMAGE_MAX = 8,
	BOM_SIZE = 3
};

static const char bom[BOM_SIZE + 1] = "\xef\xbb\xbf";

/* Members of the file; OTHER members are not read. */
enum { OTHER, EVENTS, OTHER_DATA, UNREAD };

/* Units of the members that give the base of all times. */
enum unit { NO_TIME, NANOSECONDS, MICROSECONDS };

static const struct {
	const char *key;
	uint8_t member;
	uint8_t base; /* enum unit: clang and PyTorch give the base */
} members[] = {
	{ "traceEvents", EVENTS, NO_TIME },
	{ "otherData", OTHER_DATA, NO_TIME },
	{ "beginningOfTime", OTHER, MICROSECONDS },
	{ "baseTimeNanoseconds", OTHER, NANOSECONDS },
	{ "systemTraceEvents", UNREAD, NO_TIME },
	{ "powerTraceAsString", UNREAD, NO_TIME },
	{ "samples", UNREAD, NO_TIME },
};

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[TL_CHROME_NOTE_NOT_EVENT] = { -EBADMSG, "not an event: skipped" },
	[TL_CHROME_NOTE_PHASE] = { -ENOTSUP,
	    "event of an unknown phase: left out" },
	[TL_CHROME_NOTE_LEFT] = { 0,
	    "memory dump, clock sync, context or link: left out" },
	[TL_CHROME_NOTE_TIME] = { -EBADMSG,
	    "time or duration is missing, bad or out of range" },
	[TL_CHROME_NOTE_VALUE] = { -EBADMSG,
	    "value is not a number: 0, or the counter is left out" },
	[TL_CHROME_NOTE_LARGE] = { -ENOSPC, "event is too large: left out" },
	[TL_CHROME_NOTE_CUT_TEXT] = { -ERANGE, "text is too long: cut" },
	[TL_CHROME_NOTE_MANY] = { -ENOSPC,
	    "event has too many arguments: some are left out" },
	[TL_CHROME_NOTE_JOINED] = { 0,
	    "event has more than four arguments: the last has the rest" },
	[TL_CHROME_NOTE_IDS] = { 0,
	    "process or thread is not a number of 32 bits: it is its name, "
	    "numbers begin at 1073741824" },
	[TL_CHROME_NOTE_NO_DURATION] = { 0,
	    "complete event without a duration: its span does not end" },
	[TL_CHROME_NOTE_FULL] = { -ENOSPC,
	    "too many different messages, texts or threads: left out" },
	[TL_CHROME_NOTE_DAMAGE] = { -EBADMSG,
	    "more places are not JSON: each is skipped to the next event" },
	[TL_CHROME_NOTE_MEMBER] = { 0,
	    "member of the file with events of another kind: left out" },
	[TL_CHROME_NOTE_METADATA] = { 0,
	    "metadata beside the names of processes and threads: left out" },
	[TL_CHROME_NOTE_OPEN] = { 0, "the list of events does not end" },
	[TL_CHROME_NOTE_CUT] = { -EBADMSG, "the end of the file is missing" },
	[TL_CHROME_NOTE_FORGOTTEN] = { -ENOSPC,
	    "more than 262144 spans are open at once: the span does not end; "
	    "complete events (X) have no such limit" },
};

struct chrome_read {
	struct tl_reader reader; /* first: callers see the reader */
	const struct tl_report *report;
	struct tl_json json;
	struct tl_chrome_event event;
	struct tl_chrome_convert convert;
	struct tl_notes notes;
	unsigned list; /* depth of the list of events; 0: outside */
	unsigned member;
	unsigned damages;
	unsigned bom_at; /* bytes of the byte order mark so far */
	uint64_t fed;
	uint64_t not_events;
	bool in_event;
	uint8_t base;  /* enum unit of the next value */
	bool has_base; /* the first base counts */
	bool had_list; /* the format is this one */
	bool had_event;
	bool done; /* the rest is ignored */
};

static int
refuse(struct chrome_read *r, uint64_t at)
{
	tl_report_write(r->report, -EBADMSG, at, "not Chrome trace events");
	return -EBADMSG;
}

/* Note an element of the list that is no event. */
static int
note_not_event(struct chrome_read *r, uint64_t at)
{
	tl_note(&r->notes, TL_CHROME_NOTE_NOT_EVENT, at);
	if (r->had_event || ++r->not_events < NOT_EVENTS_MAX)
		return 0;
	return refuse(r, at);
}

/* Convert the event that was just taken. */
static int
end_event(struct chrome_read *r)
{
	const struct tl_chrome_event *e = &r->event;

	r->in_event = false;
	if (e->is_empty &&
	    !e->too_large) /* some writers end the list with {} */
		return 0;
	if (!e->too_large && e->field[TL_CHROME_PH].kind == 0)
		return note_not_event(r, e->at);
	r->had_event = true;
	return tl_chrome_convert(&r->convert, &r->event);
}

/* Take a token of the list of events. */
static int
take_in_list(struct chrome_read *r, int kind, const struct tl_json_token *token)
{
	const unsigned depth = r->json.depth;
	int rc;

	if (!r->in_event && depth < r->list) {
		r->list = 0;
		return 0;
	}
	if (depth == r->list + 1 && kind == TL_JSON_OBJECT)
		r->in_event = true;
	if (r->in_event) {
		rc = tl_chrome_event_take(&r->event, kind, token,
		    depth - r->list);
		return rc == 1 ? end_event(r) : rc;
	}
	if ((depth == r->list && kind != TL_JSON_ARRAY_END) ||
	    (depth == r->list + 1 && kind == TL_JSON_ARRAY))
		return note_not_event(r, token->at);
	return 0; /* inside an element that is no event */
}

/* Take a token outside of the list: its begin, or the base of all times. */
static int
take_outside_list(struct chrome_read *r, int kind,
    const struct tl_json_token *token)
{
	const unsigned depth = r->json.depth;
	const uint8_t base = r->base;
	int64_t base_ns;

	if (depth == 0 && kind != TL_JSON_OBJECT_END &&
	    kind != TL_JSON_ARRAY_END)
		return r->had_list ? note_not_event(r, token->at)
				   : refuse(r, token->at);
	if (kind == TL_JSON_ARRAY &&
	    (depth == 1 || (depth == 2 && r->member == EVENTS))) {
		r->list = depth;
		r->had_list = true;
		return 0;
	}
	r->base = NO_TIME;
	if (kind == TL_JSON_KEY && depth == 1) {
		r->member = OTHER;
		for (size_t i = 0; i < TL_COUNT(members); i++) {
			if (tl_bytes_are(token->text, members[i].key)) {
				r->member = members[i].member;
				r->base = members[i].base;
			}
		}
		if (r->member == UNREAD)
			tl_note(&r->notes, TL_CHROME_NOTE_MEMBER, token->at);
	} else if (kind == TL_JSON_KEY && depth == 2) {
		if (r->member == OTHER_DATA &&
		    tl_bytes_are(token->text, TL_CHROME_BASE))
			r->base = NANOSECONDS;
	} else if (base != NO_TIME &&
		   (kind == TL_JSON_STRING || kind == TL_JSON_NUMBER)) {
		if (tl_json_scaled(token->text, base == MICROSECONDS ? 3 : 0,
			&base_ns) < 0) {
			tl_note(&r->notes, TL_CHROME_NOTE_TIME, token->at);
		} else if (!r->has_base) {
			r->convert.spans.base_ns = base_ns;
			r->has_base = true;
		}
	}
	return 0;
}

/*
 * Report bytes that are no JSON and continue at the next event, or report in
 * which part the input ended early.
 */
static int
take_damage(struct chrome_read *r)
{
	const uint64_t at = r->json.wrong_at;

	if (!r->had_list)
		return refuse(r, at);
	if (r->json.finished) {
		r->done = true;
		tl_note(&r->notes,
		    r->list > 0 && !r->in_event ? TL_CHROME_NOTE_OPEN
						: TL_CHROME_NOTE_CUT,
		    r->in_event ? r->event.at : at);
		return 0;
	}
	r->in_event = false;
	r->done = r->list == 0;
	if (r->damages++ < DAMAGE_MAX)
		tl_report_write(r->report, -EBADMSG, at, "%s: %s", r->json.why,
		    r->done ? "the rest is not read" : "on to the next event");
	else
		tl_note(&r->notes, TL_CHROME_NOTE_DAMAGE, at);
	if (!r->done)
		tl_json_recover(&r->json, r->list);
	return 0;
}

/* Take all tokens of the input so far. */
static int
drain(struct chrome_read *r)
{
	struct tl_json_token token;
	int kind = TL_JSON_MORE, rc = 0;

	while (rc == 0 && !r->done) {
		/*
		 * Take events by the fast path where an event can follow a
		 * token of this kind; after damage, no event can.
		 */
		while (kind > 0 && r->list > 0 && !r->in_event &&
		       r->json.depth == r->list &&
		       (rc = tl_chrome_scan(&r->json, &r->event)) != 0) {
			if (rc < 0 || (rc = end_event(r)) < 0)
				return rc;
		}
		kind = tl_json_next(&r->json, &token);
		if (kind == TL_JSON_MORE || kind == TL_JSON_END)
			return 0;
		if (kind == -EBADMSG)
			rc = take_damage(r);
		else if (kind < 0)
			rc = kind;
		else if (r->list > 0)
			rc = take_in_list(r, kind, &token);
		else
			rc = take_outside_list(r, kind, &token);
	}
	return rc;
}

static int
chrome_feed(struct tl_reader *reader, struct tl_bytes piece)
{
	struct chrome_read *r = (void *)reader;

	/* some editors write a byte order mark */
	while (r->fed == r->bom_at && r->bom_at < BOM_SIZE && piece.size > 0 &&
	       piece.data[0] == bom[r->bom_at]) {
		r->bom_at++;
		r->fed++;
		r->json.before++;
		piece.data++;
		piece.size--;
	}
	r->fed += piece.size;
	if (r->done || piece.size == 0)
		return 0;
	tl_json_feed(&r->json, piece);
	return drain(r);
}

static int
chrome_finish(struct tl_reader *reader)
{
	struct chrome_read *r = (void *)reader;
	int rc = 0;

	if (!r->done) {
		tl_json_finish(&r->json);
		rc = drain(r);
	}
	if (rc == 0 && r->fed > 0 &&
	    (!r->had_list || (r->not_events > 0 && !r->had_event)))
		rc = refuse(r, 0);
	if (rc == 0)
		rc = tl_chrome_spans_finish(&r->convert.spans);
	if (rc == 0)
		tl_notes_report(&r->notes, r->report);
	return rc;
}

static void
chrome_free(struct tl_reader *reader)
{
	struct chrome_read *r = (void *)reader;

	tl_json_free(&r->json);
	tl_chrome_event_free(&r->event);
	tl_chrome_convert_free(&r->convert);
	free(r);
}

int
tl_chrome_read_new(struct tl_reader **reader, struct tl_sink *sink,
    const struct tl_report *report)
{
	struct chrome_read *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return -ENOMEM;
	r->reader = (struct tl_reader){ .feed = chrome_feed,
		.finish = chrome_finish,
		.free = chrome_free };
	r->report = report;
	r->notes.kinds = kinds;
	r->convert.notes = &r->notes;
	r->event.memory = malloc(TL_CHROME_EVENT_MAX);
	rc = r->event.memory ? tl_chrome_convert_make(&r->convert, sink)
			     : -ENOMEM;
	if (rc < 0)
		chrome_free(&r->reader);
	else
		*reader = &r->reader;
	return rc;
}

static bool
has(struct tl_bytes bytes, const char *what)
{
	return bytes.size > 0 &&
	       memmem(bytes.data, bytes.size, what, strlen(what)) != NULL;
}

/* Recognise an object with known members, or a list of events. */
unsigned
tl_chrome_recognise(struct tl_bytes first)
{
	static const char *const others[] = { "\"displayTimeUnit\"",
		"\"systemTraceEvents\"", "\"stackFrames\"",
		"\"beginningOfTime\"", "\"baseTimeNanoseconds\"",
		"\"deviceProperties\"" };

	if (first.size >= BOM_SIZE && memcmp(first.data, bom, BOM_SIZE) == 0)
		first = tl_bytes(first.data + BOM_SIZE, first.size - BOM_SIZE);
	while (first.size > 0 && strchr(" \t\r\n", first.data[0]) != NULL &&
	       first.data[0] != '\0') {
		first.data++;
		first.size--;
	}
	if (first.size == 0 || (first.data[0] != '{' && first.data[0] != '['))
		return 0;
	if (first.data[0] == '[')
		return has(first, "\"ph\"") ? 85 : 0;
	if (has(first, "\"traceEvents\""))
		return 95;
	for (size_t i = 0; i < TL_COUNT(others); i++) {
		if (has(first, others[i]))
			return 50;
	}
	return 0;
}
