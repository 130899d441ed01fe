/* SPDX-License-Identifier: Apache-2.0 */
/* host_pids.c - a number for each process of each host. */
#include "event/host_pids.h"

#include "base/array.h"
#include "base/id_map.h"
#include "event/fleet_hosts.h"

#include <errno.h>
#include <stdlib.h>

enum {
	LINUX_PID_MAX = 1 << 22,
	HOST_UNKNOWN = TL_FLEET_HOSTS_MAX /* and no index of a host */
};

struct process {
	uint32_t pid;
	uint32_t host;
	uint32_t given;
};

struct tl_host_pids {
	struct tl_fleet_hosts hosts;
	struct tl_id_map keys;  /* (pid, host): a process */
	struct tl_id_map taken; /* a pid that was given: its process, ... */
	struct process *processes;
	size_t capacity;
	uint32_t *of_taken; /* ... by the number of the pid, plus 1 */
	size_t taken_capacity;
	uint32_t next; /* that may be free */
};

static bool
is_unknown(const struct tl_origin *origin)
{
	return !tl_fleet_same_host(origin, origin);
}

static uint32_t
host_of(const struct tl_host_pids *p, const struct tl_event *event)
{
	const size_t host = tl_fleet_host_of(&p->hosts, event);

	return is_unknown(p->hosts.items[host].origin) ? (uint32_t)HOST_UNKNOWN
						       : (uint32_t)host;
}

/* Are there two, of which one at least is known? */
static bool
are_several(const struct tl_fleet_hosts *hosts)
{
	for (size_t i = 0; i < hosts->count && hosts->count > 1; i++) {
		if (!is_unknown(hosts->items[i].origin))
			return true;
	}
	return false;
}

int
tl_host_pids_new(struct tl_host_pids **pids, const struct tl_writer *writer)
{
	struct tl_host_pids *p;
	int rc;

	*pids = NULL;
	if (writer->source_count < 2)
		return 0;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->next = LINUX_PID_MAX;
	rc = tl_fleet_hosts_find(&p->hosts, writer);
	if (rc == 0 && are_several(&p->hosts))
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

/* Take a pid for a process: 1; 0 it is taken; -ENOSPC, -ENOMEM. */
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

/* A process that is new. */
static int
add(struct tl_host_pids *p, uint32_t number, uint32_t pid, uint32_t host)
{
	uint32_t given = pid;
	int rc = TL_ARRAY_ZEROS(p->processes, p->capacity, number);

	if (rc < 0)
		return rc;
	while ((rc = take(p, given, number)) == 0)
		given = ++p->next;
	if (rc < 0) /* there are too many: it is itself */
		given = pid;
	p->processes[number] = (struct process){ pid, host, given };
	return rc == -ENOMEM ? rc : 0;
}

int
tl_host_pids_put(struct tl_host_pids *p, struct tl_event *event)
{
	const uint32_t host = host_of(p, event);
	const struct tl_id_key key = { event->pid, host };
	uint32_t number;
	int rc = tl_id_map_get(&p->keys, key, &number);

	if (rc > 0)
		rc = add(p, number, event->pid, host);
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

/* Has one of a process' host been made by it?  Its command; NULL: unknown. */
static const char *
command_of(const struct tl_writer *writer, const struct tl_host_pid *process)
{
	const struct tl_host_pids *p = writer->pids;

	if (!p && writer->origin.pid == process->pid)
		return writer->origin.command;
	for (size_t i = 0; i < writer->source_count; i++) {
		const struct tl_origin *origin = &writer->sources[i];

		if (origin->pid == process->pid &&
		    (!p || !process->host ||
			p->hosts.items[p->hosts.of_source[i]].name ==
			    process->host))
			return origin->command;
	}
	return NULL;
}

void
tl_host_pids_name(const struct tl_writer *writer, uint32_t given,
    const char *otherwise, struct tl_text *name)
{
	const struct tl_host_pid process =
	    tl_host_pids_get(writer->pids, given);
	const char *command =
	    process.pid != 0 ? command_of(writer, &process) : otherwise;

	tl_host_pids_put_host(writer->pids, given, name);
	if (command && command[0] != '\0')
		tl_put_string(name, command);
	else
		tl_put_format(name, "process %u", process.pid);
}
