/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.c - a daemon that gives a fixed answer.
 *
 *	answer SOCKET REQUESTS [endless] <ANSWER
 *
 * The program listens on SOCKET.  For each connection it appends the request
 * line to REQUESTS and answers with ANSWER, once or endlessly.  It ends with
 * its parent process.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ANSWER_MAX = 1 << 20, LINE_MAX_SIZE = 4096, ENDLESS = 64 << 20 };

static char answer[ANSWER_MAX];

static void
die(const char *what)
{
	fprintf(stderr, "answer: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static int
listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	/* a client that sees the socket may connect at once */
	snprintf(address.sun_path, sizeof(address.sun_path), "%s~", path);
	if (fd < 0 ||
	    bind(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
	    listen(fd, 8) != 0 || rename(address.sun_path, path) != 0)
		die(path);
	return fd;
}

static void
keep_request(int fd, const char *path)
{
	char line[LINE_MAX_SIZE];
	size_t size = 0;
	FILE *file = fopen(path, "a");

	if (!file)
		die(path);
	while (size < sizeof(line) && read(fd, &line[size], 1) == 1 &&
	       line[size++] != '\n')
		;
	fwrite(line, 1, size, file);
	fclose(file);
}

static void
say(int fd, size_t size, int endless)
{
	size_t said = 0;

	do {
		const ssize_t n = write(fd, answer, size);

		if (n <= 0)
			return;
		said += (size_t)n;
	} while (endless && said < ENDLESS);
}

int
main(int argc, char **argv)
{
	size_t size;
	int listener;

	if (argc < 3)
		return 2;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	size = fread(answer, 1, sizeof(answer), stdin);
	listener = listen_at(argv[1]);
	for (;;) {
		const int fd = accept(listener, NULL, NULL);

		if (fd < 0)
			die("accept");
		keep_request(fd, argv[2]);
		say(fd, size, argc > 3);
		close(fd);
	}
}
