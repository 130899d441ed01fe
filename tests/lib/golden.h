/* SPDX-License-Identifier: Apache-2.0 */
/*
 * golden.h - the cases of a test in a file of text.
 *
 *	TEST_LINES(spans_are_found, "tests/unit/event/spans.cases", put_line)
 *
 * Each case is a test of its own, with the fixture of the file.  It begins with
 * a line "== NAME".  Lines that begin with "# " are comments.
 *
 * TEST_LINES calls a function with each other line; what the function prints
 * must be what stands behind " = " in the line, or in lines below that begin
 * with a tab.
 *
 * TEST_TEXTS calls a function with all lines up to a line "--"; what the
 * function prints must be the lines after it.  A line "@ WORDS" after the name
 * is passed on as options.
 *
 * GOLDEN=write changes the file into what is printed: read the difference.
 */
#ifndef TESTS_LIB_GOLDEN_H
#define TESTS_LIB_GOLDEN_H

#include "base/text.h"
#include "test.h"

#include <stdio.h>

struct golden {
	char *file;          /* all bytes */
	const char *name;    /* ends at the end of its line */
	const char *options; /* of TEST_TEXTS; "": none */
	char *text;          /* the lines below */
	const char *rest;    /* the next case */
};

typedef void golden_line(struct tl_text *out, const char *line);
typedef void
golden_text(struct tl_text *out, const char *options, struct tl_bytes in);

/* Read case i of a file. */
static inline struct golden
golden_read(const char *path, int i)
{
	struct golden g = { .options = "" };
	FILE *file = fopen(path, "r");
	size_t size = 0;

	ck_assert_msg(file && getdelim(&g.file, &size, '\0', file) > 0, "%s",
	    path);
	fclose(file);
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

static inline void
golden_compare(const char *path, struct golden *g, struct tl_text *out)
{
	const size_t size = (size_t)(g->rest - g->text);
	const char *write = getenv("GOLDEN");

	if (write && strcmp(write, "write") == 0) {
		FILE *file = fopen(path, "w");

		ck_assert_ptr_nonnull(file);
		fprintf(file, "%.*s%s%s", (int)(g->text - g->file), g->file,
		    tl_text_string(out), g->rest);
		fclose(file);
	} else {
		ck_assert_msg(out->size == size &&
				  memcmp(out->data, g->text, size) == 0,
		    "%.*s\n%s--- instead of ---\n%.*s",
		    (int)strcspn(g->name, "\n"), g->name, tl_text_string(out),
		    (int)size, g->text);
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

static inline void
golden_run_text(const char *path, int i, golden_text *run)
{
	struct golden g = golden_read(path, i);
	const char *in = g.text;
	struct tl_text out = { 0 };
	char *options = NULL;
	const char *end;

	while (strncmp(in, "# ", 2) == 0)
		in = strchr(in, '\n') + 1;
	if (strncmp(in, "@ ", 2) == 0) {
		options = strndup(in + 2, strcspn(in + 2, "\n"));
		in = strchr(in, '\n') + 1;
	}
	end = strncmp(in, "--\n", 3) == 0 ? in : strstr(in, "\n--\n") + 1;
	tl_put_bytes(&out, tl_bytes(g.text, (size_t)(end + 3 - g.text)));
	run(&out, options ? options : "", tl_bytes(in, (size_t)(end - in)));
	if (out.data[out.size - 1] != '\n')
		tl_put_char(&out, '\n');
	tl_put_string(&out, *g.rest ? "\n" : "");
	free(options);
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
