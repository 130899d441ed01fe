/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scribble.c - write to a timeline, read it and overwrite it with garbage, each
 * in a process of its own, at the same time.
 *
 *	scribble use NAME SECONDS	an application: attach, define, log,
 *					burst, save, close, and again
 *	scribble read NAME SECONDS	open, show, follow and inspect it, as
 *					often as possible
 *	scribble spoil NAME SECONDS	change words of the file at random and
 *					put most of them back
 *	scribble cut NAME SECONDS	as spoil, and truncate the file at times
 *
 * SEED, from the environment, repeats the numbers, but not the races.
 */
#include "../lib/random.h"
#include "../lib/snap_open.h"
#include "event/render.h"
#include "snap/inspect.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <timeline.h>
#include <timeline_layout.h>
#include <unistd.h>

enum {
	EVENTS = 40,
	BATCH = 500,
	SPOILT_MAX = 256,  /* bytes changed at once */
	WHOLE_EVERY = 200, /* changes until everything is put back */
	CUT_EVERY = 500,   /* changes until the file is truncated */
	TEXT_MAX = 48
};

static uint64_t seed;
static const char *name;
static char path[128];
static struct timespec end;
static int fd; /* of the file */

static uint64_t
below(uint64_t n)
{
	return random_below(&seed, n);
}

static bool
is_over(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > end.tv_sec ||
	       (now.tv_sec == end.tv_sec && now.tv_nsec >= end.tv_nsec);
}

static void
pause_us(uint64_t us)
{
	const struct timespec t = { .tv_nsec = (long)us * 1000 };

	nanosleep(&t, NULL);
}

/* == the application == */

/* A process that maps a truncated file gets this signal: timeline(3). */
static void
end_truncated(int signal_number)
{
	(void)signal_number;
	_exit(0);
}

static void
define_some(struct timeline *tl, struct timeline_event **events)
{
	static const char *const levels[] = { "trace", "info", "error" };

	for (int i = 0; i < EVENTS; i++) {
		char text[TEXT_MAX];

		events[i] = NULL;
		snprintf(text, sizeof(text), "text %d, with $a and $b%%s",
		    (int)below(200));
		if (i % 7 == 0)
			timeline_define_span(tl, "scribble", "info", text,
			    TIMELINE_THREAD, &events[i]);
		else
			timeline_define(tl, "scribble", levels[i % 3], text,
			    &events[i]);
	}
}

static void
log_some(struct timeline *tl, struct timeline_event **events)
{
	uint64_t number = 0;
	char text[TEXT_MAX];

	snprintf(text, sizeof(text), "string %d", (int)below(300));
	timeline_string(tl, text, &number);
	for (int i = 0; i < BATCH; i++) {
		struct timeline_event *event = events[below(EVENTS)];

		if (event)
			timeline_log(event, (uint64_t)i, number);
	}
}

static void
steer(struct timeline *tl)
{
	switch (below(8)) {
	case 0:
		timeline_priority(tl, below(2) ? "info" : "trace+++");
		break;
	case 1:
		timeline_level(tl, "scribble", "text 1*", "info");
		break;
	case 2:
		timeline_clear(tl);
		break;
	default:
		timeline_burst(tl, "trace+++", 1 + below(1000000));
	}
}

static void
use(void)
{
	const struct timeline_options options = { .entries = 2048,
		.stringtablesize = 65536,
		.cpu_lanes = 2 };
	struct timeline_event *events[EVENTS];
	char copy[160];

	signal(SIGBUS, end_truncated);
	snprintf(copy, sizeof(copy), "%s.%d.copy", path, (int)getpid());
	while (!is_over()) {
		struct timeline *tl;

		if (timeline_new(&tl, name, &options) != 0) {
			pause_us(1000);
			continue;
		}
		define_some(tl, events);
		for (int i = 0; i < 8 && !is_over(); i++) {
			log_some(tl, events);
			steer(tl);
			if (timeline_save(tl, copy) == 0)
				unlink(copy);
			pause_us(2000);
		}
		timeline_close(tl);
	}
	unlink(copy);
}

/* == the reader == */

static void
show_all(struct tl_cursor *cursor, int rounds)
{
	struct tl_text text = { 0 };
	struct tl_event event;

	for (int i = 0; i < rounds; i++)
		while (tl_cursor_next(cursor, &event) > 0) {
			text.size = 0;
			tl_render_line(&text, &event);
		}
	tl_cursor_close(cursor);
	tl_text_free(&text);
}

static void
read_once(void)
{
	struct tl_fault fault = { 0 };
	struct tl_cursor *cursor;
	struct tl_inspection inspection;
	struct tl_snap *snap;

	if (snap_open(&snap, name, below(2) * below(3000), &fault) == 0) {
		if (tl_snap_cursor(snap,
			below(2) ? TL_OLDEST_FIRST : TL_NEWEST_FIRST,
			&cursor) == 0)
			show_all(cursor, 1);
		tl_snap_close(snap);
	}
	if (below(8) == 0 &&
	    tl_follow_open(&cursor, name, below(2) * 3000, &fault) == 0)
		show_all(cursor, 50);
	if (tl_inspect_fd(&inspection, fd, below(2), &fault) == 0)
		tl_inspection_free(&inspection);
}

static int
read_all(void)
{
	unsigned long times = 0;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 1;
	while (!is_over()) {
		read_once();
		times++;
	}
	printf("%lu times\n", times);
	return 0;
}

/* == the damage == */

static uint8_t *whole; /* the original content of the file */
static struct timeline_header *header;
static size_t size;

/* Return a number that is likely to meet a check. */
static uint64_t
odd_number(uint64_t was)
{
	switch (below(10)) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	case 2:
		return was ^ UINT64_C(1) << below(64);
	case 3:
		return was + below(9) - 4;
	case 4:
		return UINT64_C(1) << below(64);
	case 5:
		return size - below(4096);
	case 6:
		return below(size);
	case 7:
		return below(size) & ~UINT64_C(15);
	case 8:
		return below(300);
	default:
		return random_next(&seed);
	}
}

/* Choose a place worth a change: [at, at + n). */
static uint64_t
choose_place(uint64_t *n)
{
	const struct timeline_header *h = header;
	uint64_t at;
	uint64_t room;

	switch (below(10)) {
	case 0:
	case 8:
	case 9: /* identity and geometry */
		at = 0;
		room = offsetof(struct timeline_header, levels);
		break;
	case 1: /* levels, table, counters, clock */
		at = offsetof(struct timeline_header, levels);
		room = offsetof(struct timeline_header, boot_id) - at;
		break;
	case 2: /* without the boot ID: the file would be replaced as stale */
		at = offsetof(struct timeline_header, machine_id);
		room = offsetof(struct timeline_header, rest) - at;
		break;
	case 3:
		at = h->heads_offset;
		room = timeline_lane_count(h) * sizeof(struct timeline_head);
		break;
	case 4:
		at = h->knots_offset;
		room = 8 * sizeof(struct timeline_knot);
		break;
	case 5: /* the place of most records */
		at = h->strings_offset;
		room = 8192;
		break;
	case 6:
		at = h->entries_offset[0];
		room = h->knots_offset - at;
		break;
	default:
		at = h->strings_offset;
		room = h->strings_size;
	}
	*n = 8 * (below(8) ? 1 : 1 + below(SPOILT_MAX / 8));
	return at + (below(room - *n + 1) & ~UINT64_C(below(4) ? 7 : 3));
}

/*
 * The constant part is put back at once, so that readers pass their first
 * check.  In the other parts some changes stay.
 */
static void
spoil_once(void)
{
	uint8_t before[SPOILT_MAX], after[SPOILT_MAX];
	uint64_t n;
	const uint64_t at = choose_place(&n);
	const bool fixed = at < offsetof(struct timeline_header, levels);

	if (pread(fd, before, n, (off_t)at) != (ssize_t)n)
		return;
	for (uint64_t i = 0; i < n; i += 8) {
		uint64_t word;

		memcpy(&word, before + i, sizeof(word));
		word = odd_number(word);
		memcpy(after + i, before + i, sizeof(word));
		memcpy(after + i, &word, below(3) ? sizeof(word) : 4);
	}
	(void)!pwrite(fd, after, n, (off_t)at);
	if (below(4) == 0)
		pause_us(below(8) ? below(50) : below(3000));
	if (below(32) > 0 || fixed)
		(void)!pwrite(fd, before, n, (off_t)at);
	if (below(4) == 0)
		pause_us(below(100));
}

static void
cut_once(void)
{
	const uint64_t to = below(3) ? below(size) : below(8192);

	(void)!ftruncate(fd, (off_t)to);
	pause_us(below(3000));
	(void)!ftruncate(fd, (off_t)size);
	(void)!pwrite(fd, whole, size, 0);
}

/* Put back most of what makes the file readable; logged entries stay. */
static void
put_back(void)
{
	const size_t kept = offsetof(struct timeline_header, clock);
	const size_t maker = offsetof(struct timeline_header, boot_id);
	const size_t heads =
	    timeline_lane_count(header) * sizeof(struct timeline_head);

	(void)!pwrite(fd, whole, kept, 0);
	(void)!pwrite(fd, whole + maker, sizeof(*header) - maker, (off_t)maker);
	(void)!pwrite(fd, whole + header->heads_offset, heads,
	    (off_t)header->heads_offset);
	(void)!pwrite(fd, whole + header->strings_offset, header->strings_size,
	    (off_t)header->strings_offset);
}

static int
spoil(bool cut)
{
	struct stat st;

	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0)
		return 1;
	size = (size_t)st.st_size;
	whole = malloc(size);
	header = (void *)whole;
	if (!whole || pread(fd, whole, size, 0) != (ssize_t)size)
		return 1;
	for (unsigned i = 1; !is_over(); i++) {
		spoil_once();
		if (cut && i % CUT_EVERY == 0)
			cut_once();
		if (i % WHOLE_EVERY == 0)
			put_back();
	}
	put_back();
	free(whole);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr,
		    "usage: scribble use|read|spoil|cut NAME SECONDS\n");
		return 2;
	}
	name = argv[2];
	snprintf(path, sizeof(path), "/dev/shm%s", name);
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += atoi(argv[3]);
	seed = random_mix(getenv("SEED") ? strtoull(getenv("SEED"), NULL, 0)
					 : (uint64_t)end.tv_nsec) +
	       (uint64_t)getpid();
	if (strcmp(argv[1], "read") == 0)
		return read_all();
	if (strcmp(argv[1], "use") != 0)
		return spoil(strcmp(argv[1], "cut") == 0);
	use();
	return 0;
}
