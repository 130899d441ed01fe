/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lincheck.h - write Lincheck traces byte by byte, from the description of the
 * format, without code of our reader or writer.
 */
#ifndef TESTS_LIB_LINCHECK_H
#define TESTS_LIB_LINCHECK_H

#include "foreign_file.h"
#include "golden.h"

static inline void
put_i32(int32_t n)
{
	put_n((uint32_t)n, 4);
}

static inline void
put_utf(const char *text)
{
	put_utf_bytes(text, strlen(text));
}

static inline void
put_header(uint64_t version)
{
	put_n(0x706e547124ee5f70, 8);
	put_n(version, 8);
}

static inline void
put_class(int32_t id, const char *name)
{
	put_n(0, 1);
	put_i32(id);
	put_utf(name);
}

/* types holds the result, a count of four bytes, and the parameters. */
static inline void
put_method(int32_t id, int32_t class, const char *name, const char *types,
    size_t size)
{
	put_n(1, 1);
	put_i32(id);
	put_i32(class);
	put_utf(name);
	tl_put_bytes(&file, tl_bytes(types, size));
}

static inline void
put_field(int32_t id, int32_t class, const char *name, bool is_static,
    bool is_final)
{
	put_n(2, 1);
	put_i32(id);
	put_i32(class);
	put_utf(name);
	put_n(is_static, 1);
	put_n(is_final, 1);
}

static inline void
put_variable(int32_t id, const char *name)
{
	put_n(3, 1);
	put_i32(id);
	put_utf(name);
}

static inline void
put_string(int32_t id, const char *text)
{
	put_n(4, 1);
	put_i32(id);
	put_utf(text);
}

static inline void
put_location(int32_t id, int32_t path, int32_t class, int32_t method,
    int32_t line)
{
	put_n(5, 1);
	put_i32(id);
	put_i32(path);
	put_i32(class);
	put_i32(method);
	put_i32(line);
}

/* The fields with which every point begins; the body follows. */
static inline void
put_point(uint8_t class, int32_t location, int32_t thread, int32_t event)
{
	put_n(6, 1);
	put_n(class, 1);
	put_i32(location);
	put_i32(thread);
	put_i32(event);
}

static inline void
put_object(int32_t class, int32_t hash)
{
	put_i32(class);
	put_i32(hash);
}

/* A value with a negative tag and a body of size bytes. */
static inline void
put_value(int32_t tag, uint64_t n, unsigned size)
{
	put_i32(tag);
	put_n(n, size);
}

static inline void
put_text_value(int32_t tag, const char *text)
{
	put_i32(tag);
	put_utf(text);
}

/* A call without receiver and parameters. */
static inline void
put_call(int32_t location, int32_t thread, int32_t event, int32_t method)
{
	put_point(0, location, thread, event);
	put_i32(method);
	put_i32(-1);
	put_i32(0);
}

/*
 * A footer without a result.  A footer with a result consists of put_n(7, 1),
 * the value, and the exception.
 */
static inline void
put_void_footer(void)
{
	put_n(7, 1);
	put_i32(-2);
	put_utf("");
}

static inline void
start_block(int32_t thread)
{
	put_n(8, 1);
	put_i32(thread);
}

static inline void
end_block(void)
{
	put_n(9, 1);
}

static inline void
put_eof(void)
{
	put_n(10, 1);
}

/* Method 0, void f() of class 0 "a.Main". */
#define VOID_TYPES "\x0a\0\0\0\0", 5

static inline void
put_main(void)
{
	put_class(0, "a.Main");
	put_method(0, 0, "main", VOID_TYPES);
}

/* Put what a line of text says, each like the function of its name. */
static inline void
put_lincheck_line(char *text)
{
	struct file_line l = file_line_of(text);
	const int32_t n[] = { (int32_t)l.n[0], (int32_t)l.n[1], (int32_t)l.n[2],
		(int32_t)l.n[3], (int32_t)l.n[4] };
	const char *name;
	char *types;

	l.text.size =
	    golden_unescape((char *)(uintptr_t)l.text.data, l.text.size);
	name = l.text.data;
	text[l.text.data + l.text.size - text] = '\0';
	if (file_line_is(&l, "header"))
		put_header((uint64_t)l.n[0]);
	else if (file_line_is(&l, "block"))
		start_block(n[0]);
	else if (file_line_is(&l, "end"))
		end_block();
	else if (file_line_is(&l, "eof"))
		put_eof();
	else if (file_line_is(&l, "main"))
		put_main();
	else if (file_line_is(&l, "class"))
		put_class(n[0], name);
	else if (file_line_is(&l, "method")) { /* ID CLASS NAME TYPES */
		types = strchr(name, ' ');
		*types++ = '\0';
		put_method(n[0], n[1], name, types,
		    (size_t)(l.text.data + l.text.size - types));
	} else if (file_line_is(&l, "field")) /* ID CLASS STATIC FINAL NAME */
		put_field(n[0], n[1], name, n[2], n[3]);
	else if (file_line_is(&l, "variable"))
		put_variable(n[0], name);
	else if (file_line_is(&l, "string"))
		put_string(n[0], name);
	else if (file_line_is(&l, "location"))
		put_location(n[0], n[1], n[2], n[3], n[4]);
	else if (file_line_is(&l, "point"))
		put_point((uint8_t)n[0], n[1], n[2], n[3]);
	else if (file_line_is(&l, "i32"))
		put_i32(n[0]);
	else if (file_line_is(&l, "object"))
		put_object(n[0], n[1]);
	else if (file_line_is(&l, "value"))
		put_value(n[0], (uint64_t)l.n[1], (unsigned)n[2]);
	else if (file_line_is(&l, "text"))
		put_text_value(n[0], name);
	else if (file_line_is(&l, "call"))
		put_call(n[0], n[1], n[2], n[3]);
	else if (file_line_is(&l, "footer"))
		put_void_footer();
	else
		ck_assert_msg(put_file_line(&l), "%s", text);
}

#endif
