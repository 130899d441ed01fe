/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash.c - a process is killed in the middle of its work; what it logged is
 * still there, to the last event, and nobody had to write it anywhere.
 *
 *	cc crash.c $(pkg-config --cflags --libs timeline) -o crash
 *	./crash
 */
#include "example.h"

#include <signal.h>
#include <sys/mman.h>

enum { STEPS_MIN = 1000 };

static const char default_name[] = "/timeline-example-crash";

/* Logs and counts until it is killed. */
static void
run_victim(volatile uint64_t *steps)
{
	struct timeline *tl = example_new(default_name);
	struct timeline_event *step;

	example_must(
	    timeline_define(tl, "victim", "info", "step $number", &step));
	for (uint64_t n = 1;; n++) {
		example_work(10000);
		timeline_log(step, n);
		*steps = n;
	}
}

/* Wait for enough steps, then kill.  Did it take them all? */
static int
kill_amid(pid_t victim, const volatile uint64_t *steps)
{
	int status;

	while (*steps < STEPS_MIN) {
		if (waitpid(victim, &status, WNOHANG) != 0)
			return 0; /* it ended by itself */
		usleep(100);
	}
	kill(victim, SIGKILL);
	waitpid(victim, &status, 0);
	return WIFSIGNALED(status);
}

int
main(void)
{
	volatile uint64_t *steps = mmap(NULL, sizeof(*steps),
	    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t victim;

	if (steps == MAP_FAILED || (victim = fork()) < 0)
		return 1;
	if (victim == 0)
		run_victim(steps);
	if (!kill_amid(victim, steps))
		return 1;
	printf("process %d was killed after step %llu; what is left of it:\n",
	    (int)victim, (unsigned long long)*steps);
	example_show(default_name, "victim", "3");
	return 0;
}
