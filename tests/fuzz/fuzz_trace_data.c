/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_trace_data.c - any bytes as the data of a trace without an index, as
 * they are and with right checksums. */
#include "trace_repair.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);

	assert(copy);
	trace_read_all(data, size, NULL, 0);
	memcpy(copy, data, size);
	trace_repair_data(copy, size);
	trace_read_all(copy, size, NULL, 0);
	free(copy);
	return 0;
}
