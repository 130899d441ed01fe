/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lincheck_versions.c - every version of Lincheck's traces, made from the table
 * of its fields.  All points are read as they were written and printed as their
 * release prints them, however the file is cut; and a copy obeys the readers of
 * version 8.
 */
#include "format/lincheck/lincheck.h"
#include "format/lincheck/object.h"
#include "format/lincheck/print.h"
#include "lib/lincheck.h"
#include "lib/test.h"

#include <errno.h>

enum { FIRST = 8, LAST = 23, THREAD = 4 };

static unsigned version;
static bool has_trace_id; /* of version 18 */

static void
kind(unsigned of_8)
{
	unsigned n = of_8;

	if (version >= 9 && of_8 >= 5)
		n++;
	if (version >= 10)
		n++;
	put_n(n, 1);
}

static void
path_kind(void)
{
	put_n(version >= 10 ? 6 : 5, 1);
}

/* Put an object type with a name, or int without one. */
static void
put_type(const char *name)
{
	put_n(name ? 8 : 6, 1);
	if (name)
		put_utf(name);
}

static int32_t
text_id(int32_t i)
{
	return version >= 20 ? i : i + 1;
}

static void
define_texts(void)
{
	static const char *const texts[] = { "Main.kt", "a.Main", "run" };

	for (int32_t i = 0; i < 3; i++) {
		kind(4);
		put_i32(text_id(i));
		put_utf(texts[i]);
	}
}

static void
define_class(int32_t id, const char *name)
{
	kind(0);
	put_i32(id);
	put_utf(name);
}

static void
define_method(int32_t id, int32_t class, const char *name, unsigned argc)
{
	kind(1);
	put_i32(id);
	put_i32(class);
	put_utf(name);
	put_n(10, 1);
	put_i32((int32_t)argc);
	for (unsigned i = 0; i < argc; i++)
		put_type(NULL);
}

static void
define_field(int32_t id, int32_t class, const char *name)
{
	kind(2);
	put_i32(id);
	put_i32(class);
	put_utf(name);
	if (version >= 15)
		put_type("java.lang.Object");
	put_n(0, 1);
	put_n(1, 1);
	if (version >= 21)
		put_n(1, 1);
}

static void
define_variable(int32_t id, const char *name)
{
	kind(3);
	put_i32(id);
	put_utf(name);
	if (version >= 16)
		put_type("a.Box");
}

/* Define a path of steps (kind, id). */
static void
define_path(int32_t id, const int32_t *steps, int32_t count)
{
	if (version < 9)
		return;
	path_kind();
	put_i32(id);
	put_i32(count);
	for (int32_t i = 0; i < count; i++) {
		put_n((uint64_t)steps[2 * i], 1);
		put_i32(steps[2 * i + 1]);
	}
}

static void
define_location(int32_t id, int32_t line, int32_t path, int32_t argument)
{
	kind(5);
	if (version >= 20)
		put_n(2, 1);
	put_i32(id);
	for (int32_t i = 0; i < 3; i++)
		put_i32(text_id(i));
	put_i32(line);
	if (version >= 9)
		put_i32(path);
	if (version >= 12) {
		put_i32(argument >= 0);
		if (argument >= 0)
			put_i32(argument);
	}
	if (version >= 14) {
		put_i32(2);
		put_i32(text_id(0));
		put_i32(text_id(2));
	}
	if (version >= 19) {
		put_i32(0);
		put_i32(1);
	}
}

static void
define_all(void)
{
	static const int32_t box[] = { 0, 0 }, i[] = { 0, 1 };
	static const int32_t element[] = { 0, 0, 4, 3 };
	static const int32_t deep[] = { 0, 2, 2, 0, 3, 7 };

	define_texts();
	define_class(0, "a.Main");
	define_class(1, "a.Box");
	define_method(0, 0, "run", 0);
	define_method(1, 1, "put", 1);
	define_field(0, 1, "n");
	define_variable(0, "box");
	define_variable(1, "i$iv");
	define_variable(2, "this");
	define_path(0, box, 1);
	define_path(3, i, 1);
	define_path(2, element, 2);
	define_path(1, deep, 3);
	define_location(0, 5, -1, -1);
	define_location(1, 6, 0, 3);
	define_location(2, 7, 2, -1);
	define_location(3, 8, 1, -1);
}

static const uint8_t class_of_23[] = { 6, 4, 5, 3, 1, 2, 0, 7, 8, 11, 9, 10 };

static void
point(unsigned of_8, int32_t location, int32_t event, int8_t diff)
{
	const bool opens = of_8 == 0 || of_8 == 7 || of_8 == 8;

	kind(6);
	put_n(version >= 23 ? class_of_23[of_8] : of_8, 1);
	put_i32(location);
	put_i32(THREAD);
	put_i32(event);
	if (version < 14)
		return;
	put_n((uint8_t)diff, 1);
	if (!opens)
		return;
	if (diff >= 0) {
		put_n(2, 1);
		put_n(0, 1);
		put_n((uint8_t)diff, 1);
	} else {
		put_n(version >= 23 ? 0xff : 0, 1);
	}
}

/* Put an object of class 1 that holds { n: 3, next: [null, object] of 9 }. */
static void
put_box(int32_t hash)
{
	put_object(1, hash);
	if (version < 19)
		return;
	put_i32(2);
	put_utf("n");
	put_value(-5, 3, 4);
	put_utf("next");
	put_object(0, 44);
	put_i32(-2 - 1);
	put_i32(-1);
	put_object(1, 45);
	put_i32(0);
	put_i32(9);
}

static void
footer(void)
{
	kind(7);
}

static void
put_exception(const char *name)
{
	if (version < 23) {
		put_utf(name);
		return;
	}
	put_n(name[0] != '\0', 1);
	if (name[0])
		put_utf(name);
}

static void
put_flags(void)
{
	if (version >= 11)
		put_n(1, 2);
}

static void
put_loop(void)
{
	point(7, 0, 6, -1);
	put_i32(17);
	for (int32_t i = 0; i < 2; i++) {
		point(8, 0, 7 + 2 * i, -1);
		put_i32(17);
		put_i32(i);
		point(5, 0, 8 + 2 * i, -1);
		put_i32(1);
		if (i == 0)
			put_text_value(-14, "String.class");
		else
			put_text_value(-15, "Box.kclass");
		footer();
	}
	point(2, 0, 11, -1);
	put_i32(1);
	put_i32(-16);
	put_i32(3);
	put_utf("b\n");
	footer();
	put_i32(0);
}

static void
put_breakpoint(void)
{
	point(9, 0, 12, -1);
	if (version >= 22) {
		for (unsigned i = 0; i < 16; i++)
			put_n(i, 1);
	}
	put_i32(4);
	for (int32_t i = 0; i < 4; i++)
		put_i32(i);
	put_n(1700000000000, 8);
	if (version >= 17) {
		put_i32(2);
		put_value(-5, 1, 4);
		put_box(9);
	}
	if (version > 18 || (version == 18 && has_trace_id)) {
		put_n(1, 1);
		put_utf("trace-0");
	}
}

static void
make_calls(void)
{
	point(0, 0, 1, -1);
	put_i32(0);
	put_i32(-1);
	put_i32(0);
	put_flags();
	point(0, 1, 2, 1);
	put_i32(1);
	put_box(7);
	put_i32(1);
	put_value(-5, 4, 4);
	put_flags();
	point(3, 1, 3, 2);
	put_i32(0);
	put_box(7);
	put_value(-7, 0x3eaaaaab, 4);
	point(4, 2, 4, -1);
	put_box(8);
	put_i32(2);
	put_text_value(-10, "x\ty");
	point(1, 3, 4, -1);
	put_box(8);
	put_i32(-2);
	put_value(-8, 0x416312d000000000, 8); /* 1.0E7 */
	footer();
	put_text_value(-10, "<unfinished method>");
	put_exception("");
	point(5, -1, 5, -1);
	put_i32(1);
	put_value(-6, 5, 8);
	if (version >= 13)
		put_loop();
	if (version >= 15)
		put_breakpoint();
	for (unsigned i = 10; version >= 18 && i < 12; i++) {
		point(i, 0, 13, -1);
		put_box(9);
	}
	footer();
	put_i32(-1);
	put_exception("Oops");
}

static void
make_file(unsigned v)
{
	version = v;
	tl_text_clear(&file);
	put_header(v);
	kind(8);
	put_i32(THREAD);
	if (v >= 10) {
		put_n(0, 1);
		put_i32(THREAD);
		put_utf("main");
	}
	define_all();
	make_calls();
	kind(9);
	kind(10);
}

/* Make the text that the release prints. */
static void
expect(struct tl_text *to)
{
	const bool paths = version >= 9, names = version >= 12;
	const bool diffs = version >= 14;

	tl_put_string(to, "Main.run() at Main.kt:5\n");
	tl_put_format(to, "%s%s.put(%s4) at Main.kt:6\n", diffs ? "- " : "",
	    paths ? "box" : "Box@7", names ? "i \xe2\x9e\x9c " : "");
	tl_put_format(to, "%s%s.n \xe2\x9e\x9c 0.33333334 at Main.kt:6\n",
	    diffs ? "+ " : "", paths ? "box" : "Box@7");
	tl_put_format(to, "%s[2] = \"x\\ty\" at Main.kt:7\n",
	    paths ? "box[i]" : "Box@8");
	tl_put_format(to, "%s[-2] \xe2\x9e\x9c 1.0E7 at Main.kt:8\n",
	    paths ? "n[7]" : "Box@8");
	tl_put_format(to, ": %s<unfinished method>%s\n", names ? "" : "\"",
	    names ? "" : "\"");
	tl_put_string(to, "i = 5 at :0\n");
	if (version >= 13)
		tl_put_string(to, "loop(2 iterations) at Main.kt:5\n"
				  "<iteration 1> at Main.kt:5\n"
				  "i = String.class at Main.kt:5\n"
				  "<iteration 2> at Main.kt:5\n"
				  "i = Box.kclass at Main.kt:5\n"
				  "i \xe2\x9e\x9c StringBuilder@3(\"b\\n\") at "
				  "Main.kt:5\n");
	if (version >= 15 && version < 20)
		tl_put_string(to,
		    "Live line breakpoint [2023-11-14T22:13:20Z] (main) at "
		    "Main.kt:5 stacktrace: [Main.run, Main.run, Main.run ... "
		    "(1 more)]\n");
	if (version >= 20)
		tl_put_format(to,
		    "Live breakpoint%s at Main.kt:5, stacktrace: [Main.run, "
		    "Main.run, Main.run ... (1 more)]\n",
		    version >= 22 ? " [00010203-0405-0607-0809-0a0b0c0d0e0f]"
				  : "");
	if (version >= 18)
		tl_put_string(to, "throw Box@9 at Main.kt:5\n"
				  "catch(Box@9) at Main.kt:5\n");
	tl_put_string(to, ": threw Oops\n");
}

/* Print all events but ends. */
struct printer {
	struct tl_sink sink;
	struct tl_text text;
};

static int
print(struct tl_sink *sink, const struct tl_event *event)
{
	struct printer *p = (struct printer *)(void *)sink;
	const struct tl_lincheck_print how = { .verbose = true,
		.children = 2,
		.thread = tl_bytes_of("main") };

	if (event->kind == TL_END)
		return 0;
	ck_assert(tl_lincheck_print(&p->text, event, &how));
	tl_put_char(&p->text, '\n');
	return 0;
}

static void
check_printed(size_t step)
{
	struct foreign_report said = { .text = { 0 } };
	struct printer printer = { .sink = { print, NULL } };
	struct tl_reader_thread thread;
	struct tl_text expected = { 0 };
	struct tl_reader *reader;

	said.report = (struct tl_report){ foreign_say, &said.text };
	ck_assert_ok(
	    tl_lincheck_read_new(&reader, &printer.sink, &said.report));
	for (size_t at = 0; at < file.size; at += step)
		ck_assert_ok(reader->feed(reader,
		    tl_bytes(file.data + at,
			file.size - at < step ? file.size - at : step)));
	ck_assert_ok(reader->finish(reader));
	expect(&expected);
	ck_assert_str_eq(tl_text_string(&said.text), "");
	ck_assert_str_eq(tl_text_string(&printer.text),
	    tl_text_string(&expected));
	ck_assert(reader->thread(reader, 0, &thread));
	ck_assert_uint_eq(thread.number, version >= 22 ? THREAD + 1 : 1);
	ck_assert(tl_bytes_equal(thread.name,
	    tl_bytes_of(version >= 10 ? "main" : "")));
	ck_assert(!reader->thread(reader, 1, &thread));
	reader->free(reader);
	tl_text_free(&said.text);
	tl_text_free(&printer.text);
	tl_text_free(&expected);
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(a_version_is_read_and_printed, .from = FIRST, .to = LAST + 1)
{
	has_trace_id = true;
	make_file((unsigned)_i);
	check_printed(file.size);
	check_printed(1);
}

TEST(version_18_is_read_without_trace_ids)
{
	has_trace_id = false;
	make_file(18);
	check_printed(file.size);
	check_printed(1);
}

/* A file that is cut anywhere is reported as cut. */
TEST(a_version_that_is_cut_is_read_up_to_there, .from = FIRST, .to = LAST + 1)
{
	has_trace_id = true;
	make_file((unsigned)_i);
	for (size_t size = 16; size < file.size; size++) {
		char *copy = malloc(size);
		struct foreign f;

		ck_assert_ptr_nonnull(copy);
		memcpy(copy, file.data, size);
		foreign_run(&f, tl_lincheck_read_new, tl_lincheck_write_new,
		    tl_bytes(copy, size), 0);
		ck_assert_int_eq(f.rc, 0);
		ck_assert_ptr_nonnull(
		    strstr(tl_text_string(&f.said.text), "before its end"));
		foreign_free(&f);
		free(copy);
	}
}

/* == the writer == */

enum { IDS = 64 };

static bool defined[TL_LINCHECK_POINT][IDS];

static void
need(unsigned of, int32_t id)
{
	ck_assert_int_ge(id, of == TL_LINCHECK_STRING);
	ck_assert_int_lt(id, IDS);
	ck_assert_msg(defined[of][id], "kind %u id %d is not defined yet", of,
	    (int)id);
}

static void
need_of_definition(const struct tl_lincheck_object *o)
{
	struct tl_data_in in = tl_data_in(o->body.data, o->body.size);

	if (o->kind == TL_LINCHECK_LOCATION) {
		for (unsigned i = 0; i < 3; i++)
			need(TL_LINCHECK_STRING, tl_data_i32(&in));
	}
	if (o->kind == TL_LINCHECK_METHOD || o->kind == TL_LINCHECK_FIELD)
		need(TL_LINCHECK_CLASS, tl_data_i32(&in));
	ck_assert_int_lt(o->id, IDS);
	/* releases 3.1 to 3.1.2 refuse a method that is defined twice */
	ck_assert(o->kind != TL_LINCHECK_METHOD || !defined[o->kind][o->id]);
	defined[o->kind][o->id] = true;
}

static void
need_of_point(const struct tl_lincheck_object *o)
{
	struct tl_data_in values = o->values;
	struct tl_lincheck_value value;

	if (o->location >= 0)
		need(TL_LINCHECK_LOCATION, o->location);
	if (tl_lincheck_has_target(o->class))
		need(tl_lincheck_target_kind(o->class), o->target);
	for (uint32_t i = 0; i < o->count; i++) {
		tl_lincheck_next_value(o, &values, i, &value);
		if (value.tag >= 0)
			need(TL_LINCHECK_CLASS, value.tag);
	}
}

static void
begin_block(void)
{
	for (unsigned kind = 0; kind < TL_LINCHECK_POINT; kind++) {
		if (kind != TL_LINCHECK_METHOD)
			memset(defined[kind], 0, sizeof(defined[kind]));
	}
}

/*
 * Check a file in the way of the original reader of version 8: every reference
 * follows its definition. by_block: the definition is in the same block;
 * methods stand once in the file.
 */
static void
check_order(struct tl_bytes bytes, bool by_block)
{
	struct tl_lincheck_dialect dialect = { .version = 8 };
	struct tl_lincheck_object o = { 0 };
	size_t left;

	memset(defined, 0, sizeof(defined));
	for (size_t at = 16; at < bytes.size;) {
		const int64_t n = tl_lincheck_parse(&o, &dialect,
		    tl_bytes(bytes.data + at, bytes.size - at), true, &left);

		ck_assert_int_gt(n, 0);
		at += (size_t)n;
		if (o.kind == TL_LINCHECK_BLOCK_START && by_block)
			begin_block();
		else if (tl_lincheck_is_definition(o.kind))
			need_of_definition(&o);
		else if (o.kind <= TL_LINCHECK_FOOTER)
			need_of_point(&o);
	}
	ck_assert_int_eq(o.kind, TL_LINCHECK_EOF);
}

TEST(a_newer_version_is_written_as_version_8, .from = FIRST, .to = LAST + 1)
{
	struct foreign f, again;

	has_trace_id = true;
	make_file((unsigned)_i);
	foreign_run(&f, tl_lincheck_read_new, tl_lincheck_write_new,
	    tl_bytes(file.data, file.size), 0);
	ck_assert_int_eq(f.rc, 0);
	check_order(tl_bytes(f.out.data, f.out.size), true);
	foreign_run(&again, tl_lincheck_read_new, NULL,
	    tl_bytes(f.out.data, f.out.size), 0);
	ck_assert_int_eq(again.rc, 0);
	ck_assert_str_eq(tl_text_string(&again.said.text), "");
	ck_assert_uint_ge(again.sink.count, f.sink.count);
	foreign_free(&again);
	foreign_free(&f);
}

/*
 * Two threads log entries with a place in the source; the block of either
 * thread may be read first.
 */
TEST(what_a_block_refers_to_stands_before_it)
{
	struct tl_message message = { .category = tl_bytes_of("net"),
		.file = tl_bytes_of("net.c"),
		.line = 12,
		.kind = TIMELINE_RECORD_INSTANT,
		.level = (uint8_t)tl_level_parse("info") };
	struct foreign f;

	foreign_init(&f);
	ck_assert_ok(tl_message_parse(&message, tl_bytes_of("tick $n")));
	ck_assert_ok(
	    tl_lincheck_write_new(&f.writer, foreign_write, &f.out, NULL));
	for (uint32_t i = 0; i < 4; i++) {
		const struct tl_event e = { .message = &message,
			.kind = TL_INSTANT,
			.pid = 1,
			.tid = 1 + i % 2,
			.cpu = TL_CPU_UNKNOWN };

		ck_assert_ok(f.writer->sink.put(&f.writer->sink, &e));
	}
	ck_assert_ok(f.writer->sink.finish(&f.writer->sink));
	check_order(tl_bytes(f.out.data, f.out.size), true);
	foreign_free(&f);
}

/* The names that the compiler made are printed as the original prints them. */
TEST(names_are_printed_as_the_original_does)
{
	static const char *const names[][2] = {
		{ "a.b.Outer$Inner", "Outer.Inner" },
		{ "a.In$0", "In$0" },
		{ "Outer$inner$Deep", "Outer$inner$Deep" },
		{ "a.F$$Lambda$14/0x00007f", "F$$Lambda" },
		{ "kotlin.jvm.internal.Ref$IntRef", "IntRef" },
		{ "[I", "[I" },
		{ "a.\xd0\x9c\xd0\xb8\xd1\x80$\xd0\x90", "\xd0\x9c\xd0\xb8\xd1"
							 "\x80.\xd0\x90" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct tl_text text = { 0 };

		ck_assert(
		    tl_lincheck_put_class(&text, tl_bytes_of(names[i][0])));
		ck_assert_str_eq(tl_text_string(&text), names[i][1]);
		tl_text_free(&text);
	}
}
