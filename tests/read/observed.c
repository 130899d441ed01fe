/* observed.c FILE MESSAGE - print when the record observed a message. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <timeline_read.h>

int
main(int argc, char **argv)
{
	const struct timeline_read_definition *d;
	struct timeline_read_intervals *intervals;
	struct timeline_read_interval i;
	struct timeline_reader *reader;
	size_t n = 0;

	if (argc != 3 || timeline_read_open(&reader, argv[1], NULL) < 0)
		return fprintf(stderr, "%s\n", timeline_read_error()), 1;
	do
		d = timeline_read_message(reader, n++, NULL);
	while (d && strcmp(d->message, argv[2]) != 0);
	if (!d || timeline_read_observe(d, &intervals) < 0)
		return fprintf(stderr, "%s\n", timeline_read_error()), 1;
	while (timeline_read_next_interval(intervals, &i) > 0)
		printf("%" PRId64 " %" PRId64 " %u\n", i.from_ns,
		    i.to_ns - i.from_ns, i.look);
	timeline_read_intervals_close(intervals);
	timeline_read_close(reader);
	return 0;
}
