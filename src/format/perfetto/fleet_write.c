/* SPDX-License-Identifier: Apache-2.0 */
/* fleet_write.c - a writer of a trace for each host, then the archive. */
#include "format/perfetto/fleet_write.h"

#include "event/hosts/hosts.h"
#include "event/intern.h"
#include "format/column.h"
#include "format/perfetto/fleet_tar.h"
#include "format/perfetto/write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { MEMBER_NAME_MAX = TL_TAR_NAME_MAX - 32, NS_PER_S = 1000000000 };

static const char manifest_name[] = "perfetto_manifest.json";

/* The trace of a host. */
struct part {
	const struct tl_fleet_host *host;
	struct fleet_write *fleet;
	struct tl_writer *trace; /* NULL: no event yet */
	struct tl_report report;
	struct tl_column bytes;
	struct tl_tar_member member;
	uint32_t sync_us; /* greatest of its events */
};

struct fleet_write {
	struct tl_writer writer; /* first: what callers see */
	struct tl_fleet_hosts hosts;
	struct part *parts; /* of each host */
	struct tl_columns waiting;
};

static struct fleet_write *
write_of(struct tl_writer *writer)
{
	return (struct fleet_write *)(void *)writer;
}

/* A piece of a host's trace. */
static int
take(void *context, const char *data, size_t size)
{
	struct part *part = context;

	tl_put_bytes(&part->bytes.text, tl_bytes(data, size));
	part->member.size += size;
	return tl_column_spill_full(&part->fleet->waiting, &part->bytes);
}

/* Report what the trace of one of several hosts cannot hold, with its name. */
static void
say(void *context, const struct tl_fault *fault)
{
	const struct part *part = context;

	tl_report_write(part->fleet->writer.report, fault->rc, fault->at,
	    "%s: %s", part->host->name, fault->text);
}

static bool
is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/* The host's name in what every file system takes; a name that begins with a
 * dot would be a hidden file, which viewers pass over. */
static void
name_member(char name[TL_TAR_NAME_MAX], const char *host, size_t number)
{
	char plain[MEMBER_NAME_MAX + 1];
	size_t size = 0;

	for (; host[size] != '\0' && size < MEMBER_NAME_MAX; size++) {
		const char c = host[size];

		plain[size] = is_plain(c) || (c == '.' && size > 0) ? c : '_';
	}
	plain[size] = '\0';
	if (number < 2)
		snprintf(name, TL_TAR_NAME_MAX, "%s.pftrace", plain);
	else
		snprintf(name, TL_TAR_NAME_MAX, "%s-%u.pftrace", plain,
		    (unsigned)number);
}

/* The names of members so far, in lower case, as some file systems ignore
 * case. */
struct naming {
	struct tl_interner *names;
	uint64_t count;
};

/* 1: the name is free; 0: it is taken; -errno. */
static int
take_name(struct naming *naming, const char *name)
{
	char lower[TL_TAR_NAME_MAX];
	size_t size = 0;
	uint64_t number;
	int rc;

	for (; name[size] != '\0'; size++)
		lower[size] = name[size] >= 'A' && name[size] <= 'Z'
				  ? (char)(name[size] | 0x20)
				  : name[size];
	rc = tl_interner_string(naming->names, tl_bytes(lower, size), &number);
	if (rc < 0 || number <= naming->count)
		return rc;
	naming->count = number;
	return 1;
}

static int
name_parts(struct fleet_write *w)
{
	struct naming naming = { 0 };
	int rc = tl_interner_new(&naming.names);

	for (size_t i = 0; i < w->hosts.count && rc >= 0; i++) {
		struct part *part = &w->parts[i];
		size_t number = 1;

		do
			name_member(part->member.name, part->host->name,
			    number++);
		while ((rc = take_name(&naming, part->member.name)) == 0);
	}
	tl_interner_free(naming.names);
	return rc < 0 ? rc : 0;
}

static int
fleet_begin(struct tl_writer *writer)
{
	struct fleet_write *w = write_of(writer);
	int rc = tl_fleet_hosts_find(&w->hosts, writer);

	if (rc < 0)
		return rc;
	w->parts = calloc(w->hosts.count, sizeof(*w->parts));
	if (!w->parts)
		return -ENOMEM;
	for (size_t i = 0; i < w->hosts.count; i++) {
		struct part *part = &w->parts[i];

		part->host = &w->hosts.items[i];
		part->fleet = w;
		part->report = (struct tl_report){ say, part };
	}
	return name_parts(w);
}

/* A host's first event. */
static int
begin_trace(struct part *part)
{
	const struct tl_writer *writer = &part->fleet->writer;
	struct tl_origin origin = *part->host->origin;
	int rc = tl_perfetto_write_new(&part->trace, take, part,
	    part->fleet->hosts.count > 1 ? &part->report : writer->report);

	if (rc < 0)
		return rc;
	memcpy(origin.machine, part->host->name, sizeof(origin.machine));
	tl_writer_set_origin(part->trace, &origin);
	tl_writer_set_sources(part->trace, writer->sources,
	    writer->source_count);
	part->trace->is_of_one_host = true;
	return 0;
}

static int
fleet_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct fleet_write *w = write_of(writer);
	struct part *part = &w->parts[tl_fleet_host_of(&w->hosts, event)];
	const uint64_t s = event->ns > 0 ? (uint64_t)event->ns / NS_PER_S : 0;
	int rc;

	if (!part->trace && (rc = begin_trace(part)) < 0)
		return rc;
	if (s > part->member.changed_s)
		part->member.changed_s = s;
	if (event->sync_us > part->sync_us)
		part->sync_us = event->sync_us;
	return part->trace->sink.put(&part->trace->sink, event);
}

static void
put_quoted(struct tl_text *text, const char *before, const char *string)
{
	struct tl_text plain = { 0 };

	tl_put_string(text, before);
	tl_put_plain(&plain, tl_bytes_of(string));
	tl_put_json(text, tl_bytes(plain.data, plain.size));
	tl_put_char(text, '"');
	if (plain.rc < 0)
		text->rc = plain.rc;
	tl_text_free(&plain);
}

/* Whose each trace is. */
static void
put_files(struct tl_text *text, const struct fleet_write *w)
{
	const char *before = "\n{\"path\":\"";

	for (size_t i = 0; i < w->hosts.count; i++) {
		const struct part *part = &w->parts[i];

		if (!part->trace)
			continue;
		put_quoted(text, before, part->member.name);
		put_quoted(text, ",\"machine\":{\"name\":\"", part->host->name);
		tl_put_string(text, "}}");
		before = ",\n{\"path\":\"";
	}
}

/* How far each host's clock may be off, where it is known. */
static void
put_attributes(struct tl_text *text, const struct fleet_write *w)
{
	const char *before = "\n\"timeline.clock_error_us.";

	for (size_t i = 0; i < w->hosts.count; i++) {
		const struct part *part = &w->parts[i];

		if (!part->trace || part->sync_us == 0)
			continue;
		put_quoted(text, before, part->host->name);
		tl_put_char(text, ':');
		if (part->sync_us == TL_SYNC_UNBOUNDED)
			tl_put_string(text, "\"unbounded\"");
		else
			tl_put_unsigned(text, part->sync_us);
		before = ",\n\"timeline.clock_error_us.";
	}
}

/* A viewer knows it by its first bytes, up to the first name.  The merged
 * time is the wall clock: of the first trace, since each belongs to a
 * machine. */
static void
put_manifest(struct tl_text *text, const struct fleet_write *w)
{
	size_t first = 0;

	tl_put_string(text, "{\"perfetto_manifest\":{\"version\":1,\n");
	while (first < w->hosts.count && !w->parts[first].trace)
		first++;
	if (first < w->hosts.count) {
		put_quoted(text,
		    "\"trace_time\":{\"clock\":\"REALTIME\",\"file\":\"",
		    w->parts[first].member.name);
		tl_put_string(text, "},\n");
	}
	tl_put_string(text, "\"files\":[");
	put_files(text, w);
	tl_put_string(text, "],\n\"attributes\":{");
	put_attributes(text, w);
	tl_put_string(text, "}}}\n");
}

static int
write_manifest(struct fleet_write *w)
{
	struct tl_text *text = &w->writer.out.text;
	struct tl_text manifest = { 0 };
	struct tl_tar_member member = { 0 };

	put_manifest(&manifest, w);
	memcpy(member.name, manifest_name, sizeof(manifest_name));
	member.size = manifest.size;
	for (size_t i = 0; i < w->hosts.count; i++) {
		if (w->parts[i].member.changed_s > member.changed_s)
			member.changed_s = w->parts[i].member.changed_s;
	}
	tl_tar_put_header(text, &member);
	tl_put_bytes(text, tl_bytes(manifest.data, manifest.size));
	tl_tar_put_padding(text, member.size);
	if (manifest.rc < 0)
		text->rc = manifest.rc;
	tl_text_free(&manifest);
	return text->rc;
}

static int
write_trace(struct fleet_write *w, struct part *part)
{
	struct tl_out *out = &w->writer.out;
	int rc;

	tl_tar_put_header(&out->text, &part->member);
	rc = tl_column_write(&w->waiting, &part->bytes, out);
	tl_tar_put_padding(&out->text, part->member.size);
	return rc < 0 ? rc : tl_out_flush_full(out);
}

static int
fleet_end(struct tl_writer *writer)
{
	struct fleet_write *w = write_of(writer);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < w->hosts.count; i++) {
		struct tl_writer *trace = w->parts[i].trace;

		if (trace)
			rc = trace->sink.finish(&trace->sink);
	}
	if (w->hosts.count == TL_FLEET_HOSTS_MAX)
		tl_report_write(writer->report, -ENOSPC, TL_FAULT_NOWHERE,
		    "more than %d hosts: the others are one machine",
		    TL_FLEET_HOSTS_MAX - 1);
	if (rc == 0)
		rc = write_manifest(w);
	for (size_t i = 0; rc == 0 && i < w->hosts.count; i++) {
		if (w->parts[i].trace)
			rc = write_trace(w, &w->parts[i]);
	}
	tl_tar_put_end(&writer->out.text);
	return rc;
}

static void
fleet_free(struct tl_writer *writer)
{
	struct fleet_write *w = write_of(writer);

	for (size_t i = 0; w->parts && i < w->hosts.count; i++) {
		tl_writer_free(w->parts[i].trace);
		tl_column_free(&w->parts[i].bytes);
	}
	free(w->parts);
	tl_columns_free(&w->waiting);
	tl_fleet_hosts_free(&w->hosts);
}

static const struct tl_writer_kind fleet_kind = { .begin = fleet_begin,
	.put = fleet_put,
	.end = fleet_end,
	.free = fleet_free };

int
tl_fleet_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	return tl_writer_make(writer, sizeof(struct fleet_write), &fleet_kind,
	    write, context, report);
}
