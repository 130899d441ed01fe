/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checked_call.S - call a function between canaries, with noise in all
 * registers.
 *
 *	in	rdi struct checked_call
 *	out	the registers, flags and canaries after the call, in the struct
 *
 *	above	CALL_CANARIES quadwords
 *	frame	return address		<- rsp of the function at its entry
 *	below	CALL_CANARIES quadwords, the top red_zone bytes not checked
 *
 * Not reentrant: the address of the struct is kept in memory, because no
 * register can be trusted after the call.
 */
#include "checked_call.h"

	.intel_syntax noprefix

	.local	current
	.comm	current, 8, 8

	.macro	each_vector what, registers, base, step
	.set	i, 0
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	.ifc	\what, load
	vector_load \registers\n, \base
	.else
	vector_store \registers\n, \base
	.endif
	.set	i, i + 1
	.endr
	.endm
	.macro	vector_load register, base
	.ifc	"\base", "wide"
	vmovdqu	\register, [rdi + CALL_VECTORS + 32 * i]
	.else
	movdqu	\register, [rdi + CALL_VECTORS + 32 * i]
	.endif
	.endm
	.macro	vector_store register, base
	.ifc	"\base", "wide"
	vmovdqu	[rdi + CALL_VECTORS_OUT + 32 * i], \register
	.else
	movdqu	[rdi + CALL_VECTORS_OUT + 32 * i], \register
	.endif
	.endm

	.text
	.globl	checked_call
	.type	checked_call, @function
checked_call:
	endbr64
	push	rbx
	push	rbp
	push	r12
	push	r13
	push	r14
	push	r15
	mov	[rip + current], rdi
	mov	rbx, rdi
	mov	rbp, rsp			# lies above all canaries
	stmxcsr	[rdi + CALL_MXCSR]
	fnstcw	[rdi + CALL_CONTROL]

	sub	rsp, 8 * CALL_CANARIES
	and	rsp, -16
	mov	[rdi + CALL_STACK], rsp
	lea	rdi, [rsp - 8 - 8 * CALL_CANARIES]
	movabs	rax, CALL_CANARY
	mov	ecx, 2 * CALL_CANARIES + 1
	cld
	rep stosq
	mov	rdi, rbx
	mov	[rdi + CALL_STACK_OUT], rbp

	cmp	qword ptr [rdi + CALL_WIDE], 0
	je	1f
	each_vector load, ymm, wide
	jmp	2f
1:	each_vector load, xmm, narrow
2:
	push	qword ptr [rdi + CALL_FLAGS]	# where the return address
	popfq					# will be
	mov	rbx, [rdi + CALL_KEPT]
	mov	rbp, [rdi + CALL_KEPT + 8]
	mov	r12, [rdi + CALL_KEPT + 16]
	mov	r13, [rdi + CALL_KEPT + 24]
	mov	r14, [rdi + CALL_KEPT + 32]
	mov	r15, [rdi + CALL_KEPT + 40]
	mov	r9, [rdi + CALL_SCRATCH + 8]
	mov	r10, [rdi + CALL_SCRATCH + 16]
	mov	rsi, [rdi + CALL_ARGS + 8]
	mov	rdx, [rdi + CALL_ARGS + 16]
	mov	rcx, [rdi + CALL_ARGS + 24]
	mov	r8, [rdi + CALL_ARGS + 32]
	mov	r11, [rdi + CALL_FUNCTION]
	mov	rax, [rdi + CALL_SCRATCH]
	mov	rdi, [rdi + CALL_ARGS]
	call	r11

	mov	rdi, [rip + current]
	mov	[rdi + CALL_RETURNED], rax
	mov	rax, [rdi + CALL_STACK_OUT]	# our own frame
	mov	[rdi + CALL_STACK_OUT], rsp
	mov	rsp, [rdi + CALL_STACK]
	pushfq
	cld
	pop	qword ptr [rdi + CALL_FLAGS_OUT]
	mov	[rdi + CALL_KEPT_OUT], rbx
	mov	[rdi + CALL_KEPT_OUT + 8], rbp
	mov	[rdi + CALL_KEPT_OUT + 16], r12
	mov	[rdi + CALL_KEPT_OUT + 24], r13
	mov	[rdi + CALL_KEPT_OUT + 32], r14
	mov	[rdi + CALL_KEPT_OUT + 40], r15
	mov	rbp, rax
	stmxcsr	[rdi + CALL_MXCSR + 4]
	fnstcw	[rdi + CALL_CONTROL + 4]
	ldmxcsr	[rdi + CALL_MXCSR]
	fldcw	[rdi + CALL_CONTROL]
	cmp	qword ptr [rdi + CALL_WIDE], 0
	je	1f
	each_vector store, ymm, wide
	vzeroupper
	jmp	2f
1:	each_vector store, xmm, narrow
2:
	movabs	rax, CALL_CANARY
	lea	rsi, [rsp - 8 - 8 * CALL_CANARIES]
	mov	ecx, 8 * CALL_CANARIES
	sub	rcx, [rdi + CALL_RED_ZONE]
	call	count_broken
	mov	[rdi + CALL_BELOW], rdx
	mov	rsi, rsp
	mov	ecx, 8 * CALL_CANARIES
	call	count_broken
	mov	[rdi + CALL_ABOVE], rdx

	mov	rsp, rbp
	pop	r15
	pop	r14
	pop	r13
	pop	r12
	pop	rbp
	pop	rbx
	ret
	.size	checked_call, . - checked_call

/*
 * Count the broken canaries. rsi: canaries, rcx: their bytes, rax: the right
 * value; rdx: the count.  Calls push to the frame's own place, between the
 * canaries.
 */
count_broken:
	xor	edx, edx
1:	sub	rcx, 8
	jb	3f
	cmp	[rsi + rcx], rax
	je	1b
	inc	rdx
	jmp	1b
3:	ret

	.macro	spoil name, instruction:vararg
	.globl	\name
	.type	\name, @function
\name:	endbr64
	\instruction
	ret
	.size	\name, . - \name
	.endm

	spoil	spoil_nothing, nop
	spoil	spoil_rbx, inc rbx
	spoil	spoil_rbp, inc rbp
	spoil	spoil_r12, inc r12
	spoil	spoil_r13, inc r13
	spoil	spoil_r14, inc r14
	spoil	spoil_r15, inc r15
	spoil	spoil_direction, std
	spoil	spoil_above, inc qword ptr [rsp + 8]
	spoil	spoil_below, inc qword ptr [rsp - 24]
	spoil	spoil_red_zone, inc qword ptr [rsp - 16]
	spoil	spoil_xmm0, pxor xmm0, xmm0
	spoil	spoil_xmm15, pxor xmm15, xmm15

	.globl	spoil_ymm7
	.type	spoil_ymm7, @function
spoil_ymm7:
	endbr64
	vmovdqa	xmm7, xmm7		# zeroes the upper half
	ret
	.size	spoil_ymm7, . - spoil_ymm7

	.globl	spoil_mxcsr
	.type	spoil_mxcsr, @function
spoil_mxcsr:
	endbr64
	stmxcsr	[rsp - 8]
	xor	dword ptr [rsp - 8], 0x8000	# flush to zero
	ldmxcsr	[rsp - 8]
	ret
	.size	spoil_mxcsr, . - spoil_mxcsr

	.globl	spoil_control
	.type	spoil_control, @function
spoil_control:
	endbr64
	fnstcw	[rsp - 8]
	xor	word ptr [rsp - 8], 0x0c00	# rounding
	fldcw	[rsp - 8]
	ret
	.size	spoil_control, . - spoil_control

	.section .note.GNU-stack, "", @progbits
