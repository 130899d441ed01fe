/* SPDX-License-Identifier: Apache-2.0 */
/* marks.h - what an object of asm/ states about itself, at its end. */
#ifndef TIMELINE_ASM_MARKS_H
#define TIMELINE_ASM_MARKS_H

/* the stack is not executable */
	.section .note.GNU-stack, "", @progbits

/* indirect branches and the shadow stack are respected here */
	.section .note.gnu.property, "a", @note
	.balign	8
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000002, 4, 3, 0

#endif
