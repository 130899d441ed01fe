/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - what a script cannot do, and how a script is stopped. */
#include "lib/sample.h"
#include "lib/script_fixture.h"
#include "lib/test.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct feed feed;
static struct result result;

static unsigned cpu_seconds; /* more than any script that ends needs */

static void
setup(void)
{
	cpu_seconds = 60;
	feed_init(&feed, "a.tl");
	feed_story(&feed);
	memset(&result, 0, sizeof(result));
}

static void
teardown(void)
{
	ck_assert_int_eq(feed.open, 0);
	result_free(&result);
}

static void
ends(const char *script, size_t memory_bytes, int rc, const char *expected)
{
	const struct tl_script_limits limits = { .memory_bytes = memory_bytes,
		.cpu_seconds = cpu_seconds };
	struct feed *feeds[] = { &feed };

	memset(&result.fault, 0, sizeof(result.fault));
	run_with(&result, feeds, 1, &limits, "test", script, 0, NULL);
	ck_assert_msg(result.rc == rc, "%s: rc %d, '%s'", script, result.rc,
	    result.fault.text);
	ck_assert_msg(strstr(result.fault.text, expected),
	    "%s: '%s' is not in '%s'", script, expected, result.fault.text);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST(a_trusted_script_has_everything)
{
	const struct tl_script_limits limits = { .trusted = true };
	struct feed *feeds[] = { &feed };

	run_with(&result, feeds, 1, &limits, "test",
	    "assert(io.open and os.time and require and debug and "
	    "string.dump) timeline.raw('\\27') "
	    "local t = setmetatable({}, { __gc = function() end })",
	    0, NULL);
	ck_assert_msg(result.rc == 0, "%s", result.fault.text);
	ck_assert_str_eq(tl_text_string(&result.out), "\033");
}

/* The debug library gives access to the methods of our types. */
TEST(no_function_of_a_type_takes_a_value_of_another)
{
	const struct tl_script_limits limits = { .trusted = true };
	struct feed *feeds[] = { &feed };

	run_with(&result, feeds, 1, &limits, "test",
	    "local e = timeline.events()() local h = timeline.histogram() "
	    "local key, types, calls = nil, {}, 0 "
	    "for k, t in pairs(debug.getregistry()) do "
	    "if type(k) == 'userdata' and type(t) == 'table' and t.__name then "
	    "types[#types + 1] = t key = k end end "
	    "local values = { n = 9, e, e.args, h, timeline.inputs[1], "
	    "io.stdout, key, 7, {}, nil } "
	    "for _, t in ipairs(types) do for name, f in pairs(t) do "
	    "if type(f) == 'function' then for i = 1, values.n do "
	    "if debug.getmetatable(values[i]) ~= t then "
	    "local ok, why = pcall(f, values[i], 'text') calls = calls + 1 "
	    "assert(not ok and why:find(t.__name .. ' expected'), name) "
	    "end end end end end print(#types, calls > 80)",
	    0, NULL);
	ck_assert_msg(result.rc == 0, "%s", result.fault.text);
	ck_assert_str_eq(tl_text_string(&result.out), "8\ttrue\n");
}

#ifndef __SANITIZE_ADDRESS__ /* a sanitizer has an allocator of its own */
static long
most_memory_kib(void)
{
	struct rusage usage;

	ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_maxrss;
}

/* Blocks of all small sizes: the overhead of the allocator counts, too. */
TEST(what_a_script_takes_of_the_machine_has_the_cap)
{
	static const char *const greedy[] = {
		"local t = {} for i = 1, 1e8 do t[i] = {} end",
		"local t = {} for i = 1, 1e8 do t[i] = { i } end",
		"local t={} for i=1,1e8 do t[i]=function() return t end end",
		"local t = {} for i = 1, 1e8 do t[i] = ('%d'):format(i) end",
	};
	const long cap_mib = 48;

	for (size_t i = 0; i < sizeof(greedy) / sizeof(greedy[0]); i++) {
		const pid_t child = fork();
		long before;
		int status;

		ck_assert_int_ge(child, 0);
		if (child == 0) {
			before = most_memory_kib();
			ends(greedy[i], (size_t)cap_mib << 20, -ENOMEM,
			    "the cap is 48 MiB");
			_exit(
			    most_memory_kib() - before > (cap_mib + 5) * 1024);
		}
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert_msg(status == 0, "%s: 0x%x", greedy[i], status);
	}
}
#endif

TEST(a_cap_too_small_for_the_library_is_said)
{
	for (size_t size = 1; size < 30000; size += 1009)
		ends("", size, -ENOMEM, "not enough memory");
}

TEST(a_loop_is_stopped_wherever_it_runs)
{
	static const char *const endless[] = {
		"while true do end",
		/* pcall cannot catch the time limit */
		"while true do pcall(function() while true do end end) end",
		/* nor can a coroutine or a handler that runs at the end */
		"local f f = coroutine.wrap(function() while true do "
		"pcall(function() while true do end end) end end) "
		"while true do pcall(f) end",
		"local c <close> = setmetatable({}, { __close = function() "
		"while true do end end }) error('x')",
		"table.sort({ 1, 2, 3 }, function() while true do end end)",
		"while true do for e in timeline.events{category='none'} do "
		"end end",
		"tostring(setmetatable({}, { __tostring = function() while "
		"true do end end }))",
		"error(setmetatable({}, { __tostring = function() while "
		"true do end end }))",
	};

	cpu_seconds = 1;
	for (size_t i = sample_first(0);
	     i < sizeof(endless) / sizeof(endless[0]); i += sample_step())
		ends(endless[i], 0, -ETIME, "test:1: over the time cap of 1 s");
}

TEST(an_error_of_a_cap_names_the_option_that_lifts_it)
{
	static const struct {
		const char *script, *expected;
	} cases[] = {
		{ "local t = {} while true do t[#t + 1] = {} end",
		    "test:1: not enough memory: the cap is 8 MiB; --trusted "
		    "lifts it" },
		{ "while true do end",
		    "test:1: over the time cap of 1 s; --trusted lifts it" },
		{ "error('no')", "test:1: no" },
	};
	const struct tl_script_limits limits = { .memory_bytes = 8 << 20,
		.cpu_seconds = 1,
		.lifted_by = "--trusted" };
	struct feed *feeds[] = { &feed };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(&result.fault, 0, sizeof(result.fault));
		run_with(&result, feeds, 1, &limits, "test", cases[i].script, 0,
		    NULL);
		ck_assert_str_eq(result.fault.text, cases[i].expected);
	}
}

/* The killed callback of the child: write the output so far and the message. */
static void
say_and_exit(void *context, const char *message, size_t size)
{
	const struct result *out = context;

	if (write(STDOUT_FILENO, out->out.data, out->out.size) < 0 ||
	    write(STDOUT_FILENO, message, size) < 0)
		_exit(3);
	_exit(1);
}

/* Run a script in a child; returns its status and its output. */
static int
run_in_child(const char *text, bool own_end, char *said, size_t room)
{
	const struct tl_script_limits limits = { .cpu_seconds = 1 };
	const struct tl_script_io io = { .write = result_write,
		.killed = own_end ? say_and_exit : NULL,
		.context = &result };
	struct tl_script *script;
	size_t size = 0;
	ssize_t n;
	int pipe_fds[2];
	int status;
	pid_t child;

	ck_assert_int_eq(pipe(pipe_fds), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		dup2(pipe_fds[1], STDOUT_FILENO);
		dup2(pipe_fds[1], STDERR_FILENO);
		close(pipe_fds[0]);
		close(pipe_fds[1]);
		if (tl_script_new(&script, &limits, &io, NULL) < 0 ||
		    tl_script_load_text(script, "=test", tl_bytes_of(text), 0,
			NULL, NULL) < 0)
			_exit(4);
		run_loaded(script, &(struct feed *){ &feed }, 1, NULL);
		_exit(5);
	}
	close(pipe_fds[1]);
	while ((n = read(pipe_fds[0], said + size, room - 1 - size)) > 0)
		size += (size_t)n;
	said[size] = '\0';
	close(pipe_fds[0]);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFEXITED(status), "status %x: %s", status, said);
	return WEXITSTATUS(status);
}

TEST(a_library_function_that_never_returns_ends_the_process)
{
	static const char *const stuck[] = {
		"print('so far')\n"
		"string.find(('a'):rep(40), ('.-'):rep(30) .. 'b')",
		"print('so far')\nstring.rep('', 1 << 62)",
		"print('so far') local f = coroutine.wrap(function()\n"
		"string.find(('a'):rep(40), ('.-'):rep(30) .. 'b') end)\nf()",
	};
	char said[1000];

	for (size_t i = sample_first(1); i < sizeof(stuck) / sizeof(stuck[0]);
	     i += sample_step()) {
		ck_assert_int_eq(run_in_child(stuck[i], true, said,
				     sizeof(said)),
		    1);
		ck_assert_msg(strncmp(said, "so far\ntest:", 12) == 0, "%s",
		    said);
		ck_assert_ptr_nonnull(strstr(said,
		    ": script ended inside a library function: over the time "
		    "cap of 1 s\n"));
	}
	ck_assert_int_eq(run_in_child(stuck[0], false, said, sizeof(said)), 1);
	ck_assert_str_eq(said,
	    "test:2: script ended inside a library function: over the time "
	    "cap of 1 s\n");
}

TEST(the_signal_is_left_as_it_was)
{
	struct sigaction before = { .sa_handler = SIG_IGN };
	struct sigaction after;

	sigaction(SIGPROF, &before, NULL);
	ends("", 0, 0, "");
	sigaction(SIGPROF, NULL, &after);
	ck_assert_ptr_eq((void *)after.sa_handler, (void *)SIG_IGN);
}

/*
 * Every allocation fails once.  A script may neither leak nor crash; it either
 * succeeds or reports the failure.
 */
TEST(any_single_refusal_is_survived)
{
	static const char script[] =
	    "local h = timeline.histogram() local t = timeline.table{columns="
	    "{'a', 'b'}} for e in timeline.events{category='*', "
	    "order='oldest', pair=true} do if e.message then t:row(e.text, "
	    "e.args[1]) h:add(e.ns) end end t:print() h:draw() "
	    "for s in timeline.spans() do print(s.time) end "
	    "print(#timeline.messages(), timeline.info().name)";
	int done = 0;

	for (size_t size = 50000; size < 900000; size += 3001) {
		const struct tl_script_limits limits = { .memory_bytes = size };
		struct feed *feeds[] = { &feed };

		memset(&result.fault, 0, sizeof(result.fault));
		run_with(&result, feeds, 1, &limits, "test", script, 0, NULL);
		ck_assert_msg(result.rc == 0 || result.rc == -ENOMEM,
		    "%zu: %d %s", size, result.rc, result.fault.text);
		ck_assert_int_eq(feed.open, 0);
		done += result.rc == 0;
	}
	ck_assert_int_gt(done, 0);
}
