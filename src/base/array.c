/* SPDX-License-Identifier: Apache-2.0 */
/* array.c - twice as much whenever it is full. */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>

enum { FIRST = 8 };

void *
tl_array_room(void *array, size_t *capacity, size_t count, size_t element_size)
{
	const size_t more = *capacity > 0 ? *capacity * 2 : FIRST;
	void *grown;

	if (count < *capacity)
		return array;
	if (more > SIZE_MAX / element_size)
		return NULL;
	grown = realloc(array, more * element_size);
	if (grown)
		*capacity = more;
	return grown;
}
