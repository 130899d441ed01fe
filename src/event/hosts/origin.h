/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origin.h - the origin of a file's events: the fields of a machine in viewer
 * formats, which no event has.
 */
#ifndef TL_EVENT_ORIGIN_H
#define TL_EVENT_ORIGIN_H

#include "base/bytes.h"

enum { TL_ORIGIN_NAME_MAX = 64 };

struct tl_origin {
	char machine[65];    /* its name; empty: unknown */
	char command[65];    /* of process pid, which made the timeline */
	uint32_t pid;        /* 0: unknown */
	char timeline[65];   /* which of its timelines; empty: unknown */
	uint8_t boot_id[16]; /* which start of the machine; all 0: unknown */
	/* Unix time at which CLOCK_MONOTONIC and CLOCK_BOOTTIME were 0; 0:
	 * unknown, as where the machine was started again since. */
	int64_t monotonic_ns;
	int64_t boottime_ns;
};

/* This machine, since it was started; no process. */
void tl_origin_here(struct tl_origin *origin);

/* A name out of a file: up to its NUL, if it has one, and cut if need be. */
void tl_origin_name(char to[65], struct tl_bytes from);
/* The boot id, of 32 digits with or without dashes; else all 0. */
void tl_origin_boot(uint8_t id[16], struct tl_bytes from);
/* The 32 digits of a boot id and a NUL; only the NUL where it is unknown. */
enum { TL_ORIGIN_BOOT_SIZE = 33 };
void tl_origin_boot_text(const uint8_t id[16], char text[TL_ORIGIN_BOOT_SIZE]);

#endif
