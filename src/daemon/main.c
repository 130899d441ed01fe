/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - timelined: read the command line and the configuration, drop rights,
 * run.
 *
 * Exit status: 0 stopped or checked, 1 failed to start, 2 usage error.
 */
#include "base/array.h"
#include "base/file.h"
#include "base/ns.h"
#include "base/options.h"
#include "base/process.h"
#include "base/text.h"
#include "clock/clock.h"
#include "clock/rate.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/sampling/bursts.h"
#include "daemon/sandbox/sandbox.h"
#include "daemon/target.h"
#include "kernel/kernel.h"
#include "ring/guard.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char program[] = "timelined";

enum { LARGE_BLOCK = 64 << 10 };

static const struct tl_option options[] = {
	{ 'c', "config", "FILE", "configuration (" TL_CONFIG_FILE ")", 'c' },
	{ 'n', "check", NULL, "check the configuration and exit", 'n' },
	{ 0, "keeper", "USER",
	    "serve timelined of USER with the kernel's events", 'k' },
	{ 'q', "quiet", NULL, "log warnings and errors only", 'q' },
	{ 'h', "help", "[=all]", "show this help and exit", 'h' },
	{ 'V', "version", NULL, "show the version and exit", 'V' },
};

enum { OPTIONS = TL_COUNT(options) };

static int
report(const struct tl_fault *fault)
{
	tl_daemon_log(TL_LOG_ERROR, "%s",
	    fault->text[0] ? fault->text : strerror(-fault->rc));
	return TL_FAILED;
}

static int
print_help(const char *what, struct tl_fault *fault)
{
	static const struct tl_help help = {
		.usage = "timelined [options]\n"
			 "Attach to timelines: sample them in bursts, "
			 "calibrate their "
			 "clocks, watch for\ntriggers, save snapshots, record, "
			 "serve "
			 "metrics.  Stays in the foreground.\n",
		.common = "config check keeper quiet help version",
		.end =
		    "SIGHUP loads the configuration again, SIGTERM stops.  See "
		    "timelined(8),\ntimelined.conf(5).\n"
	};
	struct tl_text text = { 0 };

	if (tl_help_put(&text, &help, options, OPTIONS, what, fault) < 0)
		return tl_program_usage(program, fault);
	return tl_program_print(program, &text);
}

/* Load the configuration, and check everything that needs no running daemon. */
static int
load(struct tl_config **config, const char *path, struct tl_fault *fault)
{
	int rc = tl_config_load(config, path, fault);

	if (rc == 0 && (rc = tl_daemon_check(*config, fault)) != 0)
		tl_config_free(*config);
	return rc;
}

/* Append the length of slots on this machine: a power of two of ticks of the
 * TSC. */
static void
put_slots(struct tl_text *text, const struct tl_config *config)
{
	struct tl_rate rate = { .mult = 0 };
	uint32_t flags;

	if (tl_clock_choose(&flags) == TIMELINE_CLOCK_TSC)
		tl_clock_rate_machine(&rate);
	for (size_t i = 0; i < config->timeline_count; i++) {
		const struct tl_config_timeline *t = &config->timelines[i];
		const double tick_ns =
		    rate.mult ? (double)rate.mult * 0x1p-63 : 1;
		const double ticks = (double)t->bursts.length_ns / tick_ns;

		if (t->bursts.level_count == 0 || !t->bursts.slots)
			continue;
		tl_put_format(text, "%s: length ", t->name);
		tl_put_rounded(text, (double)t->bursts.length_ns / 1000, 6);
		tl_put_string(text, "us: slots of ");
		tl_put_rounded(text,
		    exp2(tl_bursts_slot_shift((uint64_t)ticks)) * tick_ns /
			1000,
		    4);
		tl_put_string(text, "us\n");
	}
}

static void
log_keeper(const char *text)
{
	/* any process that may connect can cause a line */
	static struct tl_log_limit limit;

	tl_daemon_log_limited(&limit,
	    (double)tl_clock_read(CLOCK_MONOTONIC) / (double)TL_NS_PER_S,
	    "keeper: %s", text);
}

/* Did the supervisor open the keeper's socket?  sd_listen_fds(3). */
static bool
is_socket_passed(void)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
	uint64_t number;

	return pid && fds && tl_parse_unsigned(pid, &number) == 0 &&
	       number == (uint64_t)getpid() && strcmp(fds, "1") == 0;
}

/* Keep instances of tracefs for timelined, which lacks the right to make
 * them. */
static int
run_keeper(const char *path, const char *user)
{
	const bool is_passed = is_socket_passed();
	struct tl_fault fault = { 0 };
	struct tl_config *config = NULL;
	uid_t uid;
	gid_t gid;
	int rc = tl_user_find(user, &uid, &gid, &fault);

	if (rc == 0 && geteuid() != 0)
		rc = tl_fail(&fault, -EPERM,
		    "the keeper of the kernel's events needs root: run it with "
		    "sudo");
	if (rc == 0 && !is_passed)
		rc = load(&config, path, &fault);
	if (rc == 0 && config && !config->keeper)
		rc = tl_fail(&fault, -EINVAL,
		    "%s: keeper = false: no socket to listen on", path);
	if (rc == 0) {
		tl_daemon_log_open();
		rc = tl_keeper_serve(config ? config->keeper : NULL, uid, gid,
		    log_keeper, &fault);
	}
	tl_config_free(config);
	return rc == 0 ? TL_DONE : report(&fault);
}

static int
start(const char *path, bool check_only)
{
	struct tl_fault fault = { 0 };
	struct tl_config *config;
	struct tl_text text = { 0 };
	int rc;

	if (load(&config, path, &fault) != 0)
		return report(&fault);
	if (check_only) {
		tl_lacking_check(config);
		tl_put_format(&text, "%s: %s, no error\n", path,
		    TL_COUNTED(config->timeline_count, "timeline"));
		put_slots(&text, config);
		tl_config_free(config);
		return tl_program_print(program, &text);
	}
	tl_daemon_log_open();
#ifdef __GLIBC__
	/* Large blocks are mappings of their own, however many were freed: they
	 * go back to the system, and their pages are used on demand. */
	mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
#endif
	tl_raise_fds_max();
	if (tl_guard_start() != 0 || tl_daemon_prepare(config, &fault) != 0 ||
	    tl_privileges_drop(config->user, &fault) != 0) {
		tl_config_free(config);
		return report(&fault);
	}
	if ((rc = tl_runner_start(config)) != 0) {
		tl_fail(&fault, rc,
		    "cannot start the process that runs programs: %s",
		    strerror(-rc));
		tl_config_free(config);
		return report(&fault);
	}
	return tl_daemon_run(config, &fault) == 0 ? TL_DONE : report(&fault);
}

int
main(int argc, char **argv)
{
	const char *path = TL_CONFIG_FILE, *keeper = NULL;
	struct tl_option_reader reader;
	struct tl_fault fault = { 0 };
	struct tl_text text = { 0 };
	bool check_only = false;
	char *argument;
	int value, rest;

	tl_signals_leave_to_write();
	tl_options_start(&reader, options, OPTIONS);
	while ((value = tl_options_next(&reader, argc, argv, &argument, &rest,
		    &fault)) > 0) {
		switch (value) {
		case 'c':
			path = argument;
			break;
		case 'n':
			check_only = true;
			break;
		case 'k':
			keeper = argument;
			break;
		case 'q':
			tl_daemon_log_least = TL_LOG_WARNING;
			break;
		case 'h':
			return print_help(argument, &fault);
		case 'V':
			tl_put_string(&text,
			    "timelined " TIMELINE_VERSION "\n");
			return tl_program_print(program, &text);
		default:
			tl_usage(&fault, argument, "unexpected argument");
			return tl_program_usage(program, &fault);
		}
	}
	if (value == 0 && rest < argc)
		tl_usage(&fault, argv[rest], "unexpected argument");
	if (fault.rc == 0 && keeper && check_only)
		tl_usage(&fault, "--keeper", "not with --check");
	if (fault.rc < 0)
		return tl_program_usage(program, &fault);
	return keeper ? run_keeper(path, keeper) : start(path, check_only);
}
