/* SPDX-License-Identifier: Apache-2.0 */
/* parse.c - numbers, durations and times that people type. */
#include "base/text.h"

#include <errno.h>

#define SECOND_NS 1000000000u

/* More digits behind a point are read and make no difference. */
enum { FRACTION_DIGITS_MAX = 15 };

__extension__ typedef unsigned __int128 wide;

/* A number with a point: whole + part / scale. */
struct decimal {
	uint64_t whole;
	uint64_t part;
	uint64_t scale;
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Decimal digits, at least one.  Moves *at behind them. */
static int
read_digits(const char **at, uint64_t *n)
{
	uint64_t value = 0;

	if (!is_digit(**at))
		return -EINVAL;
	for (; is_digit(**at); (*at)++) {
		const unsigned digit = (unsigned)(**at - '0');

		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return -ERANGE;
	}
	*n = value;
	return 0;
}

/* The digits behind a point, at least one. */
static int
read_fraction(const char **at, struct decimal *n)
{
	if (!is_digit(**at))
		return -EINVAL;
	for (unsigned i = 0; is_digit(**at); i++, (*at)++) {
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

/* A sign, if there is one. */
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

/* The unit at *at, in ns; 0: there is none. */
static uint64_t
read_unit(const char **at)
{
	static const struct {
		const char *name; /* of two letters before those of one */
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", SECOND_NS },
		{ "m", 60 * (uint64_t)SECOND_NS },
		{ "h", 3600 * (uint64_t)SECOND_NS },
		{ "d", 86400 * (uint64_t)SECOND_NS },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		const size_t size = strlen(units[i].name);

		if (strncmp(*at, units[i].name, size) == 0) {
			*at += size;
			return units[i].ns;
		}
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

	do {
		if ((rc = read_decimal(&at, &n)) < 0)
			return rc;
		unit = read_unit(&at);
		if (unit == 0 && (*at || unit_before != UINT64_MAX))
			return -EINVAL; /* only a number alone needs none */
		if (unit >= unit_before)
			return -EINVAL;
		unit_before = unit;
		if ((rc = add_scaled(&sum, &n, unit ? unit : 1)) < 0)
			return rc;
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
		static const char digits[] = "00112233445566778899"
					     "aAbBcCdDeEfF";
		const char *digit;

		at += 2;
		if (!*at)
			return -EINVAL;
		for (; *at; at++) {
			if (!(digit = strchr(digits, *at)))
				return -EINVAL;
			if (value >> 60)
				return -ERANGE;
			value = value << 4 | (unsigned)(digit - digits) / 2;
		}
	} else if ((rc = read_digits(&at, &value)) < 0) {
		return rc;
	}
	if (*at)
		return -EINVAL;
	*n = value;
	return 0;
}

/* Exactly count digits. */
static int
read_field(const char **at, unsigned count, unsigned *n)
{
	*n = 0;
	for (unsigned i = 0; i < count; i++, (*at)++) {
		if (!is_digit(**at))
			return -EINVAL;
		*n = *n * 10 + (unsigned)(**at - '0');
	}
	return 0;
}

static bool
is_leap(unsigned year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Days since 1970 of a date that exists. */
static int
days_of(unsigned year, unsigned month, unsigned day, int64_t *days)
{
	static const unsigned short before[] = { 0, 31, 59, 90, 120, 151, 181,
		212, 243, 273, 304, 334, 365 };
	const unsigned leap = is_leap(year);
	const int64_t past = (int64_t)year - 1;

	if (month < 1 || month > 12 || day < 1)
		return -EINVAL;
	if (day > before[month] - before[month - 1] + (month == 2) * leap)
		return -EINVAL;
	*days = past * 365 + past / 4 - past / 100 + past / 400 - 719162 +
		before[month - 1] + (month > 2) * leap + day - 1;
	return 0;
}

/* 2026-11-20, as seconds since 1970. */
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

/* 19:24, 19:24:18 or 19:24:18.123456789; a leap second counts as the first
 * one after it, as Unix time has it. */
static int
read_clock(const char **at, int64_t *seconds, struct decimal *fraction)
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

/* Z, +01:00, +0100 or +01, up to the end of the string. */
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

/* seconds + fraction as ns. */
static int
to_ns(int64_t seconds, const struct decimal *fraction, int64_t *ns)
{
	__extension__ const __int128 sum =
	    (__int128)seconds * SECOND_NS +
	    (int64_t)((wide)fraction->part * SECOND_NS / fraction->scale);

	if (sum < INT64_MIN || sum > INT64_MAX)
		return -ERANGE;
	*ns = (int64_t)sum;
	return 0;
}

/* What follows "@". */
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
	if ((rc = add_scaled(&sum, &n, SECOND_NS)) < 0)
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
		if ((rc = read_clock(&at, &seconds, &fraction)) < 0)
			return rc;
	}
	if (*at && (rc = read_zone(&at, &seconds)) < 0)
		return rc;
	if (*at)
		return -EINVAL;
	return to_ns(seconds, &fraction, ns);
}
