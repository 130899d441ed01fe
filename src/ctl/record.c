/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - record entries into a trace, without the daemon
 */
#include "base/file.h"
#include "base/ns.h"
#include "base/process.h"
#include "base/text.h"
#include "clock/clock.h"
#include "ctl/ctl.h"
#include "ctl/view.h"
#include "kernel/kernel.h"
#include "ring/guard.h"
#include "trace/layout.h"
#include "trace/record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <timeline.h>
#include <unistd.h>

enum {
	ROUND_MS = 200,
	KERNEL_ROUND_MS = 50, /* with kernel events to take over */
	SIZE_MIN = 64 << 10
};

struct record {
	struct tl_call *call;
	struct tl_recorder *recorder;
	struct tl_recorder_options options;
	struct tl_recorder_status status;
	char path[TL_PATH_MAX];
	int64_t for_ns; /* 0: until interrupted */
	int64_t begun_ns;
	bool shown;
	/* of --kernel; NULL: none */
	struct tl_session *sessions[TL_OPERANDS_MAX];
	struct tl_name names[TL_OPERANDS_MAX];
	/* timelines whose timers are noted at the end; -1: none */
	int fds[TL_OPERANDS_MAX];
	int kernel_rc;
};

/* == the recording == */

static int
begin(void *context, int64_t ns, struct tl_recorder_files *files)
{
	const struct record *r = context;

	(void)ns;
	memcpy(files->path, r->path, sizeof(files->path));
	return tl_recorder_files_make(files, AT_FDCWD, r->path, 0600, false);
}

/* Report that a trace has only the spans that timers logged, not the counts of
 * all. */
static void
note_timers(struct record *r, size_t i)
{
	const int fd = r->fds[i];
	struct tl_fault fault = { 0 };
	struct tl_inspection inspection;
	uint64_t timer = 0;

	if (fd < 0 || tl_inspect_fd(&inspection, fd, false, &fault) != 0)
		return;
	if (inspection.header.timers_max > 0)
		(void)tl_read_at(fd, &timer, sizeof(timer),
		    timeline_timer_offset(&inspection.header, 0));
	tl_inspection_free(&inspection);
	if (timer == 0)
		return;
	fprintf(stderr,
	    "timelinectl: %s: the histograms of timers are not recorded; "
	    "'timelinectl save' keeps them\n",
	    r->names[i].shown);
	close(fd);
	r->fds[i] = -1;
}

/* *kept: its descriptor, which the caller then owns; kept may be NULL. */
static int
add_name(struct record *r, const struct tl_name *name, int *kept)
{
	struct tl_fault fault = { 0 };
	const int fd = tl_call_open(r->call, name);
	int rc;

	if (fd < 0)
		return fd;
	rc = tl_recorder_add(r->recorder, name->shown, fd, false, &fault);
	if (kept)
		*kept = fd;
	else
		close(fd);
	return rc == 0 ? 0 : tl_call_fault(r->call, name->shown, rc, &fault);
}

static int
add(struct record *r, size_t i)
{
	struct tl_name *name = &r->names[i], sched;
	int rc = tl_call_name(r->call, i, name);

	if (rc != 0 || (rc = add_name(r, name, &r->fds[i])) != 0)
		return rc;
	note_timers(r, i);
	if (!tl_call_has(r->call, TL_CTL_KERNEL) ||
	    (rc = tl_call_kernel(r->call, name, &r->sessions[i])) != 0)
		return rc;
	sched = tl_ctl_sched_name(name);
	return add_name(r, &sched, NULL);
}

/* End a session whose file of kernel events was recorded, and remove the
 * file. */
static void
end_kernel(struct record *r)
{
	for (size_t i = 0; i < r->call->operand_count; i++) {
		const struct tl_name sched = tl_ctl_sched_name(&r->names[i]);
		int rc;

		if (!r->sessions[i])
			continue;
		rc = tl_session_end(r->sessions[i], NULL);
		if (rc != 0 && r->kernel_rc == 0)
			tl_call_kernel_failed(r->call, &r->names[i],
			    r->kernel_rc = rc);
		r->sessions[i] = NULL;
		(void)timeline_remove(sched.path);
	}
}

static int
start(struct record *r)
{
	const struct tl_recorder_host host = { .begin = begin, .context = r };
	int rc = tl_recorder_new(&r->recorder, &r->options, &host);
	struct tl_recorder_status status;
	struct stat st;

	if (rc != 0)
		return tl_call_fail(r->call, NULL, rc, "%s", strerror(-rc));
	for (size_t i = 0; rc == 0 && i < r->call->operand_count; i++)
		rc = add(r, i);
	if (rc != 0)
		return rc;
	rc = tl_recorder_start(r->recorder);
	if (rc == 0)
		return 0;
	tl_recorder_status(r->recorder, &status);
	if (stat(r->path, &st) == 0 && S_ISDIR(st.st_mode))
		return tl_call_fail(r->call, r->path, rc, "%s",
		    tl_file_error(-EISDIR));
	if (status.rc == -EEXIST)
		return tl_call_fail(r->call, r->path, rc,
		    "the file or its index exists already; choose another "
		    "name");
	return tl_call_fail(r->call, r->path, rc, "%s", tl_file_error(rc));
}

/* == reports == */

static void
put_state(struct tl_text *text, const struct tl_recorder_status *status)
{
	tl_put_format(text, "%lu entries, %lu lost, %s", status->events,
	    status->lost, TL_SIZE(status->bytes));
}

static void
put_summary(struct record *r)
{
	const int64_t lasted_ns = tl_clock_read(CLOCK_MONOTONIC) - r->begun_ns;
	struct tl_text *text = &r->call->out;

	if (tl_call_has(r->call, TL_CTL_JSON)) {
		struct tl_fields f = tl_call_json(r->call);

		tl_fields_object(&f, NULL);
		tl_fields_string(&f, "file", r->path);
		tl_fields_unsigned(&f, "entries", r->status.events);
		tl_fields_unsigned(&f, "lost", r->status.lost);
		tl_fields_unsigned(&f, "size", r->status.bytes);
		tl_fields_duration(&f, "lasted", lasted_ns);
		tl_fields_object_end(&f);
		return;
	}
	tl_put_plain(text, tl_bytes_of(r->path));
	tl_put_string(text, ": ");
	put_state(text, &r->status);
	tl_put_format(text, " in %s\n",
	    TL_DURATION(lasted_ns / 1000000 * 1000000));
}

/* Wait for a round, or until the recording is long enough.  false: it is. */
static bool
wait_round(const struct record *r)
{
	const int64_t lasted_ns = tl_clock_read(CLOCK_MONOTONIC) - r->begun_ns;
	int64_t left_ms =
	    tl_call_has(r->call, TL_CTL_KERNEL) ? KERNEL_ROUND_MS : ROUND_MS;

	if (r->for_ns > 0 && lasted_ns >= r->for_ns)
		return false;
	if (r->for_ns > 0 && (r->for_ns - lasted_ns) / TL_NS_PER_MS < left_ms)
		left_ms = (r->for_ns - lasted_ns) / TL_NS_PER_MS + 1;
	(void)poll(NULL, 0, (int)left_ms);
	return true;
}

/* Wait until the recording is interrupted, long enough or full, or all
 * timelines were removed. */
static void
wait_for_end(struct record *r)
{
	while (!r->status.done && !tl_stop_is_asked() && wait_round(r)) {
		struct tl_text text = { 0 };

		/* Take over recorded kernel events; the first failure is
		 * kept. */
		for (size_t i = 0; i < r->call->operand_count; i++)
			if (r->sessions[i] && r->kernel_rc == 0 &&
			    (r->kernel_rc = tl_session_turn(r->sessions[i])) !=
				0)
				tl_call_kernel_failed(r->call, &r->names[i],
				    r->kernel_rc);
		tl_recorder_status(r->recorder, &r->status);

		/* Progress, on a terminal only. */
		if (isatty(STDERR_FILENO) == 1) {
			tl_put_string(&text, "\r\033[K");
			put_state(&text, &r->status);
			if (text.rc == 0)
				(void)tl_write_all(STDERR_FILENO, text.data,
				    text.size);
			tl_text_free(&text);
			r->shown = true;
		}
	}
	end_kernel(r);
	tl_recorder_finish(r->recorder);
	tl_recorder_status(r->recorder, &r->status);
	if (r->shown)
		(void)tl_write_all(STDERR_FILENO, "\r\033[K", 4);
}

static int
take_reply(struct record *r)
{
	const int rc = r->status.rc < 0 ? r->status.rc : r->status.source_rc;

	if (r->status.rc < 0)
		return tl_call_fail(r->call, r->path, rc, "%s",
		    tl_file_error(rc));
	if (rc < 0)
		return tl_call_fail(r->call, NULL, rc,
		    "following a timeline failed: %s", strerror(-rc));
	return 0;
}

int
tl_verb_record(struct tl_call *call)
{
	static struct record r;
	const char *duration = call->given[TL_CTL_FOR];
	const char *size = call->given[TL_CTL_SIZE];
	const char *path = call->given[TL_CTL_OUTPUT];
	int rc;

	r = (struct record){ .call = call };
	for (size_t i = 0; i < TL_OPERANDS_MAX; i++)
		r.fds[i] = -1;
	r.options.once = true;
	r.options.command = "timelinectl record";
	if (tl_call_has(call, TL_CTL_ZSTD))
		r.options.compress = TL_TRACE_ZSTD_LEVEL;
	if (tl_call_duration(call, duration, 1, INT64_MAX, &r.for_ns) != 0)
		return -EINVAL;
	if (size && (tl_parse_size(size, &r.options.size_max) != 0 ||
			r.options.size_max < SIZE_MIN))
		return tl_call_usage(call,
		    "%s: not a size of 64K or more, like 10M", size);
	if (!path || path[0] == '\0')
		return tl_call_usage(call, "record needs -o FILE");
	if (strlen(path) + sizeof(TL_TRACE_INDEX_SUFFIX) > sizeof(r.path))
		return tl_call_usage(call, "the name of the file is too long");
	strcpy(r.path, path);
	tl_signals_ask_to_stop(true);
	(void)tl_guard_start(); /* without a guard heads are not mapped */
	rc = start(&r);
	if (rc == 0) {
		r.begun_ns = tl_clock_read(CLOCK_MONOTONIC);
		wait_for_end(&r);
		for (size_t i = 0; i < call->operand_count; i++)
			note_timers(&r, i); /* timers defined since the start */
		put_summary(&r);
		rc = take_reply(&r);
		rc = rc == 0 ? r.kernel_rc : rc;
	}
	end_kernel(&r);
	for (size_t i = 0; i < TL_OPERANDS_MAX; i++)
		if (r.fds[i] >= 0)
			close(r.fds[i]);
	tl_recorder_free(r.recorder);
	return rc;
}
