/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parquet.c - the elements of a Parquet file, decoded again by hand: structs,
 * packed numbers, bounds.
 */
#include "format/parquet/encode.h"

#include "lib/random.h"
#include "lib/test.h"

enum { VALUES_MAX = 1000 };

static struct tl_text text;
static uint64_t seed;

static void
setup(void)
{
	text = (struct tl_text){ 0 };
	seed = 1;
}

static void
teardown(void)
{
	tl_text_free(&text);
}

static void
has(const char *bytes, size_t size)
{
	ck_assert_int_eq(text.rc, 0);
	ck_assert_uint_eq(text.size, size);
	ck_assert_mem_eq(text.data, bytes, size);
	tl_text_clear(&text);
}

/* == thrift == */

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 600);

TEST(a_field_says_how_far_it_is_from_the_one_before)
{
	struct tl_thrift t = { .text = &text };

	tl_thrift_put_i32(&t, 1, 1);
	tl_thrift_put_i32(&t, 16, -1);
	has("\x15\x02\xf5\x01", 4);
	tl_thrift_put_i64(&t, 32, INT64_MIN);
	has("\x06\x40\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
	tl_thrift_put_bool(&t, 33, true);
	tl_thrift_put_bool(&t, 34, false);
	tl_thrift_put_i8(&t, 35, -1);
	tl_thrift_put_bytes(&t, 36, tl_bytes("a\0", 2));
	has("\x11\x12\x13\xff\x18\x02"
	    "a\0",
	    8);
}

TEST(structs_nest_and_lists_count)
{
	struct tl_thrift t = { .text = &text };
	int last;

	tl_thrift_put_i32(&t, 7, 0);
	last = tl_thrift_open(&t, 8);
	tl_thrift_put_i32(&t, 1, 0);
	tl_thrift_close(&t, last);
	tl_thrift_put_nothing(&t, 9);
	tl_thrift_end(&t);
	has("\x75\x00\x1c\x15\x00\x00\x1c\x00\x00", 9);
	t.last = 0;
	tl_thrift_list(&t, 1, TL_THRIFT_I32, 14);
	tl_thrift_item_i32(&t, 64);
	tl_thrift_list(&t, 2, TL_THRIFT_STRUCT, 300);
	tl_thrift_item_bytes(&t, tl_bytes_of("x"));
	has("\x19\xe5\x80\x01\x19\xfc\xac\x02\x01x", 10);
}

/* == packed bits, read one by one == */

/*
 * ck_assert() writes each assertion to a file, which is too slow for millions.
 */
#define EXPECT(condition) \
	do { \
		if (!(condition)) \
			ck_abort_msg("not so: %s", #condition); \
	} while (0)

struct bits {
	const uint8_t *data;
	size_t size;
	size_t at; /* in bits */
};

static uint64_t
take_bits(struct bits *b, unsigned width)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < width; i++, b->at++) {
		EXPECT(b->at / 8 < b->size);
		value |= (uint64_t)(b->data[b->at / 8] >> b->at % 8 & 1) << i;
	}
	return value;
}

static uint64_t
take_varint(struct bits *b)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = take_bits(b, 8);
		value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

static uint64_t
take_zigzag(struct bits *b)
{
	const uint64_t n = take_varint(b);

	return n >> 1 ^ -(n & 1);
}

static struct bits
all_bits(void)
{
	ck_assert_int_eq(text.rc, 0);
	return (struct bits){ (const uint8_t *)text.data, text.size, 0 };
}

/*
 * Expect exactly these values in a hybrid, and the padding of its last packed
 * group.
 */
static void
expect_hybrid(const uint64_t *values, size_t count, unsigned width)
{
	struct bits b = all_bits();
	size_t i = 0;

	while (i < count) {
		const uint64_t head = take_varint(&b);
		const size_t n = head & 1 ? (head >> 1) * 8 : head >> 1;
		const uint64_t same =
		    head & 1 ? 0 : take_bits(&b, (width + 7) / 8 * 8);

		EXPECT(n > 0);
		for (size_t k = 0; k < n; k++, i++) {
			const uint64_t value =
			    head & 1 ? take_bits(&b, width) : same;

			if (i < count)
				EXPECT(value == values[i]);
		}
	}
	ck_assert_uint_lt(i, count + 8);
	ck_assert_uint_eq(b.at, b.size * 8);
	tl_text_clear(&text);
}

/* Make runs of any length of values below most. */
static size_t
random_runs(uint64_t *values, uint64_t most)
{
	const size_t count = 1 + random_below(&seed, VALUES_MAX - 8);
	size_t run = 0;

	for (size_t i = 0; i<count; i++, run -= run> 0) {
		if (run == 0) {
			run = random_below(&seed, 2) ? 1
						     : random_below(&seed, 60);
			values[i] = random_below(&seed, most);
		} else {
			values[i] = values[i - 1];
		}
	}
	return count;
}

TEST(indices_come_back)
{
	uint64_t values[VALUES_MAX], packed[VALUES_MAX];

	for (unsigned i = 0; i < 2000; i++) {
		const unsigned width = 1 + i % 32;
		const size_t count = random_runs(values, UINT64_C(1) << width);

		memcpy(packed, values, sizeof(packed));
		tl_parquet_put_indices(&text, packed, count, width);
		expect_hybrid(values, count, width);
	}
}

TEST(levels_come_back)
{
	uint64_t values[VALUES_MAX];
	uint8_t levels[VALUES_MAX];

	for (unsigned i = 0; i < 2000; i++) {
		const size_t count = random_runs(values, 2);

		for (size_t k = 0; k < count; k++)
			levels[k] = (uint8_t)values[k];
		tl_parquet_put_levels(&text, levels, count);
		expect_hybrid(values, count, 1);
	}
}

TEST(what_is_the_same_is_a_run)
{
	uint8_t levels[VALUES_MAX];

	memset(levels, 1, sizeof(levels));
	tl_parquet_put_levels(&text, levels, 1);
	has("\x02\x01", 2);
	tl_parquet_put_levels(&text, levels, 999);
	has("\xce\x0f\x01", 3);
	levels[500] = 0;
	tl_parquet_put_levels(&text, levels, 1000);
	ck_assert_uint_lt(text.size, 10);
}

TEST(booleans_are_bits)
{
	uint64_t values[16] = { 1, 0, 1, 1, 0, 0, 0, 1, 1, 0 };

	tl_parquet_put_bools(&text, values, 8);
	has("\x8d", 1);
	tl_parquet_put_bools(&text, values, 10);
	ck_assert_uint_eq(text.size, 2);
	ck_assert_int_eq((uint8_t)text.data[0], 0x8d);
	ck_assert_int_eq(text.data[1] & 3, 1);
}

static void
expect_delta(const uint64_t *values, size_t count, bool narrow)
{
	const uint64_t mask = narrow ? UINT32_MAX : UINT64_MAX;
	struct bits b = all_bits();
	uint64_t value;
	size_t i = 1;

	ck_assert_uint_eq(take_varint(&b), 128);
	ck_assert_uint_eq(take_varint(&b), 4);
	ck_assert_uint_eq(take_varint(&b), count);
	value = take_zigzag(&b);
	ck_assert_uint_eq(value & mask, values[0]);
	while (i < count) {
		const uint64_t least = take_zigzag(&b);
		uint64_t widths[4];

		for (unsigned k = 0; k < 4; k++)
			widths[k] = take_bits(&b, 8);
		for (unsigned k = 0; k < 128; k++) {
			const unsigned width = (unsigned)widths[k / 32];
			const uint64_t step = take_bits(&b, width);

			EXPECT(width <= (narrow ? 32 : 64));
			value += least + step;
			EXPECT(i >= count || (value & mask) == values[i]);
			/* a miniblock without values has no bits */
			EXPECT(i < count || k % 32 > 0 || width == 0);
			i++;
		}
	}
	ck_assert_uint_eq(b.at, b.size * 8);
	tl_text_clear(&text);
}

TEST(numbers_come_back)
{
	uint64_t values[VALUES_MAX];

	for (unsigned i = 0; i < 3000; i++) {
		const size_t count = 1 + random_below(&seed, VALUES_MAX - 1);
		const unsigned shift = (unsigned)random_below(&seed, 64);
		const bool narrow = random_below(&seed, 2);
		uint64_t at = random_next(&seed);

		for (size_t k = 0; k < count; k++) {
			at += random_next(&seed) >> shift;
			values[k] = narrow ? (uint32_t)at : at;
		}
		tl_parquet_put_delta(&text, values, count, narrow);
		expect_delta(values, count, narrow);
	}
}

TEST(numbers_at_their_ends_come_back)
{
	const uint64_t values[] = { 0, UINT64_MAX, 0, INT64_MAX,
		(uint64_t)INT64_MIN, 1, UINT64_MAX };
	const uint64_t narrow[] = { 0, UINT32_MAX, 0, INT32_MAX,
		(uint32_t)INT32_MIN, 1, UINT32_MAX };

	for (size_t count = 1; count <= 7; count++) {
		tl_parquet_put_delta(&text, values, count, false);
		expect_delta(values, count, false);
		tl_parquet_put_delta(&text, narrow, count, true);
		expect_delta(narrow, count, true);
	}
}

TEST(what_grows_evenly_takes_no_bits)
{
	uint64_t values[VALUES_MAX];

	for (size_t i = 0; i < VALUES_MAX; i++)
		values[i] = 1000000 + i * 100;
	tl_parquet_put_delta(&text, values, VALUES_MAX, false);
	ck_assert_uint_lt(text.size, 60);
}

/* == bounds == */

static void
bounds_are(enum tl_parquet_order order, const uint64_t *values, size_t count,
    uint64_t least, uint64_t most)
{
	struct tl_parquet_bounds bounds = { 0 };
	uint64_t low, high;

	for (size_t i = 0; i < count; i++)
		tl_parquet_bounds_take(&bounds, order, values + i, 1);
	ck_assert(tl_parquet_bounds_get(&bounds, order, &low, &high));
	ck_assert_uint_eq(low, least);
	ck_assert_uint_eq(high, most);
}

static uint64_t
bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

TEST(bounds_are_in_the_order_of_the_type)
{
	const uint64_t numbers[] = { 5, (uint64_t)-3, 7 };
	const uint64_t reals[] = { bits_of(-0.5), bits_of(2.5), bits_of(-7),
		bits_of(-__builtin_inf()) };
	const uint64_t zeros[] = { 0, bits_of(-0.0) };

	bounds_are(TL_PARQUET_UNSIGNED, numbers, 3, 5, (uint64_t)-3);
	bounds_are(TL_PARQUET_SIGNED, numbers, 3, (uint64_t)-3, 7);
	bounds_are(TL_PARQUET_REAL, reals, 3, bits_of(-7), bits_of(2.5));
	bounds_are(TL_PARQUET_REAL, reals, 4, reals[3], bits_of(2.5));
	bounds_are(TL_PARQUET_REAL, zeros, 1, bits_of(-0.0), 0);
	bounds_are(TL_PARQUET_REAL, zeros + 1, 1, bits_of(-0.0), 0);
}

TEST(what_has_no_order_has_no_bounds)
{
	struct tl_parquet_bounds bounds = { 0 };
	const uint64_t some[] = { bits_of(1), UINT64_C(0xfff8) << 48 };
	uint64_t least, most;

	ck_assert(!tl_parquet_bounds_get(&bounds, TL_PARQUET_UNSIGNED, &least,
	    &most));
	tl_parquet_bounds_take(&bounds, TL_PARQUET_REAL, some, 2);
	ck_assert(
	    !tl_parquet_bounds_get(&bounds, TL_PARQUET_REAL, &least, &most));
}

TEST(texts_are_in_the_order_of_their_bytes)
{
	static const char texts[] = "\2\0\0\0bb\0\0\0\0\3\0\0\0bba\2\0\0\0"
				    "\xc3\xa9";
	struct tl_bytes least, most;

	ck_assert(tl_parquet_bounds_of_texts(tl_bytes(texts, sizeof(texts) - 1),
	    &least, &most));
	ck_assert_uint_eq(least.size, 0);
	ck_assert(tl_bytes_equal(most, tl_bytes_of("\xc3\xa9")));
	ck_assert(
	    tl_parquet_bounds_of_texts(tl_bytes(texts, 6), &least, &most));
	ck_assert(tl_bytes_equal(least, tl_bytes_of("bb")));
	ck_assert(
	    !tl_parquet_bounds_of_texts(tl_bytes(texts, 0), &least, &most));
}

TEST(long_bounds_are_cut_between_letters)
{
	char long_text[100];

	memset(long_text, 'a', sizeof(long_text));
	ck_assert(tl_parquet_cut_least(&text, tl_bytes(long_text, 64)));
	has(long_text, 64);
	ck_assert(!tl_parquet_cut_least(&text, tl_bytes(long_text, 65)));
	has(long_text, 64);
	ck_assert(tl_parquet_cut_most(&text, tl_bytes(long_text, 64)));
	has(long_text, 64);
	ck_assert(!tl_parquet_cut_most(&text, tl_bytes(long_text, 65)));
	long_text[63] = 'b';
	has(long_text, 64);
	/* a cut would split this character */
	memcpy(long_text + 62, "\xe2\x82\xac", 3);
	ck_assert(!tl_parquet_cut_least(&text, tl_bytes(long_text, 70)));
	has(long_text, 62);
	memset(long_text + 10, 0x7f, 90); /* no byte can be increased */
	ck_assert(!tl_parquet_cut_most(&text, tl_bytes(long_text, 70)));
	has("aaaaaaaaab", 10);
	memset(long_text, 0x7f, sizeof(long_text));
	ck_assert(!tl_parquet_cut_most(&text, tl_bytes(long_text, 70)));
	has("", 0);
}
