/* SPDX-License-Identifier: Apache-2.0 */
/*
 * size_limit.c - a file that would pass the limit of the process (ulimit -f)
 * makes the library return -EFBIG.  The process never gets SIGXFSZ from the
 * library, whether the program blocks the signal, handles it or ignores the
 * matter.
 */
#include "../lib/process.h"
#include "front/front.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/resource.h>
#include <timeline_trace.h>

enum { SIZE_MAX_OF_FILE = 65536 };

static char directory[] = "/tmp/test-size-limit-XXXXXX";
static struct timeline *live;

static void
remove_directory(void)
{
	if (getpid() == test_owner)
		rmdir(directory);
}

static const char *
name_of(const char *file)
{
	static char path[sizeof(directory) + 32];

	snprintf(path, sizeof(path), "%s/%s", directory, file);
	return path;
}

static void
no_file_is_left(void)
{
	DIR *dir = opendir(directory);

	expect(dir != NULL, "opendir: %m");
	for (const struct dirent *e; (e = readdir(dir));)
		expect(e->d_name[0] == '.', "%s was left behind", e->d_name);
	closedir(dir);
}

static void
create(void)
{
	struct timeline *tl;
	const int rc = timeline_new(&tl, name_of("new"), NULL);

	expect(rc == -EFBIG && strstr(timeline_error(), "ulimit -f"), "%d %s",
	    rc, timeline_error());
	no_file_is_left();
}

static void
save(void)
{
	const int rc = timeline_save(live, name_of("saved"));

	expect(rc == -EFBIG && strstr(timeline_error(), "ulimit -f"), "%d %s",
	    rc, timeline_error());
	no_file_is_left();
}

static void
record(void)
{
	struct timeline_trace *trace;
	struct timeline_trace_message *message;
	int rc;

	expect(timeline_trace_create(&trace, name_of("trace"), NULL) == 0,
	    "timeline_trace_create: %m");
	rc = timeline_trace_instant(trace, "a", "info", "at $n", &message);
	expect(rc == 0, "timeline_trace_instant: %d", rc);
	for (uint64_t i = 0; i < 100000; i++)
		timeline_trace_log(message, 1, i * i * i * i);
	rc = timeline_trace_close(trace);
	expect(rc == -EFBIG, "timeline_trace_close: %d", rc);
	unlink(name_of("trace"));
	unlink(name_of("trace.idx"));
}

static bool
is_ours(const char *start)
{
	(void)start;
	return true;
}

static void
log_lines(void)
{
	static const char line[] = "a line of a log\n";
	struct tl_log_file file;
	int lines = 0;

	expect_ok(tl_log_file_open(&file, name_of("log"), is_ours));
	while (tl_log_file_write(&file, line, sizeof(line) - 1))
		lines++;
	expect(lines == SIZE_MAX_OF_FILE / (sizeof(line) - 1), "%d lines",
	    lines);
	tl_log_file_close(&file);
	unlink(name_of("log"));
}

static void (*const calls[])(void) = { create, save, record, log_lines };

static bool
is_in(int (*get)(sigset_t *set))
{
	sigset_t set;

	expect(get(&set) == 0, "no set of signals: %m");
	return sigismember(&set, SIGXFSZ) == 1;
}

static int
get_mask(sigset_t *set)
{
	return pthread_sigmask(SIG_BLOCK, NULL, set);
}

/* The program has not touched the signal. */
static void
plain(void *context)
{
	(void)context;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		calls[i]();
		expect(!is_in(get_mask), "%zu: the signal is blocked", i);
		expect(!is_in(sigpending), "%zu: the signal is pending", i);
	}
}

static volatile sig_atomic_t handled;

static void
handle(int signal_number)
{
	(void)signal_number;
	handled++;
}

static void
handling(void *context)
{
	signal(SIGXFSZ, handle);
	plain(context);
	expect(handled == 0, "the handler was called");
	raise(SIGXFSZ);
	expect(handled == 1, "the handler is gone");
}

static void
ignoring(void *context)
{
	signal(SIGXFSZ, SIG_IGN);
	plain(context);
}

static void
block(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void
blocking(void *context)
{
	(void)context;
	block();
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		calls[i]();
		expect(is_in(get_mask), "%zu: the signal is not blocked", i);
		expect(!is_in(sigpending), "%zu: the signal is pending", i);
	}
}

/* A signal that the program itself has pending stays pending. */
static void
waiting(void *context)
{
	(void)context;
	block();
	raise(SIGXFSZ);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		calls[i]();
		expect(is_in(sigpending), "%zu: the signal was taken", i);
	}
}

int
main(void)
{
	static void (*const programs[])(
	    void *) = { plain, handling, ignoring, blocking, waiting };
	const struct rlimit limit = { SIZE_MAX_OF_FILE, SIZE_MAX_OF_FILE };

	expect_ok(timeline_new(&live, choose_test_name("size-limit"), NULL));
	expect(mkdtemp(directory) != NULL, "mkdtemp: %m");
	atexit(remove_directory);
	expect(setrlimit(RLIMIT_FSIZE, &limit) == 0, "setrlimit: %m");
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		const int status = wait_for(spawn(programs[i], NULL));

		expect(status == 0, "program %zu ended with status %#x", i,
		    status);
	}
	timeline_close(live);
	return 0;
}
