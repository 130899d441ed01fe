/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_corpus.c - seeds for fuzz_snapshot and fuzz_record: real snapshots of
 * tiny geometry with every kind of content.
 *
 *	make_corpus DIRECTORY	writes DIRECTORY/snapshot/... and .../record/...
 */
#include "../lib/pack.h"
#include "../lib/process.h"

#include <fcntl.h>
#include <sys/stat.h>

static char saved[TEST_NAME_MAX];
static const char *directory;
static struct timeline *tl;
static struct timeline_event *event, *span, *counter, *error;

static void
write_seed(const char *kind, const char *name, const void *data, size_t size)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, kind);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/%s/%s", directory, kind, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	expect(fd >= 0 && write(fd, data, size) == (ssize_t)size, "%s: %m",
	    path);
	close(fd);
}

/* Remove the origin of the snapshot, so that every run makes the same seeds. */
static void
forget_origin(struct timeline_header *h)
{
	memset(h->creator_host, 0, sizeof(h->creator_host));
	memset(h->machine_id, 0, sizeof(h->machine_id));
	memset(h->boot_id, 7, sizeof(h->boot_id));
	strcpy(h->creator_host, "host");
}

static uint8_t *
packed_snapshot(size_t *size)
{
	struct stat st;
	uint8_t *bytes, *packed;
	int fd;

	expect_ok(timeline_save(tl, saved));
	fd = open(saved, O_RDONLY | O_CLOEXEC);
	expect(fd >= 0 && fstat(fd, &st) == 0, "%s: %m", saved);
	bytes = malloc((size_t)st.st_size);
	expect(bytes && read(fd, bytes, (size_t)st.st_size) == st.st_size,
	    "%s: %m", saved);
	close(fd);
	unlink(saved);
	packed = pack_snapshot(bytes, size);
	expect(packed != NULL, "too many knots");
	free(bytes);
	forget_origin((void *)packed);
	return packed;
}

/*
 * state is that of a saved file, or that of a live file, which must be copied
 * first.
 */
static void
save_seed(const char *name, uint32_t state)
{
	size_t size;
	uint8_t *bytes = packed_snapshot(&size);

	((struct timeline_header *)(void *)bytes)->state = state;
	write_seed("snapshot", name, bytes, size);
	free(bytes);
}

static void
open_timeline(uint32_t tiers)
{
	const struct timeline_options options = { .entries = 64,
		.stringtablesize = 16384,
		.cpu_lanes = 1,
		.tiers = tiers };

	timeline_close(tl);
	timeline_remove(test_name);
	expect_ok(timeline_new(&tl, test_name, &options));
	expect_ok(timeline_define(tl, "net", "trace",
	    "processed $tcp, $udp%d, and $other%x\nmore text", &event));
	expect_ok(timeline_define_span(tl, "net", "info", "span $x%f $y%t",
	    TIMELINE_SOURCE, &span));
	expect_ok(
	    timeline_define_counter(tl, "mem", "debug", "used $n", &counter));
	expect_ok(timeline_define(tl, "disk", "error", "lost $name%s", &error));
}

static void
log_some(int rounds)
{
	uint64_t number;

	expect_ok(timeline_string(tl, "eth0", &number));
	for (int i = 0; i < rounds; i++) {
		timeline_log(event, i, -i, i * 16);
		timeline_begin(span, 1.5 * i, 1000 * i);
		timeline_log(counter, i);
		timeline_end(span);
		timeline_log(error, number);
		tl_append_fallback(event, (uint64_t)i, 2, 3, 4);
	}
}

static void
make_snapshots(void)
{
	open_timeline(2);
	save_seed("empty", TIMELINE_SAVED);
	log_some(5);
	save_seed("few", TIMELINE_SAVED);
	expect_ok(timeline_priority(tl, "info"));
	expect_ok(timeline_burst(tl, "trace", 1000000000));
	expect_ok(timeline_level(tl, "disk", "*", "off"));
	log_some(60);
	save_seed("round", TIMELINE_SAVED);
	save_seed("live", TIMELINE_LIVE);
	head_of(tl, 2)->head += 3; /* tickets without entries */
	save_seed("torn", TIMELINE_SAVED);
	open_timeline(1);
	log_some(3);
	/* a point ahead of the counter: the counter begins again */
	tl->header->clock.tsc += 100 * tl->header->tsc_khz * 1000;
	expect_ok(timeline_define(tl, "net", "info", "after", &event));
	log_some(3);
	save_seed("epoch", TIMELINE_SAVED);
}

static void
make_records(void)
{
	size_t size;
	uint8_t *bytes = packed_snapshot(&size);
	const struct timeline_header *h = (void *)bytes;
	uint8_t *seed = calloc(1, size);
	const uint16_t place = TIMELINE_STRINGS_START / TIMELINE_RECORD_ALIGN;

	expect(seed != NULL, "no memory");
	memcpy(seed, &place, sizeof(place));
	memcpy(seed + sizeof(place), bytes + h->strings_offset,
	    h->strings_tail);
	write_seed("record", "table", seed, sizeof(place) + h->strings_tail);
	write_seed("record", "half", seed, h->strings_tail / 2);
	write_seed("record", "one", seed, sizeof(place) + 64 + 512);
	free(seed);
	free(bytes);
}

int
main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: make_corpus DIRECTORY\n");
		return 2;
	}
	directory = argv[1];
	choose_test_name("corpus");
	snprintf(saved, sizeof(saved), "/dev/shm/test-corpus-saved-%d",
	    (int)getpid());
	make_snapshots();
	make_records();
	timeline_close(tl);
	return 0;
}
