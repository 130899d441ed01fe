/*
 * proven.c FILE [newest] - count the ends of spans, the proven ends, and the
 * proven ends without a begin; sum up the durations of the spans; count the
 * begins whose end will be proven.
 */
#include <stdio.h>
#include <timeline_read.h>

int
main(int argc, char **argv)
{
	const struct timeline_read_options options = { .size = sizeof(options),
		.oldest_first = argc == 2 };
	unsigned long long ends = 0, proven = 0, alone = 0, begins = 0, ns = 0;
	const struct timeline_read_event *e;
	struct timeline_reader *reader;

	if (argc < 2 || timeline_read_open(&reader, argv[1], &options) < 0)
		return fprintf(stderr, "%s\n", timeline_read_error()), 1;
	while (timeline_read_next(reader, &e) > 0) {
		if (e->kind == TIMELINE_READ_BEGIN)
			begins += (e->flags & TIMELINE_READ_PROVEN) != 0;
		if (e->kind != TIMELINE_READ_END || e->duration_ns < 0)
			continue;
		ends++;
		ns += (unsigned long long)e->duration_ns;
		proven += (e->flags & TIMELINE_READ_PROVEN) != 0;
		alone += (e->flags & TIMELINE_READ_ALONE) != 0;
	}
	timeline_read_close(reader);
	printf("%llu %llu %llu %llu %llu\n", ends, proven, alone, ns, begins);
	return 0;
}
