/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c - a bounded look at what was logged since the last. */
#include "ctl/sample.h"
#include "snap/snap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Its geometry never changes, or it is no timeline any more. */
static int
look(struct tl_sample *s, struct tl_call *call)
{
	int rc = tl_look_again(&s->look, true);

	if (rc != 0)
		return tl_call_fault(call, s->name.shown, rc, &s->look.fault);
	if (s->heads && s->look.glance.lane_count != s->lane_count)
		return tl_call_fail(call, s->name.shown, -EBADMSG,
		    "its geometry changed");
	return 0;
}

static void
keep_heads(struct tl_sample *s)
{
	for (size_t i = 0; i < s->lane_count; i++)
		s->heads[i] = s->look.glance.lanes[i].head;
	s->dropped = s->look.glance.dropped;
}

static int
follow(struct tl_sample *s, struct tl_call *call, uint64_t tail)
{
	struct tl_fault fault = { 0 };
	int rc;

	tl_cursor_close(s->cursor);
	s->cursor = NULL;
	rc = tl_follow_open_fd(&s->cursor, s->look.fd, tail, &fault);
	return rc == 0 ? 0 : tl_call_fault(call, s->name.shown, rc, &fault);
}

int
tl_sample_open(struct tl_sample *s, struct tl_call *call,
    const struct tl_name *name)
{
	int rc;

	*s = (struct tl_sample){ .name = *name };
	s->look.fd = tl_call_open(call, name);
	if (s->look.fd < 0)
		return s->look.fd;
	if ((rc = look(s, call)) != 0)
		return rc;
	s->lane_count = s->look.glance.lane_count;
	s->heads = calloc(s->lane_count, sizeof(*s->heads));
	if (!s->heads)
		return -ENOMEM;
	keep_heads(s);
	return follow(s, call, 0);
}

/* Lanes in which something was logged share what may be looked at. */
static uint64_t
tail_of_each(const struct tl_sample *s)
{
	uint64_t busy = 0;
	uint64_t tail;

	for (size_t i = 0; i < s->lane_count; i++)
		busy += s->look.glance.lanes[i].head > s->heads[i];
	tail = TL_SAMPLE_MAX / (busy ? busy : 1);
	return tail ? tail : 1;
}

/* Entries before this round are none of it. */
static int
count(struct tl_sample *s)
{
	struct tl_event event;
	int rc = 0;

	for (int i = 0; i < 2 * TL_SAMPLE_MAX; i++) {
		rc = tl_cursor_next(s->cursor, &event);
		if (rc <= 0)
			break;
		if (event.kind == TL_LOST || event.lane >= s->lane_count ||
		    event.number < s->heads[event.lane])
			continue;
		if ((rc = tl_tally_put(&s->tally, &event)) != 0)
			break;
	}
	return rc < 0 ? rc : 0;
}

int
tl_sample_round(struct tl_sample *s, struct tl_call *call)
{
	uint64_t seen;
	int rc = look(s, call);

	if (rc != 0)
		return rc;
	if (s->look.fresh > TL_SAMPLE_MAX)
		rc = follow(s, call, tail_of_each(s));
	if (rc != 0)
		return rc;
	rc = count(s);
	if (rc == -EPIPE || (rc == 0 && s->look.status.st_nlink == 0))
		return tl_call_removed(call, &s->name) == 0 ? -EPIPE : -ENOENT;
	if (rc != 0)
		return tl_call_fail(call, s->name.shown, rc,
		    "cannot be followed any more");
	seen = s->tally.seen;
	s->share =
	    s->look.fresh > seen ? (double)seen / (double)s->look.fresh : 1;
	tl_tally_end_round(&s->tally, (double)s->look.past_ns / 1e9,
	    s->look.fresh);
	s->lost = s->look.glance.dropped > s->dropped
		      ? s->look.glance.dropped - s->dropped
		      : 0;
	keep_heads(s);
	return 0;
}

void
tl_sample_close(struct tl_sample *s)
{
	tl_cursor_close(s->cursor);
	tl_tally_free(&s->tally);
	tl_look_free(&s->look);
	free(s->heads);
}
