/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ids.c - pid and tid of the thread that logs, its rseq area, and the code that
 * the kernel reads through this area.
 *
 * The ids and the area are thread-local words of the initial-exec model: their
 * offset from the thread pointer is the same in every thread, and the append
 * needs no call.
 */
#include "base/word.h"
#include "ring/ring.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* tid in the low half, pid in the high half, as in an entry; 0: not known
 * yet */
static TL_THREAD_LOCAL uint64_t ids[TL_IDS_WORDS];

TL_THREAD_LOCAL uint32_t tl_forks;

/* Used by threads without an rseq area of the kernel: the append stores its
 * descriptor here and finds no lane. */
static TL_THREAD_LOCAL uint64_t no_rseq[4];

/* These symbols are missing in a static program. */
#pragma weak _DYNAMIC
#pragma weak dladdr1
#pragma weak dlsym

/* These symbols are in glibc 2.35 and later. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

/* The asm hides the address from the compiler, which would otherwise fold the
 * difference into an instruction that linkers cannot relax. */
static int32_t
offset_of(const void *thread_local)
{
	__asm__("" : "+r"(thread_local));
	return (int32_t)((const char *)thread_local -
			 (const char *)__builtin_thread_pointer());
}

int32_t
tl_ids_offset(unsigned word)
{
	return offset_of(&ids[word]);
}

bool
tl_rseq_usable(void)
{
#ifdef TL_LOG_C /* log_c.c uses no lane of a CPU */
	return false;
#else
	const char *no = secure_getenv("TIMELINE_NO_RSEQ");

	if (no && *no && *no != '0')
		return false;
	return &__rseq_size && &__rseq_offset && __rseq_size != 0;
#endif
}

int32_t
tl_rseq_offset(const struct timeline *tl)
{
	return tl && tl->use_rseq ? (int32_t)__rseq_offset : offset_of(no_rseq);
}

/*
 * A thread's rseq area points to the descriptor of its last append until the
 * kernel clears the area.  The kernel reads the descriptor when the thread was
 * preempted or slept, and kills the process if the descriptor is unmapped.  No
 * thread can clear the areas of other threads, so the object that holds this
 * code must stay mapped.  libtimeline.so is linked with -z nodelete; a plug-in
 * that is linked with the archive gets the same mark here, when it opens a
 * timeline.  musl unloads no object.
 */
void
tl_stay_loaded(void)
{
#ifdef __GLIBC__
	void *(*open)(const char *name, int mode);
	struct link_map *map = NULL;
	Dl_info info;

	/* Only a plug-in may take the lock of the dynamic linker, because a
	 * thread waits for the lock while another thread runs the constructors
	 * of dlopen.  A program has DT_DEBUG, whether or not it is a PIE. */
	for (const ElfW(Dyn) *d = _DYNAMIC; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_DEBUG ||
		    (d->d_tag == DT_FLAGS_1 && (d->d_un.d_val & DF_1_NODELETE)))
			return;
	if (!&dlsym || !&dladdr1)
		return;
	/* by name: ld warns of a static program that refers to dlopen */
	*(void **)&open = dlsym(RTLD_DEFAULT, "dlopen");
	if (open &&
	    dladdr1((void *)(uintptr_t)tl_stay_loaded, &info, (void **)&map,
		RTLD_DL_LINKMAP) != 0 &&
	    map && map->l_name[0] != '\0') /* a program has no name */
		open(map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
#endif
}

/* The pid of this process after its first entry; 0 before. */
static uint32_t logged;

uint32_t
tl_ids_logged(void)
{
	return tl_load_32(&logged);
}

bool
tl_ids_are_none(const struct timeline *tl)
{
	return tl->ids == offset_of(&ids[TL_IDS_NONE]);
}

void
tl_ids_leave(struct timeline *tl)
{
	tl->ids = offset_of(&ids[TL_IDS_NONE]);
	tl->names = NULL;
	tl_chunks_set_ids(tl, tl->ids);
}

/* Between fork and this call the child logs with the ids of its parent.  A
 * child in another PID namespace has a parent without a number there. */
void
timeline_after_fork(void)
{
	tl_store_32(&tl_forks, tl_load_32(&tl_forks) + 1);
	for (size_t i = 0; i < TL_IDS_WORDS; i++)
		ids[i] = 0;
	tl_store_32(&logged, 0);
	tl_exits_after_fork(getppid() == 0);
}

static void
after_fork_in_child(void)
{
	tl_strings_after_fork();
	timeline_after_fork();
}

/* A signal handler may fork between the questions and the stores, which then
 * are the answers of the parent: the child asks for its pid again. */
bool
tl_ids_fill(int32_t offset)
{
	bool again = false;
	uint32_t forks;

	if (offset == offset_of(&ids[TL_IDS_NONE]))
		return false;
	do {
		forks = tl_load_32(&tl_forks);

		const uint32_t tid = (uint32_t)syscall(SYS_gettid);
		uint32_t pid = again ? 0 : tl_load_32(&logged);

		if (pid == 0)
			pid = (uint32_t)getpid();
		tl_store_64(tl_ids_word(offset), (uint64_t)pid << 32 | tid);
		tl_store_32(&logged, pid);
		again = true;
	} while (tl_load_32(&tl_forks) != forks);
	return true;
}

__attribute__((constructor)) static void
register_fork_handlers(void)
{
	pthread_atfork(tl_strings_before_fork, tl_strings_after_fork,
	    after_fork_in_child);
}
