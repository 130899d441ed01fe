/*
 * memory.c FILE STEP - read FILE from memory; then read it cut off at every
 * STEPth byte: the reader returns no more events or an error, and does not
 * crash.
 */
#include <stdio.h>
#include <stdlib.h>
#include <timeline_read.h>

static long
count(const char *data, size_t size)
{
	const struct timeline_read_event *event;
	struct timeline_node *const *roots;
	struct timeline_reader *reader;
	size_t threads;
	long n = 0;

	if (timeline_read_open_memory(&reader, data, size, NULL) < 0)
		return timeline_read_error()[0] ? -1 : abort(), -1;
	while (timeline_read_next(reader, &event) > 0)
		n += event->lost == 0;
	if (timeline_read_roots(reader, &roots, &threads) == 0)
		timeline_read_eager(reader);
	timeline_read_close(reader);
	return n;
}

int
main(int argc, char **argv)
{
	FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
	char *data = malloc(64 << 20);
	const size_t size = file ? fread(data, 1, 64 << 20, file) : 0;
	const long all = count(data, size),
		   step = argc == 3 ? atol(argv[2]) : 1;

	for (size_t i = 0; i < size; i += (size_t)step)
		if (count(data, i) > all)
			return 1;
	printf("%ld\n", all);
	free(data);
	return 0;
}
