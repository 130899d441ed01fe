/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lincheck.c - Lincheck traces: the meaning of their objects, the faults of
 * files, and that traces are written again byte by byte.
 */
#include "lib/lincheck.h"
#include "format/lincheck/lincheck.h"
#include "lib/random.h"
#include "lib/test.h"

#include <errno.h>

static struct foreign f;

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

/*
 * Put the strings 1 to 3, location 0, classes, and a method of five parameters.
 */
static void
put_definitions(void)
{
	static const char types[] = "\x06\0\0\0\x05\x08\0\x10"
				    "java.lang.Object"
				    "\x00\x00\x06\x07\x02\x08\0\x01"
				    "T";

	put_string(1, "Counter.java");
	put_string(2, "a.b.Counter");
	put_string(3, "main");
	put_location(0, 1, 2, 3, 17);
	put_class(3, "a.b.Counter");
	put_method(4, 3, "add", types, sizeof(types) - 1);
	put_class(7, "a.b.Outer$Inner");
}

static void
put_big_call(void)
{
	put_point(0, 0, 0, 1);
	put_i32(4);
	put_object(3, 4711);
	put_i32(5);
	put_object(7, -12);
	put_i32(-1);
	put_value(-6, UINT64_MAX, 8);
	put_value(-3, 0x80, 1);
	put_text_value(-10, "two words; \\ and \n");
}

TEST(what_waits_goes_on_as_soon_as_it_can)
{
	put_header(8);
	start_block(1);
	put_call(-1, 1, 5, 0);
	put_void_footer();
	end_block();
	start_block(0);
	foreign_init(&f);
	ck_assert_ok(tl_lincheck_read_new(&f.reader, &f.sink.sink, NULL));
	ck_assert_ok(f.reader->feed(f.reader, tl_bytes(file.data, file.size)));
	ck_assert_uint_eq(f.sink.count, 0);
	tl_text_clear(&file);
	put_main();
	ck_assert_ok(f.reader->feed(f.reader, tl_bytes(file.data, file.size)));
	ck_assert_uint_eq(f.sink.count, 2);
	foreign_free(&f);
}

TEST(a_file_waits_for_its_last_definition)
{
	enum { CALLS = 60000 };

	put_header(8);
	start_block(1);
	for (int i = 0; i < CALLS; i++) {
		put_call(-1, 1, i, 0);
		put_void_footer();
	}
	end_block();
	start_block(0);
	put_main();
	end_block();
	put_eof();
	foreign_run(&f, tl_lincheck_read_new, NULL,
	    tl_bytes(file.data, file.size), 4096);
	ck_assert_int_eq(f.rc, 0);
	ck_assert_str_eq(tl_text_string(&f.said.text), "");
	ck_assert_uint_eq(f.sink.count, 2 * CALLS);
	foreign_free(&f);
}

/* Put a file with objects of all kinds. */
static void
put_all(void)
{
	put_header(8);
	start_block(0);
	put_definitions();
	put_big_call();
	put_variable(6, "i");
	put_point(2, 0, 0, 13);
	put_i32(6);
	put_value(-13, 1, 1);
	put_field(1, 3, "count", true, false);
	put_point(3, 0, 0, 15);
	put_i32(1);
	put_i32(-1);
	put_text_value(-10, "x");
	end_block();
	start_block(1);
	put_call(-1, 1, 16, 4);
	put_void_footer();
	end_block();
	start_block(0);
	put_void_footer();
	end_block();
	put_eof();
}

TEST(a_file_may_be_cut_at_every_byte)
{
	struct foreign whole;

	put_all();
	foreign_run(&whole, tl_lincheck_read_new, NULL,
	    tl_bytes(file.data, file.size), 0);
	for (size_t size = 17; size < file.size; size++) {
		foreign_run(&f, tl_lincheck_read_new, tl_lincheck_write_new,
		    tl_bytes(file.data, size), 0);
		ck_assert_int_eq(f.rc, 0);
		ck_assert_ptr_nonnull(strstr(tl_text_string(&f.said.text),
		    "the trace ends before its end"));
		/* the events are the first ones of the whole file */
		ck_assert_int_eq(strncmp(tl_text_string(&f.sink.text),
				     tl_text_string(&whole.sink.text),
				     f.sink.text.size),
		    0);
		foreign_free(&f);
	}
	foreign_free(&whole);
}

/*
 * A trace that was read and written must stay the same when it is read and
 * written again.
 */
static void
check_again(const struct tl_text *out)
{
	struct foreign again, third;

	foreign_run(&again, tl_lincheck_read_new, tl_lincheck_write_new,
	    tl_bytes(out->data, out->size), 0);
	ck_assert_int_eq(again.rc, 0);
	ck_assert_ptr_null(
	    strstr(tl_text_string(&again.said.text), "unfinished"));
	ck_assert_ptr_null(
	    strstr(tl_text_string(&again.said.text), "left out"));
	foreign_run(&third, tl_lincheck_read_new, NULL,
	    tl_bytes(again.out.data, again.out.size), 0);
	ck_assert_str_eq(tl_text_string(&third.sink.text),
	    tl_text_string(&again.sink.text));
	foreign_free(&again);
	foreign_free(&third);
}

TEST(a_bit_may_flip)
{
	put_all();
	for (size_t i = 16 * 8; i < file.size * 8; i++) {
		file.data[i / 8] ^= (char)(1 << i % 8);
		foreign_run(&f, tl_lincheck_read_new, tl_lincheck_write_new,
		    tl_bytes(file.data, file.size), 0);
		ck_assert_int_eq(f.rc, 0);
		check_again(&f.out);
		foreign_free(&f);
		file.data[i / 8] ^= (char)(1 << i % 8);
	}
}

TEST(calls_nest_as_deep_as_they_like)
{
	enum { DEPTH = 1000000 };

	put_header(8);
	start_block(0);
	put_main();
	for (int i = 0; i < DEPTH; i++)
		put_call(-1, 0, i, 0);
	for (int i = 0; i < DEPTH; i++)
		put_void_footer();
	end_block();
	put_eof();
	foreign_run(&f, tl_lincheck_read_new, tl_lincheck_write_new,
	    tl_bytes(file.data, file.size), 1 << 16);
	ck_assert_int_eq(f.rc, 0);
	ck_assert_uint_eq(f.sink.count, 2 * DEPTH);
	ck_assert_str_eq(tl_text_string(&f.said.text), "");
	ck_assert_str_eq(tl_text_string(&f.noted.text), "");
	ck_assert_uint_eq(f.out.size, file.size);
	ck_assert_int_eq(memcmp(f.out.data, file.data, file.size), 0);
	foreign_free(&f);
}
