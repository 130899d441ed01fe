/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.c - find events of the kernel among the inputs. */
#include "dump/kernel.h"

#include "event/sched.h"

#include <string.h>

/* Do the definitions of an input have an event of the kernel? */
static bool
has_kernel(const struct tl_source *input)
{
	const size_t count =
	    tl_source_is_open(input) ? tl_source_message_count(input) : 0;

	for (size_t i = 0; i < count; i++)
		if (tl_sched_what(tl_source_message(input, i)) != TL_SCHED_NONE)
			return true;
	return false;
}

bool
tl_kernel_is_beside(const struct tl_source *input,
    const struct tl_options *options)
{
	const size_t size = strlen(input->name);
	const size_t suffix = sizeof(TL_SCHED_SUFFIX) - 1;

	if (size < suffix ||
	    strcmp(input->name + size - suffix, TL_SCHED_SUFFIX) != 0)
		return false;
	for (size_t i = 0; i < options->file_count; i++)
		if (strcmp(options->files[i], input->name) == 0)
			return false;
	return has_kernel(input);
}

int
tl_kernel_states_new(struct tl_states **states, const struct tl_sources *inputs)
{
	struct tl_cursor *cursor;
	int64_t horizon = INT64_MIN;
	bool any = false;
	int rc;

	*states = NULL;
	for (size_t i = 0; i < inputs->count; i++)
		any |= has_kernel(&inputs->items[i]);
	if (!any)
		return 0;
	rc = tl_sources_cursor(inputs, TL_NEWEST_FIRST, &cursor);
	if (rc == 0)
		rc = tl_states_find_horizon(cursor, &horizon);
	return rc < 0 || horizon == INT64_MIN ? rc
					      : tl_states_new(states, horizon);
}
