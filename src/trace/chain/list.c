/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.c - find the chain of each trace in a stream, and name the chains.
 */
#include "base/array.h"
#include "trace/chain/chain.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHAIN_DIGITS = 32 };

/* == chains by key == */

/* Find the chain with a key; a new chain is added.  *chain NULL: too many
 * chains.  0 or -ENOMEM. */
static int
get_chain(struct tl_chains *cs, const char *key, size_t key_size,
    struct tl_chain **chain)
{
	const uint64_t hash = tl_hash_bytes(tl_bytes(key, key_size));
	struct tl_probe probe = tl_table_probe(&cs->table, hash);
	struct tl_chain *new;
	uint32_t at;
	int rc;

	while (tl_probe_next(&probe, &at)) {
		*chain = cs->list[at];
		if (tl_bytes_equal(tl_bytes((*chain)->key, (*chain)->key_size),
			tl_bytes(key, key_size)))
			return 0;
	}
	*chain = NULL;
	if (cs->count == TL_CHAINS_MAX) {
		cs->left_out++;
		return 0;
	}
	if (TL_ARRAY_ROOM(cs->list, cs->capacity, cs->count) < 0 ||
	    !(new = calloc(1, sizeof(*new))))
		return -ENOMEM;
	if ((rc = tl_table_add(&cs->table, hash, cs->count)) < 0) {
		free(new);
		return rc;
	}
	memcpy(new->key, key, key_size);
	new->key_size = key_size;
	new->number = (uint32_t)cs->count;
	new->bytes = tl_chain_bytes_hold(cs->bytes);
	cs->list[cs->count++] = new;
	*chain = new;
	return 0;
}

/* == properties of a chain, from its first block == */

static bool
is_chain_id(struct tl_bytes text)
{
	if (text.size != CHAIN_DIGITS)
		return false;
	for (size_t i = 0; i < text.size; i++)
		if (!memchr("0123456789abcdef", text.data[i], 16))
			return false;
	return true;
}

int
tl_chains_find(struct tl_chains *cs, const struct tl_blocks_trace *trace,
    struct tl_chain **chain)
{
	const struct tl_context *c = &trace->context;
	const struct tl_bytes id = tl_context_info(c, "chain");
	const bool numbered = is_chain_id(id);
	const size_t count = cs->count;
	struct tl_origin origin = { 0 };
	struct tl_text key = { 0 };
	int rc;

	tl_origin_name(origin.machine, tl_context_info(c, "host"));
	tl_origin_name(origin.command, tl_context_info(c, "command"));
	tl_origin_name(origin.timeline, tl_context_info(c, "timeline"));
	tl_origin_boot(origin.boot_id, tl_context_info(c, "boot"));
	/* the key of a chain: from the INFOs of its blocks, or without these
	 * from the trace or its origin */
	if (numbered) {
		tl_put_bytes(&key, id);
	} else if (!cs->live) {
		tl_put_bytes(&key,
		    tl_bytes(trace->header.id, sizeof(trace->header.id)));
	} else {
		tl_put_bytes(&key,
		    tl_bytes(origin.boot_id, sizeof(origin.boot_id)));
		tl_put_string(&key, origin.machine);
		tl_put_char(&key, '/');
		tl_put_string(&key, origin.timeline);
	}
	rc = key.rc < 0 ? key.rc : get_chain(cs, key.data, key.size, chain);
	if (rc == 0 && cs->count > count) {
		(*chain)->origin = origin;
		(*chain)->numbered = numbered;
		(*chain)->lone = !cs->live && !numbered;
		cs->lone += (*chain)->lone;
	}
	tl_text_free(&key);
	return rc;
}

/* == properties of each block == */

/* Add the knots that are new.  Each block repeats the older knots. */
static int
take_knots(struct tl_chain *chain, const struct tl_context *c)
{
	for (size_t i = 0; i < c->knot_count; i++) {
		const struct timeline_knot *knot = &c->knots[i];
		const struct timeline_knot *last =
		    chain->knot_count > 0 ? &chain->knots[chain->knot_count - 1]
					  : NULL;

		if (last &&
		    (knot->epoch < last->epoch ||
			(knot->epoch == last->epoch && knot->tsc <= last->tsc)))
			continue;
		if (chain->knot_count == TL_CHAIN_KNOTS_MAX) {
			const size_t count = chain->knot_count;
			size_t kept = 0;

			/* Drop every second closing point.  Each block has a
			 * closing point, so these are the most frequent
			 * knots. */
			for (size_t k = 0; k < count; k++)
				if (k % 2 == 0 || k + 1 == count ||
				    !(chain->knots[k].flags &
					TIMELINE_KNOT_CLOSE))
					chain->knots[kept++] = chain->knots[k];
			chain->knots_gone += count - kept;
			chain->knot_count = kept;
		}
		if (chain->knot_count == TL_CHAIN_KNOTS_MAX)
			continue;
		if (TL_ARRAY_ROOM(chain->knots, chain->knot_capacity,
			chain->knot_count) < 0)
			return -ENOMEM;
		chain->knots[chain->knot_count++] = *knot;
	}
	return 0;
}

/* Add the names of threads and processes. */
static int
take_names(struct tl_chain *chain, const struct tl_names *names)
{
	int rc = 0;

	for (size_t i = 0; i < names->count && rc == 0; i++) {
		const struct tl_named *n = &names->list[i];

		if (n->is_hidden)
			rc = tl_names_hide(&chain->names, n->pid, n->tid);
		else
			rc = tl_names_add(&chain->names, n->pid, n->tid,
			    tl_bytes(n->text, n->size));
	}
	return rc;
}

int
tl_chain_learn(struct tl_chain *chain, struct tl_context *context)
{
	const struct tl_message **messages, *interned;
	size_t count;
	int rc;

	tl_context_settle(context);
	rc = tl_context_messages(context, &messages, &count);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = tl_chain_intern(chain, messages[i], &interned);
	free(messages);
	if (rc == 0)
		rc = take_names(chain, &context->names);
	return rc < 0 ? rc : take_knots(chain, context);
}

/* == the chains of a stream == */

void
tl_chains_note(void *context, const struct tl_fault *fault)
{
	struct tl_chains *cs = context;

	*tl_faults_next(&cs->faults) = *fault;
}

/* Read the places and definitions of all traces. */
static int
read_all(struct tl_chains *cs)
{
	const struct tl_trace_report report = { tl_chains_note, cs };
	struct tl_blocks blocks;
	struct tl_chain_block block;
	struct tl_chain *chain;
	struct stat st;
	int rc;

	if (fstat(cs->bytes->fd, &st) < 0)
		return -errno;
	rc = tl_blocks_init(&blocks, cs->bytes->fd, &report);
	while (rc >= 0 &&
	       (rc = tl_blocks_next(&blocks, (uint64_t)st.st_size, true)) > 0) {
		if ((rc = tl_chains_find(cs, &blocks.trace, &chain)) < 0)
			break;
		if (!chain)
			continue;
		tl_chain_describe(&block, &blocks.trace);
		rc = tl_chain_add(chain, &block);
		cs->left_out += rc == -ENOSPC;
		if (rc == 0)
			rc = tl_chain_learn(chain, &blocks.trace.context);
		if (rc < 0 && rc != -ENOSPC)
			break;
	}
	tl_blocks_free(&blocks);
	return rc;
}

int
tl_chains_new(struct tl_chains **chains, int fd, bool live)
{
	struct tl_chains *cs = calloc(1, sizeof(*cs));
	struct tl_chain_bytes *b = calloc(1, sizeof(*b));
	int rc = -ENOMEM;

	if (cs && b) {
		b->refs = 1;
		b->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		rc = b->fd < 0 ? -errno : tl_interner_new(&b->interner);
	}
	if (rc == 0)
		rc = tl_interner_message(b->interner, tl_bytes_of("?"),
		    tl_bytes_of("message that is not defined"),
		    TIMELINE_RECORD_INSTANT, 0, 0, &b->nothing);
	if (rc == 0) {
		cs->live = live;
		cs->bytes = b;
		*chains = cs;
		return 0;
	}
	free(cs);
	if (b && b->refs > 0)
		tl_chain_bytes_release(b);
	else
		free(b);
	return rc;
}

void
tl_chains_free(struct tl_chains *cs)
{
	if (!cs)
		return;
	for (size_t i = 0; i < cs->count; i++)
		tl_chain_free(cs->list[i]);
	tl_chain_bytes_release(cs->bytes);
	free(cs->list);
	tl_table_free(&cs->table);
	free(cs);
}

struct tl_chain *
tl_chains_take(struct tl_chains *cs, size_t i)
{
	struct tl_chain *chain = cs->list[i];

	cs->list[i] = NULL;
	return chain;
}

/* == many traces without a chain == */

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

/* If there are many traces without a chain, merge the traces of the same
 * origin. */
static int
group(struct tl_chains *cs)
{
	size_t kept = 0;
	int rc = 0;

	if (cs->lone <= TL_CHAINS_LONE_MAX)
		return 0;
	qsort(cs->list, cs->count, sizeof(struct tl_chain *), by_origin);
	for (size_t i = 0; i < cs->count; i++) {
		struct tl_chain *chain = cs->list[i];
		struct tl_chain *before = kept > 0 ? cs->list[kept - 1] : NULL;
		const struct tl_message *interned;

		cs->list[kept++] = chain;
		if (!chain->lone || !before || before->numbered || rc < 0 ||
		    compare_origins(&before->origin, &chain->origin) != 0)
			continue;
		kept--;
		/* Append a chain to another chain, and free the first. */
		rc = 0;
		if (before->lone)
			tl_chain_settle(before);
		tl_chain_settle(chain);
		for (size_t k = 0; k < chain->block_count && rc == 0; k++)
			rc = tl_chain_add(before, &chain->blocks[k]);
		for (size_t k = 0; k < chain->messages.count && rc == 0; k++)
			rc = tl_chain_intern(before, chain->messages.list[k],
			    &interned);
		if (rc == 0)
			rc = take_names(before, &chain->names);
		before->lone = false;
		tl_chain_free(chain);
	}
	cs->count = kept;
	return rc;
}

/* == names == */

/* Replace the name of a chain.  Frees the text. */
static int
set_name(struct tl_chain *chain, struct tl_text *name)
{
	free(chain->name);
	chain->name = name->rc < 0 ? NULL : strdup(tl_text_string(name));
	tl_text_free(name);
	return chain->name ? 0 : -ENOMEM;
}

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
	return set_name(chain, &name);
}

static int
by_first(const void *a, const void *b)
{
	const struct tl_chain *x = *(struct tl_chain *const *)a;
	const struct tl_chain *y = *(struct tl_chain *const *)b;
	const int64_t x_ns = x->block_count ? x->blocks[0].min_ns : INT64_MAX;
	const int64_t y_ns = y->block_count ? y->blocks[0].min_ns : INT64_MAX;

	if (x_ns != y_ns)
		return x_ns > y_ns ? 1 : -1;
	return memcmp(x->key, y->key, sizeof(x->key));
}

static int
by_name(const void *a, const void *b)
{
	const int order = strcmp((*(struct tl_chain *const *)a)->name,
	    (*(struct tl_chain *const *)b)->name);

	return order != 0 ? order : by_first(a, b);
}

/* Name all chains, and order them by time.  A name that several chains have
 * gets a number in all but the first. */
static int
name_all(struct tl_chains *cs)
{
	size_t first = 0;
	int rc = 0;

	for (size_t i = 0; i < cs->count && rc == 0; i++)
		rc = tl_chain_make_name(cs->list[i], i);
	if (rc < 0 || cs->count == 0)
		return rc;
	qsort(cs->list, cs->count, sizeof(struct tl_chain *), by_name);
	for (size_t i = 1; i < cs->count && rc == 0; i++) {
		struct tl_text name = { 0 };

		if (strcmp(cs->list[first]->name, cs->list[i]->name) != 0) {
			first = i;
			continue;
		}
		tl_put_format(&name, "%s #%zu", cs->list[i]->name,
		    i - first + 1);
		rc = set_name(cs->list[i], &name);
	}
	qsort(cs->list, cs->count, sizeof(struct tl_chain *), by_first);
	return rc;
}

int
tl_chains_open(struct tl_chains **chains, int fd, struct tl_fault *fault)
{
	struct tl_chains *cs = NULL;
	int rc = tl_chains_new(&cs, fd, false);

	if (rc == 0)
		rc = read_all(cs);
	if (rc == 0)
		rc = group(cs);
	for (size_t i = 0; rc == 0 && i < cs->count; i++)
		tl_chain_settle(cs->list[i]);
	if (rc == 0)
		rc = name_all(cs);
	if (rc == 0 && cs->count == 0)
		rc = -EBADMSG;
	if (rc < 0) {
		tl_chains_free(cs);
		return tl_fail(fault, rc, "%s",
		    rc == -EBADMSG ? "there is no whole trace in it"
				   : strerror(-rc));
	}
	/* faults outside of chains are faults of the first chain */
	for (size_t i = 0; i < cs->faults.count && i < TL_SNAP_FAULTS_MAX; i++)
		tl_chain_say(cs->list[0], cs->faults.list[i].rc,
		    cs->faults.list[i].at, "%s", cs->faults.list[i].text);
	if (cs->left_out > 0)
		tl_chain_say(cs->list[0], -ENOSPC, TL_FAULT_NOWHERE,
		    "too many sources: %" PRIu64 " blocks are left out",
		    cs->left_out);
	*chains = cs;
	return 0;
}
