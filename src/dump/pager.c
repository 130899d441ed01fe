/* SPDX-License-Identifier: Apache-2.0 */
/* pager.c - a pager as a child that reads a pipe. */
#include "dump/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usual[] = "less";

const char *
tl_pager_command(void)
{
	static const char *const names[] = { "TIMELINE_PAGER", "PAGER" };
	const char *terminal = getenv("TERM");
	const char *command = usual;

	if (!terminal || !terminal[0] || strcmp(terminal, "dumb") == 0)
		return NULL;
	for (size_t i = 2; i-- > 0;) {
		const char *value = getenv(names[i]);

		if (value)
			command = value;
	}
	return command[0] == '\0' || strcmp(command, "cat") == 0 ? NULL
								 : command;
}

/* In the child.  Without less, what there is. */
static _Noreturn void
become(const char *command)
{
	setenv("LESS", "FRX", 0); /* end if it fits, colours, no clearing */
	setenv("LV", "-c", 0);
	if (command == usual) {
		execlp("less", "less", (char *)NULL);
		execlp("more", "more", (char *)NULL);
		execlp("cat", "cat", (char *)NULL);
	} else {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	}
	_exit(127);
}

pid_t
tl_pager_start(const char *command, int *fd)
{
	int ends[2];
	pid_t pager;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	pager = fork();
	if (pager == 0) {
		signal(SIGPIPE, SIG_DFL);
		if (dup2(ends[0], STDIN_FILENO) >= 0)
			become(command);
		_exit(127);
	}
	close(ends[0]);
	if (pager < 0) {
		close(ends[1]);
		return -errno;
	}
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	*fd = ends[1];
	return pager;
}

void
tl_pager_end(pid_t pager, int fd)
{
	close(fd);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}
