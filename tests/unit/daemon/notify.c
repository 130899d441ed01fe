/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notify.c - the messages to a supervisor, received by a socket in its place.
 */
#include "daemon/log.h"
#include "lib/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static struct sockaddr_un address;
static int fd = -1;

static void
setup(void)
{
	address.sun_family = AF_UNIX;
	snprintf(address.sun_path, sizeof(address.sun_path),
	    "/tmp/test_notify_%d", (int)getpid());
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)),
	    0);
	setenv("NOTIFY_SOCKET", address.sun_path, 1);
}

static void
teardown(void)
{
	unsetenv("NOTIFY_SOCKET");
	close(fd);
	unlink(address.sun_path);
}

/* The last message; "": none was sent. */
static const char *
heard(void)
{
	static char text[1024];
	const ssize_t size = recv(fd, text, sizeof(text) - 1, 0);

	text[size > 0 ? size : 0] = '\0';
	return text;
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(each_state_is_told)
{
	tl_notify_ready();
	ck_assert_str_eq(heard(), "READY=1");
	tl_notify_stopping();
	ck_assert_str_eq(heard(), "STOPPING=1");
	tl_notify_alive();
	ck_assert_str_eq(heard(), "WATCHDOG=1");
}

TEST(a_reload_has_its_time)
{
	struct timespec now;
	unsigned long long us = 0;

	tl_notify_reloading();
	ck_assert_int_eq(sscanf(heard(), "RELOADING=1\nMONOTONIC_USEC=%llu",
			     &us),
	    1);
	clock_gettime(CLOCK_MONOTONIC, &now);
	ck_assert(us > 0 && us / 1000000 <= (unsigned long long)now.tv_sec);
}

TEST(a_status_is_one_line)
{
	tl_notify_status("%d timelines, %s", 3, "a\nREADY=1");
	ck_assert_str_eq(heard(), "STATUS=3 timelines, a\\nREADY=1");
}

TEST(the_watchdog_says_how_often)
{
	char pid[32];

	ck_assert_uint_eq(tl_notify_watchdog_ns(), 0);
	setenv("WATCHDOG_USEC", "30000000", 1);
	ck_assert_uint_eq(tl_notify_watchdog_ns(), 30000000000);
	snprintf(pid, sizeof(pid), "%d", (int)getpid() + 1);
	/* the watchdog watches another process */
	setenv("WATCHDOG_PID", pid, 1);
	ck_assert_uint_eq(tl_notify_watchdog_ns(), 0);
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

TEST(without_a_supervisor_nothing_is_sent)
{
	unsetenv("NOTIFY_SOCKET");
	tl_notify_ready();
	tl_notify_status("x");
	ck_assert_str_eq(heard(), "");
	setenv("NOTIFY_SOCKET", "/nowhere", 1);
	tl_notify_ready();
	ck_assert_str_eq(heard(), "");
}
