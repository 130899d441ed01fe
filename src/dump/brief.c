/* SPDX-License-Identifier: Apache-2.0 */
/*
 * brief.c - --brief: one page about slow spans.
 */
#include "analysis/brief.h"

#include "dump/views.h"

#include <errno.h>

struct brief {
	const struct tl_sources *inputs;
	struct tl_select *select;
};

static int
open_events(void *context, struct tl_cursor **cursor)
{
	struct brief *b = context;

	b->select->kernel = b->inputs;
	b->select->levels = true;
	return tl_select_sources(b->select, b->inputs, TL_OLDEST_FIRST, cursor);
}

/* Append a word, quoted for a shell if necessary. */
static void
put_word(struct tl_text *text, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._-+=:@%,";
	const bool quoted = word[strspn(word, plain)] != '\0';

	tl_put_string(text, quoted ? "'" : "");
	for (; *word; word++) {
		if (*word == '\'')
			tl_put_string(text, "'\\'");
		tl_put_char(text, *word);
	}
	tl_put_string(text, quoted ? "'" : "");
}

int
tl_brief_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_fault *fault)
{
	struct brief b = { inputs, select };
	struct tl_text files = { 0 };
	struct tl_brief_plan plan = { .glob = options->brief,
		.slower_ns = options->slower_ns,
		.sources = inputs,
		.since_ns = select->filter.since_ns,
		.in_part = !select->all,
		.is_to_end = select->filter.until_ns == INT64_MAX,
		.open = open_events,
		.context = &b };
	int rc;

	for (size_t i = 0; i < options->file_count; i++) {
		tl_put_string(&files, i > 0 ? " " : "");
		put_word(&files, options->files[i]);
	}
	if (files.rc < 0)
		return files.rc;
	plan.files = tl_text_string(&files);
	rc = tl_brief_put(&plan, &output->text);
	if (rc == -ENOENT)
		rc = tl_select_no_span(inputs, options->brief, fault);
	tl_text_free(&files);
	return rc;
}
