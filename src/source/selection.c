/* SPDX-License-Identifier: Apache-2.0 */
/* selection.c - the options that choose entries. */
#include "source/selection.h"

#include "base/text.h"
#include "event/message.h"

#include <errno.h>
#include <stdlib.h>

static int
take_glob(const char **globs, size_t *count, const char *argument,
    struct tl_fault *fault)
{
	if (*count == TL_FILTER_LIST_MAX)
		return tl_usage(fault, argument, "too many of this option");
	globs[(*count)++] = argument;
	return 0;
}

static int
take_number(uint32_t *numbers, size_t *count, const char *argument,
    struct tl_fault *fault)
{
	uint64_t n;

	if (*count == TL_FILTER_LIST_MAX)
		return tl_usage(fault, argument, "too many of this option");
	if (tl_parse_unsigned(argument, &n) < 0 || n > UINT32_MAX)
		return tl_usage(fault, argument,
		    "not a number below 4294967296");
	numbers[(*count)++] = (uint32_t)n;
	return 0;
}

static int
take_priority(struct tl_filter *filter, const char *argument,
    struct tl_fault *fault)
{
	const int level = tl_level_usage(argument, fault);

	if (level > 0)
		filter->min_level = (unsigned)level;
	return level < 0 ? level : 0;
}

static int
take_slower(struct tl_selection *selection, const char *argument,
    struct tl_fault *fault)
{
	if (tl_parse_duration(argument, &selection->slower_ns) < 0 ||
	    selection->slower_ns <= 0)
		return tl_usage(fault, argument, "not a duration like 1ms");
	return 0;
}

/* Take an option that may be given only once. */
static int
take_once(const char **what, const char *argument, const char *twice,
    struct tl_fault *fault)
{
	if (*what)
		return tl_usage(fault, argument, twice);
	*what = argument;
	return 0;
}

void
tl_selection_init(struct tl_selection *selection)
{
	*selection = (struct tl_selection){ 0 };
	tl_filter_init(&selection->filter);
}

#define TIME(bound)          tl_option_bound(argument, &(bound), fault)
#define GLOBS(list, count)   take_glob(list, &(count), argument, fault)
#define NUMBERS(list, count) take_number(list, &(count), argument, fault)
#define ONCE(word, twice)    take_once(&(word), argument, twice, fault)

int
tl_selection_take(struct tl_selection *s, int value, const char *argument,
    struct tl_fault *fault)
{
	struct tl_filter *f = &s->filter;

	switch (value) {
#define SELECTION(letter, name, argument, constant, take, help) \
	case TL_SELECTION_##constant: \
		s->any = true; \
		return take;
#define INPUT(letter, name, argument, constant, take, help) \
	case TL_SELECTION_##constant: \
		return take;
#include "source/selection.def"
#undef INPUT
#undef SELECTION
	default:
		return 1;
	}
}

int
tl_selection_defaults(struct tl_selection *selection, struct tl_fault *fault)
{
	const char *name = getenv("TIMELINE_PRIORITY");
	struct tl_fault wrong = { 0 };
	const int level = name && name[0] ? tl_level_usage(name, &wrong) : 0;

	if (level < 0)
		return tl_usage(fault, "TIMELINE_PRIORITY", wrong.text);
	if (selection->filter.min_level == 0)
		selection->filter.min_level = (unsigned)level;
	return 0;
}

struct tl_remote_plan
tl_selection_remote(const struct tl_selection *s, bool follow)
{
	struct tl_remote_plan plan = { .hosts = s->host_globs,
		.host_count = s->host_glob_count,
		.since_ns = INT64_MIN,
		.until_ns = INT64_MAX,
		.follow = follow };

	/* servers choose blocks by times without corrections */
	if (s->hosts.offset_count > 0)
		return plan;
	/* a bound relative to the newest entry is not known yet */
	if (s->since.given && !s->since.relative)
		plan.since_ns = s->since.ns;
	if (s->until.given && !s->until.relative)
		plan.until_ns = s->until.ns;
	return plan;
}

bool
tl_selection_is_any(const struct tl_selection *selection)
{
	return selection->any || selection->filter.min_level;
}

/* == the options for clocks of hosts == */

static void
warn_of_hosts(void *context, const struct tl_fault *fault)
{
	tl_warn *const *warn = context;

	(*warn)(NULL, fault);
}

int
tl_selection_hosts(const struct tl_selection *selection,
    struct tl_sources *sources, tl_warn *warn, bool in_order,
    struct tl_fault *fault)
{
	const struct tl_report report = { warn_of_hosts, &warn };
	int rc;

	if (!sources->hosts || sources->hosts->count == 0)
		return 0; /* no source is open, and each has a fault */
	rc = tl_sources_apply(sources, &selection->hosts, fault);
	if (rc == 0 && in_order)
		tl_hosts_warn(sources->hosts, &report);
	return rc;
}

void
tl_selection_copies(const struct tl_sources *sources, tl_warn *warn)
{
	const struct tl_report report = { warn_of_hosts, &warn };

	tl_sources_warn_copies(sources, &report);
}
