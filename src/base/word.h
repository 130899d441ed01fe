/* SPDX-License-Identifier: Apache-2.0 */
/*
 * word.h - words that several threads or processes share.
 *
 * The functions are Concurrency Kit's ck_pr with names that state the order.
 * ThreadSanitizer cannot see through the inline assembly of ck_pr, so a build
 * for ThreadSanitizer uses the compiler's atomics under the same names.  Each
 * use names its partner.
 *
 * TL_WORD_NO_RELEASE leaves out the release barriers: a test builds with it to
 * check that ThreadSanitizer finds the race.
 */
#ifndef TL_BASE_WORD_H
#define TL_BASE_WORD_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__SANITIZE_THREAD__)
#	define TL_WORD_COMPILER 1
#elif defined(__has_feature)
#	if __has_feature(thread_sanitizer)
#		define TL_WORD_COMPILER 1
#	endif
#endif

#ifdef TL_WORD_NO_RELEASE
#	define TL_WORD_RELEASE __ATOMIC_RELAXED
#	define TL_WORD_BOTH    __ATOMIC_ACQUIRE
#else
#	define TL_WORD_RELEASE __ATOMIC_RELEASE
#	define TL_WORD_BOTH    __ATOMIC_ACQ_REL
#endif

#ifdef TL_WORD_COMPILER
#	define TL_WORD(bits, type) \
		static inline type tl_load_##bits(const type *p) \
		{ \
			return __atomic_load_n(p, __ATOMIC_RELAXED); \
		} \
		static inline type tl_load_acquire_##bits(const type *p) \
		{ \
			return __atomic_load_n(p, __ATOMIC_ACQUIRE); \
		} \
		static inline void tl_store_##bits(type *p, type v) \
		{ \
			__atomic_store_n(p, v, __ATOMIC_RELAXED); \
		} \
		static inline void tl_store_release_##bits(type *p, type v) \
		{ \
			__atomic_store_n(p, v, TL_WORD_RELEASE); \
		} \
		/* Did *p go from old to v?  Acquire and release. */ \
		static inline bool tl_cas_##bits(type *p, type old, type v) \
		{ \
			return __atomic_compare_exchange_n(p, &old, v, false, \
			    TL_WORD_BOTH, __ATOMIC_ACQUIRE); \
		} \
		/* Add v and return the old value.  Acquire and release. */ \
		static inline type tl_fetch_add_##bits(type *p, type v) \
		{ \
			return __atomic_fetch_add(p, v, TL_WORD_BOTH); \
		} \
		/* Set v and return the old value.  Acquire and release. */ \
		static inline type tl_swap_##bits(type *p, type v) \
		{ \
			return __atomic_exchange_n(p, v, TL_WORD_BOTH); \
		}
#else
#	include <ck_pr.h>
#	define TL_WORD(bits, type) \
		static inline type tl_load_##bits(const type *p) \
		{ \
			return ck_pr_load_##bits(p); \
		} \
		static inline type tl_load_acquire_##bits(const type *p) \
		{ \
			const type v = ck_pr_load_##bits(p); \
\
			ck_pr_fence_acquire(); \
			return v; \
		} \
		static inline void tl_store_##bits(type *p, type v) \
		{ \
			ck_pr_store_##bits(p, v); \
		} \
		static inline void tl_store_release_##bits(type *p, type v) \
		{ \
			ck_pr_fence_release(); \
			ck_pr_store_##bits(p, v); \
		} \
		/* Did *p go from old to v?  Acquire and release. */ \
		static inline bool tl_cas_##bits(type *p, type old, type v) \
		{ \
			return ck_pr_cas_##bits(p, old, v); \
		} \
		/* Add v and return the old value.  Acquire and release. */ \
		static inline type tl_fetch_add_##bits(type *p, type v) \
		{ \
			return ck_pr_faa_##bits(p, v); \
		} \
		/* Set v and return the old value.  Acquire and release. */ \
		static inline type tl_swap_##bits(type *p, type v) \
		{ \
			return ck_pr_fas_##bits(p, v); \
		}
#endif

/* clang-format off */
TL_WORD(8, uint8_t)
TL_WORD(32, uint32_t)
TL_WORD(64, uint64_t)
TL_WORD(int, int)
/* clang-format on */
#undef TL_WORD

/* Set *p to v unless it is more. */
static inline void
tl_raise_64(uint64_t *p, uint64_t v)
{
	uint64_t old = tl_load_64(p);

	while (old < v && !tl_cas_64(p, old, v))
		old = tl_load_64(p);
}

#endif
