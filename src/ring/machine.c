/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.c - the boot id, the PID namespace and the number of CPUs.
 *
 * All three are read from files that a process may be unable to read.  A boot
 * id or a namespace that cannot be read is unknown, which is not the same as a
 * different one.  If the list of CPUs cannot be read, the affinity mask is
 * used.
 */
#include "base/file.h"
#include "base/word.h"
#include "ring/ring.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	ID_TEXT_SIZE = 36, /* 8-4-4-4-12 hexadecimal digits */
	ONLINE_MAX = 1 << 20,
	MASK_CPUS_MAX = 1 << 20
};

const char *tl_boot_id_file = "/proc/sys/kernel/random/boot_id";

/* The id in two words, valid if is_cached.  Threads that read the id at the
 * same time store the same words. */
static uint64_t cached[2];
static uint32_t is_cached;

bool
tl_boot_id_parse(struct tl_bytes text, uint8_t id[16])
{
	size_t digits = 0;

	memset(id, 0, 16);
	if (text.size > 0 && text.data[text.size - 1] == '\n')
		text.size--;
	if (text.size != ID_TEXT_SIZE)
		return false;
	for (size_t i = 0; i < text.size; i++) {
		const int digit = tl_hex_digit(text.data[i]);

		if (text.data[i] == '-')
			continue;
		if (digit < 0 || digits == 32)
			return false;
		id[digits / 2] = (uint8_t)(id[digits / 2] << 4 | digit);
		digits++;
	}
	return digits == 32 && tl_boot_is_known(id);
}

bool
tl_boot_id_read(uint8_t id[16])
{
	char text[ID_TEXT_SIZE + 4];
	const int fd = open(tl_boot_id_file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int64_t n = -1;
	uint64_t words[2];

	memset(id, 0, 16);
	if (fd >= 0) {
		n = tl_read_waiting(fd, text, sizeof(text));
		close(fd);
	}
	if (n < 0 || !tl_boot_id_parse(tl_bytes(text, (size_t)n), id))
		return false;
	memcpy(words, id, sizeof(words));
	tl_store_64(&cached[0], words[0]);
	tl_store_64(&cached[1], words[1]);
	/* release: pairs with tl_boot_id() */
	tl_store_release_32(&is_cached, 1);
	return true;
}

bool
tl_boot_id(uint8_t id[16])
{
	uint64_t words[2];

	/* acquire: pairs with tl_boot_id_read() */
	if (!tl_load_acquire_32(&is_cached))
		return tl_boot_id_read(id);
	words[0] = tl_load_64(&cached[0]);
	words[1] = tl_load_64(&cached[1]);
	memcpy(id, words, sizeof(words));
	return true;
}

bool
tl_boot_is_known(const uint8_t id[16])
{
	static const uint8_t unknown[16];

	return memcmp(id, unknown, sizeof(unknown)) != 0;
}

enum tl_boot
tl_boot_of(const struct timeline_header *header)
{
	uint8_t id[16];

	if (!tl_boot_is_known(header->boot_id) || !tl_boot_id(id))
		return TL_BOOT_UNKNOWN;
	return memcmp(id, header->boot_id, sizeof(id)) == 0 ? TL_BOOT_THIS
							    : TL_BOOT_OTHER;
}

bool
tl_is_this_boot(const struct timeline_header *header)
{
	return tl_boot_of(header) == TL_BOOT_THIS;
}

uint64_t
tl_pidns(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

bool
tl_is_elsewhere(const struct timeline_header *header)
{
	const uint64_t here = header->pidns_inode ? tl_pidns() : 0;

	return here != 0 && here != header->pidns_inode;
}

/* 1 + the highest number in a list like "0-3,8-11"; 0: not a list. */
static uint32_t
cpus_of_list(const char *list)
{
	uint32_t count = 0;

	for (const char *at = list;; at++) {
		char *end;
		unsigned long cpu;

		if (*at < '0' || *at > '9')
			return 0;
		cpu = strtoul(at, &end, 10);
		if (cpu >= INT_MAX)
			return 0;
		if (cpu + 1 > count)
			count = (uint32_t)cpu + 1;
		at = end;
		if (*at == '\0' || *at == '\n')
			return count;
		if (*at != '-' && *at != ',')
			return 0;
	}
}

uint32_t
tl_cpu_count(const char *online, const unsigned long *mask, size_t mask_words)
{
	const uint32_t bits = CHAR_BIT * sizeof(*mask);
	uint32_t count = cpus_of_list(online);

	for (size_t word = mask_words; word-- > 0;) {
		const uint32_t below = (uint32_t)word * bits;

		if (mask[word] == 0)
			continue;
		if (below + bits - (uint32_t)__builtin_clzl(mask[word]) > count)
			count =
			    below + bits - (uint32_t)__builtin_clzl(mask[word]);
		break;
	}
	return count;
}

/* The affinity mask of this thread, allocated.  The kernel refuses a mask that
 * is too small for its possible CPUs, so larger masks are tried. */
static unsigned long *
read_mask(size_t *words)
{
	for (size_t cpus = 1024; cpus <= MASK_CPUS_MAX; cpus *= 2) {
		const size_t size = CPU_ALLOC_SIZE(cpus);
		cpu_set_t *set = calloc(1, size);

		if (!set)
			return NULL;
		if (sched_getaffinity(0, size, set) == 0) {
			*words = size / sizeof(unsigned long);
			return (unsigned long *)(void *)set;
		}
		free(set);
	}
	return NULL;
}

uint32_t
tl_cpus(void)
{
	struct tl_text online = { 0 };
	size_t words = 0;
	unsigned long *mask = read_mask(&words);
	const long configured = sysconf(_SC_NPROCESSORS_CONF);
	const int fd =
	    open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);
	uint32_t count;

	if (fd >= 0) {
		(void)tl_read_rest(fd, ONLINE_MAX, &online);
		close(fd);
	}
	count = tl_cpu_count(tl_text_string(&online), mask, words);
	if (count == 0 && configured > 0)
		count = (uint32_t)configured;
	free(mask);
	tl_text_free(&online);
	if (count > TIMELINE_LANES_MAX)
		count = TIMELINE_LANES_MAX;
	return count > 0 ? count : 1;
}
