/* SPDX-License-Identifier: Apache-2.0 */
/* recorder_processes.c - names out of /proc, and a table of them by pid. */
#include "trace/record/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS_FIRST = 16 };

struct tl_bytes
tl_recorder_comm(char name[TL_COMM_MAX], uint32_t pid, uint32_t tid)
{
	char path[64];
	ssize_t n;
	int fd;

	if (tid == 0)
		snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	else
		snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return tl_bytes("", 0);
	n = read(fd, name, TL_COMM_MAX);
	close(fd);
	return tl_bytes(name, n > 0 ? (size_t)n - (name[n - 1] == '\n') : 0);
}

static struct tl_recorder_process *
find_slot(struct tl_recorder_process *slots, size_t size, uint32_t pid)
{
	const uint64_t hash = pid * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(hash >> 32) & (size - 1);

	while (slots[i].pid != 0 && slots[i].pid != pid)
		i = (i + 1) & (size - 1);
	return &slots[i];
}

/* Slots of another size, for those that were defined, or for all. */
static int
resize(struct tl_recorder_processes *p, size_t size, bool all)
{
	struct tl_recorder_process *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	p->count = 0;
	for (size_t i = 0; i < p->size; i++) {
		const struct tl_recorder_process *old = &p->slots[i];

		if (old->pid == 0 || !(all || old->defined))
			continue;
		*find_slot(slots, size, old->pid) = *old;
		p->count++;
	}
	free(p->slots);
	p->slots = slots;
	p->size = size;
	return 0;
}

int
tl_recorder_processes_define(struct tl_recorder_processes *p,
    struct tl_trace_writer *writer, uint32_t pid)
{
	struct tl_recorder_process *process;
	char name[TL_COMM_MAX];
	struct tl_bytes now;
	int rc;

	if (pid == 0)
		return 0;
	if (p->count * 2 >= p->size &&
	    (rc = resize(p, p->size ? p->size * 2 : SLOTS_FIRST, true)) < 0)
		return rc;
	process = find_slot(p->slots, p->size, pid);
	if (process->defined)
		return 0;
	now = tl_recorder_comm(name, pid, 0);
	p->count += process->pid == 0;
	process->pid = pid;
	process->defined = true;
	if (now.size > 0) {
		memcpy(process->name, now.data, now.size);
		process->size = (uint8_t)now.size;
	}
	if (process->size == 0)
		return 0;
	return tl_trace_write_process(writer, pid,
	    tl_bytes(process->name, process->size));
}

/* Without memory for another table those that are gone stay longer. */
void
tl_recorder_processes_leave(struct tl_recorder_processes *p)
{
	if (p->size > 0)
		resize(p, p->size, false);
	for (size_t i = 0; i < p->size; i++)
		p->slots[i].defined = false;
}

void
tl_recorder_processes_free(struct tl_recorder_processes *p)
{
	free(p->slots);
	*p = (struct tl_recorder_processes){ 0 };
}
