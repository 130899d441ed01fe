/* SPDX-License-Identifier: Apache-2.0 */
/*
 * data.c - a table that a chunk of Lua returns, as plain values of C.
 *
 * Tables wait in a queue, each with its copy, so nothing here recurses.  A
 * table that contains itself is refused at the maximum depth.
 */
#include "script/data.h"

#include "script/host.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SHOWN_MAX = 40 }; /* bytes of a key in a path */

/* Memory of the tree; all blocks are freed at once. */
struct block {
	struct block *next;
	max_align_t data[];
};

struct tree {
	struct tl_data root; /* its name is the name of the file */
	struct block *blocks;
	size_t values;
	size_t text_size;
};

/* The state shared with the function that runs in protected mode. */
struct load {
	const char *chunk; /* "@name" */
	struct tl_bytes text;
	struct tree *tree;
	struct tl_data *last; /* the last of the tables that wait */
	lua_Integer waiting;  /* index in Lua's list of the tables that wait */
	struct tl_fault *fault;
	bool compiled;
	int rc;
};

enum { WAITING = 2 }; /* index of the list of waiting tables on the stack */

/* == tree == */

static struct tree *
tree_of(struct tl_data *root)
{
	assert(!root->parent);
	return (struct tree *)(void *)root;
}

/* Allocate zeroed memory that lives as long as the tree. */
static void *
allocate(struct tree *tree, size_t size)
{
	struct block *block = calloc(1, sizeof(*block) + size);

	if (!block)
		return NULL;
	block->next = tree->blocks;
	tree->blocks = block;
	return block->data;
}

void
tl_data_free(struct tl_data *data)
{
	struct block *block;

	if (!data)
		return;
	while ((block = tree_of(data)->blocks)) {
		tree_of(data)->blocks = block->next;
		free(block);
	}
	free(data);
}

const struct tl_data *
tl_data_get(const struct tl_data *table, const char *name)
{
	for (size_t i = table->list_count; i < table->count; i++)
		if (strcmp(table->items[i].name, name) == 0)
			return &table->items[i];
	return NULL;
}

static void
put_step(struct tl_text *text, const struct tl_data *data)
{
	if (!data->name) {
		tl_put_char(text, '[');
		tl_put_unsigned(text, data->place);
		tl_put_char(text, ']');
		return;
	}
	if (data->parent->parent)
		tl_put_char(text, '.');
	tl_put_plain(text,
	    tl_bytes(data->name, strnlen(data->name, NAME_SHOWN_MAX)));
	if (strlen(data->name) > NAME_SHOWN_MAX)
		tl_put_string(text, "...");
}

/* Append the path of a value, such as "timelines[2].bursts", escaped. */
static void
put_path(struct tl_text *text, const struct tl_data *data)
{
	const struct tl_data *steps[TL_DATA_DEPTH_MAX + 1];
	size_t count = 0;

	for (; data->parent; data = data->parent) {
		assert(count <= TL_DATA_DEPTH_MAX);
		steps[count++] = data;
	}
	while (count > 0)
		put_step(text, steps[--count]);
}

int
tl_data_fault(const struct tl_data *data, struct tl_fault *fault, int rc,
    const char *format, ...)
{
	const struct tl_data *root = data;
	char words[TL_FAULT_TEXT_MAX];
	struct tl_text text = { 0 };
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	while (root->parent)
		root = root->parent;
	tl_put_plain(&text, tl_bytes_of(root->name));
	tl_put_string(&text, ": ");
	if (data != root) {
		put_path(&text, data);
		tl_put_string(&text, ": ");
	}
	tl_put_plain(&text, tl_bytes_of(words));
	tl_fail(fault, rc, "%s", tl_text_string(&text));
	tl_text_free(&text);
	return rc;
}

/* == copy == */

/* Copy the string at index.  Returns 0, or the fault of the value that the
 * string belongs to. */
static int
copy_text(lua_State *L, struct load *load, int index,
    const struct tl_data *about, const char **copy)
{
	size_t size;
	const char *text = lua_tolstring(L, index, &size);
	char *made;

	if (memchr(text, '\0', size))
		return tl_data_fault(about, load->fault, -EINVAL,
		    "a NUL byte in a text");
	load->tree->text_size += size;
	if (load->tree->text_size > TL_DATA_TEXT_MAX)
		return tl_data_fault(about, load->fault, -EFBIG,
		    "more than %d KiB of text", TL_DATA_TEXT_MAX >> 10);
	if (!(made = allocate(load->tree, size + 1)))
		return tl_data_fault(about, load->fault, -ENOMEM,
		    "not enough memory");
	memcpy(made, text, size);
	*copy = made;
	return 0;
}

/* Count the values of the table on top, and check its keys. */
static int
count_items(lua_State *L, struct load *load, struct tl_data *table)
{
	lua_Integer last = 0;

	for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
		const lua_Integer place =
		    lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;

		if (place > last)
			last = place;
		if (place > 0)
			table->list_count++;
		else if (lua_type(L, -2) != LUA_TSTRING)
			return tl_data_fault(table, load->fault, -EINVAL,
			    "a key that is neither a name nor a place");
		table->count++;
	}
	load->tree->values += table->count;
	if (load->tree->values > TL_DATA_VALUES_MAX)
		return tl_data_fault(table, load->fault, -EFBIG,
		    "more than %d values", TL_DATA_VALUES_MAX);
	if ((size_t)last != table->list_count)
		return tl_data_fault(table, load->fault, -EINVAL,
		    "a hole in the list");
	return 0;
}

/* Copy the key and value on top. */
static int
copy_item(lua_State *L, struct load *load, struct tl_data *table, size_t *named)
{
	const lua_Integer place =
	    lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
	struct tl_data *item =
	    &table->items[place > 0 ? (size_t)place - 1 : (*named)++];
	int rc;

	item->parent = table;
	item->depth = (uint16_t)(table->depth + 1);
	item->place = (uint32_t)place;
	if (place == 0) {
		rc = copy_text(L, load, -2, table, &item->name);
		if (rc < 0)
			return rc;
	}
	/* Copy the value on top.  A table is queued, and its copy stays empty
	 * for now. */
	switch (lua_type(L, -1)) {
	case LUA_TBOOLEAN:
		item->kind = TL_DATA_FLAG;
		item->flag = lua_toboolean(L, -1);
		return 0;
	case LUA_TNUMBER:
		item->kind =
		    lua_isinteger(L, -1) ? TL_DATA_INTEGER : TL_DATA_REAL;
		item->integer = lua_tointeger(L, -1);
		item->real = lua_tonumber(L, -1);
		return 0;
	case LUA_TSTRING:
		item->kind = TL_DATA_TEXT;
		return copy_text(L, load, -1, item, &item->text);
	case LUA_TTABLE:
		item->kind = TL_DATA_TABLE;
		if (item->depth <= TL_DATA_DEPTH_MAX)
			return 0;
		return tl_data_fault(item->parent, load->fault, -EFBIG,
		    "more than %d tables in each other", TL_DATA_DEPTH_MAX);
	default:
		item->kind = TL_DATA_OTHER;
		item->text = luaL_typename(L, -1);
		return 0;
	}
}

static int
by_name(const void *a, const void *b)
{
	const struct tl_data *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Copy the table on top.  Lua visits the keys in an order that varies, so the
 * copy is sorted. */
static int
copy_table(lua_State *L, struct load *load, struct tl_data *table)
{
	size_t named;
	int rc = count_items(L, load, table);

	if (rc < 0 || table->count == 0)
		return rc;
	table->items =
	    allocate(load->tree, table->count * sizeof(table->items[0]));
	if (!table->items)
		return tl_data_fault(table, load->fault, -ENOMEM,
		    "not enough memory");
	named = table->list_count;
	for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
		if ((rc = copy_item(L, load, table, &named)) < 0)
			return rc;
	qsort(table->items + table->list_count,
	    table->count - table->list_count, sizeof(table->items[0]), by_name);
	/* Queue the tables inside the table on top. */
	for (size_t i = 0; i < table->count; i++) {
		struct tl_data *item = &table->items[i];

		if (item->kind != TL_DATA_TABLE)
			continue;
		if (item->name)
			lua_pushstring(L, item->name);
		else
			lua_pushinteger(L, item->place);
		lua_rawget(L, -2);
		lua_rawseti(L, WAITING, ++load->waiting);
		load->last->next = item;
		load->last = item;
	}
	return 0;
}

/* Copy the value on top with everything inside. */
static int
copy_all(lua_State *L, struct load *load)
{
	struct tl_data *root = &load->tree->root;
	lua_Integer turn = 0;
	int rc;

	if (!lua_istable(L, -1))
		return tl_data_fault(root, load->fault, -EINVAL,
		    "returns no table but %s", luaL_typename(L, -1));
	root->kind = TL_DATA_TABLE;
	load->last = root;
	lua_newtable(L);
	lua_replace(L, WAITING);
	lua_rawseti(L, WAITING, ++load->waiting);
	for (struct tl_data *table = root; table; table = table->next) {
		lua_rawgeti(L, WAITING, ++turn);
		if ((rc = copy_table(L, load, table)) < 0)
			return rc;
		lua_pushnil(L);
		lua_rawseti(L, WAITING, turn);
		lua_settop(L, WAITING);
	}
	return 0;
}

/* == load == */

static int
run_protected(lua_State *L)
{
	struct load *load = lua_touserdata(L, 1);
	const struct tl_bytes text = load->text;

	lua_pushnil(L); /* WAITING */
	if (luaL_loadbufferx(L, text.size > 0 ? text.data : "", text.size,
		load->chunk, "t") != LUA_OK)
		return lua_error(L);
	load->compiled = true;
	lua_call(L, 0, 1);
	load->rc = copy_all(L, load);
	return 0;
}

static int
run(struct load *load)
{
	static const struct tl_script_limits limits = {
		.memory_bytes = TL_DATA_MEMORY_BYTES,
		.cpu_seconds = TL_DATA_CPU_SECONDS
	};
	/* the chunk cannot write */
	static const struct tl_script_io io = { 0 };
	struct tl_state host = { .open = tl_sandbox_open_data,
		.watch = { .what = "configuration" } };
	lua_State *L;
	int status;
	int rc = tl_state_open(&L, &host, &limits, &io, load->fault);

	if (rc < 0)
		return rc;
	tl_watch_enter(&host.watch);
	lua_pushcfunction(L, tl_state_explain);
	lua_pushcfunction(L, run_protected);
	lua_pushlightuserdata(L, load);
	status = lua_pcall(L, 1, 0, 1);
	if (status == LUA_ERRRUN && !load->compiled)
		status = LUA_ERRSYNTAX;
	rc = status == LUA_OK
		 ? load->rc
		 : tl_state_failed(L, &host, status, NULL, load->fault);
	tl_watch_leave(&host.watch);
	tl_state_close(L, &host);
	return rc;
}

/* Store the name of the file in the tree, and as "@name" for Lua. */
static int
name_tree(struct load *load, const char *name)
{
	const size_t size = strlen(name);
	char *copy = allocate(load->tree, size + 2);

	if (!copy)
		return tl_fail(load->fault, -ENOMEM, "not enough memory");
	copy[0] = '@';
	memcpy(copy + 1, name, size);
	load->chunk = copy;
	load->tree->root.name = copy + 1;
	return 0;
}

int
tl_data_load(struct tl_data **data, const char *name, const char *text,
    size_t size, struct tl_fault *fault)
{
	struct tree *tree = calloc(1, sizeof(*tree));
	struct load load = { .text = tl_bytes(text, size),
		.tree = tree,
		.fault = fault };
	int rc;

	if (!tree)
		return tl_fail(fault, -ENOMEM, "not enough memory");
	if ((rc = name_tree(&load, name)) < 0)
		goto free;
	if (size > TL_DATA_SOURCE_MAX) {
		rc = tl_data_fault(&tree->root, fault, -EFBIG,
		    "more than %d KiB", TL_DATA_SOURCE_MAX >> 10);
		goto free;
	}
	if (size > 0 && text[0] == LUA_SIGNATURE[0]) {
		rc = tl_data_fault(&tree->root, fault, -ENOEXEC,
		    "compiled code, where text is wanted");
		goto free;
	}
	if ((rc = run(&load)) < 0)
		goto free;
	*data = &tree->root;
	return 0;
free:
	tl_data_free(&tree->root);
	return rc;
}
