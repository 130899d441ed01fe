/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_fleet.c - hosts that send each other messages.  Each host is a process
 * with its own live timeline, made as on another machine: with another boot ID
 * and name, and with a clock that has the given error and reports the given
 * bound.
 *
 *	make_fleet PREFIX NAME:SHIFT:SYNC[:ENTRIES] ...
 *
 *	SHIFT	how far the clock is ahead (-: behind)
 *	SYNC	the error bound that the clock reports; none: no bound
 *	ENTRIES	the size of the timeline, which is called PREFIX-NAME
 *
 * All entries of a host carry their number, $n, from 0.  A message that one
 * host logs as "tx $id" is logged by another host as "rx $id" 50 to 500 us
 * later, or later still if the process did not run.  The program prints "ready"
 * when all hosts log.  When its standard input ends, it prints for each host
 * the number of entries logged, and shift and bound in nanoseconds (-1: none).
 */
#include "../lib/disguise.h"
#include "base/text.h"
#include "clock/calibrate.h"
#include "ring/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <timeline.h>
#include <unistd.h>

enum {
	HOSTS_MAX = 8,
	NAME_MAX_SIZE = 256,
	TICK_NS = 20000000,
	KEEP_TICKS = 50, /* between readings of the clock, and between
			  * warnings */
	WORK_PER_TICK = 8,
	DELAY_LEAST_NS = 50000,
	DELAY_SPAN_NS = 450000
};

struct host {
	char name[64];
	int64_t shift_ns;
	int64_t sync_ns; /* -1: unknown */
	uint64_t entries;
	int in, out; /* the pipe to the host */
};

/*
 * A message from one host to another: when it left, and how long it must take.
 */
struct letter {
	uint64_t id;
	int64_t sent_ns;
	int64_t delay_ns;
};

/* A process reports its state to its parent. */
struct shared {
	uint64_t logged;
	uint32_t ready;
};

static struct host hosts[HOSTS_MAX];
static size_t host_count;
static struct shared *shared; /* one for each host */

/* The state of one process. */
static const struct host *me;
static struct timeline *tl;
static struct timeline_event *work, *job, *warned, *sent, *received;
static uint64_t number, letters, seed;

static void
must(int rc, const char *what)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "make_fleet: %s: %s\n", what, strerror(-rc));
	exit(1);
}

static int64_t
now(void)
{
	return tl_clock_read(CLOCK_MONOTONIC);
}

/* == a wrong clock == */

static int64_t
planted_utc(void *context)
{
	const struct tl_clock_source *here = context;

	return here->utc(here->context) + me->shift_ns;
}

static void
planted_sync(void *context, struct tl_clock_sync *sync)
{
	(void)context;
	*sync = (struct tl_clock_sync){ .steered = me->sync_ns >= 0,
		.error_us = me->sync_ns < 0 ? UINT32_MAX
					    : (uint32_t)(me->sync_ns / 1000) };
}

/*
 * Keep the clock here: no daemon keeps it, because the timeline is of another
 * boot.
 */
static void
keep_clock(void)
{
	const struct tl_clock_source *here = tl->calibrate.source;
	const struct tl_clock_source planted = { .tsc = here->tsc,
		.utc = planted_utc,
		.sync = planted_sync,
		.rate = here->rate,
		.context = (void *)(uintptr_t)here,
		.kind = here->kind };
	struct tl_calibrate calibrate = tl->calibrate;

	calibrate.source = &planted;
	must(tl_calibrate_now(&calibrate, false), "the clock");
}

/* == one host == */

static void
define_all(void)
{
	must(timeline_define(tl, "fleet", "info", "work $n", &work), "work");
	must(timeline_define_span(tl, "fleet", "info", "job $n",
		 TIMELINE_THREAD, &job),
	    "job");
	must(timeline_define(tl, "fleet", "warning", "warned $n", &warned),
	    "warned");
	must(timeline_define(tl, "fleet", "info", "tx $id $n", &sent), "tx");
	must(timeline_define(tl, "fleet", "info", "rx $id $n", &received),
	    "rx");
}

/*
 * Finish the clock before any reader comes: a reader must not see two clocks.
 */
static void
create(const char *prefix)
{
	const struct timeline_options options = { .entries = me->entries };
	const size_t i = (size_t)(me - hosts);
	const struct disguise d = { .host = me->name,
		.boot = (uint8_t)(i + 1),
		.shift_ns = me->shift_ns,
		.sync_given = true,
		.sync_us = me->sync_ns < 0 ? UINT32_MAX
					   : (uint32_t)(me->sync_ns / 1000) };
	char path[NAME_MAX_SIZE];

	snprintf(path, sizeof(path), "%s-%s", prefix, me->name);
	must(timeline_new(&tl, path, &options), path);
	define_all();
	must(disguise(&d, tl->map, tl->geometry.total_size) ? 0 : -EINVAL,
	    "disguise");
	keep_clock();
}

static uint64_t
any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* A letter to a host that is gone is dropped, which is no fault here. */
static void
send_letter(void)
{
	const size_t i = (size_t)(me - hosts);
	const size_t to = (i + 1 + any() % (host_count - 1)) % host_count;
	struct letter letter = { .id = (uint64_t)i << 32 | letters++,
		.delay_ns = DELAY_LEAST_NS + (int64_t)(any() % DELAY_SPAN_NS) };

	timeline_log(sent, letter.id, number++);
	letter.sent_ns = now();
	if (write(hosts[to].out, &letter, sizeof(letter)) < 0 &&
	    errno != EAGAIN)
		must(-errno, "send");
}

static void
receive_letters(void)
{
	struct letter letter;

	while (read(me->in, &letter, sizeof(letter)) == sizeof(letter)) {
		const int64_t ns = letter.sent_ns + letter.delay_ns;
		const struct timespec at = { .tv_sec = ns / 1000000000,
			.tv_nsec = ns % 1000000000 };

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		timeline_log(received, letter.id, number++);
	}
}

static void
tick(uint64_t ticks)
{
	timeline_begin(job, number++);
	for (int i = 0; i < WORK_PER_TICK; i++)
		timeline_log(work, number++);
	timeline_end(job, number++);
	send_letter();
	if (ticks % KEEP_TICKS != 0)
		return;
	timeline_log(warned, number++);
	keep_clock();
}

/* Run until the other end of stop is closed. */
static void
live(int stop)
{
	struct pollfd fds[] = { { .fd = stop, .events = POLLIN },
		{ .fd = me->in, .events = POLLIN } };
	int64_t next = now();

	for (uint64_t ticks = 0; fds[0].revents == 0;) {
		const int64_t left = next - now();
		const struct timespec wait = { .tv_nsec = left > 0 ? left : 0 };

		if (ppoll(fds, 2, &wait, NULL) > 0 && fds[1].revents)
			receive_letters();
		if (now() < next)
			continue;
		tick(ticks++);
		next += TICK_NS;
		/* the process stood still: the missed ticks are dropped */
		if (next < now())
			next = now() + TICK_NS;
	}
}

/* Run a host on one CPU, so that the order of its entries is known. */
static void
run_host(const struct host *host, const char *prefix, int stop)
{
	const size_t i = (size_t)(host - hosts);
	cpu_set_t mine;

	me = host;
	seed = i + 1;
	CPU_ZERO(&mine);
	CPU_SET((size_t)sched_getcpu(), &mine);
	sched_setaffinity(0, sizeof(mine), &mine);
	prctl(PR_SET_TIMERSLACK, 1UL);
	create(prefix);
	__atomic_store_n(&shared[i].ready, 1, __ATOMIC_RELEASE);
	live(stop);
	shared[i].logged = number;
	timeline_close(tl);
	exit(0);
}

/* == all hosts == */

static int64_t
duration(const char *text)
{
	int64_t ns;

	must(tl_parse_duration(text, &ns), text);
	return ns;
}

static void
take(char *word)
{
	struct host *host = &hosts[host_count++];
	const char *name = strtok(word, ":");
	const char *shift = strtok(NULL, ":");
	const char *sync = strtok(NULL, ":");
	const char *entries = strtok(NULL, ":");
	int ends[2];

	must(sync ? 0 : -EINVAL, word);
	snprintf(host->name, sizeof(host->name), "%s", name);
	host->shift_ns = duration(shift);
	host->sync_ns = strcmp(sync, "none") == 0 ? -1 : duration(sync);
	host->entries = entries ? strtoull(entries, NULL, 10) : 0;
	must(pipe2(ends, O_NONBLOCK | O_CLOEXEC), "pipe");
	host->in = ends[0];
	host->out = ends[1];
}

static void
until_ready(void)
{
	const struct timespec moment = { .tv_nsec = 10000000 };

	for (size_t i = 0; i < host_count; i++) {
		while (!__atomic_load_n(&shared[i].ready, __ATOMIC_ACQUIRE)) {
			/* a host that failed has printed why */
			if (waitpid(-1, NULL, WNOHANG) > 0)
				exit(1);
			nanosleep(&moment, NULL);
		}
	}
	printf("ready\n");
	fflush(stdout);
}

static void
until_told(void)
{
	char bytes[64];
	ssize_t n;

	do
		n = read(STDIN_FILENO, bytes, sizeof(bytes));
	while (n > 0 || (n < 0 && errno == EINTR));
}

static void
tell(void)
{
	for (size_t i = 0; i < host_count; i++)
		printf("%s %llu %lld %lld\n", hosts[i].name,
		    (unsigned long long)shared[i].logged,
		    (long long)hosts[i].shift_ns, (long long)hosts[i].sync_ns);
}

int
main(int argc, char **argv)
{
	int stop[2];

	if (argc < 4 || argc - 2 > HOSTS_MAX)
		must(-EINVAL, "PREFIX NAME:SHIFT:SYNC[:ENTRIES] ...");
	for (int i = 2; i < argc; i++)
		take(argv[i]);
	shared = mmap(NULL, host_count * sizeof(*shared),
	    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(shared == MAP_FAILED ? -errno : 0, "memory");
	must(pipe2(stop, O_CLOEXEC), "pipe");
	for (size_t i = 0; i < host_count; i++) {
		const pid_t pid = fork();

		must(pid < 0 ? -errno : 0, "fork");
		if (pid == 0) {
			close(stop[1]);
			run_host(&hosts[i], argv[1], stop[0]);
		}
	}
	until_ready();
	until_told();
	close(stop[1]);
	while (wait(NULL) > 0)
		continue;
	tell();
	return 0;
}
