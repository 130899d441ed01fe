/* SPDX-License-Identifier: Apache-2.0 */
/* filter.c - the tests of a filter, cheap ones first. */
#include "event/filter.h"

#include <fnmatch.h>

void
tl_filter_init(struct tl_filter *filter)
{
	*filter =
	    (struct tl_filter){ .since_ns = INT64_MIN, .until_ns = INT64_MAX };
}

bool
tl_glob_matches(const char *glob, struct tl_bytes name)
{
	char copy[TL_GLOB_NAME_MAX + 1];
	const size_t size =
	    name.size < TL_GLOB_NAME_MAX ? name.size : TL_GLOB_NAME_MAX;

	for (size_t i = 0; i < size; i++)
		copy[i] = name.data[i] ? name.data[i] : ' ';
	copy[size] = '\0';
	return fnmatch(glob, copy, 0) == 0;
}

bool
tl_glob_matches_message(const char *glob, const struct tl_message *message)
{
	char name[TL_GLOB_NAME_MAX];
	size_t size = message->category.size;

	if (tl_glob_matches(glob, message->line1))
		return true;
	if (size + 1 + message->line1.size > sizeof(name))
		return false;
	if (size > 0)
		memcpy(name, message->category.data, size);
	name[size++] = ':';
	if (message->line1.size > 0)
		memcpy(name + size, message->line1.data, message->line1.size);
	return tl_glob_matches(glob,
	    tl_bytes(name, size + message->line1.size));
}

static bool
any_glob_matches(const char *const *globs, size_t count, struct tl_bytes name)
{
	for (size_t i = 0; i < count; i++) {
		if (tl_glob_matches(globs[i], name))
			return true;
	}
	return count == 0;
}

bool
tl_filter_message(const struct tl_filter *filter,
    const struct tl_message *message)
{
	return message->level >= filter->min_level &&
	       any_glob_matches(filter->categories, filter->category_count,
		   message->category) &&
	       any_glob_matches(filter->messages, filter->message_count,
		   message->line1);
}

static bool
is_listed(const uint32_t *numbers, size_t count, uint32_t n)
{
	for (size_t i = 0; i < count; i++) {
		if (numbers[i] == n)
			return true;
	}
	return count == 0;
}

/* A loss of an unknown CPU passes, because the entries may have been lost on
 * the selected CPU. */
static bool
passes_cpu(const struct tl_filter *filter, const struct tl_event *event)
{
	if (event->kind == TL_LOST && event->cpu == TL_CPU_UNKNOWN)
		return true;
	return is_listed(filter->cpus, filter->cpu_count, event->cpu);
}

bool
tl_filter_place(const struct tl_filter *filter, const struct tl_event *event)
{
	if (!passes_cpu(filter, event))
		return false;
	if (event->kind == TL_LOST) /* a loss has no process */
		return true;
	return is_listed(filter->pids, filter->pid_count, event->pid) &&
	       is_listed(filter->tids, filter->tid_count, event->tid);
}
