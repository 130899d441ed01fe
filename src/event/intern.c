/* SPDX-License-Identifier: Apache-2.0 */
/*
 * intern.c - store each message and each string once.
 *
 *	table of messages: key   -> index in list of messages --> message
 *	table of strings:  bytes -> index in list of strings ---> arena, where
 *	                                          a value's number is its place
 *
 * The number of a string is its index plus 1.  A direct-mapped cache finds
 * values that were met recently: a value that repeats is stored once, and
 * values that do not repeat need no table.
 */
#include "event/intern.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/table.h"
#include "event/names.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

enum {
	STRINGS_MAX = 1 << 26,
	RECENT = 1024 /* slots, by hash of the value */
};

/* Numbers of values have this bit; the other bits are the offset in the
 * arena. */
static const uint64_t value_bit = UINT64_C(1) << 63;

/* The limit of all texts together, so that a file cannot exhaust the memory of
 * the machine. */
static const uint64_t bytes_max = UINT64_C(4) << 30;

struct recent {
	uint64_t hash;
	uint64_t number; /* 0: none */
};

struct tl_interner {
	struct tl_strings strings; /* first: messages point to it */
	struct tl_arena texts;     /* of strings and values */
	struct recent recent[RECENT];
	uint64_t bytes; /* of messages and strings */
	struct tl_table message_table;
	struct tl_message **messages;
	size_t message_capacity;
	struct tl_table string_table;
	struct tl_bytes *string_list;
	size_t string_capacity;
	struct tl_names names; /* names of threads */
};

/* The key of a message. */
struct key {
	struct tl_bytes category;
	struct tl_bytes text;
	uint8_t kind, level, scope;
};

static struct tl_bytes
get_string(const struct tl_strings *strings, uint64_t n)
{
	const struct tl_interner *d =
	    (const struct tl_interner *)(const void *)strings;

	if (n & value_bit)
		return tl_arena_get(&d->texts, n & ~value_bit);
	return n == 0 || n > d->string_table.count ? tl_bytes(NULL, 0)
						   : d->string_list[n - 1];
}

int
tl_interner_new(struct tl_interner **interner)
{
	struct tl_interner *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->strings.get = get_string;
	tl_arena_init(&d->texts);
	*interner = d;
	return 0;
}

void
tl_interner_free(struct tl_interner *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->message_table.count; i++)
		free(d->messages[i]);
	tl_arena_free(&d->texts);
	tl_table_free(&d->message_table);
	free(d->messages);
	tl_table_free(&d->string_table);
	free(d->string_list);
	tl_names_free(&d->names);
	free(d);
}

static struct tl_bytes
cut(struct tl_bytes text)
{
	if (text.size > TL_INTERNER_TEXT_MAX)
		text.size = TL_INTERNER_TEXT_MAX;
	return text;
}

static struct tl_bytes
copy(char *to, struct tl_bytes bytes)
{
	if (bytes.size > 0)
		memcpy(to, bytes.data, bytes.size);
	return tl_bytes(to, bytes.size);
}

/* Make a message.  The texts of the message follow the struct. */
static int
make_message(struct tl_interner *d, const struct key *key,
    struct tl_message **message)
{
	const size_t size = key->category.size + key->text.size;
	struct tl_message *m, parsed;
	int rc = tl_message_parse(&parsed, key->text);

	if (rc < 0) /* nothing to undo */
		return rc;
	if (d->bytes + size > bytes_max)
		return -ENOSPC;
	if (!(m = malloc(sizeof(*m) + size)))
		return -ENOMEM;
	d->bytes += size;
	*m = (struct tl_message){ .id = (uint32_t)d->message_table.count + 1,
		.kind = key->kind,
		.level = key->level,
		.gate = key->level,
		.scope = key->scope,
		.strings = &d->strings,
		.names = &d->names };
	m->category = copy((char *)(m + 1), key->category);
	rc = tl_message_parse(m,
	    copy((char *)(m + 1) + key->category.size, key->text));
	assert(rc == 0); /* parsed above */
	*message = m;
	return 0;
}

int
tl_interner_message(struct tl_interner *d, struct tl_bytes category,
    struct tl_bytes text, uint8_t kind, uint8_t level, uint8_t scope,
    const struct tl_message **message)
{
	const struct key key = { cut(category), cut(text), kind, level, scope };
	const uint64_t numbers =
	    (uint64_t)kind << 16 | (uint64_t)level << 8 | scope;
	const uint64_t hash =
	    tl_hash_more_bytes(tl_hash_more_bytes(tl_hash_more(tl_hash_seed(),
						      numbers),
				   key.category),
		key.text);
	struct tl_probe probe = tl_table_probe(&d->message_table, hash);
	const size_t count = d->message_table.count;
	struct tl_message *m;
	uint32_t at;
	int rc;

	while (tl_probe_next(&probe, &at)) {
		m = d->messages[at];
		if (tl_bytes_equal(m->text, key.text) &&
		    tl_bytes_equal(m->category, key.category) &&
		    m->kind == kind && m->level == level && m->scope == scope) {
			*message = m;
			return 0;
		}
	}
	if (count == TL_INTERNER_MESSAGES_MAX)
		return -ENOSPC;
	if (TL_ARRAY_ROOM(d->messages, d->message_capacity, count) < 0)
		return -ENOMEM;
	if ((rc = make_message(d, &key, &m)) < 0)
		return rc;
	if ((rc = tl_table_add(&d->message_table, hash, count)) < 0) {
		free(m);
		return rc;
	}
	*message = d->messages[count] = m;
	return 0;
}

struct tl_bytes
tl_interner_text(const struct tl_interner *d, uint64_t number)
{
	return get_string(&d->strings, number);
}

struct tl_names *
tl_interner_names(struct tl_interner *d)
{
	return &d->names;
}

int
tl_interner_string(struct tl_interner *d, struct tl_bytes bytes,
    uint64_t *number)
{
	const struct tl_bytes text = cut(bytes);
	const uint64_t hash = tl_hash_bytes(text);
	const size_t count = d->string_table.count;
	struct tl_probe probe = tl_table_probe(&d->string_table, hash);
	uint64_t place;
	uint32_t at;
	int rc;

	*number = 0;
	while (tl_probe_next(&probe, &at)) {
		if (tl_bytes_equal(d->string_list[at], text)) {
			*number = (uint64_t)at + 1;
			return 0;
		}
	}
	if (count == STRINGS_MAX || d->bytes + text.size > bytes_max)
		return -ENOSPC;
	if (TL_ARRAY_ROOM(d->string_list, d->string_capacity, count) < 0)
		return -ENOMEM;
	if ((rc = tl_arena_add(&d->texts, text, &place)) < 0 ||
	    (rc = tl_table_add(&d->string_table, hash, count)) < 0)
		return rc;
	d->bytes += text.size;
	d->string_list[count] = tl_arena_get(&d->texts, place);
	*number = count + 1;
	return 0;
}

int
tl_interner_value(struct tl_interner *d, struct tl_bytes bytes,
    uint64_t *number)
{
	const struct tl_bytes text = cut(bytes);
	const uint64_t hash = tl_hash_bytes(text);
	struct recent *recent = &d->recent[hash % RECENT];
	uint64_t place;
	int rc;

	if (recent->number == 0 || recent->hash != hash ||
	    !tl_bytes_equal(get_string(&d->strings, recent->number), text)) {
		rc = tl_arena_add(&d->texts, text, &place);
		if (rc < 0)
			return rc;
		*recent = (struct recent){ hash, place | value_bit };
	}
	*number = recent->number;
	return 0;
}
