/* SPDX-License-Identifier: Apache-2.0 */
/* writers.c - read the newest entries, then ask /proc who that is. */
#include "ctl/writers.h"
#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	SHOWN_MAX = 8, /* in a line of text */
	START_FIELD = 22,
	/* /proc counts a process's age in ticks of 10 ms, and entries are
	 * stamped by another clock. */
	SLACK_NS = 1000000000
};

static struct tl_writer *
find(struct tl_writers *writers, uint32_t pid)
{
	struct tl_writer *w;

	for (size_t i = 0; i < writers->count; i++) {
		if (writers->list[i].pid == pid)
			return &writers->list[i];
	}
	if (writers->count == TL_WRITERS_MAX)
		return NULL;
	w = &writers->list[writers->count++];
	*w = (struct tl_writer){ .pid = pid, .age_ns = UINT64_MAX };
	return w;
}

static void
take_entry(struct tl_writers *writers, const struct tl_glance *g,
    const struct timeline_entry *e)
{
	struct tl_writer *const w = find(writers, e->pid);
	const uint64_t ticks = e->tsc < g->now_tsc ? g->now_tsc - e->tsc : 0;
	uint64_t age_ns;

	if (!w) {
		writers->more++;
		return;
	}
	age_ns = (uint64_t)tl_ticks_to_ns(ticks < INT64_MAX ? (int64_t)ticks
							    : INT64_MAX,
	    g->header.clock.mult ? g->header.clock.mult : TL_MULT_ONE);
	w->entries++;
	if (age_ns < w->age_ns)
		w->age_ns = age_ns;
}

/* Messages of ours tell who steered it, not who logs. */
static bool
is_builtin(int fd, const struct timeline_header *h, uint32_t message)
{
	const uint64_t at = message & ~(uint32_t)TIMELINE_MESSAGE_FLAGS;
	struct timeline_record record;

	if (!tl_fits(h->strings_size, at, 1, sizeof(record)) ||
	    tl_read_at(fd, &record, sizeof(record), h->strings_offset + at) !=
		(int64_t)sizeof(record))
		return false;
	return record.builtin != TIMELINE_BUILTIN_NONE;
}

/* What is not whole, or was overwritten meanwhile, tells nothing. */
static void
take_lane(struct tl_writers *writers, int fd, const struct tl_glance *g,
    uint32_t i)
{
	const struct tl_glance_lane *lane = &g->lanes[i];
	uint64_t q = lane->head > TL_WRITER_ENTRIES_MAX
			 ? lane->head - TL_WRITER_ENTRIES_MAX
			 : 0;
	struct timeline_entry e;

	if (lane->head >= lane->entries && q < lane->head - lane->entries + 1)
		q = lane->head - lane->entries + 1;
	if (q < lane->cleared)
		q = lane->cleared;
	for (; q < lane->head; q++) {
		if (tl_read_at(fd, &e, sizeof(e),
			timeline_entry_offset(&g->header, i, q)) !=
		    (int64_t)sizeof(e))
			return;
		if (e.stamp >= timeline_stamp_whole(q) && e.stamp % 2 == 0 &&
		    !is_builtin(fd, &g->header, e.message))
			take_entry(writers, g, &e);
	}
}

/* The text of /proc/PID/WHICH. */
static bool
read_proc(uint32_t pid, const char *which, char *text, size_t size)
{
	char path[64];
	int64_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/%s", (unsigned)pid, which);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = tl_read_at(fd, text, size - 1, 0);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* The state and the start of a process out of /proc/PID/stat; its command,
 * in parentheses, may hold anything. */
static bool
parse_stat(const char *stat, char *state, uint64_t *start)
{
	const char *at = strrchr(stat, ')');
	char *end;

	if (!at || at[1] != ' ')
		return false;
	*state = at[2];
	for (int field = 2; field < START_FIELD; field++) {
		at = strchr(at + 1, ' ');
		if (!at)
			return false;
	}
	*start = strtoull(at, &end, 10);
	return end != at;
}

/* Who has this number now may have been born after the entry. */
static bool
is_alive(const struct tl_writer *w)
{
	const long hz = sysconf(_SC_CLK_TCK);
	struct timespec now;
	char text[1024];
	uint64_t start = 0;
	uint64_t lived_ns;
	char state = '?';

	if (w->pid == 0 || w->pid > INT32_MAX)
		return false;
	if (kill((pid_t)w->pid, 0) != 0 && errno != EPERM)
		return false;
	if (!read_proc(w->pid, "stat", text, sizeof(text)) ||
	    !parse_stat(text, &state, &start) || hz <= 0 ||
	    clock_gettime(CLOCK_BOOTTIME, &now) != 0)
		return true; /* /proc is closed to us */
	if (state == 'Z' || state == 'X')
		return false;
	lived_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	start = start / (uint64_t)hz * 1000000000 +
		start % (uint64_t)hz * 1000000000 / (uint64_t)hz;
	lived_ns = lived_ns > start ? lived_ns - start : 0;
	return w->age_ns <= lived_ns + SLACK_NS;
}

/* The dead have no name any more, but who made the file left its own. */
static void
name_writer(struct tl_writer *w, const struct tl_glance *g)
{
	char *const command = w->command;
	const size_t max = sizeof(w->command) - 1;

	if (w->alive)
		(void)read_proc(w->pid, "comm", command, max);
	else if (w->pid == g->header.creator_pid)
		memcpy(command, g->header.creator_command, max);
	command[strcspn(command, "\n")] = 0;
}

static int
compare(const void *a, const void *b)
{
	const struct tl_writer *x = a, *y = b;

	if (x->age_ns != y->age_ns)
		return x->age_ns > y->age_ns ? 1 : -1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

void
tl_writers_read(struct tl_writers *writers, int fd,
    const struct tl_glance *glance)
{
	*writers = (struct tl_writers){ 0 };
	if (glance->header.state != TIMELINE_LIVE)
		return;
	for (uint32_t i = 0; i < glance->lane_count; i++)
		take_lane(writers, fd, glance, i);
	for (size_t i = 0; i < writers->count; i++) {
		struct tl_writer *w = &writers->list[i];

		w->alive = glance->now_tsc != 0 && is_alive(w);
		name_writer(w, glance);
	}
	qsort(writers->list, writers->count, sizeof(writers->list[0]), compare);
}

void
tl_writers_put(struct tl_text *text, const struct tl_writers *writers)
{
	for (size_t i = 0; i < writers->count && i < SHOWN_MAX; i++) {
		const struct tl_writer *w = &writers->list[i];

		if (i > 0)
			tl_put_string(text, ", ");
		tl_put_plain(text, tl_bytes_of(w->command));
		if (w->command[0])
			tl_put_char(text, ' ');
		tl_put_unsigned(text, w->pid);
		if (!w->alive)
			tl_put_string(text, " died");
	}
	if (writers->count > SHOWN_MAX) {
		tl_put_string(text, ", and ");
		tl_put_unsigned(text, writers->count - SHOWN_MAX);
		tl_put_string(text, " more");
	}
	if (writers->count == 0)
		tl_put_char(text, '-');
}

void
tl_writers_json(struct tl_fields *f, const struct tl_writers *writers)
{
	tl_fields_array(f, "writers");
	for (size_t i = 0; i < writers->count; i++) {
		const struct tl_writer *w = &writers->list[i];

		tl_fields_object(f, NULL);
		tl_fields_unsigned(f, "pid", w->pid);
		tl_fields_string(f, "command", w->command);
		tl_fields_bool(f, "alive", w->alive);
		tl_fields_unsigned(f, "age_ns", w->age_ns);
		tl_fields_object_end(f);
	}
	tl_fields_array_end(f);
}
