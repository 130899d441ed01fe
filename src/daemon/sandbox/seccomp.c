/* SPDX-License-Identifier: Apache-2.0 */
/* seccomp.c - the list of system calls that the daemon may make. */
#include "daemon/sandbox/sandbox.h"

#include "base/array.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "snap/process.h"

#include <stdio.h>
#include <string.h>

static bool is_on;
static char state[128] = "off: not started";

bool
tl_seccomp_is_on(void)
{
	return is_on;
}

const char *
tl_seccomp_state(void)
{
	return state;
}

#ifdef TL_SECCOMP
#	include <errno.h>
#	include <sched.h>
#	include <seccomp.h>
#	include <stddef.h>
#	include <sys/ioctl.h>
#	include <sys/mman.h>
#	include <sys/prctl.h>
#	include <sys/socket.h>

enum { SOCKET_TYPE_MASK = 0xf };

/* Calls allowed with any arguments: */
static const int allowed[] = {
	/* the loop, its timers, its signals */
	SCMP_SYS(clock_getres), SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_nanosleep), SCMP_SYS(epoll_create1), SCMP_SYS(epoll_ctl),
	SCMP_SYS(epoll_pwait), SCMP_SYS(epoll_pwait2), SCMP_SYS(epoll_wait),
	SCMP_SYS(eventfd2), SCMP_SYS(gettimeofday), SCMP_SYS(inotify_add_watch),
	SCMP_SYS(inotify_init1), SCMP_SYS(inotify_rm_watch),
	SCMP_SYS(nanosleep), SCMP_SYS(pipe2), SCMP_SYS(poll), SCMP_SYS(ppoll),
	SCMP_SYS(pselect6), SCMP_SYS(restart_syscall), SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigpending), SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigtimedwait), SCMP_SYS(select),
	SCMP_SYS(sigaltstack), SCMP_SYS(signalfd4), SCMP_SYS(time),
	SCMP_SYS(timer_create), SCMP_SYS(timer_delete),
	SCMP_SYS(timer_getoverrun), SCMP_SYS(timer_settime),
	SCMP_SYS(timerfd_create), SCMP_SYS(timerfd_gettime),
	SCMP_SYS(timerfd_settime),
	/* the clock to compare with; setting it takes a capability */
	SCMP_SYS(adjtimex), SCMP_SYS(clock_adjtime),
	/* files: configuration, /proc, timelines, snapshots, recordings */
	SCMP_SYS(access), SCMP_SYS(chmod), SCMP_SYS(close),
	SCMP_SYS(close_range), SCMP_SYS(copy_file_range), SCMP_SYS(dup),
	SCMP_SYS(dup2), SCMP_SYS(dup3), SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2), SCMP_SYS(fadvise64), SCMP_SYS(fallocate),
	SCMP_SYS(fchmod), SCMP_SYS(fchmodat), SCMP_SYS(fcntl),
	SCMP_SYS(fdatasync), SCMP_SYS(flock), SCMP_SYS(fstat),
	SCMP_SYS(fstatfs), SCMP_SYS(fsync), SCMP_SYS(ftruncate),
	SCMP_SYS(getcwd), SCMP_SYS(getdents64), SCMP_SYS(link),
	SCMP_SYS(linkat), SCMP_SYS(lseek), SCMP_SYS(lstat),
	SCMP_SYS(memfd_create), SCMP_SYS(mkdir), SCMP_SYS(mkdirat),
	SCMP_SYS(newfstatat), SCMP_SYS(open), SCMP_SYS(openat),
	SCMP_SYS(pread64), SCMP_SYS(preadv), SCMP_SYS(pwrite64),
	SCMP_SYS(pwritev), SCMP_SYS(read), SCMP_SYS(readlink),
	SCMP_SYS(readlinkat), SCMP_SYS(readv), SCMP_SYS(rename),
	SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(rmdir),
	SCMP_SYS(sendfile), SCMP_SYS(stat), SCMP_SYS(statfs), SCMP_SYS(statx),
	SCMP_SYS(sync_file_range), SCMP_SYS(umask), SCMP_SYS(unlink),
	SCMP_SYS(unlinkat), SCMP_SYS(write), SCMP_SYS(writev),
	/* memory and threads; glibc registers rseq in each thread */
	SCMP_SYS(arch_prctl), SCMP_SYS(brk), SCMP_SYS(exit),
	SCMP_SYS(exit_group), SCMP_SYS(futex), SCMP_SYS(get_robust_list),
	SCMP_SYS(getcpu), SCMP_SYS(getrandom), SCMP_SYS(madvise),
	SCMP_SYS(membarrier), SCMP_SYS(mincore), SCMP_SYS(mremap),
	SCMP_SYS(msync), SCMP_SYS(munmap), SCMP_SYS(rseq),
	SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_yield),
	SCMP_SYS(set_robust_list), SCMP_SYS(set_tid_address),
	/* the daemon itself, writers, and programs of triggers */
	SCMP_SYS(getegid), SCMP_SYS(geteuid), SCMP_SYS(getgid),
	SCMP_SYS(getgroups), SCMP_SYS(getpgrp), SCMP_SYS(getpid),
	SCMP_SYS(getppid), SCMP_SYS(getrusage), SCMP_SYS(gettid),
	SCMP_SYS(getuid), SCMP_SYS(kill), SCMP_SYS(pidfd_open),
	SCMP_SYS(pidfd_send_signal), SCMP_SYS(sysinfo), SCMP_SYS(tgkill),
	SCMP_SYS(uname), SCMP_SYS(wait4), SCMP_SYS(waitid),
	/* sockets that listen; conditions[] limits the sockets */
	SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(bind),
	SCMP_SYS(getpeername), SCMP_SYS(getsockname), SCMP_SYS(getsockopt),
	SCMP_SYS(listen), SCMP_SYS(recvfrom), SCMP_SYS(recvmsg),
	SCMP_SYS(setsockopt), SCMP_SYS(shutdown), SCMP_SYS(socketpair)
};

/* Calls that only an attacker would make kill the process: */
static const int killing[] = { SCMP_SYS(add_key), SCMP_SYS(bpf),
	SCMP_SYS(chroot), SCMP_SYS(delete_module), SCMP_SYS(execve),
	SCMP_SYS(execveat), SCMP_SYS(finit_module), SCMP_SYS(init_module),
	SCMP_SYS(io_uring_setup), SCMP_SYS(kexec_file_load),
	SCMP_SYS(kexec_load), SCMP_SYS(keyctl), SCMP_SYS(mount),
	SCMP_SYS(open_by_handle_at), SCMP_SYS(perf_event_open),
	SCMP_SYS(pidfd_getfd), SCMP_SYS(pivot_root), SCMP_SYS(process_vm_readv),
	SCMP_SYS(process_vm_writev), SCMP_SYS(ptrace), SCMP_SYS(request_key),
	SCMP_SYS(setns), SCMP_SYS(swapon), SCMP_SYS(umount2), SCMP_SYS(unshare),
	SCMP_SYS(userfaultfd) };

#	define ARGUMENT(n, mask, value) \
		SCMP_CMP64(n, SCMP_CMP_MASKED_EQ, (mask), (value))
#	define EQUALS(n, value) ARGUMENT(n, UINT64_MAX, value)

/* Calls allowed if one or two arguments match: */
static const struct {
	int call;
	unsigned count;
	struct scmp_arg_cmp arguments[2];
} conditions[] = {
	/* UNIX sockets, and TCP sockets that listen: no socket connects. */
	{ SCMP_SYS(socket), 1, { EQUALS(0, AF_UNIX) } },
	{ SCMP_SYS(socket), 2,
	    { EQUALS(0, AF_INET),
		ARGUMENT(1, SOCKET_TYPE_MASK, SOCK_STREAM) } },
	{ SCMP_SYS(socket), 2,
	    { EQUALS(0, AF_INET6),
		ARGUMENT(1, SOCKET_TYPE_MASK, SOCK_STREAM) } },
	/* MSG_FASTOPEN would connect. */
	{ SCMP_SYS(sendto), 1, { ARGUMENT(3, MSG_FASTOPEN, 0) } },
	{ SCMP_SYS(sendmsg), 1, { ARGUMENT(2, MSG_FASTOPEN, 0) } },
	/* Threads, but no processes. */
	{ SCMP_SYS(clone), 1, { ARGUMENT(0, CLONE_THREAD, CLONE_THREAD) } },
	/* No memory that is writable and executable, now or later. */
	{ SCMP_SYS(mmap), 1, { ARGUMENT(2, PROT_EXEC, 0) } },
	{ SCMP_SYS(mmap), 1, { ARGUMENT(2, PROT_WRITE, 0) } },
	{ SCMP_SYS(mprotect), 1, { ARGUMENT(2, PROT_EXEC, 0) } },
	{ SCMP_SYS(ioctl), 1, { EQUALS(1, TL_PIDFD_GET_INFO) } },
	{ SCMP_SYS(ioctl), 1, { EQUALS(1, FIONBIO) } },
	{ SCMP_SYS(ioctl), 1, { EQUALS(1, FIONREAD) } },
	{ SCMP_SYS(ioctl), 1, { EQUALS(1, TCGETS) } },
	{ SCMP_SYS(prctl), 1, { EQUALS(0, PR_SET_NAME) } },
	{ SCMP_SYS(prctl), 1, { EQUALS(0, PR_GET_NAME) } },
	{ SCMP_SYS(prctl), 1, { EQUALS(0, PR_GET_TSC) } },
	/* Limits may be read, not set. */
	{ SCMP_SYS(prlimit64), 2, { EQUALS(0, 0), EQUALS(2, 0) } },
};

static int
add_rules(scmp_filter_ctx filter)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(allowed) / sizeof(int); i++)
		rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
	for (size_t i = 0; rc == 0 && i < sizeof(killing) / sizeof(int); i++)
		rc = seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, killing[i],
		    0);
	for (size_t i = 0; rc == 0 && i < TL_COUNT(conditions); i++)
		rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW,
		    conditions[i].call, conditions[i].count,
		    conditions[i].arguments);
	/* A filter cannot read clone3's arguments, which are in memory.  On
	 * ENOSYS glibc uses clone. */
	if (rc == 0)
		rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS),
		    SCMP_SYS(clone3), 0);
	return rc;
}

static int
install(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int rc;

	if (!filter)
		return -ENOMEM;
	rc = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
	/* a binary tree instead of a list, so that no call is slow */
	if (rc == 0)
		rc = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (rc == 0)
		rc = add_rules(filter);
	if (rc == 0)
		rc = seccomp_load(filter);
	seccomp_release(filter);
	return rc;
}
#endif

void
tl_seccomp_start(bool wanted)
{
	const char *why = "seccomp = false";

#ifdef TL_SECCOMP
	int rc = wanted ? install() : 0;

	is_on = wanted && rc == 0;
	if (rc != 0)
		why = strerror(-rc);
#else
	if (wanted)
		why = "built without libseccomp";
#endif
	snprintf(state, sizeof(state), is_on ? "on" : "off: %s", why);
	if (wanted && !is_on)
		tl_daemon_log(TL_LOG_WARNING, "the seccomp filter is %s",
		    state);
}
