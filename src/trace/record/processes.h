/* SPDX-License-Identifier: Apache-2.0 */
/*
 * processes.h - what the processes and threads that are recorded are
 * called, as far as the kernel still knows, or did when it was asked before.
 *
 * A name that is known is asked for again in each file: a number may be
 * another process by then.  That of one which is gone stays until a file goes
 * by without it.
 */
#ifndef TL_TRACE_RECORD_PROCESSES_H
#define TL_TRACE_RECORD_PROCESSES_H

#include "trace/write.h"

enum { TL_COMM_MAX = 64 };

/* What the kernel calls a process (tid 0) or one of its threads: empty when
 * it is gone. */
struct tl_bytes
tl_recorder_comm(char name[TL_COMM_MAX], uint32_t pid, uint32_t tid);

struct tl_recorder_process {
	uint32_t pid;
	bool defined; /* in the file of now, if it has a name */
	uint8_t size; /* of the name; 0: not known */
	char name[TL_COMM_MAX];
};

/* Starts from all zeros. */
struct tl_recorder_processes {
	struct tl_recorder_process *slots; /* by pid; 0: free */
	size_t size;                       /* 0, or a power of two */
	size_t count;
};

/* A thread of this process comes next: 0, -ENOMEM or what writing said. */
int tl_recorder_processes_define(struct tl_recorder_processes *processes,
    struct tl_trace_writer *writer, uint32_t pid);
/* The file has ended. */
void tl_recorder_processes_leave(struct tl_recorder_processes *processes);
void tl_recorder_processes_free(struct tl_recorder_processes *processes);

#endif
