/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.h - write all text: to standard output, or to a file that appears when
 * the text is complete.
 *
 * On a terminal, text that does not fit goes through a pager, as in git(1),
 * except with --follow.
 *
 * Sinks append to text and call tl_output_more(); a write(2) is made for every
 * TL_OUTPUT_CHUNK bytes.  For a longer listing into a file, a thread makes the
 * writes, one at a time:
 *
 *	caller	make A | make B | make C | ...
 *	thread		write A | write B | ...
 */
#ifndef TL_DUMP_OUTPUT_H
#define TL_DUMP_OUTPUT_H

#include "base/fields.h"
#include "base/file.h"
#include "base/text.h"
#include "dump/options.h"

#include <stdbool.h>
#include <sys/types.h>

enum { TL_OUTPUT_CHUNK = 128 << 10 };

struct tl_behind;

struct tl_output {
	struct tl_text text; /* not written yet */
	int fd;
	int rc; /* of the last write that failed */
	bool terminal;
	bool color;
	unsigned columns; /* of the terminal, or COLUMNS, or 80 */
	bool to_file;
	/* On a terminal: the pager to start when the text exceeds the screen.
	 * NULL: none.  When the pager runs, pager is its process, and fd is a
	 * pipe to it. */
	const char *pager_command;
	unsigned rows;
	pid_t pager;
	bool may_be_behind;       /* a listing into a file */
	struct tl_behind *behind; /* NULL: no thread writes */
	struct tl_file_new file;
};

/* Open the output that the options choose.  0 or -errno. */
int tl_output_open(struct tl_output *output, const struct tl_options *options);

/* Write all text that waits.  0 or -errno. */
int tl_output_flush(struct tl_output *output);

/* Write if enough text waits.  0; -errno; -EPIPE: the reader has gone. */
static inline int
tl_output_more(struct tl_output *output)
{
	return output->text.size < TL_OUTPUT_CHUNK ? 0
						   : tl_output_flush(output);
}

/* Append text for a writer or a script, whose context is the output.  Returns
 * as tl_output_more. */
int tl_output_write(void *context, const char *data, size_t size);

/* Rows for the output in the format of the options. */
static inline struct tl_fields
tl_output_fields(struct tl_output *output, const struct tl_options *options)
{
	return (struct tl_fields){ .text = &output->text,
		.json = options->format == TL_FORMAT_JSON,
		.csv = options->format == TL_FORMAT_CSV };
}

/* End the output.  whole false: discard the file.  0 or -errno. */
int tl_output_close(struct tl_output *output, bool whole);

/* Use instead of closing in a signal handler: write the waiting text as far as
 * possible, and remove an unfinished file. */
void tl_output_abandon(struct tl_output *output);

#endif
