/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - the names of threads that log.
 *
 * A thread records its name when the append finds that its ids are not known
 * yet: once for each timeline, possibly in a signal handler or shortly before
 * the thread is killed.  So nothing here locks, waits or allocates.  A slot is
 * claimed with the ids, by one compare and swap, and then filled; a thread that
 * is killed in between leaves a slot with a wrong sum, which readers skip.
 *
 * The same thread may have logged into another timeline of this process before.
 * So each timeline has its own word for the ids of a thread, as long as there
 * are words (ids.c).  For timelines that are opened later, names are kept in a
 * table of the process as well.
 */
#include "base/word.h"
#include "ring/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A name as in prctl(2). */
union comm {
	char text[TIMELINE_THREAD_NAME_MAX + 1];
	uint64_t words[2];
};

/* The table of this process, laid out as that of a file. */
static struct timeline_name own[TIMELINE_NAMES / 4];
static uint64_t own_put;

/* The name of the process; known if process_pid is its pid. */
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

/* Claim a slot for these ids: the one they have, a free one, or that of other
 * ids. */
static struct timeline_name *
claim(struct timeline_name *set, uint64_t ids, uint64_t put)
{
	struct timeline_name *free_slot = NULL;

	for (unsigned i = 0; i < TIMELINE_NAMES_SET; i++) {
		const uint64_t there = tl_load_64((uint64_t *)(void *)&set[i]);

		if (there == ids)
			return &set[i];
		if (there == 0 && !free_slot &&
		    tl_cas_64((uint64_t *)(void *)&set[i], 0, ids))
			free_slot = &set[i];
		if (free_slot)
			return free_slot;
	}
	set += put % TIMELINE_NAMES_SET;
	tl_store_64((uint64_t *)(void *)set, ids);
	return set;
}

static void
put(struct timeline_name *names, uint64_t max, uint64_t *count, uint32_t pid,
    uint32_t tid, const uint64_t text[2])
{
	struct timeline_name n = { tid, pid, { text[0], text[1] }, 0 };
	struct timeline_name *slot =
	    claim(&names[timeline_name_set(pid, tid, max)],
		(uint64_t)pid << 32 | tid, tl_load_64(count));

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
	if (tl && tl->names)
		put(tl->names, tl->geometry.names_max, &tl->header->names_put,
		    pid, tid, text);
	put(own, sizeof(own) / sizeof(own[0]), &own_put, pid, tid, text);
}

/* Has this thread a record, which the new name must replace? */
static bool
has_record(const struct timeline *tl, uint32_t pid, uint32_t tid)
{
	const uint64_t max = tl->geometry.names_max;
	const struct timeline_name *set =
	    tl->names + timeline_name_set(pid, tid, max);

	for (unsigned i = 0; i < TIMELINE_NAMES_SET; i++)
		if (tl_load_32(&set[i].pid) == pid &&
		    tl_load_32(&set[i].tid) == tid)
			return true;
	return false;
}

static void
note(struct timeline *tl, const char *name)
{
	const uint32_t tid = (uint32_t)syscall(SYS_gettid);
	const uint32_t pid = (uint32_t)getpid();
	union comm comm = { .words = { 0, 0 } };

	if (!tl->names)
		return;
	if (name)
		strncpy(comm.text, name, TIMELINE_THREAD_NAME_MAX);
	else if (prctl(PR_GET_NAME, comm.text) != 0)
		return;
	if (tid == pid && !name) {
		tl_store_64(&process_words[0], comm.words[0]);
		tl_store_64(&process_words[1], comm.words[1]);
		tl_store_32(&process_pid, pid);
	}
	if (tl_load_32(&process_pid) == pid) {
		const uint64_t words[] = { tl_load_64(&process_words[0]),
			tl_load_64(&process_words[1]) };

		put_both(tl, pid, 0, words);
		if (memcmp(words, comm.words, sizeof(words)) == 0 &&
		    !has_record(tl, pid, tid))
			return;
	}
	put_both(tl, pid, tid, comm.words);
}

void
tl_names_record(struct timeline *tl)
{
	const int saved_errno = errno;

	note(tl, NULL);
	errno = saved_errno;
}

void
timeline_thread_name(struct timeline *tl, const char *name)
{
	if (tl)
		note(tl, name);
}

/* Read the name of the process now: a sandbox may forbid open(2) when a thread
 * logs. */
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

	if (offset == 0)
		return;
	tl->names = (struct timeline_name *)(void *)(tl->map + offset);
	if (tl_load_32(&process_pid) != pid)
		read_process();
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (own[i].pid == pid && is_whole(&own[i]))
			put_both(tl, pid, own[i].tid, own[i].text);
}
