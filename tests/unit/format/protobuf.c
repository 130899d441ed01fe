/* SPDX-License-Identifier: Apache-2.0 */
/* protobuf.c - fields that are written are read again. */
#include "format/protobuf.h"

#include "lib/protobuf_read.h"
#include "lib/test.h"

static struct tl_text text;

static void
setup(void)
{
	text = (struct tl_text){ 0 };
}

static void
teardown(void)
{
	tl_text_free(&text);
}

static struct tl_bytes
all(void)
{
	return tl_bytes(text.data, text.size);
}

static void
has(const char *bytes, size_t size)
{
	ck_assert_int_eq(text.rc, 0);
	ck_assert_uint_eq(text.size, size);
	ck_assert_mem_eq(text.data, bytes, size);
	tl_text_clear(&text);
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(a_varint_takes_seven_bits_a_byte)
{
	tl_pb_put_unsigned(&text, 1, 0);
	has("\x08\x00", 2);
	tl_pb_put_unsigned(&text, 1, 127);
	has("\x08\x7f", 2);
	tl_pb_put_unsigned(&text, 1, 128);
	has("\x08\x80\x01", 3);
	tl_pb_put_unsigned(&text, 15, 300);
	has("\x78\xac\x02", 3);
	tl_pb_put_unsigned(&text, 16, 1);
	has("\x80\x01\x01", 3);
	tl_pb_put_unsigned(&text, 1, UINT64_MAX);
	has("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
}

TEST(signed_numbers_below_zero_take_all_ten_bytes)
{
	tl_pb_put_signed(&text, 1, -1);
	has("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
	tl_pb_put_signed(&text, 1, INT64_MIN);
	has("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11);
}

TEST(fixed_numbers_take_eight_bytes)
{
	char room[16];
	const char *end = tl_pb_write_fixed64(room, 2, 0x0102030405060708);

	tl_put_bytes(&text, tl_bytes(room, (size_t)(end - room)));
	has("\x11\x08\x07\x06\x05\x04\x03\x02\x01", 9);
}

TEST(bytes_are_led_by_their_length)
{
	tl_pb_put_bytes(&text, 2, tl_bytes("a\0\xff", 3));
	has("\x12\x03"
	    "a\0\xff",
	    5);
	tl_pb_put_bytes(&text, 2, tl_bytes(NULL, 0));
	has("\x12\x00", 2);
}

TEST(plain_text_steers_nothing)
{
	tl_pb_put_plain(&text, 2, tl_bytes("\033\xff", 2));
	has("\x12\x08\\x1b\\xff", 10);
}

TEST(a_message_of_any_length_nests)
{
	static const size_t sizes[] = { 0, 1, 126, 127, 128, 129, 16382, 16383,
		16384, 100000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const size_t outer = tl_pb_open(&text, 1);
		const size_t inner = tl_pb_open(&text, 2);
		struct tl_bytes in;

		tl_put_repeat(&text, 'x', sizes[i]);
		tl_pb_close(&text, inner);
		tl_pb_put_unsigned(&text, 3, 7);
		tl_pb_close(&text, outer);
		in = pb_bytes(all(), 1);
		ck_assert_uint_eq(pb_value(in, 3), 7);
		in = pb_bytes(in, 2);
		ck_assert_uint_eq(in.size, sizes[i]);
		for (size_t at = 0; at < in.size; at++)
			ck_assert_int_eq(in.data[at], 'x');
		tl_text_clear(&text);
	}
}

TEST(what_is_written_is_what_is_put)
{
	char room[400], *to = room, *content;
	size_t message;

	content = to = tl_pb_write_open(to, 9);
	to = tl_pb_write_unsigned(to, 20, 1u << 20);
	memset(to, 0, 200);
	to = tl_pb_write_close(content, to + 200);
	message = tl_pb_open(&text, 9);
	tl_pb_put_unsigned(&text, 20, 1u << 20);
	tl_put_repeat(&text, '\0', 200);
	tl_pb_close(&text, message);
	has(room, (size_t)(to - room));
}

TEST(a_text_without_memory_stays_without)
{
	size_t message;

	text.rc = -12;
	message = tl_pb_open(&text, 1);
	tl_pb_put_unsigned(&text, 1, 1);
	tl_pb_put_plain(&text, 1, tl_bytes_of("x"));
	tl_pb_put_bytes(&text, 1, tl_bytes_of("x"));
	tl_pb_close(&text, message);
	ck_assert_uint_eq(text.size, 0);
	ck_assert_int_eq(text.rc, -12);
}
