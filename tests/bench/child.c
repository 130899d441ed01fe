/* SPDX-License-Identifier: Apache-2.0 */
/* child.c - the result comes back through shared memory. */
#include "child.h"

#include "bench.h"
#include "place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A line of /proc/self/status, in MiB. */
static double
memory_mib(const char *key)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[128];
	double mib = 0;

	while (status && fgets(line, sizeof(line), status)) {
		if (strncmp(line, key, strlen(key)) == 0)
			mib = atof(line + strlen(key)) / 1024;
	}
	if (status)
		fclose(status);
	return mib;
}

struct result
child_run(const char *name,
    void (*body)(const void *job, struct result *result), const void *job)
{
	struct result *shared = mmap(NULL, sizeof(*shared),
	    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct result result;
	double start_s, before_mib;
	int status;
	pid_t child;

	if (shared == MAP_FAILED || (child = fork()) < 0)
		bench_die("fork", -errno);
	if (child == 0) {
		before_mib = memory_mib("VmRSS:");
		start_s = bench_now_s();
		body(job, shared);
		if (shared->seconds == 0)
			shared->seconds = bench_now_s() - start_s;
		shared->mib = memory_mib("VmHWM:") - before_mib;
		_exit(0);
	}
	place_worker(child);
	if (waitpid(child, &status, 0) != child || status != 0)
		bench_die(name, -ECHILD);
	place_worker(0);
	result = *shared;
	munmap(shared, sizeof(*shared));
	if (result.rc < 0)
		bench_die(name, result.rc);
	return result;
}
