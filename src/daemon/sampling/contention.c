/* SPDX-License-Identifier: Apache-2.0 */
/* contention.c - for how long threads had to wait for a CPU. */
#include "daemon/sampling/contention.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <timeline_layout.h>
#include <unistd.h>

enum { FILE_BYTES = 512 };

/* Read a small file from its start as a string. */
static bool
read_text(int fd, char text[FILE_BYTES])
{
	const ssize_t size = fd < 0 ? -1 : pread(fd, text, FILE_BYTES - 1, 0);

	text[size > 0 ? size : 0] = '\0';
	return size > 0;
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=123", microseconds. */
static bool
read_pressure(const struct tl_contention *c, uint64_t *us)
{
	char text[FILE_BYTES];
	const char *total;

	if (!read_text(c->fd, text) || strncmp(text, "some ", 5) != 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	total = strstr(text, " total=");
	return total && sscanf(total, " total=%" SCNu64, us) == 1;
}

/* "run delay slices", nanoseconds; pid 0 is this process. */
static bool
read_delay(const struct tl_contention *c, uint32_t pid, uint64_t *ns)
{
	char path[32] = "self/schedstat", text[FILE_BYTES];
	bool ok;
	int fd;

	if (pid != 0)
		snprintf(path, sizeof(path), "%" PRIu32 "/schedstat", pid);
	fd = openat(c->proc_fd, path, O_RDONLY | O_CLOEXEC);
	ok = read_text(fd, text) && sscanf(text, "%*u %" SCNu64, ns) == 1;
	if (fd >= 0)
		close(fd);
	return ok;
}

void
tl_contention_open(struct tl_contention *c, const char *proc)
{
	uint64_t ns;

	*c = (struct tl_contention){ .fd = -1,
		.proc_fd = open(proc, O_PATH | O_DIRECTORY | O_CLOEXEC),
		.kind = TIMELINE_SAMPLE_UNMEASURED };
	if (c->proc_fd < 0)
		return;
	c->fd = openat(c->proc_fd, "pressure/cpu", O_RDONLY | O_CLOEXEC);
	if (read_pressure(c, &c->first)) {
		c->kind = TIMELINE_SAMPLE_PRESSURE;
		c->last = c->first;
	} else if (read_delay(c, 0, &ns)) {
		c->kind = TIMELINE_SAMPLE_RUN_DELAY;
		tl_contention_read_pids(c, NULL, 0);
	}
}

void
tl_contention_close(struct tl_contention *c)
{
	if (c->fd >= 0)
		close(c->fd);
	if (c->proc_fd >= 0)
		close(c->proc_fd);
	c->fd = c->proc_fd = -1;
}

void
tl_contention_read(struct tl_contention *c)
{
	uint64_t us;

	if (c->kind != TIMELINE_SAMPLE_PRESSURE)
		return;
	/* It does not go back; were the file gone, nothing would be known. */
	if (!read_pressure(c, &us))
		c->kind = TIMELINE_SAMPLE_UNMEASURED;
	else if (us > c->last)
		c->last = us;
}

bool
tl_contention_wants_pids(const struct tl_contention *c)
{
	return c->kind == TIMELINE_SAMPLE_RUN_DELAY;
}

/* Add what a process has waited since it was last read; nothing
 * for a new one. */
static void
see_pid(struct tl_contention *c, uint32_t pid, struct tl_contention_pid *to)
{
	*to = (struct tl_contention_pid){ .pid = pid };
	if (!read_delay(c, pid, &to->wait_ns))
		return;
	for (size_t i = 0; i < c->pid_count; i++) {
		const struct tl_contention_pid *old = &c->pids[i];

		if (old->pid == pid && to->wait_ns > old->wait_ns)
			c->wait_ns += to->wait_ns - old->wait_ns;
	}
}

void
tl_contention_read_pids(struct tl_contention *c, const uint32_t *pids,
    size_t count)
{
	struct tl_contention_pid now[TL_CONTENTION_PIDS_MAX];

	if (count > TL_CONTENTION_PIDS_MAX - 1)
		count = TL_CONTENTION_PIDS_MAX - 1;
	see_pid(c, 0, &now[0]);
	for (size_t i = 0; i < count; i++)
		see_pid(c, pids[i], &now[i + 1]);
	memcpy(c->pids, now, (count + 1) * sizeof(*now));
	c->pid_count = count + 1;
}

uint64_t
tl_contention_us(const struct tl_contention *c)
{
	return c->kind == TIMELINE_SAMPLE_RUN_DELAY ? c->wait_ns / 1000
						    : c->last - c->first;
}

uint64_t
tl_contention_sample(const struct tl_contention *c)
{
	if (c->kind == TIMELINE_SAMPLE_UNMEASURED)
		return TIMELINE_SAMPLE_UNMEASURED;
	return tl_contention_us(c) << TIMELINE_SAMPLE_SHIFT | c->kind;
}
