/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_record.c - any bytes as a string table: a record that is accepted lies
 * inside of the table, with all its texts, and can be printed.
 *
 *	input	u16 place of the record / 16, then the table
 */
#include "event/render.h"
#include "ring/ring.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_inside(struct tl_bytes text, const uint8_t *record, uint32_t size)
{
	const uint8_t *begin = (const uint8_t *)text.data;

	assert(begin >= record + sizeof(struct timeline_record));
	assert(begin + text.size < record + size);
	assert(text.data[text.size] == '\0');
}

static void
show(const struct tl_record *r)
{
	struct tl_message message = { .category = r->category,
		.kind = r->fixed.kind,
		.level = r->fixed.level };
	struct tl_event event = { .message = &message, .kind = TL_INSTANT };
	struct tl_text text = { 0 };

	(void)tl_message_parse(&message, r->text);
	assert(message.argc <= TL_ARGS_MAX);
	for (unsigned i = 0; i < message.argc; i++)
		message.args[i].format = r->fixed.formats[i];
	tl_render_line(&text, &event);
	tl_text_free(&text);
}

static void
take(const uint8_t *table, size_t size, uint64_t offset)
{
	struct tl_fault fault = { 0 };
	struct tl_record r;
	const int rc = tl_record_at(&r, table, size, offset, 4096, &fault);

	assert(rc == fault.rc && (rc == 0 || rc == -EBADMSG));
	if (rc != 0)
		return;
	assert(offset > 0 && r.fixed.size <= size - offset);
	check_inside(r.category, table + offset, r.fixed.size);
	check_inside(r.text, table + offset, r.fixed.size);
	check_inside(r.file, table + offset, r.fixed.size);
	show(&r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint16_t place;
	uint8_t *table;

	if (size < sizeof(place))
		return 0;
	memcpy(&place, data, sizeof(place));
	size -= sizeof(place);
	/*
	 * aligned, and of exactly the right size, so that a sanitizer sees any
	 * read beyond it
	 */
	table = aligned_alloc(16, (size + 15) & ~(size_t)15);
	if (!table)
		return 0;
	memcpy(table, data + sizeof(place), size);
	take(table, size, (uint64_t)place * TIMELINE_RECORD_ALIGN);
	for (uint64_t at = 0; at < size; at += TIMELINE_RECORD_ALIGN)
		take(table, size, at);
	free(table);
	return 0;
}
