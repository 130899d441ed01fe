/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - read a record of a string table, with every check, and write one.
 *
 * Both readers of files and writers of a live timeline use this code.
 */
#include "ring/ring.h"

#include <errno.h>
#include <string.h>

/* Get a text of a record.  The text must lie inside the record and end with a
 * NUL. */
static int
text_of(struct tl_bytes *text, const uint8_t *record, uint32_t size,
    uint32_t at, uint32_t length)
{
	if (at < sizeof(struct timeline_record) ||
	    !tl_fits(size, at, (uint64_t)length + 1, 1) ||
	    record[at + length] != '\0')
		return -EBADMSG;
	*text = tl_bytes(record + at, length);
	return 0;
}

static int
check_fixed(const struct timeline_record *r, uint64_t room)
{
	if (r->size < sizeof(*r) || r->size > room ||
	    r->size % TIMELINE_RECORD_ALIGN != 0)
		return -EBADMSG;
	if (r->kind < TIMELINE_RECORD_INSTANT ||
	    r->kind > TIMELINE_RECORD_EPOCH || r->level > TIMELINE_LEVEL_MAX ||
	    r->argc > TIMELINE_ARGS_MAX)
		return -EBADMSG;
	for (int i = 0; i < TIMELINE_ARGS_MAX; i++)
		if (r->formats[i] > TIMELINE_ARG_OCTAL)
			return -EBADMSG;
	return 0;
}

int
tl_record_at(struct tl_record *record, const uint8_t *table, uint64_t size,
    uint64_t offset, uint64_t base, struct tl_fault *fault)
{
	struct timeline_record *r = &record->fixed;

	if (offset == 0 || offset % TIMELINE_RECORD_ALIGN != 0 ||
	    !tl_fits(size, offset, 1, sizeof(*r)))
		return tl_fault(fault, -EBADMSG, base + (offset & ~0xfULL),
		    "no message record can be here");
	memcpy(r, table + offset, sizeof(*r));
	if (check_fixed(r, size - offset) != 0)
		return tl_fault(fault, -EBADMSG, base + offset,
		    "damaged message record");
	if (text_of(&record->category, table + offset, r->size, r->category,
		r->category_length) != 0 ||
	    text_of(&record->text, table + offset, r->size, r->text,
		r->text_length) != 0 ||
	    text_of(&record->file, table + offset, r->size, r->file,
		r->file_length) != 0)
		return tl_fault(fault, -EBADMSG, base + offset,
		    "text of a message record runs past it");
	return 0;
}

static uint64_t
hash_bytes(uint64_t hash, struct tl_bytes bytes)
{
	return (tl_fnv(hash, bytes) ^ bytes.size) * TL_FNV_PRIME;
}

uint64_t
tl_record_hash(const struct tl_record *r)
{
	const uint8_t key[] = { r->fixed.kind, r->fixed.level, r->fixed.scope,
		r->fixed.builtin };
	uint64_t hash = TL_FNV_BASIS;

	hash = hash_bytes(hash, tl_bytes(key, sizeof(key)));
	hash = hash_bytes(hash, r->category);
	return hash_bytes(hash, r->text);
}

uint64_t
tl_record_size(const struct tl_record *r)
{
	const uint64_t size = sizeof(r->fixed) + r->category.size +
			      r->text.size + r->file.size + 3;

	return (size + TIMELINE_RECORD_ALIGN - 1) &
	       ~(uint64_t)(TIMELINE_RECORD_ALIGN - 1);
}

static uint32_t
write_text(uint8_t *to, uint32_t *at, struct tl_bytes text, uint32_t *length)
{
	const uint32_t here = *at;

	if (text.size > 0)
		memcpy(to + here, text.data, text.size);
	to[here + text.size] = '\0';
	*length = (uint32_t)text.size;
	*at += *length + 1;
	return here;
}

struct timeline_record *
tl_record_write(uint8_t *to, const struct tl_record *r, uint64_t link)
{
	struct timeline_record fixed = r->fixed;
	uint32_t at = sizeof(fixed);

	fixed.size = (uint32_t)tl_record_size(r);
	fixed.link = link;
	fixed.hash = tl_record_hash(r);
	fixed.category =
	    write_text(to, &at, r->category, &fixed.category_length);
	fixed.text = write_text(to, &at, r->text, &fixed.text_length);
	fixed.file = write_text(to, &at, r->file, &fixed.file_length);
	memcpy(to, &fixed, sizeof(fixed));
	return (struct timeline_record *)(void *)to;
}

uint64_t
tl_record_scan(struct tl_record *record, const uint8_t *table, uint64_t size,
    uint64_t from)
{
	uint64_t at = (from + TIMELINE_RECORD_ALIGN - 1) &
		      ~(uint64_t)(TIMELINE_RECORD_ALIGN - 1);

	for (; tl_fits(size, at, 1, sizeof(record->fixed));
	     at += TIMELINE_RECORD_ALIGN)
		if (tl_record_at(record, table, size, at, 0, NULL) == 0 &&
		    tl_record_hash(record) == record->fixed.hash)
			return at;
	return 0;
}
