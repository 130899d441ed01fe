/* SPDX-License-Identifier: Apache-2.0 */
/* part.c - one file of events. */
#include "ship/part.h"

#include "base/terminal.h"
#include "clock/clock.h"
#include "ship/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int
write_on(void *context, const char *data, size_t size)
{
	struct tl_part *p = context;
	const int rc = tl_write_all(p->fd, data, size);

	p->size += rc == 0 ? size : 0;
	return rc;
}

static int
open_hidden(struct tl_part *p, const struct tl_block *block)
{
	struct tl_text name = { 0 };

	tl_put_string(&name, tl_text_string(&p->prefix));
	tl_put_unsigned(&name, block->number);
	tl_put_string(&name, p->format->suffix);
	if (p->prefix.rc < 0 || name.rc < 0) {
		tl_text_free(&name);
		return -ENOMEM;
	}
	tl_partition_hidden(p->hidden, tl_text_string(&name));
	tl_text_free(&name);
	p->fd = openat(p->folder, p->hidden,
	    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	return p->fd < 0 ? -errno : 0;
}

int
tl_part_begin(struct tl_part *p, int folder, const struct tl_block *block,
    const struct tl_format_row *format, const struct tl_report *report)
{
	int rc;

	p->folder = folder;
	p->fd = -1;
	p->format = format;
	p->hour = tl_partition_hour(block->from_ns);
	p->begun_ns = tl_clock_read(CLOCK_MONOTONIC);
	p->first = block->number;
	tl_partition_prefix(&p->prefix, block);
	rc = open_hidden(p, block);
	if (rc == 0)
		rc = tl_events_new(&p->events, format, 1, write_on, p, report);
	if (rc < 0)
		tl_part_abandon(p);
	return rc;
}

int
tl_part_put(struct tl_part *p, const struct tl_block *block, uint64_t last,
    bool gap)
{
	int rc = tl_events_put(p->events, block, gap);

	if (rc == 0)
		rc = tl_queue_add(&p->held_blocks, block);
	if (rc < 0)
		return rc;
	p->held += block->data.size;
	p->last = last;
	return 0;
}

/* Nothing is open any more; what waits is kept. */
static void
leave(struct tl_part *p)
{
	const struct tl_target_queue blocks = p->held_blocks;

	tl_events_free(p->events);
	tl_text_free(&p->prefix);
	if (p->fd >= 0)
		close(p->fd);
	close(p->folder);
	*p = (struct tl_part){ .held_blocks = blocks };
}

static int
rename_whole(struct tl_part *p)
{
	struct tl_text name = { 0 };
	int rc;

	tl_put_string(&name, tl_text_string(&p->prefix));
	tl_put_unsigned(&name, p->first);
	tl_put_char(&name, '-');
	tl_put_unsigned(&name, p->last);
	tl_put_string(&name, p->format->suffix);
	rc = name.rc;
	if (rc == 0 && renameat(p->folder, p->hidden, p->folder,
			   tl_text_string(&name)) != 0)
		rc = -errno;
	tl_text_free(&name);
	return rc;
}

int
tl_part_finish(struct tl_part *p)
{
	int rc = tl_events_finish(p->events);

	if (close(p->fd) != 0 && rc == 0)
		rc = -errno;
	p->fd = -1;
	if (rc == 0)
		rc = rename_whole(p);
	if (rc < 0)
		tl_part_abandon(p);
	else
		leave(p);
	return rc;
}

void
tl_part_abandon(struct tl_part *p)
{
	unlinkat(p->folder, p->hidden, 0);
	p->held_blocks.count = 0;
	leave(p);
}

/* == parts that are there == */

/* "17-90.parquet" */
static bool
read_range(const char *name, const char *suffix, uint64_t *first,
    uint64_t *last)
{
	char words[2 * TL_UNSIGNED_MAX + 2];
	const char *end = strchr(name, '.');
	char *dash;

	if (!end || (size_t)(end - name) >= sizeof(words) ||
	    strcmp(end, suffix) != 0)
		return false;
	memcpy(words, name, (size_t)(end - name));
	words[end - name] = '\0';
	dash = strchr(words, '-');
	if (!dash)
		return false;
	*dash = '\0';
	return tl_parse_unsigned(words, first) == 0 &&
	       tl_parse_unsigned(dash + 1, last) == 0;
}

/* What is looked for. */
struct search {
	struct tl_bytes prefix;
	const char *suffix;
	uint64_t number;
	uint64_t last; /* of the part that has it */
};

static int
look_at(void *context, const char *name)
{
	struct search *s = context;
	uint64_t first, last;

	if (strncmp(name, s->prefix.data, s->prefix.size) != 0 ||
	    !read_range(name + s->prefix.size, s->suffix, &first, &last) ||
	    s->number < first || s->number > last)
		return 0;
	s->last = last;
	return 1;
}

uint64_t
tl_part_find(int folder, const struct tl_block *block,
    const struct tl_format_row *format)
{
	struct tl_text prefix = { 0 };
	struct search search = { .suffix = format->suffix,
		.number = block->number,
		.last = UINT64_MAX };

	tl_partition_prefix(&prefix, block);
	search.prefix = tl_bytes(prefix.data, prefix.size);
	if (prefix.rc == 0)
		(void)tl_folder_each(folder, look_at, &search);
	tl_text_free(&prefix);
	return search.last;
}
