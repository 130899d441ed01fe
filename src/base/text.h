/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - build text in memory: numbers, durations, times, escapes.
 *
 * A text grows as needed and remembers its first failure, so that callers
 * append freely and check once, at the end.  The tl_put_* functions are fast
 * (without printf), because a listing prints millions of lines with them.
 */
#ifndef TL_BASE_TEXT_H
#define TL_BASE_TEXT_H

#include "base/bytes.h"

#include <stdarg.h>

struct tl_text {
	char *data;
	size_t size;
	size_t capacity;
	int rc; /* 0; -ENOMEM after growing failed; size stays valid */
};

/* The largest number of bytes that tl_write_...() writes. */
enum {
	TL_UNSIGNED_MAX = 20,
	TL_SIGNED_MAX = 20,
	TL_HEX_MAX = 18,
	TL_TIME_SIZE = 35,
	TL_DURATION_MAX = 20
};

/* The last second that was written, so that a listing in order of time writes
 * the date only once.  Starts from all zeros. */
struct tl_time_cache {
	int64_t start_ns;            /* start of this second */
	char text[TL_TIME_SIZE + 1]; /* empty: none yet */
};

/* Start from all zeros: struct tl_text text = { 0 }; */
void tl_text_free(struct tl_text *text);
/* Empty the text, but keep the memory. */
static inline void
tl_text_clear(struct tl_text *text)
{
	text->size = 0;
}
/* Make the room that tl_text_reserve() lacks. */
char *tl_text_grow(struct tl_text *text, size_t size);
/* Make room for `size` more bytes.  Returns their place, or NULL.  There is
 * always one byte more, for a NUL.  The caller adds the bytes that it writes to
 * text->size. */
static inline char *
tl_text_reserve(struct tl_text *text, size_t size)
{
	if (text->capacity - text->size > size)
		return text->data + text->size;
	return tl_text_grow(text, size);
}
/* The bytes of the text; data may be NULL if there are none. */
static inline struct tl_bytes
tl_text_bytes(const struct tl_text *text)
{
	return tl_bytes(text->data, text->size);
}
/* The text with a NUL after it, which size does not count.  "" without
 * memory. */
const char *tl_text_string(struct tl_text *text);

void tl_put_bytes(struct tl_text *text, struct tl_bytes bytes);
void tl_put_string(struct tl_text *text, const char *string);
static inline void
tl_put_char(struct tl_text *text, char c)
{
	char *to = tl_text_reserve(text, 1);

	if (!to)
		return;
	*to = c;
	text->size++;
}
void tl_put_repeat(struct tl_text *text, char c, size_t count);
/* Put a word of plain ASCII, padded to a width, with at least one space. */
void tl_put_padded(struct tl_text *text, const char *word, size_t width);
/* Align the bytes put since the size `since` to the right. */
void tl_text_align_right(struct tl_text *text, size_t since, size_t width);
/* Cut the text put since the size `since`, which must be escaped, to a number
 * of columns.  If it was cut, append an ASCII mark such as "...". */
void tl_text_cut(struct tl_text *text, size_t since, unsigned columns,
    const char *mark);
void tl_put_unsigned(struct tl_text *text, uint64_t n);
void tl_put_signed(struct tl_text *text, int64_t n);
void tl_put_hex(struct tl_text *text, uint64_t n); /* 0x1f, no padding */
/* Put as %.17g does, but the shortest form that reads back the same; inf and
 * nan as such. */
void tl_put_double(struct tl_text *text, double value);
/* Put a number of digits (at most 17) significant digits as %g does, without
 * zeros behind them, but never with an exponent: 12345 for 1.23e+04, 0.00001
 * for 1e-05. */
void tl_put_rounded(struct tl_text *text, double value, int digits);
/* Put "1 begin", "2 begins", "0 entries". */
void tl_put_count(struct tl_text *text, uint64_t n, const char *noun);
/* Put nanoseconds for people: 873ns 1.234us 12.345ms 1.234s 1m23s 2h03m, with a
 * minus sign if negative.  At most three decimals, truncated. */
void tl_put_duration(struct tl_text *text, int64_t ns);
/* Put any int64_t as 2026-11-20T19:24:18.123456789+00:00. */
void tl_put_time(struct tl_text *text, int64_t ns);
/* Like tl_put_time(), but keep the date of the last second in cache. */
void tl_put_time_cached(struct tl_text *text, struct tl_time_cache *cache,
    int64_t ns);

/* Write directly to a place with enough room.  Returns the end.  For loops that
 * reserve room once for a whole line. */
char *tl_write_string(char *to, const char *string);
char *tl_write_unsigned(char *to, uint64_t n);
char *tl_write_signed(char *to, int64_t n);
char *tl_write_hex(char *to, uint64_t n);
char *tl_write_duration(char *to, int64_t ns);

/* A duration or a time as an argument of tl_put_format(), in an array that
 * lives to the end of the block. */
#define TL_DURATION(ns) tl_duration_in((char[TL_DURATION_MAX + 1]){ 0 }, ns)
#define TL_TIME(ns)     tl_time_in((char[TL_TIME_SIZE + 1]){ 0 }, ns)
const char *tl_duration_in(char *room, int64_t ns);
const char *tl_time_in(char *room, int64_t ns);

/* For rare text only. */
void tl_put_format(struct tl_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Escapes: no byte of the input that could control a terminal or a file reaches
 * it unchanged.  put_plain keeps printable UTF-8 and writes \n \t \\ and, for
 * every byte of C0, DEL, C1 (also U+0080-9F), U+2028/2029, the bidi marks
 * U+061C 200E/F 202A-E 2066-9, U+FEFF and invalid UTF-8, \xNN.  put_lines is
 * the same but keeps newlines.  put_json writes the inside of a JSON string
 * (without quotes): each byte of invalid UTF-8 becomes U+FFFD, a controlling
 * character becomes \uNNNN.  put_csv writes a whole CSV field, quoted if
 * necessary (RFC 4180), control bytes and \ as put_plain, and a ' in front of a
 * leading = + - @ ', so that no spreadsheet reads the field as a formula; a
 * reader that drops one leading ' and undoes the \ gets every byte back.
 * put_xml escapes the output of put_plain for text of XML and HTML, or for an
 * attribute between ".
 */
void tl_put_plain(struct tl_text *text, struct tl_bytes bytes);
void tl_put_lines(struct tl_text *text, struct tl_bytes bytes);
void tl_put_json(struct tl_text *text, struct tl_bytes bytes);
void tl_put_csv(struct tl_text *text, struct tl_bytes bytes);
void tl_put_xml(struct tl_text *text, struct tl_bytes plain);
/* The columns of a terminal that put_plain needs for bytes.  Wide East Asian
 * characters count 2, combining marks 0. */
size_t tl_text_width(struct tl_bytes bytes);

/*
 * Parse numbers that people type.  Duration: 250ns, 100us, 1.5ms, 10s, 2m, 1h,
 * 7d, 1w, with an optional sign, or several units from larger to smaller
 * (1m23s, 1h 5m); units may be spelled out (5 min, 2 hours); only 0 needs no
 * unit.  0 and *ns, -EINVAL, -ERANGE.  Time:
 * 2026-11-20T19:24:18.123456789+00:00, or shorter (without a zone UTC; without
 * a time midnight), or "@" and Unix seconds with decimals.  Unsigned: decimal
 * or 0x hexadecimal, no sign, and nothing after the digits.
 */
int tl_parse_duration(const char *string, int64_t *ns);
int tl_parse_time(const char *string, int64_t *ns);
int tl_parse_unsigned(const char *string, uint64_t *n);

/* An end of a time window: a time, or relative to the newest entry. */
struct tl_bound {
	bool given;
	bool relative;
	int64_t ns;
};

/*
 * Parse the argument of --since and --until.  5m and -5m: this long before the
 * newest entry, +5m after it; "5 min ago": before now_ns; 10:00, 10:00:00.5:
 * today; now, today, yesterday, tomorrow: now and the start of the day; or a
 * time as above.  All in UTC.  0, -EINVAL, -ERANGE.
 */
int tl_parse_bound(const char *word, int64_t now_ns, struct tl_bound *bound);

/*
 * == number ==
 *
 * Numbers as programs write them, read in place.
 */

static inline bool
tl_is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Take the number at the start of bytes.  Returns its number of digits; 0: no
 * number, or more than 64 bits.  Fast if eight bytes after the digits may be
 * read. */
size_t tl_number_take(struct tl_bytes bytes, uint64_t *n);

/* Read a field that is a number as a whole.  The bytes up to end may be read.
 * 0; -EINVAL: not a number, or too large. */
int tl_number_unsigned(struct tl_bytes field, const char *end, uint64_t *n);
int tl_number_signed(struct tl_bytes field, const char *end, int64_t *n);
/* Like tl_number_unsigned(), for a number of 32 bits. */
int tl_number_small(struct tl_bytes field, const char *end, uint32_t *n);
/* Read the bits of a double in JSON form, or of inf -inf nan. */
int tl_number_double(struct tl_bytes field, uint64_t *bits);

/* == sizes as people write and read them: 5000, 64K, 10M, 2G, 1T == */

/* Parse decimal digits with a unit in either case, a power of 1024, or 0x with
 * hexadecimal digits.  0, -EINVAL, -ERANGE. */
int tl_parse_size(const char *text, uint64_t *size);
/* Put bytes for people: 10.5M, 105M. */
void tl_put_size(struct tl_text *text, uint64_t bytes);

#endif
