/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.c - find the sources that share a clock, and correct their times. */
#include "source/hosts.h"

#include "base/options.h"
#include "base/table.h"
#include "base/text.h"
#include "clock/clock.h"
#include "clock/convert.h"
#include "event/sched.h"
#include "ring/ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS_MAX = 4 }; /* kinds of clocks, at most */

/* == finding hosts == */

/* The search for hosts.  Hosts whose boot id is known are found by the number
 * of their boot id. */
struct finder {
	struct tl_source *sources;
	size_t count;
	struct tl_hosts *hosts;
	struct tl_id_map numbers;
	unsigned *of_number; /* index of the host, by number */
};

static unsigned
add_host(struct finder *f, size_t source, const struct tl_origin *origin,
    unsigned kind)
{
	struct tl_host *host = &f->hosts->list[f->hosts->count];

	*host = (struct tl_host){ .origin = *origin,
		.kind = kind,
		.first_source = source };
	snprintf(host->name, sizeof(host->name), "%s",
	    origin->machine[0] ? origin->machine
			       : tl_source_base_name(f->sources[source].name));
	return (unsigned)f->hosts->count++;
}

static const struct timeline_knot *
knot_at(const void *source, size_t i)
{
	return tl_source_knot(source, i);
}

/* Find the host of a source.  One boot of a machine has two hosts if it has two
 * kinds of clocks, and more hosts if the machine was copied. */
static int
find_host(struct finder *f, size_t source, const struct tl_origin *origin,
    unsigned kind, unsigned *index)
{
	struct tl_id_key key;
	uint32_t number;
	int rc = 0;

	if (!tl_boot_is_known(origin->boot_id)) {
		*index = add_host(f, source, origin, kind);
		return 0;
	}
	memcpy(&key, origin->boot_id, sizeof(key));
	key.b += kind;
	for (bool is_copy = false; rc == 0; is_copy = true) {
		rc = tl_id_map_get(&f->numbers, key, &number);
		if (rc > 0) {
			f->of_number[number] =
			    add_host(f, source, origin, kind);
			f->hosts->list[f->of_number[number]].is_copy = is_copy;
		}
		if (rc >= 0)
			*index = f->of_number[number];
		if (rc == 0) {
			const struct tl_source *a =
			    &f->sources[f->hosts->list[*index].first_source];
			const struct tl_source *b = &f->sources[source];
			const struct tl_knot_list x = { a,
				tl_source_knot_count(a), knot_at };
			const struct tl_knot_list y = { b,
				tl_source_knot_count(b), knot_at };

			/* do both have the same clock? */
			if (tl_knots_agree(&x, &y))
				break;
		}
		key.b += KINDS_MAX;
	}
	return rc < 0 ? rc : 0;
}

/* Add an open source to its host; a new host is made. */
static int
add_source(struct finder *f, size_t source)
{
	const struct tl_source *item = &f->sources[source];
	struct tl_host_clock *clock;
	struct tl_origin origin;
	unsigned index;
	int rc;

	tl_source_origin(item, &origin);
	rc = find_host(f, source, &origin, tl_source_clock_kind(item), &index);
	if (rc < 0)
		return rc;
	f->hosts->of_source[source] = index;
	clock = &f->hosts->list[index].clock;
	/* bounds mean nothing if the boot ID is unknown */
	for (size_t i = 0; tl_boot_is_known(origin.boot_id) && rc == 0 &&
			   i < tl_source_knot_count(item);
	     i++)
		rc = tl_host_clock_add(clock, tl_source_knot(item, i));
	return rc;
}

/* Are a and b different machines, or different boots of one machine?  Two hosts
 * of which nothing is known count as the same. */
static bool
do_differ(const struct tl_host *a, const struct tl_host *b)
{
	if (tl_boot_is_known(a->origin.boot_id) ||
	    tl_boot_is_known(b->origin.boot_id))
		return memcmp(a->origin.boot_id, b->origin.boot_id,
			   sizeof(a->origin.boot_id)) != 0;
	return strcmp(a->origin.machine, b->origin.machine) != 0;
}

static int
compare_machines(const void *a, const void *b)
{
	const struct tl_host *const *x = a, *const *y = b;

	return strcmp((*x)->origin.machine, (*y)->origin.machine);
}

static bool
has_machine(const struct tl_host *host, const struct tl_host *other)
{
	return host->origin.machine[0] &&
	       strcmp(host->origin.machine, other->origin.machine) == 0;
}

/* Append the name of a file to the names of hosts that share a machine name. */
static int
tell_apart(struct finder *f)
{
	const size_t count = f->hosts->count;
	struct tl_host **sorted = calloc(count + 1, sizeof(struct tl_host *));

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		sorted[i] = &f->hosts->list[i];
	qsort(sorted, count, sizeof(struct tl_host *), compare_machines);
	for (size_t i = 0; i < count; i++) {
		struct tl_host *host = sorted[i];

		if ((i > 0 && has_machine(host, sorted[i - 1])) ||
		    (i + 1 < count && has_machine(host, sorted[i + 1])))
			snprintf(host->name, sizeof(host->name), "%s (%s)",
			    host->origin.machine,
			    tl_source_base_name(
				f->sources[host->first_source].name));
	}
	free(sorted);
	return 0;
}

/* Finish the search after all sources were added. */
static int
finish(struct finder *f)
{
	struct tl_hosts *hosts = f->hosts;

	for (size_t i = 1; i < hosts->count && !hosts->are_several; i++)
		hosts->are_several =
		    hosts->list[i].is_copy ||
		    do_differ(&hosts->list[0], &hosts->list[i]);
	for (size_t i = 0; i < hosts->count; i++) {
		struct tl_host *host = &hosts->list[i];

		tl_host_clock_settle(&host->clock);
		host->stated_us = tl_host_clock_worst(&host->clock);
		host->is_marked = hosts->are_several;
	}
	for (size_t i = 0; i < f->count; i++) {
		if (tl_source_is_open(&f->sources[i]))
			f->sources[i].host = &hosts->list[hosts->of_source[i]];
	}
	return hosts->are_several ? tell_apart(f) : 0;
}

/*
 * == machines ==
 *
 * A host with two kinds of clocks counts as two hosts, but the machine numbers
 * its processes and threads only once.  Sources without a boot id share a
 * machine if they are FILE and FILE.sched, which has the kernel events of FILE,
 * or if the names of their machines are equal.
 */

enum { UNKNOWN = UINT32_MAX };

static bool
has_boot_id(const struct tl_host *host)
{
	return tl_boot_is_known(host->origin.boot_id);
}

/* The key that hosts of one machine share. */
static struct tl_bytes
identity(const struct tl_host *host)
{
	return has_boot_id(host) ? tl_bytes(host->origin.boot_id,
				       sizeof(host->origin.boot_id))
				 : tl_bytes_of(host->origin.machine);
}

/* Is sched the name of file's kernel events?  file may be the name of a
 * timeline while sched is a path. */
static bool
is_beside(const char *sched, const char *file)
{
	const size_t size = strlen(sched);
	const size_t suffix = sizeof(TL_SCHED_SUFFIX) - 1;
	const char *slash = strrchr(sched, '/');
	const char *name = slash && !strchr(file, '/') ? slash + 1 : sched;

	return size > suffix &&
	       strcmp(sched + size - suffix, TL_SCHED_SUFFIX) == 0 &&
	       strlen(file) + suffix == strlen(name) &&
	       strncmp(name, file, strlen(file)) == 0;
}

/* Give a file and its kernel events, both without a boot id, one machine: the
 * host of the file. */
static void
pair_files(const struct finder *f, size_t sched, unsigned *machines)
{
	const struct tl_hosts *hosts = f->hosts;
	const unsigned own = hosts->of_source[sched];

	if (!tl_source_is_open(&f->sources[sched]) ||
	    has_boot_id(&hosts->list[own]) ||
	    !strstr(f->sources[sched].file, TL_SCHED_SUFFIX))
		return;
	for (size_t i = 0; i < f->count; i++) {
		const unsigned other = hosts->of_source[i];

		if (i != sched && tl_source_is_open(&f->sources[i]) &&
		    !has_boot_id(&hosts->list[other]) &&
		    is_beside(f->sources[sched].file, f->sources[i].file)) {
			machines[own] = machines[other] = other;
			return;
		}
	}
}

/* Set machine_of; the hosts are known. */
static int
find_machines(const struct finder *f)
{
	struct tl_hosts *hosts = f->hosts;
	unsigned *machines = calloc(hosts->count + 1, sizeof(unsigned));
	struct tl_table table = { 0 }; /* the first host of each machine */
	int rc = machines ? 0 : -ENOMEM;

	for (unsigned i = 0; rc == 0 && i < hosts->count; i++)
		machines[i] = UNKNOWN;
	for (size_t i = 0; rc == 0 && i < f->count; i++)
		pair_files(f, i, machines);
	for (unsigned i = 0; rc == 0 && i < hosts->count; i++) {
		const struct tl_host *host = &hosts->list[i], *first;
		const uint64_t hash = tl_hash_bytes(identity(host));
		struct tl_probe probe = tl_table_probe(&table, hash);
		uint32_t other;

		if (machines[i] != UNKNOWN)
			continue;
		machines[i] = i;
		/* a copy numbers its own threads under the same boot id */
		if (host->is_copy)
			continue;
		while (machines[i] == i && tl_probe_next(&probe, &other)) {
			first = &hosts->list[other];
			if (has_boot_id(first) == has_boot_id(host) &&
			    tl_bytes_equal(identity(first), identity(host)))
				machines[i] = other;
		}
		if (machines[i] == i)
			rc = tl_table_add(&table, hash, i);
	}
	for (size_t i = 0; rc == 0 && i < f->count; i++)
		if (tl_source_is_open(&f->sources[i]))
			hosts->machine_of[i] = machines[hosts->of_source[i]];
	free(machines);
	tl_table_free(&table);
	return rc;
}

int
tl_hosts_find(struct tl_hosts **hosts, struct tl_source *sources, size_t count)
{
	struct tl_hosts *h = calloc(1, sizeof(*h));
	struct finder f = { .sources = sources,
		.count = count,
		.hosts = h,
		.of_number = calloc(count + 1, sizeof(unsigned)) };
	int rc = 0;

	if (h) {
		h->list = calloc(count + 1, sizeof(*h->list));
		h->of_source = calloc(count + 1, sizeof(unsigned));
		h->machine_of = calloc(count + 1, sizeof(unsigned));
	}
	if (!h || !h->list || !h->of_source || !h->machine_of || !f.of_number)
		rc = -ENOMEM;
	for (size_t i = 0; i < count && rc == 0; i++)
		if (tl_source_is_open(&sources[i]))
			rc = add_source(&f, i);
	if (rc == 0)
		rc = finish(&f);
	if (rc == 0)
		rc = find_machines(&f);
	free(f.of_number);
	tl_id_map_free(&f.numbers);
	*hosts = h;
	if (rc == 0)
		return 0;
	for (size_t i = 0; i < count; i++)
		sources[i].host = NULL;
	tl_hosts_free(h);
	*hosts = NULL;
	return rc;
}

void
tl_hosts_free(struct tl_hosts *hosts)
{
	if (!hosts)
		return;
	for (size_t i = 0; i < hosts->count; i++)
		tl_host_clock_free(&hosts->list[i].clock);
	free(hosts->list);
	free(hosts->of_source);
	free(hosts->machine_of);
	free(hosts);
}

/* == times == */

struct source_cursor {
	struct tl_cursor cursor; /* first: callers hold a pointer to it */
	struct tl_cursor *inner;
	const struct tl_repeats_part *part; /* NULL: no begin is repeated */
	struct tl_host *host;               /* NULL: no time is corrected */
};

void
tl_host_move(struct tl_event *event, int64_t offset_ns)
{
	event->ns = tl_add_ns(event->ns, offset_ns);
	if (event->begun_ns != 0 || tl_event_is_stamped(event))
		event->begun_ns = tl_add_ns(event->begun_ns, offset_ns);
}

static int
source_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct source_cursor *c = (struct source_cursor *)(void *)cursor;
	struct tl_host *host = c->host;
	int rc;

	do
		rc = tl_cursor_next(c->inner, event);
	while (rc > 0 && c->part && event->kind == TL_BEGIN &&
	       tl_repeats_has(c->part, event));
	if (rc <= 0 || !host)
		return rc;
	if (host->is_marked)
		event->sync_us = tl_host_clock_at(&host->clock, event);
	tl_host_move(event, host->offset_ns);
	return rc;
}

static void
source_close(struct tl_cursor *cursor)
{
	struct source_cursor *c = (struct source_cursor *)(void *)cursor;

	tl_cursor_close(c->inner);
	free(c);
}

int
tl_source_cursor(const struct tl_source *source, enum tl_order order,
    struct tl_cursor **cursor)
{
	struct tl_host *host = source->host;
	struct source_cursor *c;
	const int rc = source->ops->cursor(source, order, cursor);

	if (host && !host->is_marked && host->offset_ns == 0)
		host = NULL;
	if (rc < 0 || (!host && !source->part))
		return rc;
	if (!(c = calloc(1, sizeof(*c)))) {
		tl_cursor_close(*cursor);
		return -ENOMEM;
	}
	*c = (struct source_cursor){ { source_next, source_close }, *cursor,
		source->part, host };
	*cursor = &c->cursor;
	return 0;
}

int64_t
tl_source_shifted(const struct tl_source *source, int64_t ns)
{
	return source->host ? tl_add_ns(ns, source->host->offset_ns) : ns;
}

static int
find_newest(const struct tl_source *source, int64_t *ns)
{
	struct tl_cursor *cursor;
	const int rc = source->ops->cursor(source, TL_NEWEST_FIRST, &cursor);

	return rc < 0 ? rc : tl_cursor_newest(cursor, ns);
}

int
tl_source_newest(const struct tl_source *source, int64_t *ns)
{
	const int rc = source->ops->newest ? source->ops->newest(source, ns)
					   : find_newest(source, ns);

	if (rc == 0)
		*ns = tl_source_shifted(source, *ns);
	return rc;
}

bool
tl_source_cut(const struct tl_source *source, struct tl_event *cut)
{
	struct tl_observed_start start;

	if (tl_source_observed(source, &start) < 0 || start.cut.tsc == 0)
		return false;
	*cut = (struct tl_event){ .tsc = start.cut.tsc,
		.epoch = start.cut.epoch,
		.ns = tl_source_shifted(source, start.cut_ns),
		.steps_ns = start.cut_steps_ns };
	return true;
}

/* == the options of a command line == */

/* Set *ns to the NS of "HOST=NS".  Returns the '=', or NULL if the text is
 * invalid. */
static const char *
parse_offset(const char *text, int64_t *ns)
{
	const char *equals = strrchr(text, '=');

	if (!equals || equals == text || tl_parse_duration(equals + 1, ns) < 0)
		return NULL;
	return equals;
}

int
tl_hosts_plan_offset(struct tl_hosts_plan *plan, const char *text,
    struct tl_fault *fault)
{
	const char *equals = strrchr(text, '=');
	int64_t ns;

	if (plan->offset_count == TL_HOSTS_OFFSETS_MAX)
		return tl_fail(fault, -EINVAL, "%s: too many offsets", text);
	if (!equals || equals == text)
		return tl_fail(fault, -EINVAL,
		    "%s: not HOST=OFFSET like host-b=-1.5ms", text);
	if (tl_option_duration(equals + 1, &ns, fault) < 0)
		return -EINVAL;
	plan->offsets[plan->offset_count++] = text;
	return 0;
}

static bool
is_word(const char *name, const char *word, size_t size)
{
	return strlen(name) == size && memcmp(name, word, size) == 0;
}

int64_t
tl_hosts_plan_given(const struct tl_hosts_plan *plan, const char *const *names,
    size_t count)
{
	int64_t given_ns = 0, ns;

	for (size_t i = 0; i < plan->offset_count; i++) {
		const char *word = plan->offsets[i];
		const size_t size = (size_t)(parse_offset(word, &ns) - word);
		bool is_meant = false;

		for (size_t k = 0; k < count && !is_meant; k++)
			is_meant =
			    is_word(names[k], word, size) ||
			    is_word(tl_source_base_name(names[k]), word, size);
		if (is_meant)
			given_ns = tl_add_ns(given_ns, ns);
	}
	return given_ns;
}

/* Is word the name or number of a source, or the name of its host? */
static bool
is_called(const struct tl_source *sources, size_t i, const char *word,
    size_t size)
{
	const struct tl_host *host = sources[i].host;
	const char *name = sources[i].name;
	char number[24];

	snprintf(number, sizeof(number), "%zu", i + 1);
	return is_word(host->origin.machine, word, size) ||
	       is_word(host->name, word, size) || is_word(name, word, size) ||
	       is_word(tl_source_base_name(name), word, size) ||
	       is_word(number, word, size);
}

int
tl_hosts_shift(struct tl_hosts *hosts, const struct tl_source *sources,
    size_t count, const struct tl_hosts_plan *plan, struct tl_fault *fault)
{
	bool *done = calloc(hosts->count + 1, sizeof(*done));
	int rc = done ? 0 : -ENOMEM;

	/* add each offset once to every host of the given name */
	for (size_t k = 0; k < plan->offset_count && rc == 0; k++) {
		int64_t ns = 0;
		const char *word = plan->offsets[k];
		const size_t size = (size_t)(parse_offset(word, &ns) - word);
		bool any = false;

		memset(done, 0, hosts->count * sizeof(*done));
		for (size_t i = 0; i < count; i++) {
			struct tl_host *host = sources[i].host;

			if (!host || done[host - hosts->list] ||
			    !is_called(sources, i, word, size))
				continue;
			done[host - hosts->list] = any = true;
			host->given_ns = tl_add_ns(host->given_ns, ns);
			host->offset_ns = tl_add_ns(host->offset_ns, ns);
		}
		if (!any) {
			struct tl_text text = { 0 };

			for (size_t i = 0; i < hosts->count; i++) {
				tl_put_string(&text, i > 0 ? ", " : "");
				tl_put_string(&text, hosts->list[i].name);
			}
			tl_fail(fault, -EINVAL,
			    "%.*s: no such host; there are %s",
			    (int)(size < 64 ? size : 64), word,
			    text.size > 0 ? tl_text_string(&text) : "none");
			tl_text_free(&text);
			rc = -EINVAL;
		}
	}
	free(done);
	return rc;
}

void
tl_hosts_warn(const struct tl_hosts *hosts, const struct tl_report *report)
{
	size_t copies = 0, unbounded = 0;

	/* hosts whose stamps are not compared although their boot ID is the
	 * same */
	for (size_t i = 0; hosts && i < hosts->count; i++) {
		const struct tl_host *host = &hosts->list[i];

		if (host->is_copy && ++copies <= TL_HOSTS_WARNED_MAX)
			tl_report_write(report, 0, TL_FAULT_NOWHERE,
			    "%s: another clock under the same boot id: a copy "
			    "of a virtual machine; merged by its times",
			    host->name);
	}
	if (copies > TL_HOSTS_WARNED_MAX)
		tl_report_write(report, 0, TL_FAULT_NOWHERE,
		    "and %zu more copies", copies - TL_HOSTS_WARNED_MAX);
	for (size_t i = 0; hosts && hosts->are_several && i < hosts->count;
	     i++) {
		const struct tl_host *host = &hosts->list[i];

		if (host->stated_us != TL_SYNC_UNBOUNDED ||
		    ++unbounded > TL_HOSTS_WARNED_MAX)
			continue;
		tl_report_write(report, 0, TL_FAULT_NOWHERE,
		    "%s: clock %s: its order among other hosts is not known",
		    host->name,
		    host->clock.count > 0 ? "not synchronised" : "not known");
	}
	if (unbounded > TL_HOSTS_WARNED_MAX)
		tl_report_write(report, 0, TL_FAULT_NOWHERE,
		    "and that of %zu more hosts",
		    unbounded - TL_HOSTS_WARNED_MAX);
}
