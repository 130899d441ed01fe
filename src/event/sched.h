/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched.h - the messages of the kernel's scheduler: written by kernel/sched.c,
 * read by analysis/states.c and by the writer of Perfetto traces.
 *
 * The tid and pid of an entry belong to the thread concerned, as numbered in
 * the thread's own pid namespace; the CPU is the CPU on which the entry's event
 * happened.
 */
#ifndef TL_EVENT_SCHED_H
#define TL_EVENT_SCHED_H

#include "base/file.h"
#include "event/event.h"

#include <errno.h>
#include <string.h>

/* The file NAME.sched beside a timeline NAME has the kernel events. */
#define TL_SCHED_SUFFIX ".sched"

/* Set to to the path of the .sched file.  Returns 0, or -ENAMETOOLONG with an
 * empty to. */
static inline int
tl_sched_path(char to[TL_PATH_MAX], const char *path)
{
	const size_t size = strlen(path);

	to[0] = '\0';
	if (size > TL_PATH_MAX - sizeof(TL_SCHED_SUFFIX))
		return -ENAMETOOLONG;
	memcpy(to, path, size);
	memcpy(to + size, TL_SCHED_SUFFIX, sizeof(TL_SCHED_SUFFIX));
	return 0;
}

#define TL_SCHED_CATEGORY "sched"
/* state: R, R+ (preempted), S, D ...; next: tid of the task that runs now. */
#define TL_SCHED_OUT "switched out as $state%s for $next $name%s"
#define TL_SCHED_IN  "switched in"
/* by: tid of the task that ran; context: task, interrupt or softirq. */
#define TL_SCHED_WOKEN     "woken by $by $name%s in $context%s"
#define TL_SCHED_INTERRUPT "interrupt $vector%s"
#define TL_SCHED_FAULT     "fault at $address%x"
/* the context of a waking outside of interrupts */
#define TL_SCHED_TASK "task"

enum tl_sched_what {
	TL_SCHED_NONE,
	TL_SCHED_IS_OUT,
	TL_SCHED_IS_IN,
	TL_SCHED_IS_WOKEN,
	TL_SCHED_IS_INTERRUPT,
	TL_SCHED_IS_FAULT
};

/* The scheduler message that m is. */
static inline enum tl_sched_what
tl_sched_what(const struct tl_message *m)
{
	static const char *const texts[] = { NULL, TL_SCHED_OUT, TL_SCHED_IN,
		TL_SCHED_WOKEN, TL_SCHED_INTERRUPT, TL_SCHED_FAULT };

	if (m->category.size != sizeof(TL_SCHED_CATEGORY) - 1 ||
	    memcmp(m->category.data, TL_SCHED_CATEGORY, m->category.size) != 0)
		return TL_SCHED_NONE;
	for (unsigned i = TL_SCHED_IS_OUT; i <= TL_SCHED_IS_FAULT; i++)
		if (m->line1.size == strlen(texts[i]) &&
		    memcmp(m->line1.data, texts[i], m->line1.size) == 0)
			return (enum tl_sched_what)i;
	return TL_SCHED_NONE;
}

/* Is any of count messages a scheduler message? */
static inline bool
tl_sched_is_any(const struct tl_message *const *messages, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (tl_sched_what(messages[i]) != TL_SCHED_NONE)
			return true;
	return false;
}

#endif
