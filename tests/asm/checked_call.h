/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checked_call.h - call a function and find what it spoils.
 *
 * Every register that the function must preserve is filled with noise, and the
 * stack on both sides of its frame with canaries.
 */
#ifndef TESTS_ASM_CHECKED_CALL_H
#define TESTS_ASM_CHECKED_CALL_H

/* offsets in struct checked_call, for the assembler */
#define CALL_FUNCTION    0
#define CALL_ARGS        8  /* rdi rsi rdx rcx r8 */
#define CALL_FLAGS       48 /* in */
#define CALL_FLAGS_OUT   56
#define CALL_KEPT        64 /* rbx rbp r12 r13 r14 r15, in */
#define CALL_KEPT_OUT    112
#define CALL_SCRATCH     160 /* rax r9 r10 r11, in */
#define CALL_RED_ZONE    192 /* bytes below the frame that it may write to */
#define CALL_STACK       200 /* the expected rsp */
#define CALL_STACK_OUT   208
#define CALL_BELOW       216 /* broken canaries below */
#define CALL_ABOVE       224 /* broken canaries above */
#define CALL_MXCSR       232 /* before, after */
#define CALL_CONTROL     240 /* x87 control word before, after */
#define CALL_WIDE        248 /* AVX: 256 bits count */
#define CALL_VECTORS     256 /* 16 of 32 bytes */
#define CALL_VECTORS_OUT 768
#define CALL_RETURNED    1280 /* rax */

#define CALL_CANARY   0x5ca1ab1e0ddba11
#define CALL_CANARIES 64                  /* quadwords on either side */
#define CALL_BIG_ZONE (8 * CALL_CANARIES) /* no canary below */

#ifndef __ASSEMBLER__
#	include <stddef.h>
#	include <stdint.h>

struct checked_call {
	void *function;
	uint64_t args[5];
	uint64_t flags;
	uint64_t flags_out;
	uint64_t kept[6];
	uint64_t kept_out[6];
	uint64_t scratch[4];
	uint64_t red_zone;
	uint64_t stack;
	uint64_t stack_out;
	uint64_t below;
	uint64_t above;
	uint32_t mxcsr[2];
	uint32_t control[2];
	uint64_t wide;
	uint8_t vectors[16][32];
	uint8_t vectors_out[16][32];
	uint64_t returned;
};
_Static_assert(offsetof(struct checked_call, kept) == CALL_KEPT, "kept");
_Static_assert(offsetof(struct checked_call, scratch) == CALL_SCRATCH,
    "scratch");
_Static_assert(offsetof(struct checked_call, below) == CALL_BELOW, "below");
_Static_assert(offsetof(struct checked_call, mxcsr) == CALL_MXCSR, "mxcsr");
_Static_assert(offsetof(struct checked_call, wide) == CALL_WIDE, "wide");
_Static_assert(offsetof(struct checked_call, vectors) == CALL_VECTORS,
    "vectors");
_Static_assert(offsetof(struct checked_call, vectors_out) == CALL_VECTORS_OUT,
    "vectors_out");
_Static_assert(offsetof(struct checked_call, returned) == CALL_RETURNED,
    "returned");

void checked_call(struct checked_call *call);

/*
 * Functions that each spoil one thing: the check must find every one of them.
 */
void spoil_nothing(void);
void spoil_rbx(void);
void spoil_rbp(void);
void spoil_r12(void);
void spoil_r13(void);
void spoil_r14(void);
void spoil_r15(void);
void spoil_direction(void);
void spoil_above(void);
void spoil_below(void);
void spoil_red_zone(void);
void spoil_mxcsr(void);
void spoil_control(void);
void spoil_xmm0(void);
void spoil_xmm15(void);
void spoil_ymm7(void);
#endif

#endif
