/* SPDX-License-Identifier: Apache-2.0 */
/*
 * levels.c - the entries show which levels were open at which time, whatever
 * the order of bursts and priorities.
 */
#include "event/levels.h"
#include "lib/golden.h"

#include "clock/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOWS_MAX = 32 };

static const struct tl_message burst_message = { .builtin =
						     TIMELINE_BUILTIN_BURST };
static const struct tl_message priority_message = {
	.builtin = TIMELINE_BUILTIN_PRIORITY
};
static const struct tl_message other_message;

static struct tl_level_window windows[WINDOWS_MAX];
static size_t count;
static struct tl_level_state state;

static int
keep(void *context, const struct tl_level_window *window)
{
	ck_assert_ptr_eq(context, windows);
	ck_assert_uint_lt(count, WINDOWS_MAX);
	windows[count++] = *window;
	return 0;
}

static void
setup(void)
{
	count = 0;
	tl_level_init(&state, keep, windows);
}

/* Print how long a gate was open of the time that is known. */
static void
put_open(struct tl_text *out, int64_t now, unsigned gate)
{
	struct tl_level_state copy = state;
	const size_t before = count;
	int64_t open_ns = 0, known_ns = 0;

	ck_assert_ok(tl_level_end(&copy, now));
	for (size_t i = 0; i < count; i++) {
		const struct tl_level_window *w = &windows[i];

		if (w->threshold == 0)
			continue;
		known_ns += w->to_ns - w->from_ns;
		open_ns += gate >= w->threshold ? w->to_ns - w->from_ns : 0;
	}
	count = before;
	tl_put_format(out, " = %lld of %lld", (long long)open_ns,
	    (long long)known_ns);
}

static void
put_window(struct tl_text *out, const struct tl_level_window *w)
{
	ck_assert_int_lt(w->from_ns, w->to_ns);
	tl_put_format(out, "\n\t%lld..%lld %u", (long long)w->from_ns,
	    (long long)w->to_ns, w->threshold);
	tl_put_string(out, w->burst ? " burst" : "");
	tl_put_string(out, w->sample ? " sample" : "");
	tl_put_string(out, w->merged ? " merged" : "");
	tl_put_string(out, w->joined ? " joined" : "");
	if (w->pid != 0)
		tl_put_format(out, " pid=%u", w->pid);
}

/*
 * Run a line:
 *	begin THRESHOLD BASE FROM UNTIL
 *	burst TIME THRESHOLD BASE UNTIL [sample]	and priority, other
 *	priority_until TIME THRESHOLD BASE UNTIL UNITS	with a stamp of the end
 *	end TIME		all windows, and the counts of bursts
 *	open TIME GATE
 */
static void
run_line(struct tl_text *out, const char *line)
{
	struct tl_event event = { .kind = TL_INSTANT,
		.message = &other_message,
		.pid = 7 };
	long n[5] = { 0 };
	char word[32];
	int words = sscanf(line, "%31s %ld %ld %ld %ld %ld", word, &n[0], &n[1],
	    &n[2], &n[3], &n[4]);

	if (strcmp(word, "begin") == 0) {
		tl_level_begin(&state, (uint8_t)n[0], (uint8_t)n[1], n[2],
		    n[3]);
	} else if (strcmp(word, "open") == 0) {
		put_open(out, n[0], (unsigned)n[1]);
	} else if (strcmp(word, "end") == 0) {
		ck_assert_ok(tl_level_end(&state, n[0]));
		tl_put_format(out, " = bursts %d samples %d merged %d",
		    (int)state.bursts, (int)state.samples,
		    (int)state.merged_bursts);
		for (size_t i = 0; i < count; i++)
			put_window(out, &windows[i]);
	} else {
		event.ns = n[0];
		if (*word == 'b')
			event.message = &burst_message;
		if (*word == 'p')
			event.message = &priority_message;
		event.args[0] = (uint64_t)n[1];
		event.args[1] = (uint64_t)n[2];
		event.args[3] = strstr(line, " sample") != NULL;
		if (words == 6)
			event.args[2] = (uint64_t)n[4] << TIMELINE_UNTIL_SHIFT |
					TIMELINE_UNTIL_BEFORE;
		ck_assert_ok(tl_level_put(&state, &event, n[3]));
	}
}

TEST_FILE(.setup = setup);

TEST_LINES(levels_have_windows, "tests/unit/event/levels.cases", run_line);

static int
full(void *context, const struct tl_level_window *window)
{
	(void)context;
	(void)window;
	return -ENOMEM;
}

TEST(what_the_listener_says_is_handed_on)
{
	const struct tl_event event = { .ns = 100,
		.message = &priority_message,
		.args = { 5, 5 } };

	tl_level_init(&state, full, NULL);
	tl_level_begin(&state, 6, 6, 0, 0);
	ck_assert_int_eq(tl_level_put(&state, &event, 0), -ENOMEM);
}

TEST(the_last_unit_of_a_burst_belongs_to_it)
{
	struct tl_event event = { .args = { 4, 6, 8192 } };

	ck_assert_uint_eq(tl_level_end_stamp(&event), 12288);
	event.args[2] = UINT64_MAX;
	ck_assert_uint_eq(tl_level_end_stamp(&event), UINT64_MAX);
}

TEST(the_list_of_priorities_has_all_of_them_the_highest_first)
{
	char list[128] = "";

	for (unsigned level = TIMELINE_LEVEL_MAX; level > 0; level--)
		snprintf(list + strlen(list), sizeof(list) - strlen(list),
		    "%s%s", list[0] ? ", " : "", tl_level_name(level));
	ck_assert_str_eq(tl_level_names(), list);
}
