/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_fixture.h - record a timeline into a folder, and count the content
 * of the files there.
 */
#ifndef TESTS_UNIT_RECORDER_FIXTURE_H
#define TESTS_UNIT_RECORDER_FIXTURE_H

#include "base/word.h"
#include "lib/fixture.h"
#include "lib/test.h"
#include "trace/layout.h"
#include "trace/read.h"
#include "trace/record/recorder.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

enum {
	RECORD_FILES_MAX = 400,
	RECORD_TIMEOUT_S = 600 /* even on a slow machine */
};

static char folder[64];
static unsigned made;     /* files that the host made */
static uint32_t begin_rc; /* the error that the host returns */
static uint32_t is_held;  /* the host does not return yet */
static uint32_t is_asked; /* the recorder has asked the host for a file */
static struct timeline_event *tick, *named, *outer, *inner;

static inline void
define_all(void)
{
	ck_assert_ok(timeline_define(tl, "t", "info", "tick $n", &tick));
	ck_assert_ok(timeline_define(tl, "t", "info", "named $text%s", &named));
	ck_assert_ok(timeline_define_span(tl, "t", "info", "outer $id",
	    TIMELINE_THREAD, &outer));
	ck_assert_ok(timeline_define_span(tl, "t", "info", "inner $id",
	    TIMELINE_THREAD, &inner));
}

static inline void
recorder_setup_of(uint64_t entries)
{
	const struct timeline_options options = { .entries = entries,
		.tiers = 1,
		.stringtablesize = entries * 8 };

	strcpy(folder, "/tmp/test-recorder-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	made = 0;
	begin_rc = is_held = is_asked = 0;
	fixture_open(&options);
	define_all();
}

static inline void
recorder_setup(void)
{
	recorder_setup_of(1 << 16);
}

static inline void
recorder_teardown(void)
{
	char command[128];

	fixture_close();
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

/* Start again with a timeline of so many entries. */
static inline void
recorder_setup_again(uint64_t entries)
{
	recorder_teardown();
	recorder_setup_of(entries);
}

static inline void
sleep_ms(int ms)
{
	nanosleep(&(struct timespec){ .tv_sec = ms / 1000,
		      .tv_nsec = ms % 1000 * 1000000L },
	    NULL);
}

/* Wait for a condition; the time limit of the test is the only limit. */
#define until(condition) \
	do \
		sleep_ms(1); \
	while (!(condition))

static inline int
open_in_folder(const char *path, const char *suffix)
{
	char name[TL_PATH_MAX + 8];

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	return open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

/* Recordings with writers of their own may begin files at the same time. */
static pthread_mutex_t beginning = PTHREAD_MUTEX_INITIALIZER;

static inline int
begin_file(void *context, int64_t ns, struct tl_recorder_files *files)
{
	(void)context;
	(void)ns;
	tl_store_32(&is_asked, 1);
	while (tl_load_32(&is_held) != 0)
		sleep_ms(1);
	if (tl_load_32(&begin_rc) != 0)
		return (int)tl_load_32(&begin_rc);
	pthread_mutex_lock(&beginning);
	ck_assert_uint_lt(made, RECORD_FILES_MAX);
	snprintf(files->path, sizeof(files->path), "%s/%03u.trace", folder,
	    made++);
	files->data = open_in_folder(files->path, "");
	files->index = open_in_folder(files->path, ".idx");
	ck_assert_int_ge(files->data, 0);
	ck_assert_int_ge(files->index, 0);
	pthread_mutex_unlock(&beginning);
	return 0;
}

/* Record the timeline of the fixture from now on, or from its first entry. */
static inline struct tl_recorder *
record_from(const struct tl_recorder_options *options, bool all)
{
	const struct tl_recorder_host host = { .begin = begin_file };
	struct tl_fault fault = { 0 };
	struct tl_recorder *recorder;

	ck_assert_ok(tl_recorder_new(&recorder, options, &host));
	ck_assert_msg(tl_recorder_add(recorder, "demo", tl->fd, all, &fault) ==
			  0,
	    "%s", fault.text);
	ck_assert_ok(tl_recorder_start(recorder));
	return recorder;
}

static inline struct tl_recorder *
record(const struct tl_recorder_options *options)
{
	return record_from(options, false);
}

static inline struct tl_recorder_status
status_of(struct tl_recorder *recorder)
{
	struct tl_recorder_status status;

	tl_recorder_status(recorder, &status);
	return status;
}

/* End the recorder; returns its final status. */
static inline struct tl_recorder_status
end_record(struct tl_recorder *recorder)
{
	struct tl_recorder_status status;

	tl_recorder_stop(recorder);
	until((status = status_of(recorder)).done);
	tl_recorder_free(recorder);
	return status;
}

static inline void
limit_files(rlim_t size)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = size;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static inline uint64_t
log_a_few(void)
{
	for (uint64_t i = 0; i < 200; i++)
		timeline_log(tick, i);
	sleep_ms(1);
	return 200;
}

/*
 * Log until no file can grow any more, and on until the recorder works again;
 * returns the number of entries.  The timeline must be small, because the limit
 * of files is its size.
 */
static inline uint64_t
log_over_a_full_disk(struct tl_recorder *recorder)
{
	uint64_t logged = 0;

	limit_files(tl->geometry.total_size + 1);
	do
		logged += log_a_few();
	while (status_of(recorder).faults == 0);
	limit_files(RLIM_INFINITY);
	do
		logged += log_a_few();
	while (status_of(recorder).rc != 0);
	return logged;
}

/* The content of all files. */
struct recorded {
	uint64_t files;
	uint64_t events; /* without the continued begins */
	uint64_t lost;
	uint64_t continued;
	uint64_t damage; /* damaged places */
	uint64_t cut;    /* files without an end */
	void (*each)(struct recorded *recorded, const struct tl_event *event);
	uint64_t n;    /* for use by each */
	void *context; /* for use by each */
};

static inline void
note_fault(void *context, const struct tl_fault *fault)
{
	struct recorded *recorded = context;

	if (fault->rc == -ENODATA)
		recorded->cut++;
	else if (fault->rc < 0)
		recorded->damage++;
}

static inline void
count_events(struct recorded *recorded, struct tl_trace *trace)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc;

	ck_assert_ok(tl_trace_cursor(trace, TL_OLDEST_FIRST, &cursor));
	while ((rc = tl_cursor_next(cursor, &event)) > 0) {
		if (event.kind == TL_LOST)
			recorded->lost += event.lost;
		else if (event.continued)
			recorded->continued++;
		else
			recorded->events++;
		if (recorded->each)
			recorded->each(recorded, &event);
	}
	ck_assert_int_eq(rc, 0);
	tl_cursor_close(cursor);
}

static inline void
count_file(struct recorded *recorded, const char *path)
{
	const struct tl_trace_read_options options = { .codecs = &tl_trace_zstd,
		.codec_count = 1,
		.report = { note_fault, recorded } };
	struct tl_fault fault = { 0 };
	struct tl_trace *trace;
	const uint64_t cut = recorded->cut;
	const uint64_t continued = recorded->continued;
	struct tl_bytes said;
	char number[16];

	ck_assert_msg(tl_trace_open(&trace, path, &options, &fault) == 0,
	    "%s: %s", path, fault.text);
	count_events(recorded, trace);
	if (recorded->cut == cut) { /* a file with an end has an index */
		ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_READ);
		snprintf(number, sizeof(number), "%u",
		    (unsigned)(recorded->continued - continued));
		said = tl_trace_info(trace, "continued");
		ck_assert(tl_bytes_equal(said,
		    tl_bytes_of(
			recorded->continued > continued ? number : "")));
	}
	recorded->files++;
	tl_trace_close(trace);
}

/* Count the content of all files that were made and still exist. */
static inline void
count_all(struct recorded *recorded)
{
	char path[128];

	for (unsigned i = 0; i < made; i++) {
		snprintf(path, sizeof(path), "%s/%03u.trace", folder, i);
		if (access(path, F_OK) == 0)
			count_file(recorded, path);
	}
}

#endif
