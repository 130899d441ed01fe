/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.c - group sources by host, and give each host a distinct name.
 *
 * Three interners number texts: the keys that identify hosts, the names by
 * which the hosts know themselves (bases), and the distinct names of the hosts.
 */
#include "event/hosts/hosts.h"

#include "base/array.h"
#include "base/table.h"
#include "event/intern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { SUFFIX_MAX = 48 };

/* The state of the search for hosts. */
struct search {
	struct tl_interner *keys;
	struct tl_interner *bases;
	struct tl_interner *names;
	uint64_t key_count, name_count;
	uint32_t of_key[TL_FLEET_HOSTS_MAX + 1]; /* host, by number of key */
	uint32_t uses[TL_FLEET_HOSTS_MAX + 1];   /* hosts, by number of base */
	/* The last number that was appended to a base, by the base's number; 0:
	 * none. */
	uint32_t last[TL_FLEET_HOSTS_MAX + 1];
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

/* Add a host.  The last host that fits stands for all further hosts. */
static uint32_t
add_host(struct tl_fleet_hosts *hosts, const struct tl_origin *origin)
{
	if (hosts->count == TL_FLEET_HOSTS_MAX)
		return TL_FLEET_HOSTS_MAX - 1;
	hosts->items[hosts->count].origin =
	    hosts->count == TL_FLEET_HOSTS_MAX - 1 ? &others : origin;
	return (uint32_t)hosts->count++;
}

/* Find the host of a source; a new host is added. */
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
	if (number > TL_FLEET_HOSTS_MAX) /* too many: "others" */
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

/* Name the host after its base.  The base is cut between two characters so that
 * the suffix fits. */
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

/* Take the host's name.  Returns 1, 0 if another host has the name, or
 * -errno. */
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
		/* Each round tries a new number, so the loop ends. */
		if (s->last[base] == 0)
			s->last[base] = 1;
		snprintf(numbered, sizeof(numbered), "%.23s %u", suffix,
		    (unsigned)++s->last[base]);
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
		rc = find_host(hosts, s, &writer->facts.sources[i],
		    &hosts->of_source[i]);
	if (hosts->source_count == 0)
		add_host(hosts, &writer->facts.origin);
	return rc < 0 ? rc : name_hosts(hosts, s);
}

__attribute__((cold)) int
tl_fleet_hosts_find(struct tl_fleet_hosts *hosts,
    const struct tl_writer *writer)
{
	const size_t sources = writer->facts.source_count;
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

/* == a number for each process of each host == */

enum {
	LINUX_PID_MAX = 1 << 22,
	HOST_UNKNOWN = TL_FLEET_HOSTS_MAX /* no index of a host */
};

struct process {
	uint32_t pid;
	uint32_t host;
	uint32_t given;
	uint64_t name; /* hash; 0: unknown */
};

struct tl_host_pids {
	struct tl_fleet_hosts hosts;
	/* (pid, host) of a process, or where the host is unknown
	 * (pid, HOST_UNKNOWN), (pid, hash of its name) and
	 * (pid, HOST_UNKNOWN + 1 + source) */
	struct tl_id_map keys;
	struct tl_id_map taken; /* a pid that was given to a process */
	struct process *processes;
	size_t capacity;
	uint32_t *of_taken; /* process plus 1, by number of the pid */
	size_t taken_capacity;
	uint32_t next; /* last pid tried above LINUX_PID_MAX */
};

static uint32_t
host_of(const struct tl_host_pids *p, const struct tl_event *event)
{
	const size_t host = tl_fleet_host_of(&p->hosts, event);

	return !tl_fleet_same_host(p->hosts.items[host].origin,
		   p->hosts.items[host].origin)
		   ? (uint32_t)HOST_UNKNOWN
		   : (uint32_t)host;
}

__attribute__((cold)) int
tl_host_pids_new(struct tl_host_pids **pids, const struct tl_writer *writer)
{
	struct tl_host_pids *p;
	int rc;

	*pids = NULL;
	if (writer->facts.source_count < 2)
		return 0;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->next = LINUX_PID_MAX;
	rc = tl_fleet_hosts_find(&p->hosts, writer);
	if (rc == 0 && p->hosts.count > 1)
		*pids = p;
	else
		tl_host_pids_free(p);
	return rc;
}

void
tl_host_pids_free(struct tl_host_pids *p)
{
	if (!p)
		return;
	tl_fleet_hosts_free(&p->hosts);
	tl_id_map_free(&p->keys);
	tl_id_map_free(&p->taken);
	free(p->processes);
	free(p->of_taken);
	free(p);
}

/* Take a pid for a process.  Returns 1, 0 if the pid is taken, -ENOSPC or
 * -ENOMEM. */
static int
take(struct tl_host_pids *p, uint32_t pid, uint32_t process)
{
	const struct tl_id_key key = { pid, 0 };
	uint32_t number;
	int rc = tl_id_map_get(&p->taken, key, &number);

	if (rc <= 0)
		return rc;
	rc = TL_ARRAY_ZEROS(p->of_taken, p->taken_capacity, number);
	if (rc < 0)
		return rc;
	p->of_taken[number] = process + 1;
	return 1;
}

/* Find a process by its key, or add the process. */
static int
find(struct tl_host_pids *p, struct tl_id_key key, const struct process *as,
    uint32_t *number)
{
	uint32_t given = as->pid;
	int rc = tl_id_map_get(&p->keys, key, number);

	if (rc <= 0)
		return rc;
	rc = TL_ARRAY_ZEROS(p->processes, p->capacity, *number);
	if (rc < 0)
		return rc;
	while ((rc = take(p, given, *number)) == 0)
		given = ++p->next;
	p->processes[*number] = *as;
	if (rc > 0) /* else too many: the process keeps its pid */
		p->processes[*number].given = given;
	return rc == -ENOMEM ? rc : 0;
}

/*
 * Find the process of a pid of a source without a host.  Sources share the
 * process unless both name the process, and differently.
 */
static int
find_named(struct tl_host_pids *p, const struct tl_event *event,
    uint32_t *number)
{
	const struct tl_bytes name =
	    tl_names_process(tl_event_names(event), event->pid);
	const uint64_t hash = tl_fnv(TL_FNV_BASIS, name) | UINT64_C(1) << 63;
	const struct process own = { event->pid, HOST_UNKNOWN, event->pid,
		name.size > 0 ? hash : 0 };
	struct tl_id_key key = { event->pid, HOST_UNKNOWN };
	int rc = find(p, key, &own, number);

	if (rc < 0 || own.name == 0 || p->processes[*number].name == own.name)
		return rc;
	if (p->processes[*number].name == 0) {
		p->processes[*number].name = own.name;
		return 0;
	}
	key.b = hash;
	return find(p, key, &own, number);
}

/* Find the process of a pid of a source without a host: a source has one
 * process of a pid, whatever its names. */
static int
find_of_source(struct tl_host_pids *p, const struct tl_event *event,
    uint32_t *number)
{
	const struct tl_id_key key = { event->pid,
		HOST_UNKNOWN + 1 + event->source };
	uint32_t same;
	int rc = tl_id_map_get(&p->keys, key, number);

	if (rc <= 0 ||
	    (rc = TL_ARRAY_ZEROS(p->processes, p->capacity, *number)) < 0)
		return rc;
	p->processes[*number] =
	    (struct process){ event->pid, HOST_UNKNOWN, event->pid, 0 };
	if ((rc = find_named(p, event, &same)) == 0)
		p->processes[*number] = p->processes[same];
	return rc;
}

int
tl_host_pids_put(struct tl_host_pids *p, struct tl_event *event)
{
	const uint32_t host = host_of(p, event);
	const struct process own = { event->pid, host, event->pid, 0 };
	uint32_t number;
	const int rc = host == HOST_UNKNOWN
			   ? find_of_source(p, event, &number)
			   : find(p, (struct tl_id_key){ event->pid, host },
				 &own, &number);

	if (rc == 0)
		event->pid = p->processes[number].given;
	return rc == -ENOSPC ? 0 : rc;
}

struct tl_host_pid
tl_host_pids_get(struct tl_host_pids *p, uint32_t given)
{
	const struct tl_id_key key = { given, 0 };
	const struct process *process;
	uint32_t number;

	if (!p || tl_id_map_get(&p->taken, key, &number) != 0 ||
	    number >= p->taken_capacity || p->of_taken[number] == 0)
		return (struct tl_host_pid){ .pid = given };
	process = &p->processes[p->of_taken[number] - 1];
	return (struct tl_host_pid){
		.host = process->host == HOST_UNKNOWN
			    ? NULL
			    : p->hosts.items[process->host].name,
		.pid = process->pid,
		.is_moved = process->pid != given,
	};
}

uint32_t
tl_host_pids_put_host(struct tl_host_pids *pids, uint32_t given,
    struct tl_text *name)
{
	const struct tl_host_pid process = tl_host_pids_get(pids, given);

	if (process.host) {
		tl_put_string(name, process.host);
		tl_put_string(name, ": ");
	}
	return process.pid;
}

/* The recorded name of a process.  A process without a recorded name that made
 * one of the timelines of its host has the command of the timeline's origin. */
static struct tl_bytes
command_of(const struct tl_writer *writer, uint32_t given)
{
	const struct tl_bytes name = tl_names_process(&writer->names, given);
	const struct tl_host_pids *p = writer->pids;
	const struct tl_host_pid process =
	    tl_host_pids_get(writer->pids, given);

	if (name.size > 0 || process.pid == 0)
		return name;
	if (!p && writer->facts.origin.pid == process.pid)
		return tl_bytes_of(writer->facts.origin.command);
	for (size_t i = 0; i < writer->facts.source_count; i++) {
		const struct tl_origin *origin = &writer->facts.sources[i];

		if (origin->pid == process.pid &&
		    (!p || !process.host ||
			p->hosts.items[p->hosts.of_source[i]].name ==
			    process.host))
			return tl_bytes_of(origin->command);
	}
	return name;
}

void
tl_host_pids_name(const struct tl_writer *writer, uint32_t given,
    const char *otherwise, struct tl_text *name)
{
	const uint32_t pid = tl_host_pids_put_host(writer->pids, given, name);
	const struct tl_bytes command =
	    pid != 0 ? command_of(writer, given) : tl_bytes_of(otherwise);

	if (command.size > 0)
		tl_put_bytes(name, command);
	else
		tl_put_format(name, "process %u", pid);
}
