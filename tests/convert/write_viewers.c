/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_viewers.c - made-up events in the formats of viewers, for programs
 * that read them.
 *
 *	write_viewers FORMAT SET OUT [COUNT]
 *
 * FORMAT: perfetto, ctf, sqlite.  SET: plain, hostile, lossy, back, or many,
 * of which COUNT events are written, and their number a second is told.
 * What a format cannot carry is said on standard error.
 */
#include "../lib/viewers.h"
#include "format/ctf_write.h"
#include "format/directory.h"
#include "format/perfetto_write.h"
#include "format/sqlite_write.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

static void
say(void *context, const struct tl_fault *fault)
{
	fprintf(context, "%s\n", fault->text);
}

static const struct tl_origin origin = { .machine = "host-a",
	.command = "server \"x\"",
	.pid = 40,
	.monotonic_ns = VIEWERS_NS - 1000000,
	.boottime_ns = VIEWERS_NS - 2000000 };

static double
now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int
write_all(struct tl_writer *writer, enum viewers_set set, uint64_t count)
{
	const double start_s = now_s();
	struct tl_event event = { 0 };
	uint64_t i = 0;
	int rc = 0;

	while (rc == 0 && i < count && viewers_event(set, i, &event)) {
		rc = writer->sink.put(&writer->sink, &event);
		i++;
	}
	if (rc == 0)
		rc = writer->sink.finish(&writer->sink);
	if (set == VIEWERS_MANY)
		printf("%.2f million events/s\n",
		    (double)i / (now_s() - start_s) / 1e6);
	return rc;
}

static int
to_file(void *context, const char *data, size_t size)
{
	return fwrite(data, 1, size, context) == size ? 0 : -EIO;
}

static int
write_perfetto(const char *out, enum viewers_set set, uint64_t count,
    const struct tl_report *report)
{
	FILE *file = fopen(out, "wb");
	struct tl_writer *writer;
	int rc;

	if (!file)
		return -errno;
	rc = tl_perfetto_write_new(&writer, to_file, file, report);
	if (rc == 0) {
		tl_writer_set_origin(writer, &origin);
		rc = write_all(writer, set, count);
		tl_writer_free(writer);
	}
	return fclose(file) == 0 ? rc : -EIO;
}

static int
write_ctf(const char *out, enum viewers_set set, uint64_t count,
    const struct tl_report *report)
{
	struct tl_directory *directory;
	struct tl_writer *writer;
	int rc = tl_directory_new(&directory, out);

	if (rc < 0)
		return rc;
	rc = tl_ctf_write_new(&writer, tl_directory_files(directory), report);
	if (rc == 0) {
		tl_writer_set_origin(writer, &origin);
		rc = write_all(writer, set, count);
		tl_writer_free(writer);
	}
	tl_directory_free(directory);
	return rc;
}

static int
write_sqlite(const char *out, enum viewers_set set, uint64_t count,
    const struct tl_report *report)
{
	struct tl_writer *writer;
	int rc = tl_sqlite_write_new(&writer, out, report);

	if (rc < 0)
		return rc;
	tl_writer_set_origin(writer, &origin);
	rc = write_all(writer, set, count);
	tl_writer_free(writer);
	return rc;
}

static const struct {
	const char *name;
	int (*write)(const char *out, enum viewers_set set, uint64_t count,
	    const struct tl_report *report);
} formats[] = { { "perfetto", write_perfetto }, { "ctf", write_ctf },
	{ "sqlite", write_sqlite } };

int
main(int argc, char **argv)
{
	const struct tl_report report = { say, stderr };
	const int set = argc > 3 ? viewers_set(argv[2]) : -1;
	const uint64_t count =
	    argc > 4 ? strtoull(argv[4], NULL, 10) : UINT64_C(1000000);

	for (size_t i = 0; set >= 0 && i < 3; i++) {
		if (strcmp(formats[i].name, argv[1]) == 0) {
			const int rc = formats[i].write(argv[3],
			    (enum viewers_set)set, count, &report);

			if (rc < 0)
				fprintf(stderr, "write_viewers: %s\n",
				    strerror(-rc));
			return rc < 0;
		}
	}
	fprintf(stderr,
	    "usage: write_viewers perfetto|ctf|sqlite SET OUT [COUNT]\n");
	return 2;
}
