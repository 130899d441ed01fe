/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machines.c - which sources number the same threads.
 *
 * A host with two kinds of clocks counts as two hosts, but the machine numbers
 * its processes and threads only once.  Sources without a boot id share a
 * machine if they are FILE and FILE.sched, which has the kernel events of FILE,
 * or if the names of their machines are equal.
 */
#include "source/hosts.h"

#include "base/table.h"
#include "event/sched.h"
#include "ring/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = UINT32_MAX };

struct finder {
	struct tl_hosts *hosts;
	const struct tl_source *sources;
	size_t count;
	struct tl_table table; /* the first host of each machine */
	unsigned *machines;    /* number of the machine, by host */
};

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
pair_files(struct finder *f, size_t sched)
{
	const unsigned own = f->hosts->of_source[sched];

	for (size_t i = 0; i < f->count; i++) {
		const unsigned other = f->hosts->of_source[i];

		if (i != sched && tl_source_is_open(&f->sources[i]) &&
		    !has_boot_id(&f->hosts->list[other]) &&
		    is_beside(f->sources[sched].file, f->sources[i].file)) {
			f->machines[own] = f->machines[other] = other;
			return;
		}
	}
}

/* Find the machine of a host that has no machine yet. */
static int
find_machine(struct finder *f, unsigned number)
{
	const struct tl_host *host = &f->hosts->list[number];
	const uint64_t hash = tl_hash_bytes(identity(host));
	struct tl_probe probe = tl_table_probe(&f->table, hash);
	uint32_t other;

	f->machines[number] = number;
	/* a copy numbers its own threads under the same boot id */
	if (host->is_copy)
		return 0;
	while (tl_probe_next(&probe, &other)) {
		const struct tl_host *first = &f->hosts->list[other];

		if (has_boot_id(first) == has_boot_id(host) &&
		    tl_bytes_equal(identity(first), identity(host))) {
			f->machines[number] = other;
			return 0;
		}
	}
	return tl_table_add(&f->table, hash, number);
}

static int
find_all(struct finder *f)
{
	int rc = 0;

	for (unsigned i = 0; i < f->hosts->count; i++)
		f->machines[i] = UNKNOWN;
	for (size_t i = 0; i < f->count; i++)
		if (tl_source_is_open(&f->sources[i]) &&
		    !has_boot_id(&f->hosts->list[f->hosts->of_source[i]]) &&
		    strstr(f->sources[i].file, TL_SCHED_SUFFIX))
			pair_files(f, i);
	for (unsigned i = 0; i < f->hosts->count && rc == 0; i++)
		if (f->machines[i] == UNKNOWN)
			rc = find_machine(f, i);
	for (size_t i = 0; i < f->count && rc == 0; i++)
		if (tl_source_is_open(&f->sources[i]))
			f->hosts->machine_of[i] =
			    f->machines[f->hosts->of_source[i]];
	return rc;
}

int
tl_hosts_find_machines(struct tl_hosts *hosts, const struct tl_source *sources,
    size_t count)
{
	struct finder f = { .hosts = hosts,
		.sources = sources,
		.count = count,
		.machines = calloc(hosts->count + 1, sizeof(unsigned)) };
	int rc;

	hosts->machine_of = calloc(count + 1, sizeof(unsigned));
	rc = f.machines && hosts->machine_of ? find_all(&f) : -ENOMEM;
	free(f.machines);
	tl_table_free(&f.table);
	return rc;
}
