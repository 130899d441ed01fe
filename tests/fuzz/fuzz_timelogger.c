/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_timelogger.c - any bytes as a TimeLogger file, read at once and in
 * pieces that the bytes choose, and written again, which must read the same.
 */
#include "foreign.h"
#include "format/timelogger/timelogger.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/*
	 * The order of records decides which source an id means, and records
	 * are written in order of time.  If times run backwards and an id has
	 * two sources, one of them perhaps without a definition, an event may
	 * move to the other source.
	 */
	foreign_inexact[0] = "time is before";
	foreign_inexact[1] = "source defined again";
	foreign_inexact[2] = "source that was never defined";
	foreign_check(tl_timelogger_read_new, tl_timelogger_write_new,
	    tl_timelogger_recognise, tl_bytes(data, size));
	return 0;
}
