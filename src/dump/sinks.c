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
	switch (options->format) {
	case TL_FORMAT_JSON:
		return tl_jsonl_write_new(sink, write_output, output);
	case TL_FORMAT_CSV:
		return tl_csv_write_new(sink, write_output, output);
	default:
		return tl_listing_new(sink, output, style);
	}
}

void
tl_sinks_free(struct tl_sink *sink, const struct tl_options *options)
{
	switch (options->format) {
	case TL_FORMAT_JSON:
		tl_jsonl_write_free(sink);
		break;
	case TL_FORMAT_CSV:
		tl_csv_write_free(sink);
		break;
	default:
		tl_listing_free(sink);
	}
}

struct tl_listing_style
tl_sinks_style(const struct tl_options *options, enum tl_order order)
{
	return (struct tl_listing_style){ .columns = options->columns,
		.column_count = options->column_count,
		.order = order,
		.explain = options->explain };
}
