/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads_of.h - find the signals that threads of the library block.
 */
#ifndef TESTS_LIB_THREADS_OF_H
#define TESTS_LIB_THREADS_OF_H

#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * The number of threads of this process, without the caller, that do not block
 * a signal. *count receives the number of all threads without the caller.
 */
static inline int
threads_that_take(int signal, int *count)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	int takers = 0;

	*count = 0;
	while (tasks && (task = readdir(tasks))) {
		char path[300], line[128];
		unsigned long long blocked;
		FILE *status;

		if (atoi(task->d_name) == 0 || atoi(task->d_name) == gettid())
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/status",
		    task->d_name);
		if (!(status = fopen(path, "r")))
			continue;
		while (fgets(line, sizeof(line), status))
			if (sscanf(line, "SigBlk: %llx", &blocked) == 1) {
				++*count;
				takers += !(blocked >> (signal - 1) & 1);
			}
		fclose(status);
	}
	if (tasks)
		closedir(tasks);
	return takers;
}

#endif
