/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto.h - private between the perfetto_*.c files: which field of a
 * Perfetto trace has which number, and what the writer keeps.
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
enum { /* which clock */
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
enum { /* its type */
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

/* InternedData, and what each of its entries has. */
enum { INTERNED_LOCATION = 4 };
enum { INTERNED_ID = 1, INTERNED_TEXT = 2 };
enum { LOCATION_ID = 1, LOCATION_FILE = 2, LOCATION_LINE = 4 };

/* The kinds of interned data, each with its own numbers. */
enum perfetto_kind {
	CATEGORIES,
	NAMES,
	ARGUMENTS, /* names of debug annotations */
	VALUES,    /* their strings */
	PERFETTO_KINDS
};

/* Names of arguments that every event may have, the first ones interned. */
enum {
	ARGUMENT_CPU = 1,
	ARGUMENT_PRIORITY,
	ARGUMENT_LOST,
	ARGUMENT_LANE,
	ARGUMENT_OVERLAPS,
	ARGUMENT_ALONE,
	ARGUMENT_OVERWRITTEN
};

/* Of ARGUMENT_ALONE: strings that are interned behind those of levels. */
enum { VALUE_BEGIN = TIMELINE_LEVEL_MAX + 3, VALUE_END };

enum {
	/* CPUs that Perfetto takes */
	PERFETTO_CPUS = 1024,
	/* Strings kept together; more of them are written where they are. */
	PERFETTO_STRINGS_SIZE_MAX = 64 << 20,
	/* An event but for arguments: stamp, track, category, name, place. */
	PERFETTO_FRAME_MAX = 256,
	PERFETTO_HEAD_MAX = 64,
	PERFETTO_ARG_MAX = 32
};

enum { EARLY, COUNTERS_LARGE, COUNTERS_TEXT, EXPLAINED, TRACKS };

/* The parts that the events of a message have in common. */
struct perfetto_message {
	uint8_t head_size; /* category, name, place, priority */
	bool named;        /* by its string argument, not in head */
	char head[PERFETTO_HEAD_MAX];
	/* The beginning of each annotation: its name. */
	uint8_t arg_size[TL_ARGS_MAX];
	char arg[TL_ARGS_MAX][TL_PB_FIELD_MAX];
};

struct perfetto_texts {
	struct tl_interner *interner;
	uint64_t count;        /* of its strings that stand in the trace */
	struct tl_id_map keys; /* of the strings that events name */
	uint32_t *ids;         /* by number of a key; 0: not interned */
	size_t id_capacity;
	size_t size; /* of those strings */
};

struct perfetto_write {
	struct tl_writer writer; /* first: what callers see */
	struct perfetto_texts texts[PERFETTO_KINDS];
	uint64_t locations;
	struct tl_message_map messages;
	struct tl_id_map tracks;
	struct tl_spans *spans;
	int64_t last_ns; /* of the own clock */
	bool started;
	bool has_boottime;               /* the snapshot has it */
	uint32_t running[PERFETTO_CPUS]; /* tid by CPU; 0: idle, unknown */
	struct tl_text scratch;
	struct tl_text values; /* strings of an event that are not interned */
	struct tl_notes notes;
};

/* A packet of the sequence: what is in it is put between these. */
size_t tl_perfetto_packet_open(struct perfetto_write *w);
void tl_perfetto_packet_close(struct perfetto_write *w, size_t packet);

/* The id of a text, which is written if it is new.  0, -errno. */
int tl_perfetto_intern(struct perfetto_write *w, enum perfetto_kind kind,
    struct tl_bytes text, uint64_t *id);
/* The id of the string that an argument names; 0: it is not interned. */
int tl_perfetto_string(struct perfetto_write *w, enum perfetto_kind kind,
    const struct tl_message *message, uint64_t number, uint64_t *id);
/* The slot of a message, made if it is new. */
int tl_perfetto_message(struct perfetto_write *w,
    const struct tl_message *message, struct perfetto_message **kept);
/* Is the string that its events have as their only argument their name? */
bool tl_perfetto_is_named(const struct tl_message *message);
/* The text by which an event of a message is known: its first line, with the
 * bare names of arguments. */
void tl_perfetto_name(struct tl_text *text, const struct tl_message *message);

/* The track an event belongs to, described if it is new.  0, -errno. */
int tl_perfetto_track(struct perfetto_write *w, const struct tl_event *event,
    uint64_t *uuid);

/* Put an event of the kernel's scheduler the way of Perfetto: 1; 0: it is
 * another event or has to be put like one, -errno. */
int tl_perfetto_sched(struct perfetto_write *w, const struct tl_event *event);

void tl_perfetto_texts_free(struct perfetto_write *w);

#endif
