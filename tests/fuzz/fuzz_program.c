/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_program.c - a Lua program made of calls of our functions: each byte
 * chooses the next statement or expression.  Loops over events and spans are
 * left by break, goto, return and errors, and closures, coroutines and
 * to-be-closed variables keep their values.
 *
 * Calls that may fail go through the functions of the first line, so that a
 * program runs to its end; all loops are in one function.
 */
#include "script_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	INPUT_MAX = 400,
	PROGRAM_MAX = 16384,
	BLOCKS_MAX = 5,     /* nesting of blocks */
	EXPRESSIONS_MAX = 4 /* nesting of expressions */
};

static const char helpers[] =
    "local ticks = 0 local function tick() ticks = ticks + 1 "
    "if ticks > 500 then error('enough') end end "
    "local function call(f, ...) tick() return select(2, pcall(f, ...)) end "
    "local function at(x, k) return call(function() return x[k] end) end "
    "local function send(x, k, ...) "
    "return call(function(...) return x[k](x, ...) end, ...) end "
    "local function over(f, ...) if type(f) == 'function' then "
    "return f, ... end return pairs{1, 2} end "
    "local function closes(x) return setmetatable({}, { __index = x, "
    "__call = x, __close = function(...) call(x, ...) end }) end "
    "local v0, v1, v2, v3 ";

static const char *const names[] = { "args", "text", "ns", "states", "delta",
	"duration", "begin_ns", "tcp", "x", "raw", "buckets", "add", "merge",
	"reset", "mean", "percentile", "draw", "events", "spans", "close",
	"why", "info", "messages", "roots", "name", "host", "row", "lines" };

static const char *const functions[] = { "events", "spans", "why", "messages",
	"info", "histogram", "table", "duration", "time", "level", "plain",
	"matches", "bar", "step", "fail", "arguments", "count", "select" };

static const char *const options[] = { "", "{order='oldest'}",
	"{order='oldest', pair=true}", "{open=true}", "{states=true}",
	"{category='w*'}", "{since='1ms'}", "{order='newest', cpu={0, 1}}" };

struct maker {
	const uint8_t *data;
	size_t left;
	struct tl_text text;
	unsigned blocks;      /* open blocks */
	unsigned expressions; /* open expressions */
	unsigned loops;       /* open loops of this function */
	unsigned number;      /* the last loop */
	unsigned variable;    /* the loop whose variable is visible; 0: none */
};

static unsigned
pick(struct maker *m, unsigned count)
{
	if (m->left == 0)
		return 0;
	m->left--;
	return *m->data++ % count;
}

#define PICK(m, words) \
	((words)[pick(m, (unsigned)(sizeof(words) / sizeof((words)[0])))])

static void put_block(struct maker *m);

/*
 * Put statements in a function of their own, from which loops outside cannot be
 * left.
 */
static void
put_function(struct maker *m)
{
	const unsigned loops = m->loops;

	m->loops = 0;
	tl_put_string(&m->text, "function(...) tick() ");
	put_block(m);
	tl_put_string(&m->text, "end ");
	m->loops = loops;
}

static void put_expression(struct maker *m);

/* Put expressions in brackets, separated by commas. */
static void
put_operands(struct maker *m, const char *before, unsigned count)
{
	tl_put_string(&m->text, before);
	for (unsigned i = 0; i < count; i++) {
		if (i > 0)
			tl_put_string(&m->text, ", ");
		put_expression(m);
	}
	tl_put_string(&m->text, ") ");
}

static void
put_loop_value(struct maker *m)
{
	if (m->variable > 0)
		tl_put_format(&m->text, "e%u ", m->variable);
	else
		tl_put_string(&m->text, "... ");
}

static void
put_reader(struct maker *m)
{
	const char *source =
	    pick(m, 4) == 3 ? "timeline.inputs[1]:" : "timeline.";
	const char *what = pick(m, 3) == 2 ? "spans" : "events";

	tl_put_format(&m->text, "%s%s(%s) ", source, what, PICK(m, options));
}

static void
put_expression(struct maker *m)
{
	const unsigned choice =
	    m->expressions == EXPRESSIONS_MAX ? pick(m, 5) : pick(m, 17);

	m->expressions++;
	switch (choice) {
	case 0:
		put_loop_value(m);
		break;
	case 1:
		tl_put_format(&m->text, "v%u ", pick(m, 4));
		break;
	case 2:
		tl_put_string(&m->text, "7 ");
		break;
	case 3:
		tl_put_format(&m->text, "'%s' ", PICK(m, names));
		break;
	case 4:
		tl_put_string(&m->text, "timeline.inputs[1] ");
		break;
	case 5:
		put_reader(m);
		break;
	case 6:
		tl_put_format(&m->text, "at(timeline.%s(%s)(), '%s') ",
		    pick(m, 2) ? "spans" : "events", PICK(m, options),
		    PICK(m, names));
		break;
	case 7:
		tl_put_string(&m->text, "timeline.histogram(2) ");
		break;
	case 8:
		put_operands(m, "at(", 2);
		break;
	case 9:
		tl_put_string(&m->text, "send(");
		put_expression(m);
		tl_put_format(&m->text, ", '%s', ", PICK(m, names));
		put_operands(m, "", 2);
		break;
	case 10:
		put_operands(m, "call(", 3);
		break;
	case 11:
		tl_put_format(&m->text, "call(timeline.%s, ",
		    PICK(m, functions));
		put_operands(m, "", 2);
		break;
	case 12:
		put_function(m);
		break;
	case 13:
		tl_put_string(&m->text, "coroutine.wrap(");
		put_function(m);
		tl_put_string(&m->text, ") ");
		break;
	case 14:
		put_operands(m, "call(getmetatable, ", 1);
		break;
	case 15:
		put_operands(m, "closes(", 1);
		break;
	default:
		tl_put_string(&m->text, "function(...) return ");
		put_loop_value(m);
		tl_put_string(&m->text, "end ");
	}
	m->expressions--;
}

enum { TO_THE_END, BREAK, GOTO, RETURN, EXITS };

static void
put_exit(struct maker *m, unsigned exit, unsigned number)
{
	switch (exit) {
	case BREAK:
		tl_put_string(&m->text, "break ");
		break;
	case GOTO:
		tl_put_format(&m->text, "goto out%u ", number);
		break;
	case RETURN:
		tl_put_string(&m->text, "do return ");
		put_expression(m);
		tl_put_string(&m->text, "end ");
	}
}

/* Put a loop; a function may capture its variable. */
static void
put_loop(struct maker *m)
{
	const unsigned outer = m->variable;
	const unsigned number = ++m->number;
	const unsigned exit = pick(m, EXITS);

	if (exit == GOTO)
		tl_put_string(&m->text, "do ");
	tl_put_format(&m->text, "for e%u in ", number);
	if (pick(m, 4) == 3)
		put_operands(m, "over(", 1);
	else
		put_reader(m);
	tl_put_string(&m->text, "do tick() ");
	m->variable = number;
	m->loops++;
	if (pick(m, 2))
		tl_put_format(&m->text, "v%u = function() return e%u end ",
		    pick(m, 4), number);
	put_block(m);
	put_exit(m, exit, number);
	m->loops--;
	m->variable = outer;
	tl_put_string(&m->text, "end ");
	if (exit == GOTO)
		tl_put_format(&m->text, "::out%u:: end ", number);
}

static void
put_statement(struct maker *m)
{
	switch (pick(m, 9)) {
	case 0:
		put_loop(m);
		break;
	case 1:
		tl_put_format(&m->text, "v%u = ", pick(m, 4));
		put_expression(m);
		break;
	case 2:
		put_operands(m, "print(", 1 + pick(m, 3));
		break;
	case 3:
		tl_put_string(&m->text, "call(");
		put_function(m);
		tl_put_string(&m->text, ") ");
		break;
	case 4:
		tl_put_format(&m->text, "local x%u <close> = closes(",
		    ++m->number);
		put_operands(m, "", 1);
		break;
	case 5:
		if (m->loops > 0)
			tl_put_string(&m->text, "if v0 then break end ");
		else
			tl_put_string(&m->text, "v0 = not v0 ");
		break;
	case 6:
		put_operands(m, "call(coroutine.yield, ", 1);
		break;
	case 7:
		tl_put_string(&m->text, "for i, e in pairs{1, 2} do end ");
		break;
	default:
		put_operands(m, "call(", 2);
	}
}

static void
put_block(struct maker *m)
{
	if (m->blocks == BLOCKS_MAX)
		return;
	m->blocks++;
	tl_put_string(&m->text, "do ");
	while (m->left > 0 && pick(m, 3) > 0)
		put_statement(m);
	tl_put_string(&m->text, "end ");
	m->blocks--;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct feed feed;
	struct maker maker = { .data = data, .left = size };

	if (size > INPUT_MAX)
		return 0;
	tl_put_string(&maker.text, helpers);
	while (maker.left > 0 && maker.text.size < PROGRAM_MAX)
		put_statement(&maker);
	assert(maker.text.rc == 0);
	feed_init(&feed, "fuzz.tl");
	feed_story(&feed);
	run_script(&feed, tl_bytes(maker.text.data, maker.text.size));
	tl_text_free(&maker.text);
	return 0;
}
