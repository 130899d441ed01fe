/* SPDX-License-Identifier: Apache-2.0 */
/* states.c - the states of threads, from event to event. */
#include "analysis/states.h"
#include "base/array.h"
#include "base/ns.h"
#include "base/table.h"
#include "event/sched.h"
#include "source/sources.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum state { UNKNOWN, RUNNING, INTERRUPTED, RUNNABLE, BLOCKED };

enum {
	WAITS = 16,      /* waits of a thread that are remembered */
	OPEN_MAX = 1024, /* open spans of a thread that are remembered */
	CPUS_MAX = 4096
};

struct wait {
	int64_t end_ns;
	bool preempted;
	struct tl_wait wait;
};

/* The time that a thread had spent in each state when a span began. */
struct mark {
	const struct tl_message *message;
	uint64_t tsc;
	int64_t ns[TL_PARTS];
};

struct thread {
	uint32_t pid, tid;
	unsigned host;
	int64_t horizon_ns; /* of the source with the thread's kernel events */
	int64_t at_ns;      /* time of the last event */
	int64_t ns[TL_PARTS];
	enum state state;
	uint32_t cpu;   /* the CPU on which the thread runs */
	uint32_t depth; /* depth of nested interrupts */
	bool covered;   /* the kernel has named the thread */
	bool lossy;     /* events may be missing since the last event */
	bool woken;     /* woken while running */
	bool io;        /* blocked in state D */
	/* runnable since it ran: the task that took the CPU */
	struct tl_wait preempted;
	struct wait waits[WAITS];
	unsigned wait_count;
	struct mark *marks;
	size_t mark_count, mark_capacity;
};

struct cpu {
	uint32_t running; /* place of a thread plus 1 */
	bool lossy;       /* no event since a loss */
};

struct host {
	struct cpu *cpus; /* CPUS_MAX elements; NULL: no kernel event yet */
	size_t cpu_count;
	unsigned lossy_cpus;
	bool any; /* has kernel events other than losses */
};

struct source {
	int64_t horizon_ns;
	bool has_horizon;
	bool is_kernel;
};

struct tl_states {
	struct tl_table table;
	struct thread *threads;
	size_t thread_count, thread_capacity;
	/* host of each source; NULL: all sources are of one host */
	const unsigned *host_of;
	struct host *hosts;
	size_t host_count;
	struct source *sources; /* the sources with kernel events */
	size_t source_capacity;
	int64_t horizon_ns; /* for sources without a horizon of their own */
	/* the last message that was classified, and its class */
	const struct tl_message *message;
	enum tl_sched_what what;
};

const char *
tl_part_name(unsigned part)
{
	static const char *const names[TL_PARTS] = { "running", "interrupted",
		"runnable", "blocked_task", "blocked_timer", "blocked_io",
		"unknown" };

	return part < TL_PARTS ? names[part] : "?";
}

const char *
tl_part_words(unsigned part)
{
	static const char *const words[TL_PARTS] = { "running", "interrupted",
		"runnable", "blocked by a task", "blocked by a timer",
		"blocked by I/O", "unknown" };

	return part < TL_PARTS ? words[part] : "?";
}

void
tl_parts_put(struct tl_text *text, const int64_t ns[TL_PARTS])
{
	int64_t all = 0;

	for (unsigned i = 0; i < TL_PARTS; i++)
		all += ns[i];
	for (unsigned i = 0, shown = 0; i < TL_PARTS; i++) {
		const double percent = 100 * (double)ns[i] / (double)all;

		if (ns[i] == 0)
			continue;
		tl_put_format(text, "%s%s ", shown++ ? ", " : "",
		    tl_part_words(i));
		tl_put_format(text, percent < 0.1 ? "under 0.1 %%" : "%.3g %%",
		    percent);
	}
}

void
tl_part_fields(struct tl_fields *f, const int64_t ns[TL_PARTS])
{
	char name[32];

	for (unsigned i = 0; i < TL_PARTS; i++) {
		snprintf(name, sizeof(name), "%s_ns", tl_part_name(i));
		tl_fields_signed(f, name, ns[i]);
	}
}

int
tl_states_new(struct tl_states **out, int64_t horizon_ns,
    const unsigned *host_of, size_t host_count)
{
	struct tl_states *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->host_of = host_of;
	s->host_count = host_of ? host_count : 1;
	s->hosts = calloc(s->host_count, sizeof(*s->hosts));
	s->horizon_ns = horizon_ns;
	if (!s->hosts) {
		tl_states_free(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

int
tl_states_set_horizon(struct tl_states *s, uint16_t source, int64_t ns)
{
	const int rc = TL_ARRAY_ZEROS(s->sources, s->source_capacity, source);

	if (rc < 0)
		return rc;
	s->sources[source].horizon_ns = ns;
	s->sources[source].has_horizon = true;
	return 0;
}

void
tl_states_free(struct tl_states *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->thread_count; i++)
		free(s->threads[i].marks);
	free(s->threads);
	tl_table_free(&s->table);
	for (size_t i = 0; s->hosts && i < s->host_count; i++)
		free(s->hosts[i].cpus);
	free(s->hosts);
	free(s->sources);
	free(s);
}

static int
make_cpus(struct host *host)
{
	if (!host->cpus)
		host->cpus = calloc(CPUS_MAX, sizeof(*host->cpus));
	return host->cpus ? 0 : -ENOMEM;
}

static unsigned
host_of(const struct tl_states *s, uint16_t source)
{
	return s->host_of ? s->host_of[source] : 0;
}

/* Find a thread of a host by its tid.  pid 0: the process that logged with this
 * tid last. */
static struct thread *
find(struct tl_states *s, unsigned host, uint32_t pid, uint32_t tid)
{
	struct tl_probe probe =
	    tl_table_probe(&s->table, tl_hash_pair(host, tid));
	struct thread *found = NULL;
	uint32_t place;

	while (tl_probe_next(&probe, &place)) {
		struct thread *t = &s->threads[place];

		if (t->tid != tid || t->host != host)
			continue;
		if (t->pid == pid)
			return t;
		if (pid == 0 && (!found || t->at_ns > found->at_ns))
			found = t;
	}
	return found;
}

/* The thread of an event; a new thread is added.  NULL: no memory. */
static struct thread *
thread_of(struct tl_states *s, const struct tl_event *e)
{
	const unsigned host = host_of(s, e->source);
	struct thread *t = find(s, host, e->pid, e->tid);

	if (t && t->pid == e->pid)
		return t;
	if (TL_ARRAY_ROOM(s->threads, s->thread_capacity, s->thread_count) <
		0 ||
	    tl_table_add(&s->table, tl_hash_pair(host, e->tid),
		s->thread_count) < 0)
		return NULL;
	t = &s->threads[s->thread_count++];
	*t = (struct thread){ .pid = e->pid,
		.tid = e->tid,
		.host = host,
		.horizon_ns = INT64_MAX,
		.cpu = TL_CPU_UNKNOWN };
	return t;
}

/* == time == */

/* May an event between the last event of a thread and now be missing? */
static bool
is_tainted(const struct tl_states *s, const struct thread *t)
{
	const struct host *host = &s->hosts[t->host];

	if (t->lossy)
		return true;
	if (t->state != RUNNING && t->state != INTERRUPTED)
		return host->lossy_cpus > 0;
	return t->cpu < CPUS_MAX && host->cpus[t->cpu].lossy;
}

/* Add the time since the last event of the thread to a part, or to UNKNOWN if
 * events may be missing.  Returns the time; 0 if unknown. */
static int64_t
book(struct tl_states *s, struct thread *t, int64_t ns, enum tl_part part)
{
	const int64_t passed = tl_ns_between(t->at_ns, ns);

	if (!t->covered || ns > t->horizon_ns || is_tainted(s, t))
		part = TL_PART_UNKNOWN;
	t->lossy = false;
	if (passed == 0)
		return 0;
	t->ns[part] = tl_add_ns(t->ns[part], passed);
	t->at_ns = ns;
	return part == TL_PART_UNKNOWN ? 0 : passed;
}

static void
remember(struct thread *t, int64_t ns, bool preempted, struct tl_wait wait)
{
	if (wait.ns > 0)
		t->waits[t->wait_count++ % WAITS] =
		    (struct wait){ ns, preempted, wait };
}

/* == losses == */

static void
taint_all(struct tl_states *s, unsigned host, uint32_t cpu)
{
	for (size_t i = 0; i < s->thread_count; i++) {
		struct thread *t = &s->threads[i];
		const bool runs =
		    t->state == RUNNING || t->state == INTERRUPTED;

		if (t->host == host && (!runs || t->cpu == cpu))
			t->lossy = true;
	}
}

static int
put_lost(struct tl_states *s, const struct tl_event *e)
{
	const unsigned number = host_of(s, e->source);
	struct host *host = &s->hosts[number];

	if (make_cpus(host) < 0)
		return -ENOMEM;
	if (e->cpu < CPUS_MAX && e->cpu >= host->cpu_count)
		host->cpu_count = e->cpu + 1;
	for (uint32_t cpu = 0; cpu < host->cpu_count; cpu++) {
		if (e->cpu != cpu && e->cpu != TL_CPU_UNKNOWN)
			continue;
		host->lossy_cpus += !host->cpus[cpu].lossy;
		host->cpus[cpu].lossy = true;
		taint_all(s, number, cpu);
	}
	return 0;
}

/* An event of a CPU ends the loss on this CPU: the lost events precede the
 * event. */
static void
end_loss(struct tl_states *s, unsigned number, uint32_t cpu)
{
	struct host *host = &s->hosts[number];

	if (cpu >= CPUS_MAX)
		return;
	if (cpu >= host->cpu_count)
		host->cpu_count = cpu + 1;
	if (!host->cpus[cpu].lossy)
		return;
	host->cpus[cpu].lossy = false;
	host->lossy_cpus--;
	taint_all(s, number, cpu);
}

/* == events of the kernel == */

static struct tl_wait
other_task(const struct tl_event *e, uint64_t tid, uint64_t name)
{
	return (struct tl_wait){ .tid = (uint32_t)tid,
		.name = tl_message_string(e->message, name) };
}

static char
first_letter(const struct tl_event *e, unsigned arg)
{
	const struct tl_bytes text =
	    tl_message_string(e->message, e->args[arg]);

	return text.size > 0 ? *(const char *)text.data : '\0';
}

static bool
has_letter(const struct tl_event *e, unsigned arg, char letter)
{
	const struct tl_bytes text =
	    tl_message_string(e->message, e->args[arg]);

	return text.size > 0 && memchr(text.data, letter, text.size);
}

static void
put_out(struct tl_states *s, struct thread *t, const struct tl_event *e)
{
	const bool ran = t->state == RUNNING || t->state == INTERRUPTED;

	book(s, t, e->ns,
	    !ran || t->cpu != e->cpu  ? TL_PART_UNKNOWN
	    : t->state == INTERRUPTED ? TL_PART_INTERRUPTED
				      : TL_PART_RUNNING);
	if (e->cpu < CPUS_MAX)
		s->hosts[t->host].cpus[e->cpu].running = 0;
	t->preempted = (struct tl_wait){ 0 };
	t->io = has_letter(e, 0, 'D');
	if (first_letter(e, 0) == 'R') {
		t->state = RUNNABLE;
		t->preempted = other_task(e, e->args[1], e->args[2]);
	} else {
		t->state = t->woken ? RUNNABLE : BLOCKED;
	}
	t->woken = false;
}

/* The CPU runs a new thread.  If the previous thread seems to run there still,
 * the kernel did not report that it left. */
static void
take_cpu(struct tl_states *s, struct thread *t, uint32_t cpu)
{
	const uint32_t place = (uint32_t)(t - s->threads) + 1;
	struct thread *before;
	struct cpu *of;

	t->cpu = cpu;
	if (cpu >= CPUS_MAX)
		return;
	of = &s->hosts[t->host].cpus[cpu];
	before = of->running ? &s->threads[of->running - 1] : NULL;
	if (before && before != t && before->cpu == cpu &&
	    (before->state == RUNNING || before->state == INTERRUPTED)) {
		before->state = UNKNOWN;
		before->lossy = true;
	}
	of->running = place;
}

static void
put_in(struct tl_states *s, struct thread *t, const struct tl_event *e)
{
	const enum tl_part part = t->state == RUNNABLE ? TL_PART_RUNNABLE
				  : t->state == BLOCKED && t->io
				      ? TL_PART_IO
				      : TL_PART_UNKNOWN;

	t->preempted.ns = book(s, t, e->ns, part);
	if (t->state == RUNNABLE && t->preempted.name.size > 0)
		remember(t, e->ns, true, t->preempted);
	t->state = RUNNING;
	t->depth = 0;
	t->woken = false;
	take_cpu(s, t, e->cpu);
}

/* A thread has logged an event.  A missing switch to the thread is no loss,
 * because some kernels report no switch from the idle task; only the time when
 * the thread got the CPU is unknown. */
static void
runs(struct tl_states *s, struct thread *t, const struct tl_event *e)
{
	const bool fits = t->state == RUNNING &&
			  (t->cpu == e->cpu || e->cpu == TL_CPU_UNKNOWN);

	book(s, t, e->ns, fits ? TL_PART_RUNNING : TL_PART_UNKNOWN);
	if (!t->covered || fits)
		return;
	t->state = RUNNING;
	t->depth = 0;
	t->woken = false;
	if (e->cpu != TL_CPU_UNKNOWN)
		take_cpu(s, t, e->cpu);
}

/* The task that woke another task ran.  Tasks outside of the timeline have
 * numbers of another namespace, so only a thread that was woken itself
 * counts. */
static void
put_waker(struct tl_states *s, const struct tl_event *e, unsigned host)
{
	struct thread *t = find(s, host, 0, (uint32_t)e->args[0]);

	if (t && t->state == RUNNABLE)
		runs(s, t, e);
}

static void
put_woken(struct tl_states *s, struct thread *t, const struct tl_event *e)
{
	const bool by_task = has_letter(e, 2, 't') && has_letter(e, 2, 'k');
	struct tl_wait by;

	if (by_task)
		put_waker(s, e, t->host);
	switch (t->state) {
	case RUNNING:
	case INTERRUPTED:
		t->woken = true; /* the switch out comes after the wakeup */
		return;
	case RUNNABLE:
		return;
	case BLOCKED:
		by = other_task(e, e->args[0], e->args[1]);
		by.ns = book(s, t, e->ns,
		    t->io     ? TL_PART_IO
		    : by_task ? TL_PART_TASK
			      : TL_PART_TIMER);
		if (by_task && !t->io)
			remember(t, e->ns, false, by);
		break;
	case UNKNOWN:
		book(s, t, e->ns, TL_PART_UNKNOWN);
	}
	t->state = RUNNABLE;
	t->preempted = (struct tl_wait){ 0 };
}

static void
put_interrupt(struct tl_states *s, struct thread *t, const struct tl_event *e)
{
	const bool fits = (t->state == RUNNING || t->state == INTERRUPTED) &&
			  t->cpu == e->cpu;

	if (e->kind == TL_BEGIN) {
		if (fits && t->state == INTERRUPTED) {
			t->depth++;
			return;
		}
		book(s, t, e->ns, fits ? TL_PART_RUNNING : TL_PART_UNKNOWN);
		t->state = INTERRUPTED;
		t->depth = 1;
	} else if (e->kind == TL_END) {
		if (fits && t->state == INTERRUPTED && --t->depth > 0)
			return;
		book(s, t, e->ns,
		    fits && t->state == INTERRUPTED ? TL_PART_INTERRUPTED
						    : TL_PART_UNKNOWN);
		t->state = RUNNING;
		t->depth = 0;
	}
	take_cpu(s, t, e->cpu);
}

static int
put_kernel(struct tl_states *s, enum tl_sched_what what,
    const struct tl_event *e)
{
	struct thread *t = thread_of(s, e);
	struct source *source;

	if (!t || make_cpus(&s->hosts[t->host]) < 0 ||
	    TL_ARRAY_ZEROS(s->sources, s->source_capacity, e->source) < 0)
		return -ENOMEM;
	source = &s->sources[e->source];
	s->hosts[t->host].any = true;
	source->is_kernel = true;
	t->horizon_ns =
	    source->has_horizon ? source->horizon_ns : s->horizon_ns;
	/* the CPU of a wakeup is the waker's, and the event ends a loss there
	 * too */
	end_loss(s, t->host, e->cpu);
	if (!t->covered) {
		book(s, t, e->ns, TL_PART_UNKNOWN);
		t->covered = true;
	}
	switch (what) {
	case TL_SCHED_IS_OUT:
		put_out(s, t, e);
		break;
	case TL_SCHED_IS_IN:
		put_in(s, t, e);
		break;
	case TL_SCHED_IS_WOKEN:
		put_woken(s, t, e);
		break;
	case TL_SCHED_IS_INTERRUPT:
		put_interrupt(s, t, e);
		break;
	case TL_SCHED_IS_FAULT:
		if (t->state != INTERRUPTED)
			runs(s, t, e);
		break;
	default:
		break;
	}
	return 0;
}

/* == entries of the program == */

static int
add_mark(struct thread *t, const struct tl_event *e)
{
	if (t->mark_count == OPEN_MAX) { /* forget the oldest */
		memmove(t->marks, t->marks + 1,
		    (OPEN_MAX - 1) * sizeof(*t->marks));
		t->mark_count--;
	}
	if (TL_ARRAY_ROOM(t->marks, t->mark_capacity, t->mark_count) < 0)
		return -ENOMEM;
	t->marks[t->mark_count] =
	    (struct mark){ .message = e->message, .tsc = e->tsc };
	memcpy(t->marks[t->mark_count++].ns, t->ns, sizeof(t->ns));
	return 0;
}

/* The thread of an entry ran when the entry was logged. */
static int
put_entry(struct tl_states *s, const struct tl_event *e)
{
	struct thread *t = thread_of(s, e);

	if (!t)
		return -ENOMEM;
	if (t->at_ns == 0)
		t->at_ns = e->ns;
	runs(s, t, e);
	return e->kind == TL_BEGIN ? add_mark(t, e) : 0;
}

int
tl_states_put(struct tl_states *s, const struct tl_event *e)
{
	if (e->kind == TL_LOST) {
		return e->level != 0 || (e->source < s->source_capacity &&
					    s->sources[e->source].is_kernel)
			   ? put_lost(s, e)
			   : 0;
	}
	if (e->message != s->message) {
		s->message = e->message;
		s->what = tl_sched_what(e->message);
	}
	if (s->what != TL_SCHED_NONE)
		return put_kernel(s, s->what, e);
	return e->message->builtin ? 0 : put_entry(s, e);
}

bool
tl_states_is_kernel(const struct tl_event *e)
{
	return e->kind != TL_LOST && tl_sched_what(e->message) != TL_SCHED_NONE;
}

int
tl_states_find_horizon(struct tl_cursor *newest_first, int64_t *ns)
{
	struct tl_event event;
	int rc;

	*ns = INT64_MIN;
	while ((rc = tl_cursor_next(newest_first, &event)) > 0)
		if (tl_states_is_kernel(&event)) {
			*ns = event.ns;
			break;
		}
	tl_cursor_close(newest_first);
	return rc < 0 ? rc : 0;
}

int
tl_states_of_sources(struct tl_states **states,
    const struct tl_sources *sources)
{
	const struct tl_hosts *hosts = sources->hosts;
	int64_t ns;
	int rc = 0;

	*states = NULL;
	for (size_t i = 0; i < sources->count && rc == 0; i++) {
		struct tl_cursor *cursor;

		if (!tl_source_has_kernel(&sources->items[i]))
			continue;
		/* Find the time of the last kernel event of a source. */
		rc = tl_source_cursor(&sources->items[i], TL_NEWEST_FIRST,
		    &cursor);

		rc = rc < 0 ? rc : tl_states_find_horizon(cursor, &ns);
		if (rc < 0 || ns == INT64_MIN)
			continue;
		if (!*states) /* the other sources have no events of threads */
			rc = tl_states_new(states, INT64_MIN,
			    hosts ? hosts->machine_of : NULL,
			    hosts ? hosts->count : 1);
		if (rc == 0)
			rc = tl_states_set_horizon(*states, (uint16_t)i, ns);
	}
	if (rc < 0) {
		tl_states_free(*states);
		*states = NULL;
	}
	return rc;
}

/* == spans == */

/* The times of two files may differ by some nanoseconds.  The largest part
 * absorbs the difference. */
static void
fit_sum(struct tl_parts *parts, int64_t duration_ns)
{
	int64_t sum = 0;
	unsigned largest = 0;

	for (unsigned i = 0; i < TL_PARTS; i++) {
		sum += parts->ns[i];
		if (parts->ns[i] > parts->ns[largest])
			largest = i;
	}
	if (sum <= duration_ns) {
		parts->ns[sum > 0 ? largest : TL_PART_UNKNOWN] +=
		    duration_ns - sum;
		return;
	}
	for (unsigned i = largest; sum > duration_ns; i = (i + 1) % TL_PARTS) {
		const int64_t over = sum - duration_ns;
		const int64_t cut = over < parts->ns[i] ? over : parts->ns[i];

		parts->ns[i] -= cut;
		sum -= cut;
	}
}

bool
tl_states_span(struct tl_states *s, const struct tl_span *span,
    struct tl_parts *parts)
{
	const unsigned host = host_of(s, span->source);
	struct thread *t = find(s, host, span->pid, span->tid);
	size_t i = t ? t->mark_count : 0;

	*parts = (struct tl_parts){ 0 };
	while (i > 0 && (t->marks[i - 1].message != span->message ||
			    t->marks[i - 1].tsc != span->begin_tsc))
		i--;
	if (i == 0) {
		parts->ns[TL_PART_UNKNOWN] = span->duration_ns;
		return s->hosts[host].any;
	}
	i--;
	for (unsigned p = 0; p < TL_PARTS; p++)
		parts->ns[p] = t->ns[p] - t->marks[i].ns[p];
	memmove(&t->marks[i], &t->marks[i + 1],
	    (--t->mark_count - i) * sizeof(*t->marks));
	for (unsigned k = 0; k < t->wait_count && k < WAITS; k++) {
		const struct wait *w = &t->waits[k];
		struct tl_wait *longest =
		    w->preempted ? &parts->preempted : &parts->blocked;

		if (w->end_ns > span->begin_ns && w->wait.ns > longest->ns)
			*longest = w->wait;
	}
	fit_sum(parts, span->duration_ns);
	return s->hosts[host].any;
}
