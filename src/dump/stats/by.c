/* SPDX-License-Identifier: Apache-2.0 */
/* by.c - the values of an argument as rows of --stats. */
#include "dump/stats/by.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

/* The number of the argument, from 1; 0: the message lacks it. */
static unsigned
argument_of(const struct tl_stats_by *by, const struct tl_message *message)
{
	const struct tl_bytes name = tl_bytes_of(by->name);

	for (unsigned i = 0; i < message->argc; i++)
		if (tl_bytes_equal(message->args[i].name, name))
			return i + 1;
	return 0;
}

static struct tl_id_key
begin_key(const struct tl_message *message, uint32_t tid, int64_t ns,
    uint64_t tsc)
{
	return (struct tl_id_key){ (uint64_t)(uintptr_t)message,
		(uint64_t)ns ^ tsc << 1 ^ (uint64_t)tid << 40 };
}

int
tl_stats_by_look(struct tl_stats_by *by, const struct tl_event *event)
{
	const struct tl_span *span = event->span;
	const unsigned arg =
	    event->message ? argument_of(by, event->message) : 0;
	uint32_t number;
	int rc;

	if (arg == 0 || !span || span->alone || event->bare ||
	    event->args[arg - 1] == span->args[arg - 1])
		return 0;
	rc = tl_id_map_get(&by->begins,
	    begin_key(event->message, span->tid, span->begin_ns,
		span->begin_tsc),
	    &number);
	if (rc < 0)
		return rc == -ENOSPC ? 0 : rc;
	if (TL_ARRAY_ROOM(by->values, by->capacity, number) < 0)
		return -ENOMEM;
	by->values[number] = event->args[arg - 1];
	return 0;
}

unsigned
tl_stats_by_key(struct tl_stats_by *by, const struct tl_event *event,
    const struct tl_event *named, struct tl_id_key *key)
{
	const struct tl_id_key begin =
	    begin_key(event->message, event->tid, event->ns, event->tsc);
	const unsigned arg = argument_of(by, named->message);
	uint32_t number;

	if (arg == 0)
		return 0;
	if (event->kind == TL_BEGIN && tl_id_map_has(&by->begins, begin) &&
	    tl_id_map_get(&by->begins, begin, &number) == 0)
		key->b = by->values[number];
	else if (tl_event_has_args(named))
		key->b = named->args[arg - 1];
	else
		key->a |= 1;
	return arg;
}

void
tl_stats_by_free(struct tl_stats_by *by)
{
	tl_id_map_free(&by->begins);
	free(by->values);
}
