/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of a block in a cluster: subjects and ids; URLs; acknowledgements.
 */
#include "lib/random.h"
#include "lib/test.h"
#include "ship/nats/link.h"
#include "ship/nats/protocol.h"

#include <errno.h>
#include <stdlib.h>

static const char chain[] = "0123456789abcdef0123456789abcdef";

static void
check_names(const char *host, const char *timeline)
{
	struct tl_block block = { 0 }, got;
	char subject[TL_NATS_SUBJECT_MAX];

	strcpy(block.host, host);
	strcpy(block.timeline, timeline);
	tl_nats_subject_put(subject, TL_NATS_WHOLE, &block);
	ck_assert_uint_lt(strlen(subject), TL_NATS_SUBJECT_MAX);
	ck_assert(
	    tl_nats_subject_matches(tl_nats_subjects[TL_NATS_WHOLE], subject));
	ck_assert(tl_nats_subject_matches("timeline.*.*", subject));
	ck_assert(tl_nats_subject_get(&got, subject));
	ck_assert_str_eq(got.host, host);
	ck_assert_str_eq(got.timeline, timeline);
}

TEST(any_name_is_a_token_and_comes_back)
{
	char host[TL_BLOCK_NAME_MAX], timeline[TL_BLOCK_NAME_MAX];
	uint64_t state = 1;

	check_names("web1.example.org", "/app");
	check_names("", "");
	check_names("a=b", "* > \xff\x01");
	for (int i = 0; i < 2000; i++) {
		const size_t n = random_below(&state, TL_BLOCK_NAME_MAX);

		for (size_t k = 0; k < n; k++) {
			host[k] = (char)(random_below(&state, 255) + 1);
			timeline[k] = (char)(random_below(&state, 255) + 1);
		}
		host[n] = timeline[n] = '\0';
		check_names(host, timeline);
	}
}

TEST(a_subject_is_written_in_one_way_only)
{
	static const char *const wrong[] = { "", "timeline", "timeline.",
		"timeline.a", "timeline..b", "timeline.a.", "timeline.a.b.c",
		"timelines.a.b", "timeline.a b.c", "timeline.=41.b",
		"timeline.=2e.b", "timeline.=2.b", "timeline.==.b",
		"timeline.=00.b", "timeline.=ZZ.b", "timeline.*.b",
		"timeline.a.>", "timeline.=2E=.b" };
	char longest[TL_NATS_SUBJECT_MAX];
	struct tl_block block;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!tl_nats_subject_get(&block, wrong[i]), "%s",
		    wrong[i]);
	strcpy(longest, "timeline.");
	memset(longest + 9, 'x', TL_BLOCK_NAME_MAX);
	strcpy(longest + 9 + TL_BLOCK_NAME_MAX, ".t");
	ck_assert(!tl_nats_subject_get(&block, longest));
}

TEST(patterns_match_as_servers_do)
{
	static const struct {
		const char *pattern, *subject;
		bool match;
	} cases[] = {
		{ "timeline.>", "timeline.a.b", true },
		{ "timeline.>", "timeline", false },
		{ ">", "timeline.a.b", true },
		{ "timeline.*.b", "timeline.a.b", true },
		{ "timeline.*.c", "timeline.a.b", false },
		{ "timeline.*", "timeline.a.b", false },
		{ "timeline.a.b.c", "timeline.a.b", false },
		{ "timeline.a.b", "timeline.a.bc", false },
		{ "timeline.a.b.>", "timeline.a.b", false },
		{ "*.*.*", "timeline.a.b", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(tl_nats_subject_matches(cases[i].pattern,
				  cases[i].subject) == cases[i].match,
		    "%s %s", cases[i].pattern, cases[i].subject);
}

TEST(an_id_comes_back_and_others_are_none)
{
	static const char *const wrong[] = { "", "-1",
		"0123456789abcdef0123456789abcdef",
		"0123456789abcdef0123456789abcdef-",
		"0123456789abcdef0123456789abcdef-01",
		"0123456789abcdef0123456789abcdef-0x1",
		"0123456789abcdef0123456789abcdef--1",
		"0123456789abcdef0123456789abcdef-18446744073709551616",
		"0123456789ABCDEF0123456789abcdef-1",
		"0123456789abcdef0123456789abcde-1",
		"0123456789abcdef0123456789abcdef0-1" };
	static const uint64_t numbers[] = { 0, 1, 10, UINT64_MAX };
	struct tl_block block = { 0 }, got;
	char id[TL_BLOCK_ID_MAX];

	strcpy(block.chain, chain);
	for (size_t i = 0; i < 4; i++) {
		block.number = numbers[i];
		tl_block_id_put(id, &block);
		ck_assert(tl_block_id_get(&got, id));
		ck_assert_str_eq(got.chain, chain);
		ck_assert_uint_eq(got.number, numbers[i]);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!tl_block_id_get(&got, wrong[i]), "%s", wrong[i]);
}

static int
parse(struct tl_nats_url *url, const char *text)
{
	struct tl_fault fault = { 0 };
	const int rc = tl_nats_url_parse(url, text, &fault);

	ck_assert_int_eq(fault.rc, rc);
	return rc;
}

TEST(a_url_names_servers_and_a_stream)
{
	struct tl_nats_url url;

	ck_assert_int_eq(parse(&url, "nats://h1"), 0);
	ck_assert_uint_eq(url.server_count, 1);
	ck_assert_str_eq(url.servers[0], "nats://h1");
	ck_assert_str_eq(url.stream, "TIMELINE");
	ck_assert(!url.tls);
	ck_assert_int_eq(parse(&url, "TLS://a:1,[::1]:2,u:p@c/MINE-2_x"), 0);
	ck_assert_uint_eq(url.server_count, 3);
	ck_assert_str_eq(url.servers[1], "tls://[::1]:2");
	ck_assert_str_eq(url.servers[2], "tls://u:p@c");
	ck_assert_str_eq(url.stream, "MINE-2_x");
	ck_assert(url.tls);
	ck_assert_int_eq(parse(&url, "nats://h/"), 0);
	ck_assert_str_eq(url.stream, "TIMELINE");
}

TEST(what_is_no_url_is_refused)
{
	static const char *const wrong[] = { "", "nats:", "nats://",
		"nats:///S", "nats://a,", "nats://,a", "nats://a,,b/S",
		"nats://a b", "nats://a/S.T", "nats://a/S/T", "nats://a/>",
		"http://a",
		"nats://a/ "
		"0123456789012345678901234567890123456789012345678"
		"9012345678901234567890" };
	struct tl_nats_url url;
	char many[TL_NATS_SERVERS_MAX * 2 + 20] = "nats://a";

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(parse(&url, wrong[i]) == -EINVAL, "%s", wrong[i]);
	for (int i = 1; i < TL_NATS_SERVERS_MAX; i++)
		strcat(many, ",a");
	ck_assert_int_eq(parse(&url, many), 0);
	strcat(many, ",a");
	ck_assert_int_eq(parse(&url, many), -EINVAL);
}

static int
parse_ack(struct tl_nats_ack *ack, const char *json)
{
	return tl_nats_ack_parse(ack, tl_bytes_of(json));
}

TEST(an_acknowledgement_says_kept_or_why_not)
{
	struct tl_nats_ack ack;

	ck_assert_int_eq(parse_ack(&ack, "{\"stream\":\"S\",\"seq\":7}"), 0);
	ck_assert_uint_eq(ack.sequence, 7);
	ck_assert_uint_eq(ack.code, 0);
	ck_assert_int_eq(parse_ack(&ack,
			     "{\"seq\":9,\"duplicate\": true,\"x\":[1,{}]}"),
	    0);
	ck_assert_uint_eq(ack.code, 0);
	ck_assert_int_eq(parse_ack(&ack,
			     "{\"error\":{\"code\":400,\"err_code\":10054,"
			     "\"description\":\"too large\"},\"stream\":\"S\","
			     "\"seq\":0}"),
	    0);
	ck_assert_uint_eq(ack.code, 400);
	ck_assert_uint_eq(ack.error_code, 10054);
	ck_assert_str_eq(ack.error, "too large");
	ck_assert_int_eq(parse_ack(&ack, "{\"error\":{}}"), 0);
	ck_assert_uint_ne(ack.code, 0);
}

TEST(a_duplicate_of_a_message_that_is_not_stored_is_sent_again)
{
	struct tl_nats_ack ack;

	ck_assert_int_eq(parse_ack(&ack, "{\"stream\":\"S\",\"seq\":0,"
					 "\"duplicate\": true}"),
	    -EBADMSG);
}

TEST(what_is_no_acknowledgement_keeps_nothing)
{
	static const char *const wrong[] = { "", "{", "{}", "[]", "7",
		"{\"seq\":", "{\"seq\":\"7\"}", "{\"x\":{\"seq\":7}}", "null",
		"{\"seq\":7", "{\"error\":null}" };
	struct tl_nats_ack ack;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(parse_ack(&ack, wrong[i]) == -EBADMSG, "%s",
		    wrong[i]);
}

TEST(a_message_that_is_no_block_is_known)
{
	struct tl_block block = { .number = 5, .from_ns = -1, .to_ns = 9 }, got;
	struct tl_fault fault = { 0 };
	natsMsg *message;

	ck_assert_int_eq(nats_Open(-1), NATS_OK);
	strcpy(block.chain, chain);
	block.data = tl_bytes_of("not a trace, but as long as a header of one"
				 "........................................");
	ck_assert_int_eq(tl_nats_message_new(&message, TL_NATS_WHOLE, &block,
			     "S", "r"),
	    NATS_OK);
	ck_assert_int_eq(tl_nats_message_get(&got, message, &fault), -EBADMSG);
	ck_assert_int_eq(got.from_ns, -1);
	ck_assert_int_eq(got.to_ns, 9);
	ck_assert_uint_eq(got.number, 5);
	natsMsgHeader_Set(message, TL_HEADER_TO, "-2");
	tl_nats_message_get(&got, message, &fault);
	ck_assert_int_eq(got.from_ns, INT64_MIN);
	ck_assert_int_eq(got.to_ns, INT64_MAX);
	natsMsg_Destroy(message);
}
