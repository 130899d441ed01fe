/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind.c - a profiler interrupts a loop that logs: the stack can be walked
 * back to main from every instruction of the append, abort path included.
 */
#include "../lib/process.h"
#include "../lib/sample.h"

#include <execinfo.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <ucontext.h>

enum {
	PERIOD_US = 1000,
	FRAMES_MAX = 64,
	/* Samples wanted inside the append, and in asm/timer.S. */
	WANTED = 300,
	/* Covers timeline_log and timeline_append, and no code after them. */
	CODE_BYTES = 512
};

static struct timeline *tl;
static struct timeline_event *event, *timer;
static void *in_main; /* the return address of the loop */
static atomic_uint samples;
static atomic_uint inside[2]; /* samples of the append, and of asm/timer.S */
static atomic_uint lost;      /* samples whose walk did not reach main */

/* The two functions of asm/timer.S are adjacent, the shorter one last. */
static void
count_sample(uintptr_t pc)
{
	const uintptr_t at = (uintptr_t)timeline_append_at;
	const uintptr_t count = (uintptr_t)timeline_timer_append;

	inside[0] += pc - (uintptr_t)timeline_log < CODE_BYTES;
	inside[1] += pc - count < at - count + CODE_BYTES * 3 / 4;
	samples++;
}

static void
take_sample(int signal_number, siginfo_t *info, void *context)
{
	const ucontext_t *const at = context;
	void *frames[FRAMES_MAX];
	const int count = backtrace(frames, FRAMES_MAX);
	bool found = false;

	(void)signal_number;
	(void)info;
	for (int i = 0; i < count; i++)
		found |= frames[i] == in_main;
	count_sample((uintptr_t)at->uc_mcontext.gregs[REG_RIP]);
	lost += !found;
}

static void
sample_every(long us)
{
	const struct itimerval period = { .it_interval.tv_usec = us,
		.it_value.tv_usec = us };

	expect(setitimer(ITIMER_PROF, &period, NULL) == 0, "setitimer: %m");
}

/*
 * Log until enough samples hit the append and asm/timer.S.  The log of C has
 * its code in several places and only counts samples.  Without CPU lanes few of
 * these instructions run, so fewer samples suffice; with SAMPLE a third.
 */
__attribute__((noinline)) static void
log_until_sampled(void)
{
	const unsigned wanted =
	    (has_cpu_lanes(tl) ? WANTED : WANTED / 10) / sample_step();

	in_main = __builtin_return_address(0);
	sample_every(PERIOD_US);
#ifdef TL_LOG_C
	while (samples < wanted)
#else
	while (inside[0] < wanted)
#endif
		for (unsigned i = 0; i < 1000; i++)
			timeline_append(event, i, 2, 3, 4);
#ifdef TL_LOG_C
	while (samples < 2 * wanted)
#else
	while (inside[1] < wanted)
#endif
		for (unsigned i = 0; i < 1000; i++) {
			timeline_timer_append(timer, 1, i, 2, 3, 4);
			timeline_append_at(event, 1, i, 2, 3, 4);
		}
	sample_every(0);
}

int
main(void)
{
	const struct sigaction action = { .sa_sigaction = take_sample,
		.sa_flags = SA_RESTART | SA_SIGINFO };
	void *frame;

	choose_test_name("unwind");
	expect_ok(timeline_new(&tl, test_name, NULL));
	expect_ok(timeline_define(tl, "unwind", "info", "$a $b $c $d", &event));
	expect_ok(timeline_define_timer(tl, "unwind", "info", "timer", &timer));
	backtrace(&frame, 1); /* loads libraries, which a handler must not do */
	expect(sigaction(SIGPROF, &action, NULL) == 0, "sigaction: %m");
	log_until_sampled();
	printf("%u samples, %u inside the append, %u in timers\n", samples,
	    inside[0], inside[1]);
	expect(lost == 0, "main was not found in %u of %u samples", lost,
	    samples);
	timeline_close(tl);
	return 0;
}
