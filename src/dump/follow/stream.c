/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - a cursor over a stream that is followed. */
#include "dump/follow/sources.h"

#include "base/array.h"
#include "base/file.h"
#include "ring/ring.h"
#include "snap/snap.h"
#include "trace/chain/chain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct stream {
	struct tl_cursor cursor; /* first: what callers see */
	struct tl_source *input;
	const struct tl_remote_plan *plan;
	struct tl_follow_sources *sources;
	struct tl_chain_follow *follow;
	struct tl_remote remote;
	bool is_remote;
	bool ended;
	struct known *known; /* the chains so far */
	size_t known_count;
	size_t known_capacity;
};

/* A clock with more than KNOTS_KEPT_MAX knots starts again from the last
 * KNOTS_KEPT. */
enum { KNOTS_KEPT_MAX = 4096, KNOTS_KEPT = 256 };

struct known {
	uint16_t source;
	bool wanted; /* the host of the chain is selected */
	bool has_boot;
	struct tl_host_clock clock;
	size_t knots; /* number of the chain's knots that the clock has taken */
};

/* == a stream == */

/* Take the chains that have appeared since the last event. */
static int
meet_chains(struct stream *s, size_t count)
{
	int rc = 0;

	while (s->known_count < count && rc == 0) {
		const struct tl_chain *chain =
		    tl_chain_follow_chains(s->follow)->list[s->known_count];

		if (TL_ARRAY_ROOM(s->known, s->known_capacity, s->known_count) <
		    0)
			return -ENOMEM;
		s->known[s->known_count++] =
		    (struct known){ .source = (uint16_t)s->sources->count,
			    .wanted = tl_remote_is_meant(s->plan,
				chain->origin.machine),
			    .has_boot =
				tl_boot_is_known(chain->origin.boot_id) };
		rc = tl_follow_sources_add(s->sources, &chain->origin,
		    chain->name);
	}
	return rc;
}

/* Set the error bound of an event from the clock of its host as measured so
 * far.  Without a clock the bound is TL_SYNC_UNBOUNDED. */
static int
bound(const struct tl_chain *chain, struct known *known, struct tl_event *event)
{
	const size_t count = tl_chain_knot_count(chain);
	int rc = 0;

	if (known->has_boot && known->knots < count) {
		if (known->clock.count > KNOTS_KEPT_MAX)
			tl_host_clock_free(&known->clock);
		if (known->clock.count == 0 && count > KNOTS_KEPT)
			known->knots = count - KNOTS_KEPT;
		while (rc == 0 && known->knots < count)
			rc = tl_host_clock_add(&known->clock,
			    tl_chain_knot(chain, known->knots++));
		tl_host_clock_settle(&known->clock);
	}
	event->sync_us = tl_host_clock_at(&known->clock, event);
	return rc;
}

static int
stream_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct stream *s = (struct stream *)(void *)cursor;
	int rc;

	do {
		rc = tl_chain_follow_next(s->follow, event);
		if (rc > 0 && event->source >= s->known_count &&
		    (rc = meet_chains(s, event->source + 1u)) == 0)
			rc = 1;
	} while (rc > 0 && !s->known[event->source].wanted);
	if (rc > 0) {
		struct known *known = &s->known[event->source];

		if (bound(tl_chain_follow_chains(s->follow)
			      ->list[event->source],
			known, event) < 0)
			rc = -ENOMEM;
		event->source = known->source;
		tl_follow_sources_shift(s->sources, event);
	}
	s->ended |= rc == -EPIPE;
	return rc;
}

/* == the end of a stream == */

static void
add_faults(struct stream *s, const struct tl_faults *faults)
{
	for (size_t i = 0; i < faults->count && i < TL_SNAP_FAULTS_MAX; i++)
		tl_source_add_fault(s->input, &faults->list[i]);
}

static void
stream_close(struct tl_cursor *cursor)
{
	struct stream *s = (struct stream *)(void *)cursor;
	struct tl_fault fault = { 0 };

	if (s->follow) {
		const struct tl_chains *chains =
		    tl_chain_follow_chains(s->follow);

		add_faults(s, &chains->faults);
		for (size_t k = 0; k < chains->count; k++)
			if (chains->list[k]->faults)
				add_faults(s, chains->list[k]->faults);
	}
	tl_chain_follow_free(s->follow);
	if (s->is_remote && tl_remote_close(&s->remote, !s->ended, &fault) < 0)
		tl_source_add_fault(s->input, &fault);
	for (size_t i = 0; i < s->known_count; i++)
		tl_host_clock_free(&s->known[i].clock);
	free(s->known);
	free(s);
}

/* Open a descriptor of the stream's own to read the bytes from.  -errno on
 * failure. */
static int
open_bytes(struct stream *s)
{
	const char *name = s->input->file;
	int rc;

	if (strcmp(name, "-") == 0)
		rc = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	else if (!tl_remote_is_name(name))
		return tl_open_read(name);
	else if ((rc = tl_remote_open(&s->remote, name, s->plan,
		      &s->input->fault)) < 0)
		return rc;
	else
		s->is_remote = true;
	if (s->is_remote)
		rc = fcntl(s->remote.fd, F_DUPFD_CLOEXEC, 0);
	return rc < 0 ? -errno : rc;
}

int
tl_follow_stream_open(struct tl_cursor **cursor, struct tl_source *input,
    const struct tl_remote_plan *plan, struct tl_follow_sources *sources)
{
	struct stream *s = calloc(1, sizeof(*s));
	int rc = -ENOMEM;

	if (s) {
		*s = (struct stream){ .cursor = { stream_next, stream_close },
			.input = input,
			.plan = plan,
			.sources = sources };
		rc = open_bytes(s);
	}
	if (rc >= 0)
		rc = tl_chain_follow_new(&s->follow, rc);
	if (rc == 0) {
		*cursor = &s->cursor;
		return 0;
	}
	tl_fail(&input->fault, rc, "%s", strerror(-rc));
	if (s) {
		s->follow = NULL;
		stream_close(&s->cursor);
	}
	return rc;
}
