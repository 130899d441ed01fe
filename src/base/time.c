/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time.c - durations and times as text.
 */
#include "base/ns.h"
#include "base/text.h"

#include "base/array.h"
#include "base/digits.h"

#include <errno.h>

/* Write a number of two digits, with a leading zero. */
static char *
write_two(char *to, unsigned n)
{
	to[0] = (char)('0' + n / 10);
	to[1] = (char)('0' + n % 10);
	return to + 2;
}

/* Write whole.thousandths, truncated, without trailing zeros. */
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

/* Write two units: 1m23s, 2h03m. */
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
	if (n < TL_NS_PER_S)
		return tl_write_string(write_thousandths(to, n, 1000000), "ms");
	if (n < 60 * (uint64_t)TL_NS_PER_S)
		return tl_write_string(write_thousandths(to, n, TL_NS_PER_S),
		    "s");
	return write_two_units(to, n / TL_NS_PER_S);
}

void
tl_put_duration(struct tl_text *text, int64_t ns)
{
	char *to = tl_text_reserve(text, TL_DURATION_MAX);

	if (to)
		text->size += (size_t)(tl_write_duration(to, ns) - to);
}

/*
 * Write the date of a number of days since 1970.  Years are counted from the
 * first of March, so that a leap day is the last day of its year, and from 1
 * March 1600, which is before any int64_t of nanoseconds.
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

/* Set the cache to the second of ns. */
static void
turn(struct tl_time_cache *cache, int64_t ns)
{
	const int64_t down = ns % TL_NS_PER_S < 0;
	const int64_t second = ns / TL_NS_PER_S - down;
	const int64_t day = (second >= 0 ? second : second - 86399) / 86400;
	const unsigned second_of_day = (unsigned)(second - day * 86400);
	char *to;

	cache->start_ns = (int64_t)((uint64_t)second * TL_NS_PER_S);
	to = write_date(cache->text, day);
	*to++ = 'T';
	to = write_two(to, second_of_day / 3600);
	*to++ = ':';
	to = write_two(to, second_of_day / 60 % 60);
	*to++ = ':';
	to = write_two(to, second_of_day % 60);
	memcpy(to, ".000000000+00:00", 16);
}

static char *
write_time(char *to, struct tl_time_cache *cache, int64_t ns)
{
	uint64_t rest = (uint64_t)ns - (uint64_t)cache->start_ns;
	unsigned n;

	/* another second, or the first */
	if (rest >= TL_NS_PER_S || cache->text[0] == '\0') {
		turn(cache, ns);
		rest = (uint64_t)ns - (uint64_t)cache->start_ns;
	}
	memcpy(to, cache->text, TL_TIME_SIZE);
	n = (unsigned)rest;
	to[20] = (char)('0' + n / 100000000);
	tl_write_eight(to + 21, n % 100000000);
	/* The first second starts below INT64_MIN and wraps, and the last ends
	 * beyond INT64_MAX: the cache would confuse the two. */
	if (cache->start_ns > INT64_MAX - TL_NS_PER_S)
		cache->text[0] = '\0';
	return to + TL_TIME_SIZE;
}

void
tl_put_time_cached(struct tl_text *text, struct tl_time_cache *cache,
    int64_t ns)
{
	char *to = tl_text_reserve(text, TL_TIME_SIZE);

	if (to)
		text->size += (size_t)(write_time(to, cache, ns) - to);
}

const char *
tl_duration_in(char *room, int64_t ns)
{
	*tl_write_duration(room, ns) = '\0';
	return room;
}

const char *
tl_time_in(char *room, int64_t ns)
{
	struct tl_time_cache cache = { 0 };

	*write_time(room, &cache, ns) = '\0';
	return room;
}

void
tl_put_time(struct tl_text *text, int64_t ns)
{
	struct tl_time_cache cache = { 0 };

	tl_put_time_cached(text, &cache, ns);
}

/* == numbers, durations and times that people type == */

#define PARSE_SECOND_NS 1000000000u

/* Further digits after a point are read and ignored. */
enum { FRACTION_DIGITS_MAX = 15 };

__extension__ typedef unsigned __int128 wide;

/* A number with a point: whole + part / scale. */
struct decimal {
	uint64_t whole;
	uint64_t part;
	uint64_t scale;
};

/* Read decimal digits, at least one.  Moves *at past the digits. */
static int
read_digits(const char **at, uint64_t *n)
{
	const size_t size = tl_number_take(tl_bytes_of(*at), n);

	if (size == 0)
		return tl_is_digit(**at) ? -ERANGE : -EINVAL;
	*at += size;
	return 0;
}

/* Read the digits after a point, at least one. */
static int
read_fraction(const char **at, struct decimal *n)
{
	if (!tl_is_digit(**at))
		return -EINVAL;
	for (unsigned i = 0; tl_is_digit(**at); i++, (*at)++) {
		if (i >= FRACTION_DIGITS_MAX)
			continue;
		n->part = n->part * 10 + (unsigned)(**at - '0');
		n->scale *= 10;
	}
	return 0;
}

static int
read_decimal(const char **at, struct decimal *n)
{
	int rc;

	n->part = 0;
	n->scale = 1;
	if ((rc = read_digits(at, &n->whole)) < 0)
		return rc;
	if (**at != '.')
		return 0;
	(*at)++;
	return read_fraction(at, n);
}

/* Read a sign, if there is one.  true: minus. */
static bool
read_sign(const char **at)
{
	const bool minus = **at == '-';

	if (minus || **at == '+')
		(*at)++;
	return minus;
}

/* Add n * unit, truncated, to *sum. */
static int
add_scaled(wide *sum, const struct decimal *n, uint64_t unit)
{
	*sum += (wide)n->whole * unit + (wide)n->part * unit / n->scale;
	return *sum > (wide)1 << 63 ? -ERANGE : 0;
}

static int
with_sign(wide sum, bool minus, int64_t *ns)
{
	if (sum > (wide)INT64_MAX + minus)
		return -ERANGE;
	*ns = (int64_t)(minus ? -(uint64_t)sum : (uint64_t)sum);
	return 0;
}

static bool
is_of_unit(char c)
{
	return (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

/* The unit at *at, in ns.  0: none. */
static uint64_t
read_unit(const char **at)
{
	static const struct {
		const char *names; /* a space before and after each name */
		uint64_t ns;
	} units[] = {
		{ " ns nsec nanosecond nanoseconds ", 1 },
		{ " us \u00b5s usec microsecond microseconds ", 1000 },
		{ " ms msec millisecond milliseconds ", 1000000 },
		{ " s sec secs second seconds ", PARSE_SECOND_NS },
		{ " m min mins minute minutes ",
		    60 * (uint64_t)PARSE_SECOND_NS },
		{ " h hr hour hours ", 3600 * (uint64_t)PARSE_SECOND_NS },
		{ " d day days ", 86400 * (uint64_t)PARSE_SECOND_NS },
		{ " w week weeks ", 7 * 86400 * (uint64_t)PARSE_SECOND_NS },
	};
	char name[16] = " ";
	size_t size = 1;

	for (; is_of_unit(**at); (*at)++) {
		if (size == sizeof(name) - 2)
			return 0;
		name[size++] = **at;
	}
	name[size] = ' ';
	for (size_t i = 0; size > 1 && i < TL_COUNT(units); i++) {
		if (strstr(units[i].names, name))
			return units[i].ns;
	}
	return 0;
}

int
tl_parse_duration(const char *string, int64_t *ns)
{
	const char *at = string;
	const bool minus = read_sign(&at);
	uint64_t unit, unit_before = UINT64_MAX;
	wide sum = 0;
	struct decimal n;
	int rc;

	if (strcmp(at, "0") == 0) /* 0 needs no unit */
		return *ns = 0;
	do {
		if ((rc = read_decimal(&at, &n)) < 0)
			return rc;
		at += *at == ' ';
		unit = read_unit(&at);
		if (unit == 0 || unit >= unit_before)
			return -EINVAL;
		unit_before = unit;
		if ((rc = add_scaled(&sum, &n, unit)) < 0)
			return rc;
		at += *at == ' ' && tl_is_digit(at[1]);
	} while (*at);
	return with_sign(sum, minus, ns);
}

int
tl_parse_unsigned(const char *string, uint64_t *n)
{
	const char *at = string;
	uint64_t value = 0;
	int rc;

	if (string[0] == '0' && (string[1] == 'x' || string[1] == 'X')) {
		at += 2;
		if (!*at)
			return -EINVAL;
		for (; *at; at++) {
			const int digit = tl_hex_digit(*at);

			if (digit < 0)
				return -EINVAL;
			if (value >> 60)
				return -ERANGE;
			value = value << 4 | (unsigned)digit;
		}
	} else if ((rc = read_digits(&at, &value)) < 0) {
		return rc;
	}
	if (*at)
		return -EINVAL;
	*n = value;
	return 0;
}

/* Read exactly `count` digits. */
static int
read_field(const char **at, unsigned count, unsigned *n)
{
	*n = 0;
	for (unsigned i = 0; i < count; i++, (*at)++) {
		if (!tl_is_digit(**at))
			return -EINVAL;
		*n = *n * 10 + (unsigned)(**at - '0');
	}
	return 0;
}

/* Compute the days since 1970 of an existing date. */
static int
days_of(unsigned year, unsigned month, unsigned day, int64_t *days)
{
	static const unsigned short before[] = { 0, 31, 59, 90, 120, 151, 181,
		212, 243, 273, 304, 334, 365 };
	const unsigned leap =
	    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	const int64_t past = (int64_t)year - 1;

	if (month < 1 || month > 12 || day < 1)
		return -EINVAL;
	if (day > before[month] - before[month - 1] + (month == 2) * leap)
		return -EINVAL;
	*days = past * 365 + past / 4 - past / 100 + past / 400 - 719162 +
		before[month - 1] + (month > 2) * leap + day - 1;
	return 0;
}

/* Read 2026-11-20, as seconds since 1970. */
static int
read_date(const char **at, int64_t *seconds)
{
	unsigned year, month, day;

	if (read_field(at, 4, &year) < 0 || *(*at)++ != '-' ||
	    read_field(at, 2, &month) < 0 || *(*at)++ != '-' ||
	    read_field(at, 2, &day) < 0)
		return -EINVAL;
	if (year == 0 || days_of(year, month, day, seconds) < 0)
		return -EINVAL;
	*seconds *= 86400;
	return 0;
}

/* Read 19:24, 19:24:18 or 19:24:18.123456789.  A leap second counts as the
 * first second after it, as in Unix time. */
static int
read_time_of_day(const char **at, int64_t *seconds, struct decimal *fraction)
{
	unsigned hour, minute, second = 0;

	if (read_field(at, 2, &hour) < 0 || *(*at)++ != ':' ||
	    read_field(at, 2, &minute) < 0)
		return -EINVAL;
	if (**at == ':') {
		(*at)++;
		if (read_field(at, 2, &second) < 0)
			return -EINVAL;
		if (**at == '.') {
			(*at)++;
			if (read_fraction(at, fraction) < 0)
				return -EINVAL;
		}
	}
	if (hour > 23 || minute > 59 || second > 60)
		return -EINVAL;
	*seconds += hour * 3600 + minute * 60 + second;
	return 0;
}

/* Read Z, +01:00, +0100 or +01. */
static int
read_zone(const char **at, int64_t *seconds)
{
	unsigned hours, minutes = 0;
	int64_t offset;
	bool minus;

	if (**at == 'Z') {
		(*at)++;
		return 0;
	}
	if (**at != '+' && **at != '-')
		return -EINVAL;
	minus = read_sign(at);
	if (read_field(at, 2, &hours) < 0)
		return -EINVAL;
	if (**at == ':')
		(*at)++;
	else if (!**at)
		goto done;
	if (read_field(at, 2, &minutes) < 0)
		return -EINVAL;
done:
	if (hours > 23 || minutes > 59)
		return -EINVAL;
	offset = (int64_t)hours * 3600 + (int64_t)minutes * 60;
	*seconds -= minus ? -offset : offset;
	return 0;
}

/* Convert seconds + fraction to ns. */
static int
to_ns(int64_t seconds, const struct decimal *fraction, int64_t *ns)
{
	__extension__ const __int128 sum =
	    (__int128)seconds * PARSE_SECOND_NS +
	    (int64_t)((wide)fraction->part * PARSE_SECOND_NS / fraction->scale);

	if (sum < INT64_MIN || sum > INT64_MAX)
		return -ERANGE;
	*ns = (int64_t)sum;
	return 0;
}

/* Parse the number after "@". */
static int
parse_unix_time(const char *at, int64_t *ns)
{
	const bool minus = read_sign(&at);
	struct decimal n;
	wide sum = 0;
	int rc;

	if ((rc = read_decimal(&at, &n)) < 0)
		return rc;
	if (*at)
		return -EINVAL;
	if ((rc = add_scaled(&sum, &n, PARSE_SECOND_NS)) < 0)
		return rc;
	return with_sign(sum, minus, ns);
}

int
tl_parse_time(const char *string, int64_t *ns)
{
	struct decimal fraction = { .scale = 1 };
	const char *at = string;
	int64_t seconds;
	int rc;

	if (*at == '@')
		return parse_unix_time(at + 1, ns);
	if ((rc = read_date(&at, &seconds)) < 0)
		return rc;
	if (*at == 'T' || *at == ' ') {
		at++;
		if ((rc = read_time_of_day(&at, &seconds, &fraction)) < 0)
			return rc;
	}
	if (*at && (rc = read_zone(&at, &seconds)) < 0)
		return rc;
	if (*at)
		return -EINVAL;
	return to_ns(seconds, &fraction, ns);
}

/* == bounds of a time window == */

/* Parse "today", "yesterday", "tomorrow", "now". */
static bool
parse_day(const char *word, int64_t now_ns, int64_t *ns)
{
	static const char *const names[] = { "yesterday", "today", "tomorrow" };
	const int64_t day_ns = 86400 * (int64_t)PARSE_SECOND_NS;
	const int64_t past = now_ns % day_ns;
	const int64_t midnight = now_ns - past - (past < 0 ? day_ns : 0);

	*ns = now_ns;
	for (int i = 0; i < 3; i++) {
		if (strcmp(word, names[i]) == 0) {
			*ns = midnight + (i - 1) * day_ns;
			return true;
		}
	}
	return strcmp(word, "now") == 0;
}

/* Parse "5 min ago".  *ns is the duration. */
static bool
parse_ago(const char *word, int64_t *ns)
{
	static const char ago[] = " ago";
	char text[64];
	const size_t end = strlen(ago), size = strlen(word);

	if (size <= end || size >= sizeof(text) ||
	    strcmp(word + size - end, ago) != 0 || !tl_is_digit(word[0]))
		return false;
	memcpy(text, word, size - end);
	text[size - end] = '\0';
	return tl_parse_duration(text, ns) == 0;
}

/* Parse "10:00" of today. */
static int
parse_clock(const char *word, int64_t now_ns, int64_t *ns)
{
	struct decimal fraction = { .scale = 1 };
	int64_t midnight, seconds = 0;
	int rc = read_time_of_day(&word, &seconds, &fraction);

	if (rc == 0 && *word)
		rc = read_zone(&word, &seconds);
	if (rc < 0 || *word)
		return -EINVAL;
	parse_day("today", now_ns, &midnight);
	return to_ns(midnight / PARSE_SECOND_NS + seconds, &fraction, ns);
}

int
tl_parse_bound(const char *word, int64_t now_ns, struct tl_bound *bound)
{
	int64_t ns;
	int rc = 0;

	if (strcmp(word, "0") == 0)
		return -EINVAL;
	if (tl_parse_duration(word, &ns) == 0) {
		*bound = (struct tl_bound){ .given = true,
			.relative = true,
			.ns = tl_is_digit(word[0]) ? -ns : ns };
		return 0;
	}
	if (parse_ago(word, &ns))
		rc = __builtin_sub_overflow(now_ns, ns, &ns) ? -ERANGE : 0;
	else if (!parse_day(word, now_ns, &ns) &&
		 parse_clock(word, now_ns, &ns) < 0)
		rc = tl_parse_time(word, &ns);
	if (rc == 0)
		*bound = (struct tl_bound){ .given = true, .ns = ns };
	return rc;
}
