/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embed.h - a file that becomes part of the program.
 *
 * The assembler includes the file.  The build runs at the top of the tree, so
 * paths start there.  The object's rule in the Makefile must name the file,
 * because the compiler does not report the file as a dependency.  The symbols
 * are global and hidden, so that link-time optimisation may place their users
 * in another part of the program.
 */
#ifndef TL_BASE_EMBED_H
#define TL_BASE_EMBED_H

/* const char NAME[] with the bytes of the file and a NUL.  The NUL is at
 * NAME_end. */
#define TL_EMBED(name, path) \
	__asm__(".section .rodata\n" \
		".globl " #name "\n.hidden " #name "\n" \
		".globl " #name "_end\n.hidden " #name "_end\n" #name ":\n" \
		".incbin \"" path "\"\n" #name "_end:\n" \
		".byte 0\n" \
		".previous\n"); \
	extern const char name[] __attribute__((visibility("hidden"))); \
	extern const char name##_end[] __attribute__((visibility("hidden")));

#endif
