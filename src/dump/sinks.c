/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sinks.c - the sink of entries that the options ask for.
 */
#include "dump/sinks.h"

#include "format/csv_write.h"
#include "format/jsonl_write.h"

static int
write_output(void *context, const char *data, size_t size)
{
	struct tl_output *output = context;

	tl_put_bytes(&output->text, tl_bytes(data, size));
	return tl_output_more(output);
}

int
tl_sinks_new(struct tl_sink **sink, const struct tl_options *options,
    struct tl_output *output, const struct tl_listing_style *style)
{
	struct tl_writer *writer;
	int rc;

	switch (options->format) {
	case TL_FORMAT_JSON:
		rc = tl_jsonl_write_new(&writer, write_output, output, NULL);
		break;
	case TL_FORMAT_CSV:
		rc = tl_csv_write_new(&writer, write_output, output, NULL);
		break;
	default:
		return tl_listing_new(sink, output, style);
	}
	if (rc == 0)
		*sink = &writer->sink;
	return rc;
}

void
tl_sinks_free(struct tl_sink *sink, const struct tl_options *options)
{
	if (options->format == TL_FORMAT_TEXT)
		tl_listing_free(sink);
	else
		tl_writer_free((struct tl_writer *)(void *)sink);
}

struct tl_listing_style
tl_sinks_style(const struct tl_options *options, enum tl_order order)
{
	return (struct tl_listing_style){ .columns = options->columns,
		.column_count = options->column_count,
		.order = order,
		.explain = options->explain };
}
