/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.c - how many decimals a number needs, and whether a noun is plural
 */
#include "base/figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of digits before the point is that of the rounded value. */
void
tl_put_rounded(struct tl_text *text, double value, int digits)
{
	char written[32];
	const size_t since = text->size;
	const char *exponent;
	int decimals = 0;

	snprintf(written, sizeof(written), "%.*e", digits - 1, value);
	exponent = strchr(written, 'e');
	if (exponent) /* not of inf and nan */
		decimals = digits - 1 - atoi(exponent + 1);
	tl_put_format(text, "%.*f", decimals > 0 ? decimals : 0, value);
	if (decimals <= 0)
		return;
	while (text->size > since && text->data[text->size - 1] == '0')
		text->size--;
	if (text->size > since && text->data[text->size - 1] == '.')
		text->size--;
}

void
tl_put_count(struct tl_text *text, uint64_t n, const char *noun)
{
	const struct tl_bytes word = tl_bytes_of(noun);
	const bool y = word.size > 0 && noun[word.size - 1] == 'y';

	tl_put_unsigned(text, n);
	tl_put_char(text, ' ');
	tl_put_bytes(text, tl_bytes(noun, word.size - (y && n != 1)));
	if (n != 1)
		tl_put_string(text, y ? "ies" : "s");
}
