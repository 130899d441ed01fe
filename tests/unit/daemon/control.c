/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.c - each line gets its answer if the client has the permission, and
 * no client does harm.
 */
#include "daemon/serve/control.h"
#include "lib/test.h"
#include "service_fixture.h"

#include <grp.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum { NOBODY = 65534 };

static struct tl_control *control;
static char path[96];

static void
setup(void)
{
	struct tl_fault fault = { 0 };

	service_open();
	snprintf(path, sizeof(path), "%s/sock", folder);
	ck_assert_msg(tl_control_new(&control, d, path, &fault) == 0, "%s",
	    fault.text);
}

static void
teardown(void)
{
	tl_control_free(control);
	service_close();
}

static int
connect_to(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&at, sizeof(at)),
	    0);
	return fd;
}

static const char *
ask_bytes(const char *line, size_t size)
{
	const int fd = connect_to();

	service_send(fd, line, size);
	return service_read(fd);
}

static const char *
ask(const char *line)
{
	return ask_bytes(line, strlen(line));
}

static unsigned
mode_of_socket(void)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return st.st_mode & 07777;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST(status_is_for_a_person_or_a_program)
{
	ck_assert_has(ask("status\n"), "ok\ntimelined ");
	ck_assert_has(answer_text, fixture_name + 1);
	ck_assert_has(ask("status json\n"), "ok\n{\"version\":\"");
	ck_assert_str_eq(ask("status xml\n"),
	    "error status: takes no argument but json\n");
}

TEST(a_snapshot_is_answered_when_it_is_done)
{
	char line[128];

	snprintf(line, sizeof(line), "snapshot %s\n", fixture_name + 1);
	ck_assert_int_eq(strncmp(ask(line), "ok\n/tmp/test-service-", 21), 0);
	ck_assert_uint_eq(target->counts.snapshots, 1);
	snprintf(line, sizeof(line), "snapshot %s json\n", fixture_name);
	ck_assert_has(ask(line), "ok\n{\"timeline\":\"");
	ck_assert_has(answer_text, "\"path\":\"/tmp/test-service-");
	ck_assert_uint_eq(target->counts.snapshots, 2);
}

TEST(a_snapshot_of_nothing_says_so)
{
	ck_assert_has(ask("snapshot none\n"),
	    "error none: timelined is not attached");
	ck_assert_has(ask("snapshot\n"),
	    "error snapshot: the name of a timeline is missing");
	ck_assert_has(ask("snapshot json\n"),
	    "error snapshot: the name of a timeline is missing");
}

TEST(a_reload_that_fails_says_where)
{
	ck_assert_has(ask("reload\n"), "error /nonexistent/timelined.conf: ");
	ck_assert_ptr_null(strchr(strchr(answer_text, '\n') + 1, '\n'));
	ck_assert_has(ask("reload all\n"), "error reload: takes no argument");
}

TEST(nonsense_is_refused_and_escaped)
{
	static char line[10000];

	ck_assert_str_eq(ask("\x1b[2J\xff\n"),
	    "error unknown verb: \\x1b[2J\\xff\n");
	ck_assert_str_eq(ask("\n"), "error unknown verb: \n");
	ck_assert_str_eq(ask("STATUS\n"), "error unknown verb: STATUS\n");
	ck_assert_str_eq(ask_bytes("stat\0us\n", 8),
	    "error the request contains a NUL byte\n");
	memset(line, 'x', sizeof(line));
	ck_assert_str_eq(ask_bytes(line, 4096),
	    "error the request is too long\n");
	ask_bytes(line, sizeof(line));
	ck_assert_has(ask("status\n"), "ok\n");
}

TEST(a_line_may_come_in_pieces)
{
	const int fd = connect_to();

	for (const char *c = "status json\n"; *c; c++) {
		service_send(fd, c, 1);
		service_turn();
	}
	ck_assert_has(service_read(fd), "ok\n{");
}

TEST(who_only_writes_may_close_that_side)
{
	char line[128];
	const int fd = connect_to();

	snprintf(line, sizeof(line), "snapshot %s\n", fixture_name + 1);
	service_send(fd, line, strlen(line));
	ck_assert_int_eq(shutdown(fd, SHUT_WR), 0);
	ck_assert_has(service_read(fd), "ok\n/");
}

TEST(half_a_line_is_no_order)
{
	char line[128];
	int fd = connect_to();

	snprintf(line, sizeof(line), "snapshot %s", fixture_name + 1);
	service_send(fd, line, strlen(line));
	ck_assert_int_eq(shutdown(fd, SHUT_WR), 0);
	ck_assert_str_eq(service_read(fd), "");
	service_turn();
	ck_assert_uint_eq(target->counts.snapshots, 0);
}

TEST(who_leaves_early_harms_nobody)
{
	char line[128];
	int fd;

	snprintf(line, sizeof(line), "snapshot %s\n", fixture_name + 1);
	for (int i = 0; i < 100; i++) {
		fd = connect_to();
		if (i % 3 != 0)
			service_send(fd, i % 3 == 1 ? line : "status\n",
			    i % 3 == 1 ? strlen(line) : 7);
		close(fd);
		ev_run(d->loop, EVRUN_NOWAIT);
	}
	service_turn();
	ck_assert_has(ask("status\n"), "ok\n");
}

TEST(so_many_may_wait_and_no_more)
{
	enum { MANY = 40, ROOM = 32 };
	int many[MANY], refused = 0;

	for (int i = 0; i < MANY; i++) {
		many[i] = connect_to();
		service_turn();
	}
	for (int i = ROOM; i < MANY; i++)
		refused += strcmp(service_read(many[i]),
			       "error too many clients\n") == 0;
	ck_assert_int_eq(refused, MANY - ROOM);
	for (int i = 0; i < ROOM; i++)
		close(many[i]);
	service_turn();
	ck_assert_has(ask("status\n"), "ok\n");
}

TEST(an_end_while_clients_wait_is_clean)
{
	char line[128];
	const int reader = connect_to(), saver = connect_to();

	snprintf(line, sizeof(line), "snapshot %s\n", fixture_name + 1);
	service_send(saver, line, strlen(line));
	service_send(reader, "stat", 4);
	tl_control_free(control);
	control = NULL;
	service_turn();
	ck_assert_int_ne(access(path, F_OK), 0);
	close(saver);
	close(reader);
}

TEST(the_mode_does_not_depend_on_the_umask)
{
	static const mode_t masks[] = { 0, 022, 077, 0777 };
	struct tl_fault fault = { 0 };

	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		const mode_t before = umask(masks[i]);

		tl_control_free(control);
		control = NULL;
		ck_assert_ok(tl_control_new(&control, d, path, &fault));
		umask(before);
		ck_assert_uint_eq(mode_of_socket(), 0660);
	}
}

TEST(a_living_daemon_keeps_its_socket)
{
	struct tl_fault fault = { 0 };
	struct tl_control *second;

	ck_assert_int_eq(tl_control_new(&second, d, path, &fault), -EADDRINUSE);
	ck_assert_has(fault.text, "another timelined runs");
	ck_assert_has(fault.text, path);
	service_turn();
	ck_assert_has(ask("status\n"), "ok\n");
}

TEST(a_dead_daemons_socket_is_replaced)
{
	char aside[128];
	struct tl_fault fault = { 0 };

	/* kill -9 leaves the file, but no process that listens */
	snprintf(aside, sizeof(aside), "%s-aside", path);
	ck_assert_int_eq(rename(path, aside), 0);
	tl_control_free(control);
	control = NULL;
	ck_assert_int_eq(rename(aside, path), 0);
	ck_assert_msg(tl_control_new(&control, d, path, &fault) == 0, "%s",
	    fault.text);
	ck_assert_has(ask("status\n"), "ok\n");
}

TEST(what_is_no_socket_is_left_alone)
{
	char file[128];
	struct tl_fault fault = { 0 };
	struct tl_control *other;
	int fd;

	snprintf(file, sizeof(file), "%s/file", folder);
	fd = open(file, O_CREAT | O_WRONLY, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(tl_control_new(&other, d, file, &fault), -EEXIST);
	ck_assert_has(fault.text, "is not a socket");
	ck_assert_int_eq(access(file, F_OK), 0);
}

TEST(a_socket_that_cannot_be_is_named)
{
	char name[300] = "/tmp/";
	struct tl_fault fault = { 0 };
	struct tl_control *other;

	memset(name + 5, 'x', sizeof(name) - 6);
	ck_assert_int_eq(tl_control_new(&other, d, name, &fault),
	    -ENAMETOOLONG);
	fault = (struct tl_fault){ 0 };
	ck_assert_int_eq(tl_control_new(&other, d, "/nonexistent/sock", &fault),
	    -ENOENT);
	ck_assert_has(fault.text, "/nonexistent/sock: No such file");
}

/* Ask as another user with these groups; answer_text receives the answer. */
static void
ask_as(gid_t group, gid_t more)
{
	int pipes[2];
	pid_t pid;

	ck_assert_int_eq(pipe(pipes), 0);
	pid = fork();
	if (pid == 0) {
		char heard[64] = "";
		int fd;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (setgroups(1, &more) != 0 || setgid(group) != 0 ||
		    setuid(NOBODY) != 0)
			_exit(1);
		fd = connect_to();
		if (write(fd, "status\n", 7) != 7)
			_exit(2);
		if (read(fd, heard, sizeof(heard)) < 0 ||
		    write(pipes[1], heard, sizeof(heard)) < 0)
			_exit(3);
		_exit(0);
	}
	close(pipes[1]);
	fcntl(pipes[0], F_SETFL, O_NONBLOCK);
	for (double until = service_now_s() + PATIENCE_S;
	     service_now_s() < until; usleep(200)) {
		ev_run(d->loop, EVRUN_NOWAIT);
		if (read(pipes[0], answer_text, 64) > 0)
			break;
	}
	close(pipes[0]);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	answer_text[64] = '\0';
}

TEST(only_who_may_is_answered)
{
	if (geteuid() != 0)
		return; /* only root can become another user */
	/* the group decides even if the mode of the file admits all users */
	ck_assert_int_eq(chmod(path, 0666), 0);
	ck_assert_int_eq(chmod(folder, 0755), 0);
	ck_assert_int_eq(chown(path, 0, 4242), 0);
	ask_as(NOBODY, NOBODY);
	ck_assert_has(answer_text, "error permission denied");
	ask_as(4242, NOBODY);
	ck_assert_has(answer_text, "ok\n");
	ask_as(NOBODY, 4242);
	ck_assert_has(answer_text, "ok\n");
	ask_as(4243, 4241);
	ck_assert_has(answer_text, "error permission denied");
}
