/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trust.c - decide whether stamps may be the raw TSC.
 *
 * The TSC must tick at one rate in every state of the CPU, the kernel must
 * consider it good enough for a clock, reading it must be allowed in this
 * process and cheap (a trapped rdtsc is neither), and it must be faster than
 * 500 MHz.
 */
#include "base/file.h"
#include "clock/clock.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <timeline_layout.h>
#include <x86intrin.h>

enum {
	LINE_MAX_SIZE = 8192, /* of the flags line of /proc/cpuinfo */
	LINES_MAX = 64,       /* the line is among the first CPU's */
	COST_READS = 500,
	COST_ROUNDS = 5
};

/* Does the text contain the word on its own? */
static bool
has_word(const char *text, const char *word)
{
	const size_t length = strlen(word);

	for (const char *p = text; (p = strstr(p, word)) != NULL; p += length)
		if ((p == text || strchr(" \t:", p[-1])) &&
		    strchr(" \t\n", p[length])) /* or the end */
			return true;
	return false;
}

static uint32_t
flags_of_cpuinfo(void)
{
	char line[LINE_MAX_SIZE];
	uint32_t flags = 0;
	FILE *file = fopen("/proc/cpuinfo", "re");

	if (!file)
		return 0;
	for (int i = 0; i < LINES_MAX; i++) {
		if (!fgets(line, sizeof(line), file))
			break;
		if (strncmp(line, "flags", 5) != 0)
			continue;
		if (has_word(line, "constant_tsc"))
			flags |= TIMELINE_CPU_CONSTANT_TSC;
		if (has_word(line, "nonstop_tsc"))
			flags |= TIMELINE_CPU_NONSTOP_TSC;
		break;
	}
	fclose(file);
	return flags;
}

const char *tl_clock_sources_file =
    "/sys/devices/system/clocksource/clocksource0/available_clocksource";

int
tl_clock_kernel_lists_tsc(void)
{
	char line[256];

	return tl_read_start(line, sizeof(line), "%s", tl_clock_sources_file)
		   ? has_word(line, "tsc")
		   : -1;
}

/*
 * Is a reading cheap, and the counter fast enough for our rates?  The best of a
 * few rounds counts, because other processes may have the CPU meanwhile.
 */
static bool
counter_is_good(void)
{
	const struct tl_clock_source *clock =
	    tl_clock_source(TIMELINE_CLOCK_TSC);
	int64_t best_ns = INT64_MAX;
	uint64_t best_ticks = 0;

	for (int i = 0; i < COST_ROUNDS; i++) {
		const int64_t ns = clock->utc(NULL);
		const uint64_t ticks = __rdtsc();

		for (int k = 0; k < COST_READS; k++)
			(void)clock->tsc(NULL);
		const uint64_t passed = __rdtsc() - ticks;
		const int64_t passed_ns = clock->utc(NULL) - ns;

		if (passed_ns > 0 && passed_ns < best_ns) {
			best_ns = passed_ns;
			best_ticks = passed;
		}
	}
	return best_ns / COST_READS < TL_CLOCK_TRAPPED_NS &&
	       best_ticks > (uint64_t)best_ns / 2;
}

uint32_t
tl_clock_choose(uint32_t *cpu_flags)
{
	const uint32_t wanted =
	    TIMELINE_CPU_CONSTANT_TSC | TIMELINE_CPU_NONSTOP_TSC;
	const int listed = tl_clock_kernel_lists_tsc();
	int allowed = PR_TSC_ENABLE;
	uint32_t flags = 0;
	unsigned a, b, c, d;

	if (__get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8))
		flags |= TIMELINE_CPU_CONSTANT_TSC | TIMELINE_CPU_NONSTOP_TSC;
	if (__get_cpuid(1, &a, &b, &c, &d) && (c & 1u << 31))
		flags |= TIMELINE_CPU_HYPERVISOR;
	if ((flags & wanted) != wanted)
		flags |= flags_of_cpuinfo();
	if (listed > 0)
		flags |= TIMELINE_CPU_CLOCKSOURCE_TSC;
	*cpu_flags = flags;
	if ((flags & wanted) != wanted || listed == 0)
		return TIMELINE_CLOCK_REALTIME;
	/* a forbidden reading would be a SIGSEGV */
	if (prctl(PR_GET_TSC, &allowed, 0UL, 0UL, 0UL) == 0 &&
	    allowed != PR_TSC_ENABLE)
		return TIMELINE_CLOCK_REALTIME;
	return counter_is_good() ? TIMELINE_CLOCK_TSC : TIMELINE_CLOCK_REALTIME;
}
