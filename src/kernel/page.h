/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.h - the pages of the kernel's ring buffer, and the events in them.
 *
 *	page	stamp 8 | commit 8 | records ... | (number lost 8)
 *	record	type 5 bits, delta 27 | array 32 ... | payload
 *
 *	 0	data; array[0] is the length of itself and the payload
 *	 1-28	data of type * 4 bytes
 *	 29	padding: delta 0 ends the page, else a discarded record
 *	 30	time extend: delta += array[0] << 27
 *	 31	absolute time, 59 bits of it
 *
 * The low 20 bits of commit are the bytes of records.  Bit 31: events were lost
 * before this page; bit 30: the number of lost events stands after the records.
 *
 * Everything that the kernel describes is read, not assumed: the file
 * events/header_page gives the size of a page and the place of its data, and
 * the file format of an event gives the places of its fields.  These files and
 * the pages may come from another machine: every length is checked.
 *
 * Pure functions: no system calls, no allocation, any thread.
 */
#ifndef TL_KERNEL_PAGE_H
#define TL_KERNEL_PAGE_H

#include "base/bytes.h"
#include "base/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TL_KERNEL_PAGE_MAX = 1 << 20, TL_KERNEL_NAME_MAX = 16 };

/* The places of the parts of a page. */
struct tl_page_layout {
	uint32_t size; /* of the page, bytes */
	uint32_t data; /* where the records begin */
};

/* Parse the text of events/header_page.  Returns 0, or -EBADMSG with a
 * fault. */
int tl_page_layout_parse(struct tl_page_layout *layout, struct tl_bytes text,
    struct tl_fault *fault);

struct tl_page_walk {
	const uint8_t *at;
	const uint8_t *end;
	uint64_t stamp;  /* of the page, then of the last record */
	bool lost;       /* events were lost before this page */
	uint64_t missed; /* how many; 0: unknown */
};

/* A record that has a payload. */
struct tl_page_record {
	uint64_t stamp;
	struct tl_bytes payload;
};

/* Begin to walk a page of which size bytes were read.  Returns 0 or
 * -EBADMSG. */
int tl_page_begin(struct tl_page_walk *walk,
    const struct tl_page_layout *layout, const uint8_t *page, size_t size);
/* Get the next record.  Returns 1, 0 at the end, or -EBADMSG at an impossible
 * length. */
int tl_page_next(struct tl_page_walk *walk, struct tl_page_record *record);

/* == events == */

enum tl_kernel_kind {
	TL_KERNEL_NONE,
	TL_KERNEL_SWITCH,
	TL_KERNEL_WAKING,
	TL_KERNEL_NEW, /* woken for the first time */
	TL_KERNEL_ENTRY,
	TL_KERNEL_EXIT,
	TL_KERNEL_FAULT
};

/* The kind of an interrupt. */
enum tl_kernel_vector {
	TL_VECTOR_DEVICE,
	TL_VECTOR_SOFTIRQ,
	TL_VECTOR_TIMER,
	TL_VECTOR_RESCHEDULE,
	TL_VECTOR_CALL
};

/* The context in which an event was recorded: bits of common_flags. */
enum { TL_KERNEL_HARDIRQ = 0x08, TL_KERNEL_SOFTIRQ = 0x10 };

struct tl_kernel_event {
	uint64_t stamp;
	uint8_t kind;     /* enum tl_kernel_kind */
	uint8_t flags;    /* common_flags */
	uint8_t vector;   /* enum tl_kernel_vector, of entry and exit */
	uint32_t current; /* the thread that was running */
	/* Switch: prev_pid.  Waking: pid.  Interrupt: its number. */
	uint32_t tid;
	uint32_t next;  /* of a switch */
	uint64_t state; /* switch: prev_state; fault: address */
	char name[TL_KERNEL_NAME_MAX + 1]; /* of next, or of the woken task */
};

/* The known events, with their folders and names below events/. */
struct tl_kernel_known {
	const char *system;
	const char *name;
	uint8_t kind;
	uint8_t vector;
	bool optional; /* a kernel may lack the event */
};
enum { TL_KERNEL_KNOWN = 14, TL_KERNEL_FIELDS = 8 };
extern const struct tl_kernel_known tl_kernel_known[TL_KERNEL_KNOWN];

struct tl_kernel_field {
	uint16_t offset;
	uint8_t size; /* 0: the event lacks the field */
	bool is_signed;
};

/* The formats of a kernel.  Starts from all zeros. */
struct tl_kernel_formats {
	struct {
		uint16_t id; /* 0: the kernel lacks the event */
		struct tl_kernel_field fields[TL_KERNEL_FIELDS];
	} events[TL_KERNEL_KNOWN];
};

/* Parse the file format of known event i.  Returns 0, or -EBADMSG with a
 * fault. */
int tl_kernel_format_parse(struct tl_kernel_formats *formats, size_t i,
    struct tl_bytes text, struct tl_fault *fault);

/* Decode a record.  Returns false if the event is not known or the record is
 * too short. */
bool tl_kernel_decode(const struct tl_kernel_formats *formats,
    const struct tl_page_record *record, struct tl_kernel_event *event);

/* The letters of a switch's state, as the kernel prints them: R, R+
 * (preempted), S, D ...; text has room for 12 bytes. */
const char *tl_kernel_state(uint64_t state, char text[12]);

#endif
