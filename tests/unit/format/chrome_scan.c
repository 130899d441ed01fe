/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chrome_scan.c - the fast path of the reader of Chrome's trace events: whole
 * lists take it, and pieces of one byte do not.
 */
#include "format/chrome/chrome.h"
#include "lib/foreign.h"
#include "lib/test.h"

static struct foreign f;

/* Read the file whole and in pieces, with the same result. */
static void
read_all(const struct tl_text *file)
{
	const struct tl_bytes in = tl_bytes(file->data, file->size);

	foreign_check_pieces(tl_chrome_read_new, in);
	foreign_run(&f, tl_chrome_read_new, NULL, in, 0);
	ck_assert_int_eq(f.rc, 0);
}

TEST_FILE(.timeout = 60);

TEST(events_are_the_same_however_they_are_written)
{
	static const char *const events[] = {
		"{\"ph\":\"i\",\"ts\":2,\"name\":\"b\",\"args\":{\"n\":5}}",
		"{\"ph\": \"i\", \"ts\": 2, \"name\": \"b\", "
		"\"args\": {\"n\": 5}}",
		" {\t\"ph\":\"i\" ,\"ts\":2\n,\"name\":\"b\",\"args\":"
		"{ \"n\":5 } } ",
		"\n{\"ph\":\"\\u0069\",\"ts\":2,\"name\":\"b\",\"args\":"
		"{\"n\":5}}",
		"{\"args\":{\"n\":5},\"x\":{},\"y\":{\"z\":{\"z\":{\"z\":{\"z\""
		":[]}}}},\"ph\":\"i\",\"ts\":2,\"name\":\"b\"}"
	};
	struct tl_text list = { 0 };

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		tl_text_clear(&list);
		tl_put_format(&list,
		    "[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},%s,"
		    "{\"ph\":\"i\",\"ts\":3,\"name\":\"c\"},"
		    "{\"ph\":\"i\",\"ts\":4,\"name\":\"d\"}]",
		    events[i]);
		read_all(&list);
		ck_assert_str_eq(tl_text_string(&f.sink.text),
		    "1000  a\n2000  b: n(5)\n3000  c\n4000  d\n");
		ck_assert_str_eq(tl_text_string(&f.said.text), "");
		foreign_free(&f);
	}
	tl_text_free(&list);
}

TEST(damage_is_the_same_wherever_it_is_met)
{
	static const char *const damages[] = { "{\"ph\":\"i\",\"ts\":02}",
		"{\"ph\":\"i\",\"ts\":2,{\"ph\":\"i\"}}", "{\"ph\":\"i\" }}",
		"{\"ph\":\"i\",,}", "{\"ph\":\"i\"}{\"ph\":\"i\"}",
		"{\"ph\":\"\n\"}", "{ph:1}", "{\"ph\":nul}", "{\"ph\"=1}",
		"{\"ph\":\"i\",\"ts\":2", "5", "" };
	struct tl_text file = { 0 };

	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		tl_text_clear(&file);
		tl_put_format(&file,
		    "[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},%s,"
		    "{\"ph\":\"i\",\"ts\":3,\"name\":\"c\"},"
		    "{\"ph\":\"i\",\"ts\":4,\"name\":\"d\"},]",
		    damages[i]);
		read_all(&file);
		ck_assert_uint_gt(f.said.text.size, 0);
		ck_assert_ptr_nonnull(
		    strstr(tl_text_string(&f.sink.text), "4000  d\n"));
		foreign_free(&f);
	}
	tl_text_free(&file);
}
