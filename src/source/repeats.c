/* SPDX-License-Identifier: Apache-2.0 */
/* repeats.c - find the begins that several files of one recording have. */
#include "source/hosts.h"

#include "base/array.h"
#include "base/table.h"
#include "ring/ring.h"
#include "trace/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS_MAX = 1 << 24 };

struct repeat {
	const struct tl_message *message;
	uint64_t tsc;
	uint32_t epoch;
	uint32_t pid;
	uint32_t tid;
	uint16_t source;
};

/* A file of a recording. */
struct tl_repeats_part {
	struct tl_origin origin;
	int64_t created_ns;
	uint64_t repeated; /* number of begins */
	bool goes_on;      /* a later file repeats begins */
	const struct tl_repeats *all;
};

struct tl_repeats {
	struct tl_repeats_part *parts; /* by source */
	struct repeat *list;
	size_t count;
	size_t capacity;
	struct tl_table table; /* of the list */
};

/* Set the properties of a file.  One without a boot is of no recording. */
static void
describe(struct tl_repeats_part *part, const struct tl_source *source)
{
	const struct tl_trace *trace =
	    tl_source_is_open(source) ? tl_source_trace(source) : NULL;
	struct tl_bytes word;

	if (!trace)
		return;
	tl_source_origin(source, &part->origin);
	part->created_ns = tl_trace_header(trace)->created_ns;
	word = tl_trace_info(trace, "continued");
	for (size_t i = 0; i < word.size && part->repeated < REPEATS_MAX; i++)
		part->repeated =
		    part->repeated * 10 + (uint64_t)(word.data[i] - '0') % 10;
}

/* Is file b a later file of the recording of file a? */
static bool
is_later(const struct tl_repeats_part *a, const struct tl_repeats_part *b)
{
	return tl_boot_is_known(a->origin.boot_id) && a->origin.timeline[0] &&
	       a->created_ns < b->created_ns &&
	       memcmp(a->origin.boot_id, b->origin.boot_id,
		   sizeof(a->origin.boot_id)) == 0 &&
	       strcmp(a->origin.machine, b->origin.machine) == 0 &&
	       strcmp(a->origin.timeline, b->origin.timeline) == 0;
}

/* Read the begins that a file repeats: they are older than its other events,
 * but for a few of another CPU. */
static int
read_repeats(struct tl_repeats *r, const struct tl_source *source, size_t i)
{
	uint64_t left = r->parts[i].repeated;
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc = source->ops->cursor(source, TL_OLDEST_FIRST, &cursor);

	if (rc < 0)
		return rc;
	while (left > 0 && (rc = tl_cursor_next(cursor, &event)) > 0) {
		if (!event.continued)
			continue;
		left--;
		if (TL_ARRAY_ROOM(r->list, r->capacity, r->count) < 0 ||
		    tl_table_add(&r->table, tl_hash_pair(event.tsc, event.tid),
			r->count) < 0) {
			rc = -ENOMEM;
			break;
		}
		r->list[r->count++] = (struct repeat){ .message = event.message,
			.tsc = event.tsc,
			.epoch = event.epoch,
			.pid = event.pid,
			.tid = event.tid,
			.source = (uint16_t)i };
	}
	tl_cursor_close(cursor);
	return rc == -ENOMEM ? rc : 0;
}

int
tl_repeats_find(struct tl_repeats **repeats, struct tl_source *sources,
    size_t count)
{
	struct tl_repeats *r = calloc(1, sizeof(*r));
	int rc = 0;

	*repeats = NULL;
	if (!r || !(r->parts = calloc(count + 1, sizeof(*r->parts))))
		rc = -ENOMEM;
	for (size_t i = 0; rc == 0 && i < count; i++)
		describe(&r->parts[i], &sources[i]);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		bool any = false;

		for (size_t k = 0; r->parts[i].repeated > 0 && k < count; k++)
			if (is_later(&r->parts[k], &r->parts[i]))
				r->parts[k].goes_on = any = true;
		if (any)
			rc = read_repeats(r, &sources[i], i);
	}
	if (rc == 0 && r->count > 0)
		*repeats = r;
	else
		tl_repeats_free(r);
	for (size_t i = 0; i < count; i++) {
		sources[i].part = NULL;
		if (!*repeats || !r->parts[i].goes_on)
			continue;
		r->parts[i].all = r;
		sources[i].part = &r->parts[i];
	}
	return rc;
}

void
tl_repeats_free(struct tl_repeats *repeats)
{
	if (!repeats)
		return;
	tl_table_free(&repeats->table);
	free(repeats->parts);
	free(repeats->list);
	free(repeats);
}

bool
tl_repeats_has(const struct tl_repeats_part *part, const struct tl_event *begin)
{
	const struct tl_repeats *r = part->all;
	struct tl_probe probe =
	    tl_table_probe(&r->table, tl_hash_pair(begin->tsc, begin->tid));
	uint32_t at;

	while (tl_probe_next(&probe, &at)) {
		const struct repeat *one = &r->list[at];

		if (one->tsc == begin->tsc && one->epoch == begin->epoch &&
		    one->pid == begin->pid && one->tid == begin->tid &&
		    tl_bytes_equal(one->message->category,
			begin->message->category) &&
		    tl_bytes_equal(one->message->text, begin->message->text) &&
		    is_later(part, &r->parts[one->source]))
			return true;
	}
	return false;
}
