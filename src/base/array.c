/* SPDX-License-Identifier: Apache-2.0 */
/* array.c - arrays that grow by doubling. */
#include "base/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_FIRST = 8 };

int
tl_array_grow(void *array, size_t *capacity, size_t count, size_t element_size,
    bool zeros)
{
	size_t more = *capacity > 0 ? *capacity : CAPACITY_FIRST;
	char *elements, *grown;

	/* The pointer's own type is not known here: its bytes are copied. */
	memcpy(&elements, array, sizeof(elements));
	while (more <= count)
		if (__builtin_mul_overflow(more, 2, &more))
			return -ENOMEM;
	if (more > SIZE_MAX / element_size)
		return -ENOMEM;
	grown = realloc(elements, more * element_size);
	if (!grown)
		return -ENOMEM;
	if (zeros)
		memset(grown + *capacity * element_size, 0,
		    (more - *capacity) * element_size);
	memcpy(array, &grown, sizeof(grown));
	*capacity = more;
	return 0;
}
