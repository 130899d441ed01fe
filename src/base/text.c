/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - the memory of a text, and bytes appended as they are. */
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { TL_TEXT_FIRST = 256 };

/* From now on nothing fits any more: a text without a piece in its middle
 * would be worse than one that ends early. */
static char *
give_up(struct tl_text *text)
{
	text->rc = -ENOMEM;
	if (text->data)
		text->capacity = text->size + 1;
	return NULL;
}

char *
tl_text_grow(struct tl_text *text, size_t size)
{
	const size_t half = SIZE_MAX / 2;
	size_t capacity = text->capacity ? text->capacity : TL_TEXT_FIRST;
	char *data;

	if (text->rc != 0)
		return NULL;
	if (size >= half || text->size >= half - size)
		return give_up(text);
	while (capacity <= text->size + size)
		capacity *= 2;
	data = realloc(text->data, capacity);
	if (!data)
		return give_up(text);
	text->data = data;
	text->capacity = capacity;
	return data + text->size;
}

void
tl_text_free(struct tl_text *text)
{
	free(text->data);
	*text = (struct tl_text){ 0 };
}

const char *
tl_text_string(struct tl_text *text)
{
	if (!text->data)
		return "";
	text->data[text->size] = '\0'; /* its byte is always there */
	return text->data;
}

void
tl_put_bytes(struct tl_text *text, struct tl_bytes bytes)
{
	char *to = tl_text_reserve(text, bytes.size);

	if (!to || bytes.size == 0)
		return;
	memcpy(to, bytes.data, bytes.size);
	text->size += bytes.size;
}

void
tl_put_string(struct tl_text *text, const char *string)
{
	tl_put_bytes(text, tl_bytes_of(string));
}

void
tl_put_char(struct tl_text *text, char c)
{
	char *to = tl_text_reserve(text, 1);

	if (!to)
		return;
	*to = c;
	text->size++;
}

void
tl_put_repeat(struct tl_text *text, char c, size_t count)
{
	char *to = tl_text_reserve(text, count);

	if (!to)
		return;
	memset(to, c, count);
	text->size += count;
}

void
tl_put_padded(struct tl_text *text, const char *word, size_t width)
{
	const size_t size = strlen(word);

	tl_put_bytes(text, tl_bytes(word, size));
	tl_put_repeat(text, ' ', size < width ? width - size : 1);
}

char *
tl_write_string(char *to, const char *string)
{
	const size_t size = strlen(string);

	memcpy(to, string, size);
	return to + size;
}

void
tl_put_format(struct tl_text *text, const char *format, ...)
{
	va_list args;
	char *to;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0 || !(to = tl_text_reserve(text, (size_t)n)))
		return;
	va_start(args, format);
	vsnprintf(to, (size_t)n + 1, format, args);
	va_end(args);
	text->size += (size_t)n;
}
