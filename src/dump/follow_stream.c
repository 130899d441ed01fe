/* SPDX-License-Identifier: Apache-2.0 */
/* follow_stream.c - a stream that is followed as a cursor. */
#include "dump/follow_stream.h"

#include "base/file.h"
#include "event/filter.h"
#include "format/chain_follow.h"
#include "snap/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct stream {
	struct tl_cursor cursor; /* first: what callers see */
	struct tl_input *input;
	const struct tl_remote_plan *plan;
	struct tl_follow_sources *sources;
	struct tl_chain_follow *follow;
	struct tl_remote remote;
	bool is_remote;
	bool ended;
	struct known *known; /* chains that have come */
	size_t known_count;
	size_t known_capacity;
};

struct known {
	uint16_t source;
	bool wanted; /* of a host that is asked for */
};

/* == sources == */

/* One more source, and what it is called where its host has no name. */
static int
add_source(struct tl_follow_sources *s, const struct tl_origin *origin,
    const char *name)
{
	struct tl_host *host = &s->hosts.list[s->count];

	if (s->count == TL_FOLLOW_SOURCES_MAX)
		return -ENOSPC;
	*host = (struct tl_host){ .origin = *origin, .first_input = s->count };
	strncpy(host->name, origin->machine[0] ? origin->machine : name,
	    sizeof(host->name) - 1);
	s->origins[s->count] = *origin;
	s->hosts.of_input[s->count] = (unsigned)s->count;
	s->hosts.count = ++s->count;
	return 0;
}

int
tl_follow_sources_init(struct tl_follow_sources *sources,
    const struct tl_inputs *inputs)
{
	struct tl_origin here;
	int rc = 0;

	*sources = (struct tl_follow_sources){
		.hosts = { .list = calloc(TL_FOLLOW_SOURCES_MAX,
			       sizeof(*sources->hosts.list)),
		    .of_input = calloc(TL_FOLLOW_SOURCES_MAX,
			sizeof(*sources->hosts.of_input)),
		    .are_several = true },
		.origins =
		    calloc(TL_FOLLOW_SOURCES_MAX, sizeof(*sources->origins))
	};
	if (!sources->hosts.list || !sources->hosts.of_input ||
	    !sources->origins)
		return -ENOMEM;
	tl_origin_here(&here);
	for (size_t i = 0; i < inputs->count && rc == 0; i++) {
		rc = add_source(sources, &here, inputs->items[i].name);
		sources->has_streams |= inputs->items[i].is_stream;
	}
	return rc;
}

void
tl_follow_sources_free(struct tl_follow_sources *sources)
{
	free(sources->origins);
	free(sources->hosts.list);
	free(sources->hosts.of_input);
}

/* == a stream == */

static bool
is_asked_for(const struct stream *s, const struct tl_origin *origin)
{
	bool any = s->plan->host_count == 0 || !origin->machine[0];

	for (size_t i = 0; i < s->plan->host_count && !any; i++)
		any = tl_glob_matches(s->plan->hosts[i],
		    tl_bytes_of(origin->machine));
	return any;
}

/* Those that have come since the last event. */
static int
meet_chains(struct stream *s, size_t count)
{
	const size_t capacity = count * 2;
	struct known *known;
	int rc = 0;

	if (count > s->known_capacity) {
		known = realloc(s->known, capacity * sizeof(*known));
		if (!known)
			return -ENOMEM;
		s->known = known;
		s->known_capacity = capacity;
	}
	while (s->known_count < count && rc == 0) {
		struct tl_chain *chain =
		    tl_chain_follow_chain(s->follow, s->known_count);
		struct tl_origin origin;

		tl_chain_origin(chain, &origin);
		s->known[s->known_count++] =
		    (struct known){ (uint16_t)s->sources->count,
			    is_asked_for(s, &origin) };
		rc =
		    s->sources->count == UINT16_MAX
			? -ENOSPC
			: add_source(s->sources, &origin, tl_chain_name(chain));
	}
	return rc;
}

/* Of its host's clock, as it was measured last. */
static uint32_t
bound_of(const struct tl_chain *chain)
{
	const size_t count = tl_chain_knot_count(chain);

	return count > 0 ? tl_chain_knot(chain, count - 1)->sync_err_us
			 : TL_SYNC_UNBOUNDED;
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
		event->sync_us =
		    bound_of(tl_chain_follow_chain(s->follow, event->source));
		event->source = s->known[event->source].source;
	}
	s->ended |= rc == -EPIPE;
	return rc;
}

/* == its end == */

static void
keep_fault(struct tl_input *input, const struct tl_fault *fault)
{
	if (!input->faults)
		input->faults = calloc(1, sizeof(*input->faults));
	if (input->faults)
		*tl_faults_next(input->faults) = *fault;
}

static void
keep_faults(struct stream *s)
{
	const struct tl_faults *rest = tl_chain_follow_faults(s->follow);

	for (size_t i = 0; i < rest->count && i < TL_SNAP_FAULTS_MAX; i++)
		keep_fault(s->input, &rest->list[i]);
	for (size_t k = 0; k < tl_chain_follow_count(s->follow); k++) {
		const struct tl_chain *chain =
		    tl_chain_follow_chain(s->follow, k);
		const size_t count = tl_chain_fault_count(chain);

		for (size_t i = 0; i < count && i < TL_SNAP_FAULTS_MAX; i++)
			keep_fault(s->input, tl_chain_fault(chain, i));
	}
}

static void
stream_close(struct tl_cursor *cursor)
{
	struct stream *s = (struct stream *)(void *)cursor;
	struct tl_fault fault = { 0 };

	if (s->follow)
		keep_faults(s);
	tl_chain_follow_free(s->follow);
	if (s->is_remote && tl_remote_close(&s->remote, !s->ended, &fault) < 0)
		keep_fault(s->input, &fault);
	free(s->known);
	free(s);
}

/* Where its bytes come from: a descriptor of its own, or -errno. */
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
tl_follow_stream_open(struct tl_cursor **cursor, struct tl_input *input,
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
	tl_fault(&input->fault, rc, TL_FAULT_NOWHERE, "%s", strerror(-rc));
	if (s) {
		s->follow = NULL;
		stream_close(&s->cursor);
	}
	return rc;
}
