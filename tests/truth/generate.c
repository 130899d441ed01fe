/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate.c - a workload that records the truth about itself.
 *
 *	generate CASE SEED RECORD TIMELINECTL [LEAVE] >TRUTH
 *
 * Threads and processes log spans into a timeline while the levels change,
 * processes are killed, rings are overwritten, and so on, as CASE allows and
 * SEED chooses.  The record is saved as RECORD at the end, and as RECORD.1,
 * RECORD.2 ... by "timelinectl save" while the workload runs.  A seed repeats
 * the choices, but not the interleaving.  LEAVE is a program that follows the
 * timeline into the folder RECORD.away meanwhile (leave).
 *
 * Standard output is the truth, a line for each fact.  Times are stamps of the
 * clock of the timeline, in pairs before and after the call; 0: the call was
 * not reached.
 *
 *	case NAME SEED
 *	clock STAMP NS STAMP NS		MONOTONIC_RAW, at start and end
 *	message LEVEL KIND TEXT		KIND: thread, source, timer, instant
 *	thread PID TID NAME
 *	logged COUNT TEXT		calls, of messages without spans
 *	stray COUNT TEXT		ends of spans of another process
 *	span TEXT ID BEGIN-PID BEGIN-TID STAMP STAMP END-PID END-TID STAMP STAMP
 *		plain|proven BEGUN	the end proves the span if BEGUN is not 0,
 *					otherwise it is not logged
 *	change STAMP STAMP WHAT ...
 *	record STAMP STAMP FILE
 *	away HOW STAMP STAMP FOLDER	followed all that time
 *
 * TEXT is the first word of a message: job for "job $id".  Each span has its
 * own id.  The truth about pairs is the contract of timeline.h: last in, first
 * out, for each message and thread, or source.
 */
#include "../lib/process.h"
#include "../lib/random.h"

#include <pthread.h>
#include <sys/syscall.h>

enum {
	SPANS_MAX = 24000, /* so few that no lane of ENTRIES is overwritten */
	THREADS_MAX = 1024,
	CHANGES_MAX = 1 << 14,
	SLOTS_MAX = 3, /* processes at once */
	CREW_MAX = 3,  /* threads of a process */
	DEPTH_MAX = 5,
	KILLS_MAX = 40,
	SHARED_MAX = 4, /* spans of the source at once */
	RUN_MS = 120,
	LONG_NS = 5000000,
	ENTRIES = 1 << 18,
	BASE_LEVEL = 6
};

enum {
	BURSTS = 1 << 0,
	SAMPLES = 1 << 1,
	PLAN = 1 << 2, /* slots */
	PRIORITY = 1 << 3,
	LEVELS = 1 << 4, /* of single messages */
	CLEAR = 1 << 5,
	SLOWER = 1 << 6,
	SAVE = 1 << 7,
	KILL = 1 << 8,
	CHANGES = BURSTS | SAMPLES | PLAN | PRIORITY | LEVELS | CLEAR | SLOWER |
		  SAVE | KILL,
	MIGRATE = 1 << 9,
	NOISE = 1 << 10,  /* lanes with unequal load */
	SMALL = 1 << 11,  /* rings that are overwritten */
	SHARED = 1 << 12, /* spans of a source */
	TIMERS = 1 << 13,
	FORK = 1 << 14,
	NEXT = 1 << 15,
	FALLBACK = 1 << 16, /* no lane of a CPU */
	QUIET = 1 << 17,    /* the base level closes some messages */
	SEVERAL = 1 << 18,  /* processes */
	PROVEN = 1 << 19,   /* two of three ends prove their spans */
	LONG = 1 << 20,     /* some spans take 5 ms */
	OFF = 1 << 21       /* a priority may be off */
};

static const struct truth_case {
	const char *name;
	unsigned does;  /* always */
	unsigned maybe; /* each with a probability of one half */
} cases[] = {
	{ "plain", 0, NEXT | SEVERAL },
	{ "bursts", BURSTS | QUIET, SEVERAL },
	{ "samples", SAMPLES | QUIET, MIGRATE | NEXT },
	{ "slots", PLAN | QUIET, MIGRATE | BURSTS },
	{ "priority", PRIORITY, SEVERAL | MIGRATE },
	{ "levels", LEVELS, QUIET | BURSTS },
	{ "migrate", MIGRATE | NOISE | SMALL, SEVERAL },
	{ "turned", NOISE | SMALL, MIGRATE | TIMERS | NEXT },
	{ "kill", KILL | SEVERAL, MIGRATE | SMALL },
	{ "clear", CLEAR, MIGRATE | SEVERAL },
	{ "source", SHARED, MIGRATE | SMALL | NOISE },
	{ "proven-source", SHARED | PROVEN, MIGRATE | SMALL | NOISE },
	{ "timer", TIMERS | SLOWER, MIGRATE | SMALL },
	{ "fork", FORK, SEVERAL | NEXT },
	{ "live", SAVE, MIGRATE | SMALL | NOISE },
	{ "fallback", FALLBACK, MIGRATE | SMALL | BURSTS | QUIET | NOISE },
	{ "fallback-kill", FALLBACK | KILL | SEVERAL, SMALL },
	{ "mixed", 0,
	    BURSTS | SAMPLES | PLAN | PRIORITY | LEVELS | CLEAR | SLOWER |
		SAVE | MIGRATE | NOISE | SMALL | TIMERS | NEXT | QUIET |
		SEVERAL | FORK | PROVEN | LONG },
	{ "proven", PROVEN | LONG | SAMPLES | QUIET,
	    PLAN | MIGRATE | NEXT | SEVERAL | CLEAR },
	{ "proven-turned", PROVEN | LONG | SAMPLES | QUIET | NOISE | SMALL,
	    MIGRATE | PLAN },
	{ "proven-off", PROVEN | LONG | PRIORITY | OFF, BURSTS | LEVELS },
	{ "proven-kill", PROVEN | LONG | SAMPLES | QUIET | KILL | SEVERAL,
	    FALLBACK | FORK | SAVE },
	{ "proven-fork", PROVEN | LONG | FORK, SAMPLES | QUIET | SEVERAL },
};

enum { JOB, STEP, PART, ALARM, SOURCE, TIMED, NOISES, MESSAGES };

static const struct {
	const char *word;
	const char *text;
	const char *level;
	int kind;
	int scope;
} messages[MESSAGES] = {
	{ "job", "job $id", "trace", TIMELINE_SPAN, TIMELINE_THREAD },
	{ "step", "step $id", "debug", TIMELINE_SPAN, TIMELINE_THREAD },
	{ "part", "part $id", "info", TIMELINE_SPAN, TIMELINE_THREAD },
	{ "alarm", "alarm $id", "warning", TIMELINE_SPAN, TIMELINE_THREAD },
	{ "shared", "shared $id", "trace", TIMELINE_SPAN, TIMELINE_SOURCE },
	{ "timed", "timed $id", "trace", TIMELINE_TIMER, TIMELINE_THREAD },
	{ "noise", "noise $n", "info", TIMELINE_INSTANT, TIMELINE_THREAD },
};

struct span {
	uint64_t id;
	uint32_t message;
	uint32_t begin_pid;
	uint32_t begin_tid;
	uint32_t end_pid;
	uint32_t end_tid;
	uint64_t begin[2]; /* stamps before and after the call */
	uint64_t end[2];
	uint64_t begun; /* the stamp of the begin, 0: not logged */
	uint32_t is_proven;
};

struct change {
	uint64_t at[2];
	char what[64];
};

/*
 * The truth, in memory shared by all processes, including those that are
 * killed.
 */
static volatile struct {
	uint64_t span_count;
	uint64_t thread_count;
	uint64_t change_count;
	uint64_t noises;
	uint64_t strays[MESSAGES];
	uint32_t stop;
	struct span spans[SPANS_MAX];
	struct {
		uint32_t pid;
		uint32_t tid;
	} threads[THREADS_MAX];
	struct change changes[CHANGES_MAX];
} * truth;

struct worker {
	uint64_t random;
	unsigned number; /* within its process */
	bool is_first;   /* the first worker of the first process */
	uint32_t pid;
	uint32_t tid;
	uint64_t begun; /* of the innermost span that is to be proven */
	unsigned begun_message;
	pthread_t thread;
};

static struct timeline *tl;
static struct timeline_event *events[MESSAGES];
static const struct truth_case *chosen;
static unsigned does;
static const char *record;
static const char *timelinectl;
static const char *leave;
static uint64_t ticks_per_us;

/* The open spans of the source. */
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile struct span *shared_open[SHARED_MAX];
static unsigned shared_count;

/* The stamp of now, ordered with the instructions around it. */
static uint64_t
stamp(void)
{
	uint64_t now;

	__builtin_ia32_lfence();
	now = timeline_stamp(events[JOB]);
	__builtin_ia32_lfence();
	return now;
}

static bool
one_in(struct worker *w, uint64_t n)
{
	return random_below(&w->random, n) == 0;
}

/*
 * A time between 2^least_bit and 2^(most_bit + 1) ns; each power of two is
 * equally likely.
 */
static uint64_t
some_ns(struct worker *w, unsigned least_bit, unsigned most_bit)
{
	const uint64_t bit =
	    least_bit + random_below(&w->random, most_bit - least_bit + 1);

	return (UINT64_C(1) << bit) +
	       random_below(&w->random, UINT64_C(1) << bit);
}

static void
spin(uint64_t ns)
{
	const uint64_t until = stamp() + ns * ticks_per_us / 1000;

	while (stamp() < until)
		;
}

/* Note a thread before its first entry. */
static void
introduce(struct worker *w)
{
	const uint64_t i =
	    __atomic_fetch_add(&truth->thread_count, 1, __ATOMIC_RELAXED);
	char name[TIMELINE_THREAD_NAME_MAX + 1];

	expect(i < THREADS_MAX, "more than %d threads", THREADS_MAX);
	w->pid = (uint32_t)getpid();
	w->tid = (uint32_t)syscall(SYS_gettid);
	truth->threads[i].pid = w->pid;
	truth->threads[i].tid = w->tid;
	snprintf(name, sizeof(name), "t%lu", i);
	prctl(PR_SET_NAME, name);
}

/* == spans == */

static volatile struct span *
new_span(unsigned message)
{
	const uint64_t i =
	    __atomic_fetch_add(&truth->span_count, 1, __ATOMIC_RELAXED);
	volatile struct span *s;

	if (i >= SPANS_MAX) {
		truth->stop = 1;
		return NULL;
	}
	s = &truth->spans[i];
	s->message = message;
	s->id = i + 1;
	return s;
}

static void
begin_by(struct worker *w, volatile struct span *s)
{
	s->begin_pid = w->pid;
	s->begin_tid = w->tid;
}

static void
end_by(struct worker *w, volatile struct span *s)
{
	s->end_pid = w->pid;
	s->end_tid = w->tid;
}

static void
begin(struct worker *w, volatile struct span *s)
{
	uint64_t begun;

	begin_by(w, s);
	s->begin[0] = stamp();
	begun = timeline_begin(events[s->message], s->id);
	s->begun = s->is_proven ? begun : 0;
	s->begin[1] = stamp();
}

/* End a span; half of the ends carry the id, half are bare. */
static void
end(struct worker *w, volatile struct span *s)
{
	const bool bare = one_in(w, 2);

	end_by(w, s);
	s->end[0] = stamp();
	if (bare)
		timeline_end(events[s->message]);
	else
		timeline_end(events[s->message], s->id);
	s->end[1] = stamp();
}

/* == self-proving spans == */

static void do_body(struct worker *w, unsigned depth);

static void
in_scope(struct worker *w, volatile struct span *s, unsigned depth)
{
	begin_by(w, s);
	s->begin[0] = stamp();
	{
		TIMELINE_SCOPE_(scope, events[s->message], s->id);
		w->begun = s->begun = scope.begun;
		s->begin[1] = stamp();
		w->begun_message = s->message;
		do_body(w, depth);
		end_by(w, s);
		s->end[0] = stamp();
	}
	s->end[1] = stamp();
}

static void
end_proven(struct worker *w, volatile struct span *s)
{
	end_by(w, s);
	s->end[0] = stamp();
	if (one_in(w, 2))
		timeline_end_of(events[s->message], s->begun);
	else
		timeline_end_of(events[s->message], s->begun, s->id);
	s->end[1] = stamp();
}

static void
with_stamp(struct worker *w, volatile struct span *s, unsigned depth)
{
	begin(w, s);
	w->begun = s->begun;
	w->begun_message = s->message;
	do_body(w, depth);
	end_proven(w, s);
}

/* == other spans == */

static volatile struct span *
next(struct worker *w, volatile struct span *s)
{
	volatile struct span *other = new_span(s->message);

	if (!other)
		return s;
	end_by(w, s);
	begin_by(w, other);
	s->end[0] = other->begin[0] = stamp();
	timeline_next(events[s->message], other->id);
	s->end[1] = other->begin[1] = stamp();
	return other;
}

/*
 * Begin a span of the source, or end the last one, whichever thread began it.
 * With PROVEN, any of them ends, so that they overlap.
 */
static void
turn_shared(struct worker *w)
{
	volatile struct span *s;
	unsigned i;

	pthread_mutex_lock(&shared_lock);
	if (shared_count == 0 || (shared_count < SHARED_MAX && one_in(w, 2))) {
		if ((s = new_span(SOURCE))) {
			s->is_proven = (does & PROVEN) != 0;
			begin(w, s);
			shared_open[shared_count++] = s;
		}
	} else if (does & PROVEN) {
		i = (unsigned)random_below(&w->random, shared_count--);
		end_proven(w, shared_open[i]);
		shared_open[i] = shared_open[shared_count];
	} else {
		end(w, shared_open[--shared_count]);
	}
	pthread_mutex_unlock(&shared_lock);
}

static void
noise(struct worker *w, uint64_t count)
{
	(void)w;
	__atomic_fetch_add(&truth->noises, count, __ATOMIC_RELAXED);
	while (count-- > 0)
		timeline_log(events[NOISES], count);
}

static void
migrate(struct worker *w)
{
	static int cpus[2] = { -1, -1 };

	if (cpus[0] < 0) { /* main calls this before any thread is pinned */
		cpus[0] = nth_cpu(0);
		cpus[1] = nth_cpu(1);
	}
	if (w)
		pin(0, cpus[random_below(&w->random, 2)]);
}

static void do_span(struct worker *w, unsigned depth);

/* Fork a child within a span; the child logs spans, too. */
static void
fork_child(struct worker *w, unsigned depth)
{
	const pid_t pid = fork();

	if (pid < 0)
		return;
	if (pid == 0) {
		struct worker own = { .random = ~w->random };

		introduce(&own);
		if (w->begun) { /* begun by its parent */
			timeline_end_of(events[w->begun_message], w->begun);
			__atomic_fetch_add(&truth->strays[w->begun_message], 1,
			    __ATOMIC_RELAXED);
		}
		for (int i = 0; i < 5; i++)
			do_span(&own, depth);
		_exit(0);
	}
	wait_for(pid);
}

static void
do_timer(struct worker *w)
{
	volatile struct span *s = new_span(TIMED);
	uint64_t begun;

	if (!s)
		return;
	begin_by(w, s);
	s->begin[0] = stamp();
	begun = timeline_timer_begin(events[TIMED]);
	s->begin[1] = stamp();
	spin(some_ns(w, 6, 14));
	end_by(w, s);
	s->end[0] = stamp();
	timeline_timer_end(events[TIMED], begun, s->id);
	s->end[1] = stamp();
}

static void
do_something(struct worker *w, unsigned depth)
{
	switch (random_below(&w->random, 8)) {
	case 0:
	case 1:
		if (depth < DEPTH_MAX)
			do_span(w, depth + 1);
		break;
	case 2:
		if (does & MIGRATE)
			migrate(w);
		break;
	case 3:
		if ((does & SHARED) && w->is_first)
			turn_shared(w);
		if (does & TIMERS)
			do_timer(w);
		break;
	case 4:
		if ((does & FORK) && one_in(w, 200))
			fork_child(w, depth + 1);
		if (one_in(w, 50))
			sleep_ns(some_ns(w, 16, 19));
		break;
	default:
		spin(some_ns(w, 6, 13));
	}
}

static void
do_body(struct worker *w, unsigned depth)
{
	uint64_t count = random_below(&w->random, 4);

	if ((does & LONG) && depth == 0 && one_in(w, 10)) {
		if (one_in(w, 2))
			sleep_ns(LONG_NS);
		else
			spin(LONG_NS);
	}
	spin(some_ns(w, 6, one_in(w, 8) ? 17 : 11));
	while (count-- > 0)
		do_something(w, depth);
}

static void
do_span(struct worker *w, unsigned depth)
{
	volatile struct span *s =
	    new_span((unsigned)random_below(&w->random, ALARM + 1));

	if (!s)
		return;
	if (does & PROVEN && !one_in(w, 3)) {
		s->is_proven = true;
		if (one_in(w, 2))
			in_scope(w, s, depth);
		else
			with_stamp(w, s, depth);
		w->begun = 0;
		return;
	}
	begin(w, s);
	do_body(w, depth);
	while ((does & NEXT) && one_in(w, 3)) {
		s = next(w, s);
		spin(some_ns(w, 6, 11));
	}
	end(w, s);
}

static void *
work(void *worker)
{
	struct worker *w = worker;

	introduce(w);
	while (!truth->stop) {
		do_span(w, 0);
		do_something(w, 0);
		if ((does & NOISE) && w->number == 0)
			noise(w, random_below(&w->random, 64));
		spin(some_ns(w, 6, 12));
	}
	return NULL;
}

/* == processes == */

struct slot {
	pid_t pid;
	uint64_t seed;
};

static void
run_process(uint64_t seed, bool is_first)
{
	static struct worker crew[CREW_MAX];
	const unsigned count = 1 + (unsigned)random_below(&seed, CREW_MAX);

	for (unsigned i = 0; i < count; i++) {
		crew[i] = (struct worker){ .random = random_next(&seed),
			.number = i,
			.is_first = is_first };
		expect(pthread_create(&crew[i].thread, NULL, work, &crew[i]) ==
			   0,
		    "pthread_create");
	}
	for (unsigned i = 0; i < count; i++)
		pthread_join(crew[i].thread, NULL);
}

static void
child(void *slot)
{
	const struct slot *s = slot;
	struct worker self = { 0 };

	introduce(&self);
	run_process(s->seed, false);
}

/* == changes == */

struct controller {
	struct worker self;
	struct slot slots[SLOTS_MAX];
	unsigned slot_count;
	unsigned kills;
	unsigned saves;
	struct tl_plan plan;
	bool has_plan;
};

static volatile struct change *
change_begins(void)
{
	const uint64_t i = truth->change_count++;

	expect(i < CHANGES_MAX, "more than %d changes", CHANGES_MAX);
	truth->changes[i].at[0] = stamp();
	return &truth->changes[i];
}

__attribute__((format(printf, 2, 3))) static void
change_ends(volatile struct change *change, const char *format, ...)
{
	char what[sizeof(change->what)];
	va_list args;

	change->at[1] = stamp();
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	for (size_t i = 0; i < sizeof(what); i++)
		change->what[i] = what[i];
}

static void
set_priority(unsigned level)
{
	static const char *const names[] = { NULL, "trace+++", "trace++",
		"trace+", "trace", "debug", "info", "warning", "error", "fatal",
		"off" };
	volatile struct change *change = change_begins();

	expect_ok(timeline_priority(tl, names[level]));
	change_ends(change, "priority %u", level);
}

static void
burst(struct controller *c, bool sample)
{
	const unsigned level = 3 + (unsigned)random_below(&c->self.random, 3);
	const uint64_t ns = some_ns(&c->self, 14, 18);
	volatile struct change *change = change_begins();
	const int rc = tl_burst(tl, (uint8_t)level, ns, sample);

	/* a sample is skipped while a requested burst lasts */
	if (sample && rc == -EBUSY) {
		change_ends(change, "skipped");
		return;
	}
	expect_ok(rc);
	change_ends(change, "burst %u %lu", level, ns);
}

/* Set a plan of slots, renew or remove it. */
static void
change_plan(struct controller *c)
{
	const uint64_t lease_ns = some_ns(&c->self, 21, 24);
	const uint64_t what = random_below(&c->self.random, 8);
	const struct tl_plan before = c->plan;
	struct tl_plan *const plan = &c->plan;
	volatile struct change *change;
	const bool had = c->has_plan;

	c->has_plan = what != 0;
	if (what == 1 || !had) { /* a new plan */
		const uint64_t share =
		    random_below(&c->self.random, UINT32_MAX);

		*plan = (struct tl_plan){ .seed = random_next(&c->self.random),
			.shift =
			    12 + (uint32_t)random_below(&c->self.random, 9) };
		for (unsigned gate = 3; gate < TIMELINE_PLAN_GATES; gate++)
			plan->shares[gate] =
			    (uint32_t)(gate < 5 ? share / 2 : share);
	}
	change = change_begins();
	expect_ok(tl_plan_set(tl, had ? &before : NULL,
	    c->has_plan ? plan : NULL, lease_ns));
	if (c->has_plan)
		change_ends(change, "plan %u %u %u %ld %lu", plan->shift,
		    plan->shares[4], plan->shares[5], (int64_t)plan->seed,
		    lease_ns);
	else
		change_ends(change, "no-plan");
}

static void
change_level(struct controller *c)
{
	static const char *const levels[] = { "off", "default", "warning",
		"trace" };
	static const int numbers[] = { 0, -1, 7, 4 };
	const unsigned message =
	    (unsigned)random_below(&c->self.random, ALARM + 1);
	const uint64_t i = random_below(&c->self.random, 4);
	volatile struct change *change = change_begins();

	expect_ok(timeline_level(tl, "*", messages[message].text, levels[i]));
	change_ends(change, "level %s %d", messages[message].word, numbers[i]);
}

static void
change_slower(struct controller *c)
{
	const uint64_t ns = one_in(&c->self, 3) ? 0 : some_ns(&c->self, 9, 14);
	volatile struct change *change = change_begins();

	expect_ok(timeline_slower(tl, "*", messages[TIMED].text, ns));
	change_ends(change, "slower %lu", ns);
}

static void
clear(void)
{
	volatile struct change *change = change_begins();

	expect_ok(timeline_clear(tl));
	change_ends(change, "clear");
}

static void
save(struct controller *c)
{
	volatile struct change *change;
	char path[512];
	pid_t pid;

	if (c->saves == 3)
		return;
	snprintf(path, sizeof(path), "%s.%u", record, ++c->saves);
	change = change_begins();
	if ((pid = fork()) == 0) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execl(timelinectl, timelinectl, "save", test_name, path,
		    (char *)NULL);
		_exit(127);
	}
	expect(pid > 0, "fork: %m");
	expect_success(pid);
	change_ends(change, "save %u", c->saves);
}

static void
start(struct controller *c, struct slot *s)
{
	s->seed = random_next(&c->self.random);
	s->pid = spawn(child, s);
}

static void
kill_one(struct controller *c)
{
	struct slot *s;

	if (c->kills == KILLS_MAX || c->slot_count == 0)
		return;
	c->kills++;
	s = &c->slots[random_below(&c->self.random, c->slot_count)];
	kill(s->pid, SIGKILL);
	wait_for(s->pid);
	start(c, s);
}

static void
change_one(struct controller *c)
{
	unsigned what;

	do
		what = 1u << random_below(&c->self.random, 9);
	while (!(does & what));
	switch (what) {
	case BURSTS:
	case SAMPLES:
		burst(c, what == SAMPLES);
		break;
	case PLAN:
		change_plan(c);
		break;
	case PRIORITY:
		if ((does & OFF) && one_in(&c->self, 3))
			set_priority(10);
		else
			set_priority(
			    4 + (unsigned)random_below(&c->self.random, 5));
		break;
	case LEVELS:
		change_level(c);
		break;
	case CLEAR:
		if (one_in(&c->self, 10))
			clear();
		break;
	case SLOWER:
		change_slower(c);
		break;
	case SAVE:
		if (one_in(&c->self, 10))
			save(c);
		break;
	default:
		kill_one(c);
	}
}

/* Run the first process, the other processes, and the changes. */
static void
run(struct controller *c)
{
	const uint64_t ms = does & LONG ? 2 * RUN_MS : RUN_MS;
	const uint64_t until = now_ns() + ms * 1000000;

	if (does & SEVERAL)
		c->slot_count =
		    1 + (unsigned)random_below(&c->self.random, SLOTS_MAX - 1);
	for (unsigned i = 0; i < c->slot_count; i++)
		start(c, &c->slots[i]);
	while (now_ns() < until && !truth->stop) {
		sleep_ns(some_ns(&c->self, 15, 21));
		if (does & CHANGES)
			change_one(c);
	}
	truth->stop = 1;
	for (unsigned i = 0; i < c->slot_count; i++)
		expect_success(c->slots[i].pid);
}

static void *
run_first(void *seed)
{
	run_process(*(const uint64_t *)seed, true);
	return NULL;
}

/* == the truth == */

struct moment {
	uint64_t stamp;
	uint64_t ns;
};

static struct moment
now(void)
{
	struct timespec t;
	struct moment m;

	m.stamp = stamp();
	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	m.ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	return m;
}

static void
print_spans(void)
{
	for (uint64_t i = 0; i < truth->span_count && i < SPANS_MAX; i++) {
		const volatile struct span *s = &truth->spans[i];

		if (s->begin[0] != 0)
			printf("span %s %lu %u %u %lu %lu %u %u %lu %lu %s "
			       "%lu\n",
			    messages[s->message].word, s->id, s->begin_pid,
			    s->begin_tid, s->begin[0], s->begin[1], s->end_pid,
			    s->end_tid, s->end[0], s->end[1],
			    s->is_proven ? "proven" : "plain", s->begun);
	}
}

static void
print_changes(void)
{
	for (uint64_t i = 0; i < truth->change_count; i++) {
		const struct change change = truth->changes[i];

		printf("change %lu %lu %s\n", change.at[0], change.at[1],
		    change.what);
		if (strncmp(change.what, "save ", 5) == 0)
			printf("record %lu %lu %s.%s\n", change.at[0],
			    change.at[1], record, change.what + 5);
	}
}

static void
print_messages(void)
{
	static const char *const kinds[] = { [TIMELINE_INSTANT] = "instant",
		[TIMELINE_SPAN] = "thread",
		[TIMELINE_TIMER] = "timer" };

	for (unsigned i = 0; i < MESSAGES; i++)
		printf("message %d %s %s\n",
		    tl_priority_parse(messages[i].level, -1),
		    messages[i].scope == TIMELINE_SOURCE
			? "source"
			: kinds[messages[i].kind],
		    messages[i].word);
	for (unsigned i = 0; i < MESSAGES; i++)
		printf("stray %lu %s\n", truth->strays[i], messages[i].word);
	printf("logged %lu noise\n", truth->noises);
}

static void
print_truth(const struct moment *early, const struct moment *late)
{
	printf("clock %lu %lu %lu %lu\n", early->stamp, early->ns, late->stamp,
	    late->ns);
	print_messages();
	for (uint64_t i = 0; i < truth->thread_count; i++)
		printf("thread %u %u t%lu\n", truth->threads[i].pid,
		    truth->threads[i].tid, i);
	print_spans();
	print_changes();
}

/* == the record leaves home == */

struct away {
	const char *how;
	pid_t pid;
	uint64_t at[2];
};

/* Start the program that follows the timeline, and wait until it does. */
static void
away_begins(struct away *away, uint64_t seed)
{
	static const char *const hows[] = { "record", "rotate", "ship" };
	char folder[512], bin[512];
	int ends[2];
	char byte;

	away->how = hows[random_below(&seed, 3)];
	snprintf(folder, sizeof(folder), "%s.away", record);
	snprintf(bin, sizeof(bin), "%s", timelinectl);
	*strrchr(bin, '/') = 0;
	expect(pipe(ends) == 0, "pipe: %m");
	if ((away->pid = fork()) == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execl(leave, leave, away->how, test_name, folder, bin,
		    (char *)NULL);
		_exit(127);
	}
	expect(away->pid > 0, "fork: %m");
	close(ends[1]);
	expect(read(ends[0], &byte, 1) == 1, "%s: does not follow", leave);
	close(ends[0]);
	away->at[0] = stamp();
}

static void
away_ends(struct away *away)
{
	away->at[1] = stamp();
	kill(away->pid, SIGTERM);
	wait_for(away->pid);
}

static void
choose_case(const char *name, uint64_t *seed)
{
	chosen = cases;
	while (strcmp(chosen->name, name) != 0)
		expect(++chosen < cases + sizeof(cases) / sizeof(*cases),
		    "generate: %s: no such case", name);
	does = chosen->does | (chosen->maybe & (unsigned)random_next(seed));
	if (does & FALLBACK)
		setenv("TIMELINE_NO_RSEQ", "1", 1);
}

static void
create(uint64_t *seed)
{
	struct timeline_options options = { .entries = ENTRIES };

	if (does & SMALL)
		options.entries = UINT64_C(2048) << random_below(seed, 5);
	expect_ok(timeline_new(&tl, choose_test_name("truth"), &options));
	for (unsigned i = 0; i < MESSAGES; i++) {
		const struct timeline_definition d = { .category = "truth",
			.priority = messages[i].level,
			.message = messages[i].text,
			.kind = messages[i].kind,
			.scope = messages[i].scope };

		expect_ok(timeline_define_event(tl, &d, &events[i]));
	}
}

int
main(int argc, char **argv)
{
	struct controller c = { 0 };
	struct away away = { 0 };
	struct moment early, late;
	pthread_t first;
	uint64_t seed;

	if (argc == 2 && strcmp(argv[1], "cases") == 0) {
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
			puts(cases[i].name);
		return 0;
	}
	expect(argc == 5 || argc == 6,
	    "usage: generate CASE SEED RECORD TIMELINECTL [LEAVE]");
	seed = strtoull(argv[2], NULL, 10);
	choose_case(argv[1], &seed);
	record = argv[3];
	timelinectl = argv[4];
	leave = argv[5];
	truth = share(sizeof(*truth));
	migrate(NULL);
	create(&seed);
	early = now();
	sleep_ns(5000000);
	late = now();
	ticks_per_us = (late.stamp - early.stamp) * 1000 / (late.ns - early.ns);
	c.self.random = random_next(&seed);
	introduce(&c.self);
	if (leave)
		away_begins(&away, ~seed + (uint64_t)(chosen - cases));
	set_priority(does & QUIET ? BASE_LEVEL : 4);
	seed = random_next(&seed);
	expect(pthread_create(&first, NULL, run_first, &seed) == 0,
	    "pthread_create");
	run(&c);
	pthread_join(first, NULL);
	late = now();
	if (leave)
		away_ends(&away);
	expect_ok(timeline_save(tl, record));
	printf("case %s %s\n", argv[1], argv[2]);
	print_truth(&early, &late);
	printf("record %lu %lu %s\n", late.stamp, stamp(), record);
	if (leave)
		printf("away %s %lu %lu %s.away\n", away.how, away.at[0],
		    away.at[1], record);
	return 0;
}
