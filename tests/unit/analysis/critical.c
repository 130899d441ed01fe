/* SPDX-License-Identifier: Apache-2.0 */
/*
 * critical.c - critical paths of random task graphs whose longest path is
 * known, on one host and on several hosts whose clocks are wrong within a
 * bound.
 *
 * A thread works, sends, waits and receives.  The simulation knows the true
 * time of everything; the analysis sees only the events.
 */
#include "analysis/critical.h"
#include "event/sched.h"
#include "lib/random.h"
#include "lib/test.h"

#include <stdlib.h>
#include <string.h>

enum {
	THREADS_MAX = 8,
	HOSTS_MAX = 3,
	TASKS_MAX = 60,
	EVENTS_MAX = TASKS_MAX * 24,
	GRAPHS = 500,
	DEPENDENCIES = 3
};

static struct tl_message request, task, step, put_message, got_message, note;
static struct tl_pair_rule rule;

/* An event, and the truth about it. */
struct happened {
	struct tl_event event;
	int64_t true_ns;
	unsigned thread;
	int from;         /* for a receive, the index of its send; else -1 */
	int64_t ready_ns; /* when the thread began to wait */
};

static struct happened log_of[EVENTS_MAX];
static unsigned log_count;
static unsigned order[EVENTS_MAX];
static unsigned thread_count, host_count;
static int64_t offset_of[HOSTS_MAX], bound_us;
static int64_t now_of[THREADS_MAX];

static void
setup(void)
{
	static const char *const texts[] = { "request $id", "task $id",
		"step $n", "put $edge", "got $edge", "note $n" };
	struct tl_message *all[] = { &request, &task, &step, &put_message,
		&got_message, &note };
	struct tl_fault fault;

	for (size_t i = 0; i < 6; i++) {
		*all[i] =
		    (struct tl_message){ .kind =
					     i < 3 ? TIMELINE_RECORD_SPAN
						   : TIMELINE_RECORD_INSTANT };
		all[i]->category = tl_bytes_of("test");
		ck_assert_ok(tl_message_parse(all[i], tl_bytes_of(texts[i])));
	}
	ck_assert_ok(tl_pair_parse(&rule, "put $edge = got $edge", &fault));
}

static unsigned
host_of(unsigned thread)
{
	return thread % host_count;
}

/* A thread logs an event, which takes no time. */
static int
happen(unsigned thread, const struct tl_message *message, unsigned kind,
    uint64_t arg)
{
	struct happened *h = &log_of[log_count];

	ck_assert_uint_lt(log_count, EVENTS_MAX);
	*h = (struct happened){ .true_ns = now_of[thread],
		.thread = thread,
		.from = -1,
		.event = { .ns = now_of[thread] + offset_of[host_of(thread)],
		    .message = message,
		    .kind = (uint8_t)kind,
		    .args = { arg },
		    .pid = 100 + host_of(thread),
		    .tid = 1000 + thread,
		    .source = (uint16_t)host_of(thread),
		    .sync_us = host_count > 1 ? (uint32_t)bound_us : 0 } };
	now_of[thread]++;
	return (int)log_count++;
}

/* Work for a while, now and then within spans. */
static void
work(unsigned thread, uint64_t *random)
{
	const bool nested = random_next(random) % 3 == 0;

	if (nested)
		happen(thread, &step, TL_BEGIN, 1);
	now_of[thread] += 1000 + (int64_t)(random_next(random) % 20000);
	if (nested)
		happen(thread, &step, TL_END, 1);
	if (random_next(random) % 4 == 0)
		happen(thread, &note, TL_INSTANT, 2);
}

static void
receive(unsigned thread, int send, uint64_t edge, uint64_t *random)
{
	const int64_t ready = now_of[thread] - 1; /* the event before */
	const int64_t arrives =
	    log_of[send].true_ns + 5 + (int64_t)(random_next(random) % 40);
	int receive_event;

	if (arrives > now_of[thread])
		now_of[thread] = arrives;
	/* taking the message out takes a while */
	if (random_next(random) % 4 == 0)
		now_of[thread] += (int64_t)(random_next(random) % 3000);
	receive_event = happen(thread, &got_message, TL_INSTANT, edge);
	log_of[receive_event].from = send;
	log_of[receive_event].ready_ns = ready;
}

static int
compare_order(const void *left, const void *right)
{
	const struct tl_event *a = &log_of[*(const unsigned *)left].event;
	const struct tl_event *b = &log_of[*(const unsigned *)right].event;

	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	return *(const unsigned *)left < *(const unsigned *)right ? -1 : 1;
}

/* Make a request on thread 0 that waits for all tasks. */
static void
make_graph(uint64_t *random, unsigned hosts)
{
	const unsigned tasks = 5 + (unsigned)(random_next(random) % 50);
	static int ends[TASKS_MAX][TASKS_MAX]; /* sends to later tasks */
	unsigned thread_of[TASKS_MAX + 1];
	static bool needs[TASKS_MAX + 1][TASKS_MAX];

	memset(needs, 0, sizeof(needs));
	log_count = 0;
	thread_count = 2 + (unsigned)(random_next(random) % (THREADS_MAX - 1));
	host_count = hosts;
	bound_us = 1 + (int64_t)(random_next(random) % 4);
	for (unsigned i = 0; i < HOSTS_MAX; i++)
		offset_of[i] = hosts == 1
				   ? 0
				   : (int64_t)(random_next(random) %
					       (uint64_t)(2000 * bound_us)) -
					 1000 * bound_us;
	for (unsigned i = 0; i < THREADS_MAX; i++)
		now_of[i] = 1000000 + (int64_t)i;
	for (unsigned i = 0; i < tasks; i++) {
		thread_of[i] = (unsigned)(random_next(random) % thread_count);
		for (unsigned k = 0; i > 0 && k < DEPENDENCIES; k++)
			needs[i][random_next(random) % i] =
			    random_next(random) % 2;
		needs[tasks][i] = true;
	}
	thread_of[tasks] = 0;
	happen(0, &request, TL_BEGIN, 7);
	for (unsigned i = 0; i <= tasks; i++) {
		const unsigned thread = thread_of[i];

		if (i < tasks)
			happen(thread, &task, TL_BEGIN, i);
		for (unsigned k = 0; k < i; k++) {
			if (needs[i][k] && thread_of[k] != thread)
				receive(thread, ends[k][i == tasks ? k : i],
				    i * 1000 + k, random);
		}
		if (i == tasks)
			break;
		work(thread, random);
		for (unsigned k = i + 1; k <= tasks; k++) {
			if (!needs[k][i] || thread_of[k] == thread)
				continue;
			ends[i][k == tasks ? i : k] = happen(thread,
			    &put_message, TL_INSTANT, k * 1000 + i);
			now_of[thread] += 10;
		}
		happen(thread, &task, TL_END, i);
	}
	happen(0, &request, TL_END, 7);
	for (unsigned i = 0; i < log_count; i++)
		order[i] = i;
	qsort(order, log_count, sizeof(order[0]), compare_order);
}

/* The pieces of the true path, newest first. */
struct piece {
	unsigned thread; /* for an edge, the sender */
	bool edge;
	int64_t from_ns;
	int64_t to_ns;
};

static struct piece truth[EVENTS_MAX];
static unsigned truth_count;

static bool
was_waited(const struct happened *h)
{
	return h->from >= 0 && log_of[h->from].true_ns > h->ready_ns;
}

static void
find_truth(void)
{
	const int64_t begin = log_of[0].true_ns;
	unsigned thread = 0;
	int64_t at = log_of[log_count - 1].true_ns;

	truth_count = 0;
	for (unsigned i = log_count; i-- > 0 && at > begin;) {
		/*
		 * The last receive that this thread waited for.  The events of
		 * a thread follow each other in the log.
		 */
		unsigned best = EVENTS_MAX;

		for (unsigned k = 0; k < log_count; k++) {
			const struct happened *h = &log_of[k];

			if (h->thread == thread && h->true_ns <= at &&
			    was_waited(h) &&
			    (best == EVENTS_MAX ||
				h->true_ns > log_of[best].true_ns))
				best = k;
		}
		if (best == EVENTS_MAX || log_of[best].true_ns <= begin)
			break;
		truth[truth_count++] =
		    (struct piece){ thread, false, log_of[best].true_ns, at };
		at = log_of[log_of[best].from].true_ns;
		thread = log_of[log_of[best].from].thread;
		truth[truth_count++] =
		    (struct piece){ thread, true, at, log_of[best].true_ns };
	}
	truth[truth_count++] = (struct piece){ thread, false, begin, at };
}

/* How much of the steps lies where the true path has it, in true time. */
static int64_t
right_ns(const struct tl_critical_result *r)
{
	int64_t sum = 0;

	for (size_t i = 0; i < r->step_count; i++) {
		const struct tl_critical_step *s = &r->steps[i];
		const unsigned thread = s->thread.tid - 1000;
		const int64_t by = offset_of[host_of(thread)];

		for (unsigned k = 0; k < truth_count; k++) {
			const struct piece *p = &truth[k];
			const int64_t from = s->from_ns - by > p->from_ns
						 ? s->from_ns - by
						 : p->from_ns;
			const int64_t to =
			    s->to_ns - by < p->to_ns ? s->to_ns - by : p->to_ns;

			if (p->thread == thread && from < to &&
			    p->edge == (s->kind == TL_CRITICAL_PAIR))
				sum += to - from;
		}
	}
	return sum;
}

/* Check that a certain edge was waited for in truth. */
static void
check_certain(const struct tl_critical_result *r, unsigned *certain,
    unsigned *uncertain)
{
	for (size_t i = 0; i < r->step_count; i++) {
		const struct tl_critical_step *s = &r->steps[i];
		bool found = false;

		if (s->kind != TL_CRITICAL_PAIR)
			continue;
		*(s->certain ? certain : uncertain) += 1;
		for (unsigned k = 0; k < log_count; k++) {
			const struct happened *h = &log_of[k];

			found |= h->event.ns == s->to_ns && was_waited(h) &&
				 log_of[h->from].thread == s->thread.tid - 1000;
		}
		ck_assert_msg(found || !s->certain,
		    "an edge that was not waited for is called certain");
	}
}

static void
analyse(void (*check)(const struct tl_critical_result *r))
{
	static const unsigned clocks[HOSTS_MAX] = { 0, 1, 2 };
	const struct tl_critical_options options = { .glob = "request*",
		.value = "7",
		.rules = &rule,
		.rule_count = 1,
		.clocks = clocks };
	const struct tl_critical_result *results;
	struct tl_critical *c;
	size_t count;

	ck_assert_ok(tl_critical_new(&c, &options));
	for (unsigned i = 0; i < log_count; i++)
		ck_assert_ok(tl_critical_put(c, &log_of[order[i]].event));
	ck_assert_ok(tl_critical_finish(c, &results, &count));
	ck_assert_uint_eq(count, 1);
	check(results);
	tl_critical_free(c);
}

static int64_t all_ns, all_right_ns;
static unsigned all_certain, all_uncertain, worse;

static void
check_graph(const struct tl_critical_result *r)
{
	const int64_t took = r->end_ns - r->begin_ns;
	int64_t sum = 0, right;

	ck_assert_uint_eq(r->spans, 1);
	ck_assert_int_eq(r->total_ns, took);
	for (size_t i = 0; i < r->part_count; i++)
		sum += r->parts[i].ns;
	ck_assert_int_eq(sum, took);
	for (size_t i = 0; i < r->step_count; i++) {
		if (i > 0 && host_count == 1)
			ck_assert_int_eq(r->steps[i].from_ns,
			    r->steps[i - 1].to_ns);
	}
	find_truth();
	right = right_ns(r);
	all_ns += took;
	all_right_ns += right;
	worse += right < took - took / 100;
	check_certain(r, &all_certain, &all_uncertain);
}

TEST_FILE(.setup = setup, .timeout = 120);

TEST(the_longest_path_of_random_graphs_is_found)
{
	uint64_t random = 1;

	for (unsigned i = 0; i < GRAPHS; i++) {
		make_graph(&random, 1);
		analyse(check_graph);
	}
	ck_assert_msg(all_right_ns >= all_ns - all_ns / 100,
	    "%lld of %lld ns are right", (long long)all_right_ns,
	    (long long)all_ns);
	ck_assert_uint_le(worse, GRAPHS / 100);
	ck_assert_uint_gt(all_certain, GRAPHS);
	ck_assert_uint_eq(all_uncertain, 0);
}

TEST(no_uncertain_edge_between_hosts_is_called_certain)
{
	uint64_t random = 2;

	for (unsigned i = 0; i < GRAPHS; i++) {
		make_graph(&random, 2 + i % 2);
		analyse(check_graph);
	}
	ck_assert_uint_gt(all_certain, 0);
	ck_assert_uint_gt(all_uncertain, 0);
	/* clocks that are wrong by up to 4 us reverse some edges */
	ck_assert_msg(all_right_ns >= all_ns - all_ns / 10,
	    "%lld of %lld ns are right", (long long)all_right_ns,
	    (long long)all_ns);
}

/* == cases by hand == */

static void
log_at(unsigned thread, int64_t ns, const struct tl_message *message,
    unsigned kind, uint64_t arg)
{
	host_count = 1;
	now_of[thread] = ns;
	offset_of[0] = 0;
	order[log_count] = log_count;
	happen(thread, message, kind, arg);
}

/* The time of a part, summed over all spans; -1: there is no such part. */
static int64_t
part_ns(const struct tl_critical_result *r, enum tl_critical_kind kind,
    const struct tl_message *message)
{
	for (size_t i = 0; i < r->part_count; i++) {
		if (r->parts[i].kind == kind && r->parts[i].message == message)
			return r->parts[i].ns;
	}
	return -1;
}

static void
check_lock(const struct tl_critical_result *r)
{
	ck_assert_int_eq(r->total_ns, 1000);
	ck_assert_int_eq(part_ns(r, TL_CRITICAL_WORK, &request), 300);
	ck_assert_int_eq(part_ns(r, TL_CRITICAL_WORK, &step), 670);
	ck_assert_int_eq(part_ns(r, TL_CRITICAL_PAIR, NULL), 30);
	ck_assert_int_eq(part_ns(r, TL_CRITICAL_WORK, NULL), -1);
	ck_assert_uint_eq(r->step_count, 3);
	ck_assert_uint_eq(r->steps[0].thread.tid, 1001);
	ck_assert(r->steps[1].certain);
}

/* Thread 1 holds lock 5 and passes it on; the lock was passed before, too. */
TEST(a_value_that_repeats_is_that_of_its_last_send)
{
	log_count = 0;
	log_at(1, 1000, &put_message, TL_INSTANT, 5);
	log_at(2, 1010, &got_message, TL_INSTANT, 5);
	log_at(2, 1500, &put_message, TL_INSTANT, 5);
	log_at(1, 1510, &got_message, TL_INSTANT, 5);
	log_at(1, 1900, &step, TL_BEGIN, 1);
	log_at(0, 2000, &request, TL_BEGIN, 7);
	log_at(0, 2099, &note, TL_INSTANT, 0);
	log_at(1, 2670, &put_message, TL_INSTANT, 5);
	log_at(0, 2700, &got_message, TL_INSTANT, 5);
	log_at(1, 2800, &step, TL_END, 1);
	log_at(0, 3000, &request, TL_END, 7);
	analyse(check_lock);
}

static bool lost_between;

static void
check_uncertain(const struct tl_critical_result *r)
{
	ck_assert_int_eq(r->uncertain_ns > 0, lost_between);
	ck_assert_uint_eq(r->step_count, 3);
	ck_assert_int_eq(r->steps[1].certain, !lost_between);
}

TEST(a_loss_makes_an_edge_uncertain)
{
	for (int lost = 0; lost < 2; lost++) {
		lost_between = lost;
		log_count = 0;
		log_at(0, 2000, &request, TL_BEGIN, 7);
		log_at(1, 2500, &put_message, TL_INSTANT, 5);
		if (lost) {
			log_at(1, 2600, NULL, TL_LOST, 0);
			log_of[log_count - 1].event.lost = 3;
		}
		log_at(0, 2700, &got_message, TL_INSTANT, 5);
		log_at(0, 3000, &request, TL_END, 7);
		analyse(check_uncertain);
	}
}

static void
check_sum(const struct tl_critical_result *r)
{
	int64_t sum = 0;

	for (size_t i = 0; i < r->part_count; i++)
		sum += r->parts[i].ns;
	ck_assert_int_eq(sum, r->total_ns);
}

/* Whatever events a file has, the parts of spans add up to the spans. */
TEST(parts_add_up_for_random_events)
{
	const struct tl_message *const messages[] = { &request, &task, &step,
		&put_message, &got_message, &note };
	uint64_t random = 3;

	for (unsigned round = 0; round < 300; round++) {
		int64_t ns = 1000;

		log_count = 0;
		for (unsigned i = 0; i < 200; i++) {
			const unsigned which =
			    (unsigned)(random_next(&random) % 6);
			const unsigned kind =
			    which < 3
				? random_next(&random) % 2 ? TL_BEGIN : TL_END
				: TL_INSTANT;

			ns += (int64_t)(random_next(&random) % 100) -
			      (round % 3 == 0 ? 10 : 0);
			log_at((unsigned)(random_next(&random) % 4), ns,
			    messages[which], kind,
			    which == 0 ? 7 : random_next(&random) % 5);
		}
		log_at(0, ns + 100, &request, TL_BEGIN, 7);
		log_at(0, ns + 200, &request, TL_END, 7);
		analyse(check_sum);
	}
}

TEST(a_span_without_a_length_has_no_parts)
{
	log_count = 0;
	log_at(0, 2000, &request, TL_BEGIN, 7);
	log_at(0, 2000, &request, TL_END, 7);
	analyse(check_sum);
}

/* == the kernel == */

static struct tl_message out_message, in_message, woken_message, fault_message;

static struct tl_bytes
sched_text(const struct tl_strings *strings, uint64_t n)
{
	static const char *const texts[] = { "", "S", "R+", "D", "task",
		"interrupt" };

	(void)strings;
	return n < 6 ? tl_bytes_of(texts[n]) : tl_bytes(NULL, 0);
}

enum { SLEEPING = 1, PREEMPTED, DISK, BY_TASK, BY_INTERRUPT };

static void
setup_sched(void)
{
	static const struct tl_strings strings = { sched_text };
	static const char *const texts[] = { TL_SCHED_OUT, TL_SCHED_IN,
		TL_SCHED_WOKEN, TL_SCHED_FAULT };
	struct tl_message *all[] = { &out_message, &in_message, &woken_message,
		&fault_message };

	for (size_t i = 0; i < 4; i++) {
		*all[i] = (struct tl_message){ .strings = &strings,
			.kind = TIMELINE_RECORD_INSTANT };
		all[i]->category = tl_bytes_of(TL_SCHED_CATEGORY);
		ck_assert_ok(tl_message_parse(all[i], tl_bytes_of(texts[i])));
	}
}

/*
 * Thread 0 is off the CPU from 2100 to 2650, in a request from 2000 to 3000.
 * context 0: no waking is logged.
 */
static void
log_sleep(unsigned state, unsigned context)
{
	log_count = 0;
	log_at(1, 1900, &step, TL_BEGIN, 1);
	log_at(0, 2000, &request, TL_BEGIN, 7);
	log_at(0, 2100, &out_message, TL_INSTANT, state);
	if (context != 0) {
		log_at(0, 2600, &woken_message, TL_INSTANT, 1001);
		log_of[log_count - 1].event.args[2] = context;
	}
	log_at(0, 2650, &in_message, TL_INSTANT, 0);
	log_at(0, 3000, &request, TL_END, 7);
}

static enum tl_critical_kind slept;
static int64_t slept_ns, ready_ns;

static void
check_sleep(const struct tl_critical_result *r)
{
	ck_assert_int_eq(part_ns(r, slept, NULL), slept_ns);
	ck_assert_int_eq(part_ns(r, TL_CRITICAL_RUNNABLE, NULL), ready_ns);
	check_sum(r);
}

static void
expect_sleep(enum tl_critical_kind kind, int64_t ns, int64_t ready)
{
	slept = kind;
	slept_ns = ns;
	ready_ns = ready;
	analyse(check_sleep);
}

static void
check_waker(const struct tl_critical_result *r)
{
	ck_assert_int_eq(part_ns(r, TL_CRITICAL_WORK, &step), 600);
	ck_assert_int_eq(part_ns(r, TL_CRITICAL_WORK, &request), 350);
	ck_assert_int_eq(part_ns(r, TL_CRITICAL_RUNNABLE, NULL), 50);
	ck_assert_int_eq(part_ns(r, TL_CRITICAL_TASK, NULL), -1);
}

TEST(waits_in_the_kernel_are_known_by_their_end)
{
	setup_sched();
	log_sleep(SLEEPING, BY_TASK);
	analyse(check_waker);
	log_sleep(SLEEPING, BY_INTERRUPT);
	expect_sleep(TL_CRITICAL_TIMER, 500, 50);
	log_sleep(DISK, BY_INTERRUPT);
	expect_sleep(TL_CRITICAL_IO, 500, 50);
	log_sleep(PREEMPTED, 0);
	expect_sleep(TL_CRITICAL_RUNNABLE, 550, 550);
	log_sleep(SLEEPING, 0);
	expect_sleep(TL_CRITICAL_UNKNOWN, 550, -1);
	log_sleep(SLEEPING, BY_TASK);
	log_of[3].event.args[0] = 4711; /* the waker logs nothing */
	expect_sleep(TL_CRITICAL_TASK, 500, 50);
}

/* Thread 0 is woken at 2600, no switch to it follows, and it acts at 2800. */
static void
log_wake_alone(const struct tl_message *act, unsigned kind)
{
	log_sleep(SLEEPING, BY_INTERRUPT);
	log_count -= 2;
	log_at(0, 2800, act, kind, SLEEPING);
	log_at(0, 3000, &request, TL_END, 7);
}

static void
check_act(const struct tl_critical_result *r)
{
	ck_assert_int_eq(part_ns(r, TL_CRITICAL_TIMER, NULL), 500);
	ck_assert_int_eq(part_ns(r, TL_CRITICAL_UNKNOWN, NULL), 200);
	ck_assert_int_eq(part_ns(r, TL_CRITICAL_RUNNABLE, NULL), -1);
	check_sum(r);
}

/* Thread 1 acts: it wakes thread 0, which waits for it. */
static void
check_wake(const struct tl_critical_result *r)
{
	ck_assert_int_eq(part_ns(r, TL_CRITICAL_TIMER, NULL), 300);
	ck_assert_int_eq(part_ns(r, TL_CRITICAL_UNKNOWN, NULL), 100);
	ck_assert_int_eq(part_ns(r, TL_CRITICAL_RUNNABLE, NULL), 50);
	check_sum(r);
}

TEST(a_thread_that_acts_runs)
{
	setup_sched();
	log_wake_alone(&note, TL_INSTANT);
	analyse(check_act);
	log_wake_alone(&fault_message, TL_INSTANT);
	analyse(check_act);

	log_count = 0;
	log_at(0, 2000, &request, TL_BEGIN, 7);
	log_at(0, 2100, &out_message, TL_INSTANT, SLEEPING);
	log_at(1, 2200, &out_message, TL_INSTANT, SLEEPING);
	log_at(1, 2500, &woken_message, TL_INSTANT, 0);
	log_of[log_count - 1].event.args[2] = BY_INTERRUPT;
	log_at(0, 2600, &woken_message, TL_INSTANT, 1001);
	log_of[log_count - 1].event.args[2] = BY_TASK;
	log_at(0, 2650, &in_message, TL_INSTANT, 0);
	log_at(0, 3000, &request, TL_END, 7);
	analyse(check_wake);
}

/* A switch out shows that the thread ran; the span ends in another sleep. */
TEST(a_thread_that_leaves_the_cpu_ran)
{
	setup_sched();
	log_wake_alone(&out_message, TL_INSTANT);
	log_count--;
	log_at(0, 2850, &woken_message, TL_INSTANT, 0);
	log_of[log_count - 1].event.args[2] = BY_INTERRUPT;
	log_at(0, 2860, &in_message, TL_INSTANT, 0);
	log_at(0, 3000, &request, TL_END, 7);
	slept = TL_CRITICAL_TIMER;
	slept_ns = 550;
	ready_ns = 10;
	analyse(check_sleep);
	slept = TL_CRITICAL_UNKNOWN;
	slept_ns = 200;
	analyse(check_sleep);
}
