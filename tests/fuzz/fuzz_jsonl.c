/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_jsonl.c - any bytes as JSON lines, read at once and in pieces that the
 * bytes choose, and written again, which must read the same.
 */
#include "foreign.h"
#include "format/jsonl/jsonl.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	foreign_check(tl_jsonl_read_new, tl_jsonl_write_new, tl_jsonl_recognise,
	    tl_bytes(data, size));
	return 0;
}
