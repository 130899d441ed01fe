/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expression.c - filters that need no Lua.
 *
 * A call into Lua costs more than reading the event.  Most filters only
 * compare fields and arguments with constants; those become a tree of nodes
 * that is walked for each event:
 *
 *	args.tcp > 10 and category == "net"
 *
 *	        AND
 *	     LT     EQ          a > b is b < a, as in Lua
 *	   10  tcp  category "net"
 *
 * The grammar is a part of Lua's, with Lua's precedence:
 *
 *	or  and  < > <= >= ~= ==  + -  *  not -  ( )
 *	fields, args.NAME, args["NAME"], args[N], numbers, strings without a
 *	backslash, nil, true, false, string.find of plain text as a method,
 *	duration_of, time_of and level_of of a constant
 *
 * Any other expression is not compiled, and Lua runs it.  Lua also evaluates a
 * compiled expression for an event whose operands are not supported here:
 * strings that are ordered (by the locale) or used in arithmetic (an error,
 * whose text comes from Lua).  So an expression always has the meaning and the
 * errors of Lua.  tests/unit/script/expression.c compares both.
 */
#include "script/host.h"

#include "base/array.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64 /* of the parser: parentheses, not, - */ };

enum op {
	CONSTANT = 1,
	FIELD,
	ARGUMENT, /* by name */
	PLACE,    /* args[field] */
	FIND,     /* the position of a string in left */
	AND,
	OR,
	NOT,
	EQ,
	NE,
	LT,
	LE,
	ADD,
	SUBTRACT,
	MULTIPLY,
	NEGATE
};

struct tl_expression_node {
	enum op op;
	int field;     /* of FIELD; of PLACE, counted from 0 */
	bool rendered; /* the value may be in the scratch text */
	uint8_t left, right;
	struct tl_scalar value; /* a constant, a name, or the text to find */
};

/* == parser == */

struct parser {
	lua_State *L; /* converts numbers */
	const char *at;
	struct tl_expression_node *nodes;
	unsigned count;
	unsigned depth;
	bool failed;
};

static unsigned parse_or(struct parser *p);

static unsigned
fail(struct parser *p)
{
	p->failed = true;
	return 0;
}

static unsigned
add_node(struct parser *p, struct tl_expression_node node)
{
	if (p->failed || p->count == TL_EXPRESSION_NODES_MAX)
		return fail(p);
	p->nodes[p->count] = node;
	return p->count++;
}

static unsigned
add_constant(struct parser *p, struct tl_scalar value)
{
	return add_node(p,
	    (struct tl_expression_node){ .op = CONSTANT, .value = value });
}

static unsigned
add_binary(struct parser *p, enum op op, unsigned left, unsigned right)
{
	const bool both = p->nodes[left].rendered && p->nodes[right].rendered;
	const bool keeps = op == AND || op == OR;

	/* there is one scratch text, so two rendered values cannot be
	 * compared */
	if (both && !keeps)
		return fail(p);
	return add_node(p,
	    (struct tl_expression_node){ .op = op,
		.rendered = keeps && (p->nodes[left].rendered ||
					 p->nodes[right].rendered),
		.left = (uint8_t)left,
		.right = (uint8_t)right });
}

static unsigned
add_unary(struct parser *p, enum op op, unsigned left)
{
	return add_node(p,
	    (struct tl_expression_node){ .op = op, .left = (uint8_t)left });
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void
skip_space(struct parser *p)
{
	p->at += strspn(p->at, " \t\n\r\f\v");
}

/* Skip this mark; false: another mark is next. */
static bool
take(struct parser *p, const char *mark)
{
	const size_t size = strlen(mark);

	skip_space(p);
	if (strncmp(p->at, mark, size) != 0 ||
	    (is_letter(*mark) &&
		(is_letter(p->at[size]) || is_digit(p->at[size]))))
		return false;
	p->at += size;
	return true;
}

static void
expect(struct parser *p, const char *mark)
{
	if (!take(p, mark))
		fail(p);
}

static struct tl_bytes
take_name(struct parser *p)
{
	const char *from;

	skip_space(p);
	from = p->at;
	if (!is_letter(*from))
		fail(p);
	else
		while (is_letter(*p->at) || is_digit(*p->at))
			p->at++;
	return tl_bytes(from, (size_t)(p->at - from));
}

/* Take a string without escapes, which stays a part of the expression's
 * text. */
static bool
take_string(struct parser *p, struct tl_bytes *string)
{
	const char *from;
	size_t size;
	char quote;

	skip_space(p);
	quote = *p->at;
	if (quote != '"' && quote != '\'')
		return false;
	from = p->at + 1;
	size = strcspn(from, quote == '"' ? "\"\\\n\r" : "'\\\n\r");
	if (from[size] != quote) {
		fail(p);
		return false;
	}
	p->at = from + size + 1;
	*string = tl_bytes(from, size);
	return true;
}

/* Take a number.  Lua finds its end and converts the digits. */
static bool
take_number(struct parser *p, struct tl_scalar *number)
{
	char digits[64];
	size_t size = 0;
	const char *exponents = "eE";

	skip_space(p);
	if (!is_digit(*p->at) && !(*p->at == '.' && is_digit(p->at[1])))
		return false;
	if (*p->at == '0' && (p->at[1] == 'x' || p->at[1] == 'X'))
		exponents = "pP";
	while (is_digit(p->at[size]) || is_letter(p->at[size]) ||
	       p->at[size] == '.' ||
	       ((p->at[size] == '-' || p->at[size] == '+') && size > 0 &&
		   strchr(exponents, p->at[size - 1])))
		size++;
	if (size >= sizeof(digits)) {
		fail(p);
		return false;
	}
	memcpy(digits, p->at, size);
	digits[size] = '\0';
	p->at += size;
	if (lua_stringtonumber(p->L, digits) == 0) {
		fail(p);
		return false;
	}
	if (lua_isinteger(p->L, -1))
		*number = (struct tl_scalar){ TL_SCALAR_INTEGER,
			.integer = lua_tointeger(p->L, -1) };
	else
		*number = (struct tl_scalar){ TL_SCALAR_REAL,
			.real = lua_tonumber(p->L, -1) };
	lua_pop(p->L, 1);
	return true;
}

/* Parse a call such as duration_of("1ms"), which is a constant. */
static unsigned
parse_constant_call(struct parser *p, struct tl_bytes name)
{
	struct tl_scalar value = { TL_SCALAR_INTEGER, .integer = 0 };
	const bool parentheses = take(p, "(");
	struct tl_bytes string;
	char text[64];
	int rc;

	if (!take_string(p, &string) || string.size >= sizeof(text))
		return fail(p);
	if (parentheses)
		expect(p, ")");
	memcpy(text, string.data, string.size);
	text[string.size] = '\0';
	if (tl_bytes_equal(name, tl_bytes_of("duration_of")))
		rc = tl_parse_duration(text, &value.integer);
	else if (tl_bytes_equal(name, tl_bytes_of("time_of")))
		rc = tl_parse_time(text, &value.integer);
	else if (tl_bytes_equal(name, tl_bytes_of("level_of")))
		value.integer = rc = tl_level_parse(text);
	else
		rc = -1;
	/* Lua reports the fault */
	return rc < 0 ? fail(p) : add_constant(p, value);
}

static unsigned
parse_argument(struct parser *p)
{
	struct tl_expression_node node = { .op = ARGUMENT };
	struct tl_scalar number;

	if (take(p, ".")) {
		node.value.text = take_name(p);
		return add_node(p, node);
	}
	expect(p, "[");
	if (p->failed)
		return 0;
	if (!take_string(p, &node.value.text)) {
		if (!take_number(p, &number) ||
		    number.kind != TL_SCALAR_INTEGER || number.integer < 1 ||
		    number.integer > INT_MAX)
			return fail(p);
		node.op = PLACE;
		node.field = (int)number.integer - 1;
	}
	expect(p, "]");
	return add_node(p, node);
}

/* Parse x:find("text"), whose text has no character of a pattern, or
 * x:find("text", 1, true). */
static unsigned
parse_find(struct parser *p, unsigned subject)
{
	struct tl_expression_node node = { .op = FIND,
		.left = (uint8_t)subject };
	struct tl_scalar number;
	struct tl_bytes string;

	expect(p, "find");
	expect(p, "(");
	if (p->failed || !take_string(p, &string))
		return fail(p);
	if (take(p, ",")) {
		if (!take_number(p, &number) ||
		    number.kind != TL_SCALAR_INTEGER || number.integer != 1)
			return fail(p);
		expect(p, ",");
		expect(p, "true");
	} else {
		for (size_t i = 0; i < string.size; i++)
			if (strchr("^$*+?.([%-", string.data[i]))
				return fail(p);
	}
	expect(p, ")");
	node.value.text = string;
	return add_node(p, node);
}

/* Parse a name and its suffixes. */
static unsigned
parse_name(struct parser *p)
{
	static const char *const keywords[] = { "and", "break", "do", "else",
		"elseif", "end", "false", "for", "function", "goto", "if", "in",
		"local", "nil", "not", "or", "repeat", "return", "then", "true",
		"until", "while" };
	const struct tl_bytes name = take_name(p);
	unsigned node;
	int field;

	for (size_t i = 0; i < TL_COUNT(keywords); i++)
		if (tl_bytes_equal(name, tl_bytes_of(keywords[i])))
			return fail(p);
	if (tl_bytes_equal(name, tl_bytes_of("args")))
		node = parse_argument(p);
	else if ((field = tl_event_find_field(name)) != 0)
		node = add_node(p,
		    (struct tl_expression_node){ .op = FIELD,
			.field = field,
			.rendered = tl_event_field_is_rendered(field) });
	else
		return parse_constant_call(p, name);
	if (!p->failed && take(p, ":"))
		node = parse_find(p, node);
	return node;
}

static unsigned
parse_primary(struct parser *p)
{
	struct tl_scalar value = { TL_SCALAR_NIL, .integer = 0 };
	unsigned node;

	if (take(p, "(")) {
		node = parse_or(p);
		expect(p, ")");
		return node;
	}
	if (take(p, "nil"))
		return add_constant(p, value);
	value = (struct tl_scalar){ TL_SCALAR_BOOLEAN, .boolean = true };
	if (take(p, "true"))
		return add_constant(p, value);
	value.boolean = false;
	if (take(p, "false"))
		return add_constant(p, value);
	if (take_string(p, &value.text)) {
		value.kind = TL_SCALAR_TEXT;
		return add_constant(p, value);
	}
	if (!p->failed && take_number(p, &value))
		return add_constant(p, value);
	return p->failed ? 0 : parse_name(p);
}

static unsigned
parse_unary(struct parser *p)
{
	unsigned node;

	if (p->failed || p->depth == DEPTH_MAX)
		return fail(p);
	p->depth++;
	skip_space(p);
	if (take(p, "not"))
		node = add_unary(p, NOT, parse_unary(p));
	else if (*p->at == '-' && p->at[1] != '-' && take(p, "-"))
		node = add_unary(p, NEGATE, parse_unary(p));
	else
		node = parse_primary(p);
	p->depth--;
	return node;
}

static unsigned
parse_product(struct parser *p)
{
	unsigned left = parse_unary(p);

	while (!p->failed && take(p, "*"))
		left = add_binary(p, MULTIPLY, left, parse_unary(p));
	return left;
}

static unsigned
parse_sum(struct parser *p)
{
	unsigned left = parse_product(p);

	while (!p->failed) {
		skip_space(p);
		if (take(p, "+"))
			left = add_binary(p, ADD, left, parse_product(p));
		else if (p->at[0] == '-' && p->at[1] != '-' && take(p, "-"))
			left = add_binary(p, SUBTRACT, left, parse_product(p));
		else
			break;
	}
	return left;
}

static unsigned
parse_comparison(struct parser *p)
{
	unsigned left = parse_sum(p);
	unsigned right;

	while (!p->failed) {
		if (take(p, "=="))
			left = add_binary(p, EQ, left, parse_sum(p));
		else if (take(p, "~="))
			left = add_binary(p, NE, left, parse_sum(p));
		else if (take(p, "<="))
			left = add_binary(p, LE, left, parse_sum(p));
		else if (take(p, ">=")) {
			right = parse_sum(p);
			left = add_binary(p, LE, right, left);
		} else if (take(p, "<")) {
			left = add_binary(p, LT, left, parse_sum(p));
		} else if (take(p, ">")) {
			right = parse_sum(p);
			left = add_binary(p, LT, right, left);
		} else {
			break;
		}
	}
	return left;
}

static unsigned
parse_and(struct parser *p)
{
	unsigned left = parse_comparison(p);

	while (!p->failed && take(p, "and"))
		left = add_binary(p, AND, left, parse_comparison(p));
	return left;
}

static unsigned
parse_or(struct parser *p)
{
	unsigned left = parse_and(p);

	while (!p->failed && take(p, "or"))
		left = add_binary(p, OR, left, parse_and(p));
	return left;
}

void
tl_expression_compile(struct tl_expression *expression, lua_State *L,
    const char *text)
{
	struct tl_expression_node *nodes =
	    calloc(TL_EXPRESSION_NODES_MAX, sizeof(*nodes));
	struct parser p = { .L = L, .at = text, .nodes = nodes };

	expression->count = 0;
	expression->nodes = nodes;
	if (!nodes)
		return;
	parse_or(&p);
	skip_space(&p);
	if (p.failed || *p.at)
		tl_expression_free(expression);
	else
		expression->count = p.count;
}

void
tl_expression_free(struct tl_expression *expression)
{
	free(expression->nodes);
	expression->nodes = NULL;
	expression->count = 0;
}

/* == comparison and arithmetic with Lua's semantics == */

#define TWO_TO_63 9223372036854775808.0

/* Is the integer exactly the float?  No value is rounded. */
static bool
integer_equals_real(int64_t i, double f)
{
	return f >= -TWO_TO_63 && f < TWO_TO_63 && floor(f) == f &&
	       (int64_t)f == i;
}

static bool
integer_below_real(int64_t i, double f, bool or_equal)
{
	if (f >= TWO_TO_63)
		return true;
	if (!(f >= -TWO_TO_63)) /* below every integer, or NaN */
		return false;
	return or_equal ? i <= (int64_t)floor(f) : i < (int64_t)ceil(f);
}

static bool
real_below_integer(double f, int64_t i, bool or_equal)
{
	if (f >= TWO_TO_63 || f != f)
		return false;
	if (f < -TWO_TO_63)
		return true;
	return or_equal ? (int64_t)ceil(f) <= i : (int64_t)floor(f) < i;
}

static bool
equals(const struct tl_scalar *a, const struct tl_scalar *b)
{
	if (a->kind == b->kind)
		switch (a->kind) {
		case TL_SCALAR_BOOLEAN:
			return a->boolean == b->boolean;
		case TL_SCALAR_INTEGER:
			return a->integer == b->integer;
		case TL_SCALAR_REAL:
			return a->real == b->real;
		case TL_SCALAR_TEXT:
			return tl_bytes_equal(a->text, b->text);
		default:
			return true;
		}
	if (a->kind == TL_SCALAR_INTEGER && b->kind == TL_SCALAR_REAL)
		return integer_equals_real(a->integer, b->real);
	if (a->kind == TL_SCALAR_REAL && b->kind == TL_SCALAR_INTEGER)
		return integer_equals_real(b->integer, a->real);
	return false;
}

/* Set *answer to a < b, or to a <= b.  false: Lua must compare the two. */
static bool
is_below(const struct tl_scalar *a, const struct tl_scalar *b, bool or_equal,
    bool *answer)
{
	const bool a_real = a->kind == TL_SCALAR_REAL;
	const bool b_real = b->kind == TL_SCALAR_REAL;

	if (a->kind == TL_SCALAR_INTEGER && b->kind == TL_SCALAR_INTEGER)
		*answer = or_equal ? a->integer <= b->integer
				   : a->integer < b->integer;
	else if (a->kind == TL_SCALAR_NIL || b->kind == TL_SCALAR_NIL ||
		 (a->kind == TL_SCALAR_TEXT) != (b->kind == TL_SCALAR_TEXT))
		*answer = false; /* as filter.c has it */
	else if (a_real && b_real)
		*answer = or_equal ? a->real <= b->real : a->real < b->real;
	else if (a->kind == TL_SCALAR_INTEGER && b_real)
		*answer = integer_below_real(a->integer, b->real, or_equal);
	else if (a_real && b->kind == TL_SCALAR_INTEGER)
		*answer = real_below_integer(a->real, b->integer, or_equal);
	else
		return false;
	return true;
}

static double
as_real(const struct tl_scalar *number)
{
	return number->kind == TL_SCALAR_REAL ? number->real
					      : (double)number->integer;
}

static bool
is_number(const struct tl_scalar *value)
{
	return value->kind == TL_SCALAR_INTEGER ||
	       value->kind == TL_SCALAR_REAL;
}

/* Compute into *a; integers wrap.  false: Lua must compute. */
static bool
reckon(enum op op, struct tl_scalar *a, const struct tl_scalar *b)
{
	if (a->kind == TL_SCALAR_NIL || b->kind == TL_SCALAR_NIL) {
		a->kind = TL_SCALAR_NIL;
		return true;
	}
	if (!is_number(a) || !is_number(b))
		return false;
	if (a->kind == TL_SCALAR_INTEGER && b->kind == TL_SCALAR_INTEGER) {
		const uint64_t x = (uint64_t)a->integer;
		const uint64_t y = (uint64_t)b->integer;

		a->integer = (int64_t)(op == ADD        ? x + y
				       : op == SUBTRACT ? x - y
							: x * y);
		return true;
	}
	a->real = op == ADD        ? as_real(a) + as_real(b)
		  : op == SUBTRACT ? as_real(a) - as_real(b)
				   : as_real(a) * as_real(b);
	a->kind = TL_SCALAR_REAL;
	return true;
}

/* == evaluation == */

struct run {
	const struct tl_expression_node *nodes;
	lua_State *L;
	const struct tl_event *event;
	const struct tl_event_value *value;
};

static bool
is_true(const struct tl_scalar *value)
{
	return value->kind != TL_SCALAR_NIL &&
	       !(value->kind == TL_SCALAR_BOOLEAN && !value->boolean);
}

static void
set_boolean(struct tl_scalar *to, bool value)
{
	to->kind = TL_SCALAR_BOOLEAN;
	to->boolean = value;
}

/* Set *to to the position of the string, from 1, or to nil; nil stays nil. */
static bool
find(struct tl_scalar *to, struct tl_bytes string)
{
	const char *found;

	if (to->kind == TL_SCALAR_NIL)
		return true;
	if (to->kind != TL_SCALAR_TEXT)
		return false;
	found = string.size == 0     ? to->text.data
		: to->text.size == 0 ? NULL
				     : memmem(to->text.data, to->text.size,
					   string.data, string.size);
	if (found || string.size == 0) {
		to->integer = string.size == 0 ? 1 : found - to->text.data + 1;
		to->kind = TL_SCALAR_INTEGER;
	} else {
		to->kind = TL_SCALAR_NIL;
	}
	return true;
}

static bool
get_argument(const struct tl_event *event, int index, struct tl_scalar *to)
{
	if (index < 0) {
		to->kind = TL_SCALAR_NIL;
		return true;
	}
	tl_arguments_get(event, (unsigned)index, to);
	return to->kind != TL_SCALAR_UNKNOWN;
}

/* Evaluate a node.  false: Lua must evaluate the expression. */
static bool
evaluate(const struct run *run, unsigned number, struct tl_scalar *to)
{
	const struct tl_expression_node *node = &run->nodes[number];
	const struct tl_message *message = run->event->message;
	struct tl_scalar right;
	bool answer;

	switch (node->op) {
	case CONSTANT:
		*to = node->value;
		return true;
	case FIELD:
		tl_event_get_field(run->L, run->event, run->value, node->field,
		    to);
		return to->kind != TL_SCALAR_UNKNOWN;
	case ARGUMENT:
		return get_argument(run->event,
		    message
			? tl_message_find_argument(message, node->value.text)
			: -1,
		    to);
	case PLACE:
		return get_argument(run->event,
		    message && node->field < message->argc ? node->field : -1,
		    to);
	case FIND:
		return evaluate(run, node->left, to) &&
		       find(to, node->value.text);
	case AND:
	case OR:
		if (!evaluate(run, node->left, to))
			return false;
		if (is_true(to) == (node->op == OR))
			return true;
		return evaluate(run, node->right, to);
	case NOT:
		if (!evaluate(run, node->left, to))
			return false;
		set_boolean(to, !is_true(to));
		return true;
	case NEGATE:
		if (!evaluate(run, node->left, to))
			return false;
		if (to->kind == TL_SCALAR_INTEGER)
			to->integer = (int64_t)(0 - (uint64_t)to->integer);
		else if (to->kind == TL_SCALAR_REAL)
			to->real = -to->real;
		else
			return to->kind == TL_SCALAR_NIL;
		return true;
	default:
		break;
	}
	if (!evaluate(run, node->left, to) ||
	    !evaluate(run, node->right, &right))
		return false;
	switch (node->op) {
	case EQ:
	case NE:
		set_boolean(to, equals(to, &right) == (node->op == EQ));
		return true;
	case LT:
	case LE:
		if (!is_below(to, &right, node->op == LE, &answer))
			return false;
		set_boolean(to, answer);
		return true;
	default:
		return reckon(node->op, to, &right);
	}
}

int
tl_expression_passes(const struct tl_expression *expression, lua_State *L,
    const struct tl_event *event, const struct tl_event_value *value)
{
	const struct run run = { expression->nodes, L, event, value };
	struct tl_scalar result;

	if (!evaluate(&run, expression->count - 1, &result))
		return -1;
	return is_true(&result);
}
