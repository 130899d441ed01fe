/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.h - events from files into a writer.
 *
 *	inputs --cursor--> select --cursor--> writer --> output
 */
#ifndef TL_CONVERT_CONVERT_H
#define TL_CONVERT_CONVERT_H

#include "base/fault.h"
#include "base/file.h"
#include "base/text.h"
#include "format/parquet/write.h"
#include "format/registry.h"
#include "script/select.h"
#include "snap/snap.h"
#include "source/selection.h"
#include "source/sources.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* == options == */

/*
 * What the command line asks for.
 */

enum tl_mode {
	TL_MODE_CONVERT,
	TL_MODE_FORMATS,
	TL_MODE_HELP,
	TL_MODE_VERSION
};

struct tl_options {
	const char *files[TL_SOURCES_MAX];
	size_t file_count;
	enum tl_mode mode;
	const char *help; /* what --help asks for; NULL: the common options */
	const struct tl_format_row *from; /* NULL: detected by content */
	const struct tl_format_row *to;
	const char *output; /* NULL: standard output */
	bool rtl_us;
	enum tl_parquet_time parquet_time;
	bool parquet_time_given;
	bool force;
	bool quiet;
	bool json;
	bool no_progress;
	bool trusted;
	struct tl_selection selection;
};

/*
 * Read the command line (and TIMELINE in the environment).  argv's elements
 * may be moved and must outlive the options.  -EINVAL and the fault's text
 * for a usage error.
 */
int tl_options_parse(struct tl_options *options, int argc, char **argv,
    struct tl_fault *fault);

/* The text of --help: 0, -EINVAL and a fault. */
int tl_options_help(const struct tl_options *options, struct tl_text *text,
    struct tl_fault *fault);

/* The table of formats: lines for a person, or an object a line. */
void tl_options_formats(struct tl_text *text, bool json);

/* == output == */

/*
 * Where a conversion goes.
 *
 *	a stream  standard output, a device, a FIFO   written as it comes
 *	a file    OUT.XXXXXX           --rename-->    OUT
 *	a place   OUT.XXXXXX/new       --rename-->    OUT
 *
 * A place is for writers that make a file or a folder themselves.  OUT is
 * there when it is whole, or not at all.
 */

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

/* == conversion == */

struct tl_conversion {
	uint64_t read;          /* entries that the inputs have */
	uint64_t written;       /* entries that were passed to the writer */
	uint64_t lost;          /* losses that the inputs report */
	uint64_t overwritten;   /* before the oldest entries of the inputs */
	struct tl_faults hosts; /* diagnostics about their clocks */
	struct tl_faults notes; /* what the format cannot carry */
	bool damaged; /* events are damaged, without a fault of an input */
	bool output_failed; /* not the inputs, or the expression */
};

/* 0, or -errno and a fault. */
int
tl_convert(struct tl_conversion *conversion, const struct tl_sources *inputs,
    struct tl_select *select, const struct tl_options *options,
    struct tl_output *output, struct tl_fault *fault);

#endif
