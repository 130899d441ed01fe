/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - each kind of rule fires on its condition, and only then:
 * rules.cases.  Rules conclude nothing from time that was not observed, and have
 * a memory.
 */
#include "event/filter.h"
#include "lib/golden.h"
#include "lib/random.h"
#include "rules_fixture.h"

#include <timeline.h>

enum { RULES_MAX = 8, LINES_MAX = 64, INFO = 6, DEBUG = 5 };

static struct tl_config_rule list[RULES_MAX];
static size_t count;
static struct tl_rules_host watcher;
static struct tl_observer observer;
static struct tl_message changes[TIMELINE_BUILTIN_PLAN + 1];
static struct tl_text firings;

static void
say_firing(void *context, const struct tl_firing *firing)
{
	(void)context;
	tl_put_format(&firings, "\n\trule %d at ",
	    (int)(firing->rule - list) + 1);
	tl_put_duration(&firings, firing->ns - START);
	tl_put_format(&firings, "%s: %s", firing->event ? "" : ", no event",
	    firing->text);
}

static bool
find_gates(void *context, const struct tl_config_match *match,
    struct tl_rule_gates *gates)
{
	bool any = false;

	(void)context;
	for (size_t i = 0; i < MESSAGES; i++) {
		const struct tl_message *m = &messages[i];

		if ((match->category &&
			!tl_glob_matches(match->category, m->category)) ||
		    (match->message &&
			!tl_glob_matches(match->message, m->line1)))
			continue;
		if (!any || m->gate < gates->lowest)
			gates->lowest = m->gate;
		if (!any || m->gate > gates->highest)
			gates->highest = m->gate;
		any = true;
	}
	return any;
}

/* Messages below info are logged in bursts only. */
static void
observe(bool named)
{
	const struct tl_observed_start start = { .order = TL_OLDEST_FIRST,
		.tiers = 2,
		.base = INFO,
		.named = named,
		.gates = true };

	for (uint8_t i = 0; i <= TIMELINE_BUILTIN_PLAN; i++) {
		changes[i] =
		    (struct tl_message){ .category = tl_bytes_of("timeline"),
			    .builtin = i,
			    .gate = TIMELINE_LEVEL_NONE,
			    .level = INFO };
		ck_assert_ok(
		    tl_message_parse(&changes[i], tl_bytes_of("change")));
	}
	tl_observer_init(&observer, &start);
	observed = watcher.observer = &observer;
	watcher.gates = find_gates;
}

/* A time like 2s+10ms-1; no unit: nanoseconds. */
static int64_t
time_of(const char *text)
{
	int64_t sum = 0;
	char *end;

	while (*text) {
		const int64_t n = strtoll(text, &end, 10);

		ck_assert_ptr_ne(end, text);
		sum += n * (*end == 's'      ? SECOND
			       : *end == 'm' ? MS
			       : *end == 'u' ? 1000
					     : 1);
		text = end + strspn(end, "msu");
	}
	return sum;
}

static void
add_rule(char *line)
{
	static const char *const kinds[] = { [TL_RULE_EVENT] = "event",
		[TL_RULE_SPAN] = "span",
		[TL_RULE_INTERVAL] = "interval",
		[TL_RULE_ABSENT] = "absent",
		[TL_RULE_ARGUMENT] = "argument",
		[TL_RULE_RATE] = "rate",
		[TL_RULE_LEVEL] = "level",
		[TL_RULE_DIED] = "died" };
	char *when = strstr(line, " when="), *word = strsep(&line, " ");
	struct tl_config_rule *r = &list[count++];
	unsigned kind = 0;

	ck_assert_uint_le(count, RULES_MAX);
	while (!kinds[kind] || strcmp(kinds[kind], word) != 0)
		ck_assert_uint_lt(++kind, sizeof(kinds) / sizeof(*kinds));
	*r = rule_of((enum tl_rule_kind)kind);
	if (when) {
		*when = '\0';
		r->when = strdup(when + 6);
	}
	while ((word = when && line >= when ? NULL : strsep(&line, " "))) {
		char *value = strchr(word, '=');

		value = value ? value + 1 : word;
		if (strncmp(word, "message=", 8) == 0)
			r->match.message = strdup(value);
		else if (strncmp(word, "category=", 9) == 0)
			r->match.category = strdup(value);
		else if (strncmp(word, "to=", 3) == 0)
			r->other.message = strdup(value);
		else if (strncmp(word, "argument=", 9) == 0)
			r->argument = strdup(value);
		else if (strncmp(word, "limit=", 6) == 0)
			r->limit_ns = (uint64_t)time_of(value);
		else if (strncmp(word, "every=", 6) == 0)
			r->every_ns = (uint64_t)time_of(value);
		else if (strncmp(word, "max=", 4) == 0)
			r->fires_max = strtoull(value, NULL, 10);
		else if (strncmp(word, "bound=", 6) == 0)
			r->bound = strtod(value, NULL);
		else if (strncmp(word, "clear=", 6) == 0)
			r->clear = strtod(value, NULL);
		else if (strncmp(word, "level=", 6) == 0)
			r->level = (uint8_t)strtoul(value, NULL, 10);
		else if (strcmp(word, "below") == 0)
			r->below = true;
		else
			ck_abort_msg("no member of a rule: %s", word);
	}
}

static unsigned
message_of(const char *name)
{
	static const char *const names[MESSAGES] = { "depth", "signed", "ratio",
		"name", "work", "step", "ping", "pong", "bad" };
	unsigned i = 0;

	while (strcmp(names[i], name) != 0)
		ck_assert_uint_lt(++i, MESSAGES);
	return i;
}

static void
put_change(unsigned builtin, int64_t ns, uint64_t a, uint64_t b, uint64_t c,
    uint64_t d)
{
	put_observed((struct tl_event){ .message = &changes[builtin],
	    .ns = START + ns + wall_offset,
	    .tsc = (uint64_t)(START + ns),
	    .args = { a, b, c, d } });
}

/* Set a gate, by two entries that name the message or by one that does not. */
static void
set_gate(int64_t ns, unsigned message, uint8_t gate, bool named)
{
	const uint64_t before = messages[message].gate;

	messages[message].gate = gate;
	messages[message].id = 100 + message;
	for (unsigned made = !named; made < 2; made++)
		put_change(TIMELINE_BUILTIN_LEVEL, ns, gate, 1,
		    named ? messages[message].id : 0,
		    named ? before | (uint64_t)gate << TIMELINE_LEVEL_AFTER |
				(uint64_t)made << TIMELINE_LEVEL_MADE
			  : 0);
}

/* An end that proves a span, or a begin that will be proven. */
static void
put_proven(unsigned message, enum tl_kind kind, int64_t ns, int64_t begun)
{
	const bool ends = kind == TL_END;

	put_observed((struct tl_event){ .message = &messages[message],
	    .kind = (uint8_t)kind,
	    .ns = START + ns,
	    .tsc = (uint64_t)(START + ns),
	    .begun_ns = ends ? START + begun : 0,
	    .begun_tsc = ends ? (uint64_t)(START + begun) : 0,
	    .duration_ns = ends ? ns - begun : 0,
	    .proven = true,
	    .pid = 7,
	    .tid = 7 });
}

static void
put_value(unsigned message, int64_t ns, const char *text)
{
	double value = text ? strtod(text, NULL) : 0;
	uint64_t bits = text && *text == '-' ? (uint64_t)strtoll(text, NULL, 10)
			: text               ? strtoull(text, NULL, 10)
					     : 0;

	if (message == RATIO)
		memcpy(&bits, &value, sizeof(bits));
	put(message, ns, bits);
}

/* Run a line "TIME COMMAND MESSAGE VALUE". */
static void
run_at(char *line, int64_t offset)
{
	const int64_t ns = offset + time_of(strsep(&line, " "));
	const char *what = strsep(&line, " ");
	const char *first = line ? strsep(&line, " ") : NULL, *second = line;
	const uint64_t n = first ? strtoull(first, NULL, 10) : 0;

	if (strcmp(what, "tick") == 0)
		tick(ns);
	else if (strcmp(what, "wall") == 0) /* is ahead of the stamps */
		wall_offset = time_of(first);
	else if (strcmp(what, "lose") == 0)
		lose(ns);
	else if (strcmp(what, "burst") == 0) /* from debug on */
		put_change(TIMELINE_BUILTIN_BURST, ns, DEBUG, INFO,
		    (uint64_t)(START + ns + time_of(first)), 0);
	else if (strcmp(what, "priority") == 0)
		put_change(TIMELINE_BUILTIN_PRIORITY, ns, n, n, 0, 0);
	else if (strcmp(what, "died") == 0)
		tl_rules_died(rules, (uint32_t)n, second, START + ns);
	else if (strcmp(what, "put") == 0)
		put_value(message_of(first), ns, second);
	else if (strcmp(what, "begin") == 0)
		begin(message_of(first), ns,
		    second ? strtoull(second, NULL, 10) : 0);
	else if (strcmp(what, "end") == 0)
		end(message_of(first), ns);
	else if (strcmp(what, "bare") == 0 || strcmp(what, "end_epoch") == 0)
		put_observed(
		    (struct tl_event){ .message = &messages[message_of(first)],
			.kind = TL_END,
			.ns = START + ns,
			.tsc = (uint64_t)(START + ns),
			.pid = 7,
			.tid = 7,
			.epoch = *what == 'e',
			.bare = *what == 'b' });
	else if (strcmp(what, "begin_proven") == 0)
		put_proven(message_of(first), TL_BEGIN, ns, 0);
	else if (strcmp(what, "end_of") == 0)
		put_proven(message_of(first), TL_END, ns, time_of(second));
	else if (strcmp(what, "gate") == 0 || strcmp(what, "named_gate") == 0)
		set_gate(ns, message_of(first),
		    (uint8_t)strtoul(second, NULL, 10), *what == 'n');
	else
		ck_abort_msg("no command: %s", what);
}

/* The lines of loops, until the end of the outermost. */
static char *loop[LINES_MAX];
static size_t loop_size;

/* Run the lines from the "times" at line i on; returns the line behind. */
static size_t
run_loop(size_t i, int64_t offset)
{
	char step[32];
	size_t end = i;
	int times;

	ck_assert_int_eq(sscanf(loop[i], "times %d %31s", &times, step), 2);
	for (int n = 0; n < times; n++) {
		const int64_t at = offset + n * time_of(step);

		for (end = i + 1; strcmp(loop[end], "end") != 0;) {
			char line[128];

			if (strncmp(loop[end], "times ", 6) == 0) {
				end = run_loop(end, at);
				continue;
			}
			snprintf(line, sizeof(line), "%s", loop[end++]);
			run_at(line, at);
		}
	}
	return end + 1;
}

/* Keep a line of a loop.  Returns false outside of loops; runs a whole loop. */
static bool
is_of_loop(const char *line)
{
	static unsigned depth;

	depth += strncmp(line, "times ", 6) == 0;
	if (depth == 0)
		return false;
	ck_assert_uint_lt(loop_size, LINES_MAX);
	loop[loop_size++] = strdup(line);
	depth -= strcmp(line, "end") == 0;
	if (depth == 0) {
		run_loop(0, 0);
		while (loop_size > 0)
			free(loop[--loop_size]);
	}
	return true;
}

static void
put_status(struct tl_text *out)
{
	struct tl_rule_status s;

	tl_rules_status(rules, 0, &s);
	tl_put_format(out, " = fired %d, suppressed %d%s", (int)s.fired,
	    (int)s.suppressed, s.off ? ", off" : "");
	if (s.suspended || s.suspended_ns > 0) {
		tl_put_format(out, ", suspended %s",
		    s.suspended ? "now for " : "");
		if (s.suspended)
			tl_put_duration(out, s.suspended_now_ns);
		tl_put_string(out, s.suspended ? " of " : "for ");
		tl_put_duration(out, s.suspended_ns);
	}
}

/*
 * Run a line, and print what fired:
 *	rule KIND limit=10ms ...
 *	observe [named]		levels are observed
 *	TIME put ping 5		and begin, end, tick, burst, ...
 *	times 10 20ms		the lines up to "end", each time 20 ms later
 *	status			of the first rule
 */
static void
run_line(struct tl_text *out, const char *text)
{
	struct tl_fault fault = { 0 };
	char line[256];

	snprintf(line, sizeof(line), "%s", text);
	if (strncmp(line, "rule ", 5) == 0) {
		add_rule(line + 5);
		return;
	}
	if (strncmp(line, "observe", 7) == 0 && line[7] != 'd') {
		observe(line[7] == ' ');
		return;
	}
	if (strncmp(line, "builtin ", 8) == 0) {
		messages[message_of(line + 8)].builtin = TIMELINE_BUILTIN_BURST;
		return;
	}
	if (strncmp(line, "timer ", 6) == 0) {
		messages[message_of(line + 6)].timer = true;
		return;
	}
	if (!rules) {
		watcher.fired = say_firing;
		watcher.failed = note_failed;
		ck_assert_msg(tl_rules_new(&rules, list, count, &watcher,
				  &fault) == 0,
		    "%s", fault.text);
	}
	if (strcmp(line, "status") == 0)
		put_status(out);
	else if (strcmp(line, "unobserved") == 0)
		tl_observe_loss(&observer);
	else if (strcmp(line, "observed_again") == 0)
		tl_observe_again(&observer);
	else if (!is_of_loop(line))
		run_at(line, 0);
	tl_put_bytes(out, tl_bytes(firings.data, firings.size));
	tl_text_clear(&firings);
	ck_assert_uint_eq(seen.failures, 0);
}

static void
teardown(void)
{
	tl_rules_free(rules);
	tl_text_free(&firings);
}

TEST_FILE(.setup = rules_fixture_define, .teardown = teardown);

TEST_LINES(rules_fire, "tests/unit/daemon/rules.cases", run_line);

/* Two rules of a rate that slots of a tenth of the time show. */
TEST(a_rate_counts_the_time_of_open_slots)
{
	enum { SHIFT = 17 }; /* a slot of 131 us */
	const uint64_t seed = 12345, share = UINT32_MAX / 10;
	struct tl_text out = { 0 };
	uint64_t state = 7;

	run_line(&out, "observe");
	run_line(&out, "rule rate message=ping* limit=200ms below bound=500");
	run_line(&out, "rule rate message=ping* limit=200ms bound=1500");
	run_line(&out, "0 tick");
	put_change(TIMELINE_BUILTIN_PLAN, 0, DEBUG | SHIFT << 8, share, seed,
	    UINT64_MAX);
	for (int64_t i = 0; i < 20000; i++) {
		const int64_t ns =
		    i * MS + (int64_t)random_below(&state, MS / 2);
		const uint64_t slot =
		    timeline_slot((uint64_t)(START + ns), SHIFT);

		if (timeline_slot_hash(slot, seed) < share)
			put(PING, ns, 0);
		if (i % 10 == 0)
			tick(ns);
	}
	/* 200 entries in the window, with a deviation of 14 */
	ck_assert_uint_eq(firings.size, 0);
	for (int64_t i = 20000; i < 22000; i++)
		tick(i * MS);
	ck_assert_ptr_nonnull(strstr(tl_text_string(&firings), "rule 1 at"));
	ck_assert_ptr_null(strstr(tl_text_string(&firings), "rule 2"));
	tl_text_free(&out);
}
