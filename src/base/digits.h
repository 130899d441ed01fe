/* SPDX-License-Identifier: Apache-2.0 */
/*
 * digits.h - eight or sixteen decimal digits at once, for numbers and times.
 *
 * A number below 10^8 is divided in place: into two numbers of four digits,
 * then four of two digits, then eight digits.  Each half of a step is one
 * multiplication for all parts.  The quotients are exact because the numbers
 * are small.  The SSE2 registers, which each x86-64 has, hold two such numbers.
 */
#ifndef TL_BASE_DIGITS_H
#define TL_BASE_DIGITS_H

#include <emmintrin.h>
#include <stdint.h>
#include <string.h>

/* The digits of n < 10^8 as text, the first digit in the lowest byte. */
static inline uint64_t
tl_eight_digits(uint32_t n)
{
	uint64_t x = n / 10000 | (uint64_t)(n % 10000) << 32;
	uint64_t tens = x * 10486 >> 20 & UINT64_C(0x0000007f0000007f);

	x = tens | (x - tens * 100) << 16;
	tens = x * 103 >> 10 & UINT64_C(0x000f000f000f000f);
	x = tens | (x - tens * 10) << 8;
	return x | UINT64_C(0x3030303030303030);
}

/* Write the lowest four of eight digits. */
static inline void
tl_write_half(char *to, uint64_t digits)
{
	const uint32_t half = (uint32_t)digits;

	memcpy(to, &half, sizeof(half));
}

/* Write exactly eight digits, with leading zeros; n < 10^8. */
static inline char *
tl_write_eight(char *to, uint32_t n)
{
	const uint64_t digits = tl_eight_digits(n);

	memcpy(to, &digits, sizeof(digits));
	return to + sizeof(digits);
}

/* The eight digits of first, followed in the register by the eight digits of
 * second. */
static inline __m128i
tl_sixteen_digits(uint32_t first, uint32_t second)
{
	const __m128i both = _mm_set_epi64x(second, first);
	__m128i tens, x;

	/* n * 3518437209 / 2^45 is n / 10000 */
	tens = _mm_srli_epi64(_mm_mul_epu32(both,
				  _mm_set1_epi64x(INT64_C(3518437209))),
	    45);
	x = _mm_sub_epi64(both, _mm_mul_epu32(tens, _mm_set1_epi64x(10000)));
	x = _mm_or_si128(tens, _mm_slli_epi64(x, 32));
	tens = _mm_srli_epi16(_mm_mulhi_epu16(x, _mm_set1_epi16(5243)), 3);
	x = _mm_sub_epi16(x, _mm_mullo_epi16(tens, _mm_set1_epi16(100)));
	x = _mm_or_si128(tens, _mm_slli_epi32(x, 16));
	tens = _mm_mulhi_epu16(x, _mm_set1_epi16(6554));
	x = _mm_sub_epi16(x, _mm_mullo_epi16(tens, _mm_set1_epi16(10)));
	x = _mm_or_si128(tens, _mm_slli_epi16(x, 8));
	return _mm_or_si128(x, _mm_set1_epi8('0'));
}

#endif
