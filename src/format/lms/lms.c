/* SPDX-License-Identifier: Apache-2.0 */
/* lms.c - one line of an LMS profile. */
#include "format/lms/lms.h"

/* The rest of a line. */
struct rest {
	const char *at;
	const char *end;
};

static inline void
skip_blanks(struct rest *rest)
{
	while (rest->at < rest->end &&
	       (*rest->at == ' ' || *rest->at == '\t' || *rest->at == '\r'))
		rest->at++;
}

static inline bool
take_comma(struct rest *rest)
{
	if (rest->at == rest->end || *rest->at != ',')
		return false;
	rest->at++;
	return true;
}

/* Take digits with an optional sign; false: no digits, or out of range. */
static inline bool
take_number(struct rest *rest, int64_t *number)
{
	/* So many digits cannot overflow. */
	enum { SAFE_DIGITS = 18 };
	const char *start;
	bool negative = false;
	int64_t n = 0;

	skip_blanks(rest);
	if (rest->at < rest->end && (*rest->at == '-' || *rest->at == '+'))
		negative = *rest->at++ == '-';
	start = rest->at;
	while (rest->at < rest->end && *rest->at >= '0' && *rest->at <= '9') {
		const int digit = *rest->at++ - '0';

		if (rest->at - start <= SAFE_DIGITS)
			n = n * 10 - digit; /* INT64_MIN has no positive */
		else if (__builtin_mul_overflow(n, 10, &n) ||
			 __builtin_sub_overflow(n, digit, &n))
			return false;
	}
	if (rest->at == start || (!negative && n == INT64_MIN))
		return false;
	*number = negative ? n : -n;
	return true;
}

/* Does a line begin with digits and a comma, unlike the rest of a label? */
static bool
is_malformed(struct rest rest)
{
	const char *start = rest.at;

	while (rest.at < rest.end && *rest.at >= '0' && *rest.at <= '9')
		rest.at++;
	return rest.at > start && take_comma(&rest);
}

void
tl_lms_parse(struct tl_bytes line, struct tl_lms_line *parsed)
{
	/*
	 * Adding an offset to a NULL pointer of an empty line would be
	 * undefined.
	 */
	const char *start = line.size > 0 ? line.data : "";
	struct rest rest = { start, start + line.size };
	char type;

	skip_blanks(&rest);
	if (rest.at == rest.end) {
		parsed->type = TL_LMS_BLANK;
		return;
	}
	parsed->type = is_malformed(rest) ? TL_LMS_MALFORMED : TL_LMS_UNKNOWN;
	type = *rest.at++;
	if (type < '0' || type > '2' || !take_comma(&rest) ||
	    !take_number(&rest, &parsed->id) || !take_comma(&rest))
		return;
	if (type == '2') {
		parsed->type = TL_LMS_LABEL;
		parsed->label = tl_bytes(rest.at, (size_t)(rest.end - rest.at));
		return;
	}
	if (!take_number(&rest, &parsed->diff_us))
		return;
	skip_blanks(&rest);
	if (rest.at == rest.end)
		parsed->type = type == '0' ? TL_LMS_BEGIN : TL_LMS_END;
}
