/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sinks.c - the sink of entries that the options ask for.
 */
#include "dump/sinks.h"

#include "format/csv/write.h"
#include "format/jsonl/write.h"

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

void
tl_sinks_set_sources(struct tl_sink *sink, const struct tl_options *options,
    const struct tl_origin *sources, size_t count)
{
	if (options->format != TL_FORMAT_TEXT)
		tl_writer_set_sources((struct tl_writer *)(void *)sink, sources,
		    count);
}

void
tl_sinks_expect_hosts(struct tl_sink *sink, const struct tl_options *options)
{
	if (options->format != TL_FORMAT_TEXT)
		((struct tl_writer *)(void *)sink)->may_be_several = true;
}

struct tl_listing_style
tl_sinks_style(const struct tl_options *options, const struct tl_hosts *hosts,
    enum tl_order order)
{
	static const uint8_t of_hosts[] = { TL_COLUMN_TIME, TL_COLUMN_HOST,
		TL_COLUMN_CATEGORY, TL_COLUMN_MESSAGE };
	struct tl_listing_style style = { .columns = options->columns,
		.column_count = options->column_count,
		.order = order,
		.explain = options->explain,
		.hosts = hosts,
		.marks = hosts && hosts->are_several };

	if (style.marks && !options->columns_given) {
		style.columns = of_hosts;
		style.column_count = sizeof(of_hosts);
	}
	return style;
}
