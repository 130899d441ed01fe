/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.h - how a trace event of Chrome becomes events of a timeline.
 *
 *	read.c		event.c		convert.c	spans.c
 *	tokens ------->	members ------>	events -------> by time, in pairs
 *					   | message.c
 *					   messages and arguments
 *
 * Values of an event live in the memory of the event until the next event.
 * Messages and texts live as long as the reader.
 */
#ifndef TL_FORMAT_CHROME_CONVERT_H
#define TL_FORMAT_CHROME_CONVERT_H

#include "base/json.h"
#include "base/pqueue.h"
#include "base/table.h"
#include "event/intern.h"
#include "event/message_map.h"
#include "event/reader.h"
#include "event/sorter.h"

#include <timeline_layout.h>

/*
 * == event.c: one trace event, the members as the file has them ==
 *
 *	depth 1  {"name":"read","ph":"X","ts":3.5,"id2":
 *	depth 2      {"local":"0x12"},"args":
 *	depth 2      {"size":10,"from":
 *	depth 3          {"host":"a"}}}	kept as the text of its JSON
 */

enum {
	/* Bytes of all keys and values of one event. */
	TL_CHROME_EVENT_MAX = 4 << 20,
	TL_CHROME_ARGS_MAX = 64,
	/* A longer key is cut. */
	TL_CHROME_KEY_MAX = 256
};

/* The members of an event that are converted. */
enum tl_chrome_field {
	TL_CHROME_PH,
	TL_CHROME_CAT,
	TL_CHROME_NAME,
	TL_CHROME_TS,
	TL_CHROME_DUR,
	TL_CHROME_PID,
	TL_CHROME_TID,
	TL_CHROME_LANE, /* the thread of a lane */
	TL_CHROME_ID,   /* id, or id2.global */
	TL_CHROME_ID_LOCAL,
	TL_CHROME_SCOPE,
	TL_CHROME_FIELDS
};

/*
 * The kind is the kind of the token; 0: the member is missing.  Objects and
 * arrays are kept as the text of their JSON.
 */
struct tl_chrome_value {
	struct tl_bytes text;
	uint8_t kind;
	bool cut;
};

struct tl_chrome_arg {
	struct tl_bytes key;
	struct tl_chrome_value value;
};

/* Starts from all zeros except for memory, TL_CHROME_EVENT_MAX bytes. */
struct tl_chrome_event {
	struct tl_chrome_value field[TL_CHROME_FIELDS];
	struct tl_chrome_arg args[TL_CHROME_ARGS_MAX];
	unsigned argc;
	uint64_t at;    /* place of the first byte */
	bool is_empty;  /* the object has no member */
	bool too_large; /* values are missing */
	bool too_many;
	bool cut;     /* a text or a key was cut */
	char *memory; /* freed with the event */
	/* private */
	size_t used;
	struct tl_text nested; /* JSON of a value in the arguments */
	unsigned in;           /* member that tokens belong to */
};

void tl_chrome_event_free(struct tl_chrome_event *event);

/*
 * Take the next token; the first token is the { of the event.  depth is the
 * depth after the token: 1 in the event itself.  1: the event is whole; 0;
 * -ENOMEM.
 */
int tl_chrome_event_take(struct tl_chrome_event *event, int kind,
    const struct tl_json_token *token, unsigned depth);

/*
 * Copy bytes into the event's memory and add a NUL.  data is NULL if there is
 * no room.
 */
struct tl_bytes
tl_chrome_event_keep(struct tl_chrome_event *event, struct tl_bytes bytes);

/*
 * Fast path for events as nearly all writers write them: objects, strings
 * without escapes, numbers and words, no white space except after a comma or a
 * colon, all in one piece.
 *
 *	},| {"name":"read","ts":3.5,"args":{"size":10}},| {"name":...
 *	   ^ json->at before the call			 ^ and after it
 *
 * Take the next event of a list if the event stands between two commas, with
 * the tokens that tl_json_next() would return: 1.  0: the event is written in
 * another way, and json->at did not move.  -ENOMEM.
 */
int tl_chrome_scan(struct tl_json *json, struct tl_chrome_event *event);

/*
 * Convert a time in microseconds and round it to nanoseconds.  false: the value
 * is no number (*ns is 0) or out of range (*ns is the nearest time).
 */
bool tl_chrome_time(const struct tl_chrome_value *value, int64_t *ns);

/*
 * == message.c: the message and the arguments of a trace event ==
 *
 * Any number of args become at most four arguments with valid names, each with
 * a format:
 *
 *	"tcp":10 "f":2.5 "p":"0x1f" "s":"x"	$tcp%d $f%f $p%x $s%s
 *	"deep":{"a":1} "t":true			$deep%s $t%s, their JSON
 *	five args				three, and $more%s with the rest
 *
 * The message is made of the name and the arguments:
 *
 *	name "processed tcp" args tcp, udp	"processed $tcp%d: $udp%d"
 *	name "a$b", which no text can hold	"$label%s: ..."
 */

/* The arguments of a message. */
struct tl_chrome_args {
	struct tl_chrome_arg arg[TIMELINE_ARGS_MAX];
	uint8_t format[TIMELINE_ARGS_MAX];
	unsigned count;
	uint8_t level; /* from args.priority; 0: none */
	bool named;    /* the name is an argument: no text can hold it */
	bool joined;   /* some args became $more */
};

/*
 * Make at most four arguments from the args of the event; lead, if not NULL, is
 * the first.  Keys and values live as long as those of the event.
 */
void tl_chrome_args_make(struct tl_chrome_args *args,
    struct tl_chrome_event *event, const struct tl_chrome_arg *lead);

/*
 * Convert a value to an argument of any format but a string; false: the value
 * is no number.
 */
bool tl_chrome_number(const struct tl_chrome_value *value, unsigned format,
    uint64_t *number);

/* Starts from all zeros except for interner. */
struct tl_chrome_messages {
	struct tl_interner *interner;
	struct tl_message_cache memo;
	struct tl_text text;
	struct tl_text shape; /* key of a message without its name */
};

/* A request for a message. */
struct tl_chrome_request {
	struct tl_bytes category;
	struct tl_bytes name;
	struct tl_bytes instance; /* second line; may be empty */
	const struct tl_chrome_args *args;
	uint8_t scope;
};

/*
 * Find or make the message of a request for an event of a kind, and set the
 * message and the values of its arguments, 0 for a missing value.  *bad counts
 * values that do not fit the format.  0; -ENOSPC: too many messages or texts;
 * -ENOMEM; the error of the file that holds texts.
 */
int tl_chrome_message(struct tl_chrome_messages *messages,
    const struct tl_chrome_request *request, struct tl_event *event,
    unsigned *bad);
void tl_chrome_messages_free(struct tl_chrome_messages *messages);

/*
 * == spans.c: the events in order of time, and the pairing of spans ==
 *
 *	event --keep--> store, sorted --finish--> begins and ends --> sink
 *
 * Events stand in a file in any order, and the member with the base of all
 * times may follow the events, so that events are kept until the file ends.
 * Then, by time,
 *
 *	an end event (E, e) belongs to the innermost begin event (B, b) of its
 *	thread or id before it that has the message, or else the name, of the
 *	end;
 *	a complete span (X) becomes two events.
 *
 * An end whose begin is known is proven.
 *
 * Spans with equal times nest: the longer span begins first, and a span ends
 * before the next span begins.  Other events of equal times keep the order of
 * the file.
 */

/*
 * The part that an event plays in a span.  While the event is kept, members
 * that have no value yet hold the role:
 *
 *	lane		tsc			number
 *	ALONE		-			-
 *	WHOLE		its duration		-
 *	BEGIN, END	hash of its category	hash of its name
 *			and id
 */
enum tl_chrome_role {
	TL_CHROME_ALONE, /* itself */
	TL_CHROME_WHOLE, /* X */
	TL_CHROME_BEGIN, /* B, b */
	TL_CHROME_END    /* E, e */
};

struct tl_chrome_thread;
struct tl_chrome_waiting;

/*
 * Starts from all zeros except for notes, sink, store, which keeps the order,
 * and interner, which made the messages.
 */
struct tl_chrome_spans {
	struct tl_notes *notes;
	struct tl_sink *sink;
	struct tl_interner *interner;
	struct tl_store *store;
	struct tl_text text;
	int64_t base_ns;
	uint64_t count; /* events passed on */
	struct tl_id_map numbers;
	struct tl_chrome_thread *threads;
	size_t capacity;
	size_t open;           /* begin events of all threads and ids */
	struct tl_pqueue ends; /* ends of complete spans */
	uint64_t begun;        /* complete spans */
	struct tl_chrome_waiting *window;
	size_t waiting;
};

void tl_chrome_spans_free(struct tl_chrome_spans *spans);

/*
 * Keep an event with its role: 0, -ENOMEM, -errno of the store.  An end event
 * has the message that the event would have without a begin, and is bare
 * without arguments.
 */
int tl_chrome_keep(struct tl_chrome_spans *spans, const struct tl_event *event);

/* Pass on all events, base_ns later: 0, -ENOMEM, -errno of sink or store. */
int tl_chrome_spans_finish(struct tl_chrome_spans *spans);

/* == convert.c: a trace event becomes events, by phase == */

/* Diagnostics about an event and about the file; read.c has the texts. */
enum {
	TL_CHROME_NOTE_NOT_EVENT,
	TL_CHROME_NOTE_PHASE,
	TL_CHROME_NOTE_LEFT,
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

/* Starts from all zeros except for notes; see tl_chrome_convert_make(). */
struct tl_chrome_convert {
	struct tl_notes *notes;
	struct tl_chrome_messages messages;
	struct tl_chrome_spans spans;
	struct tl_chrome_args args;
	struct tl_text instance;
	int64_t last_ns; /* time of the event before */
};

/* Make the parts of a convert that puts into a sink: 0, -ENOMEM. */
int
tl_chrome_convert_make(struct tl_chrome_convert *convert, struct tl_sink *sink);
/*
 * Convert an event and keep the result: 0, -ENOMEM, -errno of the temporary
 * file.  An event that is left out is noted.
 */
int tl_chrome_convert(struct tl_chrome_convert *convert,
    struct tl_chrome_event *event);
void tl_chrome_convert_free(struct tl_chrome_convert *convert);

#endif
