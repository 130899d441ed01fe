/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search.h - a glob or a name that is searched among the texts of messages, and
 * the nearest text if it is in none.
 */
#ifndef TL_SCRIPT_SEARCH_H
#define TL_SCRIPT_SEARCH_H

#include "base/options.h"
#include "event/event.h"

struct tl_search {
	const char *word; /* a glob */
	bool is_found;
	/* the word ends with its only *: a start of each text is compared */
	bool is_start;
	char start[TL_NEAR_MAX + 1]; /* the word without the * */
	struct tl_near near;
	bool is_cut; /* the nearest is the start of a text: "request*" */
};

/* The search is not copied. */
void tl_search_init(struct tl_search *search, const char *word);
void tl_search_take(struct tl_search *search, struct tl_bytes text);
/* Take the first line of a message, for which a glob may also name the
 * category: as tl_glob_matches_message() does. */
void tl_search_take_message(const struct tl_message *message,
    struct tl_search *search);
/* Set the fault "PREFIXword: WHAT; did you mean PREFIXbest?".  Returns
 * -ENOENT. */
int tl_search_fault(const struct tl_search *search, const char *prefix,
    const char *what, struct tl_fault *fault);

/* Find the next NAME of "args.NAME" in an expression, from *at on; false: no
 * more. */
bool tl_search_argument(const char **at, char name[TL_NEAR_MAX + 1]);

#endif
