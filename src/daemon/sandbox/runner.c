/* SPDX-License-Identifier: Apache-2.0 */
/* runner.c - the process that starts programs, and the daemon's side of it. */
#include "daemon/sandbox/sandbox.h"

#include "base/text.h"
#include "daemon/daemon.h"
#include "daemon/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	INHERITED_MAX = 1024, /* limit of variables of our environment */
	OWN = 4,
	REQUEST_MAX = 128 << 10,
	START_MAX_MS = 5000 /* limit of a program's start */
};

/* A request is followed by argc arguments and OWN variables, each ended by NUL.
 * argc 0 means reload. */
struct request {
	uint32_t number;
	uint32_t argc;
};

struct reply {
	uint32_t number;
	int32_t rc;
	int32_t pid; /* 0: no process */
};

/* == in the runner == */

static struct tl_config *known; /* NULL: any program may be started */

/* Is a variable inherited?  Variables that we set, or that belong to systemd
 * and the daemon only, are not. */
static bool
is_inherited(const char *variable)
{
	static const char *const not [] = { "TIMELINE=", "TIMELINE_TRIGGER=",
		"TIMELINE_TEXT=", "TIMELINE_NS=", "NOTIFY_SOCKET=",
		"WATCHDOG_USEC=", "WATCHDOG_PID=", NULL };

	for (size_t i = 0; not [i]; i++) {
		if (strncmp(variable, not [i], strlen(not [i])) == 0)
			return false;
	}
	return true;
}

static bool
is_same_program(const char *const *a, char *const *b)
{
	size_t i = 0;

	while (a[i] && b[i] && strcmp(a[i], b[i]) == 0)
		i++;
	return !a[i] && !b[i];
}

/* Does a trigger of the configuration run the program? */
static bool
is_known(char *const *argv)
{
	if (!known)
		return true;
	for (size_t i = 0; i < known->timeline_count; i++) {
		const struct tl_config_timeline *t = &known->timelines[i];

		for (size_t j = 0; j < t->rule_count; j++)
			if (t->rules[j].actions.run &&
			    is_same_program(t->rules[j].actions.run, argv))
				return true;
	}
	return false;
}

/* In the new process: become the program, or write the error to failure. */
static _Noreturn void
become(char *const *argv, char *const *environment, int failure)
{
	const struct sigaction plain = { .sa_handler = SIG_DFL };
	sigset_t none;
	int rc, fd;

	for (int i = 1; i < NSIG; i++)
		sigaction(i, &plain, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	fd = open("/dev/null", O_RDONLY);
	if (setpgid(0, 0) == 0 && fd >= 0 && dup2(fd, STDIN_FILENO) >= 0 &&
	    dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 &&
	    close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
		execvpe(argv[0], argv, environment);
	rc = -errno;
	if (write(failure, &rc, sizeof(rc)) < 0)
		_exit(126);
	_exit(127);
}

/* Start a program as a child of the daemon, as the runner is. */
static int
start_program(char *const *argv, char *const *environment, int32_t *pid)
{
	int ends[2], rc = 0;
	ssize_t n;
	long made;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	made = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, 0);
	if (made == 0)
		become(argv, environment, ends[1]);
	if (made < 0)
		rc = -errno;
	close(ends[1]);
	if (made > 0) {
		*pid = (int32_t)made;
		do
			n = read(ends[0], &rc, sizeof(rc));
		while (n < 0 && errno == EINTR);
	}
	close(ends[0]);
	return rc;
}

/* Cut text into count strings.  Returns 0, or -EPROTO if the text has fewer
 * strings. */
static int
cut_strings(char *text, size_t size, char **strings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *end = memchr(text, '\0', size);

		if (!end)
			return -EPROTO;
		strings[i] = text;
		size -= (size_t)(end + 1 - text);
		text = end + 1;
	}
	return 0;
}

static int
handle(char *text, size_t size, size_t argc, int32_t *pid)
{
	char *strings[TL_CONFIG_ARGV_MAX + OWN];
	char *argv[TL_CONFIG_ARGV_MAX + 1] = { 0 };
	char *environment[INHERITED_MAX + OWN + 1] = { 0 };
	size_t count = 0;
	int rc;

	if (argc > TL_CONFIG_ARGV_MAX)
		return -E2BIG;
	if ((rc = cut_strings(text, size, strings, argc + OWN)) != 0)
		return rc;
	memcpy(argv, strings, argc * sizeof(*argv));
	if (!is_known(argv))
		return -EPERM;
	for (size_t i = 0; environ[i] && count < INHERITED_MAX; i++) {
		if (is_inherited(environ[i]))
			environment[count++] = environ[i];
	}
	memcpy(&environment[count], &strings[argc], OWN * sizeof(*argv));
	return start_program(argv, environment, pid);
}

/* Serve requests until the daemon's end of the socket is closed. */
static _Noreturn void
serve(int fd)
{
	static char buffer[REQUEST_MAX];
	struct request request;
	struct tl_config *config;

	for (;;) {
		const ssize_t n = recv(fd, buffer, sizeof(buffer), 0);
		struct reply reply = { 0 };

		if (n < 0 && errno == EINTR)
			continue;
		if (n < (ssize_t)sizeof(request))
			_exit(0);
		memcpy(&request, buffer, sizeof(request));
		if (request.argc == 0) {
			struct tl_fault fault = { 0 };

			if (known &&
			    tl_config_load(&config, known->path, &fault) == 0) {
				tl_config_free(known);
				known = config;
			}

			continue;
		}
		reply.number = request.number;
		reply.rc = handle(buffer + sizeof(request),
		    (size_t)n - sizeof(request), request.argc, &reply.pid);
		if (send(fd, &reply, sizeof(reply), MSG_NOSIGNAL) < 0)
			_exit(0);
	}
}

/* == in the daemon == */

static int runner = -1;    /* socket to the runner */
static uint32_t requested; /* number of the last request */
static uint32_t answered;  /* number of the last reply */

int
tl_runner_start(const struct tl_config *config)
{
	int ends[2], rc;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return -errno;
	pid = fork();
	if (pid == 0) {
		/* the child's own copy */
		memcpy(&known, &config, sizeof(known));

		/* Run the runner.  Signals to the group or the unit are for the
		 * daemon, which ends the runner. */
		signal(SIGTERM, SIG_IGN);
		signal(SIGINT, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		prctl(PR_SET_NAME, "timelined-run");
		if (dup2(ends[1], STDERR_FILENO + 1) < 0 ||
		    fcntl(STDERR_FILENO + 1, F_SETFD, FD_CLOEXEC) != 0)
			_exit(1);
		close_range(STDERR_FILENO + 2, ~0U, 0);
		serve(STDERR_FILENO + 1);
	}
	rc = pid < 0 ? -errno : 0;
	close(ends[1]);
	if (rc == 0)
		runner = ends[0];
	else
		close(ends[0]);
	return rc;
}

/* Send a request and its strings as one message.  Returns 0, -EBUSY if the
 * socket is full, or -errno. */
static int
send_request(const struct tl_text *message)
{
	if (message->rc != 0)
		return message->rc;
	if (message->size > REQUEST_MAX)
		return -E2BIG;
	while (send(runner, message->data, message->size,
		   MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		if (errno != EINTR)
			return errno == EAGAIN ? -EBUSY : -errno;
	return 0;
}

static void
put_head(struct tl_text *message, uint32_t argc)
{
	const struct request request = { .number = ++requested, .argc = argc };

	tl_put_bytes(message, tl_bytes(&request, sizeof(request)));
}

void
tl_runner_reload(void)
{
	struct tl_text message = { 0 };

	if (runner < 0)
		return;
	put_head(&message, 0);
	answered = requested; /* a reload has no reply */
	if (send_request(&message) != 0)
		tl_daemon_log(TL_LOG_WARNING,
		    "new programs of triggers will not start: the runner did "
		    "not receive the new configuration");
	tl_text_free(&message);
}

/* Take the next reply.  Returns 0, -EAGAIN if there is none yet, or -errno. */
static int
take_reply(struct reply *reply)
{
	ssize_t n;

	do
		n = recv(runner, reply, sizeof(*reply), MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (n != (ssize_t)sizeof(*reply))
		return -EPIPE;
	answered = reply->number;
	return 0;
}

static void
put_string(struct tl_text *message, const char *name, const char *value)
{
	tl_put_string(message, name);
	tl_put_string(message, value);
	tl_put_char(message, '\0');
}

int
tl_runner_run(pid_t *pid, const char *const *argv, const char *timeline,
    const struct tl_firing *firing)
{
	struct tl_text message = { 0 };
	struct pollfd ready = { .events = POLLIN };
	struct reply reply = { 0 };
	uint32_t argc = 0;
	int rc = runner < 0 ? tl_runner_start(NULL) : 0;

	/* A program whose start took too long may have begun since then: the
	 * program is our child, but is not watched. */
	while (rc == 0 && answered != requested)
		rc = take_reply(&reply);
	if (rc != 0)
		return rc == -EAGAIN ? -EBUSY : rc;

	while (argc < TL_CONFIG_ARGV_MAX && argv[argc])
		argc++;
	put_head(&message, argc);
	for (uint32_t i = 0; i < argc; i++)
		put_string(&message, "", argv[i]);
	put_string(&message, "TIMELINE=", timeline);
	put_string(&message, "TIMELINE_TRIGGER=", firing->rule->name);
	put_string(&message, "TIMELINE_TEXT=", firing->text);
	tl_put_format(&message, "TIMELINE_NS=%" PRId64, firing->ns);
	tl_put_char(&message, '\0');

	rc = send_request(&message);
	if (rc != 0)
		answered = requested;
	tl_text_free(&message);
	if (rc != 0)
		return rc;

	ready.fd = runner;
	do
		rc = poll(&ready, 1, START_MAX_MS);
	while (rc < 0 && errno == EINTR);
	if (rc <= 0)
		return rc < 0 ? -errno : -ETIMEDOUT;
	if ((rc = take_reply(&reply)) != 0)
		return rc;

	if (reply.rc != 0 && reply.pid > 0)
		while (waitpid(reply.pid, NULL, 0) < 0 && errno == EINTR)
			;
	*pid = reply.pid;
	return reply.rc;
}
