/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.h - one trace event of Chrome: the members as the file has them.
 *
 *	depth 1  {"name":"read","ph":"X","ts":3.5,"id2":
 *	depth 2      {"local":"0x12"},"args":
 *	depth 2      {"size":10,"from":
 *	depth 3          {"host":"a"}}}	kept as the text of its JSON
 *
 * Values live in the event's own memory until the next event.
 */
#ifndef TL_FORMAT_CHROME_EVENT_H
#define TL_FORMAT_CHROME_EVENT_H

#include "base/json.h"

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
	TL_CHROME_ID, /* id, or id2.global */
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

/* Starts from all zeros; see tl_chrome_event_make(). */
struct tl_chrome_event {
	struct tl_chrome_value field[TL_CHROME_FIELDS];
	struct tl_chrome_arg args[TL_CHROME_ARGS_MAX];
	unsigned argc;
	uint64_t at;    /* place of the first byte */
	bool is_empty;  /* the object has no member */
	bool too_large; /* values are missing */
	bool too_many;
	bool cut; /* a text or a key was cut */
	/* private */
	char *memory;
	size_t used;
	struct tl_text nested; /* JSON of a value in the arguments */
	unsigned in;           /* member that tokens belong to */
};

/* Allocate the memory of the values: 0, -ENOMEM. */
int tl_chrome_event_make(struct tl_chrome_event *event);
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
 * Convert a time in microseconds since base_ns and round it to nanoseconds.
 * false: the value is no number (*ns is base_ns) or out of range (*ns is the
 * nearest time).
 */
bool tl_chrome_time(const struct tl_chrome_value *value, int64_t base_ns,
    int64_t *ns);

/* A hash of a name; only an empty name has hash 0. */
uint64_t tl_chrome_hash(struct tl_bytes name);

#endif
