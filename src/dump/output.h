/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.h - write all text: to standard output, or to a file that appears when
 * it is whole.
 *
 * On a terminal, text that does not fit goes through a pager, as in git(1),
 * except with --follow and --browse.
 *
 * Sinks append to text and call tl_output_more; a write(2) is made for every
 * TL_OUTPUT_CHUNK bytes.  Where a listing into a file is longer, a thread makes
 * them (behind.h).
 */
#ifndef TL_DUMP_OUTPUT_H
#define TL_DUMP_OUTPUT_H

#include "base/file.h"
#include "base/text.h"
#include "dump/behind.h"
#include "dump/options.h"

#include <stdbool.h>
#include <sys/types.h>

enum { TL_OUTPUT_CHUNK = 128 << 10 };

struct tl_output {
	struct tl_text text; /* not written yet */
	int fd;
	int rc; /* of writing */
	bool terminal;
	bool color;
	unsigned columns; /* of the terminal, or COLUMNS, or 80 */
	bool to_file;
	/* On a terminal: the pager to start when the text exceeds the screen;
	 * NULL: none.  Once it runs, its process, and fd is a pipe to it. */
	const char *pager_command;
	unsigned rows;
	pid_t pager;
	bool may_be_behind;       /* a listing, into a file */
	struct tl_behind *behind; /* NULL: there is no thread that writes */
	struct tl_file_new file;
};

/* Open the output that the options choose.  0 or -errno. */
int tl_output_open(struct tl_output *output, const struct tl_options *options);

/* Write all text that waits. */
int tl_output_flush(struct tl_output *output);

/* Write if enough text waits.  0 or -errno; -EPIPE: the reader has gone. */
static inline int
tl_output_more(struct tl_output *output)
{
	return output->text.size < TL_OUTPUT_CHUNK ? 0
						   : tl_output_flush(output);
}

/* End the output.  whole false: the file is discarded. */
int tl_output_close(struct tl_output *output, bool whole);

/* In place of closing, in a signal handler: write the text that waits as far as
 * possible, and remove an unfinished file. */
void tl_output_abandon(struct tl_output *output);

#endif
