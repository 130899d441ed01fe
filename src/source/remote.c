/* SPDX-License-Identifier: Apache-2.0 */
/* remote.c - run timeline-ship, and read its output. */
#include "source/remote.h"

#include "base/file.h"
#include "base/ns.h"
#include "event/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "timeline-ship"

enum {
	TIME_SIZE = 32,
	WORDS_MAX = 8 + 2 * TL_REMOTE_HOSTS_MAX,
	NOT_FOUND = 127 /* exit status of shells */
};

/* The command line, and the texts in it. */
struct command {
	char path[TL_PATH_MAX];
	char since[TIME_SIZE];
	char until[TIME_SIZE];
	const char *words[WORDS_MAX];
	size_t count;
};

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool
tl_remote_is_meant(const struct tl_remote_plan *plan, const char *machine)
{
	bool is_meant = plan->host_count == 0 || !machine[0];

	for (size_t i = 0; i < plan->host_count && !is_meant; i++)
		is_meant =
		    tl_glob_matches(plan->hosts[i], tl_bytes_of(machine));
	return is_meant;
}

bool
tl_remote_is_name(const char *name)
{
	const char *at = name;

	if (!is_letter(*at))
		return false;
	while (is_letter(*at) || (*at >= '0' && *at <= '9') ||
	       (*at && strchr("+-.", *at)))
		at++;
	return strncmp(at, "://", 3) == 0;
}

/* == the command line == */

/* The path in TIMELINE_SHIP, the program in the directory of the running
 * program, or its name, which is searched in PATH. */
static void
find_program(char path[TL_PATH_MAX])
{
	const char *named = secure_getenv("TIMELINE_SHIP");
	ssize_t size;
	char *slash;

	if (named && named[0] && strlen(named) < TL_PATH_MAX) {
		strcpy(path, named);
		return;
	}
	size = readlink("/proc/self/exe", path, TL_PATH_MAX - 1);
	path[size > 0 ? size : 0] = '\0';
	slash = strrchr(path, '/');
	if (slash &&
	    (size_t)(slash + 1 - path) + sizeof(PROGRAM) <= TL_PATH_MAX) {
		strcpy(slash + 1, PROGRAM);
		if (access(path, X_OK) == 0)
			return;
	}
	strcpy(path, PROGRAM);
}

static void
add(struct command *c, const char *word)
{
	c->words[c->count++] = word;
}

/* Add an option with a time in seconds and nanoseconds. */
static void
add_time(struct command *c, const char *option, char text[TIME_SIZE],
    int64_t ns)
{
	const int64_t second = TL_NS_PER_S;
	const uint64_t distance = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	snprintf(text, TIME_SIZE, "@%s%" PRIu64 ".%09" PRIu64,
	    ns < 0 ? "-" : "", distance / (uint64_t)second,
	    distance % (uint64_t)second);
	add(c, option);
	add(c, text);
}

/* == the process == */

int
tl_remote_open(struct tl_remote *remote, const char *name,
    const struct tl_remote_plan *plan, struct tl_fault *fault)
{
	const pid_t parent = getpid();
	struct command command;
	int ends[2];

	find_program(command.path);
	command.count = 0;
	add(&command, command.path);
	add(&command, "read");
	for (size_t i = 0; i < plan->host_count && i < TL_REMOTE_HOSTS_MAX;
	     i++) {
		add(&command, "--host");
		add(&command, plan->hosts[i]);
	}
	if (plan->since_ns != INT64_MIN)
		add_time(&command, "--since", command.since, plan->since_ns);
	if (plan->until_ns != INT64_MAX)
		add_time(&command, "--until", command.until, plan->until_ns);
	if (plan->follow)
		add(&command, "-f");
	add(&command, name);
	add(&command, NULL);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return tl_fail(fault, -errno, "%s", strerror(errno));
	remote->pid = fork();
	if (remote->pid == 0) {
		const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
		char *words[WORDS_MAX];

		/* Become timeline-ship in the child.  The child ends with its
		 * parent, reads from /dev/null instead of a terminal, and is
		 * killed by SIGPIPE, like any filter. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(NOT_FOUND);
		if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
		    dup2(ends[1], STDOUT_FILENO) < 0)
			_exit(NOT_FOUND);
		signal(SIGPIPE, SIG_DFL);
		signal(SIGXFSZ, SIG_DFL);
		for (size_t i = 0; i < command.count; i++)
			words[i] = (char *)(uintptr_t)command.words[i];
		execvp(command.path, words);
		_exit(NOT_FOUND);
	}
	close(ends[1]);
	remote->fd = ends[0];
	if (remote->pid > 0)
		return 0;
	close(ends[0]);
	return tl_fail(fault, -errno, "%s", strerror(errno));
}

int
tl_remote_close(struct tl_remote *remote, bool early, struct tl_fault *fault)
{
	int status = 0;

	if (early)
		kill(remote->pid, SIGTERM);
	close(remote->fd);
	while (waitpid(remote->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (early || status == 0)
		return 0;
	if (WIFSIGNALED(status))
		return tl_fail(fault, -EIO, PROGRAM " was killed by signal %d",
		    WTERMSIG(status));
	if (WEXITSTATUS(status) == NOT_FOUND)
		return tl_fail(fault, -EIO,
		    PROGRAM
		    " cannot be run; it is needed to read from servers");
	return tl_fail(fault, -EIO, PROGRAM " failed: entries may be missing");
}
