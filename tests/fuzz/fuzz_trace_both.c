/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_trace_both.c - any bytes as data and index of a trace: the first two
 * bytes say how long the data is, the next whether checksums are repaired. */
#include "trace_repair.h"

enum { LEAD = 3 };

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy, *index;
	size_t data_size, index_size;

	if (size < LEAD)
		return 0;
	data_size = (size_t)data[0] << 8 | data[1];
	if (data_size > size - LEAD)
		data_size = size - LEAD;
	index_size = size - LEAD - data_size;
	copy = malloc(data_size + 1);
	index = malloc(index_size + 1);
	assert(copy && index);
	memcpy(copy, data + LEAD, data_size);
	memcpy(index, data + LEAD + data_size, index_size);
	if (data[2] & 1)
		trace_repair_data(copy, data_size);
	if (data[2] & 2)
		trace_repair_index(index, index_size, data_size);
	trace_read_all(copy, data_size, index, index_size);
	free(copy);
	free(index);
	return 0;
}
