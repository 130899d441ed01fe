/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init.c - the only program of a guest, a second kernel whose clock may be
 * mistreated.
 *
 * One process keeps the clock of a timeline as timelined does; another process
 * mistreats the kernel's clock and compares.  The console shows every result, a
 * line each: "ok ...", "FAIL ...", "note ..."; "done" ends the test.  SEED on
 * the kernel's command line makes the schedule.
 */
#include "guest.h"

#include "../lib/random.h"
#include "daemon/calibrator.h"

#include <errno.h>
#include <ev.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <timeline.h>
#include <unistd.h>

enum { CLOCK_TRIES = 300, CLOCK_TRY_US = 100000, WARM_UP_S = 3 };

static uint64_t random_state;
/* Both processes share the status. */
static struct tl_calibrator_status *status;

static void
say(const char *word, const char *format, va_list arguments)
{
	printf("%s ", word);
	vprintf(format, arguments);
	putchar('\n');
	fflush(stdout);
}

void
report(bool holds, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(holds ? "ok" : "FAIL", format, arguments);
	va_end(arguments);
}

void
note(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say("note", format, arguments);
	va_end(arguments);
}

uint64_t
chance(uint64_t below)
{
	return random_below(&random_state, below);
}

static void
mount_all(void)
{
	static const struct {
		const char *type, *at;
	} mounts[] = { { "devtmpfs", "/dev" }, { "proc", "/proc" },
		{ "sysfs", "/sys" }, { "tmpfs", "/dev/shm" } };

	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		(void)mkdir(mounts[i].at, 0755);
		if (mount(mounts[i].type, mounts[i].at, mounts[i].type, 0,
			NULL) < 0)
			note("cannot mount %s: %s", mounts[i].at,
			    strerror(errno));
	}
}

static bool
kernel_uses_tsc(void)
{
	static const char path[] = "/sys/devices/system/clocksource/"
				   "clocksource0/current_clocksource";
	char line[64] = "";
	FILE *file = fopen(path, "re");

	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	return strcmp(line, "tsc\n") == 0;
}

/* A booting kernel refines the rate of its TSC for a while: wait for it. */
static bool
wait_for_clock(void)
{
	for (int i = 0; i < CLOCK_TRIES; i++) {
		if (kernel_uses_tsc())
			return true;
		usleep(CLOCK_TRY_US);
	}
	return false;
}

static void
on_end(struct ev_loop *loop, ev_signal *signal, int events)
{
	(void)signal;
	(void)events;
	ev_break(loop, EVBREAK_ALL);
}

/* Keep the clock as timelined does. */
static int
keep_clock(void)
{
	struct ev_loop *loop = ev_loop_new(EVFLAG_AUTO);
	struct tl_calibrator *calibrator;
	struct timeline *tl;
	ev_signal end;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!loop || timeline_open(&tl, GUEST_TIMELINE) != 0 ||
	    tl_calibrator_new(&calibrator, loop, tl) != 0)
		return 1;
	ev_signal_init(&end, on_end, SIGTERM);
	ev_signal_start(loop, &end);
	ev_run(loop, 0);
	tl_calibrator_status(calibrator, status);
	ev_signal_stop(loop, &end);
	tl_calibrator_free(calibrator);
	timeline_close(tl);
	ev_loop_destroy(loop);
	return 0;
}

/* End the keeper as a daemon ends. */
static void
end_keeper(pid_t keeper)
{
	int how = 0;

	kill(keeper, SIGTERM);
	report(waitpid(keeper, &how, 0) == keeper && WIFEXITED(how) &&
		   WEXITSTATUS(how) == 0,
	    "the keeper of the clock lived to the end");
}

/* The keeper counts only the jumps of the clock as steps. */
static void
judge_keeper(void)
{
	unsigned jumps;

	(void)played_jumps(&jumps);
	note("keeper: %llu points, %llu rejected, %llu knots, %llu steps",
	    (unsigned long long)status->points,
	    (unsigned long long)status->rejected,
	    (unsigned long long)status->knots,
	    (unsigned long long)status->steps);
	report(status->steps == jumps,
	    "the clock was set %u times, and so "
	    "many steps were counted",
	    jumps);
	report(status->epochs == 0 && !status->suspect,
	    "the counter was trusted all the time");
}

static void
run(void)
{
	static const struct timeline_options options = {
		.entries = 64,
		.stringtablesize = 16384,
		.cpu_lanes = 1,
		.stamp =
		    TIMELINE_STAMP_TSC, /* trusted, however it is emulated */
	};
	struct timeline *tl;
	pid_t keeper;

	if (timeline_new(&tl, GUEST_TIMELINE, &options) != 0) {
		report(false, "a timeline is made: %s", timeline_error());
		return;
	}
	keeper = fork();
	if (keeper == 0)
		_exit(keep_clock());
	probe_for(WARM_UP_S * GUEST_SECOND);
	play_schedule();
	end_keeper(keeper);
	judge_keeper();
	judge_readers();
	judge_snapshot();
	timeline_close(tl);
}

int
main(void)
{
	const char *seed = getenv("SEED");

	mount_all();
	random_state = seed ? strtoull(seed, NULL, 10) : 1;
	status = mmap(NULL, sizeof(*status), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (status == MAP_FAILED)
		report(false, "there is memory");
	else if (!wait_for_clock())
		puts("skip the guest's kernel does not use the TSC");
	else
		run();
	puts("done");
	fflush(stdout);
	sync();
	(void)reboot(RB_POWER_OFF);
	return 0;
}
