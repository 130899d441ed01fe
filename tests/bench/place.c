/* SPDX-License-Identifier: Apache-2.0 */
/* place.c - make a folder, and remove it at the end or at a signal. */
#include "place.h"

#include "bench.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPEN_MAX_FOLDERS = 8 };

static char folder[64];
static pid_t owner;
static volatile pid_t working;
static uint64_t taken;

static int
remove_path(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)ftw;
	if (type == FTW_F)
		taken += (uint64_t)st->st_size;
	return remove(path);
}

uint64_t
place_take(const char *path)
{
	taken = 0;
	(void)nftw(path, remove_path, OPEN_MAX_FOLDERS, FTW_DEPTH | FTW_PHYS);
	return taken;
}

static void
remove_folder(void)
{
	if (getpid() == owner)
		(void)place_take(folder);
}

/* The process only waits for its worker, and does nothing that this could
 * come between. */
static void
stop(int signal)
{
	if (getpid() == owner && working > 0) {
		(void)kill(working, SIGKILL);
		(void)waitpid(working, NULL, 0);
	}
	remove_folder();
	_exit(128 + signal);
}

void
place_worker(pid_t worker)
{
	working = worker;
}

const char *
place_make(void)
{
	owner = getpid();
	snprintf(folder, sizeof(folder), "/dev/shm/bench-format-%d",
	    (int)owner);
	if (mkdir(folder, 0700) < 0)
		bench_die(folder, -errno);
	atexit(remove_folder);
	signal(SIGINT, stop);
	signal(SIGTERM, stop);
	return folder;
}
