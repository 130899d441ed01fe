/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram.c - base/histogram.h as a Lua value.
 *
 * The buckets are not in Lua's memory, so they are charged: a value above all
 * earlier values charges all buckets up to that value.
 */
#include "base/histogram.h"

#include "script/host.h"

#include <errno.h>

enum { DIGITS_DEFAULT = 3, DIGITS_MAX = 5 };

struct counts {
	struct tl_histogram histogram;
	bool is_open; /* not collected */
	struct tl_state *host;
	unsigned digits;
	size_t charged;
};

static const char histogram_key;

static struct counts *
check(lua_State *L, int index)
{
	struct counts *counts =
	    tl_host_check_type(L, index, "histogram", &histogram_key);

	luaL_argcheck(L, counts->is_open, index, "it was collected");
	return counts;
}

/* The size of the buckets up to a value: enough sub-buckets for the digits, and
 * half as many for each doubling beyond. */
static size_t
size_up_to(unsigned digits, uint64_t value)
{
	uint64_t sub_buckets = 2;
	size_t halves = 2;

	for (unsigned i = 0; i < digits; i++)
		sub_buckets *= 10;
	while (sub_buckets & (sub_buckets - 1))
		sub_buckets += sub_buckets & -sub_buckets;
	for (uint64_t rest = value / sub_buckets; rest > 0; rest /= 2)
		halves++;
	return 256 + halves * (size_t)(sub_buckets / 2) * sizeof(uint64_t);
}

static void
charge_up_to(lua_State *L, struct counts *counts, uint64_t value)
{
	const size_t size = size_up_to(counts->digits, value);

	if (size <= counts->charged)
		return;
	tl_memory_charge(L, counts->host, size - counts->charged);
	counts->charged = size;
}

static int
collect(lua_State *L)
{
	struct counts *counts =
	    tl_host_check_type(L, 1, "histogram", &histogram_key);

	tl_histogram_clear(&counts->histogram);
	counts->is_open = false;
	tl_memory_release(counts->host, counts->charged);
	counts->charged = 0;
	return 0;
}

/* histogram(digits) */
int
tl_histogram_create(lua_State *L)
{
	const lua_Integer digits = luaL_optinteger(L, 1, DIGITS_DEFAULT);
	struct counts *counts;

	luaL_argcheck(L, digits >= 1 && digits <= DIGITS_MAX, 1,
	    "1 to 5 digits");
	counts = tl_host_push(L, sizeof(*counts), 0, &histogram_key);
	*counts =
	    (struct counts){ .host = tl_host(L), .digits = (unsigned)digits };
	charge_up_to(L, counts, 0);
	tl_histogram_init(&counts->histogram, counts->digits);
	counts->is_open = true;
	return 1;
}

/* h:add(value[, n]); the fraction of a float is dropped. */
static int
add(lua_State *L)
{
	struct counts *counts = check(L, 1);
	const lua_Integer n = luaL_optinteger(L, 3, 1);
	lua_Integer value;

	if (lua_isinteger(L, 2)) {
		value = lua_tointeger(L, 2);
	} else {
		const lua_Number number = luaL_checknumber(L, 2);

		luaL_argcheck(L, number >= 0 && number < 9.2e18, 2,
		    "not in a histogram's range");
		value = (lua_Integer)number;
	}
	luaL_argcheck(L, value >= 0, 2, "a histogram counts from 0 up");
	luaL_argcheck(L, n >= 0, 3, "cannot count down");
	charge_up_to(L, counts, (uint64_t)value);
	if (tl_histogram_add(&counts->histogram, (uint64_t)value, (uint64_t)n) <
	    0)
		return luaL_error(L, "not enough memory");
	lua_settop(L, 1);
	return 1;
}

static int
merge(lua_State *L)
{
	struct counts *counts = check(L, 1);
	struct counts *other = check(L, 2);

	luaL_argcheck(L, counts->digits == other->digits, 2,
	    "a histogram of other digits");
	charge_up_to(L, counts, other->histogram.max);
	if (tl_histogram_merge(&counts->histogram, &other->histogram) < 0)
		return luaL_error(L, "not enough memory");
	lua_settop(L, 1);
	return 1;
}

static int
reset(lua_State *L)
{
	struct counts *counts = check(L, 1);

	tl_histogram_clear(&counts->histogram);
	tl_histogram_init(&counts->histogram, counts->digits);
	lua_settop(L, 1);
	return 1;
}

static int
count(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)check(L, 1)->histogram.count);
	return 1;
}

static int
least(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)check(L, 1)->histogram.min);
	return 1;
}

static int
greatest(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)check(L, 1)->histogram.max);
	return 1;
}

static int
mean(lua_State *L)
{
	lua_pushnumber(L, tl_histogram_mean(&check(L, 1)->histogram));
	return 1;
}

static int
stddev(lua_State *L)
{
	lua_pushnumber(L, tl_histogram_stddev(&check(L, 1)->histogram));
	return 1;
}

/* h:percentile(99.9) */
static int
percentile(lua_State *L)
{
	struct counts *counts = check(L, 1);
	const lua_Number percent = luaL_checknumber(L, 2);

	luaL_argcheck(L, percent >= 0 && percent <= 100, 2, "0 to 100 percent");
	lua_pushinteger(L,
	    (lua_Integer)tl_histogram_percentile(&counts->histogram, percent));
	return 1;
}

/* Upvalues: the histogram and the position. */
static int
next_bucket(lua_State *L)
{
	struct counts *counts = lua_touserdata(L, lua_upvalueindex(1));
	size_t index = (size_t)lua_tointeger(L, lua_upvalueindex(2));
	uint64_t low;
	uint64_t high;
	uint64_t n;

	if (!counts->is_open)
		return luaL_error(L, "the histogram was collected");
	if (!tl_histogram_bucket(&counts->histogram, &index, &low, &high, &n)) {
		lua_pushnil(L);
		return 1;
	}
	lua_pushinteger(L, (lua_Integer)index);
	lua_replace(L, lua_upvalueindex(2));
	lua_pushinteger(L, (lua_Integer)low);
	lua_pushinteger(L, (lua_Integer)high);
	lua_pushinteger(L, (lua_Integer)n);
	return 3;
}

/* for low, high, count in h:buckets() */
static int
buckets(lua_State *L)
{
	check(L, 1);
	lua_settop(L, 1);
	lua_pushinteger(L, 0);
	lua_pushcclosure(L, next_bucket, 2);
	return 1;
}

/* Register the type.  Leaves the table of methods on top, for methods written
 * in Lua. */
void
tl_histogram_register(lua_State *L)
{
	static const luaL_Reg methods[] = { { "add", add }, { "merge", merge },
		{ "reset", reset }, { "count", count }, { "min", least },
		{ "max", greatest }, { "mean", mean }, { "stddev", stddev },
		{ "percentile", percentile }, { "buckets", buckets },
		{ NULL, NULL } };
	static const luaL_Reg functions[] = { { "__gc", collect },
		{ "__len", count }, { NULL, NULL } };

	tl_host_register_type(L, "histogram", &histogram_key, functions,
	    methods);
}
