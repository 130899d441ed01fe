/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals.c - a storm of signals whose handler logs, inside logging calls of
 * the same thread: each call of thread and handler counts once.
 */
#include "../lib/writers.h"

#include <sys/time.h>

enum { PROCESSES = 4, PERIOD_US = 97 };

static struct timeline *tl;
static struct timeline_event *event;

/* Each process has a writer for its thread and one for its handler. */
static struct writer (*writers)[2];
static struct writer *in_handler;

static void
handle(int signal_number)
{
	(void)signal_number;
	write_one(event, in_handler);
}

static void
start_storm(void)
{
	const struct itimerval period = { .it_interval.tv_usec = PERIOD_US,
		.it_value.tv_usec = PERIOD_US };
	const struct sigaction action = { .sa_handler = handle,
		.sa_flags = SA_RESTART };

	expect(sigaction(SIGALRM, &action, NULL) == 0, "sigaction: %m");
	expect(setitimer(ITIMER_REAL, &period, NULL) == 0, "setitimer: %m");
}

static void
stop_storm(void)
{
	const struct itimerval none = { 0 };

	setitimer(ITIMER_REAL, &none, NULL);
	signal(SIGALRM, SIG_IGN);
}

static void
write_in_storm(void *context)
{
	struct writer *w = context;
	const uint64_t end = now_ns() + storm_ns(1500);

	in_handler = w + 1;
	start_storm();
	while (now_ns() < end)
		for (int i = 0; i < 256; i++)
			write_one(event, w);
	stop_storm();
}

/* The other calls of the library must also bear the interruption. */
static void
define_in_storm(void *context)
{
	struct writer *w = context;
	const uint64_t end = now_ns() + storm_ns(1500);
	uint64_t number;

	in_handler = w + 1;
	start_storm();
	for (unsigned i = 0; now_ns() < end; i++) {
		struct timeline *other;
		char text[32];

		snprintf(text, sizeof(text), "text %u", i % 100);
		expect_ok(timeline_string(tl, text, &number));
		expect_ok(timeline_open(&other, test_name));
		timeline_close(other);
	}
	stop_storm();
}

int
main(void)
{
	const struct timeline_options options = { .entries = 4096 };
	pid_t pids[PROCESSES];
	uint64_t attempted = 0, handled = 0;
	struct check c;

	choose_test_name("signals");
	expect_ok(timeline_new(&tl, test_name, &options));
	event = define_writers(tl);
	writers = share(PROCESSES * sizeof(*writers));
	for (int i = 0; i < PROCESSES; i++) {
		writers[i][0].number = 2 * (uint64_t)i;
		writers[i][1].number = 2 * (uint64_t)i + 1;
		pids[i] =
		    spawn(i == PROCESSES - 1 ? define_in_storm : write_in_storm,
			writers[i]);
	}
	for (int i = 0; i < PROCESSES; i++) {
		expect_success(pids[i]);
		attempted += writers[i][0].sequence + writers[i][1].sequence;
		handled += writers[i][1].sequence;
	}
	c = check_timeline(test_name);
	printf("%lu appends, %lu of them in handlers, %lu dropped\n", attempted,
	    handled, sum_of_drops(tl));
	expect(handled > 0, "no signal came");
	expect(sum_of_heads(tl) == attempted, "%lu appended of %lu",
	    sum_of_heads(tl), attempted);
	expect_accounted(&c, tl);
	timeline_close(tl);
	return 0;
}
