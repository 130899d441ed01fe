/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_packed.c - any bytes as a packed trace: its members are read at places,
 * at once and in pieces, and as a trace.  All of a trace that opens is read.
 */
#include "trace/pack/packed.h"
#include "trace_repair.h"

enum { READ_MAX = 1 << 16 };

/* The pieces end at odd places; an unreadable byte stays unreadable. */
static void
compare_reads(struct tl_storage *s, uint64_t at)
{
	static uint8_t once[READ_MAX], piece[READ_MAX];
	const int64_t n = tl_storage_read_at(s, once, READ_MAX, at);

	assert(n <= READ_MAX);
	for (int64_t i = 0; i < n;) {
		const size_t want = (size_t)(n - i + 1) / 2;
		const int64_t got =
		    tl_storage_read_at(s, piece, want, at + (uint64_t)i);

		assert(got == (int64_t)want);
		assert(memcmp(once + i, piece, want) == 0);
		i += got;
	}
}

static void
read_entry(struct tl_storage *s)
{
	if (!s)
		return;
	compare_reads(s, 0);
	compare_reads(s, s->size / 2);
	compare_reads(s, s->size);
	if (s->check)
		assert(s->check(s) <= 0);
	compare_reads(s, s->size / 3);
}

static void
read_entries(const uint8_t *data, size_t size)
{
	struct tl_fault fault = { 0 };
	struct tl_packed packed;
	const int rc =
	    tl_packed_open(&packed, trace_storage(data, size), &fault);

	assert(rc == 0 || (fault.rc == rc && fault.text[0]));
	if (rc < 0)
		return;
	read_entry(packed.data);
	read_entry(packed.index);
	tl_packed_close(&packed);
}

static void
read_trace(const uint8_t *data, size_t size)
{
	const struct tl_trace_read_options options = { .memory_max = 64 << 20 };
	struct tl_fault fault = { 0 };
	struct tl_packed packed;
	struct tl_trace *trace;
	int left = TRACE_LOADS_MAX;

	/* the trace takes both entries over */
	if (tl_packed_open(&packed, trace_storage(data, size), &fault) < 0 ||
	    tl_trace_open_storage(&trace, packed.data, packed.index, &options,
		&fault) < 0)
		return;
	for (size_t i = 0; i < tl_trace_thread_count(trace); i++)
		trace_load_some(trace, tl_trace_root(trace, i), &left);
	tl_trace_close(trace);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	assert(tl_packed_recognise(tl_bytes(data, size)) <= 100);
	read_entries(data, size);
	read_trace(data, size);
	return 0;
}
