/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - a hash table from (pid, tid) to a name. */
#include "event/names.h"

#include "base/array.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline_layout.h>

static struct tl_named *
find(const struct tl_names *names, uint32_t pid, uint32_t tid)
{
	struct tl_probe probe =
	    tl_table_probe(&names->table, tl_hash_pair(pid, tid));
	uint32_t at;

	while (tl_probe_next(&probe, &at))
		if (names->list[at].pid == pid && names->list[at].tid == tid)
			return &names->list[at];
	return NULL;
}

/* Keep whole characters; characters that control a terminal become '?'. */
static void
set_text(struct tl_named *name, struct tl_bytes text)
{
	uint32_t code;

	name->size = 0;
	for (size_t at = 0; at < text.size;) {
		const size_t size = tl_utf8_decode(text, at, &code);
		const bool good = size > 0 && !tl_utf8_steers(code);
		const size_t put = good ? size : 1;

		if (name->size + put > TL_NAME_MAX)
			return;
		memcpy(name->text + name->size, good ? text.data + at : "?",
		    put);
		name->size += (uint8_t)put;
		at += size > 0 ? size : 1;
	}
}

static int
set(struct tl_names *names, uint32_t pid, uint32_t tid, struct tl_bytes text,
    bool is_hidden)
{
	struct tl_named *name = find(names, pid, tid);

	if (!name &&
	    ((text.size == 0 && !is_hidden) || names->count == TL_NAMES_MAX))
		return 0;
	if (!name) {
		if (TL_ARRAY_ROOM(names->list, names->capacity, names->count) <
			0 ||
		    tl_table_add(&names->table, tl_hash_pair(pid, tid),
			names->count) < 0)
			return -ENOMEM;
		name = &names->list[names->count++];
		*name = (struct tl_named){ .pid = pid, .tid = tid };
	}
	set_text(name, text);
	name->is_hidden = is_hidden;
	names->changes++;
	return 0;
}

int
tl_names_add(struct tl_names *names, uint32_t pid, uint32_t tid,
    struct tl_bytes text)
{
	return set(names, pid, tid, text, false);
}

int
tl_names_hide(struct tl_names *names, uint32_t pid, uint32_t tid)
{
	const struct tl_named *name = find(names, pid, tid);

	return name && name->size > 0
		   ? 0
		   : set(names, pid, tid, tl_bytes("", 0), true);
}

void
tl_names_set_full(struct tl_names *names, bool *full, uint64_t slots)
{
	free(names->full);
	names->full = full;
	names->slots = slots;
	names->changes++;
}

void
tl_names_free(struct tl_names *names)
{
	tl_table_free(&names->table);
	free(names->list);
	free(names->full);
	*names = (struct tl_names){ 0 };
}

static struct tl_bytes
text_of(const struct tl_names *names, uint32_t pid, uint32_t tid)
{
	const struct tl_named *name = names ? find(names, pid, tid) : NULL;

	return name ? tl_bytes(name->text, name->size) : tl_bytes("", 0);
}

struct tl_bytes
tl_names_own(const struct tl_names *names, uint32_t pid, uint32_t tid)
{
	const struct tl_bytes name = text_of(names, pid, tid);

	return tid != 0 && tl_bytes_equal(name, text_of(names, pid, 0))
		   ? tl_bytes("", 0)
		   : name;
}

struct tl_bytes
tl_names_process(const struct tl_names *names, uint32_t pid)
{
	return tl_names_own(names, pid, 0);
}

struct tl_bytes
tl_names_thread(const struct tl_names *names, uint32_t pid, uint32_t tid)
{
	const struct tl_named *name = names ? find(names, pid, tid) : NULL;
	const bool is_hidden =
	    name ? name->is_hidden
		 : names && names->full && tid != 0 &&
		       names->full[timeline_name_set(pid, tid, names->slots) /
				   TIMELINE_NAMES_SET];

	if (is_hidden || (name && name->size > 0) || (names && names->apart))
		return text_of(names, pid, tid);
	return tl_names_process(names, pid);
}

bool
tl_names_is_hidden(const struct tl_names *names, uint32_t pid, uint32_t tid)
{
	return tl_names_process(names, pid).size > 0 &&
	       tl_names_thread(names, pid, tid).size == 0;
}

void
tl_put_named(struct tl_text *text, struct tl_bytes name, uint32_t number)
{
	if (name.size > 0) {
		tl_put_plain(text, name);
		tl_put_char(text, '/');
	}
	tl_put_unsigned(text, number);
}

void
tl_put_thread(struct tl_text *text, struct tl_bytes name, uint32_t pid,
    uint32_t tid)
{
	if (name.size > 0)
		tl_put_bytes(text, name);
	else
		tl_put_unsigned(text, pid);
	tl_put_char(text, '/');
	tl_put_unsigned(text, tid);
}

int
tl_names_gather(struct tl_names *names, const struct tl_event *event,
    uint32_t pid)
{
	const struct tl_names *from = tl_event_names(event);
	const uint64_t ids = (uint64_t)event->pid << 32 | event->tid;
	struct tl_bytes thread, process;
	int rc;

	if (!from || (from == names->from && ids == names->gathered))
		return 0;
	names->from = from;
	names->gathered = ids;
	thread = tl_names_thread(from, event->pid, event->tid);
	process = tl_names_process(from, event->pid);
	if (process.size > 0 && (rc = tl_names_add(names, pid, 0, process)) < 0)
		return rc;
	if (thread.size > 0)
		return tl_names_add(names, pid, event->tid, thread);
	return process.size > 0 ? tl_names_hide(names, pid, event->tid) : 0;
}
