/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_core.c - any bytes as a core or as an image of memory: each timeline
 * that is found is either opened and can be read, or refused with a text.
 */
#include "event/cursor.h"
#include "format/registry.h"
#include "source/kinds.h"
#include "source/sources.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { EVENTS_MAX = 10000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_some(const struct tl_source *source)
{
	struct tl_cursor *cursor;
	struct tl_event event;

	if (source->ops->cursor(source, TL_NEWEST_FIRST, &cursor) < 0)
		return;
	for (int i = 0; i < EVENTS_MAX && tl_cursor_next(cursor, &event) > 0;
	     i++)
		continue;
	tl_cursor_close(cursor);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tl_source_plan plan = { .check = true,
		.format = tl_format_reading(tl_formats_find("core")) };
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);
	const struct tl_source_from from = { .name = "core", .fd = &fd };
	struct tl_sources sources = { 0 };

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	assert(lseek(fd, 0, SEEK_SET) == 0);
	assert(tl_sources_add(&sources, &from, &plan) == 0);
	for (size_t i = 0; i < sources.count; i++) {
		const struct tl_source *source = &sources.items[i];

		if (tl_source_is_open(source))
			read_some(source);
		else
			assert(source->fault.rc < 0 && source->fault.text[0]);
	}
	tl_sources_free(&sources);
	close(fd);
	return 0;
}
