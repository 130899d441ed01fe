/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - lines of the log while nothing reads standard error: the daemon goes
 * on, and reports later how many lines are missing.
 */
#include "daemon/log.h"
#include "lib/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WAIT_S = 60, LINES = 5000, TEXT_BYTES = 1 << 20 };

static int reader;

/* Make one end the standard error; the test reads the other end. */
static void
use_as_stderr(const int ends[2])
{
	reader = ends[0];
	ck_assert_int_eq(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	close(ends[1]);
	ck_assert_int_eq(fcntl(reader, F_SETFL, O_NONBLOCK), 0);
}

static void
use_pipe(void)
{
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	use_as_stderr(ends);
}

static void
use_socket(void)
{
	int ends[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	use_as_stderr(ends);
}

/* Read what has arrived so far. */
static const char *
read_all(void)
{
	static char text[TEXT_BYTES];
	size_t size = 0;
	ssize_t n;

	while ((n = read(reader, text + size, sizeof(text) - 1 - size)) > 0)
		size += (size_t)n;
	ck_assert_int_eq(errno, EAGAIN);
	text[size] = '\0';
	return text;
}

static size_t
count_lines(const char *text)
{
	size_t count = 0;

	for (; (text = strchr(text, '\n')); text++)
		count++;
	return count;
}

static void
fill(void)
{
	for (int i = 0; i < LINES; i++)
		tl_daemon_log(TL_LOG_NOTICE,
		    "line %d of some length, so that what holds it fills up",
		    i);
}

static void
expect_drops_counted(void)
{
	char words[64];
	uint64_t dropped;
	size_t lines;

	fill();
	dropped = tl_daemon_log_dropped();
	ck_assert_uint_gt(dropped, 0);
	lines = count_lines(read_all());
	ck_assert_uint_eq(lines + dropped, LINES);
	tl_daemon_log(TL_LOG_NOTICE, "after");
	snprintf(words, sizeof(words), "%llu lines of the log were dropped",
	    (unsigned long long)dropped);
	{
		const char *text = read_all();

		ck_assert_msg(strstr(text, words), "'%s' in '%s'", words, text);
		ck_assert_ptr_nonnull(strstr(text, "timelined: after\n"));
	}
	/* the count is reported once */
	tl_daemon_log(TL_LOG_NOTICE, "later");
	ck_assert_str_eq(read_all(), "timelined: later\n");
	ck_assert_uint_eq(tl_daemon_log_dropped(), dropped);
}

TEST_FILE(.timeout = WAIT_S);

TEST(a_full_pipe_stops_nothing)
{
	use_pipe();
	expect_drops_counted();
}

TEST(a_full_socket_stops_nothing)
{
	use_socket();
	expect_drops_counted();
}

/*
 * Other processes share the file description of standard error: their writes
 * must still block.
 */
TEST(standard_error_itself_stays_as_it_was)
{
	use_pipe();
	tl_daemon_log(TL_LOG_NOTICE, "a line");
	ck_assert_int_eq(fcntl(STDERR_FILENO, F_GETFL) & O_NONBLOCK, 0);
	ck_assert_str_eq(read_all(), "timelined: a line\n");
}

TEST(a_line_that_cannot_be_written_is_counted)
{
	close(STDERR_FILENO);
	ck_assert_int_eq(open("/dev/full", O_WRONLY), STDERR_FILENO);
	tl_daemon_log(TL_LOG_NOTICE, "a line");
	ck_assert_uint_eq(tl_daemon_log_dropped(), 1);
}

TEST(a_long_line_of_controls_is_one_write)
{
	static char words[1000];

	memset(words, '\001', sizeof(words) - 1);
	use_pipe();
	tl_daemon_log(TL_LOG_NOTICE, "%s", words);
	ck_assert_uint_eq(count_lines(read_all()), 1);
	ck_assert_uint_eq(tl_daemon_log_dropped(), 0);
}
