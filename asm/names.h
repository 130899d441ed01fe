/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - the registers of asm/log.S and asm/timer.S by name. */
#ifndef TIMELINE_ASM_NAMES_H
#define TIMELINE_ASM_NAMES_H

/* in: System V AMD64, never changed before commit but for arg1 */
#define EVENT	rdi
#define ARG0	rsi
#define ARG1	rdx	/* rdtsc destroys it: kept in the red zone */
#define ARG2	rcx
#define ARG3	r8

/* scratch */
#define HEAD	r9	/* the lane's head, in the file */
#define NUMBER	r10	/* q, number of the entry in its lane */
#define SLOT	r11	/* the entry, in the file */
#define NOW	rax	/* the stamp */

/* red zone: signal frames skip these 128 bytes */
#define KEPT_ARG1 (-8)
#define TRIES	  (-16)
#define KEPT_GATE (-24)
#define KEPT_SHARE (-20)

/* struct rseq of the kernel (linux/rseq.h) */
#define RSEQ_CPU_ID  4
#define RSEQ_RSEQ_CS 8

/* glibc's on x86: stands before the abort address */
#define RSEQ_SIGNATURE 0x53053053

#endif
