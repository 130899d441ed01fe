/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_chrome.c - any bytes as Chrome's trace events: read in pieces that the
 * bytes choose and at once, and written again, which must be read as the same.
 */
#include "foreign.h"
#include "format/chrome_read.h"
#include "format/chrome_write.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	foreign_check(tl_chrome_read_new, tl_chrome_write_new,
	    tl_chrome_recognise, tl_bytes(data, size));
	return 0;
}
