/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protobuf.h - write the wire format of protocol buffers: fields one after the
 * other, each a tag (number and type) and a value.
 *
 *	varint:  7 bits a byte, lowest first, the top bit: more follow
 *	fixed64: 8 bytes, little endian
 *	bytes:   a varint of the length, then text or a message
 *
 * tl_pb_put_...() append to a text.  tl_pb_write_...() write into room that the
 * caller reserved, and return the end; a loop can thus reserve once for a
 * message.
 */
#ifndef TL_FORMAT_PROTOBUF_H
#define TL_FORMAT_PROTOBUF_H

#include "base/text.h"

#include <endian.h>

/* The largest sizes of a tag, of a varint, and of both. */
enum { TL_PB_TAG_MAX = 5, TL_PB_VARINT_MAX = 10, TL_PB_FIELD_MAX = 15 };

enum tl_pb_type { TL_PB_VARINT = 0, TL_PB_FIXED64 = 1, TL_PB_BYTES = 2 };

static inline char *
tl_pb_write_varint(char *to, uint64_t n)
{
	return (char *)tl_data_write_varint((uint8_t *)to, n);
}

static inline char *
tl_pb_write_tag(char *to, uint32_t field, enum tl_pb_type type)
{
	return tl_pb_write_varint(to, (uint64_t)field << 3 | type);
}

static inline char *
tl_pb_write_unsigned(char *to, uint32_t field, uint64_t n)
{
	return tl_pb_write_varint(tl_pb_write_tag(to, field, TL_PB_VARINT), n);
}

/* bits are those of a fixed64 or a double. */
static inline char *
tl_pb_write_fixed64(char *to, uint32_t field, uint64_t bits)
{
	const uint64_t little = htole64(bits);

	to = tl_pb_write_tag(to, field, TL_PB_FIXED64);
	memcpy(to, &little, sizeof(little));
	return to + sizeof(little);
}

/*
 * Open a message inside: the content follows at the address that open returns,
 * and close takes this address and the end of the content.  One byte is kept
 * for the length; close moves the content if the length needs more, so the room
 * must include TL_PB_VARINT_MAX bytes.
 */
static inline char *
tl_pb_write_open(char *to, uint32_t field)
{
	return tl_pb_write_tag(to, field, TL_PB_BYTES) + 1;
}
char *tl_pb_write_close_long(char *content, char *to);
static inline char *
tl_pb_write_close(char *content, char *to)
{
	if (to - content >= 0x80)
		return tl_pb_write_close_long(content, to);
	content[-1] = (char)(to - content);
	return to;
}

/* Append an unsigned integer, boolean or enumeration. */
void tl_pb_put_unsigned(struct tl_text *text, uint32_t field, uint64_t n);
/* Append an int32 or int64; a negative one takes ten bytes. */
void tl_pb_put_signed(struct tl_text *text, uint32_t field, int64_t n);
void
tl_pb_put_bytes(struct tl_text *text, uint32_t field, struct tl_bytes bytes);
/* Append a string as valid UTF-8, with the escapes of tl_put_plain(). */
void
tl_pb_put_plain(struct tl_text *text, uint32_t field, struct tl_bytes bytes);

/*
 * Open a message inside: fields follow until close, which takes the value that
 * open returned.  Messages nest.
 */
size_t tl_pb_open(struct tl_text *text, uint32_t field);
void tl_pb_close(struct tl_text *text, size_t content);

#endif
