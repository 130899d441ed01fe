/* SPDX-License-Identifier: Apache-2.0 */
/*
 * golden.h - the cases of a test in a file of text.
 *
 *	TEST_LINES(spans_are_found, "tests/unit/event/spans.cases", put_line)
 *
 * Each case is a test of its own, with the fixture of the file.  It begins with
 * a line "== NAME".  Lines that begin with "# " are comments, in TEST_TEXTS only
 * those before the options.
 *
 * TEST_LINES calls a function with each other line; what the function prints
 * must be what stands behind " = " in the line, or in lines below that begin
 * with a tab.
 *
 * TEST_TEXTS calls a function with all lines up to a line "--"; what the
 * function prints must be the lines after it.  A line "@ WORDS" before the
 * input is passed on as options.  With the word "esc" the input has the escapes
 * \\, \n, \r, \t and \x1b, and with "cut" no newline at its end.  A line "++"
 * begins another input of the case.
 *
 * GOLDEN=write changes the file into what is printed: read the difference.
 */
#ifndef TESTS_LIB_GOLDEN_H
#define TESTS_LIB_GOLDEN_H

#include "base/text.h"
#include "test.h"

#include <stdio.h>

struct golden {
	char *file;       /* all bytes */
	const char *name; /* ends at the end of its line */
	char *text;       /* the lines below */
	const char *rest; /* the next case */
};

typedef void golden_line(struct tl_text *out, const char *line);
typedef void
golden_text(struct tl_text *out, const char *options, struct tl_bytes in);

/* Read case i of a file. */
static inline struct golden
golden_read(const char *path, int i)
{
	struct golden g = { 0 };
	FILE *in = fopen(path, "r");
	size_t size = 0;

	ck_assert_msg(in && getdelim(&g.file, &size, '\0', in) > 0, "%s", path);
	fclose(in);
	g.rest = strncmp(g.file, "== ", 3) == 0 ? g.file
						: strstr(g.file, "\n== ") + 1;
	while (i-- > 0)
		g.rest = strstr(g.rest, "\n== ") + 1;
	g.name = g.rest;
	g.text = strchr(g.name, '\n') + 1;
	g.rest = strstr(g.text - 1, "\n== ");
	g.rest = g.rest ? g.rest + 1 : strchr(g.text, '\0');
	return g;
}

/* A message of Check is cut: begin with the first line that differs. */
static inline void
golden_expect(const struct golden *g, struct tl_text *out, size_t size)
{
	const char *got = tl_text_string(out);
	size_t at = 0;

	while (at < size && at < out->size && got[at] == g->text[at])
		at++;
	if (at == size && out->size == size)
		return;
	while (at > 0 && g->text[at - 1] != '\n')
		at--;
	ck_abort_msg("%.*s\n%.2000s\n--- instead of ---\n%.*s",
	    (int)strcspn(g->name, "\n"), g->name, got + at,
	    (int)(size - at < 2000 ? size - at : 2000), g->text + at);
}

static inline void
golden_compare(const char *path, struct golden *g, struct tl_text *out)
{
	const size_t size = (size_t)(g->rest - g->text);
	const char *write = getenv("GOLDEN");

	if (write && strcmp(write, "write") == 0) {
		FILE *to = fopen(path, "w");

		ck_assert_ptr_nonnull(to);
		fprintf(to, "%.*s%s%s", (int)(g->text - g->file), g->file,
		    tl_text_string(out), g->rest);
		fclose(to);
	} else {
		golden_expect(g, out, size);
	}
	free(g->file);
	tl_text_free(out);
}

static inline void
golden_run_lines(const char *path, int i, golden_line *run)
{
	struct golden g = golden_read(path, i);
	char *line = strndup(g.text, (size_t)(g.rest - g.text)), *next = line;
	struct tl_text out = { 0 };
	char *const lines = line;

	while ((line = strsep(&next, "\n")) && next) {
		const bool is_comment = strncmp(line, "# ", 2) == 0;
		char *result = strstr(line, " = ");

		if (*line == '\t')
			continue;
		if (result && !is_comment)
			*result = '\0';
		tl_put_string(&out, line);
		if (*line && !is_comment)
			run(&out, line);
		tl_put_char(&out, '\n');
	}
	free(lines);
	golden_compare(path, &g, &out);
}

/* Put a text; "0x" stands for each address of memory. */
static inline void
golden_put_masked(struct tl_text *out, const char *text)
{
	for (size_t digits; *text; text += digits) {
		digits = strncmp(text, "0x", 2) == 0
			     ? strspn(text + 2, "0123456789abcdef")
			     : 0;
		tl_put_bytes(out, tl_bytes(text, digits > 5 ? 2 : 1 + digits));
		digits = digits > 5 ? 2 + digits : 1 + digits;
	}
}

/* Is the word one of the options, which spaces separate? */
static inline bool
golden_has(const char *options, const char *word)
{
	const size_t size = strlen(word);

	for (const char *at = options; (at = strstr(at, word)); at += size)
		if ((at == options || at[-1] == ' ') &&
		    (at[size] == ' ' || at[size] == '\0'))
			return true;
	return false;
}

/* Replace the escapes; returns the size of the rest. */
static inline size_t
golden_unescape(char *text, size_t size)
{
	char *to = text, digits[3] = "";

	for (const char *from = text; from < text + size; from++) {
		if (*from != '\\') {
			*to++ = *from;
			continue;
		}
		from++;
		if (*from == 'x') {
			memcpy(digits, from + 1, 2);
			*to++ = (char)strtoul(digits, NULL, 16);
			from += 2;
		} else {
			*to++ = *from == 'n'   ? '\n'
				: *from == 'r' ? '\r'
				: *from == 't' ? '\t'
					       : *from;
		}
	}
	return (size_t)(to - text);
}

/* Run the section at *at, and go behind it.  Returns false at the end. */
static inline bool
golden_run_section(struct tl_text *out, char **at, const char *end,
    golden_text *run)
{
	char options[256] = "", *text = *at, *middle;
	size_t size;

	while (strncmp(text, "# ", 2) == 0)
		text = strchr(text, '\n') + 1;
	if (strncmp(text, "@ ", 2) == 0) {
		size = strcspn(text, "\n");
		snprintf(options, sizeof(options), "%.*s", (int)size - 2,
		    text + 2);
		text += size + 1;
	}
	middle =
	    strncmp(text, "--\n", 3) == 0 ? text : strstr(text, "\n--\n") + 1;
	tl_put_bytes(out, tl_bytes(*at, (size_t)(middle + 3 - *at)));
	*at = strstr(middle + 2, "\n++\n");
	size = (size_t)(middle - text);
	if (golden_has(options, "cut"))
		size--;
	if (golden_has(options, "esc"))
		size = golden_unescape(text, size);
	run(out, options, tl_bytes(text, size));
	if (out->data[out->size - 1] != '\n')
		tl_put_char(out, '\n');
	if (!*at || *at >= end)
		return false;
	tl_put_string(out, "++\n");
	*at += 4;
	return true;
}

static inline void
golden_run_text(const char *path, int i, golden_text *run)
{
	struct golden g = golden_read(path, i);
	struct tl_text out = { 0 };
	char *const copy = strndup(g.text, (size_t)(g.rest - g.text));
	char *at = copy;

	while (golden_run_section(&out, &at, strchr(at, '\0'), run))
		;
	tl_put_string(&out, *g.rest ? "\n" : "");
	free(copy);
	golden_compare(path, &g, &out);
}

#define TEST_LINES(name, path, run) \
	TEST(name, .cases = path) \
	{ \
		golden_run_lines(path, _i, run); \
	} \
	struct golden
#define TEST_TEXTS(name, path, run) \
	TEST(name, .cases = path) \
	{ \
		golden_run_text(path, _i, run); \
	} \
	struct golden

#endif
