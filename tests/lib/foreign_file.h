/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign_file.h - build a file of a binary format byte by byte.
 */
#ifndef TESTS_LIB_FOREIGN_FILE_H
#define TESTS_LIB_FOREIGN_FILE_H

#include "foreign.h"

#include <timeline.h> /* before "file" is a name here */

static struct tl_text file; /* the bytes of the file */

static inline void
setup(void)
{
	file = (struct tl_text){ 0 };
}

static inline void
teardown(void)
{
	tl_text_free(&file);
}

/* Append the size lowest bytes of a number, the highest byte first. */
static inline void
put_n(uint64_t n, unsigned size)
{
	while (size-- > 0)
		tl_put_char(&file, (char)(n >> 8 * size));
}

/* == a file as lines of text == */

/* The numbers and the text of a line, which the name of a record begins. */
struct file_line {
	const char *word;
	int64_t n[6];         /* numbers that stand before the text */
	struct tl_bytes text; /* the first word that is no number, and on */
};

static inline bool
file_line_is(const struct file_line *line, const char *word)
{
	const size_t size = strlen(word);

	return strncmp(line->word, word, size) == 0 &&
	       (line->word[size] == '\0' || line->word[size] == ' ');
}

/* Numbers above INT64_MAX keep their bits. */
static inline struct file_line
file_line_of(char *text)
{
	struct file_line line = { .word = text };
	char *at = text + strcspn(text, " "), *end;

	for (unsigned i = 0; *at == ' ' && i < 6; i++, at = end) {
		line.n[i] = at[1] == '-' ? strtoll(at, &end, 0)
					 : (int64_t)strtoull(at, &end, 0);
		if (end == at || (*end && *end != ' '))
			break;
	}
	at += *at == ' ';
	line.text = tl_bytes(at, strlen(at));
	return line;
}

static inline void
put_utf_bytes(const char *text, size_t size)
{
	put_n(size, 2);
	tl_put_bytes(&file, tl_bytes(text, size));
}

/* Put a line that is not of one format; false: another line. */
static inline bool
put_file_line(const struct file_line *line)
{
	if (file_line_is(line, "n"))
		put_n((uint64_t)line->n[0], (unsigned)line->n[1]);
	else if (file_line_is(line, "utf"))
		put_utf_bytes(line->text.data, line->text.size);
	else if (file_line_is(line, "bytes"))
		tl_put_bytes(&file, line->text);
	else if (file_line_is(line, "repeat"))
		tl_put_repeat(&file, (char)line->n[0], (size_t)line->n[1]);
	else
		return false;
	return true;
}

#endif
