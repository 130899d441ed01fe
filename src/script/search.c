/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search.c - the known words nearest to a word that is not known.
 */
#include "script/search.h"

#include "event/filter.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

void
tl_search_init(struct tl_search *search, const char *word)
{
	const size_t size = strlen(word);

	*search = (struct tl_search){ .word = word, .near = tl_near_to(word) };
	if (size < 2 || size > TL_NEAR_MAX || strcspn(word, "*?[\\") < size - 1)
		return;
	search->is_start = word[size - 1] == '*';
	if (search->is_start) {
		memcpy(search->start, word, size - 1);
		search->near = tl_near_to(search->start);
	}
}

/* Compare with the first bytes of a text, and keep the first whole words. */
static void
try_start(struct tl_search *search, struct tl_bytes text, size_t size,
    size_t whole)
{
	const unsigned distance = search->near.distance;
	char name[TL_NEAR_MAX + 1];

	if (size == 0 || whole > TL_NEAR_MAX)
		return;
	memcpy(name, text.data, size);
	name[size] = '\0';
	tl_near_try(&search->near, name);
	if (search->near.distance == distance)
		return;
	memcpy(search->near.best, text.data, whole);
	search->near.best[whole] = '\0';
	search->is_cut = whole < text.size;
}

void
tl_search_take(struct tl_search *search, struct tl_bytes text)
{
	const size_t start = strlen(search->start);
	size_t size = start < text.size ? start : text.size;
	const char *argument;

	if (search->is_found || tl_glob_matches(search->word, text)) {
		search->is_found = true;
		return;
	}
	if (search->is_start) {
		size_t whole = size;

		while (whole < text.size && isalnum((uint8_t)text.data[whole]))
			whole++;
		try_start(search, text, size, whole);
		return;
	}
	try_start(search, text, text.size, text.size);
	argument = memmem(text.data, text.size, " $", 2);
	if (argument) {
		size = (size_t)(argument - text.data);
		try_start(search, text, size, size);
	}
}

void
tl_search_take_message(const struct tl_message *message,
    struct tl_search *search)
{
	search->is_found |= tl_glob_matches_message(search->word, message);
	tl_search_take(search, message->line1);
}

int
tl_search_fault(const struct tl_search *search, const char *prefix,
    const char *what, struct tl_fault *fault)
{
	if (!search->near.best[0])
		return tl_fail(fault, -ENOENT, "%s%s: %s", prefix, search->word,
		    what);
	return tl_fail(fault, -ENOENT, "%s%s: %s; did you mean %s%s%s?", prefix,
	    search->word, what, prefix, search->near.best,
	    search->is_cut || search->is_start ? "*" : "");
}

bool
tl_search_argument(const char **at, char name[TL_NEAR_MAX + 1])
{
	static const char words[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	static const char args[] = "args.";

	while ((*at = strstr(*at, args)) != NULL) {
		size_t size;

		*at += strlen(args);
		size = strspn(*at, words);
		if (size == 0 || size > TL_NEAR_MAX)
			continue;
		memcpy(name, *at, size);
		name[size] = '\0';
		return true;
	}
	return false;
}
