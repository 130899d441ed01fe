/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_files.c - the host's figures for each file are those of its content,
 * no file exceeds its limit, and a recorder that continues where another one
 * ended misses nothing and repeats nothing.
 */
#include "lib/test.h"
#include "recorder_fixture.h"

#include <pthread.h>

enum {
	CREW = 40,
	CREW_EVENTS = 2000,
	THREADS = 100,
	EACH = 600,
	SIZE_MAX_BYTES = 256 << 10,
	CLOSING =
	    4096, /* one event, its definitions, and the end of the file */
	LANES_MAX = 256,
	TICKS = 400000
};

/* The figures that the host received. */
static struct told {
	unsigned whole;
	unsigned failed;
	uint64_t entries;
	uint64_t lost;
	uint64_t largest;
	struct tl_recorder_content last; /* of the last whole file */
	uint64_t positions[LANES_MAX];
	size_t lanes;
	bool check; /* read each whole file */
} told;

static unsigned files_max; /* the host makes no more files */

static int
begin_some(void *context, int64_t ns, struct tl_recorder_files *files)
{
	return made < files_max ? begin_file(context, ns, files) : -ENOSPC;
}

static void
note_range(struct recorded *recorded, const struct tl_event *event)
{
	struct tl_recorder_content *range = recorded->context;

	if (event->continued)
		return;
	if (event->ns < range->from_ns)
		range->from_ns = event->ns;
	if (event->ns > range->to_ns)
		range->to_ns = event->ns;
}

static void
check_file(const char *path, const struct tl_recorder_content *content)
{
	struct tl_recorder_content range = { .from_ns = INT64_MAX,
		.to_ns = INT64_MIN };
	struct recorded recorded = { .each = note_range, .context = &range };
	struct stat st;

	count_file(&recorded, path);
	ck_assert_uint_eq(recorded.events, content->entries);
	ck_assert_uint_eq(recorded.lost, content->lost);
	ck_assert_int_eq(range.from_ns, content->from_ns);
	ck_assert_int_eq(range.to_ns, content->to_ns);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq((uint64_t)st.st_size, content->data_size);
}

static void
ended(void *context, struct tl_recorder *recorder,
    const struct tl_recorder_files *files,
    const struct tl_recorder_content *content, int rc)
{
	const uint64_t *positions;

	(void)context;
	if (rc < 0) {
		told.failed++;
		return;
	}
	told.whole++;
	told.entries += content->entries;
	told.lost += content->lost;
	told.last = *content;
	if (content->data_size > told.largest)
		told.largest = content->data_size;
	told.lanes = tl_recorder_positions(recorder, 0, &positions);
	ck_assert_uint_le(told.lanes, LANES_MAX);
	memcpy(told.positions, positions, told.lanes * sizeof(*positions));
	if (told.check)
		check_file(files->path, content);
}

/* Record from positions; NULL: from now on. */
static struct tl_recorder *
record_at(const struct tl_recorder_options *options, const uint64_t *positions)
{
	const struct tl_recorder_host host = { .begin = begin_some,
		.ended = ended };
	struct tl_fault fault = { 0 };
	struct tl_recorder *r;
	int rc;

	ck_assert_ok(tl_recorder_new(&r, options, &host));
	rc = positions ? tl_recorder_add_at(r, "demo", tl->fd, positions,
			     told.lanes, &fault)
		       : tl_recorder_add(r, "demo", tl->fd, false, &fault);
	ck_assert_msg(rc == 0, "%s", fault.text);
	ck_assert_ok(tl_recorder_start(r));
	return r;
}

static void
setup(void)
{
	memset(&told, 0, sizeof(told));
	files_max = RECORD_FILES_MAX;
	recorder_setup();
}

/* == sizes == */

static void *
log_slowly(void *context)
{
	(void)context;
	for (uint64_t i = 0; i < EACH; i++) {
		timeline_log(tick, i << 40);
		if (i % 20 == 0)
			sleep_ms(1);
	}
	return NULL;
}

TEST_FILE(.setup = setup, .teardown = recorder_teardown,
    .timeout = RECORD_TIMEOUT_S);

TEST(no_file_of_many_threads_is_larger_than_it_may_be)
{
	struct tl_recorder *r =
	    record_at(&(struct tl_recorder_options){ .size_max = SIZE_MAX_BYTES,
			  .flush_ns = UINT64_C(60000000000) },
		NULL);
	struct recorded recorded = { 0 };
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, log_slowly,
				     NULL),
		    0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	end_record(r);
	count_all(&recorded);
	ck_assert_uint_eq(recorded.events + recorded.lost, THREADS * EACH);
	ck_assert_uint_ge(told.whole, 3);
	ck_assert_uint_le(told.largest, SIZE_MAX_BYTES + CLOSING);
	/* nor is the largest file much smaller: a part of it is the index */
	ck_assert_uint_ge(told.largest, SIZE_MAX_BYTES / 4 * 3);
}

/*
 * More spans are open than a file has room for: files are still filled with
 * events.
 */
TEST(spans_that_go_on_leave_room_for_events)
{
	struct tl_recorder *r =
	    record_at(&(struct tl_recorder_options){ .size_max = 16 << 10 },
		NULL);
	struct recorded recorded = { 0 };

	for (uint64_t i = 0; i < 1000; i++)
		timeline_begin(outer, i);
	for (uint64_t i = 0; i < 5000; i++)
		timeline_log(tick, i);
	end_record(r);
	count_all(&recorded);
	ck_assert_uint_eq(recorded.events, 6000);
	ck_assert_uint_gt(recorded.continued, 100);
	ck_assert_uint_le(told.largest, (16 << 10) + CLOSING);
	ck_assert_uint_le(told.whole, 40);
}

/* == reports == */

TEST(the_host_is_told_what_is_in_each_file)
{
	struct tl_recorder *r;
	struct tl_recorder_status status;

	told.check = true;
	r = record_at(&(struct tl_recorder_options){ .size_max = 60000 }, NULL);
	timeline_begin(outer, 1);
	for (uint64_t i = 0; i < TICKS; i++) /* some ticks are lost */
		timeline_log(tick, i);
	timeline_end(outer, 1);
	status = end_record(r);
	ck_assert_uint_gt(told.whole, 3);
	ck_assert_uint_eq(told.failed, 0);
	ck_assert_uint_eq(told.entries + told.lost, TICKS + 2);
	ck_assert_uint_eq(told.entries, status.events);
	ck_assert_uint_eq(told.lost, status.lost);
}

/* == continuing == */

static uint8_t *seen; /* how often each tick was recorded */

static void
see(struct recorded *recorded, const struct tl_event *event)
{
	(void)recorded;
	if (event->kind == TL_INSTANT)
		seen[event->args[0]]++;
}

static void
log_from(uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++) {
		timeline_log(tick, i);
		if (i % 1000 == 0)
			sleep_ms(1);
	}
}

struct writing {
	uint64_t from, to;
};

static void *
log_range(void *context)
{
	const struct writing *w = context;

	log_from(w->from, w->to);
	return NULL;
}

/*
 * Recorders end while a thread writes, and each starts at the positions where
 * its predecessor ended.  Entries that the ring overwrote in between are
 * counted.
 */
TEST(who_goes_on_where_a_file_ended_has_all_once, .to = 2)
{
	const struct tl_recorder_options options = { .size_max = 100000 };
	/* more ticks than the ring holds */
	const uint64_t gap = _i == 0 ? 0 : 200000;
	struct writing writing = { 1000, TICKS - 1000 };
	struct recorded recorded = { .each = see };
	struct tl_recorder *r = record_at(&options, NULL);
	pthread_t writer;
	uint64_t missing = 0;

	seen = calloc(TICKS, 1);
	log_from(0, 1000);
	writing.to = TICKS - gap - 1000;
	ck_assert_int_eq(pthread_create(&writer, NULL, log_range, &writing), 0);
	for (int i = 0; i < 5; i++) {
		sleep_ms(10);
		end_record(r);
		ck_assert_uint_gt(told.whole, 0);
		r = record_at(&options, told.positions);
	}
	pthread_join(writer, NULL);
	end_record(r);
	for (uint64_t i = writing.to; i < TICKS - 1000; i++)
		timeline_log(tick, i);
	r = record_at(&options, told.positions);
	log_from(TICKS - 1000, TICKS);
	end_record(r);
	count_all(&recorded);
	for (uint64_t i = 0; i < TICKS; i++) {
		ck_assert_uint_le(seen[i], 1);
		missing += seen[i] == 0;
	}
	ck_assert_uint_eq(recorded.lost, missing);
	ck_assert_uint_eq(recorded.events, TICKS - missing);
	ck_assert(missing > 0 || gap == 0);
	free(seen);
}

/* Take a ticket of a fallback lane, as a thread does that is killed next. */
static void
take_ticket(void)
{
	__atomic_fetch_add((uint64_t *)(void *)tick->fallback_heads, 1,
	    __ATOMIC_RELAXED);
}

/*
 * An entry that is unfinished at the end is waited for and then lost; the next
 * recorder continues after it.
 */
TEST(an_entry_that_is_not_whole_at_the_end_is_counted_once)
{
	struct recorded recorded = { .each = see };
	struct tl_recorder *r =
	    record_at(&(struct tl_recorder_options){ 0 }, NULL);

	seen = calloc(TICKS, 1);
	tl_append_fallback(tick, 1, 0, 0, 0);
	take_ticket();
	tl_append_fallback(tick, 2, 0, 0, 0);
	take_ticket();
	end_record(r);
	r = record_at(&(struct tl_recorder_options){ 0 }, told.positions);
	tl_append_fallback(tick, 3, 0, 0, 0);
	end_record(r);
	count_all(&recorded);
	ck_assert_uint_eq(recorded.lost, 2);
	ck_assert_uint_eq(recorded.events, 3);
	free(seen);
}

/*
 * A recorder that ended between a loss and the entry after it must not count
 * the loss again.
 */
TEST(a_loss_alone_in_a_file_is_passed_for_good)
{
	const struct tl_recorder_options one = { .size_max = 1 };
	struct recorded recorded = { .each = see };
	struct tl_recorder *r = record_at(&one, NULL);
	uint64_t missing = 0;

	seen = calloc(TICKS, 1);
	log_from(0, 10);
	end_record(r);
	log_from(10, TICKS);
	for (unsigned i = 0; i < 2 * told.lanes; i++) {
		files_max = made + 1;
		r = record_at(&one, told.positions);
		end_record(r);
	}
	files_max = RECORD_FILES_MAX;
	end_record(
	    record_at(&(struct tl_recorder_options){ 0 }, told.positions));
	count_all(&recorded);
	for (uint64_t i = 0; i < TICKS; i++) {
		ck_assert_uint_le(seen[i], 1);
		missing += seen[i] == 0;
	}
	ck_assert_uint_gt(missing, 0);
	ck_assert_uint_eq(recorded.lost, missing);
	free(seen);
}

TEST(positions_of_another_timeline_are_refused)
{
	struct tl_fault fault = { 0 };
	struct tl_recorder *r =
	    record_at(&(struct tl_recorder_options){ 0 }, NULL);

	log_from(0, 10);
	end_record(r);
	ck_assert_ok(tl_recorder_new(&r, &(struct tl_recorder_options){ 0 },
	    &(struct tl_recorder_host){ .begin = begin_file }));
	ck_assert_int_eq(tl_recorder_add_at(r, "demo", tl->fd, told.positions,
			     told.lanes - 1, &fault),
	    -ESTALE);
	told.positions[0] += 1000;
	ck_assert_int_eq(tl_recorder_add_at(r, "demo", tl->fd, told.positions,
			     told.lanes, &fault),
	    -ESTALE);
	tl_recorder_free(r);
}

/* == failures == */

/* The loss comes first, with the time of the event that follows. */
static void
expect_loss_first(struct recorded *recorded, const struct tl_event *event)
{
	struct tl_event *first = recorded->context;

	if (recorded->n == 0) {
		ck_assert_int_eq(event->kind, TL_LOST);
		*first = *event;
	} else if (recorded->n == 1) {
		ck_assert_int_eq(event->ns, first->ns);
	}
	recorded->n++;
}

/* A file that fails leaves nothing but an exact count of its loss. */
TEST(a_file_that_fails_is_there_whole_or_not_at_all)
{
	struct tl_event first;
	struct recorded recorded = { .each = expect_loss_first,
		.context = &first };
	struct tl_recorder_status status;
	struct tl_recorder *r;
	uint64_t logged;

	recorder_setup_again(1 << 12);
	r = record_at(&(struct tl_recorder_options){ .flush_ns = 5000000,
			  .whole = true },
	    NULL);
	logged = log_over_a_full_disk(r);
	status = end_record(r);
	ck_assert_uint_gt(told.failed, 0);
	ck_assert_uint_eq(status.faults, told.failed);
	count_all(&recorded);
	ck_assert_uint_gt(recorded.n, 1);
	ck_assert_uint_eq(recorded.files, told.whole);
	ck_assert_uint_eq(recorded.cut, 0);
	ck_assert_uint_gt(recorded.lost, 0);
	ck_assert_uint_eq(recorded.events, status.events);
	ck_assert_uint_eq(recorded.lost, status.lost);
	ck_assert_uint_eq(recorded.events + recorded.lost, logged);
}

static int data_fd; /* the data of the newest file */

static int
begin_and_note(void *context, int64_t ns, struct tl_recorder_files *files)
{
	const int rc = begin_file(context, ns, files);

	data_fd = files->data;
	return rc;
}

/* All events were in the file that failed, and no event follows. */
TEST(what_is_missing_is_told_though_nothing_comes)
{
	const struct tl_recorder_host host = { .begin = begin_and_note };
	struct tl_recorder_options options = { .flush_ns = 1000000000000 };
	struct recorded recorded = { 0 };
	struct tl_recorder_status status;
	struct tl_fault fault = { 0 };
	struct tl_recorder *r;
	int full;

	ck_assert_ok(tl_recorder_new(&r, &options, &host));
	ck_assert_ok(tl_recorder_add(r, "a", tl->fd, false, &fault));
	ck_assert_ok(tl_recorder_start(r));
	log_from(0, 10);
	until(status_of(r).events == 10);
	full = open("/dev/full", O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(dup2(full, data_fd), 0);
	close(full);
	options.flush_ns = 1000000;
	tl_recorder_configure(r, &options);
	log_from(10, 11);
	until(status_of(r).rc == -ENOSPC);
	until(status_of(r).rc == 0);
	status = end_record(r);
	ck_assert_uint_eq(status.faults, 1);
	count_all(&recorded);
	/* the last event may have come late */
	ck_assert_uint_ge(recorded.lost, 10);
	ck_assert_uint_eq(recorded.events + recorded.lost, 11);
	ck_assert_uint_eq(status.lost, recorded.lost);
}

/*
 * There are two timelines and room for one file with one event.  All events
 * that wait at the end are lost, whichever timeline they belong to.
 */
TEST(what_waits_at_the_end_is_counted_for_each_timeline)
{
	const struct tl_recorder_host host = { .begin = begin_some };
	const struct tl_recorder_options one = { .size_max = 1 };
	struct tl_recorder_status status;
	struct timeline_event *other_tick;
	struct tl_fault fault = { 0 };
	struct timeline *other;
	struct tl_recorder *r;
	char name[96];

	snprintf(name, sizeof(name), "%s-other", fixture_name);
	timeline_remove(name);
	ck_assert_ok(timeline_new(&other, name, &fixture_tiny));
	ck_assert_ok(
	    timeline_define(other, "t", "info", "other $n", &other_tick));
	files_max = 1;
	ck_assert_ok(tl_recorder_new(&r, &one, &host));
	ck_assert_ok(tl_recorder_add(r, "a", tl->fd, false, &fault));
	ck_assert_ok(tl_recorder_add(r, "b", other->fd, false, &fault));
	ck_assert_ok(tl_recorder_start(r));
	timeline_log(other_tick, 0);
	until(status_of(r).events == 1);
	log_from(0, 10);
	until(status_of(r).rc == -ENOSPC);
	for (uint64_t i = 0; i < 5; i++)
		timeline_log(other_tick, i);
	until(status_of(r).queued == 15);
	status = end_record(r);
	ck_assert_uint_eq(status.events, 1);
	ck_assert_uint_eq(status.lost, 15);
	timeline_close(other);
	timeline_remove(name);
}

/*
 * The number of threads of this process.  The kernel wakes the thread that joins
 * another one before it removes that one from the list: after a join the number
 * is waited for.
 */
static int
count_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	int count = 0;

	ck_assert_ptr_nonnull(tasks);
	for (const struct dirent *one; (one = readdir(tasks));)
		count += one->d_name[0] != '.';
	closedir(tasks);
	return count;
}

/* With a long delay the recorder reads a round only when a lane has filled. */
TEST(entries_wait_to_be_read_together)
{
	const struct tl_recorder_options options = { .flush_ns = 1000000,
		.delay_ns = UINT64_C(3600) * 1000000000 };
	struct tl_recorder *recorder;
	struct tl_recorder_status s;
	uint64_t n = 0;

	recorder = record(&options);
	for (; n < 20; n++) {
		timeline_log(tick, n);
		sleep_ms(2);
	}
	s = status_of(recorder);
	ck_assert_uint_eq(s.events + s.queued, 0);
	for (; s.events == 0; n++) { /* until the lane has enough for a round */
		timeline_log(tick, n);
		if (n % 100 == 0)
			sleep_ms(1);
		s = status_of(recorder);
	}
	s = end_record(recorder);
	ck_assert_uint_eq(s.lost, 0);
	ck_assert_uint_eq(s.events, n);
}

TEST(readers_that_are_shared_leave_each_recording_its_writer)
{
	const struct tl_recorder_options options = { .flush_ns = 1000000 };
	const struct tl_recorder_host host = { .begin = begin_file };
	struct tl_recorder *recorders[CREW];
	struct tl_recorder_crew *crew;
	struct tl_fault fault = { 0 };
	int with_crew;

	ck_assert_ok(tl_recorder_readers_new(&crew));
	with_crew = count_threads();
	for (int i = 0; i < CREW; i++) {
		ck_assert_ok(tl_recorder_new(&recorders[i], &options, &host));
		ck_assert_ok(tl_recorder_add(recorders[i], "demo", tl->fd,
		    false, &fault));
		ck_assert_ok(tl_recorder_start_with(recorders[i], crew));
	}
	ck_assert_int_eq(count_threads(), with_crew + CREW);
	for (int n = 0; n < CREW_EVENTS; n++)
		timeline_log(tick, (uint64_t)n);
	for (int i = 0; i < CREW; i++) {
		ck_assert_uint_eq(end_record(recorders[i]).events, CREW_EVENTS);
		until(count_threads() == with_crew + CREW - i - 1);
	}
	tl_recorder_crew_free(crew);
	until(count_threads() == with_crew - 1);
}

TEST(two_threads_serve_all_recordings_of_a_crew)
{
	const struct tl_recorder_options options = { .flush_ns = 1000000 };
	const struct tl_recorder_host host = { .begin = begin_file };
	struct tl_recorder *recorders[CREW];
	struct tl_recorder_crew *crew;
	struct tl_fault fault = { 0 };
	int with_crew;

	ck_assert_ok(tl_recorder_crew_new(&crew));
	with_crew = count_threads();
	for (int i = 0; i < CREW; i++) {
		ck_assert_ok(tl_recorder_new(&recorders[i], &options, &host));
		ck_assert_ok(tl_recorder_add(recorders[i], "demo", tl->fd,
		    false, &fault));
		ck_assert_ok(tl_recorder_start_with(recorders[i], crew));
	}
	ck_assert_int_eq(count_threads(), with_crew);
	for (int n = 0; n < CREW_EVENTS; n++) {
		timeline_log(tick, (uint64_t)n);
		/* the first recorders end one by one, while the others go on */
		if (n < CREW / 2)
			ck_assert_uint_eq(end_record(recorders[n]).events,
			    (uint64_t)n + 1);
	}
	for (int i = CREW / 2; i < CREW; i++) {
		const struct tl_recorder_status s = end_record(recorders[i]);

		ck_assert_uint_eq(s.events, CREW_EVENTS);
		ck_assert_uint_eq(s.lost, 0);
	}
	tl_recorder_crew_free(crew);
	until(count_threads() == with_crew - 2);
}
