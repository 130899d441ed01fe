/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - getopt_long and a help, both from one table. */
#include "base/options.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>

enum { HELP_COLUMN = 28 };

void
tl_options_start(struct tl_option_reader *reader, const struct tl_option *table,
    size_t count)
{
	/* "-": operands come in their place; ":": it prints nothing. */
	size_t l = 0, n = 0;

	assert(count <= TL_OPTIONS_MAX);
	*reader = (struct tl_option_reader){ .table = table, .count = count };
	reader->letters[l++] = '-';
	reader->letters[l++] = ':';
	for (size_t i = 0; i < count; i++) {
		if (table[i].letter == TL_OPTION_GROUP)
			continue;
		if (table[i].letter > 0) {
			reader->letters[l++] = (char)table[i].letter;
			if (table[i].argument)
				reader->letters[l++] = ':';
		}
		reader->names[n++] = (struct option){ .name = table[i].name,
			.has_arg = table[i].argument != NULL,
			.val = table[i].value };
	}
	opterr = 0;
	optind = 0; /* glibc: from the beginning, whatever was read before */
}

int
tl_usage(struct tl_fault *fault, const char *word, const char *what)
{
	return tl_fault(fault, -EINVAL, TL_FAULT_NOWHERE, "%s: %s", word, what);
}

int
tl_options_next(struct tl_option_reader *reader, int argc, char **argv,
    char **argument, int *rest, struct tl_fault *fault)
{
	const int value =
	    getopt_long(argc, argv, reader->letters, reader->names, NULL);

	*argument = optarg;
	*rest = optind;
	if (value == -1)
		return 0;
	if (value == ':')
		return tl_usage(fault, argv[optind - 1], "needs a value");
	if (value == '?')
		return tl_usage(fault, argv[optind - 1],
		    "no such option, or one that takes no value");
	for (size_t i = 0; i < reader->count; i++) {
		if (reader->table[i].letter > 0 &&
		    reader->table[i].letter == value)
			return reader->table[i].value;
	}
	return value;
}

void
tl_option_help(struct tl_text *text, const struct tl_option *option)
{
	const size_t start = text->size;

	if (option->letter == TL_OPTION_GROUP) {
		tl_put_char(text, '\n');
		tl_put_string(text, option->help);
		tl_put_string(text, ":\n");
		return;
	}
	tl_put_string(text, "  ");
	if (option->letter) {
		tl_put_char(text, '-');
		tl_put_char(text, (char)option->letter);
		tl_put_string(text, ", ");
	} else {
		tl_put_string(text, "    ");
	}
	tl_put_string(text, "--");
	tl_put_string(text, option->name);
	if (option->argument) {
		tl_put_char(text, ' ');
		tl_put_string(text, option->argument);
	}
	if (text->size - start < HELP_COLUMN)
		tl_put_repeat(text, ' ', HELP_COLUMN - (text->size - start));
	tl_put_char(text, ' ');
	tl_put_string(text, option->help);
	tl_put_char(text, '\n');
}
