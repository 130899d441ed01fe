/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origin.h - the origin of a file's events: facts about the machine and process
 * that viewer formats show and events do not carry.
 */
#ifndef TL_EVENT_ORIGIN_H
#define TL_EVENT_ORIGIN_H

#include "base/bytes.h"

enum { TL_ORIGIN_NAME_MAX = 64 };

struct tl_origin {
	char machine[65];    /* empty: unknown */
	char command[65];    /* of the process pid */
	uint32_t pid;        /* process that made the timeline; 0: unknown */
	char timeline[65];   /* name of the timeline; empty: unknown */
	uint8_t boot_id[16]; /* boot of the machine; all 0: unknown */
	/* The Unix time at which CLOCK_MONOTONIC and CLOCK_BOOTTIME were 0.  0
	 * is unknown: for example, the machine has rebooted since. */
	int64_t monotonic_ns;
	int64_t boottime_ns;
};

/* Set the origin to this machine and boot, without a process. */
void tl_origin_here(struct tl_origin *origin);

/* Copy a name from a file.  The name ends at a NUL or after 64 bytes. */
void tl_origin_name(char to[65], struct tl_bytes from);
/* Read a boot id of 32 digits, with or without dashes; all 0 if the text has
 * fewer digits. */
void tl_origin_boot(uint8_t id[16], struct tl_bytes from);
/* Write the 32 digits of a boot id and a NUL; only a NUL when the id is
 * unknown. */
enum { TL_ORIGIN_BOOT_SIZE = 33 };
void tl_origin_boot_text(const uint8_t id[16], char text[TL_ORIGIN_BOOT_SIZE]);

#endif
