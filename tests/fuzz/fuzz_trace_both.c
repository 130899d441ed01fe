/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_trace_both.c - any bytes as data and index of a trace: the first two
 * bytes are the length of the data, and the next byte tells whether checksums
 * are repaired.
 */
#include "trace_repair.h"

enum { LEAD = 3, REPAIR_DATA = 1, REPAIR_INDEX = 2 };

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_two two;

	if (size < LEAD)
		return 0;
	trace_two_split(&two, data, size, LEAD, false);
	if (data[2] & REPAIR_DATA)
		trace_repair_data(two.first, two.first_size);
	if (data[2] & REPAIR_INDEX)
		trace_repair_index(two.second, two.second_size, two.first_size);
	trace_read_all(two.first, two.first_size, two.second, two.second_size);
	trace_two_free(&two);
	return 0;
}
