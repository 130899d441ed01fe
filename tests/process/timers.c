/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timers.c - kill -9 between any two instructions of the end of a timed span,
 * and at any time among many spans: count, sum and buckets are those of the
 * spans that were ended.
 *
 * A lane in which only the slow spans are entries reaches further back than a
 * lane with the begins and ends of all spans.
 *
 * TIMER_SPANS=1000000000 ends so many spans among kills; the default is
 * 2,000,000.  SAMPLE=0, 1 or 2 kills between a third of the instructions.
 */
#include "../lib/random.h"
#include "../lib/sample.h"
#include "../lib/trace.h"
#include "../lib/writers.h"

#include "snap/timers.h"

#include <stdlib.h>

enum { STEPS_MAX = 2000, WRITERS = 4, BEFORE = 20 };

static struct timeline *tl;
static struct timeline_event *timer;
static uint64_t *done; /* spans that each writer has ended */
static uint64_t wanted;
static struct tl_timer sums;

static void
open_timeline(void)
{
	const struct timeline_options options = { .entries = 64 };

	timeline_close(tl);
	timeline_remove(test_name);
	expect_ok(timeline_new(&tl, test_name, &options));
	expect_ok(
	    timeline_define_timer(tl, "timers", "info", "span $a", &timer));
}

static void
end_span(void)
{
	timeline_timer_append(timer, timeline_stamp(timer) - 1000, 1, 2, 3, 4);
}

/* Check that so many spans were counted, each of them in a bucket. */
static void
expect_spans(uint64_t least, uint64_t most, const char *when, unsigned n)
{
	uint64_t in_flight = 0;
	uint64_t buckets = 0;
	uint64_t counts = 0;

	expect(tl_timer_read(&sums, tl->fd, &tl->geometry, 0) == 1, "read");
	for (uint32_t i = 0; i < TIMELINE_BUCKETS; i++)
		buckets += sums.values[i];
	for (uint32_t row = 0; row < tl->geometry.timer_rows; row++) {
		const struct timeline_histogram *h =
		    (const void *)(tl->map +
				   timeline_histogram_offset(&tl->geometry, 0,
				       row));

		counts += h->count;
	}
	/* Without rseq a kill may come between a bucket, the sum and the count;
	 * readers add up buckets. */
	if (!has_cpu_lanes(tl)) {
		in_flight = most - least + 1;
		if (buckets > counts && buckets - counts <= in_flight)
			counts = buckets;
	}
	expect(buckets == counts, "%s %u: %lu in buckets, %lu counted", when, n,
	    buckets, counts);
	expect(counts >= least && counts <= most,
	    "%s %u: %lu counted, %lu to %lu ended", when, n, counts, least,
	    most);
	expect(sums.sum + in_flight * 1000 >= counts * 1000,
	    "%s %u: the sum is too small", when, n);
}

static void
be_victim(void *unused)
{
	(void)unused;
	pin(0, nth_cpu(0));
	tl_ids_fill(tl->ids);
	be_traced();
	end_span();
}

/*
 * Kill a victim after so many instructions.  Returns false if the call ended
 * before.
 */
static bool
kill_after(unsigned steps)
{
	struct traced victim = { .pid = spawn(be_victim, NULL),
		.rseq = has_cpu_lanes(tl) ? tl_rseq_offset(tl) : 0 };
	bool running = true;

	go_to(&victim, (void (*)(void))timeline_timer_append);
	for (unsigned i = 0; running && i < steps; i++) {
		running = step(&victim);
		leave_sequence(&victim);
	}
	kill_traced(&victim);
	return running;
}

/* kept: the end of the span also logs an entry. */
static void
sweep(bool kept)
{
	bool running = true;
	unsigned steps = sample_first(kept);
	unsigned places = 0;
	unsigned counted = 0;

	for (; running && steps < STEPS_MAX; steps += sample_step()) {
		places++;
		open_timeline();
		expect_ok(timeline_slower(tl, "*", "*", kept ? 0 : UINT64_MAX));
		for (int i = 0; i < BEFORE; i++)
			end_span();
		running = kill_after(steps);
		expect_spans(BEFORE, BEFORE + 1, "killed after", steps);
		counted += sums.count > BEFORE;
		for (int i = 0; i < BEFORE; i++)
			end_span();
		expect_spans(2 * BEFORE + (counted > 0),
		    2 * BEFORE + (counted > 0), "and then", steps);
	}
	printf("killed at %u places, counted after %u of them\n", places,
	    counted);
	expect(!running && counted > 0 && counted < places,
	    "the sweep missed the commit");
}

static void
be_writer(void *context)
{
	uint64_t *mine = context;

	while (*mine < wanted) {
		end_span();
		/*
		 * one store; a kill before it leaves a span that may have been
		 * counted
		 */
		__atomic_store_n(mine, *mine + 1, __ATOMIC_RELAXED);
	}
}

static void
hammer(void)
{
	pid_t pids[WRITERS];
	uint64_t seed = 1;
	unsigned kills = 0;
	uint64_t sum = 0;

	open_timeline();
	expect_ok(timeline_slower(tl, "*", "*", UINT64_MAX));
	for (int i = 0; i < WRITERS; i++)
		pids[i] = spawn(be_writer, &done[i]);
	for (; kills < 50; kills++) {
		const int i = (int)random_below(&seed, WRITERS);

		sleep_ns(random_below(&seed, wanted * WRITERS));
		kill(pids[i], SIGKILL);
		wait_for(pids[i]);
		pids[i] = spawn(be_writer, &done[i]);
	}
	for (int i = 0; i < WRITERS; i++) {
		wait_for(pids[i]);
		sum += done[i];
	}
	/* a killed writer may have counted a span without adding it to done */
	expect_spans(sum, sum + kills, "hammer", kills);
	printf("%lu spans, %u writers killed, %lu counted\n", sum, kills,
	    sums.count);
}

enum { REQUESTS = 12000, SLOW_EACH = 100, SLOW_NS = 1000000 };

/*
 * Serve REQUESTS requests, of which one in SLOW_EACH is slow.  Returns how many
 * took SLOW_NS, because a preemption of this thread makes further ones slow.
 */
static unsigned
serve(struct timeline_event *span)
{
	unsigned slow = 0;

	for (uint64_t i = 0; i < REQUESTS; i++) {
		const uint64_t start = now_ns();
		const uint64_t begin = timeline_timer_begin(timer);

		if (span)
			timeline_append(span, i, 0, 0, 0);
		while (i % SLOW_EACH == 0 && now_ns() - start <= SLOW_NS)
			;
		if (span)
			timeline_append(span + 1, i, 0, 0, 0);
		else
			timeline_timer_append(timer, begin, i, 0, 0, 0);
		slow += now_ns() - start >= SLOW_NS;
	}
	return slow;
}

/*
 * How many requests ago the oldest request was served that still has an entry.
 */
static uint64_t
requests_kept(void)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < timeline_lane_count(&tl->geometry); i++) {
		const uint64_t n = timeline_lane_entries(&tl->geometry, i);
		const uint64_t head = head_of(tl, i)->head;
		const struct timeline_entry *oldest =
		    (const void *)(tl->map +
				   timeline_entry_offset(&tl->geometry, i,
				       head < n ? 0 : head - n));

		if (head >= n && REQUESTS - oldest->args[0] > most)
			most = REQUESTS - oldest->args[0];
	}
	return most;
}

static void
history(void)
{
	struct timeline_event *span;
	uint64_t with_spans, with_timer;
	unsigned slow;

	pin(0, nth_cpu(0));
	open_timeline();
	expect_ok(timeline_define_span(tl, "timers", "info", "request $n",
	    TIMELINE_THREAD, &span));
	(void)serve(span);
	with_spans = requests_kept();
	open_timeline();
	expect_ok(timeline_slower(tl, "*", "*", SLOW_NS));
	slow = serve(NULL);
	with_timer = requests_kept();
	printf("one lane has the last %lu requests, of which %.1f %% are slow; "
	       "with begins and ends %lu\n",
	    with_timer, 100.0 * slow / REQUESTS, with_spans);
	expect(with_spans > 0 && with_timer > 0, "no lane is full");
	/* a busy machine makes more requests slow */
	expect(with_timer * slow * SLOW_EACH >=
		   90 * with_spans * (uint64_t)REQUESTS,
	    "history is only %lu times as long", with_timer / with_spans);
}

int
main(void)
{
	const char *spans = getenv("TIMER_SPANS");

	choose_test_name("timers");
	wanted = (spans ? strtoull(spans, NULL, 10) : 2000000) / WRITERS;
	done = share(WRITERS * sizeof(*done));
	hammer();
	history();
	if (may_trace() && !append_is_inlined()) {
		pin(0, nth_cpu(0));
		sweep(false);
		sweep(true);
	}
	timeline_close(tl);
	return 0;
}
