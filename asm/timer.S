/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timer.S - the end of a timed span, and an event with a stamp of the caller's.
 *
 *	timeline_timer_append(timer, begin, a0, a1, a2, a3)
 *		adds now - begin to the timer's histogram of this CPU and, if
 *		it is long enough, appends an entry that ends now
 *	timeline_append_at(event, stamp, a0, a1, a2, a3)
 *		appends; the gate was tested
 *
 * in	rdi event, rsi begin or stamp, rdx rcx r8 r9 the arguments
 * out	nothing; rax rdx rcx rsi r9 r10 r11, xmm0 to xmm3 and flags change
 * stack	nothing but 64 bytes of red zone
 *
 *	count	arm; cpu = tls.rseq.cpu_id; not below event.lanes: leave (end)
 *		now = rdtsc; d = now - begin
 *		h = histogram of cpu; n = h.count
 *		old = h.state[n & 1]; h.values[old.bucket] = old.value
 *		h.state[(n + 1) & 1] = { bucket, h.values[bucket] + 1,
 *		    old.sum + d, max(old.max, d) }
 *	commit	h.count = n + 1, the last instruction of the section
 *	abort	begin is what the caller gave; over 2 tries: leave (end)
 *
 *	append	as log.S does, but stamp is given.  Where it is before that of
 *		the lane's entry before, or well after it, the clock is read:
 *		stamp = the nearest to it in [min(before, now), now]; moved
 *		The entry of a timer is never moved: its begin would move, too.
 *		Where its stamp is below before <= now, the thread was
 *		interrupted since the count: leave (keep)
 *
 *	end	tl_timer_end(timer, begin, ...): nothing is counted; C reads
 *		the clock of the timeline
 *	keep	tl_timer_keep(timer, now, ..., word): d was counted; the word
 *		message | code of d << 32 is in xmm0, as a double is passed,
 *		because the other arguments take all six registers
 *
 * Stores are what the append costs where no clock is read, so what an abort
 * needs back is kept in vector registers.
 *
 * The rules of log.S hold: whatever a section stored before it was aborted is
 * stored again, the same, or lies where no reader looks.  The first state is at
 * 64, so the other one is at the address with bit 5 turned.
 *
 * The twin in C is src/ring/timer.c; tests/asm compares the two.
 */
#define __ASSEMBLER__ 1
#include <timeline_layout.h>
#include "names.h"

/* red zone, beside that of names.h */
#define KEPT_A1	  (-32)	/* the second argument */
#define KEPT_NOW  (-40)
#define KEPT_BEGIN (-48)
#define KEPT_A0	  KEPT_ARG1
#define FLAGS	  (TRIES + 1)	/* a byte */
#define SAVED	  1		/* rdx, rcx are in xmm0, xmm1 */
#define COUNTED	  2		/* the entry of a timer */

#define STAMP	rsi
#define TIME	rsi	/* the duration */

	.intel_syntax noprefix

	.section .data.rel.ro.timeline, "aw", @progbits
	.balign	32
count_section:
	.long	0, 0
	.quad	timer_start
	.quad	timer_commit_end - timer_start
	.quad	timer_abort
	.balign	32
at_section:
	.long	0, 0
	.quad	at_start
	.quad	at_commit_end - at_start
	.quad	at_abort

	.text

	.globl	timeline_timer_append
	.type	timeline_timer_append, @function
	.balign	64
timeline_timer_append:
	.cfi_startproc
	endbr64
	mov	rax, [EVENT + TIMELINE_EVENT_GATE]
	mov	r10, [EVENT + TIMELINE_EVENT_LEVELS]
	movzx	eax, byte ptr [rax]
	mov	[rsp + KEPT_A0], rdx			# rdtsc eats rdx
	mov	[rsp + KEPT_A1], rcx
	mov	[rsp + KEPT_BEGIN], rsi
	mov	dword ptr [rsp + TRIES], TIMELINE_TRIES_MAX
	cmp	al, [r10 + 1]				# open without burst?
	jb	.Lend
.Lcount:
	movsxd	r11, dword ptr [EVENT + TIMELINE_EVENT_RSEQ]
	lea	rax, [rip + count_section]
	mov	fs:[r11 + RSEQ_RSEQ_CS], rax
timer_start:
	mov	eax, fs:[r11 + RSEQ_CPU_ID]
	cmp	eax, [EVENT + TIMELINE_EVENT_LANES]
	jae	.Lend
	imul	rcx, rax, TIMELINE_HISTOGRAM_SIZE
	add	rcx, [EVENT + TIMELINE_EVENT_HISTOGRAM]
	rdtsc						# now
	shl	rdx, 32
	or	NOW, rdx
	xor	edx, edx
	mov	[rsp + KEPT_NOW], NOW
	sub	NOW, rsi
	cmovb	NOW, rdx				# clocks disagree: 0
	mov	TIME, NOW
	mov	rax, rcx
	mov	r10, [rax]				# n
	mov	r11d, r10d
	and	r11d, 1
	shl	r11d, 5
	lea	r11, [rax + r11 + TIMELINE_HISTOGRAM_STATE]
	mov	rdx, [r11 + TIMELINE_STATE_BUCKET]
	mov	rcx, [r11 + TIMELINE_STATE_VALUE]
	cmp	rdx, TIMELINE_BUCKETS			# anybody can write it
	jae	.Lno_bucket
	mov	[rax + rdx * 8 + TIMELINE_HISTOGRAM_VALUES], rcx
.Lno_bucket:
	movabs	rdx, (1 << TIMELINE_BUCKET_VALUES) - 1	# the bucket of
	cmp	TIME, rdx				# the duration
	cmovb	rdx, TIME
	mov	rcx, rdx
	or	rcx, (2 << TIMELINE_BUCKET_BITS) - 1
	bsr	rcx, rcx
	sub	ecx, TIMELINE_BUCKET_BITS
	shr	rdx, cl
	shl	ecx, TIMELINE_BUCKET_BITS
	add	edx, ecx
	mov	rcx, [rax + rdx * 8 + TIMELINE_HISTOGRAM_VALUES]
	inc	rcx
	xor	r11, 32					# the other state
	mov	[r11 + TIMELINE_STATE_BUCKET], rdx
	mov	[r11 + TIMELINE_STATE_VALUE], rcx
	xor	r11, 32
	mov	rdx, [r11 + TIMELINE_STATE_SUM]
	mov	rcx, [r11 + TIMELINE_STATE_MAX]
	xor	r11, 32
	add	rdx, TIME
	cmp	rcx, TIME
	cmovb	rcx, TIME
	mov	[r11 + TIMELINE_STATE_SUM], rdx
	mov	[r11 + TIMELINE_STATE_MAX], rcx
	inc	r10
	mov	[rax], r10				# commit
timer_commit_end:
	mov	rax, [EVENT + TIMELINE_EVENT_SLOWER]
	cmp	TIME, [rax]
	jae	.Lslow
	ret
.Lslow:
	mov	rax, TIME				# timeline_duration_code
	or	rax, (1 << 26) - 1
	bsr	rcx, rax
	sub	ecx, 25
	mov	rax, TIME
	shr	rax, cl
	shl	ecx, 26
	or	eax, ecx
	mov	ecx, [EVENT + TIMELINE_EVENT_MESSAGE]
	shl	rax, 32					# in cpu
	or	rax, rcx
	mov	rdx, [rsp + KEPT_A0]
	mov	rcx, [rsp + KEPT_A1]
	mov	STAMP, [rsp + KEPT_NOW]
	movq	xmm3, rax
	mov	dword ptr [rsp + TRIES], TIMELINE_TRIES_MAX | COUNTED << 8
	jmp	.Lat

	.byte	0x0f, 0xb9, 0x3d
	.long	RSEQ_SIGNATURE
timer_abort:
	mov	rsi, [rsp + KEPT_BEGIN]
	dec	dword ptr [rsp + TRIES]
	jnz	.Lcount
.Lend:							# rsi is the begin
	mov	rdx, [rsp + KEPT_A0]
	mov	rcx, [rsp + KEPT_A1]
	jmp	tl_timer_end
	.cfi_endproc
	.size	timeline_timer_append, . - timeline_timer_append

	.globl	timeline_append_at
	.type	timeline_append_at, @function
	.balign	64
timeline_append_at:
	.cfi_startproc
	endbr64
	mov	rax, [EVENT + TIMELINE_EVENT_LEVELS]
	mov	eax, [rax]
	cmp	al, ah					# nothing is open for
	jne	.Lat_some				# a while: then it is
.Lat_open:
	movd	xmm3, dword ptr [EVENT + TIMELINE_EVENT_MESSAGE]
	mov	dword ptr [rsp + TRIES], TIMELINE_TRIES_MAX	# no flags
.Lat:							# xmm3: and cpu
	movq	xmm2, r9
.Lat_arm:
	movsxd	r11, dword ptr [EVENT + TIMELINE_EVENT_RSEQ]
	lea	rax, [rip + at_section]
	mov	fs:[r11 + RSEQ_RSEQ_CS], rax
at_start:
	mov	eax, fs:[r11 + RSEQ_CPU_ID]
	cmp	eax, [EVENT + TIMELINE_EVENT_LANES]
	jae	.Lat_leave
	mov	r9d, [EVENT + TIMELINE_EVENT_HEAD_STEP]
	mov	r11d, [EVENT + TIMELINE_EVENT_LANE_STEP]
	imul	r9, rax					# the lane's head
	imul	r11, rax				# its first entry
	add	HEAD, [EVENT + TIMELINE_EVENT_HEADS]
	mov	eax, [EVENT + TIMELINE_EVENT_MASK]
	mov	NUMBER, [HEAD]				# q
	and	rax, NUMBER
	add	SLOT, rax
	shl	SLOT, TIMELINE_ENTRY_SHIFT
	add	SLOT, [EVENT + TIMELINE_EVENT_ENTRIES]
	lea	rax, [NUMBER + NUMBER + 1]		# 2q+1: being written
	mov	[SLOT + TIMELINE_OFF_STAMP], rax
	movsxd	rax, dword ptr [EVENT + TIMELINE_EVENT_IDS]
	mov	[SLOT + TIMELINE_OFF_ARGS], rdx
	mov	[SLOT + TIMELINE_OFF_ARGS + 8], rcx
	mov	rax, fs:[rax]				# pid and tid
	mov	[SLOT + TIMELINE_OFF_ARGS + 16], r8
	movq	[SLOT + TIMELINE_OFF_ARGS + 24], xmm2
	test	rax, rax				# known?
	jz	.Lat_leave
	mov	[SLOT + TIMELINE_OFF_TID], rax
	movq	[SLOT + TIMELINE_OFF_MESSAGE], xmm3
	mov	[SLOT + TIMELINE_OFF_TSC], STAMP
	test	r10d, TIMELINE_GIVEN_RUN - 1	# the first slot, too
	jz	.Lat_look
	mov	rax, STAMP
	sub	rax, [SLOT + TIMELINE_OFF_TSC - TIMELINE_ENTRY_SIZE]
	shr	rax, TIMELINE_GIVEN_SHIFT		# a little after the
	jz	.Lat_whole				# entry before?
.Lat_look:
	movq	xmm0, rdx
	movq	xmm1, rcx
	or	byte ptr [rsp + FLAGS], SAVED
	mov	edx, [EVENT + TIMELINE_EVENT_MASK]
	lea	ecx, [NUMBER - 1]
	and	rcx, rdx				# the entry before
	and	rdx, NUMBER
	sub	rcx, rdx				# so many entries on
	shl	rcx, TIMELINE_ENTRY_SHIFT
	mov	rcx, [SLOT + rcx + TIMELINE_OFF_TSC]	# its stamp
	rdtsc
	shl	rdx, 32
	or	NOW, rdx
	test	byte ptr [rsp + FLAGS], COUNTED
	jnz	.Lat_counted
	cmp	rcx, NOW
	cmova	rcx, NOW				# the counter restarted
	cmp	STAMP, NOW
	ja	.Lat_move
	cmp	STAMP, rcx
	jae	.Lat_whole
	mov	NOW, rcx
.Lat_move:
	mov	[SLOT + TIMELINE_OFF_TSC], NOW
	or	byte ptr [SLOT + TIMELINE_OFF_MESSAGE], 8	# moved
	jmp	.Lat_whole
.Lat_counted:
	cmp	rcx, NOW				# the counter restarted
	ja	.Lat_whole
	cmp	STAMP, rcx				# another entry since?
	jb	.Lat_late
.Lat_whole:
	lea	rax, [NUMBER + NUMBER + 2]		# 2q+2: whole
	inc	NUMBER
	mov	[SLOT + TIMELINE_OFF_STAMP], rax
	mov	[HEAD], NUMBER				# commit
at_commit_end:
	ret

	.byte	0x0f, 0xb9, 0x3d
	.long	RSEQ_SIGNATURE
at_abort:
	test	byte ptr [rsp + FLAGS], SAVED
	jz	.Lat_again
	movq	rdx, xmm0
	movq	rcx, xmm1
.Lat_again:
	dec	byte ptr [rsp + TRIES]
	jnz	.Lat_arm
.Lat_leave:						# rdx, rcx are whole
	movq	r9, xmm2
	test	byte ptr [rsp + FLAGS], COUNTED
	jz	.Lat_burst
	movq	xmm0, xmm3
	jmp	tl_timer_keep
.Lat_late:						# no other try
	mov	byte ptr [rsp + TRIES], 1
	jmp	at_abort
.Lat_some:
	mov	r10, [EVENT + TIMELINE_EVENT_GATE]
	movzx	r10d, byte ptr [r10]
	shr	eax, TIMELINE_LEVELS_BASE
	cmp	r10b, al				# open without burst?
	jae	.Lat_open
.Lat_burst:
	jmp	tl_append_at
	.cfi_endproc
	.size	timeline_append_at, . - timeline_append_at

	.hidden	tl_append_at
	.hidden	tl_timer_end
	.hidden	tl_timer_keep

#include "marks.h"
