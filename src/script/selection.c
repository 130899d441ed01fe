/* SPDX-License-Identifier: Apache-2.0 */
/* selection.c - the options that choose entries. */
#include "script/selection.h"

#include "base/text.h"
#include "event/message.h"

#include <errno.h>
#include <stdlib.h>

static int
usage(struct tl_fault *fault, const char *what, const char *value)
{
	return tl_fault(fault, -EINVAL, TL_FAULT_NOWHERE, "%s: %s", value,
	    what);
}

static int
take_bound(struct tl_bound *bound, const char *argument, struct tl_fault *fault)
{
	bound->given = true;
	bound->relative = argument[0] == '-' || argument[0] == '+';
	if (bound->relative && tl_parse_duration(argument, &bound->ns) < 0)
		return usage(fault, "not a duration like -10ms", argument);
	if (!bound->relative && tl_parse_time(argument, &bound->ns) < 0)
		return usage(fault,
		    "not a time like 2026-11-20T19:24:18, nor a duration like "
		    "-10ms",
		    argument);
	return 0;
}

static int
take_glob(const char **globs, size_t *count, const char *argument,
    struct tl_fault *fault)
{
	if (*count == TL_FILTER_LIST_MAX)
		return usage(fault, "too many of this option", argument);
	globs[(*count)++] = argument;
	return 0;
}

static int
take_number(uint32_t *numbers, size_t *count, const char *argument,
    struct tl_fault *fault)
{
	uint64_t n;

	if (*count == TL_FILTER_LIST_MAX)
		return usage(fault, "too many of this option", argument);
	if (tl_parse_unsigned(argument, &n) < 0 || n > UINT32_MAX)
		return usage(fault, "not a number of this kind", argument);
	numbers[(*count)++] = (uint32_t)n;
	return 0;
}

static int
take_priority(struct tl_filter *filter, const char *argument,
    struct tl_fault *fault)
{
	const int level = tl_level_parse(argument);

	if (level <= 0)
		return usage(fault, "not a priority (fatal ... trace+++)",
		    argument);
	filter->min_level = (unsigned)level;
	return 0;
}

/* What there can be but one of. */
static int
take_once(const char **what, const char *argument, const char *twice,
    struct tl_fault *fault)
{
	if (*what)
		return usage(fault, twice, argument);
	*what = argument;
	return 0;
}

void
tl_selection_init(struct tl_selection *selection)
{
	*selection = (struct tl_selection){ 0 };
	tl_filter_init(&selection->filter);
}

int
tl_selection_take(struct tl_selection *selection, int value,
    const char *argument, struct tl_fault *fault)
{
	struct tl_filter *f = &selection->filter;

	switch (value) {
	case TL_SELECTION_SINCE:
		return take_bound(&selection->since, argument, fault);
	case TL_SELECTION_UNTIL:
		return take_bound(&selection->until, argument, fault);
	case TL_SELECTION_CATEGORY:
		return take_glob(f->categories, &f->category_count, argument,
		    fault);
	case TL_SELECTION_MESSAGE:
		return take_glob(f->messages, &f->message_count, argument,
		    fault);
	case TL_SELECTION_MIN_PRIORITY:
		return take_priority(f, argument, fault);
	case TL_SELECTION_PID:
		return take_number(f->pids, &f->pid_count, argument, fault);
	case TL_SELECTION_TID:
		return take_number(f->tids, &f->tid_count, argument, fault);
	case TL_SELECTION_CPU:
		return take_number(f->cpus, &f->cpu_count, argument, fault);
	case TL_SELECTION_EXPRESSION:
		return take_once(&selection->expression, argument,
		    "a second expression: join them with \"and\"", fault);
	case TL_SELECTION_INCLUDE:
		return take_once(&selection->include, argument,
		    "a second --include: join the files", fault);
	case TL_SELECTION_EXCLUDE:
		return take_once(&selection->exclude, argument,
		    "a second --exclude: join the files", fault);
	default:
		return 1;
	}
}

int
tl_selection_defaults(struct tl_selection *selection, struct tl_fault *fault)
{
	const char *name = getenv("TIMELINE_PRIORITY");
	const int level = name && name[0] ? tl_level_parse(name) : 0;

	if (level < 0)
		return usage(fault, "TIMELINE_PRIORITY is not a priority",
		    name);
	if (selection->filter.min_level == 0)
		selection->filter.min_level = (unsigned)level;
	return 0;
}

bool
tl_selection_is_any(const struct tl_selection *selection)
{
	const struct tl_filter *f = &selection->filter;

	return selection->since.given || selection->until.given ||
	       selection->expression || selection->include ||
	       selection->exclude || f->category_count || f->message_count ||
	       f->min_level || f->pid_count || f->tid_count || f->cpu_count;
}
