/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ck_pr.h - what base/word.h uses of Concurrency Kit's ck_pr.h, for programs
 * that are built from the amalgamation, without that library.
 *
 * The orders are those of ck_pr.h on x86-64: a load or a store is one plain
 * instruction, and the compiler moves no access of memory over it; the others
 * have the lock prefix, which is a full fence; an acquire or release fence is
 * no instruction.
 */
#ifndef TL_PACKAGING_CK_PR_H
#define TL_PACKAGING_CK_PR_H

#include <stdbool.h>
#include <stdint.h>

static inline void
ck_pr_barrier(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void
ck_pr_fence_acquire(void)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
}

static inline void
ck_pr_fence_release(void)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

#define CK_PR(bits, type) \
	static inline type ck_pr_load_##bits(const type *p) \
	{ \
		type v; \
\
		ck_pr_barrier(); \
		v = __atomic_load_n(p, __ATOMIC_RELAXED); \
		ck_pr_barrier(); \
		return v; \
	} \
	static inline void ck_pr_store_##bits(type *p, type v) \
	{ \
		ck_pr_barrier(); \
		__atomic_store_n(p, v, __ATOMIC_RELAXED); \
		ck_pr_barrier(); \
	} \
	static inline bool ck_pr_cas_##bits(type *p, type old, type v) \
	{ \
		return __atomic_compare_exchange_n(p, &old, v, false, \
		    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
	} \
	static inline type ck_pr_faa_##bits(type *p, type v) \
	{ \
		return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); \
	} \
	static inline type ck_pr_fas_##bits(type *p, type v) \
	{ \
		return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); \
	}

/* clang-format off */
CK_PR(8, uint8_t)
CK_PR(32, uint32_t)
CK_PR(64, uint64_t)
CK_PR(int, int)
/* clang-format on */
#undef CK_PR

#endif
