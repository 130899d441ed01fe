/* SPDX-License-Identifier: Apache-2.0 */
/* page.c - pages of the kernel are read as the kernel prints them. */
#include "kernel/page.h"
#include "base/file.h"
#include "base/text.h"
#include "lib/test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DATA "tests/data/kernel/6.18/"

static const char header_page[] =
    "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
    "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
    "\tfield: char data;\toffset:16;\tsize:112;\tsigned:0;\n";

static struct tl_text
file(const char *name)
{
	struct tl_text text = { 0 };
	char path[256];

	snprintf(path, sizeof(path), DATA "%s", name);
	ck_assert_ok(tl_read_file(path, 1 << 20, &text));
	return text;
}

static void
read_formats(struct tl_kernel_formats *formats)
{
	memset(formats, 0, sizeof(*formats));
	for (size_t i = 0; i < TL_KERNEL_KNOWN; i++) {
		struct tl_text text = file(tl_kernel_known[i].name);
		struct tl_fault fault = { 0 };

		ck_assert_ok(tl_kernel_format_parse(formats, i,
		    tl_bytes(text.data, text.size), &fault));
		tl_text_free(&text);
	}
}

/* A page of 128 bytes, made word by word. */
struct page {
	_Alignas(8) uint8_t bytes[128];
	size_t used;
};

static void
word(struct page *p, uint32_t value)
{
	memcpy(p->bytes + 16 + p->used, &value, 4);
	p->used += 4;
}

static void
record(struct page *p, uint32_t type, uint32_t delta)
{
	word(p, type | delta << 5);
}

static void
seal(struct page *p, uint64_t stamp, uint64_t flags)
{
	const uint64_t commit = p->used | flags;

	memcpy(p->bytes, &stamp, 8);
	memcpy(p->bytes + 8, &commit, 8);
}

static const struct tl_page_layout small = { .size = 128, .data = 16 };

TEST(a_page_is_as_large_as_the_kernel_says)
{
	struct tl_page_layout layout;
	struct tl_fault fault = { 0 };

	ck_assert_ok(
	    tl_page_layout_parse(&layout, tl_bytes_of(header_page), &fault));
	ck_assert_uint_eq(layout.size, 128);
	ck_assert_uint_eq(layout.data, 16);
	ck_assert_int_eq(tl_page_layout_parse(&layout, tl_bytes_of("field: x;"),
			     &fault),
	    -EBADMSG);
	ck_assert_ptr_nonnull(strstr(fault.text, "header_page"));
}

TEST(all_types_of_records_are_walked)
{
	struct page p = { .used = 0 };
	struct tl_page_record r;
	struct tl_page_walk walk;

	record(&p, 1, 10); /* a payload of 4 bytes */
	word(&p, 111);
	record(&p, 30, 5); /* extend: 2 << 27, plus 5 */
	word(&p, 2);
	/* the length is in a word and counts the word itself */
	record(&p, 0, 1);
	word(&p, 12);
	word(&p, 222);
	word(&p, 333);
	record(&p, 29, 7); /* discarded: 4 and 4 bytes */
	word(&p, 8);
	word(&p, 0);
	record(&p, 31, 9); /* absolute: 16 << 27, plus 9 */
	word(&p, 16);
	record(&p, 2, 3);
	word(&p, 444);
	word(&p, 555);
	record(&p, 29, 0); /* the rest of the page is empty */
	seal(&p, 1000, 0);
	ck_assert_ok(tl_page_begin(&walk, &small, p.bytes, 128));
	ck_assert(!walk.lost);
	ck_assert_int_eq(tl_page_next(&walk, &r), 1);
	ck_assert_uint_eq(r.stamp, 1010);
	ck_assert_uint_eq(r.payload.size, 4);
	ck_assert_int_eq(tl_page_next(&walk, &r), 1);
	ck_assert_uint_eq(r.stamp, 1010 + (2 << 27) + 5 + 1);
	ck_assert_uint_eq(r.payload.size, 8);
	ck_assert_uint_eq(*(const uint32_t *)r.payload.data, 222);
	ck_assert_int_eq(tl_page_next(&walk, &r), 1);
	ck_assert_uint_eq(r.stamp, (UINT64_C(16) << 27) + 9 + 3);
	ck_assert_int_eq(tl_page_next(&walk, &r), 0);
}

TEST(an_absolute_stamp_keeps_the_upper_bits_of_the_one_before)
{
	struct page p = { .used = 0 };
	struct tl_page_record r;
	struct tl_page_walk walk;

	record(&p, 31, 1);
	word(&p, 0);
	record(&p, 1, 0);
	word(&p, 0);
	/* 1 is below 50: the top bits carry */
	seal(&p, (UINT64_C(3) << 59) + 50, 0);
	ck_assert_ok(tl_page_begin(&walk, &small, p.bytes, 128));
	ck_assert_int_eq(tl_page_next(&walk, &r), 1);
	ck_assert_uint_eq(r.stamp, (UINT64_C(4) << 59) + 1);
}

TEST(both_bits_of_losses_are_read)
{
	struct page p = { .used = 0 };
	struct tl_page_walk walk;
	const uint64_t lost = 77;

	record(&p, 1, 1);
	word(&p, 0);
	memcpy(p.bytes + 16 + p.used, &lost, 8);
	seal(&p, 1, UINT64_C(1) << 31 | UINT64_C(1) << 30);
	ck_assert_ok(tl_page_begin(&walk, &small, p.bytes, 128));
	ck_assert(walk.lost);
	ck_assert_uint_eq(walk.missed, 77);
	seal(&p, 1, UINT64_C(1) << 31);
	ck_assert_ok(tl_page_begin(&walk, &small, p.bytes, 128));
	ck_assert(walk.lost);
	ck_assert_uint_eq(walk.missed, 0);
}

TEST(lengths_that_cannot_be_are_refused)
{
	static const uint32_t lengths[] = { 0, 3, 200, UINT32_MAX };
	struct tl_page_record r;
	struct tl_page_walk walk;

	for (size_t i = 0; i < 4; i++) {
		struct page p = { .used = 0 };

		record(&p, 0, 1);
		word(&p, lengths[i]);
		word(&p, 0);
		seal(&p, 1, 0);
		ck_assert_ok(tl_page_begin(&walk, &small, p.bytes, 128));
		ck_assert_int_eq(tl_page_next(&walk, &r), -EBADMSG);
		p.used = 113; /* more than a page holds */
		seal(&p, 1, 0);
		ck_assert_int_eq(tl_page_begin(&walk, &small, p.bytes, 128),
		    -EBADMSG);
	}
	ck_assert_int_eq(tl_page_begin(&walk, &small, (const uint8_t *)"", 0),
	    -EBADMSG);
}

static size_t
known(const char *name)
{
	size_t i = 0;

	while (strcmp(tl_kernel_known[i].name, name) != 0)
		ck_assert_uint_lt(++i, TL_KERNEL_KNOWN);
	return i;
}

TEST(a_stored_page_has_what_the_kernel_printed_of_it)
{
	struct tl_kernel_formats formats;
	struct tl_text header = file("header_page"), listing = file("listing");
	const char *line = tl_text_string(&listing);
	struct tl_page_layout layout;
	struct tl_fault fault = { 0 };
	unsigned count = 0;

	read_formats(&formats);
	ck_assert_ok(tl_page_layout_parse(&layout,
	    tl_bytes(header.data, header.size), &fault));
	ck_assert_uint_eq(layout.size, 4096);
	for (unsigned n = 0; n < 2; n++) {
		struct tl_text page = file(n == 0 ? "page0" : "page1");
		struct tl_page_record r;
		struct tl_page_walk walk;
		int rc;

		ck_assert_ok(tl_page_begin(&walk, &layout,
		    (const uint8_t *)page.data, page.size));
		while ((rc = tl_page_next(&walk, &r)) > 0) {
			unsigned long long stamp;
			unsigned current, tid, next;
			char name[32], state[12], text[12];
			struct tl_kernel_event e;

			ck_assert_int_eq(sscanf(line, "%llu %u %31s %u %11s %u",
					     &stamp, &current, name, &tid,
					     state, &next),
			    6);
			line = strchr(line, '\n') + 1;
			ck_assert(tl_kernel_decode(&formats, &r, &e));
			ck_assert_uint_eq(e.stamp, stamp);
			ck_assert_uint_eq(e.current, current);
			ck_assert_uint_eq(e.kind,
			    tl_kernel_known[known(name)].kind);
			ck_assert_uint_eq(e.vector,
			    tl_kernel_known[known(name)].vector);
			if (e.kind != TL_KERNEL_FAULT)
				ck_assert_uint_eq(e.tid, tid);
			ck_assert_uint_eq(e.next, next);
			if (e.kind == TL_KERNEL_SWITCH)
				ck_assert_str_eq(tl_kernel_state(e.state, text),
				    state);
			count++;
		}
		ck_assert_int_eq(rc, 0);
		tl_text_free(&page);
	}
	ck_assert_uint_eq(count, 90);
	ck_assert_str_eq(line, "");
	tl_text_free(&header);
	tl_text_free(&listing);
}

TEST(a_truncated_page_gives_no_event_that_is_not_there)
{
	struct tl_text page = file("page0");
	const struct tl_page_layout layout = { .size = 4096, .data = 16 };
	struct tl_kernel_formats formats;

	read_formats(&formats);
	for (size_t size = 0; size < page.size; size += 13) {
		uint8_t *copy = malloc(size + 1);
		struct tl_page_record r;
		struct tl_kernel_event e;
		struct tl_page_walk walk;

		memcpy(copy, page.data, size);
		if (tl_page_begin(&walk, &layout, copy, size) == 0)
			while (tl_page_next(&walk, &r) > 0)
				(void)tl_kernel_decode(&formats, &r, &e);
		free(copy);
	}
	tl_text_free(&page);
}

TEST(a_format_without_a_field_is_refused)
{
	struct tl_kernel_formats formats = { 0 };
	struct tl_fault fault = { 0 };

	ck_assert_int_eq(tl_kernel_format_parse(&formats, 0,
			     tl_bytes_of("ID: 5\n\tfield:unsigned short "
					 "common_type;\toffset:0;\tsize:2;"),
			     &fault),
	    -EBADMSG);
	ck_assert_ptr_nonnull(strstr(fault.text, "no field common_flags"));
}
