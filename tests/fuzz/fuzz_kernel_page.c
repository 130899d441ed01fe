/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_kernel_page.c - any bytes as a page of the kernel, and as the formats
 * that describe it; the first byte tells where one ends.
 */
#include "kernel/page.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char format[] =
    "ID: 1\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
    "\tfield:pid_t prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
    "\tfield:long prev_state;\toffset:16;\tsize:8;\tsigned:1;\n"
    "\tfield:pid_t next_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:char next_comm[16];\toffset:28;\tsize:16;\tsigned:0;\n";

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t texts = size > 0 ? data[0] : 0;
	struct tl_page_layout layout = { .size = 4096, .data = 16 };
	struct tl_kernel_formats formats = { 0 };
	struct tl_fault fault = { 0 };
	struct tl_page_record record;
	struct tl_kernel_event event;
	struct tl_page_walk walk;

	if (size < 1 + texts)
		return 0;
	(void)tl_kernel_format_parse(&formats, 0,
	    tl_bytes(format, sizeof(format) - 1), &fault);
	(void)tl_kernel_format_parse(&formats, 1, tl_bytes(data + 1, texts),
	    &fault);
	(void)tl_page_layout_parse(&layout, tl_bytes(data + 1, texts), &fault);
	data += 1 + texts;
	size -= 1 + texts;
	if (tl_page_begin(&walk, &layout, data,
		size < layout.size ? size : layout.size) == 0)
		while (tl_page_next(&walk, &record) > 0)
			(void)tl_kernel_decode(&formats, &record, &event);
	return 0;
}
