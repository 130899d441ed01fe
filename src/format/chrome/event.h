/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.h - one of Chrome's trace events, as the tokens of its object
 * tell it.
 *
 *	depth 1  {"name":"read","ph":"X","ts":3.5,"id2":
 *	depth 2      {"local":"0x12"},"args":
 *	depth 2      {"size":10,"from":
 *	depth 3          {"host":"a"}}}	kept as the text of its JSON
 *
 * Values are kept as they are written, in memory that stays where it is until
 * the next event.
 */
#ifndef TL_FORMAT_CHROME_EVENT_H
#define TL_FORMAT_CHROME_EVENT_H

#include "base/json.h"

enum {
	/* All keys and values that are kept of one event. */
	TL_CHROME_EVENT_MAX = 4 << 20,
	TL_CHROME_ARGS_MAX = 64,
	/* A longer key is cut. */
	TL_CHROME_KEY_MAX = 256
};

/* The members of an event that mean something to a timeline. */
enum tl_chrome_field {
	TL_CHROME_PH,
	TL_CHROME_CAT,
	TL_CHROME_NAME,
	TL_CHROME_TS,
	TL_CHROME_DUR,
	TL_CHROME_PID,
	TL_CHROME_TID,
	TL_CHROME_ID, /* everywhere, or of id2.global */
	TL_CHROME_ID_LOCAL,
	TL_CHROME_SCOPE,
	TL_CHROME_BEGUN,
	TL_CHROME_FIELDS
};

/* kind is that of its token; 0: there is none; TL_JSON_OBJECT and ARRAY: text
 * is JSON. */
struct tl_chrome_value {
	struct tl_bytes text;
	uint8_t kind;
	bool cut;
};

struct tl_chrome_arg {
	struct tl_bytes key;
	struct tl_chrome_value value;
};

/* Starts from all zeros; see tl_chrome_event_make. */
struct tl_chrome_event {
	struct tl_chrome_value field[TL_CHROME_FIELDS];
	struct tl_chrome_arg args[TL_CHROME_ARGS_MAX];
	unsigned argc;
	uint64_t at;    /* its first byte */
	bool is_empty;  /* the object has no member */
	bool too_large; /* what is above the limits is missing */
	bool too_many;
	bool cut; /* a text was too long */
	/* Its members are those of the object in its arguments: it is
	 * TL_CHROME_PLACE of chrome_words.h. */
	bool is_place;
	/* own */
	char *memory;
	size_t used;
	struct tl_text nested; /* JSON of a value within the arguments */
	unsigned in;           /* the member that the tokens belong to */
};

/* Once: 0 or -ENOMEM. */
int tl_chrome_event_make(struct tl_chrome_event *event);
void tl_chrome_event_free(struct tl_chrome_event *event);

/*
 * The next token: depth is what is open after it, 1 within the event itself,
 * and its first token is the { of the event.  1: the event is whole; 0;
 * -ENOMEM.
 */
int tl_chrome_event_take(struct tl_chrome_event *event, int kind,
    const struct tl_json_token *token, unsigned depth);

/* Keep bytes as long as the event's own, with a NUL behind them; data is NULL
 * when there is no room. */
struct tl_bytes
tl_chrome_event_keep(struct tl_chrome_event *event, struct tl_bytes bytes);

#endif
