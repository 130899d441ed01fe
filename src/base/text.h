/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - build text in memory: numbers, durations, times, escapes.
 *
 * A builder grows as needed and remembers its first failure, so that callers
 * append freely and ask once, at the end.  The tl_put_* functions are fast
 * (no printf inside): a listing prints millions of lines with them.
 */
#ifndef TL_BASE_TEXT_H
#define TL_BASE_TEXT_H

#include "base/bytes.h"

#include <stdarg.h>

struct tl_text {
	char *data;
	size_t size;
	size_t capacity;
	int rc; /* 0, or -ENOMEM once growing failed; size stays valid */
};

/* The most bytes that tl_write_... of one number takes. */
enum {
	TL_UNSIGNED_MAX = 20,
	TL_SIGNED_MAX = 20,
	TL_HEX_MAX = 18,
	TL_TIME_SIZE = 35,
	TL_DURATION_MAX = 20
};

/* The last second that was written, so that a listing in order of time
 * writes the date once.  Starts from all zeros. */
struct tl_time_cache {
	int64_t start_ns;            /* where that second starts */
	char text[TL_TIME_SIZE + 1]; /* empty: none yet */
};

/* Start from all zeros: struct tl_text text = { 0 }; */
void tl_text_free(struct tl_text *text);
/* Empty it, keep the memory. */
static inline void
tl_text_clear(struct tl_text *text)
{
	text->size = 0;
}
/* Make the room that tl_text_reserve found missing. */
char *tl_text_grow(struct tl_text *text, size_t size);
/* Room for size more bytes: where they go, or NULL.  There is always one
 * byte more, for a NUL.  Whoever writes there adds to text->size. */
static inline char *
tl_text_reserve(struct tl_text *text, size_t size)
{
	if (text->capacity - text->size > size)
		return text->data + text->size;
	return tl_text_grow(text, size);
}
/* The text with a NUL after it (not counted); "" when there is none. */
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
/* A word of plain ASCII in a column so wide, and a space at least. */
void tl_put_padded(struct tl_text *text, const char *word, size_t width);
/* Align the bytes that were put since a size of the text to the right. */
void tl_text_align_right(struct tl_text *text, size_t since, size_t width);
/* Cut the text since a size, all of which must be escaped, to this many
 * columns, and append an ASCII mark, such as "...", if it was cut. */
void tl_text_cut(struct tl_text *text, size_t since, unsigned columns,
    const char *mark);
void tl_put_unsigned(struct tl_text *text, uint64_t n);
void tl_put_signed(struct tl_text *text, int64_t n);
void tl_put_hex(struct tl_text *text, uint64_t n); /* 0x1f, no padding */
/* As %.17g, shortest form that reads back the same; inf and nan as such. */
void tl_put_double(struct tl_text *text, double value);
/* Nanoseconds for a person: 873ns 1.234us 12.345ms 1.234s 1m23s 2h03m; a
 * minus sign in front when negative.  At most three decimals, truncated. */
void tl_put_duration(struct tl_text *text, int64_t ns);
/* 2026-11-20T19:24:18.123456789+00:00, any int64_t. */
void tl_put_time(struct tl_text *text, int64_t ns);
/* The same, with the date of the second before kept in cache. */
void tl_put_time_cached(struct tl_text *text, struct tl_time_cache *cache,
    int64_t ns);

/* The same again straight to where there is room: return the end.  For loops
 * that reserve once for a whole line. */
char *tl_write_string(char *to, const char *string);
char *tl_write_unsigned(char *to, uint64_t n);
char *tl_write_signed(char *to, int64_t n);
char *tl_write_hex(char *to, uint64_t n);
char *tl_write_duration(char *to, int64_t ns);
char *tl_write_time(char *to, struct tl_time_cache *cache, int64_t ns);

/* For rare text only. */
void tl_put_format(struct tl_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Escapes: nothing of the input reaches a terminal or a file unchanged that
 * could steer it.  put_plain keeps printable UTF-8 and writes \n \t \\ and,
 * for every byte of C0, DEL, C1 (also U+0080-9F), U+2028/2029, the bidi marks
 * U+061C 200E/F 202A-E 2066-9, U+FEFF and invalid UTF-8, \xNN.  put_lines is
 * the same but lets a newline through.  put_json writes the inside of a JSON
 * string (without quotes; each byte of invalid UTF-8 becomes U+FFFD, what
 * could steer becomes \uNNNN).  put_csv writes a whole CSV field, quoted when
 * it needs to be (RFC 4180), control bytes and \ as put_plain does, and a '
 * in front of a leading = + - @ ' so that no spreadsheet takes it for a
 * formula; a reader drops one leading ' and undoes the \, and has every byte
 * again.  put_xml is for what put_plain has written: it becomes text of XML
 * and HTML, or the inside of an attribute between ".
 */
void tl_put_plain(struct tl_text *text, struct tl_bytes bytes);
void tl_put_lines(struct tl_text *text, struct tl_bytes bytes);
void tl_put_json(struct tl_text *text, struct tl_bytes bytes);
void tl_put_csv(struct tl_text *text, struct tl_bytes bytes);
void tl_put_xml(struct tl_text *text, struct tl_bytes plain);
/* Columns a terminal needs for what put_plain writes of bytes (wide East
 * Asian characters count 2, combining marks 0). */
size_t tl_text_width(struct tl_bytes bytes);

/*
 * Numbers people type.  Duration: 250ns, 100us, 1.5ms, 10s, 2m, 1h, 7d, 1w,
 * with an optional sign, or several from larger to smaller units (1m23s, 1h
 * 5m); units may be spelled out (5 min, 2 hours); only 0 needs none.  0 and
 * *ns, -EINVAL, -ERANGE.
 * Time: 2026-11-20T19:24:18.123456789+00:00, shorter forms of it (no zone
 * means UTC; no time means midnight), "@" and Unix seconds with decimals.
 * Unsigned: decimal or 0x hexadecimal, no sign, nothing behind.
 */
int tl_parse_duration(const char *string, int64_t *ns);
int tl_parse_time(const char *string, int64_t *ns);
int tl_parse_unsigned(const char *string, uint64_t *n);

/* An end of a time window: a time, or counted from the newest entry. */
struct tl_bound {
	bool given;
	bool relative;
	int64_t ns;
};

/*
 * The argument of --since and --until.  5m and -5m: so long before the newest
 * entry, +5m behind it; "5 min ago": before now_ns; 10:00, 10:00:00.5: of
 * today; now, today, yesterday, tomorrow: now and the start of the day; or a
 * time as above.  All in UTC.  0, -EINVAL, -ERANGE.
 */
int tl_parse_bound(const char *word, int64_t now_ns, struct tl_bound *bound);

struct tl_fault;
/* "PROGRAM: NAME: byte N: WHAT" and a line break, all of it escaped; name may
 * be NULL, the byte is that of damage that has a place. */
void tl_put_fault(struct tl_text *text, const char *program, const char *name,
    const struct tl_fault *fault);

/*
 * == number ==
 *
 * numbers as programs write them, read where they stand.
 */

static inline bool
tl_is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* The number that bytes begin with: how many digits it has; 0: there is none,
 * or 64 bits do not hold it.  Quick where eight bytes more than the digits
 * may be looked at. */
size_t tl_number_take(struct tl_bytes bytes, uint64_t *n);

/* All of a field, which lies in what goes on to end: 0, -EINVAL where it is
 * no such number or one that is too large. */
int tl_number_unsigned(struct tl_bytes field, const char *end, uint64_t *n);
int tl_number_signed(struct tl_bytes field, const char *end, int64_t *n);
/* Into 32 bits. */
int tl_number_small(struct tl_bytes field, const char *end, uint32_t *n);
/* The bits of a double, as JSON writes it, or of inf -inf nan. */
int tl_number_double(struct tl_bytes field, uint64_t *bits);

/* == sizes as people write and read them: 5000, 64K, 10M, 2G, 1T == */

/* Decimal digits and a unit, a power of 1024, of either case, or 0x and
 * hexadecimal digits: 0, -EINVAL, -ERANGE. */
int tl_parse_size(const char *text, uint64_t *size);
/* 10.5M, 105M: bytes for a person. */
void tl_put_size(struct tl_text *text, uint64_t bytes);

#endif
