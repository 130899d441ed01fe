/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_blocks.c - any bytes as a stream of traces: the same traces are found
 * whether the bytes come at once or one by one, and whole traces read the same
 * in both orders and while they are followed.
 */
#include "base/process.h"
#include "trace/chain/blocks.h"
#include "trace/chain/chain.h"
#include "trace_repair.h"

#include <sys/mman.h>
#include <unistd.h>

enum { PLACES_MAX = 64, STEP = 97 };

struct places {
	uint64_t at[PLACES_MAX];
	uint64_t size[PLACES_MAX];
	size_t count;
};

static int
file_of(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("blocks", MFD_CLOEXEC);

	assert(fd >= 0 && tl_write_all(fd, data, size) == 0);
	return fd;
}

static void
find_more(struct tl_blocks *blocks, struct places *places, uint64_t size,
    bool last)
{
	int rc;

	while ((rc = tl_blocks_next(blocks, size, last)) > 0) {
		const struct tl_blocks_trace *t = &blocks->trace;

		assert(t->at + t->size <= size);
		if (places->count < PLACES_MAX) {
			places->at[places->count] = t->at;
			places->size[places->count] = t->size;
		}
		places->count++;
	}
	assert(rc == 0);
}

static struct places
find(int fd, uint64_t size, uint64_t step)
{
	const struct tl_trace_report nobody = { NULL, NULL };
	struct places places = { .count = 0 };
	struct tl_blocks blocks;

	assert(tl_blocks_init(&blocks, fd, &nobody) == 0);
	for (uint64_t n = step; n < size; n += step)
		find_more(&blocks, &places, n, false);
	find_more(&blocks, &places, size, true);
	tl_blocks_free(&blocks);
	return places;
}

static void
look_at(const struct tl_event *event)
{
	assert(event->kind >= TL_INSTANT && event->kind <= TL_LOST);
	assert(!event->message == (event->kind == TL_LOST));
	for (unsigned i = 0; event->message && i < event->message->argc; i++)
		(void)tl_message_string(event->message, event->args[i]);
}

static uint64_t
read_chain(struct tl_chain *chain, enum tl_order order)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	uint64_t count = 0;

	assert(tl_chain_cursor(chain, order, &cursor) == 0);
	while (count < TRACE_EVENTS_MAX && tl_cursor_next(cursor, &event) > 0) {
		look_at(&event);
		count++;
	}
	tl_cursor_close(cursor);
	return count;
}

static void
read_chains(int fd)
{
	struct tl_fault fault = { 0 };
	struct tl_chains *chains;

	if (tl_chains_open(&chains, fd, &fault) < 0) {
		assert(fault.rc < 0 && fault.text[0]);
		return;
	}
	assert(chains->count > 0);
	for (size_t i = 0; i < chains->count; i++) {
		struct tl_chain *chain = tl_chains_take(chains, i);
		const uint64_t count = read_chain(chain, TL_OLDEST_FIRST);
		const uint64_t again = read_chain(chain, TL_NEWEST_FIRST);

		assert(chain->name[0]);
		assert(chain->damaged || count == again);
		tl_chain_free(chain);
	}
	tl_chains_free(chains);
}

static void
follow(const uint8_t *data, size_t size)
{
	struct tl_chain_follow *f;
	struct tl_event event;
	const int fd = file_of(data, size);
	int rc;

	assert(lseek(fd, 0, SEEK_SET) == 0);
	assert(tl_chain_follow_new(&f, fd) == 0);
	for (unsigned i = 0; i < TRACE_EVENTS_MAX; i++) {
		if ((rc = tl_chain_follow_next(f, &event)) < 0)
			break;
		if (rc > 0) {
			look_at(&event);
			assert(event.source < tl_chain_follow_chains(f)->count);
		}
	}
	tl_chain_follow_free(f);
}

static void
look(const uint8_t *data, size_t size)
{
	const int fd = file_of(data, size);
	const struct places whole = find(fd, size, size + 1);
	const struct places steps = find(fd, size, STEP);

	assert(whole.count == steps.count);
	assert(memcmp(&whole, &steps, sizeof(whole)) == 0);
	read_chains(fd);
	close(fd);
	follow(data, size);
}

/* Give each of the traces right checksums. */
static void
repair_all(uint8_t *data, size_t size)
{
	size_t from = 0;

	for (size_t at = 1; at + 8 <= size; at++) {
		if (tl_trace_recognise(tl_bytes(data + at, 8)) == 0)
			continue;
		trace_repair_data(data + from, at - from);
		from = at;
	}
	trace_repair_data(data + from, size - from);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *repaired = malloc(size + 1);

	assert(repaired);
	look(data, size);
	if (size > 0)
		memcpy(repaired, data, size);
	repair_all(repaired, size);
	look(repaired, size);
	free(repaired);
	return 0;
}
