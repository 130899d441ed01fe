/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service_fixture.h - a daemon with one timeline and few other parts, in this
 * process, and clients that talk to it while its loop runs.
 */
#ifndef TESTS_UNIT_SERVICE_FIXTURE_H
#define TESTS_UNIT_SERVICE_FIXTURE_H

#include "daemon/daemon.h"
#include "daemon/disk/snapshots.h"
#include "daemon/serve/answer.h"
#include "daemon/target.h"
#include "lib/fixture.h"
#include "lib/test.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>

enum { ANSWER_MAX = 4 << 20, PATIENCE_S = 120 };

static struct tl_daemon *d;
static struct tl_target *target;
static struct tl_config config;
static struct tl_config_timeline section;
static char folder[64];
static char answer_text[ANSWER_MAX + 1];

static inline void
service_open(void)
{
	static const struct timeline_options small = { .entries = 256,
		.stringtablesize = 65536,
		.cpu_lanes = 2 };
	struct tl_fault fault = { 0 };

	signal(SIGPIPE, SIG_IGN);
	fixture_open(&small);
	snprintf(folder, sizeof(folder), "/tmp/test-service-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	config = (struct tl_config){ .path = "/nonexistent/timelined.conf",
		.directory = folder };
	section = (struct tl_config_timeline){ .name = fixture_name + 1 };
	d = calloc(1, sizeof(*d));
	target = calloc(1, sizeof(*target));
	ck_assert(d && target);
	d->loop = ev_loop_new(EVFLAG_AUTO);
	d->config = &config;
	d->started_ns = INT64_C(1795202658123456789);
	target->daemon = d;
	target->config = &section;
	target->tl = tl;
	strcpy(target->name, fixture_name + 1);
	d->targets[0] = target;
	d->target_count = 1;
	tl_daemon_log_least = 0;
	ck_assert_ok(tl_snapshots_new(&d->snapshots, d->loop, folder, &fault));
}

static inline void
service_close(void)
{
	char command[96];

	tl_readings_free(d->readings);
	tl_snapshots_free(d->snapshots);
	tl_watch_end(target);
	ev_loop_destroy(d->loop);
	tl_window_free(&target->requests.done);
	free(target);
	free(d);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
	fixture_close();
}

static inline double
service_now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Run the loop and read until the peer closes; returns the text. */
static inline const char *
service_read(int fd)
{
	const double until = service_now_s() + PATIENCE_S;
	size_t size = 0;
	ssize_t n = 1;

	while (n != 0 && service_now_s() < until) {
		ev_run(d->loop, EVRUN_NOWAIT);
		n = recv(fd, answer_text + size, ANSWER_MAX - size,
		    MSG_DONTWAIT);
		if (n > 0)
			size += (size_t)n;
		else if (n < 0 && errno == ECONNRESET)
			n = 0;
		else if (n < 0)
			usleep(100);
	}
	ck_assert_msg(n == 0, "the connection was never closed");
	answer_text[size] = '\0';
	close(fd);
	return answer_text;
}

static inline void
service_send(int fd, const char *data, size_t size)
{
	while (size > 0) {
		const ssize_t n =
		    send(fd, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);

		ev_run(d->loop, EVRUN_NOWAIT);
		if (n < 0 && errno != EAGAIN)
			return; /* the peer reads no more */
		data += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
}

/*
 * Run the loop a few times, so that it accepts clients and reads their
 * requests.
 */
static inline void
service_turn(void)
{
	for (int i = 0; i < 20; i++) {
		ev_run(d->loop, EVRUN_NOWAIT);
		usleep(500);
	}
}

#define ck_assert_has(text, what) \
	ck_assert_msg(strstr((text), (what)) != NULL, "no %s in: %.2000s", \
	    (what), (text))
#define ck_assert_lacks(text, what) \
	ck_assert_msg(strstr((text), (what)) == NULL, "%s in: %.2000s", \
	    (what), (text))

#endif
