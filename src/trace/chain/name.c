/* SPDX-License-Identifier: Apache-2.0 */
/* chain_name.c - what the chains of a stream are called, and which are one. */
#include "trace/chain/work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* == many traces of no chain == */

static int
compare_origins(const struct tl_origin *a, const struct tl_origin *b)
{
	int order = strcmp(a->machine, b->machine);

	if (order == 0)
		order = memcmp(a->boot_id, b->boot_id, sizeof(a->boot_id));
	return order != 0 ? order : strcmp(a->timeline, b->timeline);
}

static int
by_origin(const void *a, const void *b)
{
	const struct tl_chain *x = *(struct tl_chain *const *)a;
	const struct tl_chain *y = *(struct tl_chain *const *)b;

	if (x->lone != y->lone)
		return x->lone - y->lone;
	return compare_origins(&x->origin, &y->origin);
}

/* Put one chain behind another, and free it. */
static int
append(struct tl_chain *to, struct tl_chain *from)
{
	const struct tl_message *interned;
	int rc = 0;

	if (to->lone)
		tl_chain_settle(to);
	tl_chain_settle(from);
	for (size_t i = 0; i < from->block_count && rc == 0; i++)
		rc = tl_chain_add(to, &from->blocks[i]);
	for (size_t i = 0; i < from->messages.count && rc == 0; i++)
		rc = tl_chain_intern(to, from->messages.list[i], &interned);
	to->lone = false;
	tl_chain_free(from);
	return rc;
}

int
tl_chains_group(struct tl_chains *cs)
{
	size_t kept = 0;
	int rc = 0;

	if (cs->lone <= TL_CHAINS_LONE_MAX)
		return 0;
	qsort(cs->list, cs->count, sizeof(struct tl_chain *), by_origin);
	for (size_t i = 0; i < cs->count; i++) {
		struct tl_chain *chain = cs->list[i];
		struct tl_chain *before = kept > 0 ? cs->list[kept - 1] : NULL;

		cs->list[kept++] = chain;
		if (!chain->lone || !before || before->numbered || rc < 0 ||
		    compare_origins(&before->origin, &chain->origin) != 0)
			continue;
		kept--;
		rc = append(before, chain);
	}
	cs->count = kept;
	return rc;
}

/* == names == */

int
tl_chain_make_name(struct tl_chain *chain, size_t number)
{
	const struct tl_origin *o = &chain->origin;
	struct tl_text name = { 0 };

	tl_put_string(&name, o->machine);
	if (o->machine[0] && o->timeline[0])
		tl_put_char(&name, '/');
	tl_put_string(&name, o->timeline);
	if (name.size == 0)
		tl_put_format(&name, "trace %zu", number + 1);
	chain->name = name.rc < 0 ? NULL : strdup(tl_text_string(&name));
	tl_text_free(&name);
	return chain->name ? 0 : -ENOMEM;
}

static int
add_number(struct tl_chain *chain, size_t number)
{
	struct tl_text name = { 0 };

	tl_put_format(&name, "%s #%zu", chain->name, number);
	free(chain->name);
	chain->name = name.rc < 0 ? NULL : strdup(tl_text_string(&name));
	tl_text_free(&name);
	return chain->name ? 0 : -ENOMEM;
}

static int64_t
first_ns(const struct tl_chain *chain)
{
	return chain->block_count > 0 ? chain->blocks[0].min_ns : INT64_MAX;
}

static int
by_first(const void *a, const void *b)
{
	const struct tl_chain *x = *(struct tl_chain *const *)a;
	const struct tl_chain *y = *(struct tl_chain *const *)b;

	if (first_ns(x) != first_ns(y))
		return first_ns(x) > first_ns(y) ? 1 : -1;
	return memcmp(x->key, y->key, sizeof(x->key));
}

static int
by_name(const void *a, const void *b)
{
	const int order = strcmp((*(struct tl_chain *const *)a)->name,
	    (*(struct tl_chain *const *)b)->name);

	return order != 0 ? order : by_first(a, b);
}

int
tl_chains_name(struct tl_chains *cs)
{
	size_t first = 0;
	int rc = 0;

	for (size_t i = 0; i < cs->count && rc == 0; i++)
		rc = tl_chain_make_name(cs->list[i], i);
	if (rc < 0 || cs->count == 0)
		return rc;
	qsort(cs->list, cs->count, sizeof(struct tl_chain *), by_name);
	for (size_t i = 1; i < cs->count && rc == 0; i++) {
		if (strcmp(cs->list[first]->name, cs->list[i]->name) == 0)
			rc = add_number(cs->list[i], i - first + 1);
		else
			first = i;
	}
	qsort(cs->list, cs->count, sizeof(struct tl_chain *), by_first);
	return rc;
}
