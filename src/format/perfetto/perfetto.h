/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto.h - private to this folder: the field numbers of a Perfetto trace,
 * and the state of the writer.
 */
#ifndef TL_FORMAT_PERFETTO_PERFETTO_H
#define TL_FORMAT_PERFETTO_PERFETTO_H

#include "base/table.h"
#include "event/hosts/origin.h"
#include "event/intern.h"
#include "event/message_map.h"
#include "event/reader.h"
#include "event/writer.h"
#include "format/protobuf.h"

enum { TRACE_PACKET = 1 };

enum { /* TracePacket */
	PACKET_FTRACE = 1,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_SYSTEM_INFO = 45,
	PACKET_CLOCK_ID = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,
	PACKET_FIRST = 87
};

enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum { SEQUENCE = 1 };

enum { DEFAULTS_CLOCK_ID = 58 };
enum { SNAPSHOT_CLOCKS = 1, SNAPSHOT_PRIMARY = 2 };
enum { CLOCK_ID = 1, CLOCK_TIMESTAMP = 2, CLOCK_INCREMENTAL = 3 };
enum { /* values of CLOCK_ID */
	CLOCK_UTC = 1,
	CLOCK_MONO = 3,
	CLOCK_BOOT = 6,
	CLOCK_OWN = 64
};
enum { SYSTEM_MACHINE_NAME = 17 };

enum { /* TrackDescriptor */
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_DESCRIPTION = 14
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { COUNTER_CATEGORIES = 2, COUNTER_UNIT = 3 };
enum { UNIT_TIME_NS = 1 };

enum { /* TrackEvent */
	EVENT_CATEGORY = 3,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_COUNTER = 30,
	EVENT_LOCATION = 34,
	EVENT_COUNTER_DOUBLE = 44
};
enum { /* values of EVENT_TYPE */
	TYPE_BEGIN = 1,
	TYPE_END = 2,
	TYPE_INSTANT = 3,
	TYPE_COUNTER = 4
};

enum { /* DebugAnnotation */
	ANNOTATION_NAME = 1,
	ANNOTATION_UNSIGNED = 3,
	ANNOTATION_SIGNED = 4,
	ANNOTATION_DOUBLE = 5,
	ANNOTATION_STRING = 6,
	ANNOTATION_POINTER = 7,
	ANNOTATION_STRING_ID = 17
};

/* InternedData, and the fields of its entries. */
enum { INTERNED_LOCATION = 4 };
enum { INTERNED_ID = 1, INTERNED_TEXT = 2 };
enum { LOCATION_ID = 1, LOCATION_FILE = 2, LOCATION_LINE = 4 };

/* The kinds of interned texts; each kind has its own ids. */
enum perfetto_kind {
	CATEGORIES,
	NAMES,
	ARGUMENTS, /* names of debug annotations */
	VALUES,    /* strings of debug annotations */
	PERFETTO_KINDS
};

/* Ids of argument names that any event may have. */
enum {
	ARGUMENT_CPU = 1,
	ARGUMENT_PRIORITY,
	ARGUMENT_LOST,
	ARGUMENT_LANE,
	ARGUMENT_OVERLAPS,
	ARGUMENT_ALONE,
	ARGUMENT_OVERWRITTEN
};

/* Ids of the values of ARGUMENT_ALONE, interned after the names of levels. */
enum { VALUE_BEGIN = TIMELINE_LEVEL_MAX + 3, VALUE_END };

enum {
	/* Perfetto refuses a trace with a CPU of this number or above. */
	PERFETTO_CPUS = 1024,
	/*
	 * Bytes of interned strings; further strings are written in the events.
	 */
	PERFETTO_STRINGS_SIZE_MAX = 64 << 20,
	/*
	 * Room for an event without arguments: stamp, track, category, name,
	 * place.
	 */
	PERFETTO_FRAME_MAX = 256,
	PERFETTO_NESTED_MAX = 4,
	PERFETTO_HEAD_MAX = 64,
	PERFETTO_ARG_MAX = 32
};

enum { EARLY, COUNTERS_LARGE, COUNTERS_TEXT, EXPLAINED, TRACKS, LANES };

/* The bytes that all events of a message share. */
struct perfetto_message {
	uint8_t head_size; /* category, name, place, priority */
	/* The string argument of an event is its name, so head has no name. */
	bool named;
	char head[PERFETTO_HEAD_MAX];
	/* Each annotation begins with its name. */
	uint8_t arg_size[TL_ARGS_MAX];
	char arg[TL_ARGS_MAX][TL_PB_FIELD_MAX];
};

struct perfetto_texts {
	struct tl_interner *interner;
	uint64_t count;        /* strings written to the trace */
	struct tl_id_map keys; /* strings of arguments */
	uint32_t *ids;         /* by number of a key; 0: not interned */
	size_t id_capacity;
	size_t size; /* bytes of the strings in ids */
};

/* A begin without an end so far.  Spans of one track that cross lie in up to 64
 * lanes, each a track of its own; bit i of a mask of lanes is lane i. */
struct perfetto_open {
	const struct tl_message *message;
	int64_t ns;
	uint64_t tsc;
	uint64_t crossed; /* lanes of spans that ended and that it crosses */
	uint32_t epoch;
	uint8_t lane; /* if it is written */
	bool written;
	bool whole; /* of an input without known gaps */
};

/* The begins of a track, in the order in which they came. */
struct perfetto_opens {
	struct perfetto_open *list;
	size_t count;
	size_t capacity;
};

/* A span that was written. */
struct perfetto_drawn {
	uint64_t track;
	int64_t from_ns, to_ns;
	uint8_t lane;
};

enum { PERFETTO_DRAWN_MAX = 64 };

struct perfetto_write {
	struct tl_writer writer; /* first: callers see the writer */
	struct perfetto_texts texts[PERFETTO_KINDS];
	uint64_t locations;
	struct tl_message_map messages;
	struct tl_id_map tracks;
	struct perfetto_opens *opens; /* by uuid of the track */
	size_t opens_capacity;
	/* The newest spans of which none lies within another of its lane. */
	struct perfetto_drawn drawn[PERFETTO_DRAWN_MAX];
	unsigned drawn_count;
	int64_t last_ns; /* last stamp on clock 64 */
	bool started;
	bool has_boottime;                  /* the snapshot has the clock */
	uint32_t running[PERFETTO_CPUS];    /* tid by CPU; 0: idle, unknown */
	size_t nested[PERFETTO_NESTED_MAX]; /* the packet and open messages */
	unsigned depth;
	struct tl_text scratch;
	struct tl_text values; /* strings of an event without an id */
};

/* Begin a packet of the sequence; fields follow. */
void tl_perfetto_begin(struct perfetto_write *w);
/* Open a message in the packet, or in the message that was opened last and is
 * not closed.  The end of a packet closes all messages. */
void tl_perfetto_open(struct perfetto_write *w, uint32_t field);
void tl_perfetto_end(struct perfetto_write *w);

/* Write the annotation of an interned name with a number or the id of a string,
 * as the field says. */
static inline char *
tl_perfetto_write_known(char *to, unsigned name, uint32_t field, uint64_t n)
{
	char *content = to = tl_pb_write_open(to, EVENT_ANNOTATION);

	to = tl_pb_write_unsigned(to, ANNOTATION_NAME, name);
	to = tl_pb_write_unsigned(to, field, n);
	return tl_pb_write_close(content, to);
}

/* Return the id of a text and write a new text.  0, -errno. */
int tl_perfetto_intern(struct perfetto_write *w, enum perfetto_kind kind,
    struct tl_bytes text, uint64_t *id);
/*
 * Return the id of an argument's string; 0: the string is not interned.  0,
 * -errno.
 */
int tl_perfetto_string(struct perfetto_write *w, enum perfetto_kind kind,
    struct tl_id_key key, struct tl_bytes string, uint64_t *id);
/* Return the shared bytes of a message, made if new.  0, -errno. */
int tl_perfetto_message(struct perfetto_write *w,
    const struct tl_message *message, struct perfetto_message **kept);
/*
 * The name of an event (format/label.h), or its only argument if the text of
 * the message is one argument of strings; in w->scratch, or a string.
 */
struct tl_bytes
tl_perfetto_name(struct perfetto_write *w, const struct tl_event *event);

/* Return the track of an event and describe a new track.  0, -errno. */
int tl_perfetto_track(struct perfetto_write *w, const struct tl_event *event,
    uint64_t *uuid);
/* Return the track of a lane of an event's track; lane 0 is the track. */
int tl_perfetto_lane(struct perfetto_write *w, const struct tl_event *event,
    unsigned lane, uint64_t *uuid);

/*
 * Write an event of the kernel's scheduler as an ftrace event: 1; 0: the event
 * is another event or is written as an instant; -errno.
 */
int tl_perfetto_sched(struct perfetto_write *w, const struct tl_event *event);

void tl_perfetto_texts_free(struct perfetto_write *w);

#endif
