/*
 * used.c COMMAND...: run a command, and print the maximum of its memory in KiB
 * on standard error.
 */
#include <err.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	struct rusage usage;
	const pid_t pid = argc > 1 ? fork() : -1;
	int status;

	if (pid < 0)
		err(2, "fork");
	if (pid == 0) {
		execvp(argv[1], argv + 1);
		err(127, "%s", argv[1]);
	}
	if (wait4(pid, &status, 0, &usage) < 0)
		err(2, "wait4");
	fprintf(stderr, "%ld\n", usage.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
