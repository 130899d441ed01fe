/* SPDX-License-Identifier: Apache-2.0 */
/*
 * messages.c - walk over the records from the newest, check and keep them.
 *
 * A link may point anywhere, so the walk ends after as many records as a table
 * can hold, or at a record that is met twice.
 */
#include "base/array.h"
#include "base/file.h"
#include "base/word.h"
#include "ring/ring.h"
#include "snap/lane.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <timeline.h>

enum { EPOCHS_MAX = 256 /* the newest; entries are looked up in them */ };

/* A record that is not a message. */
struct tl_string_place {
	uint32_t offset;
	struct tl_bytes text;
};

static const struct tl_string_place *
find_text(const struct tl_messages *m, uint64_t offset)
{
	const uintptr_t place = tl_messages_place(m, offset);
	const struct tl_string_place *text =
	    place & 1 ? &m->texts[place / 2] : NULL;

	return text && text->offset == offset ? text : NULL;
}

/* The get() of struct tl_strings.  For a message, which an entry of a level
 * names, the first line. */
static struct tl_bytes
string_of(const struct tl_strings *strings, uint64_t number)
{
	const struct tl_messages *m =
	    (const struct tl_messages *)(const void *)strings;
	const struct tl_message *message = tl_messages_find(m, number);
	const struct tl_string_place *text = find_text(m, number);

	if (message)
		return message->line1;
	return text ? text->text : tl_bytes(NULL, 0);
}

static void
parse(struct tl_messages *m, struct tl_message *message,
    const struct tl_record *r, struct tl_faults *faults, uint64_t offset)
{
	const struct timeline_record *f = &r->fixed;

	if (tl_message_parse(message, r->text) != 0 ||
	    message->argc != f->argc) {
		tl_faults_add(faults, m->base + offset,
		    "arguments of a message do not match its text");
		message->argc = 0;
		message->after = message->line1;
	}
	for (unsigned i = 0; i < message->argc; i++)
		message->args[i].format = f->formats[i];
	message->category = r->category;
	message->file = r->file;
	message->line = f->line;
	message->id = (uint32_t)offset;
	message->kind = f->kind;
	message->level = f->level;
	message->timer =
	    f->kind == TIMELINE_RECORD_SPAN && f->scope == TIMELINE_SCOPE_TIMER;
	message->scope = message->timer ? TIMELINE_THREAD : f->scope;
	message->builtin = f->builtin;
	message->mult = m->mult;
	message->strings = &m->strings;
	message->names = &m->names;
}

static int
add_message(struct tl_messages *m, uintptr_t *place, const struct tl_record *r,
    struct tl_faults *faults, uint64_t offset)
{
	struct tl_message *message;

	if (TL_ARRAY_ROOM(m->list, m->capacity, m->count) < 0 ||
	    !(message = calloc(1, sizeof(*message))))
		return -ENOMEM;
	m->list[m->count++] = message;
	parse(m, message, r, faults, offset);
	*place = (uintptr_t)message;
	return 0;
}

/* Add an epoch.  The text of its record has its number, then the head of every
 * lane. */
static int
add_epoch(struct tl_messages *m, const struct tl_record *r,
    struct tl_faults *faults, uint64_t offset)
{
	const size_t heads = m->lane_count * sizeof(uint64_t);
	struct tl_epoch *epoch;
	uint64_t number;

	if (r->text.size != heads + sizeof(number)) {
		tl_faults_add(faults, m->base + offset,
		    "an epoch that knows another number of lanes");
		return 0;
	}
	if (m->epoch_count >= EPOCHS_MAX) {
		tl_faults_add(faults, m->base + offset, "more than %d epochs",
		    EPOCHS_MAX);
		return 0;
	}
	if (TL_ARRAY_ROOM(m->epochs, m->epoch_capacity, m->epoch_count) < 0)
		return -ENOMEM;
	epoch = &m->epochs[m->epoch_count];
	memcpy(&number, r->text.data, sizeof(number));
	epoch->number = (uint32_t)number;
	if (!(epoch->heads = malloc(heads)))
		return -ENOMEM;
	memcpy(epoch->heads, r->text.data + sizeof(number), heads);
	m->epoch_count++;
	return 0;
}

/* Keep a record.  -EEXIST: it, or a record that overlaps with it, was already
 * kept; -ENOMEM. */
static int
add_record(struct tl_messages *m, const struct tl_record *r, uint64_t offset,
    struct tl_faults *faults)
{
	const uint8_t kind = r->fixed.kind;
	uintptr_t *place = &m->places[offset / TIMELINE_RECORD_MIN];

	if (*place > 0)
		return -EEXIST;
	if (kind != TIMELINE_RECORD_EPOCH && kind != TIMELINE_RECORD_STRING)
		return add_message(m, place, r, faults, offset);
	if (TL_ARRAY_ROOM(m->texts, m->text_capacity, m->text_count) < 0)
		return -ENOMEM;
	*place = 2 * m->text_count + 1;
	m->texts[m->text_count++] =
	    (struct tl_string_place){ (uint32_t)offset, r->text };
	return kind == TIMELINE_RECORD_EPOCH ? add_epoch(m, r, faults, offset)
					     : 0;
}

/*
 * Read a record again.  In an earlier round the record may not have been
 * written yet; now it is published, and whole.
 */
static int
read_again(struct tl_messages *m, struct tl_storage *file, uint64_t at)
{
	const uint64_t room = m->filled - at;
	struct timeline_record fixed = { 0 };
	int64_t n =
	    tl_storage_read_at(file, &fixed, sizeof(fixed), m->base + at);

	if (n < 0)
		return (int)n;
	n = tl_storage_read_at(file, m->table + at,
	    fixed.size < room ? fixed.size : room, m->base + at);
	return n < 0 ? (int)n : 0;
}

/* Walk from the newest record to the record at which the last walk began.  The
 * walk finds the newest record first, but the lists have the oldest first.
 * Records below `old` were read in an earlier round.  -EBADMSG: the walk ended
 * at damage. */
static int
walk(struct tl_messages *m, struct tl_storage *file, uint64_t newest,
    uint64_t old, struct tl_faults *faults)
{
	uint64_t left = m->size / TIMELINE_RECORD_MIN + 1;
	uint64_t at = newest;
	struct tl_fault fault = { 0 };
	struct tl_record r;
	int rc;

	if (newest == 0 && m->filled > TIMELINE_STRINGS_START) {
		tl_faults_add(faults, offsetof(struct timeline_header, newest),
		    "the newest message record is not known");
		return -EBADMSG;
	}
	for (; at != 0 && at != m->newest; at = r.fixed.link) {
		if (at < old && !tl_messages_find(m, at) && !find_text(m, at) &&
		    (rc = read_again(m, file, at)) != 0)
			return rc;
		if (tl_record_at(&r, m->table, m->filled, at, m->base,
			&fault) != 0) {
			/* If a record, or a part of it, is behind the end of a
			 * truncated file, that is already a fault. */
			const uint64_t room = at <= m->size ? m->size - at : 0;
			struct timeline_record fixed = { .size = UINT32_MAX };

			if (room >= sizeof(fixed))
				memcpy(&fixed, m->table + at, sizeof(fixed));
			if (!m->is_cut || fixed.size <= room)
				*tl_faults_next(faults) = fault;
			return -EBADMSG;
		}
		rc = left-- ? add_record(m, &r, at, faults) : -EEXIST;
		if (rc == -EEXIST) {
			tl_faults_add(faults, m->base + at,
			    "the message records go round in a circle");
			return -EBADMSG;
		}
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
compare_messages(const void *a, const void *b)
{
	const struct tl_message *const *x = a, *const *y = b;

	return (*x)->id < (*y)->id ? -1 : (*x)->id > (*y)->id;
}

static int
compare_epochs(const void *a, const void *b)
{
	const struct tl_epoch *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static void
reverse(struct tl_messages *m, size_t from)
{
	for (size_t i = from, j = m->count; i + 1 < j; i++) {
		struct tl_message *message = m->list[i];

		m->list[i] = m->list[--j];
		m->list[j] = message;
	}
}

static void
reverse_epochs(struct tl_messages *m, size_t from)
{
	for (size_t i = from, j = m->epoch_count; i + 1 < j; i++) {
		struct tl_epoch epoch = m->epochs[i];

		m->epochs[i] = m->epochs[--j];
		m->epochs[j] = epoch;
	}
}

/* Find the records that the walk missed, by scanning the table.  Records in the
 * table are nearly in the order of definition. */
static int
rescue(struct tl_messages *m, size_t had, size_t had_epochs,
    struct tl_faults *faults)
{
	uint64_t at = TIMELINE_STRINGS_START;
	struct tl_record r;
	int rc = 0;

	while ((rc == 0 || rc == -EEXIST) &&
	       (at = tl_record_scan(&r, m->table, m->filled, at)) != 0) {
		rc = add_record(m, &r, at, faults);
		at += r.fixed.size;
	}
	if (m->count > had)
		qsort(m->list + had, m->count - had,
		    sizeof(struct tl_message *), compare_messages);
	if (m->epoch_count > had_epochs)
		qsort(m->epochs + had_epochs, m->epoch_count - had_epochs,
		    sizeof(struct tl_epoch), compare_epochs);
	return rc == -EEXIST ? 0 : rc;
}

/* Add a name.  A name without text belongs to a thread whose name is
 * unknown. */
static int
add_name(struct tl_names *names, const struct timeline_name *n)
{
	const size_t size = strnlen((const char *)n->text, sizeof(n->text));
	const int rc =
	    tl_names_add(names, n->pid, n->tid, tl_bytes(n->text, size));

	return rc == 0 && size == 0 && n->tid != 0
		   ? tl_names_hide(names, n->pid, n->tid)
		   : rc;
}

/* Find the sets of slots that are full.  An imported file has no sets, but a
 * list of all names. */
static int
find_full(struct tl_names *names, const struct timeline_name *list,
    const struct timeline_header *h)
{
	bool *full;

	if (h->state == TIMELINE_IMPORTED)
		return 0;
	full = calloc(h->names_max / TIMELINE_NAMES_SET, sizeof(*full));
	if (!full)
		return -ENOMEM;
	for (uint64_t set = 0; set < h->names_max / TIMELINE_NAMES_SET; set++) {
		full[set] = true;
		for (unsigned i = 0; i < TIMELINE_NAMES_SET; i++, list++)
			if (list->pid == 0 && list->tid == 0)
				full[set] = false;
	}
	tl_names_set_full(names, full, h->names_max);
	return 0;
}

/* Read the names if names were added.  If several threads had one pid and tid,
 * the last name counts. */
static int
read_names(struct tl_messages *m, struct tl_storage *file,
    const struct timeline_header *h)
{
	struct timeline_name *list;
	int64_t n;
	int rc = 0;

	if (h->names_offset == 0 || h->names_put == m->names_put)
		return 0;
	list = calloc(h->names_max, sizeof(*list));
	if (!list)
		return -ENOMEM;
	n = tl_storage_read_at(file, list, h->names_max * sizeof(*list),
	    h->names_offset);
	for (int64_t i = 0; rc == 0 && i < n / (int64_t)sizeof(*list); i++)
		if (list[i].sum == timeline_name_sum(&list[i]))
			rc = add_name(&m->names, &list[i]);
	if (rc == 0 && n >= 0)
		rc = find_full(&m->names, list, h);
	free(list);
	m->names_put = h->names_put;
	return n < 0 ? (int)n : rc;
}

/* Set the gates of the messages from the one with index from on.  table is a
 * copy of the first size bytes of the string table. */
static void
set_gates(struct tl_messages *m, size_t from,
    const uint8_t header[TIMELINE_GATES], const uint8_t *table, uint64_t size)
{
	for (size_t i = from; i < m->count; i++) {
		struct tl_message *message = m->list[i];
		const uint64_t number = message->id / TIMELINE_RECORD_MIN;
		const uint64_t at =
		    message->id + offsetof(struct timeline_record, gate);

		if (m->has_gates && number < TIMELINE_GATES)
			tl_store_8(&message->gate, header[number]);
		else if (at < size)
			tl_store_8(&message->gate, table[at]);
	}
}

int
tl_messages_update(struct tl_messages *m, struct tl_storage *file,
    const struct timeline_header *header, struct tl_faults *faults)
{
	const size_t had = m->count;
	const size_t had_epochs = m->epoch_count;
	const uint64_t old = m->filled;
	uint64_t end = header->strings_tail;
	int64_t n;
	int rc = read_names(m, file, header);

	if (rc != 0)
		return rc;
	if (end > m->size)
		end = m->size;
	if (end > m->filled) {
		n = tl_storage_read_at(file, m->table + m->filled,
		    end - m->filled, m->base + m->filled);
		if (n < 0)
			return (int)n;
		m->filled += (uint64_t)n;
	}
	rc = walk(m, file, header->newest, old, faults);
	m->newest = header->newest;
	if (rc == -EBADMSG) {
		rc = rescue(m, had, had_epochs, faults);
	} else {
		reverse(m, had);
		reverse_epochs(m, had_epochs);
	}
	set_gates(m, had, header->gates, m->table, m->filled);
	return rc;
}

int
tl_messages_read_gates(struct tl_messages *m, int fd)
{
	uint8_t *table = malloc(m->filled + 1);
	uint8_t gates[TIMELINE_GATES];
	int64_t n = -ENOMEM;
	int rc = -ENOMEM;

	if (table)
		rc = tl_read_zero_filled(fd, gates, sizeof(gates),
		    offsetof(struct timeline_header, gates));
	if (rc == 0 && (n = tl_read_at(fd, table, m->filled, m->base)) >= 0)
		set_gates(m, 0, gates, table, (uint64_t)n);
	free(table);
	return rc == 0 && n < 0 ? (int)n : rc;
}

uint32_t
tl_messages_epoch(const struct tl_messages *m, uint32_t lane, uint64_t number)
{
	for (size_t i = m->epoch_count; i > 0; i--)
		if (number >= m->epochs[i - 1].heads[lane])
			return m->epochs[i - 1].number;
	return 0;
}

void
tl_message_make_lost(struct tl_message *message)
{
	static const char text[] =
	    "message lost, with $a%x, $b%x, $c%x, and $d%x";
	int rc;

	*message = (struct tl_message){ .category = tl_bytes_of("?"),
		.kind = TIMELINE_RECORD_INSTANT,
		.level = TIMELINE_LEVEL_MAX };
	rc = tl_message_parse(message, tl_bytes_of(text));
	assert(rc == 0);
}

static size_t
places_size(const struct tl_messages *m)
{
	return (m->size / TIMELINE_RECORD_MIN + 1) * sizeof(*m->places);
}

void
tl_messages_free(struct tl_messages *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->count; i++)
		free(m->list[i]);
	for (size_t i = 0; i < m->epoch_count; i++)
		free(m->epochs[i].heads);
	free(m->epochs);
	free(m->list);
	tl_pages_unmap(m->places, places_size(m));
	tl_names_free(&m->names);
	free(m->texts);
	free(m->table);
	free(m);
}

int
tl_messages_new(struct tl_messages **messages,
    const struct timeline_header *header, uint64_t file_size)
{
	struct tl_messages *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->strings.get = string_of;
	m->base = header->strings_offset;
	m->has_gates = header->compat & TIMELINE_COMPAT_GATES;
	m->mult = header->clock.mult;
	m->lane_count = timeline_lane_count(header);
	if (file_size > m->base)
		m->size = file_size - m->base;
	if (m->size > header->strings_size)
		m->size = header->strings_size;
	m->is_cut = m->size < header->strings_size;
	tl_message_make_lost(&m->unknown);
	m->unknown.names = &m->names;
	m->table = malloc(m->size + 1);
	/* pages of its own: most are never touched */
	m->places = tl_pages_map(places_size(m));
	if (!m->table || !m->places) {
		tl_messages_free(m);
		return -ENOMEM;
	}
	*messages = m;
	return 0;
}
