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

static void
run(void)
{
	const struct tl_bytes in = tl_bytes(file.data, file.size);

	foreign_check_pieces(tl_lincheck_read_new, in);
	foreign_run(&f, tl_lincheck_read_new, tl_lincheck_write_new, in, 0);
}

/* Check the events and the diagnostics. */
static void
check(const char *events, const char *said)
{
	run();
	ck_assert_int_eq(f.rc, 0);
	ck_assert_str_eq(tl_text_string(&f.sink.text), events);
	ck_assert_str_eq(tl_text_string(&f.said.text), said);
	foreign_free(&f);
}

/* The trace is written again as it was. */
static void
check_exact(void)
{
	run();
	ck_assert_int_eq(f.rc, 0);
	ck_assert_str_eq(tl_text_string(&f.said.text), "");
	ck_assert_str_eq(tl_text_string(&f.noted.text), "");
	ck_assert_uint_eq(f.out.size, file.size);
	ck_assert_mem_eq(tl_text_string(&f.out), tl_text_string(&file),
	    file.size);
	foreign_free(&f);
}

/* The bytes of a trace, as DataOutputStream writes them. */
static const char by_hand[] = "\x70\x6e\x54\x71\x24\xee\x5f\x70"
			      "\0\0\0\0\0\0\0\x08"
			      "\x08\0\0\0\0"
			      "\x00\0\0\0\x05\0\x06"
			      "a.Main"
			      "\x01\0\0\0\x09\0\0\0\x05\0\x04"
			      "main"
			      "\x06\0\0\0\x01\x06"
			      "\x06\0\xff\xff\xff\xff\0\0\0\0\0\0\0\x2a"
			      "\0\0\0\x09\xff\xff\xff\xff"
			      "\0\0\0\x01\xff\xff\xff\xfb\0\0\0\x07"
			      "\x07\xff\xff\xff\xfb\xff\xff\xff\xff\0\0"
			      "\x09"
			      "\x0a";

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST(a_trace_is_read)
{
	tl_put_bytes(&file, tl_bytes(by_hand, sizeof(by_hand) - 1));
	check("42 call > Main.main(1(7))\n"
	      "42 return returned result(-1)\n"
	      "42 call < Main.main(1)\n",
	    "");
	check_exact();
}

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

TEST(a_call_has_its_values_and_its_place)
{
	put_header(8);
	start_block(0);
	put_definitions();
	put_big_call();
	put_n(7, 1);
	put_object(7, 5);
	put_utf("");
	end_block();
	put_eof();
	check("1 call > Counter.add(this(Counter@4711), 1(Outer.Inner@-12), "
	      "2(null), more(-1 -128 two\\\\20words\\\\3b\\\\20\\\\5c\\\\20and"
	      "\\\\20\\\\0a))\n"
	      "1 return returned result(Outer.Inner@5)\n"
	      "1 call < Counter.add(this, 1, 2, more)\n",
	    "");
	check_exact();
}

/* Put calls of one parameter with a value of every tag. */
static void
put_values(void)
{
	static const struct {
		int32_t tag;
		uint64_t n;
		unsigned size;
	} values[] = {
		{ -1, 0, 0 },
		{ -2, 0, 0 },
		{ -3, 0xff, 1 },
		{ -4, 0x8000, 2 },
		{ -5, 0x80000000, 4 },
		{ -6, 0x8000000000000000, 8 },
		{ -7, 0x3fc00000, 4 },
		{ -7, 0x7fa12345, 4 },
		{ -8, 0x4004000000000000, 8 },
		{ -8, 0x7ff0000000000001, 8 },
		{ -9, 0x41, 2 },
		{ -9, 0, 2 },
		{ -9, 0xe9, 2 },
		{ -9, 0xd800, 2 },
		{ -9, 0xffff, 2 },
		{ -11, 0, 0 },
		{ -13, 0, 1 },
		{ -13, 1, 1 },
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		put_point(0, -1, 0, (int32_t)i);
		put_i32(0);
		put_i32(-1);
		put_i32(1);
		put_value(values[i].tag, values[i].n, values[i].size);
		put_n(7, 1);
		put_value(values[i].tag, values[i].n, values[i].size);
		put_utf("");
	}
}

TEST(every_tag_comes_back)
{
	put_header(8);
	start_block(0);
	put_main();
	put_values();
	put_point(0, -1, 0, 90);
	put_i32(0);
	put_text_value(-12, "Color.RED");
	put_i32(1);
	put_text_value(-10, "a\xc0\x80z \xed\xa0\xbd\xed\xb8\x80 \xed\xa0\x80");
	put_n(7, 1);
	put_i32(-1);
	put_utf("IllegalStateException");
	put_call(-1, 0, 91, 0);
	put_n(7, 1);
	put_value(-5, 3, 4);
	put_utf("Both");
	put_call(-1, 0, 92, 0);
	put_n(7, 1);
	put_i32(-2);
	put_utf("Thrown");
	end_block();
	put_eof();
	check_exact();
}

TEST(reads_and_writes_are_instants)
{
	put_header(8);
	start_block(2);
	put_main();
	put_call(-1, 2, 10, 0);
	put_class(9, "int[]");
	put_point(1, -1, 2, 11);
	put_object(9, 5);
	put_i32(3);
	put_value(-5, 8, 4);
	put_point(4, -1, 2, 12);
	put_object(9, 5);
	put_i32(-1);
	put_i32(-1);
	put_variable(6, "i");
	put_point(2, -1, 2, 13);
	put_i32(6);
	put_value(-13, 1, 1);
	put_point(5, -1, 2, 14);
	put_i32(6);
	put_value(-7, 0x3fc00000, 4);
	put_field(1, 0, "count", true, false);
	put_point(3, -1, 2, 15);
	put_i32(1);
	put_i32(-1);
	put_text_value(-10, "x");
	put_field(2, 0, "$x", false, true);
	put_point(6, -1, 2, 16);
	put_i32(2);
	put_object(0, 77);
	put_value(-9, 'c', 2);
	put_void_footer();
	end_block();
	put_eof();
	check("10 call > Main.main()\n"
	      "11 read array(int[]@5)[index(3)] \xe2\x86\x92 value(8)\n"
	      "12 write array(int[]@5)[index(-1)] \xe2\x86\x90 value(null)\n"
	      "13 read i \xe2\x86\x92 value(true)\n"
	      "14 write i \xe2\x86\x90 value(1.5)\n"
	      "15 read Main.count \xe2\x86\x92 value(x)\n"
	      "16 write object(Main@77)..x \xe2\x86\x90 value(c)\n"
	      "16 call < Main.main()\n",
	    "");
	check_exact();
}

/* Thread 1 refers to definitions that thread 0 makes in a later block. */
TEST(what_is_defined_later_is_waited_for)
{
	put_header(8);
	start_block(1);
	put_call(-1, 1, 5, 0);
	put_void_footer();
	end_block();
	start_block(0);
	put_main();
	put_call(-1, 0, 4, 0);
	put_void_footer();
	end_block();
	put_eof();
	check("5 call > Main.main()\n5 call < Main.main()\n"
	      "4 call > Main.main()\n4 call < Main.main()\n",
	    "");
	tl_text_clear(&file);
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
	ck_assert_int_eq(tl_lincheck_read_new(&f.reader, &f.sink.sink, NULL),
	    0);
	ck_assert_int_eq(f.reader->feed(f.reader,
			     tl_bytes(file.data, file.size)),
	    0);
	ck_assert_uint_eq(f.sink.count, 0);
	tl_text_clear(&file);
	put_main();
	ck_assert_int_eq(f.reader->feed(f.reader,
			     tl_bytes(file.data, file.size)),
	    0);
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

TEST(what_is_never_defined_is_said)
{
	put_header(8);
	start_block(0);
	put_call(3, 0, 5, 8);
	put_n(7, 1);
	put_object(2, 1);
	put_utf("");
	end_block();
	put_eof();
	check("5 call > method 8()\n5 return returned result(class 2@1)\n"
	      "5 call < method 8()\n",
	    "-74 21 what is referred to is never defined (2 times)\n");
}

/* Put two threads whose calls continue from block to block. */
static void
put_interleaved(void)
{
	put_header(8);
	start_block(0);
	put_main();
	put_call(-1, 0, 1, 0);
	end_block();
	start_block(1);
	put_call(-1, 1, 2, 0);
	put_call(-1, 1, 3, 0);
	end_block();
	start_block(0);
	put_call(-1, 0, 4, 0);
	put_void_footer();
	put_void_footer();
	end_block();
	start_block(1);
	put_void_footer();
	put_void_footer();
	end_block();
	start_block(0);
	end_block();
	put_eof();
}

TEST(blocks_of_threads_go_on)
{
	put_interleaved();
	check("1 call > Main.main()\n"
	      "2 call > Main.main()\n3 call > Main.main()\n"
	      "4 call > Main.main()\n4 call < Main.main()\n"
	      "4 call < Main.main()\n"
	      "3 call < Main.main()\n3 call < Main.main()\n",
	    "");
	check_exact();
}

TEST(a_thing_may_be_defined_twice)
{
	put_header(8);
	start_block(0);
	put_main();
	put_main();
	put_call(-1, 0, 1, 0);
	put_void_footer();
	put_class(0, "b.Other");
	put_call(-1, 0, 2, 0);
	put_void_footer();
	end_block();
	put_eof();
	check("1 call > Main.main()\n1 call < Main.main()\n"
	      "2 call > Main.main()\n2 call < Main.main()\n",
	    "-74 120 an id is defined again: the first stays\n");
}

TEST(other_versions_are_refused)
{
	put_header(24);
	ck_assert_uint_eq(tl_lincheck_recognise(tl_bytes(file.data, file.size)),
	    100);
	run();
	ck_assert_int_eq(f.rc, -EBADMSG);
	ck_assert_str_eq(tl_text_string(&f.said.text),
	    "-71 8 Lincheck trace of version 24; versions 8 to 23 are "
	    "read\n");
	foreign_free(&f);
	tl_text_clear(&file);
	put_n(0x706e547124ee5f71, 8);
	put_n(8, 8);
	ck_assert_uint_eq(tl_lincheck_recognise(tl_bytes(file.data, file.size)),
	    0);
	run();
	ck_assert_int_eq(f.rc, -EBADMSG);
	ck_assert_str_eq(tl_text_string(&f.said.text),
	    "-74 0 not a Lincheck trace\n");
	foreign_free(&f);
}

TEST(calls_and_footers_that_miss_the_other_are_said)
{
	put_header(8);
	start_block(0);
	put_main();
	put_void_footer();
	put_call(-1, 0, 1, 0);
	end_block();
	put_eof();
	check("1 call > Main.main()\n",
	    "-74 54 a footer without a call is left out\n"
	    "0 - a call is unfinished\n");
}

TEST(damage_is_skipped_to_the_next_block)
{
	put_header(8);
	start_block(0);
	put_main();
	put_call(-1, 0, 1, 0);
	put_n(99, 1);
	put_void_footer();
	end_block();
	start_block(1);
	put_call(-1, 1, 2, 0);
	put_void_footer();
	end_block();
	put_eof();
	check("1 call > Main.main()\n2 call > Main.main()\n"
	      "2 call < Main.main()\n",
	    "-74 80 no object: skipped to the next block\n"
	    "-74 80 a byte is skipped (9 times)\n"
	    "0 - a call is unfinished\n");
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

TEST(all_kinds_come_back)
{
	put_all();
	check_exact();
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
