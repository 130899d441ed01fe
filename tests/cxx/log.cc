/* SPDX-License-Identifier: Apache-2.0 */
/* log.cc - timeline.h: each macro with each number of arguments. */
#include <timeline.h>

#include <cstdio>

enum colour { RED = 2 };
enum class shape : unsigned char { ROUND = 3 };

static struct timeline *tl;
static struct timeline_event *one, *job, *timer;

static int
fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, timeline_error());
	return 1;
}

/* log_timed.cc */
bool is_small(struct timeline_event *timer, unsigned long id);

static int
thrower()
{
	throw 1;
}

template <class T>
static void
log_any(struct timeline_event *event, T value)
{
	timeline_log(event, value);
}

static int
log_events()
{
	struct timeline_event *none, *two, *three, *four, *at;

	if (timeline_define(tl, "log", "info", "none", &none) != 0 ||
	    timeline_define(tl, "log", "info", "one $a", &one) != 0 ||
	    timeline_define(tl, "log", "info", "two $a%f $b%f", &two) != 0 ||
	    timeline_define(tl, "log", "info", "three $a $b%f $c%x", &three) !=
		0 ||
	    timeline_define_at(tl, "log", "info", "four $a $b $c%8s $d%s",
		TIMELINE_INSTANT, 0, __FILE__, __LINE__, &four) != 0 ||
	    timeline_define(tl, "log", "info", "at $a", &at) != 0)
		return fail("define");
	if (!timeline_enabled(none))
		return fail("enabled");

	uint64_t text;
	if (timeline_string(tl, "words", &text) != 0)
		return fail("string");
	timeline_log(none);
	timeline_log(one, -1);
	timeline_log(two, 1.5, 2.5f);
	timeline_log(three, RED, 0.25, sizeof(int));
	timeline_log(four, true, 'A', timeline_text8("round", 5), text);
	log_any(one, shape::ROUND);
	log_any(one, 1ULL << 40);
	[&] { timeline_log(one, 7); }();

	struct timeline_event *at2, *at3, *at4;
	const uint64_t now = timeline_stamp(at);
	if (timeline_define(tl, "log", "info", "at $a $b", &at2) != 0 ||
	    timeline_define(tl, "log", "info", "at $a $b $c", &at3) != 0 ||
	    timeline_define(tl, "log", "info", "at $a $b $c $d", &at4) != 0)
		return fail("define");
	timeline_log_at(none, now);
	timeline_log_at(at, timeline_stamp(at), 1);
	timeline_log_at(at2, timeline_stamp(at), 1, 2);
	timeline_log_at(at3, timeline_stamp(at), 1, 2, 3);
	timeline_log_at(at4, timeline_stamp(at), 1, 2, 3, 4);
	return 0;
}

static int
log_spans()
{
	struct timeline_event *s0, *s2, *s3, *s4, *counter;

	if (timeline_define_span(tl, "span", "info", "job", TIMELINE_THREAD,
		&s0) != 0 ||
	    timeline_define_span(tl, "span", "info", "job $a", TIMELINE_THREAD,
		&job) != 0 ||
	    timeline_define_span(tl, "span", "info", "job $a $b",
		TIMELINE_THREAD, &s2) != 0 ||
	    timeline_define_span(tl, "span", "info", "job $a $b $c",
		TIMELINE_THREAD, &s3) != 0 ||
	    timeline_define_span(tl, "span", "info", "job $a $b $c $d",
		TIMELINE_SOURCE, &s4) != 0 ||
	    timeline_define_counter(tl, "span", "info", "queue $n", &counter) !=
		0)
		return fail("define");
	{
		timeline_scope(s0);
		timeline_scope(job, 1);
		timeline_scope(s2, 1, 2);
		timeline_scope(s3, 1, 2, 3);
		timeline_scope(s4, 1, 2, 3, 4);
		timeline_log(counter, 5);
	}
	timeline_begin(job, 6);
	timeline_next(job, 7);
	timeline_end(job, 8);
	const uint64_t begun[] = { timeline_begin(s0), timeline_begin(job, 1),
		timeline_begin(s2, 1, 2), timeline_begin(s3, 1, 2, 3),
		timeline_begin(s4, 1, 2, 3, 4) };
	timeline_end_of(s4, begun[4], 5, 6, 7, 8);
	timeline_end_of(s3, begun[3], 5, 6, 7);
	timeline_end_of(s2, begun[2], 5, 6);
	timeline_end_of(job, begun[1], 5);
	timeline_end_of(s0, begun[0]);
	try {
		timeline_scope(s0);
		timeline_priority(tl, "off");
		throw 1; /* the scope ends, as it was begun */
	} catch (int) {
		timeline_scope(s0);
		timeline_priority(tl, "trace");
		timeline_log(counter, 6);
	}
	return 0;
}

/* An argument that throws ends the span, with arguments of 0. */
static void
throw_in_timer(struct timeline_event *two)
{
	try {
		timeline_timed(two, 5, thrower());
	} catch (int) {
	}
}

static int
log_timers()
{
	struct timeline_event *t0, *t2, *t3, *t4;

	if (timeline_define_timer(tl, "timer", "info", "check", &t0) != 0 ||
	    timeline_define_timer(tl, "timer", "info", "check $a", &timer) !=
		0 ||
	    timeline_define_timer(tl, "timer", "info", "check $a $b", &t2) !=
		0 ||
	    timeline_define_timer(tl, "timer", "info", "check $a $b $c%f",
		&t3) != 0 ||
	    timeline_define_timer(tl, "timer", "info", "check $a $b $c $d",
		&t4) != 0)
		return fail("define_timer");
	is_small(timer, 989);
	{
		timeline_timed(t0);
	}
	{
		timeline_timed(t2, 1, 2);
	}
	{
		timeline_timed(t3, 1, 2, 0.5);
	}
	{
		timeline_timed(t4, 1, 2, 3, 4);
	}
	throw_in_timer(t2);
	timeline_timer_end(t0, timeline_timer_begin(t0));
	timeline_timer_end(timer, timeline_timer_begin(timer), 1);
	timeline_timer_end(t2, timeline_timer_begin(t2), 1, 2);
	timeline_timer_end(t3, timeline_timer_begin(t3), 1, 2, 1.5);
	timeline_timer_end(t4, timeline_timer_begin(t4), 1, 2, 3, 4);
	if (timeline_double(1.0) != UINT64_C(0x3ff0000000000000))
		return fail("double");
	return 0;
}

/* A closed gate keeps arguments from being evaluated. */
static int
log_nothing()
{
	if (timeline_priority(tl, "off") != 0)
		return fail("priority");
	timeline_log(one, thrower());
	timeline_scope(job, thrower());
	timeline_end_of(job, timeline_begin(job, thrower()), thrower());
	timeline_timed(timer, thrower());
	timeline_timer_end(timer, timeline_timer_begin(timer), thrower());
	timeline_log_at(one, 1, thrower());
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc < 2 || timeline_new(&tl, argv[1], NULL) != 0)
		return fail("new");
	printf("%d.%d.%d %s\n", TIMELINE_VERSION_MAJOR, TIMELINE_VERSION_MINOR,
	    TIMELINE_VERSION_PATCH, TIMELINE_VERSION);
	if (log_events() != 0 || log_spans() != 0 || log_timers() != 0 ||
	    log_nothing() != 0)
		return 1;
	timeline_close(tl);
	return 0;
}
