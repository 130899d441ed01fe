/* SPDX-License-Identifier: Apache-2.0 */
/* text_time.c - durations and times as text. */
#include "base/text.h"

#define SECOND_NS 1000000000

/* A two-digit number with its leading zero. */
static char *
write_two(char *to, unsigned n)
{
	to[0] = (char)('0' + n / 10);
	to[1] = (char)('0' + n % 10);
	return to + 2;
}

/* whole.thousandths, truncated, without zeros at its end. */
static char *
write_thousandths(char *to, uint64_t n, uint64_t unit)
{
	const unsigned rest = (unsigned)(n % unit / (unit / 1000));

	to = tl_write_unsigned(to, n / unit);
	if (rest == 0)
		return to;
	*to++ = '.';
	*to++ = (char)('0' + rest / 100);
	if (rest % 100 == 0)
		return to;
	to = write_two(to, rest % 100);
	return to[-1] == '0' ? to - 1 : to;
}

/* Two units: 1m23s, 2h03m. */
static char *
write_two_units(char *to, uint64_t seconds)
{
	const bool hours = seconds >= 3600;
	const uint64_t n = hours ? seconds / 60 : seconds;

	to = tl_write_unsigned(to, n / 60);
	*to++ = hours ? 'h' : 'm';
	to = write_two(to, (unsigned)(n % 60));
	*to++ = hours ? 'm' : 's';
	return to;
}

char *
tl_write_duration(char *to, int64_t ns)
{
	const uint64_t n = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	if (ns < 0)
		*to++ = '-';
	if (n < 1000)
		return tl_write_string(tl_write_unsigned(to, n), "ns");
	if (n < 1000000)
		return tl_write_string(write_thousandths(to, n, 1000), "us");
	if (n < SECOND_NS)
		return tl_write_string(write_thousandths(to, n, 1000000), "ms");
	if (n < 60 * (uint64_t)SECOND_NS)
		return tl_write_string(write_thousandths(to, n, SECOND_NS),
		    "s");
	return write_two_units(to, n / SECOND_NS);
}

void
tl_put_duration(struct tl_text *text, int64_t ns)
{
	char *to = tl_text_reserve(text, TL_DURATION_MAX);

	if (to)
		text->size += (size_t)(tl_write_duration(to, ns) - to);
}

/*
 * Days since 1970 as a date.  Counted in years that start on the first of
 * March, so that the leap day is the last of its year, and from 1 March 1600,
 * which lies before any int64_t of nanoseconds.
 */
static char *
write_date(char *to, int64_t days_since_1970)
{
	const unsigned days = (unsigned)(days_since_1970 + 135080);
	const unsigned era = days / 146097, of_era = days % 146097;
	const unsigned year_of_era =
	    (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	const unsigned of_year =
	    of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	const unsigned march_month = (5 * of_year + 2) / 153;
	const unsigned day = of_year - (153 * march_month + 2) / 5 + 1;
	const unsigned month =
	    march_month < 10 ? march_month + 3 : march_month - 9;
	const unsigned year =
	    1600 + era * 400 + year_of_era + (march_month >= 10);

	to = write_two(to, year / 100);
	to = write_two(to, year % 100);
	*to++ = '-';
	to = write_two(to, month);
	*to++ = '-';
	return write_two(to, day);
}

static char *
write_clock(char *to, unsigned second_of_day)
{
	to = write_two(to, second_of_day / 3600);
	*to++ = ':';
	to = write_two(to, second_of_day / 60 % 60);
	*to++ = ':';
	return write_two(to, second_of_day % 60);
}

/* Turn the cache to the second that ns lies in. */
static void
turn(struct tl_time_cache *cache, int64_t ns)
{
	const int64_t down = ns % SECOND_NS < 0;
	const int64_t second = ns / SECOND_NS - down;
	const int64_t day = (second >= 0 ? second : second - 86399) / 86400;
	char *to;

	cache->start_ns = (int64_t)((uint64_t)second * SECOND_NS);
	to = write_date(cache->text, day);
	*to++ = 'T';
	to = write_clock(to, (unsigned)(second - day * 86400));
	memcpy(to, ".000000000+00:00", 16);
}

char *
tl_write_time(char *to, struct tl_time_cache *cache, int64_t ns)
{
	uint64_t rest = (uint64_t)ns - (uint64_t)cache->start_ns;
	unsigned n;

	/* another second, or none yet? */
	if (rest >= SECOND_NS || cache->text[0] == '\0') {
		turn(cache, ns);
		rest = (uint64_t)ns - (uint64_t)cache->start_ns;
	}
	memcpy(to, cache->text, TL_TIME_SIZE);
	n = (unsigned)rest;
	to[20] = (char)('0' + n / 100000000);
	write_two(to + 21, n / 1000000 % 100);
	write_two(to + 23, n / 10000 % 100);
	write_two(to + 25, n / 100 % 100);
	write_two(to + 27, n % 100);
	/* The first second starts below INT64_MIN and wraps, the last ends
	 * beyond INT64_MAX: each would be taken for the other. */
	if (cache->start_ns > INT64_MAX - SECOND_NS)
		cache->text[0] = '\0';
	return to + TL_TIME_SIZE;
}

void
tl_put_time_cached(struct tl_text *text, struct tl_time_cache *cache,
    int64_t ns)
{
	char *to = tl_text_reserve(text, TL_TIME_SIZE);

	if (to)
		text->size += (size_t)(tl_write_time(to, cache, ns) - to);
}

void
tl_put_time(struct tl_text *text, int64_t ns)
{
	struct tl_time_cache cache = { 0 };

	tl_put_time_cached(text, &cache, ns);
}
