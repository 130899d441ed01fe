/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - the names of threads that log.
 *
 * A thread records its name when the append finds that the thread's ids are not
 * known yet: once for each timeline, possibly in a signal handler or shortly
 * before the thread is killed.  So nothing here locks, waits or allocates.  A
 * slot is claimed with the ids, by one compare and swap, and then filled; a
 * thread that is killed in between leaves a slot with a wrong sum, which
 * readers skip.  timeline_thread_name() also sets the ids, so that the first
 * append does not replace the name.
 *
 * A thread that has the name of its process records its name too: a set of
 * slots may be full later, and the name would then be unknown.  If a set of
 * slots is full, a slot of a thread that has ended is claimed; if all threads
 * of the set live, the name is not recorded, and readers show none.
 *
 * A thread may have logged into another timeline of this process before.  So
 * each timeline has its own word for the ids of a thread, as long as there are
 * words (ids.c).  Where a word belongs to several timelines, a thread records
 * its name in all of them when it fills the word.  For timelines that are
 * opened later, names are also kept in a table of the process: a thread records
 * its name there before it goes through the list of timelines, and a timeline
 * is in the list before it gets the names of the table.
 */
#include "base/array.h"
#include "base/word.h"
#include "ring/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A name as in prctl(2). */
union comm {
	char text[TIMELINE_THREAD_NAME_MAX + 1];
	uint64_t words[2];
};

/* The table of this process.  Its layout is that of a new file, so that a set
 * that is full here is also full in the file. */
static _Alignas(TIMELINE_PAGE_SIZE) struct timeline_name own[TIMELINE_NAMES];
static uint64_t own_put;

/* The name of the process; known if process_pid is the pid. */
static uint64_t process_words[2];
static uint32_t process_pid;

static bool
is_whole(const struct timeline_name *n)
{
	struct timeline_name copy = { .tid = tl_load_32(&n->tid),
		.pid = tl_load_32(&n->pid),
		.text = { tl_load_64(&n->text[0]), tl_load_64(&n->text[1]) } };

	return tl_load_64(&n->sum) == timeline_name_sum(&copy);
}

/* May the slot with these ids be claimed?  A slot of a thread or process that
 * has ended may; in the table of this process also a slot of the parent. */
static bool
is_free(uint64_t ids, bool is_own)
{
	const pid_t pid = (pid_t)(ids >> 32), tid = (pid_t)(uint32_t)ids;

	if (ids == 0 || (is_own && pid != getpid()))
		return true;
	return (tid ? syscall(SYS_tgkill, pid, tid, 0) : kill(pid, 0)) != 0 &&
	       errno == ESRCH;
}

/* Claim a slot for ids: the slot that already has the ids, an unused slot, or
 * the slot of a thread that has ended.  put selects the first slot to examine.
 * NULL: none. */
static struct timeline_name *
claim(struct timeline_name *set, uint64_t ids, uint64_t put, bool is_own)
{
	for (unsigned i = 0; i < TIMELINE_NAMES_SET; i++)
		if (tl_load_64((uint64_t *)(void *)&set[i]) == ids)
			return &set[i];
	for (unsigned i = 0; i < TIMELINE_NAMES_SET; i++) {
		uint64_t *word = (uint64_t *)(void *)&set[i];

		if (tl_load_64(word) == 0 && tl_cas_64(word, 0, ids))
			return &set[i];
	}
	for (unsigned i = 0; i < TIMELINE_NAMES_SET; i++) {
		struct timeline_name *slot =
		    &set[(put + i) % TIMELINE_NAMES_SET];
		uint64_t *word = (uint64_t *)(void *)slot;
		const uint64_t there = tl_load_64(word);

		if (is_free(there, is_own) && tl_cas_64(word, there, ids))
			return slot;
	}
	return NULL;
}

static void
put_name(struct timeline_name *names, uint64_t max, uint64_t *count,
    uint32_t pid, uint32_t tid, const uint64_t text[2])
{
	struct timeline_name n = { tid, pid, { text[0], text[1] }, 0 };
	struct timeline_name *slot =
	    claim(&names[timeline_name_set(pid, tid, max)],
		(uint64_t)pid << 32 | tid, tl_load_64(count), names == own);

	if (!slot)
		return;
	/* if another thread takes the slot meanwhile, the sum is wrong */
	if (tl_load_64(&slot->text[0]) == text[0] &&
	    tl_load_64(&slot->text[1]) == text[1] && is_whole(slot))
		return;
	tl_store_64(&slot->text[0], text[0]);
	tl_store_64(&slot->text[1], text[1]);
	/* release: pairs with the read of names_put in take.c */
	tl_store_release_64(&slot->sum, timeline_name_sum(&n));
	tl_fetch_add_64(count, 1);
}

static void
put_both(struct timeline *tl, uint32_t pid, uint32_t tid,
    const uint64_t text[2])
{
	put_name(own, TL_COUNT(own), &own_put, pid, tid, text);
	put_name(tl->names, tl->geometry.names_max, &tl->header->names_put, pid,
	    tid, text);
}

static union comm
comm_of(const char *name)
{
	union comm comm = { .words = { 0, 0 } };

	strncpy(comm.text, name, TIMELINE_THREAD_NAME_MAX);
	return comm;
}

static void
note(struct timeline *tl, const char *name)
{
	/* 0: a signal handler forked, and this is the child, whose next append
	 * fills the word again */
	const uint64_t ids = tl_load_64(tl_ids_word(tl->ids));
	const uint32_t tid = (uint32_t)ids;
	const uint32_t pid = (uint32_t)(ids >> 32);
	union comm comm = { .words = { 0, 0 } };
	/* a sandbox may forbid prctl; a given name needs no prctl */
	const bool has_comm = prctl(PR_GET_NAME, comm.text) == 0;

	if (ids == 0 || !tl->names || (!name && !has_comm))
		return;
	if (has_comm && tid == pid &&
	    (!name || tl_load_32(&process_pid) != pid)) {
		tl_store_64(&process_words[0], comm.words[0]);
		tl_store_64(&process_words[1], comm.words[1]);
		tl_store_32(&process_pid, pid);
	}
	if (name)
		comm = comm_of(name);
	if (tl_load_32(&process_pid) == pid) {
		const uint64_t words[] = { tl_load_64(&process_words[0]),
			tl_load_64(&process_words[1]) };

		put_both(tl, pid, 0, words);
	}
	put_both(tl, pid, tid, comm.words);
}

static void
note_comm(struct timeline *tl)
{
	note(tl, NULL);
}

void
tl_names_record(struct timeline *tl)
{
	const int saved_errno = errno;

	note_comm(tl);
	tl_exits_others(tl, note_comm);
	errno = saved_errno;
}

void
timeline_thread_name(struct timeline *tl, const char *name)
{
	const int saved_errno = errno;
	uint32_t forks;

	if (!tl)
		return;
	do { /* a signal handler may log, and may fork */
		forks = tl_load_32(&tl_forks);

		const bool first = tl_load_64(tl_ids_word(tl->ids)) == 0;

		tl_ids_fill(tl->ids);
		if (first)
			tl_exits_others(tl, note_comm);
		note(tl, name);
	} while (tl_load_32(&tl_forks) != forks);
	errno = saved_errno;
}

/* Read the name of the process now, because a sandbox may forbid open(2) when a
 * thread logs. */
static void
read_process(void)
{
	const int fd = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
	union comm comm = { .words = { 0, 0 } };
	ssize_t n = -1;

	if (fd >= 0) {
		n = read(fd, comm.text, TIMELINE_THREAD_NAME_MAX + 1);
		close(fd);
	}
	if (n <= 0)
		return;
	memset(comm.text + n - 1, 0, sizeof(comm) - (size_t)n + 1);
	tl_store_64(&process_words[0], comm.words[0]);
	tl_store_64(&process_words[1], comm.words[1]);
	tl_store_32(&process_pid, (uint32_t)getpid());
}

void
tl_names_open(struct timeline *tl)
{
	const uint64_t offset = tl->geometry.names_offset;
	const uint32_t pid = (uint32_t)getpid();

	if (offset == 0 || tl_ids_are_none(tl))
		return;
	tl->names = (struct timeline_name *)(void *)(tl->map + offset);
	/* the first append of a thread then meets no page that is absent */
	for (size_t i = 0; i < sizeof(own); i += TIMELINE_PAGE_SIZE)
		tl_fetch_add_64((uint64_t *)(void *)((char *)own + i), 0);
	if (tl_load_32(&process_pid) != pid)
		read_process();
}

void
tl_names_copy(struct timeline *tl)
{
	const uint32_t pid = (uint32_t)getpid();

	for (size_t i = 0; tl->names && i < TL_COUNT(own); i++)
		if (own[i].pid == pid && is_whole(&own[i]))
			put_both(tl, pid, own[i].tid, own[i].text);
}
