/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subject.c - timelines to measure, and the loops that log to them.
 */
#include "subject.h"

#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <timeline_layout.h>
#include <unistd.h>

static const char CATEGORY[] = "bench";

static void
check(const char *what, int rc)
{
	if (rc < 0) {
		fprintf(stderr, "bench: %s\n", timeline_error());
		bench_die(what, rc);
	}
}

/* The file read beside the library, as any reader would. */
static void
map_header(struct subject *s)
{
	char file[128];
	struct stat st;
	int fd;

	snprintf(file, sizeof(file), "/dev/shm%s", s->path);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		bench_die(file, -errno);
	s->header =
	    mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (s->header == MAP_FAILED)
		bench_die(file, -errno);
	close(fd);
}

static void
define(struct subject *s)
{
	static const char four[] = "processed $tcp, $udp, $other and $more";

	check("define",
	    timeline_define(s->tl, CATEGORY, "trace", four, &s->open));
	check("define",
	    timeline_define(s->tl, CATEGORY, "trace", "plain", &s->plain));
	check("define", timeline_define(s->tl, CATEGORY, "trace",
			    "closed $a, $b, $c and $d", &s->closed));
	map_header(s);
}

void
subject_new(struct subject *s, const char *name,
    const struct timeline_options *options)
{
	char file[64];

	snprintf(file, sizeof(file), "/dev/shm/%s", name);
	snprintf(s->path, sizeof(s->path), "/%s", name);
	(void)timeline_remove(s->path);
	bench_temporary(file);
	check("new", timeline_new(&s->tl, s->path, options));
	define(s);
	check("level", timeline_level(s->tl, CATEGORY, "closed*", "off"));
	s->before = subject_kept(s);
	s->sent = 0;
}

void
subject_open(struct subject *s, const char *name)
{
	snprintf(s->path, sizeof(s->path), "/%s", name);
	check("open", timeline_open(&s->tl, s->path));
	define(s);
}

uint64_t
subject_kept(const struct subject *s)
{
	const uint8_t *map = (const uint8_t *)s->header;
	const uint32_t lanes = timeline_lane_count(s->header);
	uint64_t sum = 0;

	for (uint32_t lane = 0; lane < lanes; lane++) {
		const uint64_t *head = (const uint64_t *)(const void
			*)(map + timeline_head_offset(s->header, lane));

		sum += __atomic_load_n(head, __ATOMIC_RELAXED);
	}
	return sum - subject_dropped(s);
}

uint64_t
subject_dropped(const struct subject *s)
{
	return s->header->drops[TIMELINE_DROP_BUSY] +
	       s->header->drops[TIMELINE_DROP_LAPPED] +
	       s->header->drops[TIMELINE_DROP_RACED];
}

void
subject_print_losses(const struct subject *s, const char *name)
{
	const uint64_t kept = subject_kept(s) - s->before;

	bench_print_fact(name, kept == s->sent,
	    "%llu sent, %lld missing, %llu dropped",
	    (unsigned long long)s->sent, (long long)(s->sent - kept),
	    (unsigned long long)subject_dropped(s));
}

void
subject_close(struct subject *s)
{
	timeline_close(s->tl);
	(void)timeline_remove(s->path);
}

/* The compiler may not keep anything over a turn of these loops. */
#define TURN() __asm__ volatile("" ::: "memory")

void
subject_log4(void *arg, long n)
{
	struct subject *s = arg;
	struct timeline_event *event = s->open;

	for (long i = 0; i < n; i++) {
		timeline_log(event, i, 2, 3, 4);
		TURN();
	}
	s->sent += (uint64_t)n;
}

void
subject_log0(void *arg, long n)
{
	struct subject *s = arg;
	struct timeline_event *event = s->plain;

	for (long i = 0; i < n; i++) {
		timeline_log(event);
		TURN();
	}
	s->sent += (uint64_t)n;
}

/* What a foreign caller does: the symbol, not the macro of the same name. */
void
subject_call4(void *arg, long n)
{
	struct subject *s = arg;
	struct timeline_event *event = s->open;

	for (long i = 0; i < n; i++)
		(timeline_log)(event, (uint64_t)i, 2, 3, 4);
	s->sent += (uint64_t)n;
}

void
subject_off(void *arg, long n)
{
	struct timeline_event *event = ((struct subject *)arg)->closed;

	for (long i = 0; i < n; i++) {
		timeline_log(event, i, 2, 3, 4);
		TURN();
	}
}

void
subject_off_call(void *arg, long n)
{
	struct timeline_event *event = ((struct subject *)arg)->closed;

	for (long i = 0; i < n; i++)
		(timeline_log)(event, (uint64_t)i, 2, 3, 4);
}

_Noreturn void
subject_write(const char *name, double rate)
{
	double due = 0, last = bench_now_s();
	struct subject s;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	subject_open(&s, name);
	for (;;) {
		const double now = bench_now_s();

		due += rate * (now - last);
		last = now;
		subject_log4(&s, (long)due);
		due -= (double)(long)due;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
}
