/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adopt.c - files that are damaged, or that change while they are read, end
 * neither a process that attaches to them, nor the daemon, nor a reader.
 *
 * ADOPT_ROUNDS=10000 sets the number of files; each loop of a test takes a part
 * of them.
 */
#include "daemon/targets.h"
#include "lib/random.h"
#include "lib/snap_open.h"
#include "lib/test.h"
#include "ring/guard.h"
#include "service_fixture.h"

#include <inttypes.h>
#include <pthread.h>
#include <sys/mman.h>

enum { LOOPS = 10, ROUNDS = 400, MESSAGES = 40, ENTRIES = 150 };

/* A valid file, and a damaged copy under a name of its own. */
static uint8_t *good;
static size_t good_size;
static char name[64];
static char path[80];
static int fd;

static void
make_good(void)
{
	struct timeline_event *event;
	char text[64];

	for (int i = 0; i < MESSAGES; i++) {
		snprintf(text, sizeof(text), "message %d of $a and $b%%d", i);
		ck_assert_ok(timeline_define(tl, "adopt",
		    i % 3 ? "info" : "error", text, &event));
		for (int k = 0; k < ENTRIES / MESSAGES; k++)
			timeline_log(event, i, k);
	}
	ck_assert_ok(timeline_priority(tl, "debug"));
	ck_assert_ok(timeline_burst(tl, "trace", 600000000000));
	good_size = tl->geometry.total_size;
	good = malloc(good_size);
	memcpy(good, tl->map, good_size);
}

static void
setup(void)
{
	service_open();
	make_good();
	section.name = name + 1;
	snprintf(name, sizeof(name), "/test-adopt-%d", (int)getpid());
	snprintf(path, sizeof(path), "/dev/shm%s", name);
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_ok(tl_guard_start());
	tl_daemon_log_least = TL_LOG_ERROR + 1;
}

static void
teardown(void)
{
	close(fd);
	unlink(path);
	free(good);
	service_close();
}

static void
write_whole(const uint8_t *bytes, size_t size)
{
	ck_assert_int_eq(ftruncate(fd, (off_t)size), 0);
	ck_assert(pwrite(fd, bytes, size, 0) == (ssize_t)size);
}

/* Return a number at an edge of its range. */
static uint64_t
edge(uint64_t *seed)
{
	static const uint64_t edges[] = { 0, 1, 2, 63, 64, 65, 4095, 4096, 4097,
		INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX, UINT64_C(1) << 31,
		UINT64_C(1) << 63, UINT64_MAX - 63 };
	const uint64_t which =
	    random_below(seed, sizeof(edges) / sizeof(edges[0]) + 2);

	if (which >= sizeof(edges) / sizeof(edges[0]))
		return which % 2 ? random_below(seed, good_size) & ~15ull
				 : random_next(seed);
	return edges[which];
}

/*
 * Choose a place worth damaging: in the header, the heads, the knots, the
 * records, or anywhere.
 */
static size_t
place(uint64_t *seed)
{
	const struct timeline_header *h = (const void *)good;

	switch (random_below(seed, 5)) {
	case 0:
		return random_below(seed, 800);
	case 1:
		return h->heads_offset + random_below(seed, 512);
	case 2:
		return h->knots_offset + random_below(seed, 512);
	case 3:
		return h->strings_offset + random_below(seed, h->newest + 128);
	default:
		return random_below(seed, good_size);
	}
}

/*
 * The bytes by which a file is recognised as a timeline.  Most files stay
 * recognisable, because a file that is refused at once tests nothing behind the
 * check.
 */
static bool
is_identity(size_t at)
{
	return at < offsetof(struct timeline_header, levels) ||
	       (at >= offsetof(struct timeline_header, boot_id) &&
		   at < offsetof(struct timeline_header, boot_id) + 16);
}

static void
scribble_one(uint8_t *bytes, uint64_t *seed, bool identity)
{
	const size_t at = place(seed) & ~(size_t)7;
	const uint64_t word = edge(seed);

	if (!identity && is_identity(at))
		return;
	if (random_below(seed, 2))
		memcpy(bytes + at, &word, sizeof(word));
	else
		bytes[at + random_below(seed, 8)] ^=
		    (uint8_t)(1 << random_below(seed, 8));
}

/* Make the damaged file of a seed. */
static void
make_damaged(uint64_t *seed)
{
	const uint64_t kind = random_below(seed, 8);
	uint8_t *bytes = malloc(2 * good_size);
	size_t size = good_size;

	memcpy(bytes, good, good_size);
	memset(bytes + good_size, 0, good_size);
	for (uint64_t n = random_below(seed, 12); n > 0; n--)
		scribble_one(bytes, seed, kind < 2);
	if (kind == 2)
		size = random_below(seed, good_size);
	if (kind == 3)
		size += random_below(seed, good_size);
	write_whole(bytes, size);
	free(bytes);
}

/* == the thread that changes the file meanwhile == */

static struct {
	pthread_t thread;
	uint64_t seed;
	bool cuts; /* truncates; false: scribbles */
	int stop;
} other;

static void *
change_it(void *unused)
{
	(void)unused;
	while (!__atomic_load_n(&other.stop, __ATOMIC_ACQUIRE)) {
		const size_t at = place(&other.seed) & ~(size_t)7;
		const uint64_t word = edge(&other.seed);
		ssize_t n;

		if (other.cuts && random_below(&other.seed, 2)) {
			n = ftruncate(fd,
			    (off_t)random_below(&other.seed, 2 * good_size));
			n += ftruncate(fd, (off_t)good_size);
			n += pwrite(fd, good, 4096, 0);
		} else if (!is_identity(at)) {
			n = pwrite(fd, &word, sizeof(word), (off_t)at);
		} else {
			n = 0;
		}
		(void)n;
	}
	return NULL;
}

static void
start_other(uint64_t seed, bool cuts)
{
	other.seed = seed;
	other.cuts = cuts;
	other.stop = 0;
	ck_assert_int_eq(pthread_create(&other.thread, NULL, change_it, NULL),
	    0);
}

static void
stop_other(void)
{
	__atomic_store_n(&other.stop, 1, __ATOMIC_RELEASE);
	pthread_join(other.thread, NULL);
}

/* == the processes that use the file == */

/* A program attaches and logs. */
static void
attach(void)
{
	struct timeline *mine = (void *)(uintptr_t)1;
	struct timeline_event *event;
	uint64_t number;
	const int rc = timeline_open(&mine, name);

	ck_assert_int_le(rc, 0);
	ck_assert((rc == 0) == (mine != NULL));
	if (rc != 0)
		return;
	timeline_define(mine, "adopt", "info", "message 1 of $a and $b%d",
	    &event);
	timeline_log(event, 1, 2);
	timeline_define(mine, "adopt", "fatal", "another $one", &event);
	timeline_log(event, 1);
	timeline_string(mine, "a string", &number);
	timeline_level(mine, "*", "message*", "error");
	timeline_burst(mine, "trace", 1000);
	timeline_priority(mine, "trace");
	timeline_clear(mine);
	timeline_close(mine);
}

static void
adopt(void)
{
	struct tl_fault fault = { 0 };
	struct tl_target *opened;
	struct stat judged;

	if (lstat(path, &judged) != 0)
		return;
	if (tl_target_open(&opened, d, path, &judged, &section, &fault) != 0)
		return;
	for (int i = 0; i < 3; i++)
		ev_run(d->loop, EVRUN_NOWAIT);
	(void)tl_target_fault(opened);
	tl_target_close(opened);
}

static void
walk(struct tl_snap *snap, enum tl_order order)
{
	struct tl_cursor *cursor;
	struct tl_event e;

	if (tl_snap_cursor(snap, order, &cursor) != 0)
		return;
	while (tl_cursor_next(cursor, &e) > 0)
		continue;
	tl_cursor_close(cursor);
}

static void
dump(void)
{
	struct tl_fault fault = { 0 };
	struct tl_snap *snap;

	if (snap_open(&snap, path, 0, &fault) != 0) {
		ck_assert_str_ne(fault.text, "");
		return;
	}
	walk(snap, TL_NEWEST_FIRST);
	walk(snap, TL_OLDEST_FIRST);
	tl_snap_close(snap);
}

/* The number of rounds of a loop. */
static int
rounds(void)
{
	const char *text = getenv("ADOPT_ROUNDS");

	return (text ? atoi(text) : random_rounds(ROUNDS)) / LOOPS + 1;
}

static uint64_t
seed_of(int loop, int round)
{
	return (uint64_t)loop << 32 | (uint64_t)round;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 600);

TEST(damaged_files_do_no_harm, .to = LOOPS, .sampled = true)
{
	for (int i = 0; i < rounds(); i++) {
		uint64_t seed = seed_of(_i, i);

		make_damaged(&seed);
		attach();
		make_damaged(&seed);
		adopt();
		make_damaged(&seed);
		dump();
	}
}

/*
 * Nothing may truncate the file of a program that logs: the SIGBUS is
 * documented.
 */
TEST(files_that_somebody_scribbles_on_do_no_harm, .to = LOOPS, .sampled = true)
{
	for (int i = 0; i < rounds(); i++) {
		uint64_t seed = seed_of(_i, i);

		write_whole(good, good_size);
		start_other(seed, false);
		attach();
		adopt();
		dump();
		stop_other();
	}
}

TEST(files_that_somebody_cuts_do_no_harm, .to = LOOPS, .sampled = true)
{
	for (int i = 0; i < rounds(); i++) {
		uint64_t seed = seed_of(_i, i);

		write_whole(good, good_size);
		start_other(seed, true);
		adopt();
		dump();
		stop_other();
	}
}
