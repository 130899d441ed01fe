/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - run a child instruction by instruction.
 *
 * A traced thread that stops inside a restartable sequence is moved out of the
 * sequence when it continues.  To let the thread pass through, its pointer to
 * the sequence is cleared at each stop.  The thread is pinned to its CPU and
 * alone there, so clearing the pointer is safe.
 */
#ifndef TESTS_LIB_TRACE_H
#define TESTS_LIB_TRACE_H

#include "process.h"

#include <sys/ptrace.h>
#include <sys/user.h>

struct traced {
	pid_t pid;
	uint64_t stop_at; /* the return address of the traced function */
	/* offset of the rseq area from the thread pointer; 0: none */
	int64_t rseq;
};

static inline struct user_regs_struct
registers_of(const struct traced *t)
{
	struct user_regs_struct r;

	expect(ptrace(PTRACE_GETREGS, t->pid, NULL, &r) == 0, "getregs: %m");
	return r;
}

static inline long
peek(const struct traced *t, uint64_t at)
{
	long word;

	errno = 0;
	word = ptrace(PTRACE_PEEKDATA, t->pid, (void *)(uintptr_t)at, NULL);
	expect(errno == 0, "peek %lx: %m", at);
	return word;
}

static inline void
poke(const struct traced *t, uint64_t at, long word)
{
	expect(ptrace(PTRACE_POKEDATA, t->pid, (void *)(uintptr_t)at,
		   (void *)(uintptr_t)word) == 0,
	    "poke %lx: %m", at);
}

/* An optimiser of whole programs inlines the append in C, which then has no
 * first instruction to stop at. */
static inline bool
append_is_inlined(void)
{
#ifdef TL_LOG_C
	return getenv("TEST_INLINED") != NULL;
#else
	return false;
#endif
}

/*
 * Continue a child that has stopped itself, and stop it at the first
 * instruction of a function.
 */
static inline void
go_to(struct traced *t, void (*function)(void))
{
	const uint64_t at = (uint64_t)(uintptr_t)function;
	struct user_regs_struct r;
	int status;
	long code;

	expect(waitpid(t->pid, &status, 0) == t->pid && WIFSTOPPED(status),
	    "the child did not stop: 0x%x", status);
	expect(ptrace(PTRACE_SETOPTIONS, t->pid, NULL,
		   (void *)PTRACE_O_EXITKILL) == 0,
	    "setoptions: %m");
	code = peek(t, at);
	poke(t, at, (code & ~0xffL) | 0xcc); /* int3 */
	expect(ptrace(PTRACE_CONT, t->pid, NULL, NULL) == 0, "cont: %m");
	expect(waitpid(t->pid, &status, 0) == t->pid && WIFSTOPPED(status) &&
		   WSTOPSIG(status) == SIGTRAP,
	    "the child never came to the function: 0x%x", status);
	poke(t, at, code);
	r = registers_of(t);
	r.rip = at;
	expect(ptrace(PTRACE_SETREGS, t->pid, NULL, &r) == 0, "setregs: %m");
	t->stop_at = (uint64_t)peek(t, r.rsp);
}

/* Step one instruction; returns true while the function still runs. */
static inline bool
step(const struct traced *t)
{
	struct user_regs_struct r;
	int status;

	expect(ptrace(PTRACE_SINGLESTEP, t->pid, NULL, NULL) == 0, "step: %m");
	expect(waitpid(t->pid, &status, 0) == t->pid && WIFSTOPPED(status) &&
		   WSTOPSIG(status) == SIGTRAP,
	    "stepping: 0x%x", status);
	r = registers_of(t);
	return r.rip != t->stop_at;
}

/* Set the thread's pointer to a restartable sequence; 0: no sequence. */
static inline void
enter_sequence(const struct traced *t, uint64_t sequence)
{
	if (t->rseq) /* rseq_cs is at offset 8 */
		poke(t, registers_of(t).fs_base + (uint64_t)t->rseq + 8,
		    (long)sequence);
}

/*
 * Clear the thread's pointer to a sequence and return the old value; 0: the
 * thread was in no sequence.
 */
static inline uint64_t
leave_sequence(const struct traced *t)
{
	uint64_t sequence = 0;

	if (t->rseq)
		sequence = (uint64_t)peek(t,
		    registers_of(t).fs_base + (uint64_t)t->rseq + 8);
	if (sequence != 0)
		enter_sequence(t, 0);
	return sequence;
}

static inline void
kill_traced(const struct traced *t)
{
	kill(t->pid, SIGKILL);
	wait_for(t->pid);
}

/*
 * Let the parent trace this child.  The child must stop itself by
 * raise(SIGSTOP) before it calls the function.
 */
static inline void
be_traced(void)
{
	expect(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0, "traceme: %m");
	raise(SIGSTOP);
}

/* True if this machine permits tracing. */
static inline bool
may_trace(void)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? 0 : 1);
	status = wait_for(pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#endif
