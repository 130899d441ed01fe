/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.c - read /proc/PID/stat and the line NSpid of /proc/PID/status, which
 * every user may read.
 */
#include "snap/process.h"

#include "base/file.h"
#include "base/ns.h"
#include "clock/clock.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	FILE_BYTES = 4096,
	STATE_FIELD = 3, /* of stat, counted from 1 */
	START_FIELD = 22,
	STATUS_FIELD = 52
};

static void
set_command(struct tl_process *process, struct tl_bytes command)
{
	struct tl_text text = { 0 };

	tl_put_plain(&text, command);
	if (text.rc == 0 && text.size > 0 && text.size < TL_COMMAND_MAX)
		strcpy(process->command, tl_text_string(&text));
	tl_text_free(&text);
}

static void
set_start(struct tl_process *process, uint64_t ticks)
{
	const uint64_t second = (uint64_t)sysconf(_SC_CLK_TCK);
	const int64_t up_ns =
	    (int64_t)(ticks / second * TL_NS_PER_S +
		      ticks % second * (TL_NS_PER_S / second));

	process->start_ticks = ticks;
	process->start_ns = tl_clock_read(CLOCK_REALTIME) -
			    tl_clock_read(CLOCK_BOOTTIME) + up_ns;
}

/* Read "12 (a name) S 1 ...". The name may contain ')'. */
static void
read_stat(struct tl_process *process, char *line)
{
	char *open = strchr(line, '(');
	char *close = strrchr(line, ')');
	char *field, *rest = NULL;

	if (!open || !close || close < open)
		return;
	set_command(process, tl_bytes(open + 1, (size_t)(close - open - 1)));
	field = strtok_r(close + 1, " ", &rest);
	for (int i = STATE_FIELD; field && i <= STATUS_FIELD; i++) {
		if (i == STATE_FIELD)
			process->ended = *field == 'Z' || *field == 'X';
		if (i == START_FIELD)
			set_start(process, strtoull(field, NULL, 10));
		if (i == STATUS_FIELD && process->ended)
			process->status = (int)strtol(field, NULL, 10);
		field = strtok_r(NULL, " ", &rest);
	}
}

/* Read the numbers after a key, in order, at most max.  Returns their
 * number. */
static size_t
numbers_of(const char *status, const char *key, unsigned long *numbers,
    size_t max)
{
	const char *at = strstr(status, key);
	size_t count = 0;
	char *end;

	if (!at)
		return 0;
	at += strlen(key);
	/* strtoul would read past the end of the line */
	while (count < max && (*at == '\t' || *at == ' ')) {
		if (at[1] < '0' || at[1] > '9')
			break;
		numbers[count] = strtoul(at, &end, 10);
		if (*end == '\0') /* the text is cut, perhaps within a number */
			break;
		count++;
		at = end;
	}
	return count;
}

/* Has the process another pid in its own namespace?  "NSpid:\t12\t3": the pid
 * here, and those in the namespaces below. */
static bool
is_elsewhere(const char *status, uint32_t pid)
{
	enum { NAMESPACES_MAX = 32 }; /* of Linux */
	unsigned long pids[NAMESPACES_MAX + 1];
	const size_t count =
	    numbers_of(status, "\nNSpid:", pids, NAMESPACES_MAX + 1);

	return count > 0 && pids[count - 1] != pid;
}

void
tl_process_inspect(struct tl_process *process, uint32_t pid)
{
	char text[FILE_BYTES];

	*process = (struct tl_process){ .command = "?", .start_ns = INT64_MIN };
	tl_read_start(text, sizeof(text), "/proc/%u/stat", pid);
	read_stat(process, text);
	tl_read_start(text, sizeof(text), "/proc/%u/status", pid);
	process->elsewhere = is_elsewhere(text, pid);
}

bool
tl_process_may_write(uint32_t pid, const struct stat *file)
{
	enum { EFFECTIVE = 1, IDS = 4, GROUPS_MAX = 256 };
	unsigned long uids[IDS], gids[IDS], groups[GROUPS_MAX];
	char text[FILE_BYTES];
	size_t count;
	bool is_member;

	tl_read_start(text, sizeof(text), "/proc/%u/status", pid);
	if (is_elsewhere(text, pid) ||
	    numbers_of(text, "\nUid:", uids, IDS) != IDS ||
	    numbers_of(text, "\nGid:", gids, IDS) != IDS)
		return false;
	if (uids[EFFECTIVE] == file->st_uid)
		return (file->st_mode & S_IWUSR) != 0;
	count = numbers_of(text, "\nGroups:", groups, GROUPS_MAX);
	is_member = gids[EFFECTIVE] == file->st_gid;
	for (size_t i = 0; i < count && !is_member; i++)
		is_member = groups[i] == file->st_gid;
	return (file->st_mode & (is_member ? S_IWGRP : S_IWOTH)) != 0;
}
