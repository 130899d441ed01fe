/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.c - find kernel events among the inputs. */
#include "dump/kernel.h"

#include "event/sched.h"

#include <string.h>

/* Do the definitions of an input contain a kernel event? */
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

/* The time up to which an input has kernel events. */
static int
find_horizon(const struct tl_source *input, int64_t *ns)
{
	struct tl_cursor *cursor;
	const int rc = tl_source_cursor(input, TL_NEWEST_FIRST, &cursor);

	return rc < 0 ? rc : tl_states_find_horizon(cursor, ns);
}

int
tl_kernel_states_new(struct tl_states **states, const struct tl_sources *inputs)
{
	const struct tl_hosts *hosts = inputs->hosts;
	int64_t ns;
	int rc = 0;

	*states = NULL;
	for (size_t i = 0; i < inputs->count && rc == 0; i++) {
		if (!has_kernel(&inputs->items[i]))
			continue;
		rc = find_horizon(&inputs->items[i], &ns);
		if (rc < 0 || ns == INT64_MIN)
			continue;
		if (!*states) /* the other inputs have no events of threads */
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
