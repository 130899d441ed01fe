/* SPDX-License-Identifier: Apache-2.0 */
/*
 * intern.c - messages and strings, found again by a hash of what they are.
 *
 *	table of messages: hash -> message --+
 *	table of strings:  hash -> string ---+--> blocks, which never move
 *	names: number - 1 -> string ---------+
 *	values: number -> place in a heap, and the places of those met lately
 *
 * Hashes are mixed with a number of this process, so that nobody can write a
 * file whose texts all meet in one slot.
 */
#include "event/intern.h"

#include "base/arena.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

enum {
	BLOCK_SIZE = 256 << 10,
	ALIGN = 16,
	SLOTS_FIRST = 256,
	STRINGS_MAX = 1 << 26,
	RECENT = 1024 /* values, by their hash */
};

/* Numbers of values have this bit, and the rest is a place. */
static const uint64_t value_bit = UINT64_C(1) << 63;

/* All texts together: more is refused before the machine is short of it. */
static const uint64_t bytes_max = UINT64_C(4) << 30;

struct block {
	struct block *next;
	size_t used;
	size_t size;
	_Alignas(ALIGN) char data[];
};

struct slot {
	uint64_t hash;
	void *item; /* NULL: free */
};

struct table {
	struct slot *slots;
	size_t size; /* 0 or a power of two, at least twice count */
	size_t count;
};

struct string {
	uint64_t number;
	size_t size;
	char data[];
};

struct recent {
	uint64_t hash;
	uint64_t number; /* 0: none */
};

struct tl_interner {
	struct tl_strings strings; /* first: what messages point to */
	struct tl_arena values;
	struct recent recent[RECENT];
	struct block *blocks; /* the one in use first */
	uint64_t bytes;
	uint64_t seed;
	struct table messages;
	struct table string_table;
	struct string **names;
	size_t name_capacity;
};

/* What a message is known by. */
struct key {
	struct tl_bytes category;
	struct tl_bytes text;
	uint8_t kind, level, scope;
};

/* Both halves of a product: every bit in reaches every bit out. */
static uint64_t
mix(uint64_t a, uint64_t b)
{
	const unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t
hash_bytes(uint64_t hash, struct tl_bytes bytes)
{
	const uint64_t odd = UINT64_C(0x9e6c63d0876a3f6b);
	uint64_t word;
	size_t at = 0;

	for (; bytes.size - at > sizeof(word); at += sizeof(word)) {
		memcpy(&word, bytes.data + at, sizeof(word));
		hash = mix(hash ^ word, odd);
	}
	word = 0;
	if (bytes.size > at)
		memcpy(&word, bytes.data + at, bytes.size - at);
	return mix(mix(hash ^ word, odd) ^ bytes.size, odd);
}

static struct block *
new_block(size_t size)
{
	struct block *block = malloc(sizeof(*block) + size);

	if (block)
		*block = (struct block){ .size = size };
	return block;
}

/* Memory that stays where it is until the interner goes. */
static int
take(struct tl_interner *d, size_t size, void **memory)
{
	struct block *block = d->blocks;

	size = (size + ALIGN - 1) / ALIGN * ALIGN;
	if (d->bytes + size > bytes_max)
		return -ENOSPC;
	if (!block || block->size - block->used < size) {
		block = new_block(size > BLOCK_SIZE ? size : BLOCK_SIZE);
		if (!block)
			return -ENOMEM;
		block->next = d->blocks;
		d->blocks = block;
	}
	*memory = block->data + block->used;
	block->used += size;
	d->bytes += size;
	return 0;
}

/* The slot from which a hash is looked for. */
static size_t
home(const struct table *table, uint64_t hash)
{
	return (size_t)hash & (table->size - 1);
}

static void
table_put(struct table *table, uint64_t hash, void *item)
{
	size_t at = home(table, hash);

	while (table->slots[at].item)
		at = (at + 1) & (table->size - 1);
	table->slots[at] = (struct slot){ hash, item };
}

/* Room for one more. */
static int
table_grow(struct table *table)
{
	struct table grown = *table;

	if (table->count * 2 < table->size)
		return 0;
	grown.size = table->size ? table->size * 2 : SLOTS_FIRST;
	grown.slots = calloc(grown.size, sizeof(*grown.slots));
	if (!grown.slots)
		return -ENOMEM;
	for (size_t i = 0; i < table->size; i++) {
		if (table->slots[i].item)
			table_put(&grown, table->slots[i].hash,
			    table->slots[i].item);
	}
	free(table->slots);
	*table = grown;
	return 0;
}

static struct tl_bytes
get_string(const struct tl_strings *strings, uint64_t n)
{
	const struct tl_interner *d =
	    (const struct tl_interner *)(const void *)strings;

	if (n & value_bit)
		return tl_arena_get(&d->values, n & ~value_bit);
	if (n == 0 || n > d->string_table.count)
		return tl_bytes(NULL, 0);
	return tl_bytes(d->names[n - 1]->data, d->names[n - 1]->size);
}

int
tl_interner_new(struct tl_interner **interner)
{
	struct tl_interner *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->strings.get = get_string;
	tl_arena_init(&d->values);
	/* Without one, only hostile files are slow. */
	if (getrandom(&d->seed, sizeof(d->seed), GRND_NONBLOCK) < 0)
		d->seed = (uint64_t)(uintptr_t)d;
	*interner = d;
	return 0;
}

void
tl_interner_free(struct tl_interner *d)
{
	if (!d)
		return;
	while (d->blocks) {
		struct block *next = d->blocks->next;

		free(d->blocks);
		d->blocks = next;
	}
	tl_arena_free(&d->values);
	free(d->messages.slots);
	free(d->string_table.slots);
	free(d->names);
	free(d);
}

static struct tl_bytes
cut(struct tl_bytes text)
{
	if (text.size > TL_INTERNER_TEXT_MAX)
		text.size = TL_INTERNER_TEXT_MAX;
	return text;
}

static uint64_t
hash_key(const struct tl_interner *d, const struct key *key)
{
	const uint64_t word =
	    (uint64_t)key->kind << 16 | (uint64_t)key->level << 8 | key->scope;

	return hash_bytes(hash_bytes(d->seed ^ word, key->category), key->text);
}

static bool
is_message(const struct tl_message *message, const struct key *key)
{
	return tl_bytes_equal(message->text, key->text) &&
	       tl_bytes_equal(message->category, key->category) &&
	       message->kind == key->kind && message->level == key->level &&
	       message->scope == key->scope;
}

static const struct tl_message *
find_message(const struct table *table, const struct key *key, uint64_t hash)
{
	if (table->size == 0)
		return NULL;
	for (size_t at = home(table, hash); table->slots[at].item;
	     at = (at + 1) & (table->size - 1)) {
		if (table->slots[at].hash == hash &&
		    is_message(table->slots[at].item, key))
			return table->slots[at].item;
	}
	return NULL;
}

static struct tl_bytes
copy(char *to, struct tl_bytes bytes)
{
	if (bytes.size > 0)
		memcpy(to, bytes.data, bytes.size);
	return tl_bytes(to, bytes.size);
}

/* A message and, behind it, its texts. */
static int
make_message(struct tl_interner *d, const struct key *key,
    struct tl_message **message)
{
	struct tl_message *m, parsed;
	void *memory;
	int rc = tl_message_parse(&parsed, key->text);

	if (rc < 0) /* nothing was made yet */
		return rc;
	rc = take(d, sizeof(*m) + key->category.size + key->text.size, &memory);
	if (rc < 0)
		return rc;
	m = memory;
	*m = (struct tl_message){ .id = (uint32_t)d->messages.count + 1,
		.kind = key->kind,
		.level = key->level,
		.gate = key->level,
		.scope = key->scope,
		.strings = &d->strings };
	m->category = copy((char *)(m + 1), key->category);
	rc = tl_message_parse(m,
	    copy((char *)(m + 1) + key->category.size, key->text));
	assert(rc == 0); /* the same text as before */
	*message = m;
	return 0;
}

int
tl_interner_message(struct tl_interner *d, struct tl_bytes category,
    struct tl_bytes text, uint8_t kind, uint8_t level, uint8_t scope,
    const struct tl_message **message)
{
	const struct key key = { cut(category), cut(text), kind, level, scope };
	const uint64_t hash = hash_key(d, &key);
	const struct tl_message *known = find_message(&d->messages, &key, hash);
	struct tl_message *made;
	int rc;

	if (known) {
		*message = known;
		return 0;
	}
	if (d->messages.count == TL_INTERNER_MESSAGES_MAX)
		return -ENOSPC;
	if ((rc = table_grow(&d->messages)) < 0 ||
	    (rc = make_message(d, &key, &made)) < 0)
		return rc;
	table_put(&d->messages, hash, made);
	d->messages.count++;
	*message = made;
	return 0;
}

static const struct string *
find_string(const struct table *table, struct tl_bytes bytes, uint64_t hash)
{
	if (table->size == 0)
		return NULL;
	for (size_t at = home(table, hash); table->slots[at].item;
	     at = (at + 1) & (table->size - 1)) {
		const struct string *string = table->slots[at].item;

		if (table->slots[at].hash == hash &&
		    tl_bytes_equal(tl_bytes(string->data, string->size), bytes))
			return string;
	}
	return NULL;
}

static int
grow_names(struct tl_interner *d)
{
	const size_t capacity =
	    d->name_capacity ? d->name_capacity * 2 : SLOTS_FIRST;
	struct string **names;

	if (d->string_table.count < d->name_capacity)
		return 0;
	names = realloc(d->names, capacity * sizeof(struct string *));
	if (!names)
		return -ENOMEM;
	d->names = names;
	d->name_capacity = capacity;
	return 0;
}

static int
add_string(struct tl_interner *d, struct tl_bytes bytes, uint64_t hash)
{
	struct string *string;
	void *memory;
	int rc;

	if (d->string_table.count == STRINGS_MAX)
		return -ENOSPC;
	if ((rc = table_grow(&d->string_table)) < 0 ||
	    (rc = grow_names(d)) < 0 ||
	    (rc = take(d, sizeof(*string) + bytes.size, &memory)) < 0)
		return rc;
	string = memory;
	string->size = bytes.size;
	copy(string->data, bytes);
	d->names[d->string_table.count++] = string;
	string->number = d->string_table.count;
	table_put(&d->string_table, hash, string);
	return 0;
}

int
tl_interner_string(struct tl_interner *d, struct tl_bytes bytes,
    uint64_t *number)
{
	const struct tl_bytes text = cut(bytes);
	const uint64_t hash = hash_bytes(d->seed, text);
	const struct string *known = find_string(&d->string_table, text, hash);
	int rc = known ? 0 : add_string(d, text, hash);

	if (rc == 0)
		*number = known ? known->number : d->string_table.count;
	return rc;
}

int
tl_interner_value(struct tl_interner *d, struct tl_bytes bytes,
    uint64_t *number)
{
	const struct tl_bytes text = cut(bytes);
	const uint64_t hash = hash_bytes(d->seed, text);
	struct recent *recent = &d->recent[hash % RECENT];
	uint64_t place;
	int rc;

	if (recent->number == 0 || recent->hash != hash ||
	    !tl_bytes_equal(get_string(&d->strings, recent->number), text)) {
		rc = tl_arena_add(&d->values, text, &place);
		if (rc < 0)
			return rc;
		*recent = (struct recent){ hash, place | value_bit };
	}
	*number = recent->number;
	return 0;
}
