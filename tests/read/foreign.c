/*
 * foreign.c FILE - print how many events FILE has, in any format, read as a
 * file, as a descriptor and from memory.  With a second argument, print the
 * errors for following and for formats of another release.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <timeline_formats.h>

static struct timeline_read_options options = { .size = sizeof(options) };

static long
count(struct timeline_reader *reader, int rc)
{
	const struct timeline_read_event *event;
	long n = 0;

	if (rc < 0)
		return printf("%d: %s\n", rc, timeline_read_error()), -1;
	while (timeline_read_next(reader, &event) > 0)
		n++;
	timeline_read_close(reader);
	return n;
}

int
main(int argc, char **argv)
{
	static const uint64_t other[16]; /* matches no release */
	FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
	char *data = malloc(8 << 20);
	const size_t size = file ? fread(data, 1, 8 << 20, file) : 0;
	struct timeline_reader *r;
	int rc;

	options.formats = timeline_formats();
	if (argc > 2) {
		options.follow = 1;
		rc = timeline_read_open(&r, argv[1], &options);
		count(r, rc);
		options.follow = 0;
		options.formats = (const void *)other;
		rc = timeline_read_open(&r, argv[1], &options);
		return count(r, rc) == -1 ? 0 : 1;
	}
	rc = timeline_read_open(&r, argv[1], &options);
	printf("%ld", count(r, rc));
	rc = timeline_read_open_fd(&r, open(argv[1], O_RDONLY), &options);
	printf(" %ld", count(r, rc));
	rc = timeline_read_open_memory(&r, data, size, &options);
	printf(" %ld\n", count(r, rc));
	free(data);
	return 0;
}
