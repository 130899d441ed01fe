/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.h - where a conversion goes.
 *
 *	a stream  standard output, a device, a FIFO   written as it comes
 *	a file    OUT.XXXXXX           --rename-->    OUT
 *	a place   OUT.XXXXXX/new       --rename-->    OUT
 *
 * A place is for writers that make a file or a folder themselves.  OUT is
 * there when it is whole, or not at all.
 */
#ifndef TL_CONVERT_OUTPUT_H
#define TL_CONVERT_OUTPUT_H

#include "base/file.h"
#include "convert/options.h"

#include <signal.h>
#include <stdbool.h>

enum tl_output_kind {
	TL_OUTPUT_NONE, /* not open */
	TL_OUTPUT_STREAM,
	TL_OUTPUT_FILE,
	TL_OUTPUT_PLACE
};

struct tl_output {
	volatile sig_atomic_t kind; /* a signal handler asks */
	int fd;                     /* of a stream or file */
	bool packed;                /* fd has no name: compressed at the end */
	bool indexed;               /* the output has an index beside it */
	bool terminal;
	bool half; /* terminal: a piece ended inside a control character */
	bool force;
	bool folder; /* it is a folder that is made */
	char path[TL_PATH_MAX];
	struct tl_file_new file;
	char inside[TL_PATH_MAX]; /* place: the private folder */
	char made[TL_PATH_MAX];   /* place: what a writer makes in it */
};

/* 0, or -errno and a fault. */
int tl_output_open(struct tl_output *output, const struct tl_options *options,
    struct tl_fault *fault);

/* The text of -EILSEQ. */
extern const char tl_output_steers[];
/* A tl_write for its stream or file.  -EILSEQ: a terminal would be steered. */
int tl_output_write(void *context, const char *data, size_t size);

/* End the output.  whole false: it does not become OUT.  0; -errno and a
 * fault. */
int
tl_output_close(struct tl_output *output, bool whole, struct tl_fault *fault);

/* In place of closing, in a signal handler: remove unfinished files. */
void tl_output_abandon(struct tl_output *output);

#endif
