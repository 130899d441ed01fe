/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - files are created, opened and packed, and a program records
 * itself.
 */
#include "base/file.h"
#include "lib/test.h"
#include "lib/threads_of.h"
#include "lib/trace_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <timeline_trace.h>
#include <unistd.h>

enum { THREADS = 4, CALLS = 2000 };

static char folder[64];
static char path[96];
static char index_path[128];

static void
setup(void)
{
	fixture_messages();
	strcpy(folder, "/tmp/test-trace-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/run.trace", folder);
	snprintf(index_path, sizeof(index_path), "%s.idx", path);
}

static void
teardown(void)
{
	chmod(folder, 0700);
	unlink(path);
	unlink(index_path);
	rmdir(folder);
}

static void
write_file(const struct tl_trace_codec *codec)
{
	const struct program program = random_program(4, 5000, 2);
	const struct tl_trace_options options = { .codec = codec };
	struct tl_trace_writer *writer;
	struct tl_sink *sink;

	ck_assert_ok(tl_trace_create(&writer, path, &options));
	ck_assert_ok(tl_trace_write_info(writer, tl_bytes_of("host"),
	    tl_bytes_of("here")));
	ck_assert_ok(tl_trace_write_knot(writer,
	    &(struct timeline_knot){ .tsc = 5, .utc_ns = -7, .mult = 9 }));
	ck_assert_ok(
	    tl_trace_write_process(writer, 100, tl_bytes_of("before")));
	ck_assert_ok(
	    tl_trace_write_process(writer, 100, tl_bytes_of("server --fast")));
	ck_assert_ok(tl_trace_sink(writer, &sink));
	for (size_t i = 0; i < program.count; i++)
		ck_assert_ok(sink->put(sink, &program.events[i]));
	ck_assert_ok(sink->finish(sink));
	tl_trace_writer_free(writer);
	free(program.events);
}

static struct tl_trace *
open_path(const struct tl_trace_read_options *options)
{
	struct tl_fault fault = { 0 };
	struct tl_trace *trace;

	fault_count = 0;
	ck_assert_ok(tl_trace_open(&trace, path, options, &fault));
	return trace;
}

static uint64_t
count_events(struct tl_trace *trace)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	uint64_t count = 0;

	ck_assert_ok(tl_trace_cursor(trace, TL_OLDEST_FIRST, &cursor));
	while (tl_cursor_next(cursor, &event) > 0)
		count++;
	tl_cursor_close(cursor);
	return count;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(a_file_says_what_it_was_told)
{
	struct tl_trace *trace;

	write_file(NULL);
	trace = open_path(&read_options);
	ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_READ);
	ck_assert(
	    tl_bytes_equal(tl_trace_info(trace, "host"), tl_bytes_of("here")));
	ck_assert_uint_eq(tl_trace_info(trace, "other").size, 0);
	ck_assert_uint_eq(tl_trace_knot_count(trace), 1);
	ck_assert_int_eq(tl_trace_knot(trace, 0)->utc_ns, -7);
	ck_assert_uint_eq(tl_trace_thread_count(trace), 2);
	for (size_t i = 0; i < 2; i++)
		ck_assert(tl_bytes_equal(tl_trace_thread(trace, i)->command,
		    tl_bytes_of("server --fast")));
	ck_assert_uint_eq(count_events(trace), 5000);
	tl_trace_close(trace);
}

TEST(an_index_that_is_missing_is_written_back)
{
	struct tl_trace *trace;
	struct stat st;

	write_file(NULL);
	unlink(index_path);
	trace = open_path(&read_options);
	ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_MISSING);
	ck_assert_uint_eq(tl_trace_damage(trace), 0);
	tl_trace_close(trace);
	ck_assert_int_eq(stat(index_path, &st), 0);
	trace = open_path(&read_options);
	ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_READ);
	tl_trace_close(trace);
}

TEST(the_index_of_a_trace_that_is_being_written_is_left_alone)
{
	const struct tl_trace_options options = { 0 };
	struct tl_trace_writer *writer;
	struct tl_trace *trace;
	struct stat before, after;

	ck_assert_ok(tl_trace_create(&writer, path, &options));
	ck_assert_int_eq(stat(index_path, &before), 0);
	trace = open_path(&read_options);
	ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_BROKEN);
	tl_trace_close(trace);
	ck_assert_int_eq(stat(index_path, &after), 0);
	ck_assert_uint_eq(before.st_ino, after.st_ino);
	ck_assert_ok(tl_trace_writer_finish(writer));
	tl_trace_writer_free(writer);
	trace = open_path(&read_options);
	ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_READ);
	tl_trace_close(trace);
}

TEST(files_that_are_there_are_not_replaced)
{
	const struct tl_trace_options options = { 0 };
	struct tl_trace_writer *writer;

	write_file(NULL);
	ck_assert_int_eq(tl_trace_create(&writer, path, &options), -EEXIST);
	unlink(path);
	ck_assert_int_eq(tl_trace_create(&writer, path, &options), -EEXIST);
	ck_assert_int_eq(access(path, F_OK), -1);
}

/* A codec for runs of one byte: the length, then the byte. */
static int64_t
pack(void *context, void *to, size_t room, const void *from, size_t size)
{
	const uint8_t *in = from;
	uint8_t *out = to;
	size_t used = 0;

	(void)context;
	for (size_t i = 0, n; i < size; i += n) {
		for (n = 1; n < 255 && i + n < size && in[i + n] == in[i]; n++)
			;
		if (room - used < 2)
			return 0;
		out[used++] = (uint8_t)n;
		out[used++] = in[i];
	}
	return (int64_t)used;
}

static int
unpack(void *context, void *to, size_t size, const void *from, size_t packed)
{
	const uint8_t *in = from;
	uint8_t *out = to;
	size_t used = 0;

	(void)context;
	for (size_t i = 0; i + 1 < packed; i += 2) {
		if (size - used < in[i])
			return -EBADMSG;
		memset(out + used, in[i + 1], in[i]);
		used += in[i];
	}
	return used == size ? 0 : -EBADMSG;
}

static const struct tl_trace_codec codec = { 1, pack, unpack, NULL };

TEST(packed_blocks_are_read_with_their_codec_alone)
{
	struct tl_trace_options options = { .codec = &codec };
	struct tl_trace_read_options reading = read_options;
	struct tl_fault fault = { 0 };
	struct tl_trace_writer *writer;
	struct tl_trace_stream *stream;
	struct made made = { 0 };
	struct tl_trace *trace;
	/* many zeros, which the codec packs well */
	const uint64_t runs = UINT64_C(1) << 56;
	const struct tl_event event = { .kind = TL_INSTANT,
		.message = &messages[3],
		.args = { runs, runs, runs, runs },
		.level = messages[3].level };
	const int count = 100000;

	made_begin(&made, &options, &writer);
	ck_assert_ok(
	    tl_trace_stream_new(&stream, writer, 1, 2, tl_bytes_of("")));
	for (int i = 0; i < count; i++)
		ck_assert_ok(tl_trace_stream_put(stream, &event));
	made_end(writer);
	ck_assert_ok(tl_trace_open_storage(&trace,
	    storage_of(bytes_of(&made.data)), storage_of(bytes_of(&made.index)),
	    &reading, &fault)); /* opening unpacks nothing */
	tl_trace_close(trace);
	ck_assert_int_eq(tl_trace_open_storage(&trace,
			     storage_of(bytes_of(&made.data)), NULL, &reading,
			     &fault),
	    -EPROTO);
	reading.codecs = &codec;
	reading.codec_count = 1;
	ck_assert_ok(tl_trace_open_storage(&trace,
	    storage_of(bytes_of(&made.data)), NULL, &reading, &fault));
	ck_assert(
	    tl_bytes_equal(tl_trace_index_bytes(trace), bytes_of(&made.index)));
	ck_assert_uint_eq(count_events(trace), (uint64_t)count);
	tl_trace_close(trace);
	made_free(&made);
}

/* == a program that records itself == */

static struct timeline_trace *trace_of_all;
static struct timeline_trace_message *call, *step, *load;

static void *
work(void *argument)
{
	const uint64_t who = (uintptr_t)argument;
	char name[16];

	snprintf(name, sizeof(name), "worker %d", (int)who);
	ck_assert_ok(timeline_trace_thread_name(trace_of_all, name));
	for (uint64_t i = 0; i < CALLS; i++) {
		ck_assert_ok(timeline_trace_begin(call, 1, i));
		ck_assert_ok(timeline_trace_log(step, 2, who, i));
		ck_assert_ok(timeline_trace_log(load, 1, i));
		ck_assert_ok(timeline_trace_end(call, 0));
	}
	ck_assert_ok(timeline_trace_begin(call, 1, who));
	return NULL;
}

static void
record(const struct timeline_trace_options *options)
{
	struct timeline_trace *t;
	pthread_t threads[THREADS];

	ck_assert_ok(timeline_trace_create(&t, path, options));
	trace_of_all = t;
	ck_assert_ok(timeline_trace_span(t, "work", "info", "call $i", &call));
	ck_assert_ok(
	    timeline_trace_instant(t, "work", "trace", "step $s $i", &step));
	ck_assert_ok(
	    timeline_trace_counter(t, "work", "info", "load $n", &load));
	ck_assert_int_eq(timeline_trace_span(t, "work", "none", "call $i",
			     &call),
	    -EINVAL);
	ck_assert_int_eq(timeline_trace_begin(step, 0), -EINVAL);
	ck_assert_int_eq(timeline_trace_log(call, 0), -EINVAL);
	for (uintptr_t i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work,
				     (void *)i),
		    0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void
check_recorded(void)
{
	struct tl_trace *trace = open_path(&read_options);

	ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_READ);
	ck_assert_uint_eq(tl_trace_thread_count(trace), THREADS);
	ck_assert_uint_eq(count_events(trace), THREADS * (CALLS * 4 + 1));
	for (size_t i = 0; i < THREADS; i++) {
		struct tl_node *root = tl_trace_root(trace, i), *node;

		ck_assert_uint_eq(tl_trace_thread(trace, i)->pid,
		    (uint32_t)getpid());
		ck_assert_uint_eq(tl_trace_thread(trace, i)->name.size, 8);
		ck_assert(tl_bytes_equal(tl_trace_thread(trace, i)->command,
		    tl_bytes_of(program_invocation_short_name)));
		ck_assert_uint_eq(root->child_count, CALLS + 1);
		ck_assert_ok(tl_trace_load(trace, root, 0, UINT64_MAX));
		node = tl_node_child(root, CALLS / 2);
		ck_assert_int_eq(node->ended, TL_NODE_ENDED);
		ck_assert_uint_eq(node->child_count, 2);
		ck_assert_ok(tl_trace_load(trace, node, 0, 2));
		ck_assert_int_eq(tl_node_child(node, 1)->event.kind,
		    TL_COUNTER);
		ck_assert_uint_eq(tl_node_child(node, 1)->event.pid,
		    (uint32_t)getpid());
		ck_assert_uint_eq(tl_node_child(node, 1)->event.tid,
		    tl_trace_thread(trace, i)->tid);
		ck_assert_int_eq(tl_node_child(root, CALLS)->ended,
		    TL_NODE_UNFINISHED);
	}
	tl_trace_close(trace);
}

TEST(a_program_records_all_of_its_threads, .to = 2)
{
	const struct timeline_trace_options options = {
		.strategy = _i ? TIMELINE_TRACE_COLLECT : TIMELINE_TRACE_STREAM,
		.flush_ms = 1,
		.block_size = 4096
	};

	record(&options);
	ck_assert_ok(timeline_trace_close(trace_of_all));
	check_recorded();
}

/* The events in the file of a recording that has no end. */
static uint64_t
count_flushed(void)
{
	struct tl_trace *trace = open_path(&read_options);
	const uint64_t count = count_events(trace);

	ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_BROKEN);
	tl_trace_close(trace);
	return count;
}

TEST(what_a_timer_flushed_survives_a_kill)
{
	const uint64_t all = THREADS * (CALLS * 4 + 1);
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		const struct timeline_trace_options options = { .flush_ms = 5 };

		record(&options);
		while (count_flushed() < all)
			usleep(1000);
		kill(getpid(), SIGKILL);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	ck_assert_uint_eq(count_flushed(), all);
}

TEST(a_forked_child_records_nothing)
{
	pid_t pid;
	int status;

	record(NULL);
	pid = fork();
	if (pid == 0) {
		const int rc = timeline_trace_log(step, 2, 1, 2);

		timeline_trace_close(trace_of_all);
		_exit(rc == -EPERM ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_ok(timeline_trace_close(trace_of_all));
	check_recorded();
}

TEST(texts_of_arguments_have_numbers)
{
	struct timeline_trace *t;
	struct timeline_trace_message *text;
	struct tl_cursor *cursor;
	struct tl_event event;
	struct tl_trace *trace;
	uint64_t number, again;

	ck_assert_ok(timeline_trace_create(&t, path, NULL));
	ck_assert_ok(
	    timeline_trace_instant(t, "x", "info", "text $s%s", &text));
	ck_assert_ok(timeline_trace_string(t, "hello", &number));
	ck_assert_ok(timeline_trace_string(t, "hello", &again));
	ck_assert_uint_eq(number, again);
	ck_assert_ok(timeline_trace_log(text, 1, number));
	ck_assert_ok(timeline_trace_close(t));
	trace = open_path(&read_options);
	ck_assert_ok(tl_trace_cursor(trace, TL_NEWEST_FIRST, &cursor));
	ck_assert_int_eq(tl_cursor_next(cursor, &event), 1);
	ck_assert(tl_bytes_equal(string_of(&event, 0), tl_bytes_of("hello")));
	tl_cursor_close(cursor);
	tl_trace_close(trace);
}

/* A handler of the program never runs in the thread that flushes. */
TEST(the_flusher_takes_no_signal)
{
	static const struct timeline_trace_options often = { .flush_ms = 1 };
	struct timeline_trace_message *message;
	struct timeline_trace *t;
	struct stat before, now;
	int count;

	ck_assert_ok(timeline_trace_create(&t, path, &often));
	ck_assert_int_eq(stat(path, &before), 0);
	ck_assert_ok(timeline_trace_instant(t, "x", "info", "n $n", &message));
	ck_assert_ok(timeline_trace_log(message, 1, UINT64_C(1)));
	do /* wait until the flusher runs: a new thread begins with all
	    * signals blocked */
		ck_assert_int_eq(stat(path, &now), 0);
	while (now.st_size == before.st_size);
	ck_assert_int_eq(threads_that_take(SIGUSR1, &count), 0);
	ck_assert_int_eq(count, 1);
	ck_assert_ok(timeline_trace_close(t));
}

/* A reader sees a growing file as it was when it was opened. */
TEST(a_recording_that_grows_is_read_up_to_where_it_was)
{
	enum { EVENTS = 200000 };
	static const struct timeline_trace_options small = { .flush_ms =
								 3600000,
		.block_size = 4096 };
	struct timeline_trace_message *message;
	struct tl_fault fault = { 0 };
	struct timeline_trace *t;
	struct tl_storage *data;
	struct tl_trace *trace;
	uint64_t before;
	int fd;

	ck_assert_ok(timeline_trace_create(&t, path, &small));
	ck_assert_ok(timeline_trace_instant(t, "x", "info", "n $n", &message));
	for (uint64_t i = 0; i < EVENTS; i++)
		ck_assert(timeline_trace_log(message, 1, ~i) == 0);
	ck_assert_ok(timeline_trace_flush(t));
	fd = open(path, O_RDONLY);
	ck_assert_ok(tl_storage_of_fd(&data, fd));
	close(fd);
	before = data->size;
	ck_assert_uint_gt(before, 1 << 20);
	for (uint64_t i = 0; i < EVENTS; i++)
		ck_assert(timeline_trace_log(message, 1, ~i) == 0);
	ck_assert_ok(timeline_trace_flush(t));
	fault_count = 0;
	ck_assert_ok(
	    tl_trace_open_storage(&trace, data, NULL, &read_options, &fault));
	ck_assert_uint_eq(count_events(trace), EVENTS);
	ck_assert_uint_eq(tl_trace_damage(trace), 0);
	tl_trace_close(trace);
	ck_assert_ok(timeline_trace_close(t));
}

/* == one writer, one reader == */

static bool stop_growing;

static void *
grow(void *message)
{
	while (!__atomic_load_n(&stop_growing, __ATOMIC_RELAXED))
		ck_assert(timeline_trace_log(message, 2, ~UINT64_C(0),
			      ~UINT64_C(1)) == 0);
	return NULL;
}

TEST(a_recording_is_opened_again_and_again_while_it_grows)
{
	enum { ENOUGH = 12 << 20 };
	static const struct timeline_trace_options small = { .block_size =
								 65536 };
	struct timeline_trace_message *message;
	struct timeline_trace *t;
	struct stat st = { 0 };
	pthread_t thread;

	ck_assert_ok(timeline_trace_create(&t, path, &small));
	ck_assert_ok(
	    timeline_trace_instant(t, "x", "info", "n $a $b", &message));
	ck_assert_int_eq(pthread_create(&thread, NULL, grow, message), 0);
	while (st.st_size < ENOUGH) {
		struct tl_trace *trace = open_path(&read_options);

		ck_assert_uint_eq(tl_trace_damage(trace), 0);
		tl_trace_close(trace);
		ck_assert_int_eq(stat(path, &st), 0);
	}
	__atomic_store_n(&stop_growing, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	ck_assert_ok(timeline_trace_close(t));
}
