/* SPDX-License-Identifier: Apache-2.0 */
/*
 * values.h - the arguments of an event as the values of a point.
 */
#ifndef TL_FORMAT_LINCHECK_VALUES_H
#define TL_FORMAT_LINCHECK_VALUES_H

#include "format/lincheck/form.h"

/* Starts from all zeros. */
struct tl_lincheck_values {
	const struct tl_lincheck_form *form;
	const struct tl_event *event;
	struct tl_bytes more; /* what is left of the last argument */
	uint32_t slot;        /* the next argument */
	struct tl_text word;
	struct tl_text text; /* of the value at hand */
};

void tl_lincheck_values_start(struct tl_lincheck_values *values,
    const struct tl_lincheck_form *form, const struct tl_event *event);
/* Value i, in order, good until the next call; false: what it was does not
 * fit.  values->text.rc says whether there was memory. */
bool tl_lincheck_values_next(struct tl_lincheck_values *values, uint32_t i,
    struct tl_lincheck_value *value);
/* The exception behind them, in modified UTF-8. */
bool tl_lincheck_values_exception(struct tl_lincheck_values *values,
    struct tl_bytes *name);
void tl_lincheck_values_free(struct tl_lincheck_values *values);

#endif
