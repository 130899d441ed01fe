/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slow_link.c - a link to a server that delays some requests.
 *
 *	client --> slow_link --> server
 *
 *	slow_link SERVER_PORT WORD MS
 *
 * Bytes from a client that contain WORD wait MS milliseconds, and so do all
 * bytes behind them.  The first line of output is the port, on loopback.
 */
#include "base/file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct link {
	const char *word;
	int64_t ms;
	int client, server;
};

static void
expect(bool is, const char *what)
{
	if (is)
		return;
	fprintf(stderr, "slow_link: %s: %s\n", what, strerror(errno));
	exit(1);
}

static struct sockaddr_in
address_of(const char *port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(port)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static int
listen_anywhere(void)
{
	struct sockaddr_in at = address_of("0");
	socklen_t size = sizeof(at);
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	expect(fd >= 0 && bind(fd, (struct sockaddr *)&at, size) == 0 &&
		   listen(fd, 8) == 0 &&
		   getsockname(fd, (struct sockaddr *)&at, &size) == 0,
	    "listen");
	printf("%d\n", ntohs(at.sin_port));
	fflush(stdout);
	return fd;
}

static void
hold_up(const struct link *l)
{
	const struct timespec wait = { .tv_sec = l->ms / 1000,
		.tv_nsec = l->ms % 1000 * 1000000 };

	nanosleep(&wait, NULL);
}

/* Pass bytes one way until there are no more. */
static void
pass_on(const struct link *l, int from, int to)
{
	static char bytes[1 << 16];
	ssize_t n;

	while ((n = read(from, bytes, sizeof(bytes))) > 0) {
		if (from == l->client &&
		    memmem(bytes, (size_t)n, l->word, strlen(l->word)))
			hold_up(l);
		if (tl_write_all(to, bytes, (size_t)n) != 0)
			break;
	}
	shutdown(to, SHUT_RDWR);
	shutdown(from, SHUT_RDWR);
}

/* Serve each way by a process of its own, so that only one way is delayed. */
static void
serve(struct link *l, const struct sockaddr_in *server)
{
	l->server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	expect(l->server >= 0 &&
		   connect(l->server, (const struct sockaddr *)server,
		       sizeof(*server)) == 0,
	    "connect");
	if (fork() == 0)
		pass_on(l, l->client, l->server);
	else
		pass_on(l, l->server, l->client);
	_exit(0);
}

int
main(int argc, char **argv)
{
	struct sockaddr_in server;
	struct link l = { 0 };
	int listener;

	if (argc != 4) {
		fprintf(stderr, "slow_link SERVER_PORT WORD MS\n");
		return 2;
	}
	signal(SIGCHLD, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	server = address_of(argv[1]);
	l.word = argv[2];
	l.ms = atoi(argv[3]);
	listener = listen_anywhere();
	while ((l.client = accept(listener, NULL, NULL)) >= 0) {
		if (fork() == 0)
			serve(&l, &server);
		close(l.client);
	}
	return 1;
}
