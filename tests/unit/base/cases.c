/* SPDX-License-Identifier: Apache-2.0 */
/* cases.c - texts that are read, escaped, measured and written: cases.cases. */
#include "base/json.h"
#include "base/options.h"
#include "base/utf8.h"
#include "lib/golden.h"

#include <errno.h>

/* Print a text with the escapes that golden_unescape() undoes. */
static void
put_escaped(struct tl_text *out, struct tl_bytes text)
{
	tl_put_string(out, text.size > 0 ? " = " : " = \"\"");
	for (size_t at = 0, size; at < text.size; at += size) {
		uint32_t code = 0;

		size = tl_utf8_decode(text, at, &code);
		if (size > 1 || (size == 1 && code >= ' ' && code != 0x7f)) {
			tl_put_bytes(out, tl_bytes(text.data + at, size));
			continue;
		}
		size = 1;
		if (text.data[at] == '\n')
			tl_put_string(out, "\\n");
		else
			tl_put_format(out, "\\x%02x", (uint8_t)text.data[at]);
	}
}

static const char *
error_name(int rc)
{
	return rc == -EINVAL    ? "EINVAL"
	       : rc == -ERANGE  ? "ERANGE"
	       : rc == -EBADMSG ? "EBADMSG"
				: "another error";
}

/* Print a number, or the error. */
static void
put_number(struct tl_text *out, int rc, uint64_t number, bool is_signed)
{
	tl_put_string(out, " = ");
	if (rc < 0)
		tl_put_string(out, error_name(rc));
	else if (is_signed)
		tl_put_signed(out, (int64_t)number);
	else
		tl_put_unsigned(out, number);
}

/* == what people type == */

static void
put_ns(struct tl_text *out, const char *text,
    int (*parse)(const char *string, int64_t *ns))
{
	int64_t ns = -4242; /* must not change on failure */
	const int rc = parse(text, &ns);

	if (rc < 0)
		ck_assert_int_eq(ns, -4242);
	put_number(out, rc, (uint64_t)ns, true);
}

static void
duration(struct tl_text *out, struct tl_bytes in)
{
	put_ns(out, in.data, tl_parse_duration);
}

static void
time_of(struct tl_text *out, struct tl_bytes in)
{
	put_ns(out, in.data, tl_parse_time);
}

/* It is 2026-11-20T19:24:18.123456789. */
static void
bound(struct tl_text *out, struct tl_bytes in)
{
	struct tl_bound bound = { 0 };
	const int rc = tl_parse_bound(in.data, 1795202658123456789, &bound);

	ck_assert_int_eq(bound.given, rc == 0);
	put_number(out, rc, (uint64_t)bound.ns, true);
	tl_put_string(out, bound.relative ? " relative" : "");
}

static void
size(struct tl_text *out, struct tl_bytes in)
{
	uint64_t size = 0;
	const int rc = tl_parse_size(in.data, &size);

	put_number(out, rc, size, false);
}

static void
unsigned_of(struct tl_text *out, struct tl_bytes in)
{
	uint64_t n = 4242;
	const int rc = tl_parse_unsigned(in.data, &n);

	if (rc < 0)
		ck_assert_uint_eq(n, 4242);
	put_number(out, rc, n, false);
}

static void
number(struct tl_text *out, struct tl_bytes in)
{
	int64_t n;
	const int rc = tl_number_signed(in, in.data + in.size, &n);

	put_number(out, rc, (uint64_t)n, true);
}

static void
put_duration(struct tl_text *out, struct tl_bytes in)
{
	tl_put_string(out, " = ");
	tl_put_duration(out, strtoll(in.data, NULL, 10));
}

static void
put_size(struct tl_text *out, struct tl_bytes in)
{
	tl_put_string(out, " = ");
	tl_put_size(out, strtoull(in.data, NULL, 10));
}

/* == escapes == */

#define ESCAPES(name) \
	static void name(struct tl_text *out, struct tl_bytes in) \
	{ \
		struct tl_text text = { 0 }; \
\
		tl_put_##name(&text, in); \
		put_escaped(out, tl_bytes(text.data, text.size)); \
		tl_text_free(&text); \
	} \
	struct golden

ESCAPES(plain);
ESCAPES(lines);
ESCAPES(json);
ESCAPES(csv);
ESCAPES(xml);

static void
width(struct tl_text *out, struct tl_bytes in)
{
	tl_put_format(out, " = %zu", tl_text_width(in));
}

static void
encode(struct tl_text *out, struct tl_bytes in)
{
	size_t max = TL_MUTF8_SIZE_MAX;
	struct tl_text text = { 0 };

	if (strncmp(in.data, "max=", 4) == 0) {
		const char *at = strchr(in.data, ' ') + 1;

		max = strtoul(in.data + 4, NULL, 10);
		in = tl_bytes(at, in.size - (size_t)(at - in.data));
	}
	if (!tl_mutf8_encode(&text, in, max))
		tl_put_string(out, " = changed");
	put_escaped(out, tl_bytes(text.data, text.size));
	tl_text_free(&text);
}

static void
decode(struct tl_text *out, struct tl_bytes in)
{
	struct tl_text text = { 0 };

	if (!tl_mutf8_decode(&text, in))
		tl_put_string(out, " = changed");
	put_escaped(out, tl_bytes(text.data, text.size));
	tl_text_free(&text);
}

/* == JSON == */

/* Print each token as a letter and its text; returns the result of the last. */
static int
drain(struct tl_json *json, struct tl_text *out)
{
	static const char letters[] = "?{}[]ksntf0.";
	struct tl_json_token token;
	int rc;

	while ((rc = tl_json_next(json, &token)) > 0) {
		tl_put_char(out, letters[rc]);
		tl_put_bytes(out, token.text);
		if (rc == TL_JSON_KEY || rc == TL_JSON_STRING ||
		    rc == TL_JSON_NUMBER)
			tl_put_format(out, "@%u ", (unsigned)token.at);
		if (rc == TL_JSON_END)
			return rc;
	}
	return rc;
}

/* The tokens of a text in pieces of all sizes. */
static void
tokens(struct tl_text *out, struct tl_bytes in)
{
	struct tl_text first = { 0 };

	for (size_t piece = 1; piece <= in.size + 1; piece++) {
		struct tl_text text = { 0 };
		struct tl_json json = { 0 };
		int rc = 0;

		for (size_t at = 0; at < in.size && rc == 0; at += piece) {
			const size_t left = in.size - at;

			tl_json_feed(&json, tl_bytes(in.data + at,
						left < piece ? left : piece));
			rc = drain(&json, &text);
		}
		if (rc == 0) {
			tl_json_finish(&json);
			rc = drain(&json, &text);
		}
		if (rc < 0) {
			tl_put_format(&text, " %s at %u: %s", error_name(rc),
			    (unsigned)json.wrong_at, json.why);
			/* the error is permanent */
			ck_assert_int_eq(drain(&json, &text), rc);
		}
		if (piece == 1)
			tl_put_string(&first, tl_text_string(&text));
		ck_assert_str_eq(tl_text_string(&text), tl_text_string(&first));
		tl_text_free(&text);
		tl_json_free(&json);
	}
	put_escaped(out, tl_bytes(first.data, first.size));
	tl_text_free(&first);
}

static void
json_unsigned(struct tl_text *out, struct tl_bytes in)
{
	uint64_t n;
	const int rc = tl_json_unsigned(in, &n);

	put_number(out, rc, n, false);
}

static void
json_signed(struct tl_text *out, struct tl_bytes in)
{
	int64_t n;
	const int rc = tl_json_signed(in, &n);

	put_number(out, rc, (uint64_t)n, true);
}

static void
scaled(struct tl_text *out, struct tl_bytes in)
{
	int64_t n;
	const int rc = tl_json_scaled(in, 3, &n);

	put_number(out, rc, (uint64_t)n, true);
}

/* == command lines == */

enum { FAST = TL_OPTION_VALUE_MIN, SIZE, QUIET, WORDS_MAX = 8 };

static const struct tl_option table[] = {
	{ TL_OPTION_GROUP, NULL, NULL, "How", 0 },
	{ 'f', "fast", NULL, "not slowly", FAST },
	{ 's', "size", "N", "so large", SIZE },
	{ 0, "quiet", NULL, "without a word", QUIET },
};
enum { ROWS = sizeof(table) / sizeof(table[0]) };

/* Read a command line: "value:argument" for each option, then "|" and the
 * rest. */
static void
options(struct tl_text *out, struct tl_bytes in)
{
	char *words = strndup(in.data, in.size), *next = words;
	struct tl_option_reader reader;
	char *argv[WORDS_MAX + 1] = { 0 };
	struct tl_fault fault = { 0 };
	int argc = 0, value, rest;
	char *argument;

	while (next && argc < WORDS_MAX)
		argv[argc++] = strsep(&next, " ");
	tl_options_start(&reader, table, ROWS);
	tl_put_string(out, " =");
	while ((value = tl_options_next(&reader, argc, argv, &argument, &rest,
		    &fault)) > 0)
		tl_put_format(out, " %s:%s",
		    value == FAST                ? "fast"
		    : value == SIZE              ? "size"
		    : value == QUIET             ? "quiet"
		    : value == TL_OPTION_OPERAND ? "word"
						 : "?",
		    argument ? argument : "");
	if (value < 0)
		tl_put_format(out, " %s %s", error_name(value), fault.text);
	else
		tl_put_string(out, " |");
	for (; value == 0 && rest < argc; rest++)
		tl_put_format(out, " %s", argv[rest]);
	free(words);
}

static void
near(struct tl_text *out, struct tl_bytes in)
{
	static const char *const words[] = { "list", "burst", "status", "watch",
		"priority", "top", "reload", "save", "messages", "--category" };
	struct tl_near near = tl_near_to(in.data);

	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
		tl_near_try(&near, words[k]);
	put_escaped(out, tl_bytes_of(near.best));
}

static void
color(struct tl_text *out, struct tl_bytes in)
{
	static const char *const names[] = { "auto", "always", "never" };
	struct tl_fault fault = { 0 };
	const int rc = tl_option_choose(names, 3, in.data, "color", &fault);

	put_number(out, rc, (uint64_t)rc, true);
	if (rc < 0)
		tl_put_format(out, " %s", fault.text);
}

static void
option_duration(struct tl_text *out, struct tl_bytes in)
{
	struct tl_fault fault = { 0 };
	int64_t ns = 0;
	const int rc = tl_option_duration(in.data, &ns, &fault);

	put_number(out, rc, (uint64_t)ns, true);
	if (rc < 0)
		tl_put_format(out, " %s", fault.text);
}

static void
help(struct tl_text *out, struct tl_bytes in)
{
	static const struct tl_help help = { "x\n", "size fast", "End.\n" };
	struct tl_fault fault = { 0 };
	struct tl_text text = { 0 };
	const int rc = tl_help_put(&text, &help, table, ROWS,
	    in.size ? in.data : NULL, &fault);

	if (rc < 0)
		tl_put_format(out, " = %s %s", error_name(rc), fault.text);
	else
		put_escaped(out, tl_bytes(text.data, text.size));
	tl_text_free(&text);
}

static void
run_line(struct tl_text *out, const char *line)
{
	static const struct {
		const char *name;
		void (*run)(struct tl_text *out, struct tl_bytes in);
	} commands[] = {
#define COMMAND(name) { #name, name }
		COMMAND(duration), { "time", time_of }, COMMAND(bound),
		COMMAND(size), COMMAND(unsigned_of), COMMAND(number),
		COMMAND(put_duration), COMMAND(put_size), COMMAND(plain),
		COMMAND(lines), COMMAND(json), COMMAND(csv), COMMAND(xml),
		COMMAND(width), COMMAND(encode), COMMAND(decode),
		COMMAND(tokens), { "unsigned", json_unsigned },
		{ "signed", json_signed }, COMMAND(scaled), COMMAND(options),
		COMMAND(near), COMMAND(color), COMMAND(option_duration),
		COMMAND(help)
	};
	const size_t size = strcspn(line, " ");
	char *text = strdup(line + size + (line[size] == ' '));
	size_t i = 0;

	while (strlen(commands[i].name) != size ||
	       strncmp(commands[i].name, line, size) != 0)
		ck_assert_msg(++i < sizeof(commands) / sizeof(*commands), "%s",
		    line);
	commands[i].run(out,
	    tl_bytes(text, golden_unescape(text, strlen(text))));
	free(text);
}

TEST_LINES(texts, "tests/unit/base/cases.cases", run_line);
