/* SPDX-License-Identifier: Apache-2.0 */
/* formats.c - the table of formats. */
#include "format/registry.h"
#include "lib/test.h"

TEST(every_row_is_found_by_its_name_and_does_something)
{
	const struct tl_format_row *row;

	for (size_t i = 0; (row = tl_formats_at(i)); i++) {
		ck_assert_ptr_eq(tl_formats_find(row->name), row);
		ck_assert(tl_format_is_read(row) || tl_format_is_written(row));
		ck_assert_str_eq(tl_format_reading(row)->name, row->name);
		ck_assert(!tl_format_is_read(row) ||
			  tl_format_reading(row)->recognise);
		ck_assert_int_eq(row->suffix[0], '.');
	}
	ck_assert_ptr_null(tl_formats_find("nonesuch"));
}

TEST(lines_are_recognised_and_anything_else_is_not)
{
	static const struct {
		const char *first, *name;
	} cases[] = {
		{ "ns,tsc,cpu,pid,tid,priority,category,message\n", "csv" },
		{ "{\"ns\":1,\"tsc\":2}\n", "jsonl" },
		{ "", NULL },
		{ "BEGIN:VCARD\n", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tl_source_format *format =
		    tl_source_recognise(&tl_formats_read,
			tl_bytes_of(cases[i].first));

		if (cases[i].name)
			ck_assert_str_eq(format ? format->name : "",
			    cases[i].name);
		else
			ck_assert_ptr_null(format);
	}
}
