/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_number.h - the words and numbers of JSON, exactly.
 */
#ifndef TL_BASE_JSON_NUMBER_H
#define TL_BASE_JSON_NUMBER_H

#include "base/bytes.h"

/* The byte at or after at that belongs to no word or number, or size. */
size_t tl_json_word_end(const char *data, size_t size, size_t at);

/* TL_JSON_NUMBER, TRUE, FALSE or NULL; -EBADMSG: none of these. */
int tl_json_word(struct tl_bytes word);

/*
 * The value of a number as JSON writes it.  unsigned and signed are for whole
 * numbers (12, 12.0 and 1.2e1 are the same one); scaled gives it times
 * 10^shift, what then is behind the point rounded to the nearest.  Nothing
 * goes through a double.  0, -EINVAL no number, or not a whole one, -ERANGE.
 */
int tl_json_unsigned(struct tl_bytes number, uint64_t *value);
int tl_json_signed(struct tl_bytes number, int64_t *value);
int tl_json_scaled(struct tl_bytes number, unsigned shift, int64_t *value);

/* The double next to it; beyond all of them, infinity.  0, -EINVAL. */
int tl_json_double(struct tl_bytes number, double *value);

#endif
