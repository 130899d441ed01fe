/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork_define.c - a signal handler interrupts a definition between any two
 * instructions and forks.  Parent and child both finish the definition, in
 * either order, and the message is defined once.  A second thread exists all
 * the time.
 *
 * FORK_STRIDE=1 forks at each instruction; with an odd stride parent and child
 * take turns at finishing first.  SAMPLE=0, 1 or 2 takes a third of the forks.
 */
#include "../lib/process.h"
#include "../lib/sample.h"

#include <pthread.h>
#include <ucontext.h>

enum { TRAP_FLAG = 1 << 8, PATIENCE_S = 100, STEPS_MAX = 100000, NEAR = 40 };

static struct timeline *tl;
static volatile unsigned traps, fork_at;
static volatile pid_t child;
static volatile bool is_child;
static volatile uint32_t *parent_is_done; /* shared */

/* The handler runs after each instruction until the one at which it forks. */
static void
trapped(int signal_number, siginfo_t *info, void *context)
{
	ucontext_t *const at = context;
	const int saved_errno = errno;

	(void)signal_number;
	(void)info;
	if (traps++ < fork_at)
		return;
	at->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
	child = fork();
	expect(child >= 0, "fork: %m");
	if (child == 0) {
		is_child = true;
		alarm(PATIENCE_S); /* ends a child that waits for a lost lock */
		while (fork_at % 2 && !*parent_is_done)
			sched_yield();
	} else if (fork_at % 2 == 0) {
		expect_success(child);
	}
	errno = saved_errno;
}

static void
start_stepping(void)
{
	__asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq" ::
			     : "memory", "cc");
}

static void
stop_stepping(void)
{
	__asm__ volatile("pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq" ::
			     : "memory", "cc");
}

static void
be_grandchild(void *unused)
{
	uint64_t number;

	(void)unused;
	alarm(PATIENCE_S);
	expect_ok(timeline_string(tl, "of a grandchild", &number));
}

/* With a second thread, fork() takes the locks of the C library. */
static void *
idle(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* Count the newest records that have this text. */
static unsigned
count_records(const char *text)
{
	uint64_t at = tl_strings_next(tl, 0);
	struct tl_record r;
	unsigned count = 0;

	for (int i = 0; at != 0 && i < NEAR; i++) {
		expect(tl_record_at(&r, tl->strings, tl->geometry.strings_size,
			   at, 0, NULL) == 0,
		    "no record at %lu", at);
		count += tl_bytes_equal(r.text, tl_bytes_of(text));
		at = r.fixed.link;
	}
	return count;
}

/* Returns false if the definition ended before so many steps. */
static bool
fork_after(unsigned steps)
{
	struct timeline_event *event, *again;
	char text[64];
	int rc;

	snprintf(text, sizeof(text), "forked after %u", steps);
	traps = 0;
	fork_at = steps;
	child = 0;
	*parent_is_done = 0;
	alarm(PATIENCE_S);
	start_stepping();
	rc = timeline_define(tl, "swept", "info", text, &event);
	stop_stepping();
	expect_ok(rc);
	expect_ok(timeline_define(tl, "swept", "info", text, &again));
	expect(event == again, "%s: defined twice in one process", text);
	timeline_log(event);
	if (is_child) {
		expect_success(spawn(be_grandchild, NULL));
		_exit(0);
	}
	*parent_is_done = 1;
	if (child > 0 && steps % 2)
		expect_success(child);
	expect(count_records(text) == 1, "%s: %u records", text,
	    count_records(text));
	return child > 0;
}

int
main(void)
{
	const struct timeline_options options = { .cpu_lanes = 1,
		.entries = 1 << 14,
		.stringtablesize = 4 << 20 };
	struct sigaction action = { .sa_flags = SA_SIGINFO };
	const char *text = getenv("FORK_STRIDE");
	const unsigned stride = text ? (unsigned)atoi(text) : 23;
	unsigned steps = sample_first(0) * stride;
	pthread_t thread;

	choose_test_name("forkdef");
	expect_ok(timeline_new(&tl, test_name, &options));
	parent_is_done = share(sizeof(*parent_is_done));
	action.sa_sigaction = trapped;
	expect(sigaction(SIGTRAP, &action, NULL) == 0, "sigaction: %m");
	expect(pthread_create(&thread, NULL, idle, NULL) == 0, "no thread");
	be_grandchild(NULL); /* defines its string now, so that the records
			      * that follow are the newest */
	while (steps < STEPS_MAX && fork_after(steps))
		steps += sample_step() * stride;
	printf("forked at one in %u of %u instructions\n",
	    sample_step() * stride, steps);
	expect(steps > 1000 && steps < STEPS_MAX, "no sweep");
	timeline_close(tl);
	return 0;
}
