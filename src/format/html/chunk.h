/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk.h - events as the page's script reads them, a chunk at a time.
 *
 * One chunk is one JSON object.  Messages, texts, threads and lanes are defined
 * once, in the chunk that first refers to them by number.
 *
 *	{"base":"1795202658123456789",
 *	 "clock":["7654321","1795202658123456789",0,0, "8654321",...],
 *	 "messages":[["example",4,1,0,0,4,"main.c",12,"explanation","!",
 *		      "tcp",0,"processed "], ...],
 *	 "strings":["eth0", ...],
 *	 "places":[pid,tid,cpu,lane,source, ...],
 *	 "names":[source,pid,tid,"worker","server", ...],
 *	 "events":[0,33,0,10, 1250,33,1,11, ...]}
 *
 *	messages  category, level, kind, scope, builtin, gate, file, line,
 *		  explanation, text after the last argument; then name, format
 *		  and text before of each argument
 *	clock     stamp, Unix time, epoch and source of the first and last event
 *	places    five numbers each; cpu -1 unknown
 *	names     of threads and their processes, "" unknown; none if both are
 *		  unknown
 *	events    nanoseconds since the event before (or base), code, place;
 *		  then values.  The code is 16 * message + kind, + 8 for an end
 *		  without arguments, which has no values.  A loss is code 5 and
 *		  one value, the number of entries; code 6 if the entries were
 *		  overwritten, 13 if they are not shown.
 *
 * If spans are not observed all the time (event/observe.h), a chunk also has
 *
 *	{...,"observed":[0,7, 12,8, 13,-1, ...]}
 *
 *	observed  index of an event in the chunk, and the number of the event's
 *		  observed interval, -1 for no interval.  An event that is not
 *		  listed is in the interval of the event before of its message
 *		  (for the first event: 0).  Only a begin and an end with one
 *		  number are a span; only two entries with one number are an
 *		  interval.  Each answer of the daemon numbers intervals anew;
 *		  an event that the answer does not list is in the interval
 *		  of the last event of the message that the page has.
 *
 * If spans prove themselves (event/spans.h), a chunk also has
 *
 *	{...,"proven":[0,0,-1, 4,5321,1250, ...]}
 *
 *	proven    index of a begin or a proven end in the chunk; the stamp of
 *		  the begin, as the distance from the stamp before in this list
 *		  (for the first, from the stamp of the chunk's first event);
 *		  for an end the length of the span in nanoseconds, for a begin
 *		  -1
 *
 * If events come from several hosts, the first chunk lists the hosts, and every
 * chunk gives the bounds of its times:
 *
 *	{...,"hosts":[["web",0,2],["db",1]],
 *	 "bounds":[0,1,1250000, 7,0,-1, ...],"overlaps":[3,1,1, ...]}
 *
 *	hosts     name, then the sources of the host
 *	bounds    index of an event in the chunk, host of the event, and the
 *		  nanoseconds by which the host's times may be off either way
 *		  from this event on, rounded up a little; -1: unknown
 *	overlaps  the events that may have come before or after a neighbour of
 *		  another host: the distance of each index from the index
 *		  before, the first from -1
 *
 * A 64-bit number that a double cannot hold is a string of digits; a double
 * that JSON cannot hold is "inf", "-inf" or "nan"; the value of a %s argument
 * is the number of a string, or the text.  Texts are escaped as in a listing
 * before they become JSON, and no chunk contains a plain <, so that a chunk may
 * lie inside <script>.
 */
#ifndef TL_FORMAT_HTML_CHUNK_H
#define TL_FORMAT_HTML_CHUNK_H

#include "base/table.h"
#include "base/text.h"
#include "event/details.h"
#include "event/event.h"
#include "event/hosts/hosts.h"

enum { TL_HTML_CHUNK_SIZE = 64 << 10 };

enum { TL_HTML_TABLE_MAX = 1 << 18 };

struct tl_html_key {
	uint64_t a;
	uint64_t b;
	uint64_t c;
};

/*
 * Ids for things that the page defines once and references by id.  Ids count up
 * from 0 and are never reused.  A full table forgets its keys and goes on
 * counting, so that a forgotten key gets a new id when it comes again.  Starts
 * from all zeros.
 */
struct tl_html_table {
	struct tl_table table;
	struct tl_html_key *keys; /* keys of ids first, first + 1, ... */
	size_t capacity;
	uint32_t count;
	uint32_t first;
};

/* Return the id of a key: 1 known, 0 new, -ENOMEM. */
int tl_html_table_number(struct tl_html_table *table,
    const struct tl_html_key *key, uint32_t *number);
void tl_html_table_free(struct tl_html_table *table);

/* Starts from all zeros. */
struct tl_html_chunk {
	struct tl_text messages;
	struct tl_text strings;
	struct tl_text places;
	struct tl_text names;
	struct tl_text events;
	struct tl_text plain; /* scratch for escaping; so is json */
	struct tl_text json;
	struct tl_html_table message_table;
	struct tl_html_table string_table;
	struct tl_html_table place_table;
	struct tl_event first; /* first event of the chunk */
	struct tl_event last;
	size_t count;
	/*
	 * Set before the first event.  GOES_ON: the page may have earlier
	 * events.
	 */
	enum { TL_HTML_UNOBSERVED, TL_HTML_OBSERVED, TL_HTML_GOES_ON } observes;
	struct tl_html_table observed_table;
	uint64_t *last_observed; /* interval, by number in that table */
	size_t last_observed_capacity;
	struct tl_text observed;
	struct tl_text proven;
	uint64_t proven_tsc; /* last stamp in the list */
	/* The next members serve several hosts only. */
	const struct tl_fleet_hosts *hosts; /* NULL: one host */
	bool hosts_written;
	int64_t *host_bounds; /* last bound written for each host */
	struct tl_text bounds;
	struct tl_text overlaps;
	size_t overlap_next; /* index after the last overlap */
};

/* Distinguish hosts; called before the first event.  0, -ENOMEM. */
int tl_html_chunk_set_hosts(struct tl_html_chunk *chunk,
    const struct tl_fleet_hosts *hosts);

/* Has the chunk room for an event?  If not, write the chunk first. */
bool tl_html_chunk_takes(const struct tl_html_chunk *chunk,
    const struct tl_event *event);
/* Append an event: 0, -ENOMEM. */
int
tl_html_chunk_put(struct tl_html_chunk *chunk, const struct tl_event *event);
/* Note an event that the page already has, without appending it: 0, -ENOMEM. */
int
tl_html_chunk_skip(struct tl_html_chunk *chunk, const struct tl_event *event);
/* Append the chunk's JSON object to text and start the next chunk. */
void tl_html_chunk_write(struct tl_html_chunk *chunk, struct tl_text *text);
void tl_html_chunk_free(struct tl_html_chunk *chunk);

/* Append JSON for <script>: < is escaped, which only strings contain. */
void tl_html_put_script(struct tl_text *text, struct tl_bytes json);

/*
 * Append which level was the lowest that was open in an input, from a time to
 * another, as members of a list:
 *
 *	0,"1795202658123456789",90000,6,1250,4, ...
 *
 * the source; the time from which the next level is open, and for how long the
 * list tells; the level, or why nothing is observed (TL_OWN_OVERWRITTEN,
 * TL_OWN_LOST), or 0 if all is observed of an input that has no levels
 * (is_known is false); then changes, the nanoseconds since the change before
 * first.
 */
void tl_html_put_history(struct tl_text *text, const struct tl_details *details,
    uint16_t source, bool is_known, int64_t from_ns, int64_t to_ns);

#endif
