/* SPDX-License-Identifier: Apache-2.0 */
/*
 * levels.c - names of levels, and which levels were open when.
 */
#include "event/levels.h"

#include "base/options.h"
#include "clock/clock.h"
#include "event/message.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#define PRIORITY(constant, level, name) [level] = name,
static const char *const names[] = {
	[TIMELINE_LEVEL_OFF] = "off",
#include "event/priorities.def"
};
#undef PRIORITY

#define PRIORITY(constant, level, name) \
	_Static_assert(level >= TIMELINE_LEVEL_MIN && \
			   level <= TIMELINE_LEVEL_MAX, \
	    name);
#include "event/priorities.def"
#undef PRIORITY

_Static_assert(sizeof(names) / sizeof(names[0]) == TIMELINE_LEVEL_MAX + 1, "");

const char *
tl_level_name(unsigned level)
{
	return level <= TIMELINE_LEVEL_MAX ? names[level] : "?";
}

const char *
tl_level_names(void)
{
	return "fatal, error, warning, info, debug, trace, trace+, trace++, "
	       "trace+++";
}

int
tl_level_of(struct tl_bytes name)
{
	const char first = name.size > 0 ? name.data[0] : '\0';

	for (int i = TIMELINE_LEVEL_MIN; i <= TIMELINE_LEVEL_MAX; i++) {
		if (first == names[i][0] &&
		    tl_bytes_equal(name, tl_bytes_of(names[i])))
			return i;
	}
	return -EINVAL;
}

int
tl_level_parse(const char *name)
{
	static const struct {
		const char *name;
		int level;
	} others[] = { { "warn", 7 }, { "err", 8 }, { "crit", 9 },
		{ "critical", 9 } };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (strcasecmp(name, others[i].name) == 0)
			return others[i].level;
	}
	for (int i = TIMELINE_LEVEL_MIN; i <= TIMELINE_LEVEL_MAX; i++) {
		if (strcasecmp(name, names[i]) == 0)
			return i;
	}
	return -EINVAL;
}

int
tl_level_usage(const char *name, struct tl_fault *fault)
{
	const char *highest_first[TIMELINE_LEVEL_MAX];
	const int level = tl_level_parse(name);

	if (level > 0)
		return level;
	for (int i = 0; i < TIMELINE_LEVEL_MAX; i++)
		highest_first[i] = names[TIMELINE_LEVEL_MAX - i];
	return tl_option_choose(highest_first, TIMELINE_LEVEL_MAX, name,
	    "priority", fault);
}

const char *
tl_level_color(unsigned level)
{
	static const char *const colors[] = { "\033[2m", /* trace levels */
		[5] = "\033[36m",                        /* debug */
		[6] = "",                                /* info */
		[7] = "\033[33m",                        /* warning */
		[8] = "\033[31m",                        /* error */
		[9] = "\033[1;31m" /* fatal */ };

	return colors[level >= 5 && level <= 9 ? level : 0];
}

/* == which levels were open when, read from the entries == */

void
tl_level_init(struct tl_level_state *state, tl_level_closed *closed,
    void *context)
{
	*state =
	    (struct tl_level_state){ .closed = closed, .context = context };
}

/* Report a window that has ended.  A window without length is not reported. */
static int
report_window(struct tl_level_state *s, const struct tl_level_window *window)
{
	if (window->to_ns <= window->from_ns)
		return 0;
	return s->closed ? s->closed(s->context, window) : 0;
}

/* Close the window at now_ns: the burst, if there is one, and the base after
 * the burst.  joined means that a change of the levels ends the burst early. */
static int
close_window(struct tl_level_state *s, int64_t now_ns, bool joined)
{
	struct tl_level_window w = s->window;
	int rc;

	if (!s->begun) { /* the first window */
		s->begun = true;
		s->window.from_ns = now_ns;
		return 0;
	}
	if (w.burst && w.to_ns <= now_ns) {
		if ((rc = report_window(s, &w)) < 0)
			return rc;
		s->window = (struct tl_level_window){
			.from_ns = w.to_ns > w.from_ns ? w.to_ns : w.from_ns,
			.threshold = w.base,
			.base = w.base
		};
		w = s->window;
	}
	w.to_ns = now_ns;
	w.joined = joined && w.burst;
	s->window.from_ns = now_ns;
	return report_window(s, &w);
}

int
tl_level_begin(struct tl_level_state *s, uint8_t threshold, uint8_t base,
    int64_t ns, int64_t until_ns)
{
	const int rc = close_window(s, ns, false);

	s->window = (struct tl_level_window){ .from_ns = ns,
		.to_ns = until_ns,
		.threshold = threshold,
		.base = base,
		.burst = threshold < base };
	return rc;
}

void
tl_level_claim(struct tl_level_claim *claim, const struct tl_event *event)
{
	*claim = (struct tl_level_claim){ .waits = tl_level_is_before(event) &&
						   (event->args[2] &
						       TIMELINE_UNTIL_FOLLOWS),
		.pid = event->pid,
		.tid = event->tid };
	memcpy(claim->args, event->args, sizeof(claim->args));
}

bool
tl_level_confirms(struct tl_level_claim *claim, const struct tl_event *event)
{
	const bool confirms =
	    claim->waits && event->pid == claim->pid &&
	    event->tid == claim->tid &&
	    memcmp(claim->args, event->args, sizeof(claim->args)) == 0;

	claim->waits &= !confirms;
	return confirms;
}

/* An entry changes the levels to threshold and base until until_ns.  A change
 * that needs a confirmation leaves the levels unknown until the
 * confirmation. */
static int
take_change(struct tl_level_state *s, const struct tl_event *event,
    int64_t until_ns)
{
	const bool is_burst = event->message->builtin == TIMELINE_BUILTIN_BURST;
	const uint64_t threshold = event->args[0], base = event->args[1];
	const struct tl_level_window *last;
	bool merged;
	int rc;

	if (!tl_level_is_valid(threshold) ||
	    !tl_level_is_valid(base)) /* damaged entry */
		return 0;
	/* A burst does not change the base, so the base was the same before. */
	if (!s->changed && is_burst && s->window.threshold == 0)
		s->window.threshold = s->window.base = (uint8_t)base;
	/* a burst is open, or claimed and not confirmed yet */
	last = s->claim.waits ? &s->claimed : &s->window;
	merged = is_burst && last->burst && last->to_ns > event->ns;
	rc = close_window(s, event->ns, true);
	if (rc < 0)
		return rc;
	s->bursts += is_burst;
	s->merged_bursts += merged;
	s->samples += is_burst && tl_level_is_sample(event);
	s->changed = true;
	s->claimed = (struct tl_level_window){ .from_ns = event->ns,
		.to_ns = until_ns,
		.threshold = (uint8_t)threshold,
		.base = (uint8_t)base,
		.burst = threshold < base,
		.sample = tl_level_is_sample(event),
		.merged = merged,
		.pid = event->pid };
	tl_level_claim(&s->claim, event);
	s->window = s->claimed;
	if (s->claim.waits)
		s->window = (struct tl_level_window){ .from_ns = event->ns };
	return 0;
}

int
tl_level_put(struct tl_level_state *s, const struct tl_event *event,
    int64_t until_ns)
{
	if (event->kind == TL_LOST) {
		s->claim.waits = false; /* a change may be lost */
		return 0;
	}
	/* a confirmation begins the window that the last change claimed */
	if (event->message->builtin == TIMELINE_BUILTIN_FORCE &&
	    tl_level_confirms(&s->claim, event)) {
		s->window = s->claimed;
		s->window.from_ns = event->ns;
	}
	return tl_level_is_change(event) ? take_change(s, event, until_ns) : 0;
}

int
tl_level_end(struct tl_level_state *s, int64_t now_ns)
{
	return close_window(s, now_ns, false);
}
