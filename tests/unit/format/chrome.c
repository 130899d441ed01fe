/* SPDX-License-Identifier: Apache-2.0 */
/* chrome.c - events as Chrome's trace events. */
#include "format/chrome/chrome.h"
#include "base/json.h"
#include "event/spans.h"
#include "lib/test.h"
#include "writer_fixture.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <timeline.h>

static struct tl_message message;
static struct tl_event event;

static struct tl_bytes
get_string(const struct tl_strings *strings, uint64_t n)
{
	(void)strings;
	return n == 1 ? tl_bytes_of("say \"eth0\"\n") : tl_bytes(NULL, 0);
}

static const struct tl_strings strings = { get_string };

static void
setup(void)
{
	writer_setup(tl_chrome_write_new);
	message = (struct tl_message){ .category = tl_bytes_of("example"),
		.level = 4,
		.strings = &strings };
	event = (struct tl_event){ .ns = 1795202658123456789,
		.pid = 41,
		.tid = 42,
		.kind = TL_INSTANT,
		.message = &message,
		.args = { 10, 20, 3, 0 } };
}

static void
define(const char *line)
{
	ck_assert_ok(tl_message_parse(&message, tl_bytes_of(line)));
}

/* Check that the output contains a text. */
static void
says(const char *what)
{
	if (!strstr(tl_text_string(&got), what))
		ck_abort_msg("no %s in %.4000s", what, tl_text_string(&got));
}

/* Check that all of the output is JSON. */
static void
is_json(void)
{
	struct tl_json json = { 0 };
	struct tl_json_token token;
	int rc;

	tl_json_feed(&json, tl_bytes(got.data, got.size));
	tl_json_finish(&json);
	do {
		rc = tl_json_next(&json, &token);
		ck_assert_int_gt(rc, 0);
	} while (rc != TL_JSON_END);
	tl_json_free(&json);
}

TEST_FILE(.setup = setup, .teardown = writer_teardown, .timeout = 60);

/* Put an event of a kind, so much later than the last one. */
static void
put_kind(unsigned kind, int64_t after_ns)
{
	event.kind = (uint8_t)kind;
	event.ns += after_ns;
	put(&event);
}

/* True if the first text stands before the second. */
static bool
stands_before(const char *first, const char *second)
{
	const char *at = strstr(tl_text_string(&got), first);

	says(first);
	return strstr(at, second) != NULL;
}

TEST(a_begin_is_forgotten_for_one_too_many_but_written)
{
	struct tl_message other;

	define("oldest");
	other = message;
	event.message = &other;
	put_kind(TL_BEGIN, 0);
	event.message = &message;
	define("others");
	for (unsigned i = 0; i < TL_SPANS_OPEN_MAX; i++)
		put_kind(TL_BEGIN, 1);
	event.message = &other;
	put_kind(TL_END, 1);
	event.message = &message;
	put_kind(TL_END, 1);
	finish();
	ck_assert(stands_before("\"tid\":42,\"ts\":123456.789,"
				"\"alone\":\"begin\","
				"\"cat\":\"example\","
				"\"name\":\"oldest\"",
	    "\"tid\":42,\"ts\":123522.326,\"alone\":\"end\","
	    "\"cat\":\"example\",\"name\":\"oldest\""));
	ck_assert(stands_before("\"alone\":\"end\"",
	    "\"ph\":\"X\",\"pid\":41,\"tid\":42,\"ts\":123522.325,"
	    "\"dur\":0.002,"));
	is_json();
}

TEST(no_begin_is_forgotten_for_spans_that_have_ended)
{
	define("x");
	put_kind(TL_BEGIN, 0);
	for (unsigned i = 0; i < TL_SPANS_OPEN_MAX; i++) {
		put_kind(TL_BEGIN, 1);
		put_kind(TL_END, 1);
	}
	put_kind(TL_END, 1);
	finish();
	says("\"ts\":123456.789,\"dur\":131.073,");
	ck_assert_ptr_null(strstr(tl_text_string(&got), "{\"ph\":\"B\""));
}
