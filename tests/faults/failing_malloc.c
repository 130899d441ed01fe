/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failing_malloc.c - preloaded: let one allocation of a program fail, or all
 * allocations from one on.
 *
 *	FAIL_AT=N	the Nth allocation fails
 *	FAIL_ALL=1	each later allocation fails, too
 *	FAIL_LOG=FILE	receives a byte when an allocation has failed
 *	FAIL_TRAP=1	a debugger stops at the failure
 *
 * Allocations count from main on.  Those calls fail that meet a memory limit:
 * malloc, calloc, realloc, aligned_alloc, mmap of anonymous memory.
 * malloc_usable_size and free are the C library's.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
int __libc_start_main(int (*start)(int, char **, char **), int argc,
    char **argv, void (*init)(void), void (*fini)(void),
    void (*rtld_fini)(void), void *stack_end);

static unsigned long count, fail_at;
static bool fail_all, counting;

static bool
fails(void)
{
	static bool logged;
	const char *log;
	unsigned long n;
	int fd;

	if (!counting)
		return false;
	n = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
	if (n != fail_at && !(fail_all && n > fail_at))
		return false;
	if (!__atomic_exchange_n(&logged, true, __ATOMIC_RELAXED) &&
	    (log = getenv("FAIL_LOG")) != NULL) {
		fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		if (fd >= 0 && write(fd, ".", 1) == 1)
			close(fd);
	}
	if (getenv("FAIL_TRAP"))
		raise(SIGTRAP);
	errno = ENOMEM;
	return true;
}

void *
malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

void *
aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __libc_memalign(alignment, size);
}

int
posix_memalign(void **to, size_t alignment, size_t size)
{
	if (fails())
		return ENOMEM;
	*to = __libc_memalign(alignment, size);
	return *to ? 0 : ENOMEM;
}

void *
mmap(void *at, size_t size, int access, int flags, int fd, off_t offset)
{
	if ((flags & MAP_ANONYMOUS) && !(flags & MAP_FIXED) && fails())
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, at, size, access, flags, fd, offset);
}

static int (*program)(int, char **, char **);

static int
main_of_all(int argc, char **argv, char **environment)
{
	const char *at = getenv("FAIL_AT");

	fail_at = at ? strtoul(at, NULL, 10) : 0;
	fail_all = getenv("FAIL_ALL") != NULL;
	counting = true;
	return program(argc, argv, environment);
}

/*
 * The program starts here: the allocations of the loader and of constructors
 * are over.
 */
int
__libc_start_main(int (*start)(int, char **, char **), int argc, char **argv,
    void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
    void *stack_end)
{
	__typeof__(&__libc_start_main) real =
	    (__typeof__(&__libc_start_main))dlsym(RTLD_NEXT,
		"__libc_start_main");

	program = start;
	return real(main_of_all, argc, argv, init, fini, rtld_fini, stack_end);
}
