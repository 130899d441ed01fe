/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expression.c - compiled expressions mean what they mean in Lua.
 *
 * Random expressions are evaluated for random events twice: by the filter, and
 * by Lua alone.  Results, errors and their texts have to be the same.
 */
#include "lib/script_fixture.h"
#include "lib/test.h"
#include "script/host.h"

#include <stdio.h>

enum { EXPRESSIONS = 2000, EVENTS = 24, TEXT_MAX = 1 << 14 };

static struct feed feed;
static uint64_t state = 20261122;
static char text[TEXT_MAX];
static size_t size;

static unsigned
random_below(unsigned n)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (unsigned)((state >> 33) % n);
}

static void
put(const char *piece)
{
	const size_t length = strlen(piece);

	ck_assert_uint_lt(size + length, sizeof(text));
	memcpy(text + size, piece, length + 1);
	size += length;
}

#define PICK(list) list[random_below(sizeof(list) / sizeof(list[0]))]

static const char *const fields[] = { "ns", "time", "tsc", "cpu", "pid", "tid",
	"thread", "process", "kind", "level", "priority", "category", "message",
	"name", "explain", "file", "line", "id", "text", "delta", "lost",
	"number", "lane", "error_ns", "epoch", "source", "scope", "host",
	"sync_error_us", "overlaps" };
static const char *const arguments[] = { "args.tcp", "args.udp", "args.other",
	"args.x", "args.d", "args.name", "args.id", "args.n", "args.value",
	"args.nowhere", "args[1]", "args[2]", "args[3]", "args[9]",
	"args['tcp']", "args [ \"x\" ]" };
static const char *const numbers[] = { "0", "1", "-1", "2", "10", "2.5", "1.0",
	".5", "1e3", "100", "101", "1002", "0x10", "9223372036854775807",
	"9223372036854775808.0", "-9223372036854775808", "9007199254740993",
	"9007199254740992.0", "1e308", "-1e308", "18446744073709551615.0",
	"0xffffffffffffffff", "0x1p-1", "-0.0", "5e-324" };
static const char *const strings[] = { "'net'", "\"example\"", "'eth0'", "''",
	"'instant'", "'counter'", "'info'", "'10'", "'#3'",
	"'processed $tcp, $udp, $other'" };
static const char *const others[] = { "nil", "true", "false",
	"level_of 'warning'", "level_of(\"info\")", "duration_of('1us')",
	"time_of '2025-11-20T19:24:18'", "#args", "('x'):rep(2)", "math.pi",
	"7 // 2", "args.tcp & 1" };
static const char *const finds[] = { ":find('eth')", ":find(\"n\")",
	":find('$', 1, true)", ":find('')", ":find('t.p')", ":find 'net'",
	":find('zz')" };
static const char *const operators[] = { " == ", "~=", " < ", "<=", " > ",
	">= ", " and ", " or ", " + ", " - ", "*", " and ", " or ",
	" == ", " < " };

static void
put_operand(void)
{
	switch (random_below(12)) {
	case 0:
	case 1:
	case 2:
		put(PICK(fields));
		break;
	case 3:
	case 4:
	case 5:
	case 6:
		put(PICK(arguments));
		break;
	case 7:
	case 8:
		put(PICK(numbers));
		break;
	case 9:
		put(PICK(strings));
		break;
	case 10:
		put(random_below(2) ? PICK(fields) : PICK(arguments));
		put(PICK(finds));
		break;
	default:
		put(PICK(others));
	}
}

static void
put_expression(int depth)
{
	if (depth == 0 || random_below(5) == 0) {
		put_operand();
		return;
	}
	switch (random_below(8)) {
	case 0:
		put("not ");
		put_expression(depth - 1);
		return;
	case 1:
		put("- ");
		put_expression(depth - 1);
		return;
	case 2:
		put("(");
		put_expression(depth - 1);
		put(")");
		return;
	default:
		put_expression(depth - 1);
		put(PICK(operators));
		put_expression(depth - 1);
	}
}

static uint64_t
random_raw(void)
{
	static const double reals[] = { 0, -0.0, 0.5, -2.5, 1e300, -1e300,
		9223372036854775808.0, -9223372036854775808.0,
		9007199254740992.0, 1.0 / 3 };
	static const uint64_t raws[] = { 0, 1, 2, 3, 10, 100, UINT64_MAX,
		INT64_MAX, UINT64_C(1) << 63, UINT64_C(9007199254740993),
		UINT64_C(0x7ff0000000000000), UINT64_C(0x7ff8000000000000) };
	uint64_t raw;
	double real;

	if (random_below(3) == 0) {
		real = PICK(reals);
		memcpy(&raw, &real, sizeof(raw));
		return raw;
	}
	return PICK(raws);
}

static void
fill(void)
{
	feed_init(&feed, "a.tl");
	for (int i = 0; i < EVENTS; i++) {
		struct tl_event *event = feed_add(&feed, i % MESSAGES,
		    TL_INSTANT + random_below(4), random_below(3000),
		    random_raw(), random_raw(), random_raw());

		if (random_below(4) == 0)
			event->cpu = TL_CPU_UNKNOWN;
		event->overlaps = random_below(2);
		event->sync_us =
		    random_below(2) ? TL_SYNC_UNBOUNDED : random_below(100);
	}
}

static int
write_nothing(void *context, const char *data, size_t length)
{
	(void)context;
	(void)data;
	(void)length;
	return 0;
}

static struct tl_script_filter *
make(const char *expression, struct tl_fault *fault)
{
	static const struct tl_script_io io = { .write = write_nothing };
	struct tl_script_filter *filter;

	return tl_script_filter_new(&filter, expression, NULL, &io, fault) == 0
		   ? filter
		   : NULL;
}

static bool
is_compiled(const char *expression)
{
	static lua_State *L;
	struct tl_expression compiled = { 0 };
	bool is;

	if (!L)
		L = luaL_newstate();
	tl_expression_compile(&compiled, L, expression);
	is = compiled.count > 0;
	tl_expression_free(&compiled);
	return is;
}

/* Returns whether the expression was compiled; -1: it is invalid. */
static int
compare(uint64_t *errors)
{
	struct tl_fault faults[2] = { 0 };
	struct tl_script_filter *ours = make(text, &faults[0]), *lua;
	char commented[TEXT_MAX + 4]; /* an expression with a comment is not
				       * compiled */
	const bool compiled = is_compiled(text);

	snprintf(commented, sizeof(commented), "%s --", text);
	lua = make(commented, &faults[1]);
	ck_assert_msg(!ours == !lua, "%s", text);
	if (!ours)
		return -1;
	ck_assert(!is_compiled(commented));
	for (size_t i = 0; i < feed.count; i++) {
		int a, b;

		memset(faults, 0, sizeof(faults));
		a = tl_script_filter_passes(ours, &feed.events[i], &faults[0]);
		b = tl_script_filter_passes(lua, &feed.events[i], &faults[1]);
		*errors += b < 0;
		ck_assert_msg(a == b, "event %zu: %d, but in Lua %d: %s", i, a,
		    b, text);
		ck_assert_msg(strcmp(faults[0].text, faults[1].text) == 0,
		    "%s: '%s', but in Lua '%s'", text, faults[0].text,
		    faults[1].text);
	}
	tl_script_filter_free(ours);
	tl_script_filter_free(lua);
	return compiled;
}

TEST_FILE(.timeout = 300);

TEST(random_expressions_answer_as_in_lua)
{
	int compiled = 0;
	uint64_t errors = 0;

	fill();
	for (int i = 0; i < EXPRESSIONS; i++) {
		size = 0;
		put_expression(1 + (int)random_below(4));
		if (compare(&errors) == 1)
			compiled++;
	}
	printf("%d of %d compiled, %llu errors\n", compiled, EXPRESSIONS,
	    (unsigned long long)errors);
	ck_assert_int_gt(compiled, EXPRESSIONS / 3);
	ck_assert_uint_gt(errors, 100);
}

/*
 * Compare every number with every argument: an integer and a float that are
 * equal only after rounding are not equal.
 */
TEST(numbers_compare_exactly)
{
	static const char *const comparisons[] = { "==", "~=", "<", "<=", ">",
		">=" };
	static const uint64_t raws[] = { 0, 1, UINT64_MAX, INT64_MAX,
		UINT64_C(1) << 63, (UINT64_C(1) << 53) - 1, UINT64_C(1) << 53,
		(UINT64_C(1) << 53) + 1, UINT64_C(0x4340000000000000),
		UINT64_C(0x43e0000000000000), UINT64_C(0xc3e0000000000000),
		UINT64_C(0x7ff0000000000000), UINT64_C(0x7ff8000000000000) };
	uint64_t errors = 0;

	feed_init(&feed, "a.tl");
	for (size_t i = 0; i < sizeof(raws) / sizeof(raws[0]); i++) {
		feed_add(&feed, PROC, TL_INSTANT, 1, raws[i], 0, 0);
		feed_add(&feed, RATIO, TL_INSTANT, 1, raws[i], 0, 0);
	}
	for (size_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++) {
		for (size_t c = 0; c < 6; c++) {
			size = 0;
			put("(args.tcp or args.x)");
			put(comparisons[c]);
			put(numbers[n]);
			ck_assert_int_eq(compare(&errors), 1);
		}
	}
	ck_assert_uint_eq(errors, 0);
}

static const struct {
	const char *expression;
	bool compiled;
} simple[] = { { "args.tcp > 10 and category == \"net\"", true },
	{ "not (args.tcp == nil) or pid ~= tid", true },
	{ "text:find('eth0')", true },
	{ "text:find('a') or time:find('b')", true },
	{ "delta and delta > duration_of '1.2us'", true },
	{ "level >= level_of(\"warning\")", true },
	{ "args.tcp + args.udp * 2 == 50", true },
	{ "0xffffffffffffffff == -1", true },
	/*
	 * left to Lua: patterns, functions, other operators, one scratch text
	 */
	{ "text:find('^a')", false }, { "#args == 3", false },
	{ "message:sub(1, 4) == 'rati'", false },
	{ "args.tcp // 2 == 5", false }, { "text == name", false },
	{ "level_of('nothing')", false }, { "pid == 1 -- one", false },
	{ "pid == 1, 2", false }, { "category == 'a\\n'", false },
	{ "args.tcp.udp", false } };

TEST(simple_comparisons_are_compiled)
{
	uint64_t errors = 0;

	fill();
	for (size_t i = 0; i < sizeof(simple) / sizeof(simple[0]); i++) {
		size = 0;
		put(simple[i].expression);
		ck_assert_msg(compare(&errors) == simple[i].compiled, "%s",
		    text);
	}
}

/* Deep and long expressions are left to Lua, and overflow no parser. */
TEST(what_is_too_big_is_left_to_lua)
{
	uint64_t errors = 0;

	fill();
	size = 0;
	for (int i = 0; i < 100; i++)
		put("(");
	put("pid");
	for (int i = 0; i < 100; i++)
		put(")");
	ck_assert_int_eq(compare(&errors), 0);
	size = 0;
	put("pid == 0");
	for (int i = 0; i < 40; i++)
		put(" or pid == 1");
	ck_assert_int_eq(compare(&errors), 0);
	size = 0;
	for (int i = 0; i < 100; i++)
		put("not ");
	put("pid");
	ck_assert_int_eq(compare(&errors), 0);
}
