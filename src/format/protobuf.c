/* SPDX-License-Identifier: Apache-2.0 */
/* protobuf.c - fields appended to a text. */
#include "format/protobuf.h"

#include <assert.h>

/* Set the end of a field that was written into reserved room. */
static void
set_end(struct tl_text *text, const char *end)
{
	text->size = (size_t)(end - text->data);
}

void
tl_pb_put_unsigned(struct tl_text *text, uint32_t field, uint64_t n)
{
	char *to = tl_text_reserve(text, TL_PB_FIELD_MAX);

	if (to)
		set_end(text, tl_pb_write_unsigned(to, field, n));
}

void
tl_pb_put_signed(struct tl_text *text, uint32_t field, int64_t n)
{
	tl_pb_put_unsigned(text, field, (uint64_t)n);
}

void
tl_pb_put_bytes(struct tl_text *text, uint32_t field, struct tl_bytes bytes)
{
	char *to = tl_text_reserve(text, TL_PB_FIELD_MAX);

	if (!to)
		return;
	to = tl_pb_write_tag(to, field, TL_PB_BYTES);
	set_end(text, tl_pb_write_varint(to, bytes.size));
	tl_put_bytes(text, bytes);
}

void
tl_pb_put_plain(struct tl_text *text, uint32_t field, struct tl_bytes bytes)
{
	const size_t content = tl_pb_open(text, field);

	tl_put_plain(text, bytes);
	tl_pb_close(text, content);
}

char *
tl_pb_write_close_long(char *content, char *to)
{
	const size_t size = (size_t)(to - content);
	char length[TL_PB_VARINT_MAX];
	const size_t length_size =
	    (size_t)(tl_pb_write_varint(length, size) - length);

	memmove(content - 1 + length_size, content, size);
	memcpy(content - 1, length, length_size);
	return content - 1 + length_size + size;
}

size_t
tl_pb_open(struct tl_text *text, uint32_t field)
{
	char *to = tl_text_reserve(text, TL_PB_FIELD_MAX);

	if (to)
		set_end(text, tl_pb_write_open(to, field));
	return text->size;
}

/* After a lack of memory the content is missing, and the text is never used. */
void
tl_pb_close(struct tl_text *text, size_t content)
{
	if (!tl_text_reserve(text, TL_PB_VARINT_MAX))
		return;
	assert(content > 0 && content <= text->size);
	set_end(text,
	    tl_pb_write_close(text->data + content, text->data + text->size));
}
