/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set_uid.c - a set-user-ID program ignores the requests of its caller's
 * environment.
 */
#include "../lib/process.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

enum { NOBODY = 65534, HAS_NONE = 0, HAS_RSEQ = 3, NOT_SECURE = 4 };

static char folder[] = "/tmp/test-uid-XXXXXX";
static char program[sizeof(folder) + 8];

/* The copy of this program reports how it would log. */
static int
look(void)
{
	struct timeline *tl;
	int result;

	if (getauxval(AT_SECURE) == 0)
		return NOT_SECURE;
	choose_test_name("uid");
	expect_ok(timeline_new(&tl, test_name, NULL));
	result = tl->use_rseq ? HAS_RSEQ : HAS_NONE;
	timeline_close(tl);
	return result;
}

static void
make_copy(void)
{
	const int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const int to = open(program, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	struct stat st;

	expect(from >= 0 && to >= 0 && fstat(from, &st) == 0, "%s: %m",
	    program);
	for (ssize_t n = 1; n > 0;)
		n = sendfile(to, from, NULL, (size_t)st.st_size);
	expect(fstat(to, &st) == 0 && st.st_size > 0 && fchmod(to, 04755) == 0,
	    "%s: %m", program);
	close(from);
	close(to);
}

static void
run_copy(void *unused)
{
	(void)unused;
	setenv("TIMELINE_NO_RSEQ", "1", 1);
	expect(setuid(NOBODY) == 0, "setuid: %m");
	execl(program, program, "look", (char *)NULL);
	fail("%s: %m", program);
}

int
main(int argc, char **argv)
{
	struct timeline *tl;
	bool has_rseq;
	int status;

	(void)argv;
	if (argc > 1)
		return look();
	if (geteuid() != 0)
		skip("only root makes set-user-ID programs");
	choose_test_name("uid");
	expect_ok(timeline_new(&tl, test_name, NULL));
	has_rseq = tl->use_rseq;
	timeline_close(tl);
	if (!has_rseq)
		skip("no rseq here");
	expect(mkdtemp(folder) && chmod(folder, 0755) == 0, "%s: %m", folder);
	snprintf(program, sizeof(program), "%s/look", folder);
	make_copy();
	status = wait_for(spawn(run_copy, NULL));
	unlink(program);
	rmdir(folder);
	expect(WIFEXITED(status), "ended with 0x%x", status);
	if (WEXITSTATUS(status) == NOT_SECURE)
		skip("set-user-ID programs are no such here");
	expect(WEXITSTATUS(status) == HAS_RSEQ,
	    "the environment of the caller counts: %d", WEXITSTATUS(status));
	return 0;
}
