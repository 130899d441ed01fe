/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_lms.c - any bytes as an LMS profile, read at once and in pieces that the
 * bytes choose, and written again, which must read the same.
 */
#include "foreign.h"
#include "format/lms/lms.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	foreign_check(tl_lms_read_new, tl_lms_write_new, tl_lms_recognise,
	    tl_bytes(data, size));
	return 0;
}
