/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.c - what recording the kernel's events of a thread costs that thread:
 * an event of its own, and a switch to another thread and back.  On and off by
 * turns, in every round; needs root.
 */
#include "kernel/kernel.h"
#include "bench.h"
#include "subject.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 61, EVENTS = 100000, SWITCHES = 2000 };

static const double APPEND_GOAL = 1.01; /* times the same, not recorded */

struct partner {
	int to[2];
	int from[2];
	pid_t tid; /* known from the first byte on */
};

static void *
answer(void *arg)
{
	struct partner *p = arg;
	char byte = 0;

	bench_pin(0);
	p->tid = gettid();
	if (write(p->from[1], &byte, 1) != 1)
		return NULL;
	while (
	    read(p->to[0], &byte, 1) == 1 && write(p->from[1], &byte, 1) == 1)
		;
	return NULL;
}

/* To the other thread and back. */
static void
there_and_back(void *arg, long n)
{
	struct partner *p = arg;
	char byte = 0;

	for (long i = 0; i < n; i++)
		if (write(p->to[1], &byte, 1) != 1 ||
		    read(p->from[0], &byte, 1) != 1)
			bench_die("pipe", -EIO);
}

/* A case while nothing is recorded, and while it is. */
static void
measure(const struct tl_kernel *kernel, const struct bench_case *what, long n,
    const char *recorded)
{
	static struct bench_figure figures[2];

	for (int on = 0; on < 2; on++)
		figures[on] = (struct bench_figure){ .name = what->name,
			.unit = "cycles",
			.count = ROUNDS };
	figures[1].name = recorded;
	figures[1].kind = what->kind;
	figures[1].goal = what->goal;
	what->body(what->arg, n / 10 + 1); /* warm up */
	for (int r = 0; r < ROUNDS; r++) {
		for (int i = 0; i < 2; i++) {
			const int on = i ^ (r & 1);

			if (tl_kernel_turn(kernel, on) != 0)
				bench_die("tracing_on", -EIO);
			figures[on].samples[r] = bench_cycles(what, n);
		}
	}
	bench_print(&figures[0], NULL, NULL);
	bench_print(&figures[1], &figures[0], NULL);
}

int
main(void)
{
	struct tl_kernel_plan plan = { .size = TL_KERNEL_SIZE_DEFAULT,
		.client = (uint32_t)gettid() };
	struct tl_fault fault = { 0 };
	struct partner partner = { .tid = 0 };
	struct tl_kernel kernel;
	struct subject subject;
	pthread_t thread;
	char byte;

	bench_begin("kernel: events of the thread's switches are recorded");
	bench_pin(0);
	snprintf(plan.name, sizeof(plan.name), "bench-%d", (int)getpid());
	if (tl_kernel_open(&kernel, &plan, &fault) != 0) {
		printf("# skipped: %s\n", fault.text);
		return 0;
	}
	subject_new(&subject, plan.name, NULL);
	if (pipe(partner.to) != 0 || pipe(partner.from) != 0 ||
	    pthread_create(&thread, NULL, answer, &partner) != 0 ||
	    read(partner.from[0], &byte, 1) != 1)
		bench_die("thread", -EAGAIN);
	if (tl_kernel_add_thread(&kernel, (uint32_t)gettid()) != 0 ||
	    tl_kernel_add_thread(&kernel, (uint32_t)partner.tid) != 0)
		bench_die("set_event_pid", -EIO);
	measure(&kernel,
	    &(struct bench_case){ "event, 4 arguments", subject_log4, &subject,
		BENCH_RATIO_AT_MOST, APPEND_GOAL },
	    EVENTS, "... recorded");
	measure(&kernel,
	    &(struct bench_case){ .name = "switch and back",
		.body = there_and_back,
		.arg = &partner },
	    SWITCHES, "... recorded");
	close(partner.to[1]);
	pthread_join(thread, NULL);
	tl_kernel_close(&kernel);
	subject_close(&subject);
	return 0;
}
