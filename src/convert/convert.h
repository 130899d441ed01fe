/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.h - events from files into a writer.
 *
 *	inputs --cursor--> select --cursor--> writer --> output
 */
#ifndef TL_CONVERT_CONVERT_H
#define TL_CONVERT_CONVERT_H

#include "convert/output.h"
#include "script/select.h"
#include "snap/snap.h"

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
