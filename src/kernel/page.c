/* SPDX-License-Identifier: Apache-2.0 */
/* page.c - walk a page, read formats, decode events. */
#include "kernel/page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TYPE_LONG = 0,
	TYPE_PADDING = 29,
	TYPE_EXTEND = 30,
	TYPE_STAMP = 31,
	DELTA_BITS = 27,
	STAMP_BITS = 59,
	WORD = 4
};

#define COMMIT_SIZE   UINT64_C(0xfffff)
#define COMMIT_LOST   (UINT64_C(1) << 31)
#define COMMIT_STORED (UINT64_C(1) << 30)

static uint64_t
load(const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, at, size);
	return value;
}

/* == fields, as the kernel describes them == */

/* The number after a key like "offset:" on the line, or -1 without the key. */
static long
number_after(struct tl_bytes line, const char *key)
{
	char text[16] = "";
	const char *at = memmem(line.data, line.size, key, strlen(key));
	size_t left;

	if (!at)
		return -1;
	at += strlen(key);
	left = (size_t)((const char *)line.data + line.size - at);
	memcpy(text, at, left < sizeof(text) - 1 ? left : sizeof(text) - 1);
	return strtol(text, NULL, 10);
}

/* Does a line "field:TYPE NAME; ..." or "field:TYPE NAME[N]; ..." describe the
 * field of this name? */
static bool
is_field(struct tl_bytes line, const char *name)
{
	const char *end = memchr(line.data, ';', line.size);
	const size_t size = strlen(name);
	const char *bracket;

	if (!end || !memmem(line.data, line.size, "field:", 6))
		return false;
	bracket =
	    memchr(line.data, '[', (size_t)(end - (const char *)line.data));
	if (bracket && !memchr(bracket, ' ', (size_t)(end - bracket)))
		end = bracket;
	return (size_t)(end - (const char *)line.data) > size &&
	       memcmp(end - size, name, size) == 0 &&
	       end[-1 - (long)size] == ' ';
}

/* Find a field in a format.  Returns false if there is no such field, or the
 * field is impossible. */
static bool
find_field(struct tl_bytes text, const char *name, struct tl_kernel_field *out,
    uint32_t *size)
{
	const char *at = (const char *)text.data;
	const char *end = at + text.size;

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		const struct tl_bytes line =
		    tl_bytes(at, (size_t)((stop ? stop : end) - at));
		const long offset = number_after(line, "offset:");
		const long bytes = number_after(line, "size:");

		at = stop ? stop + 1 : end;
		if (!is_field(line, name))
			continue;
		if (offset < 0 || offset > UINT16_MAX || bytes <= 0 ||
		    bytes > TL_KERNEL_PAGE_MAX)
			return false;
		*out = (struct tl_kernel_field){ .offset = (uint16_t)offset,
			.size = (uint8_t)(bytes > 255 ? 255 : bytes),
			.is_signed = number_after(line, "signed:") == 1 };
		*size = (uint32_t)bytes;
		return true;
	}
	return false;
}

int
tl_page_layout_parse(struct tl_page_layout *layout, struct tl_bytes text,
    struct tl_fault *fault)
{
	struct tl_kernel_field stamp, commit, data;
	uint32_t size;

	if (!find_field(text, "timestamp", &stamp, &size) ||
	    stamp.offset != 0 || size != 8 ||
	    !find_field(text, "commit", &commit, &size) || commit.offset != 8 ||
	    size != 8 || !find_field(text, "data", &data, &size) ||
	    data.offset < 16 || data.offset + size > TL_KERNEL_PAGE_MAX)
		return tl_fail(fault, -EBADMSG,
		    "events/header_page describes pages of an unknown layout");
	*layout = (struct tl_page_layout){ .size = data.offset + size,
		.data = data.offset };
	return 0;
}

/* == pages == */

int
tl_page_begin(struct tl_page_walk *walk, const struct tl_page_layout *layout,
    const uint8_t *page, size_t size)
{
	uint64_t commit, used;

	if (size < layout->data || size > layout->size)
		return -EBADMSG;
	commit = load(page + 8, 8);
	used = commit & COMMIT_SIZE;
	if (used > size - layout->data)
		return -EBADMSG;
	*walk = (struct tl_page_walk){ .at = page + layout->data,
		.end = page + layout->data + used,
		.stamp = load(page, 8),
		.lost = (commit & COMMIT_LOST) != 0 };
	if (walk->lost && (commit & COMMIT_STORED) &&
	    size - layout->data - used >= 8)
		walk->missed = load(walk->end, 8);
	return 0;
}

int
tl_page_next(struct tl_page_walk *walk, struct tl_page_record *record)
{
	while ((size_t)(walk->end - walk->at) >= WORD) {
		const size_t left = (size_t)(walk->end - walk->at);
		const uint32_t head = (uint32_t)load(walk->at, WORD);
		const uint32_t type = head & 31;
		const uint64_t delta = head >> 5;
		uint64_t array, length;

		if (type == TYPE_PADDING && delta == 0)
			break;
		if (type > TYPE_LONG && type < TYPE_PADDING) {
			length = WORD + (uint64_t)type * WORD;
			if (length > left)
				return -EBADMSG;
			walk->stamp += delta;
			*record = (struct tl_page_record){ walk->stamp,
				tl_bytes(walk->at + WORD, length - WORD) };
			walk->at += length;
			return 1;
		}
		if (left < 2 * WORD)
			return -EBADMSG;
		array = load(walk->at + WORD, WORD);
		if (type == TYPE_EXTEND || type == TYPE_STAMP) {
			const uint64_t n = (array << DELTA_BITS) + delta;
			const uint64_t before = walk->stamp;

			/* an absolute stamp has the upper bits of the stamp
			 * before */
			walk->stamp =
			    type == TYPE_EXTEND
				? before + n
				: (before >> STAMP_BITS << STAMP_BITS | n);
			if (type == TYPE_STAMP && walk->stamp < before)
				walk->stamp += UINT64_C(1) << STAMP_BITS;
			walk->at += 2 * WORD;
			continue;
		}
		length = WORD + array;
		if (array < WORD || length > left)
			return -EBADMSG;
		/* a discarded record whose delta was 0 has a delta of 1 */
		if (type == TYPE_LONG || delta > 1)
			walk->stamp += delta;
		*record = (struct tl_page_record){ walk->stamp,
			tl_bytes(walk->at + 2 * WORD,
			    length - 2 * (size_t)WORD) };
		/* the length is rounded up to whole words */
		length = (length + WORD - 1) / WORD * WORD;
		walk->at += length < left ? length : left;
		if (type == TYPE_LONG)
			return 1;
	}
	walk->at = walk->end;
	return 0;
}

/* == events == */

const struct tl_kernel_known tl_kernel_known[TL_KERNEL_KNOWN] = {
	{ "sched", "sched_switch", TL_KERNEL_SWITCH, 0, false },
	{ "sched", "sched_waking", TL_KERNEL_WAKING, 0, false },
	{ "sched", "sched_wakeup_new", TL_KERNEL_NEW, 0, false },
	{ "irq", "irq_handler_entry", TL_KERNEL_ENTRY, TL_VECTOR_DEVICE, true },
	{ "irq", "irq_handler_exit", TL_KERNEL_EXIT, TL_VECTOR_DEVICE, true },
	{ "irq", "softirq_entry", TL_KERNEL_ENTRY, TL_VECTOR_SOFTIRQ, true },
	{ "irq", "softirq_exit", TL_KERNEL_EXIT, TL_VECTOR_SOFTIRQ, true },
	{ "irq_vectors", "local_timer_entry", TL_KERNEL_ENTRY, TL_VECTOR_TIMER,
	    true },
	{ "irq_vectors", "local_timer_exit", TL_KERNEL_EXIT, TL_VECTOR_TIMER,
	    true },
	{ "irq_vectors", "reschedule_entry", TL_KERNEL_ENTRY,
	    TL_VECTOR_RESCHEDULE, true },
	{ "irq_vectors", "reschedule_exit", TL_KERNEL_EXIT,
	    TL_VECTOR_RESCHEDULE, true },
	{ "irq_vectors", "call_function_single_entry", TL_KERNEL_ENTRY,
	    TL_VECTOR_CALL, true },
	{ "irq_vectors", "call_function_single_exit", TL_KERNEL_EXIT,
	    TL_VECTOR_CALL, true },
	{ "exceptions", "page_fault_user", TL_KERNEL_FAULT, 0, true },
};

/* The use of a field; every event has the first three. */
enum { COMMON_TYPE, COMMON_FLAGS, COMMON_PID, TID, STATE, NEXT, NAME };

static const char *
field_name(uint8_t kind, uint8_t vector, unsigned use)
{
	static const char *const common[] = { "common_type", "common_flags",
		"common_pid" };
	static const char *const of_switch[] = { "prev_pid", "prev_state",
		"next_pid", "next_comm" };
	static const char *const of_waking[] = { "pid", NULL, NULL, "comm" };

	if (use < TID)
		return common[use];
	switch (kind) {
	case TL_KERNEL_SWITCH:
		return of_switch[use - TID];
	case TL_KERNEL_WAKING:
	case TL_KERNEL_NEW:
		return of_waking[use - TID];
	case TL_KERNEL_FAULT:
		return use == STATE ? "address" : NULL;
	default:
		return use != TID                    ? NULL
		       : vector == TL_VECTOR_DEVICE  ? "irq"
		       : vector == TL_VECTOR_SOFTIRQ ? "vec"
						     : "vector";
	}
}

int
tl_kernel_format_parse(struct tl_kernel_formats *formats, size_t i,
    struct tl_bytes text, struct tl_fault *fault)
{
	const struct tl_kernel_known *known = &tl_kernel_known[i];
	const char *id = memmem(text.data, text.size, "ID: ", 4);
	uint32_t size;

	for (unsigned use = COMMON_TYPE; use <= NAME; use++) {
		const char *name = field_name(known->kind, known->vector, use);

		if (name &&
		    (!find_field(text, name, &formats->events[i].fields[use],
			 &size) ||
			(use == NAME ? size > TL_KERNEL_NAME_MAX : size > 8)))
			return tl_fail(fault, -EBADMSG,
			    "events/%s/%s/format: no field %s", known->system,
			    known->name, name);
	}
	formats->events[i].id = id ? (uint16_t)number_after(text, "ID: ") : 0;
	if (formats->events[i].id == 0)
		return tl_fail(fault, -EBADMSG, "events/%s/%s/format: no ID",
		    known->system, known->name);
	return 0;
}

/* The value of a payload's field, extended by its sign; 0 if the event lacks
 * the field. */
static uint64_t
value_of(struct tl_bytes payload, const struct tl_kernel_field *f)
{
	uint64_t value;

	if (f->size == 0 || f->size > 8)
		return 0;
	value = load((const uint8_t *)payload.data + f->offset, f->size);
	if (f->is_signed && f->size < 8 && value >> (8 * f->size - 1))
		value |= ~UINT64_C(0) << 8 * f->size;
	return value;
}

static bool
fits(struct tl_bytes payload, const struct tl_kernel_field *fields)
{
	for (unsigned use = COMMON_TYPE; use <= NAME; use++)
		if ((size_t)fields[use].offset + fields[use].size >
		    payload.size)
			return false;
	return true;
}

bool
tl_kernel_decode(const struct tl_kernel_formats *formats,
    const struct tl_page_record *record, struct tl_kernel_event *event)
{
	const struct tl_bytes payload = record->payload;
	const struct tl_kernel_field *fields;
	uint16_t id;
	size_t i = 0;

	if (payload.size < sizeof(id))
		return false;
	/* the first field of every event is common_type */
	id = (uint16_t)load((const uint8_t *)payload.data, sizeof(id));
	while (i < TL_KERNEL_KNOWN && formats->events[i].id != id)
		i++;
	if (id == 0 || i == TL_KERNEL_KNOWN)
		return false;
	fields = formats->events[i].fields;
	if (!fits(payload, fields))
		return false;
	*event = (struct tl_kernel_event){ .stamp = record->stamp,
		.kind = tl_kernel_known[i].kind,
		.vector = tl_kernel_known[i].vector,
		.flags = (uint8_t)value_of(payload, &fields[COMMON_FLAGS]),
		.current = (uint32_t)value_of(payload, &fields[COMMON_PID]),
		.tid = (uint32_t)value_of(payload, &fields[TID]),
		.state = value_of(payload, &fields[STATE]),
		.next = (uint32_t)value_of(payload, &fields[NEXT]) };
	if (fields[NAME].size > 0)
		memcpy(event->name,
		    (const uint8_t *)payload.data + fields[NAME].offset,
		    fields[NAME].size);
	return true;
}

const char *
tl_kernel_state(uint64_t state, char text[12])
{
	static const char letters[] = "SDTtXZPI";
	size_t n = 0;

	for (unsigned i = 0; i < 8; i++)
		if (state >> i & 1)
			text[n++] = letters[i];
	if (n == 0)
		text[n++] = 'R';
	if (state & 0x100)
		text[n++] = '+';
	text[n] = '\0';
	return text;
}
