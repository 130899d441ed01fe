/* SPDX-License-Identifier: Apache-2.0 */
/* positions.c - parse positions of lanes. */
#include "trace/chain/positions.h"

#include "base/array.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void
tl_put_positions(struct tl_text *text, const uint64_t *positions,
    size_t lane_count)
{
	for (size_t i = 0; i < lane_count; i++) {
		if (i > 0)
			tl_put_char(text, ' ');
		tl_put_unsigned(text, i);
		tl_put_char(text, ':');
		tl_put_unsigned(text, positions[i]);
	}
}

static void
skip(struct tl_bytes *rest, size_t size)
{
	*rest = tl_bytes(rest->data + size, rest->size - size);
}

/* Read a decimal number and the character behind it.  The end of the text may
 * take the place of a space. */
static bool
read_number(struct tl_bytes *rest, char behind, uint64_t *n)
{
	char digits[TL_UNSIGNED_MAX + 1];
	size_t size = 0;

	while (size < rest->size && size <= TL_UNSIGNED_MAX &&
	       rest->data[size] >= '0' && rest->data[size] <= '9')
		size++;
	if (size == 0 || size > TL_UNSIGNED_MAX)
		return false;
	memcpy(digits, rest->data, size);
	digits[size] = '\0';
	skip(rest, size);
	if (tl_parse_unsigned(digits, n) != 0)
		return false;
	if (rest->size == 0)
		return behind == ' ';
	if (rest->data[0] != behind)
		return false;
	skip(rest, 1);
	return true;
}

/* Read the number of a lane, which must be the next lane. */
static bool
read_lane(struct tl_bytes *rest, size_t lane, uint64_t *number)
{
	uint64_t is;

	return lane < TL_POSITIONS_LANES_MAX && read_number(rest, ':', &is) &&
	       is == lane && read_number(rest, ' ', number);
}

int
tl_parse_positions(const char *words, uint64_t **positions, size_t *lane_count)
{
	struct tl_bytes rest = tl_bytes_of(words);
	uint64_t *list = NULL;
	size_t count = 0, capacity = 0;
	int rc = -EINVAL;

	for (; rest.size > 0; count++) {
		if (TL_ARRAY_ROOM(list, capacity, count) < 0) {
			rc = -ENOMEM;
			goto bad;
		}
		if (!read_lane(&rest, count, &list[count]))
			goto bad;
	}
	if (count == 0)
		return rc;
	*positions = list;
	*lane_count = count;
	return 0;
bad:
	free(list);
	return rc;
}

int
tl_sum_positions(struct tl_bytes words, uint64_t *sum)
{
	uint64_t all = 0, number;
	size_t lane = 0;

	for (; words.size > 0; lane++)
		if (!read_lane(&words, lane, &number) ||
		    __builtin_add_overflow(all, number, &all))
			return -EINVAL;
	if (lane == 0)
		return -EINVAL;
	*sum = all;
	return 0;
}
