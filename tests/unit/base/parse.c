/* SPDX-License-Identifier: Apache-2.0 */
/* parse.c - numbers, durations and times that people type. */
#include "base/text.h"
#include "lib/test.h"

#include <errno.h>

struct signed_case {
	const char *string;
	int rc;
	int64_t want;
};

static void
check_case(const struct signed_case *c,
    int (*parse)(const char *string, int64_t *ns))
{
	int64_t ns = -4242; /* must not change on failure */
	const int rc = parse(c->string, &ns);

	ck_assert_msg(rc == c->rc, "'%s': %d, not %d", c->string, rc, c->rc);
	ck_assert_msg(ns == (rc < 0 ? -4242 : c->want), "'%s': %lld, not %lld",
	    c->string, (long long)ns, (long long)c->want);
}

TEST(durations_have_units)
{
	static const struct signed_case cases[] = {
		{ "100us", 0, 100000 },
		{ "1.5ms", 0, 1500000 },
		{ "10s", 0, 10000000000 },
		{ "2m", 0, 120000000000 },
		{ "1h", 0, 3600000000000 },
		{ "7d", 0, 604800000000000 },
		{ "1d12h", 0, 129600000000000 },
		{ "250ns", 0, 250 },
		{ "10 s", 0, 10000000000 },
		{ "1min", 0, 60000000000 },
		{ "5 min", 0, 300000000000 },
		{ "1 hour 30 minutes", 0, 5400000000000 },
		{ "2 weeks", 0, 1209600000000000 },
		{ "3\u00b5s", 0, 3000 },
		{ "0", 0, 0 },
		{ "-10ms", 0, -10000000 },
		{ "+10ms", 0, 10000000 },
		{ "1.9ns", 0, 1 },
		{ "0.1234567891s", 0, 123456789 },
		{ "0.12345678901234567890123h", 0, 444444440444 },
		{ "1m23s", 0, 83000000000 },
		{ "2h03m", 0, 7380000000000 },
		{ "9223372036854775807ns", 0, INT64_MAX },
		{ "-9223372036854775808ns", 0, INT64_MIN },
		{ "9223372036854775808ns", -ERANGE, 0 },
		{ "-9223372036854775809ns", -ERANGE, 0 },
		{ "99999999999999999999ns", -ERANGE, 0 },
		{ "2562048h", -ERANGE, 0 },
		{ "2562047h99999999m", -ERANGE, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_case(&cases[i], tl_parse_duration);
}

TEST(what_is_no_duration_is_refused)
{
	static const char *const bad[] = { "", "-", "s", "10x", "10  s", " 10s",
		"10s ", "100", "1.5", "-3", "10 sm", "5 min ago", "10 parsecs",
		"1secondsandmore", "1.s", ".5s", "--1s", "1s1m", "1s1s", "1m5",
		"5 ", "1e3s", "0x10", "10S", "1.2.3s", "1s 2", "1m  3s" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check_case(&(struct signed_case){ bad[i], -EINVAL, 0 },
		    tl_parse_duration);
}

TEST(times_have_shorter_forms)
{
	static const int64_t day = 1795132800000000000;
	static const struct signed_case cases[] = {
		{ "2026-11-20T19:24:18.123456789+00:00", 0,
		    1795202658123456789 },
		{ "2026-11-20T19:24:18.123456789Z", 0, 1795202658123456789 },
		{ "2026-11-20T19:24:18.123456789", 0, 1795202658123456789 },
		{ "2026-11-20T19:24:18.1234567891", 0, 1795202658123456789 },
		{ "2026-11-20 19:24:18.5", 0, 1795202658500000000 },
		{ "2026-11-20T19:24:18", 0, 1795202658000000000 },
		{ "2026-11-20T19:24", 0, 1795202640000000000 },
		{ "2026-11-20", 0, day },
		{ "2026-11-20T01:00+01:00", 0, day },
		{ "2026-11-20T01:00+01", 0, day },
		{ "2026-11-19T22:30-0130", 0, day },
		{ "2026-11-20Z", 0, day },
		{ "1970-01-01", 0, 0 },
		{ "1969-12-31T23:59:59.5", 0, -500000000 },
		{ "2024-02-29", 0, 1709164800000000000 },
		{ "2000-02-29", 0, 951782400000000000 },
		{ "2016-12-31T23:59:60", 0, 1483228800000000000 },
		{ "@0", 0, 0 },
		{ "@1795202658.123456789", 0, 1795202658123456789 },
		{ "@-1.5", 0, -1500000000 },
		{ "2262-04-11T23:47:16.854775807", 0, INT64_MAX },
		{ "1677-09-21T00:12:43.145224192", 0, INT64_MIN },
		{ "2262-04-11T23:47:16.854775808", -ERANGE, 0 },
		{ "1677-09-21T00:12:43.145224191", -ERANGE, 0 },
		{ "9999-12-31", -ERANGE, 0 },
		{ "@9223372037", -ERANGE, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_case(&cases[i], tl_parse_time);
}

TEST(what_is_no_time_is_refused)
{
	static const char *const bad[] = { "", "now", "@", "@x", "@1s", "2026",
		"2026-11", "2026-11-2", "2026-13-01", "2026-00-01",
		"2026-02-29", "1900-02-29", "2026-04-31", "2026-11-00",
		"0000-01-01", "2026-11-20T", "2026-11-20T19",
		"2026-11-20T24:00", "2026-11-20T19:60", "2026-11-20T19:24:61",
		"2026-11-20T19:24:", "2026-11-20T19:24:18.",
		"2026-11-20T19:24:18Zx", "2026-11-20T19:24:18+1",
		"2026-11-20T19:24:18+24:00", "2026-11-20T19:24:18+00:60",
		"2026-11-20T19:24:18+00:", "2026-11-20x", " 2026-11-20",
		"2026-11-20 ", "+2026-11-20", "20261120" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check_case(&(struct signed_case){ bad[i], -EINVAL, 0 },
		    tl_parse_time);
}

TEST(bounds_are_times_or_relative)
{
	static const int64_t day = 86400000000000;
	static const int64_t midnight = 1795132800000000000; /* 2026-11-20 */
	static const int64_t now = 1795202658123456789;
	static const struct {
		const char *word;
		int rc;
		bool relative;
		int64_t ns;
	} cases[] = {
		{ "5m", 0, true, -300000000000 },
		{ "-5m", 0, true, -300000000000 },
		{ "+5m", 0, true, 300000000000 },
		{ "5 min", 0, true, -300000000000 },
		{ "5 min ago", 0, false, now - 300000000000 },
		{ "1h 30m ago", 0, false, now - 5400000000000 },
		{ "now", 0, false, now },
		{ "today", 0, false, midnight },
		{ "yesterday", 0, false, midnight - day },
		{ "tomorrow", 0, false, midnight + day },
		{ "10:00", 0, false, midnight + 36000000000000 },
		{ "10:00:00.5", 0, false, midnight + 36000500000000 },
		{ "10:00+01:00", 0, false, midnight + 32400000000000 },
		{ "2026-11-20 10:00", 0, false, midnight + 36000000000000 },
		{ "2026-11-20", 0, false, midnight },
		{ "@1", 0, false, 1000000000 },
		{ "5", -EINVAL, false, 0 },
		{ "0", -EINVAL, false, 0 },
		{ "", -EINVAL, false, 0 },
		{ "5m before", -EINVAL, false, 0 },
		{ " ago", -EINVAL, false, 0 },
		{ "5 ago", -EINVAL, false, 0 },
		{ "-5m ago", -EINVAL, false, 0 },
		{ "10:60", -EINVAL, false, 0 },
		{ "10:00x", -EINVAL, false, 0 },
		{ "24:00", -EINVAL, false, 0 },
		{ "Today", -EINVAL, false, 0 },
	};
	struct tl_bound early;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_bound bound = { 0 };
		const int rc = tl_parse_bound(cases[i].word, now, &bound);

		ck_assert_msg(rc == cases[i].rc, "%s: %d", cases[i].word, rc);
		ck_assert_msg(bound.given == (rc == 0) &&
				  bound.relative == cases[i].relative &&
				  bound.ns == cases[i].ns,
		    "%s: %lld", cases[i].word, (long long)bound.ns);
	}
	ck_assert_int_eq(tl_parse_bound("today", -1, &early), 0);
	ck_assert_int_eq(early.ns, -day);
	ck_assert_int_eq(tl_parse_bound("9223372036s ago", INT64_MIN, &early),
	    -ERANGE);
}

TEST(a_time_that_was_put_is_read_again)
{
	struct tl_text text = { 0 };
	uint64_t x = 1;

	for (unsigned i = 0; i < 20000; i++) {
		int64_t ns = 0;

		x = x * 6364136223846793005u + 1442695040888963407u;
		tl_text_clear(&text);
		tl_put_time(&text, (int64_t)x);
		ck_assert_int_eq(tl_parse_time(tl_text_string(&text), &ns), 0);
		ck_assert_int_eq(ns, (int64_t)x);
	}
	tl_text_free(&text);
}

TEST(unsigned_numbers_are_decimal_or_hexadecimal)
{
	static const struct {
		const char *string;
		int rc;
		uint64_t want;
	} cases[] = {
		{ "0", 0, 0 },
		{ "007", 0, 7 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "0x1f", 0, 0x1f },
		{ "0XaBcDeF", 0, 0xabcdef },
		{ "0xffffffffffffffff", 0, UINT64_MAX },
		{ "0x00000000000000000001", 0, 1 },
		{ "0x10000000000000000", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "0x", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "1.5", -EINVAL, 0 },
		{ "0xg", -EINVAL, 0 },
		{ "1f", -EINVAL, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t n = 4242;

		ck_assert_int_eq(tl_parse_unsigned(cases[i].string, &n),
		    cases[i].rc);
		ck_assert_uint_eq(n, cases[i].rc < 0 ? 4242 : cases[i].want);
	}
}

TEST(sizes_are_short)
{
	static const struct {
		uint64_t bytes;
		const char *words;
	} known[] = { { 0, "0" }, { 1023, "1023" }, { 1024, "1.0K" },
		{ 10239, "9.9K" }, { 10240, "10K" }, { 1048575, "1023K" },
		{ 1048576, "1.0M" }, { UINT64_C(3) << 40, "3.0T" },
		{ UINT64_MAX, "15E" } };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct tl_text text = { 0 };

		tl_put_size(&text, known[i].bytes);
		ck_assert_str_eq(tl_text_string(&text), known[i].words);
		tl_text_free(&text);
	}
}
