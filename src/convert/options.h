/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - what the command line asks for.
 */
#ifndef TL_CONVERT_OPTIONS_H
#define TL_CONVERT_OPTIONS_H

#include "base/fault.h"
#include "base/text.h"
#include "format/parquet/write.h"
#include "format/registry.h"
#include "source/selection.h"
#include "source/sources.h"

#include <stdbool.h>
#include <stddef.h>

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

#endif
