/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_csv.c - any bytes as CSV, read at once and in pieces that the bytes
 * choose, and written again, which must read the same.
 */
#include "foreign.h"
#include "format/csv/csv.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	foreign_check(tl_csv_read_new, tl_csv_write_new, tl_csv_recognise,
	    tl_bytes(data, size));
	return 0;
}
