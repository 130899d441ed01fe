/*
 * columns.c FILE ROWS - columns of so many rows at a time hold the values of
 * the events; columns that cannot be filled are refused.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <timeline_read.h>

int
main(int argc, char **argv)
{
	const struct timeline_read_options options = { .size = sizeof(options),
		.oldest_first = 1 };
	const size_t rows = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	uint64_t *values = (uint64_t *)calloc(16 * rows, sizeof(*values));
	struct timeline_read_column columns[16], bad = { 17, values };
	const struct timeline_read_event *e;
	struct timeline_reader *many, *one;
	int64_t filled, count = 0;

	if (argc < 3 || timeline_read_open(&many, argv[1], &options) < 0 ||
	    timeline_read_open(&one, argv[1], &options) < 0)
		return 2;
	assert(timeline_read_columns(many, &bad, 1, 1) == -EINVAL);
	bad = (struct timeline_read_column){ TIMELINE_READ_NS, NULL };
	assert(timeline_read_columns(many, &bad, 1, 1) == -EINVAL);
	for (unsigned i = 0; i < 16; i++)
		columns[i] =
		    (struct timeline_read_column){ i + 1, values + i * rows };
	while ((filled = timeline_read_columns(many, columns, 16, rows)) > 0) {
		for (const uint64_t *v = values; v < values + filled; v++) {
			assert(timeline_read_next(one, &e) == 1);
			assert((int64_t)v[0] == e->ns && v[rows] == e->tsc);
			assert((int64_t)v[2 * rows] == e->duration_ns);
			assert(v[3 * rows] == e->error_ns);
			assert(v[4 * rows] == e->cpu && v[5 * rows] == e->pid);
			assert(v[6 * rows] == e->tid);
			assert(
			    v[7 * rows] == e->level && v[8 * rows] == e->kind);
			assert(v[9 * rows] == e->flags);
			assert(v[10 * rows] == e->lost && v[11 * rows] != 0);
			for (unsigned i = 0; i < 4; i++)
				assert(v[(12 + i) * rows] == e->args[i]);
		}
		count += filled;
	}
	assert(filled == 0 && timeline_read_next(one, &e) == 0);
	printf("%lld\n", (long long)count);
	return 0;
}
