/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - events to packets of their streams.
 *
 *	(source, lane, cpu) --> number --> stream: its packet, while it fills
 *	(message, kind, has arguments) --> number --> class: defined in the metadata
 *
 * A packet is written when the packet is full, when entries were lost after the
 * packet, and when all packets together take too much memory.  The metadata
 * grow with the classes and are written last.
 */
#include "format/ctf/ctf.h"

#include "base/array.h"
#include "base/file.h"
#include "base/ns.h"
#include "base/table.h"
#include "event/names.h"
#include "event/reader.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PACKET_HEADER = 2 * 4,
	PACKET_CONTEXT = 6 * 8 + 3 * 4,
	PACKET_FIRST = PACKET_HEADER + PACKET_CONTEXT,
	PACKET_SIZE = 64 << 10, /* the last event may exceed the size */
	PLACE_SIZE = 4 + 8 + 4 + 4 + 8 + 8 + 4 + 4,
	PAYLOAD_SIZE = 3 + 1 + 8, /* of an end, else 3 */
	ARG_SIZE = 8,
	STREAMS_MAX = 1 << 16,
	NAME_MAX_SIZE = 32,
	/* Bytes of all packets that are not full yet. */
	FILLING_MAX = 64 << 20
};

#define BASE_S_MIN (INT64_MIN / TL_NS_PER_S)
/* Readers hold stamps in signed numbers and cannot use the largest. */
#define STAMP_MAX (INT64_MAX - TL_NS_PER_S)

enum { BACK, FAR };

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[BACK] = { -ENOTSUP,
	    "CTF has no clock that is set back: time stands still meanwhile" },
	[FAR] = { -ENOTSUP,
	    "CTF's readers count no more than 292 years: time stands still" },
};

struct stream {
	struct tl_text packet; /* empty: no packet is open */
	uint64_t begin;        /* stamps of the packet */
	uint64_t end;          /* last stamp of the stream */
	uint64_t discarded;    /* entries discarded so far */
	/* Discarded entries that written packets count. */
	uint64_t reported;
	uint64_t packets; /* packets written so far */
	uint32_t cpu;
	uint32_t lane;
	uint32_t source;
	uint32_t number;
};

struct ctf_write {
	struct tl_writer writer; /* first: callers see the writer */
	int fd;                  /* of the directory */
	struct tl_id_map classes;
	struct tl_id_map stream_keys;
	struct stream *streams;
	uint32_t stream_count;
	size_t stream_capacity;
	size_t filling; /* bytes of all open packets */
	struct tl_text metadata;
	bool started;
	/* Stamps count from base_s, 0 unless the first event is before 1970. */
	int64_t base_s;
};

static char *
write_8(char *to, unsigned n)
{
	*to = (char)n;
	return to + 1;
}

static char *
write_32(char *to, uint32_t n)
{
	const uint32_t little = htole32(n);

	memcpy(to, &little, sizeof(little));
	return to + sizeof(little);
}

static char *
write_64(char *to, uint64_t n)
{
	const uint64_t little = htole64(n);

	memcpy(to, &little, sizeof(little));
	return to + sizeof(little);
}

/*
 * Append to a file of the directory.  A file is open only meanwhile, because a
 * trace may have more files than a process may have open.
 */
static int
append(const struct ctf_write *w, const char *name, const struct tl_text *text)
{
	const int fd = openat(w->fd, name,
	    O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
	int rc;

	if (fd < 0)
		return -errno;
	rc = tl_write_all(fd, text->data, text->size);
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	return rc;
}

/* Begin a packet, with room for the fields that are known at its end. */
static int
begin_packet(struct ctf_write *w, struct stream *s, uint64_t stamp)
{
	tl_put_repeat(&s->packet, '\0', PACKET_FIRST);
	w->filling += PACKET_FIRST;
	s->begin = s->end = stamp;
	return s->packet.rc;
}

/* Write the open packet, if any. */
static int
flush_packet(struct ctf_write *w, struct stream *s)
{
	const uint64_t bits = (uint64_t)s->packet.size * 8;
	char *to = s->packet.data;
	char name[NAME_MAX_SIZE];
	int rc;

	if (s->packet.rc < 0 || s->packet.size == 0)
		return s->packet.rc;
	to = write_32(to, CTF_MAGIC);
	to = write_32(to, 0);
	to = write_64(to, s->begin);
	to = write_64(to, s->end);
	to = write_64(to, bits);
	to = write_64(to, bits);
	to = write_64(to, s->discarded);
	to = write_64(to, s->packets);
	to = write_32(to, s->cpu);
	to = write_32(to, s->lane);
	write_32(to, s->source);
	snprintf(name, sizeof(name), "stream_%" PRIu32, s->number);
	rc = append(w, name, &s->packet);
	w->filling -= s->packet.size;
	tl_text_clear(&s->packet);
	s->packets++;
	s->reported = s->discarded;
	return rc;
}

/* Write all packets and free their memory. */
static int
flush_all(struct ctf_write *w)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < w->stream_count; i++) {
		rc = flush_packet(w, &w->streams[i]);
		tl_text_free(&w->streams[i].packet);
	}
	return rc;
}

static int
make_stream(struct ctf_write *w, const struct tl_event *event, uint32_t number)
{
	int rc = TL_ARRAY_ZEROS(w->streams, w->stream_capacity, number);

	if (rc < 0)
		return rc;
	w->streams[number] = (struct stream){ .cpu = event->cpu,
		.lane = event->lane,
		.source = event->source,
		.number = number };
	w->stream_count = number + 1;
	return 0;
}

/* Find the number of an event's class; add a new class to the metadata. */
static int
find_class(struct ctf_write *w, const struct tl_event *event, uint32_t *id)
{
	const struct tl_id_key key = { (uintptr_t)event->message,
		(uint64_t)event->kind << 1 | tl_event_has_args(event) };
	const int rc = tl_id_map_get(&w->classes, key, id);

	if (rc > 0)
		tl_ctf_put_class(&w->metadata,
		    &(struct ctf_class){ .message = event->message,
			.id = *id,
			.kind = event->kind,
			.has_args = tl_event_has_args(event) });
	return rc < 0 ? rc : w->metadata.rc;
}

/*
 * Convert a time to a stamp of its stream.  Stamps never decrease and do not
 * exceed STAMP_MAX.
 */
static uint64_t
stamp_of(const struct ctf_write *w, const struct stream *s, int64_t ns)
{
	const int64_t base_ns = w->base_s * TL_NS_PER_S;
	const uint64_t stamp = (uint64_t)ns - (uint64_t)base_ns;

	if (ns < base_ns || stamp < s->end)
		return s->end;
	return stamp < STAMP_MAX ? stamp : STAMP_MAX;
}

/* Is a time before the last stamp of its stream? */
static bool
is_back(const struct ctf_write *w, const struct stream *s, int64_t ns)
{
	const int64_t base_ns = w->base_s * TL_NS_PER_S;

	return ns < base_ns || (uint64_t)ns - (uint64_t)base_ns < s->end;
}

/* Write the part of the payload before the arguments. */
static char *
write_payload(char *to, const struct tl_event *event)
{
	to = write_8(to, 0); /* the category, an empty string */
	to = write_8(to, event->message->level);
	to = write_8(to, event->kind);
	if (event->kind != TL_END)
		return to;
	to = write_8(to, event->begun); /* enum tl_begun, as in metadata.c */
	return write_64(to,
	    tl_event_is_begun(event) ? (uint64_t)event->duration_ns : 0);
}

static void
put_args(struct tl_text *text, const struct tl_event *event)
{
	const struct tl_message *message = event->message;
	const unsigned argc = tl_event_has_args(event) ? message->argc : 0;
	char *to;

	for (unsigned i = 0; i < argc; i++) {
		if (tl_arg_is_text(&message->args[i])) {
			/*
			 * Append a string and a NUL; tl_put_plain() leaves no
			 * NUL in the string.
			 */
			const struct tl_bytes string =
			    tl_message_text(event->message, i, &event->args[i]);

			if (string.data) {
				tl_put_plain(text, string);
			} else {
				tl_put_char(text, '#');
				tl_put_unsigned(text, event->args[i]);
			}
			tl_put_char(text, '\0');
			continue;
		}
		if (!(to = tl_text_reserve(text, ARG_SIZE)))
			return;
		write_64(to, event->args[i]);
		text->size += ARG_SIZE;
	}
}

static int
put_event(struct ctf_write *w, struct stream *s, const struct tl_event *event)
{
	const struct tl_names *names = tl_event_names(event);
	const size_t before = s->packet.size;
	const uint64_t stamp = stamp_of(w, s, event->ns);
	uint32_t id;
	char *to;
	int rc = find_class(w, event, &id);

	if (rc < 0)
		return rc;
	if (is_back(w, s, event->ns))
		tl_note(&w->writer.notes, BACK, TL_FAULT_NOWHERE);
	if (stamp == STAMP_MAX)
		tl_note(&w->writer.notes, FAR, TL_FAULT_NOWHERE);
	if (before == 0 && (rc = begin_packet(w, s, stamp)) < 0)
		return rc;
	w->filling -= s->packet.size;
	if ((to = tl_text_reserve(&s->packet, PLACE_SIZE))) {
		to = write_32(to, id);
		to = write_64(to, stamp);
		to = write_32(to, event->pid);
		to = write_32(to, event->tid);
		to = write_64(to, event->tsc);
		to = write_64(to, event->number);
		to = write_32(to, event->epoch);
		write_32(to, event->error_ns);
		s->packet.size += PLACE_SIZE;

		/* the names of thread and process; empty: unknown */
		tl_put_plain(&s->packet,
		    tl_names_thread(names, event->pid, event->tid));
		tl_put_char(&s->packet, '\0');
		tl_put_plain(&s->packet, tl_names_process(names, event->pid));
		tl_put_char(&s->packet, '\0');
	}
	if ((to = tl_text_reserve(&s->packet, PAYLOAD_SIZE))) {
		to = write_payload(to, event);
		s->packet.size = (size_t)(to - s->packet.data);
		put_args(&s->packet, event);
	}
	w->filling += s->packet.size;
	s->end = stamp;
	if (s->packet.rc < 0)
		return s->packet.rc;
	if (w->filling > FILLING_MAX) /* all packets take too much memory */
		return flush_all(w);
	return s->packet.size >= PACKET_SIZE ? flush_packet(w, s) : 0;
}

/*
 * Write a packet without events, so that a reader sees how many events were
 * discarded since the packet before.
 */
static int
put_empty(struct ctf_write *w, struct stream *s, uint64_t stamp)
{
	const int rc = begin_packet(w, s, stamp);

	return rc < 0 ? rc : flush_packet(w, s);
}

static void
start(struct ctf_write *w, int64_t ns)
{
	if (w->started)
		return;
	w->started = true;
	if (ns < 0)
		w->base_s = ns / TL_NS_PER_S - 1;
	if (w->base_s < BASE_S_MIN)
		w->base_s = BASE_S_MIN;
	tl_ctf_put_trace(&w->metadata, &w->writer.facts.origin, w->base_s);
}

static int
ctf_put(struct tl_writer *writer, const struct tl_event *event)
{
	const struct tl_id_key key = { (uint64_t)event->lane << 32 | event->cpu,
		event->source };
	struct ctf_write *w = (void *)writer;
	struct stream *s;
	uint32_t number;
	uint64_t stamp;
	int rc;

	start(w, event->ns);
	rc = tl_id_map_get(&w->stream_keys, key, &number);
	if (rc < 0)
		return rc;
	if (number >= STREAMS_MAX)
		return -ENOSPC;
	if (number >= w->stream_count &&
	    (rc = make_stream(w, event, number)) < 0)
		return rc;
	s = &w->streams[number];
	if (event->message)
		return put_event(w, s, event);
	if (tl_event_is_start(event)) /* the ring turned before all events */
		return 0;

	/* The next packet counts a loss, the packet before does not. */
	stamp = stamp_of(w, s, event->ns);
	rc = flush_packet(w, s);
	if (rc == 0 && s->packets == 0)
		rc = put_empty(w, s, stamp);
	s->end = stamp;
	s->discarded += event->lost;
	return rc;
}

/* Write an empty packet for a loss after the last event of a stream. */
static int
report_losses(struct ctf_write *w)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < w->stream_count; i++) {
		struct stream *s = &w->streams[i];

		if (s->reported != s->discarded)
			rc = put_empty(w, s, s->end);
	}
	return rc;
}

static int
ctf_end(struct tl_writer *writer)
{
	struct ctf_write *w = (void *)writer;
	int rc;

	start(w, 0);
	if ((rc = flush_all(w)) < 0 || (rc = report_losses(w)) < 0)
		return rc;
	if (w->metadata.rc < 0)
		return w->metadata.rc;
	return append(w, "metadata", &w->metadata);
}

static void
ctf_free(struct tl_writer *writer)
{
	struct ctf_write *w = (void *)writer;

	for (size_t i = 0; i < w->stream_capacity; i++)
		tl_text_free(&w->streams[i].packet);
	free(w->streams);
	tl_id_map_free(&w->stream_keys);
	tl_id_map_free(&w->classes);
	tl_text_free(&w->metadata);
	if (w->fd >= 0)
		close(w->fd);
}

static const struct tl_writer_kind ctf_kind = { .put = ctf_put,
	.end = ctf_end,
	.notes = kinds,
	.free = ctf_free };

int
tl_ctf_write_at(struct tl_writer **writer, const char *path,
    const struct tl_report *report)
{
	struct ctf_write *w;
	int rc = mkdir(path, 0777) < 0 ? -errno : 0;

	if (rc == 0)
		rc = tl_writer_make(writer, sizeof(*w), &ctf_kind, NULL, NULL,
		    report);
	if (rc < 0)
		return rc;
	w = (void *)*writer;
	w->fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (w->fd >= 0)
		return 0;
	rc = -errno;
	tl_writer_free(*writer);
	rmdir(path);
	return rc;
}
