/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.c - write the metadata of a profile and the tables that all
 * threads share.
 */
#include "format/firefox/firefox.h"

enum {
	NS_PER_MS = 1000000,
	/* The viewer shows fewer threads unless they are listed. */
	VISIBLE_MAX = 100
};

/* Nothing is sampled: a microsecond, so that what is last has some width. */
#define INTERVAL_MS "0.001"
#define INTERVAL_NS 1000

/* "name":"text", where there is some. */
static void
put_member(struct tl_text *text, const char *name, const char *value)
{
	if (!value || value[0] == '\0')
		return;
	tl_put_format(text, ",\"%s\":", name);
	tl_firefox_put_text(text, tl_bytes_of(value));
}

static void
put_times(struct firefox_write *w)
{
	struct tl_text *text = &w->writer.out.text;
	const int64_t monotonic_ns = w->writer.origin.monotonic_ns;
	const int64_t end_ns = w->last_ns > INT64_MAX - INTERVAL_NS
				   ? INT64_MAX
				   : w->last_ns + INTERVAL_NS;

	tl_put_string(text, ",\"interval\":" INTERVAL_MS ",\"startTime\":");
	tl_put_signed(text, w->base_ns / NS_PER_MS);
	if (monotonic_ns > 0 && w->base_ns >= monotonic_ns) {
		tl_put_string(text,
		    ",\"startTimeAsClockMonotonicNanosecondsSinceBoot\":");
		tl_put_signed(text, w->base_ns - monotonic_ns);
	}
	tl_put_string(text, ",\"profilingStartTime\":");
	tl_firefox_put_time(w, text, w->first_ns);
	tl_put_string(text, ",\"profilingEndTime\":");
	tl_firefox_put_time(w, text, end_ns);
}

static void
put_entry(struct tl_text *text, const char *label, const char *value,
    bool *follows)
{
	if (value[0] == '\0')
		return;
	tl_put_string(text, *follows ? "," : "");
	*follows = true;
	tl_put_format(text,
	    "{\"label\":\"%s\",\"format\":\"string\",\"value\":", label);
	tl_firefox_put_text(text, tl_bytes_of(value));
	tl_put_char(text, '}');
}

/* For the panel of more information. */
static void
put_origin(struct firefox_write *w)
{
	const struct tl_origin *origin = &w->writer.origin;
	struct tl_text *text = &w->writer.out.text;
	bool follows = false;

	tl_put_string(text, ",\"extra\":[{\"label\":\"Timeline\","
			    "\"entries\":[");
	put_entry(text, "Machine", origin->machine, &follows);
	put_entry(text, "Command", origin->command, &follows);
	if (origin->pid != 0)
		tl_put_format(text,
		    "%s{\"label\":\"Process\",\"format\":\"string\","
		    "\"value\":\"%u\"}",
		    follows ? "," : "", origin->pid);
	tl_put_string(text, "]}]");
}

static void
put_visible(struct firefox_write *w)
{
	struct tl_text *text = &w->writer.out.text;

	tl_put_string(text, ",\"keepProfileThreadOrder\":true,"
			    "\"initialVisibleThreads\":[0");
	for (uint32_t i = 1; i < w->thread_count && i < VISIBLE_MAX; i++)
		tl_put_format(text, ",%u", i);
	tl_put_char(text, ']');
}

static int
put_lists(struct firefox_write *w)
{
	struct tl_text *text = &w->writer.out.text;
	int rc;

	tl_put_string(text,
	    ",\n\"categories\":[\n{\"name\":\"Other\",\"color\":\"grey\","
	    "\"subcategories\":[\"Other\"]}");
	rc = tl_column_write(&w->spill, &w->category_list, &w->writer.out);
	tl_put_string(text, "],\n\"markerSchema\":[");
	if (rc == 0)
		rc = tl_column_write(&w->spill, &w->schemas, &w->writer.out);
	tl_firefox_put_lost_schema(text);
	tl_put_char(text, ']');
	return rc;
}

static int
put_meta(struct firefox_write *w)
{
	struct tl_text *text = &w->writer.out.text;
	int rc;

	tl_put_format(text,
	    "{\"meta\":{\"version\":24,\"preprocessedProfileVersion\":%d",
	    FIREFOX_VERSION);
	put_times(w);
	tl_put_string(text,
	    ",\"processType\":0,\"stackwalk\":0,\"debug\":false,"
	    "\"importedFrom\":\"timeline\",\"symbolicated\":true,"
	    "\"symbolicationNotSupported\":true,"
	    "\"usesOnlyOneStackType\":true,"
	    "\"sourceCodeIsNotOnSearchfox\":true");
	put_member(text, "product",
	    w->writer.title && w->writer.title[0] ? w->writer.title
						  : "timeline");
	put_member(text, "device", w->writer.origin.machine);
	put_origin(w);
	put_visible(w);
	rc = put_lists(w);
	tl_put_string(text, "}");
	return rc;
}

static const char tables[] =
    ",\n\"libs\":[],\"shared\":{"
    "\"stackTable\":{\"length\":0,\"frame\":[],\"prefix\":[]},"
    "\"frameTable\":{\"length\":0,\"address\":[],\"inlineDepth\":[],"
    "\"category\":[],\"subcategory\":[],\"func\":[],\"nativeSymbol\":[],"
    "\"innerWindowID\":[],\"line\":[],\"column\":[]},"
    "\"funcTable\":{\"length\":0,\"name\":[],\"isJS\":[],"
    "\"relevantForJS\":[],\"resource\":[],\"source\":[],"
    "\"lineNumber\":[],\"columnNumber\":[]},"
    "\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],"
    "\"type\":[]},"
    "\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],"
    "\"name\":[],\"functionSize\":[]},"
    "\"sources\":{\"length\":0,\"id\":[],\"filename\":[],"
    "\"startLine\":[],\"startColumn\":[],\"sourceMapURL\":[]},"
    "\n\"stringArray\":[";

int
tl_firefox_put_head(struct firefox_write *w)
{
	struct tl_text *text = &w->writer.out.text;
	int rc = put_meta(w);

	tl_put_string(text, tables);
	if (rc == 0)
		rc = tl_column_write(&w->spill, &w->strings, &w->writer.out);
	tl_put_string(text, "]}");
	return rc;
}
