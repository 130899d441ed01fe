/* SPDX-License-Identifier: Apache-2.0 */
/* write_table.c - place records, if possible at their old places. */
#include "snap/write_parts.h"

#include "base/array.h"
#include "base/text.h"
#include "ring/ring.h"
#include "snap/lane.h"

#include <errno.h>
#include <stdlib.h>

int
tl_timeline_table_init(struct tl_timeline_table *t, uint64_t kept,
    uint32_t tiers)
{
	const uint64_t step = 64 * TIMELINE_RECORD_ALIGN;

	*t = (struct tl_timeline_table){ .tiers = tiers };
	t->size_max = TL_TIMELINE_TABLE_MAX - TL_TIMELINE_TABLE_SPARE;
	t->kept = kept / TIMELINE_RECORD_ALIGN * TIMELINE_RECORD_ALIGN;
	if (t->kept < TIMELINE_STRINGS_START || t->kept > t->size_max)
		t->kept = TIMELINE_STRINGS_START;
	t->tail = t->kept;
	t->hole = TIMELINE_STRINGS_START;
	t->taken = calloc(t->kept / step + 1, sizeof(*t->taken));
	return t->taken ? 0 : -ENOMEM;
}

void
tl_timeline_table_free(struct tl_timeline_table *t)
{
	tl_id_map_free(&t->messages);
	tl_id_map_free(&t->strings);
	free(t->message_at);
	free(t->string_at);
	free(t->taken);
	free(t->bytes);
}

/* Is the place within the old table, and free? */
static bool
is_free(const struct tl_timeline_table *t, uint64_t at, uint64_t size)
{
	if (at < TIMELINE_STRINGS_START || at % TIMELINE_RECORD_ALIGN != 0 ||
	    !tl_fits(t->kept, at, size, 1))
		return false;
	for (uint64_t i = at / TIMELINE_RECORD_ALIGN;
	     i < (at + size) / TIMELINE_RECORD_ALIGN; i++)
		if (t->taken[i / 64] >> i % 64 & 1)
			return false;
	return true;
}

/* Reserve a place for a record, if possible its old place. */
static int
reserve(struct tl_timeline_table *t, uint64_t wanted, uint64_t size,
    uint64_t size_max, uint64_t *at)
{
	const bool own = is_free(t, wanted, size);
	int rc;

	*at = own ? wanted : t->tail;
	if (!tl_fits(size_max, *at, size, 1))
		return -ENOSPC;
	if ((rc = TL_ARRAY_ZEROS(t->bytes, t->capacity,
		 (uint32_t)(*at + size - 1))) < 0)
		return rc;
	if (!own)
		t->tail += size;
	for (uint64_t i = *at / TIMELINE_RECORD_ALIGN;
	     own && i < (*at + size) / TIMELINE_RECORD_ALIGN; i++)
		t->taken[i / 64] |= UINT64_C(1) << i % 64;
	return 0;
}

static int
add(struct tl_timeline_table *t, const struct tl_record *c, uint64_t wanted,
    uint64_t size_max, uint32_t *offset)
{
	uint64_t at;
	int rc;

	if (c->category.size > size_max || c->text.size > size_max ||
	    c->file.size > size_max)
		return -ENOSPC;
	if ((rc = reserve(t, wanted, tl_record_size(c), size_max, &at)) < 0)
		return rc;
	tl_record_write(t->bytes + at, c, t->newest);
	t->newest = at;
	*offset = (uint32_t)at;
	return 0;
}

/* Set the text of a message.  Readers will parse the text; a text that cannot
 * be parsed is written without its $. */
static int
set_text(struct tl_record *c, const struct tl_message *message,
    struct tl_text *plain)
{
	struct tl_message parsed = { 0 };
	int rc = tl_message_parse(&parsed, message->text);

	c->text = message->text;
	if (rc < 0) {
		tl_put_bytes(plain, message->text);
		for (size_t i = 0; i < plain->size; i++)
			if (plain->data[i] == '$')
				plain->data[i] = '_';
		c->text = tl_bytes(plain->data, plain->size);
		return plain->rc < 0 ? plain->rc : 1;
	}
	c->fixed.argc = parsed.argc;
	for (unsigned i = 0; i < parsed.argc; i++)
		c->fixed.formats[i] = parsed.argc == message->argc
					  ? message->args[i].format
					  : parsed.args[i].format;
	return 0;
}

static int
add_message(struct tl_timeline_table *t, const struct tl_message *message,
    uint8_t kind, uint64_t size_max, uint32_t *offset)
{
	const uint8_t level = message->level < TIMELINE_LEVEL_MAX
				  ? message->level
				  : TIMELINE_LEVEL_MAX;
	struct tl_record c = {
		.fixed = { .kind = kind,
		    .level = level,
		    .gate = message->gate,
		    .tier = level >= TIMELINE_LEVEL_KEEP && t->tiers > 1,
		    .scope = message->scope,
		    .builtin = t->no_builtins ? 0 : message->builtin,
		    .line = message->line },
		.category = message->category,
		.file = message->file
	};
	const uint32_t own = kind == message->kind ? message->id : 0;
	struct tl_text plain = { 0 };
	int rc = set_text(&c, message, &plain);

	t->unreadable += rc > 0;
	t->builtins += t->no_builtins && message->builtin != 0;
	if (rc >= 0)
		rc = add(t, &c, own, size_max, offset);
	tl_text_free(&plain);
	return rc;
}

int
tl_timeline_table_message(struct tl_timeline_table *t,
    const struct tl_message *message, uint8_t kind, uint32_t *offset)
{
	const struct tl_id_key key = { (uintptr_t)message, kind };
	struct tl_message lost;
	uint32_t n;
	int rc = TL_ID_MAP_ROOM(&t->messages, key, &n, t->message_at,
	    t->message_capacity);

	if (rc > 0)
		rc = add_message(t, message, kind, t->size_max,
		    &t->message_at[n]);
	if (rc == 0 && t->message_at[n] == 0)
		rc = -ENOSPC;
	if (rc == 0)
		*offset = t->message_at[n];
	if (rc != -ENOSPC)
		return rc;
	/* a message stands for those without room, as it does in readers */
	rc = 0;
	if (t->lost == 0) {
		tl_message_make_lost(&lost);
		rc = add_message(t, &lost, lost.kind, TL_TIMELINE_TABLE_MAX,
		    &t->lost);
	}
	*offset = t->lost;
	return rc < 0 ? rc : -ENOSPC;
}

int
tl_timeline_table_string(struct tl_timeline_table *t,
    const struct tl_message *message, uint64_t number, uint64_t *named)
{
	const struct tl_id_key key = { (uintptr_t)message->strings, number };
	struct tl_record c = { .fixed.kind = TIMELINE_RECORD_STRING,
		.text = tl_message_string(message, number),
		.category = tl_bytes_of(""),
		.file = tl_bytes_of("") };
	uint32_t n;
	int rc;

	if (!c.text.data) {
		struct tl_record r;

		/* Get a number without a string for a number without a
		 * string. */
		*named = number;
		if (tl_record_at(&r, t->bytes, t->capacity, number, 0, NULL) ==
			0 &&
		    r.fixed.kind >= TIMELINE_RECORD_STRING)
			*named = 1; /* no record can have this offset */
		return -ENOENT;
	}
	rc = TL_ID_MAP_ROOM(&t->strings, key, &n, t->string_at,
	    t->string_capacity);
	if (rc > 0)
		rc = add(t, &c, number, t->size_max, &t->string_at[n]);
	*named = rc == 0 ? t->string_at[n] : 0;
	return rc == 0 && *named == 0 ? -ENOSPC : rc;
}

int
tl_timeline_table_epoch(struct tl_timeline_table *t, uint32_t number,
    const uint64_t *heads, size_t lanes)
{
	const size_t size = (lanes + 1) * sizeof(*heads);
	struct tl_record c = { .fixed.kind = TIMELINE_RECORD_EPOCH,
		.category = tl_bytes_of(""),
		.file = tl_bytes_of("") };
	uint64_t *words = malloc(size);
	uint32_t offset;
	int rc;

	if (!words)
		return -ENOMEM;
	words[0] = number;
	memcpy(words + 1, heads, lanes * sizeof(*heads));
	c.text = tl_bytes(words, size);
	/* find a place among those of records that were not kept */
	while (tl_fits(t->kept, t->hole, tl_record_size(&c), 1) &&
	       !is_free(t, t->hole, tl_record_size(&c)))
		t->hole += TIMELINE_RECORD_ALIGN;
	rc = add(t, &c, t->hole, TL_TIMELINE_TABLE_MAX, &offset);
	free(words);
	return rc;
}
