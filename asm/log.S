/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.S - the append: one event into the lane of the CPU it runs on.
 *
 *	timeline_log(event, a0, a1, a2, a3)	tests the gate, then
 *	timeline_append(event, a0, a1, a2, a3)	appends
 *	timeline_span_log, timeline_span_append	the same, and their callers
 *						use what is returned
 *
 * in	rdi event, rsi rdx rcx r8 the arguments; all 64 bits count
 * out	rax the stamp of the entry; 0: it was not logged.  rdx r9 r10 r11 and
 *	flags change, no vector register does
 * stack	nothing but 24 bytes of red zone: for an unwinder each instruction,
 *	log_abort too, stands as the first one does
 * cost	see make bench; the floor is one rdtsc
 *
 *	arm	tls.rseq_cs = &section
 *	start	cpu = tls.rseq.cpu_id; not below event.lanes: leave (fallback)
 *		lane = f(cpu, tier); q = lane.head; slot = q & mask
 *		slot.stamp = 2q+1; slot.args = ...
 *		no ids yet: leave (ids); slot.{ids,message} = ...
 *		slot.tsc = now = rdtsc
 *		gate < base, and by the levels word as it is now
 *			the gate is closed or the burst is over: leave
 *			(expired)
 *			no burst opens it, and the plan's lease is over: leave
 *			(expired), or the slot of now is closed: leave
 *		slot.stamp = 2q+2
 *	commit	lane.head = q+1, the last instruction of the section
 *	abort	the first time: arm with the descriptor of the second try; the
 *		second time: leave (fallback)
 *
 * The kernel moves a thread that was preempted, migrated or signalled inside
 * [start, commit] to log_abort: whatever it stored lies in the slot that the
 * next append of this CPU writes again.  So nothing else is stored there,
 * nothing in the section calls, locks or moves strings, and every instruction
 * that can still reach commit lies inside it; paths out of line only leave.
 *
 * The descriptor counts the tries, because a store that counts them costs a
 * cycle where another hyperthread shares the core.  A thread is aborted twice
 * in a row where a debugger steps it, or where its counter traps.
 *
 * What costs is the rdtsc, and next the number of instructions, not their
 * order.  So the section has two of it: an event that is open without a burst
 * neither needs nor waits for the end of one.  The taken branch has to be
 * there: the kernel knows one range, and both ways must lie inside.
 *
 * The twin in C is src/ring/log_c.c; tests/asm compares the two.
 */
#define __ASSEMBLER__ 1
#include <timeline_layout.h>
#include "names.h"

	.intel_syntax noprefix

/* What the kernel reads: 32-byte aligned, read only, never unloaded
 * (tl_stay_loaded). */
	.section .data.rel.ro.timeline, "aw", @progbits
	.balign	32
log_section:
	.long	0, 0			/* version, flags */
	.quad	log_start
	.quad	log_commit_end - log_start
	.quad	log_abort
	.balign	32
log_section_again:
	.long	0, 0
	.quad	log_start
	.quad	log_commit_end - log_start
	.quad	log_abort_again

	.text

	.globl	timeline_log
	.type	timeline_log, @function
	.globl	timeline_span_log
	.type	timeline_span_log, @function
	.balign	64
timeline_span_log:
timeline_log:
	.cfi_startproc
	endbr64
	mov	rax, [EVENT + TIMELINE_EVENT_GATE]	# the message's gate
	mov	r9, [EVENT + TIMELINE_EVENT_LEVELS]	# the levels word
	movzx	eax, byte ptr [rax]
	cmp	al, [r9]				# open?
	jae	.Lappend
	xor	eax, eax
	ret
	.cfi_endproc
	.size	timeline_log, . - timeline_log
	.size	timeline_span_log, . - timeline_span_log

	.globl	timeline_append
	.type	timeline_append, @function
	.globl	timeline_span_append
	.type	timeline_span_append, @function
	.balign	64
timeline_span_append:
timeline_append:
	.cfi_startproc
	endbr64
.Lappend:
	mov	[rsp + KEPT_ARG1], ARG1			# rdtsc eats rdx
	movsxd	r11, dword ptr [EVENT + TIMELINE_EVENT_RSEQ]
	lea	rax, [rip + log_section]
.Larm:
	mov	fs:[r11 + RSEQ_RSEQ_CS], rax
log_start:
	mov	eax, fs:[r11 + RSEQ_CPU_ID]		# -1, -2: none
	cmp	eax, [EVENT + TIMELINE_EVENT_LANES]	# a lane of ours?
	jae	.Lfallback
	mov	r9d, [EVENT + TIMELINE_EVENT_HEAD_STEP]
	mov	r11d, [EVENT + TIMELINE_EVENT_LANE_STEP]
	imul	r9, rax					# the lane's head
	imul	r11, rax				# its first entry
	add	HEAD, [EVENT + TIMELINE_EVENT_HEADS]
	mov	eax, [EVENT + TIMELINE_EVENT_MASK]
	mov	NUMBER, [HEAD]				# q
	and	rax, NUMBER
	add	SLOT, rax				# entries into tier
	shl	SLOT, TIMELINE_ENTRY_SHIFT		# bytes
	add	SLOT, [EVENT + TIMELINE_EVENT_ENTRIES]
	lea	rax, [NUMBER + NUMBER + 1]		# 2q+1: being written
	mov	[SLOT + TIMELINE_OFF_STAMP], rax
	movsxd	rax, dword ptr [EVENT + TIMELINE_EVENT_IDS]
	mov	[SLOT + TIMELINE_OFF_ARGS], ARG0
	mov	rax, fs:[rax]				# pid and tid
	mov	[SLOT + TIMELINE_OFF_ARGS + 8], ARG1
	test	rax, rax				# known?
	jz	.Lids
	mov	[SLOT + TIMELINE_OFF_TID], rax
	mov	eax, [EVENT + TIMELINE_EVENT_MESSAGE]	# and cpu 0
	mov	[SLOT + TIMELINE_OFF_ARGS + 16], ARG2
	mov	[SLOT + TIMELINE_OFF_MESSAGE], rax
	mov	rax, [EVENT + TIMELINE_EVENT_GATE]
	mov	[SLOT + TIMELINE_OFF_ARGS + 24], ARG3
	mov	rdx, [EVENT + TIMELINE_EVENT_LEVELS]
	movzx	eax, byte ptr [rax]			# gate
	cmp	al, [rdx + 1]				# open without burst?
	jae	.Lplain
	mov	[rsp + KEPT_GATE], al			# rdtsc eats rax
	rdtsc						# now
	shl	rdx, 32
	or	NOW, rdx
	mov	rdx, [EVENT + TIMELINE_EVENT_LEVELS]
	mov	[SLOT + TIMELINE_OFF_TSC], NOW
	mov	rdx, [rdx]				# levels, loaded once
	cmp	[rsp + KEPT_GATE], dl			# open by this word?
	jb	.Lexpired				# by another before
	shr	rdx, TIMELINE_LEVELS_THRESHOLD
	mov	eax, edx
	and	eax, 15
	cmp	[rsp + KEPT_GATE], al			# by a burst?
	jb	.Lslot
	mov	NOW, [SLOT + TIMELINE_OFF_TSC]
	shr	rdx, TIMELINE_LEVELS_UNTIL - TIMELINE_LEVELS_THRESHOLD
	shr	NOW, TIMELINE_UNTIL_SHIFT
	sub	rdx, NOW				# what is left,
	shl	rdx, TIMELINE_LEVELS_UNTIL		# of 44 bits
	shr	rdx, TIMELINE_LEVELS_UNTIL
	cmp	rdx, [EVENT + TIMELINE_EVENT_BURST_MAX]
	ja	.Lexpired				# nothing, or too much
	mov	NOW, [SLOT + TIMELINE_OFF_TSC]
	jmp	.Lwhole
.Lslot:
	mov	rdx, [EVENT + TIMELINE_EVENT_LEVELS]
	movzx	eax, byte ptr [rsp + KEPT_GATE]
	mov	eax, [rdx + TIMELINE_PLAN_SHARES + rax * 4]
	mov	[rsp + KEPT_SHARE], eax
	mov	rax, [rdx + TIMELINE_PLAN_LEASE]
	cmp	rax, [SLOT + TIMELINE_OFF_TSC]
	jb	.Lexpired				# it was not renewed
	neg	eax					# its low byte: shift
	xor	edx, edx
	bts	rdx, rax				# 2^(64 - shift)
	mov	rax, [SLOT + TIMELINE_OFF_TSC]
	mul	rdx					# rdx: slot of now
	mov	rax, [EVENT + TIMELINE_EVENT_LEVELS]
	add	rdx, [rax + TIMELINE_PLAN_SEED]
	movabs	rax, TIMELINE_HASH_STEP			# splitmix64
	add	rdx, rax
	mov	rax, rdx
	shr	rax, 30
	xor	rdx, rax
	movabs	rax, TIMELINE_HASH_FIRST
	imul	rdx, rax
	mov	rax, rdx
	shr	rax, 27
	xor	rdx, rax
	movabs	rax, TIMELINE_HASH_SECOND
	imul	rdx, rax
	mov	rax, rdx
	shr	rax, 31
	xor	rdx, rax
	shr	rdx, 32
	mov	NOW, [SLOT + TIMELINE_OFF_TSC]
	cmp	edx, [rsp + KEPT_SHARE]
	jb	.Lwhole					# open
	xor	eax, eax
	ret
.Lplain:
	rdtsc						# now
	shl	rdx, 32
	or	NOW, rdx
	mov	[SLOT + TIMELINE_OFF_TSC], NOW
.Lwhole:
	lea	rdx, [NUMBER + NUMBER + 2]		# 2q+2: whole
	inc	NUMBER
	mov	[SLOT + TIMELINE_OFF_STAMP], rdx
	mov	[HEAD], NUMBER				# commit
log_commit_end:
	ret

	.byte	0x0f, 0xb9, 0x3d			# ud1 edi, [rip+...]
	.long	RSEQ_SIGNATURE
log_abort:
	mov	ARG1, [rsp + KEPT_ARG1]
	movsxd	r11, dword ptr [EVENT + TIMELINE_EVENT_RSEQ]
	lea	rax, [rip + log_section_again]
	jmp	.Larm

	.byte	0x0f, 0xb9, 0x3d
	.long	RSEQ_SIGNATURE
log_abort_again:
.Lfallback:
	mov	ARG1, [rsp + KEPT_ARG1]
	jmp	tl_append_fallback
.Lexpired:
	mov	ARG1, [rsp + KEPT_ARG1]
	jmp	tl_append_expired
.Lids:							# ARG1 is whole yet
	jmp	tl_append_ids
	.cfi_endproc
	.size	timeline_append, . - timeline_append
	.size	timeline_span_append, . - timeline_span_append

	.hidden	tl_append_fallback
	.hidden	tl_append_expired
	.hidden	tl_append_ids

#include "marks.h"
