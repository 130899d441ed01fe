/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_hosts.c - sources into hosts, and names that tell hosts apart.
 *
 * A interner numbers texts by what they are: what tells hosts apart, their
 * names before these are made to differ, and after.
 */
#include "event/fleet_hosts.h"

#include "event/intern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { SUFFIX_MAX = 48 };

/* What is needed only while hosts are found. */
struct search {
	struct tl_interner *keys;
	struct tl_interner *bases;
	struct tl_interner *names;
	uint64_t key_count, name_count;
	uint32_t of_key[TL_FLEET_HOSTS_MAX + 1]; /* host of a key's number */
	uint32_t uses[TL_FLEET_HOSTS_MAX + 1];   /* of a base by its number */
	uint32_t named[TL_FLEET_HOSTS_MAX + 1];  /* ... so far */
};

static const struct tl_origin others = { .machine = "others" };

static bool
knows_boot(const struct tl_origin *origin)
{
	static const uint8_t unknown[sizeof(origin->boot_id)];

	return memcmp(origin->boot_id, unknown, sizeof(unknown)) != 0;
}

static bool
is_known(const struct tl_origin *origin)
{
	return origin->machine[0] != '\0' || knows_boot(origin);
}

bool
tl_fleet_same_host(const struct tl_origin *a, const struct tl_origin *b)
{
	return is_known(a) && strcmp(a->machine, b->machine) == 0 &&
	       memcmp(a->boot_id, b->boot_id, sizeof(a->boot_id)) == 0;
}

/* A host more; the last there can be is that of all others. */
static uint32_t
add_host(struct tl_fleet_hosts *hosts, const struct tl_origin *origin)
{
	if (hosts->count == TL_FLEET_HOSTS_MAX)
		return TL_FLEET_HOSTS_MAX - 1;
	hosts->items[hosts->count].origin =
	    hosts->count == TL_FLEET_HOSTS_MAX - 1 ? &others : origin;
	return (uint32_t)hosts->count++;
}

/* The host of a source, made if it is new. */
static int
find_host(struct tl_fleet_hosts *hosts, struct search *s,
    const struct tl_origin *origin, uint32_t *host)
{
	const size_t boot_size = sizeof(origin->boot_id);
	char key[sizeof(origin->machine) + sizeof(origin->boot_id)];
	const size_t size = strlen(origin->machine);
	uint64_t number;
	int rc;

	if (!is_known(origin)) {
		*host = add_host(hosts, origin);
		return 0;
	}
	memcpy(key, origin->boot_id, boot_size);
	memcpy(key + boot_size, origin->machine, size);
	rc = tl_interner_string(s->keys, tl_bytes(key, boot_size + size),
	    &number);
	if (rc < 0)
		return rc;
	if (number > TL_FLEET_HOSTS_MAX) /* it has come too late */
		number = TL_FLEET_HOSTS_MAX;
	if (number > s->key_count) {
		s->key_count = number;
		s->of_key[number] = add_host(hosts, origin);
	}
	*host = s->of_key[number];
	return 0;
}

static const char *
base_of(const struct tl_fleet_host *host)
{
	if (host->origin->machine[0] != '\0')
		return host->origin->machine;
	return host->origin->timeline[0] != '\0' ? host->origin->timeline
						 : "timeline";
}

/* As much of base as leaves room, at the end of a character. */
static void
set_name(struct tl_fleet_host *host, const char *suffix)
{
	const char *base = base_of(host);
	const size_t room = sizeof(host->name) - 1 - strlen(suffix);
	size_t size = strlen(base);

	if (size > room) {
		size = room;
		while (size > 0 && ((unsigned char)base[size] & 0xc0) == 0x80)
			size--;
	}
	snprintf(host->name, sizeof(host->name), "%.*s%s", (int)size, base,
	    suffix);
}

/* A name that was not given yet: 1 it is, 0 it was, -errno. */
static int
take_name(struct search *s, const struct tl_fleet_host *host)
{
	uint64_t number;
	const int rc =
	    tl_interner_string(s->names, tl_bytes_of(host->name), &number);

	if (rc < 0 || number <= s->name_count)
		return rc;
	s->name_count = number;
	return 1;
}

static int
name_host(struct search *s, struct tl_fleet_host *host)
{
	const uint8_t *boot = host->origin->boot_id;
	char suffix[SUFFIX_MAX] = "", numbered[SUFFIX_MAX];
	uint64_t base;
	int rc =
	    tl_interner_string(s->bases, tl_bytes_of(base_of(host)), &base);

	if (rc < 0)
		return rc;
	if (s->uses[base] > 1 && knows_boot(host->origin))
		snprintf(suffix, sizeof(suffix), " (boot %02x%02x%02x%02x)",
		    boot[0], boot[1], boot[2], boot[3]);
	set_name(host, suffix);
	while ((rc = take_name(s, host)) == 0) {
		/* not asked twice for any number of a base */
		if (s->named[base] == 0)
			s->named[base] = 1;
		snprintf(numbered, sizeof(numbered), "%.23s %u", suffix,
		    (unsigned)++s->named[base]);
		set_name(host, numbered);
	}
	return rc < 0 ? rc : 0;
}

static int
name_hosts(struct tl_fleet_hosts *hosts, struct search *s)
{
	uint64_t base;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < hosts->count; i++) {
		rc = tl_interner_string(s->bases,
		    tl_bytes_of(base_of(&hosts->items[i])), &base);
		if (rc == 0)
			s->uses[base]++;
	}
	for (size_t i = 0; rc == 0 && i < hosts->count; i++)
		rc = name_host(s, &hosts->items[i]);
	return rc;
}

static int
search(struct tl_fleet_hosts *hosts, struct search *s,
    const struct tl_writer *writer)
{
	int rc = 0;

	if ((rc = tl_interner_new(&s->keys)) < 0 ||
	    (rc = tl_interner_new(&s->bases)) < 0 ||
	    (rc = tl_interner_new(&s->names)) < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < hosts->source_count; i++)
		rc = find_host(hosts, s, &writer->sources[i],
		    &hosts->of_source[i]);
	if (hosts->source_count == 0)
		add_host(hosts, &writer->origin);
	return rc < 0 ? rc : name_hosts(hosts, s);
}

int
tl_fleet_hosts_find(struct tl_fleet_hosts *hosts,
    const struct tl_writer *writer)
{
	const size_t sources = writer->source_count;
	const size_t most =
	    sources < TL_FLEET_HOSTS_MAX ? sources + 1 : TL_FLEET_HOSTS_MAX;
	struct search *s = calloc(1, sizeof(*s));
	int rc = -ENOMEM;

	hosts->items = calloc(most, sizeof(*hosts->items));
	hosts->of_source = calloc(sources + 1, sizeof(*hosts->of_source));
	hosts->source_count = sources;
	if (s && hosts->items && hosts->of_source)
		rc = search(hosts, s, writer);
	if (s) {
		tl_interner_free(s->keys);
		tl_interner_free(s->bases);
		tl_interner_free(s->names);
	}
	free(s);
	if (rc < 0)
		tl_fleet_hosts_free(hosts);
	return rc;
}

void
tl_fleet_hosts_free(struct tl_fleet_hosts *hosts)
{
	free(hosts->items);
	free(hosts->of_source);
	*hosts = (struct tl_fleet_hosts){ 0 };
}
