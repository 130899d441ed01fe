/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c - read a line that has exactly the form of our writer. */
#include "format/jsonl/scan.h"

#include "base/json.h"
#include "base/lines.h"
#include "base/text.h"

#include <errno.h>
#include <timeline.h>

#define SCOPE_SOURCE "\"scope\":\"source\"}"

static inline bool
scan_unsigned(struct tl_scan *s, uint64_t *n)
{
	const char *start = s->at;
	size_t count;

	if (s->end - start > 1 && tl_is_digit(start[0]) &&
	    !tl_is_digit(start[1])) {
		*n = (uint64_t)(start[0] - '0');
		count = 1;
	} else {
		count =
		    tl_number_take(tl_bytes(start, (size_t)(s->end - start)),
			n);
	}
	s->at += count;
	return count == 1 || (count > 1 && *start != '0');
}

static inline bool
scan_signed(struct tl_scan *s, uint64_t *n)
{
	const bool minus = TL_SCAN_SKIP(s, "-");

	if (!scan_unsigned(s, n) || *n > (uint64_t)INT64_MAX + minus)
		return false;
	*n = minus ? -*n : *n;
	return true;
}

static inline bool
scan_small(struct tl_scan *s, uint32_t *n)
{
	uint64_t value;

	if (!scan_unsigned(s, &value) || value > UINT32_MAX)
		return false;
	*n = (uint32_t)value;
	return true;
}

/* Read a string behind its first quote, up to and with the last quote. */
static inline bool
scan_string(struct tl_scan *s, struct tl_bytes *inside, bool *has_escapes)
{
	const char *start = s->at;
	const size_t size = (size_t)(s->end - start);
	bool is_escaped = false;

	*has_escapes = false;
	*inside = tl_bytes(start,
	    tl_json_string_end(start, size, 0, &is_escaped, has_escapes));
	s->at += inside->size;
	return TL_SCAN_SKIP(s, "\"");
}

/*
 * Read the host and the timeline, which a line has if there were several.  Only
 * the file has an origin, not the event.
 */
static bool
scan_origin(struct tl_scan *s, struct tl_bytes *host, struct tl_bytes *timeline)
{
	uint32_t sync_us;
	bool escapes = false;

	if (TL_SCAN_SKIP(s, ",\"host\":\"") &&
	    (!scan_string(s, host, &escapes) || escapes))
		return false;
	if (TL_SCAN_SKIP(s, ",\"timeline\":\"") &&
	    (!scan_string(s, timeline, &escapes) || escapes))
		return false;
	if (TL_SCAN_SKIP(s, ",\"sync_error_us\":") &&
	    !TL_SCAN_SKIP(s, "null") && !scan_small(s, &sync_us))
		return false;
	(void)TL_SCAN_SKIP(s, ",\"overlaps\":true");
	return true;
}

/* Read the names of thread and process, if present. */
static bool
scan_names(struct tl_scan *s, struct tl_bytes names[2])
{
	bool escapes = false;

	return (!TL_SCAN_SKIP(s, ",\"thread\":\"") ||
		   (scan_string(s, &names[0], &escapes) && !escapes)) &&
	       (!TL_SCAN_SKIP(s, ",\"process\":\"") ||
		   (scan_string(s, &names[1], &escapes) && !escapes));
}

/* Read what an end says of its begin, and whose arguments the end has. */
static bool
scan_duration(struct tl_scan *s, struct tl_event *e)
{
	const bool has_duration = TL_SCAN_SKIP(s, ",\"duration_ns\":");
	uint64_t ns = 0;
	bool is_unsure;

	if (has_duration && !scan_signed(s, &ns))
		return false;
	e->duration_ns = (int64_t)ns;
	is_unsure = TL_SCAN_SKIP(s, ",\"unsure\":true");
	e->proven = TL_SCAN_SKIP(s, ",\"proven\":true");
	if (TL_SCAN_SKIP(s, ",\"begun_tsc\":null")) {
		e->begun = TL_BEGUN_NONE;
	} else if (TL_SCAN_SKIP(s, ",\"begun_tsc\":")) {
		if (!scan_unsigned(s, &e->begun_tsc))
			return false;
		if (has_duration)
			e->begun = is_unsure ? TL_BEGUN_UNSURE : TL_BEGUN;
	}
	e->known = TL_SCAN_SKIP(s, ",\"bare\":true");
	return true;
}

static bool
scan_place(struct tl_scan *s, struct tl_event *e, struct tl_bytes names[2],
    struct tl_bytes origin[2])
{
	uint64_t ns;

	e->cpu = TL_CPU_UNKNOWN;
	if (!TL_SCAN_SKIP(s, "{\"ns\":") || !scan_signed(s, &ns) ||
	    !TL_SCAN_SKIP(s, ",\"tsc\":") || !scan_unsigned(s, &e->tsc) ||
	    !TL_SCAN_SKIP(s, ",\"cpu\":") ||
	    !(TL_SCAN_SKIP(s, "null") || scan_small(s, &e->cpu)))
		return false;
	e->ns = (int64_t)ns;
	return TL_SCAN_SKIP(s, ",\"pid\":") && scan_small(s, &e->pid) &&
	       TL_SCAN_SKIP(s, ",\"tid\":") && scan_small(s, &e->tid) &&
	       scan_names(s, names) && scan_origin(s, &origin[0], &origin[1]) &&
	       ((e->moved = TL_SCAN_SKIP(s, ",\"moved\":true")) || true) &&
	       scan_duration(s, e);
}

/*
 * Does the line end with a scope?  The scope belongs to the message, which is
 * read earlier.
 */
static bool
ends_with_scope(const struct tl_scan *s)
{
	const size_t size = sizeof(SCOPE_SOURCE) - 1;

	return (size_t)(s->end - s->at) >= size &&
	       memcmp(s->end - size, SCOPE_SOURCE, size) == 0;
}

static bool
scan_key(struct tl_scan *s, struct tl_message_cache_key *key)
{
	struct tl_bytes kind;
	bool escapes;

	if (!TL_SCAN_SKIP(s, ",\"priority\":\"") ||
	    !scan_string(s, &key->parts[TL_LINE_PRIORITY], &escapes) ||
	    !TL_SCAN_SKIP(s, ",\"category\":\"") ||
	    !scan_string(s, &key->parts[TL_LINE_CATEGORY], &escapes) ||
	    !TL_SCAN_SKIP(s, ",\"message\":\"") ||
	    !scan_string(s, &key->parts[TL_LINE_MESSAGE], &escapes) ||
	    !TL_SCAN_SKIP(s, ",\"kind\":\"") ||
	    !scan_string(s, &kind, &escapes))
		return false;
	key->kind = (uint8_t)tl_line_read_kind(kind);
	key->scope = TIMELINE_THREAD;
	if (tl_line_read_is_span(key->kind) && ends_with_scope(s))
		key->scope = TIMELINE_SOURCE;
	return key->kind != 0 && key->kind != TL_LOST;
}

/* Skip the members of the guessed message, if the line has this message. */
static bool
skip_guess(struct tl_scan *s, const struct tl_message_cache_slot *guess)
{
	const char *kind = tl_kind_name(guess->kind);
	const char *part = guess->data;
	const uint16_t *sizes = guess->sizes;
	struct tl_scan t = *s;

	if (!guess->message || !TL_SCAN_SKIP(&t, ",\"priority\":\"") ||
	    !tl_scan_skip(&t, tl_bytes(part, sizes[0])) ||
	    !TL_SCAN_SKIP(&t, "\",\"category\":\"") ||
	    !tl_scan_skip(&t, tl_bytes(part + sizes[0], sizes[1])) ||
	    !TL_SCAN_SKIP(&t, "\",\"message\":\"") ||
	    !tl_scan_skip(&t, tl_bytes(part + sizes[0] + sizes[1], sizes[2])) ||
	    !TL_SCAN_SKIP(&t, "\",\"kind\":\"") ||
	    !tl_scan_skip(&t, tl_bytes_of(kind)) || !TL_SCAN_SKIP(&t, "\""))
		return false;
	if (tl_line_read_is_span(guess->kind) &&
	    ends_with_scope(&t) != (guess->scope == TIMELINE_SOURCE))
		return false;
	*s = t;
	return true;
}

/*
 * Find the message in the cache; NULL: not found, or the line has another form.
 */
static const struct tl_message_cache_slot *
scan_message(struct tl_message_cache *cache, struct tl_scan *s,
    struct tl_message_cache_key *key)
{
	const struct tl_message_cache_slot *slot =
	    tl_message_cache_guess(cache);

	if (!skip_guess(s, slot)) {
		if (!scan_key(s, key) ||
		    !(slot = tl_message_cache_find(cache, key)))
			return NULL;
	}
	tl_message_cache_follow(cache, slot);
	return slot;
}

static bool
scan_double(struct tl_scan *s, uint64_t *bits)
{
	const size_t size = (size_t)(s->end - s->at);
	const size_t end = tl_json_word_end(s->at, size, 0);
	double value;

	if (tl_json_double(tl_bytes(s->at, end), &value) < 0)
		return false; /* null, too, is left to the second way */
	memcpy(bits, &value, sizeof(value));
	s->at += end;
	return true;
}

/* Read a text: 1; 0: another form; -errno. */
static int
scan_text(struct tl_line_read *r, struct tl_scan *s, unsigned format,
    uint64_t *value)
{
	struct tl_bytes text;
	bool has_escapes;
	int rc = 0;

	if (!TL_SCAN_SKIP(s, "\"") || !scan_string(s, &text, &has_escapes))
		return 0;
	if (has_escapes)
		rc = tl_json_unescape(&r->scratch, &text);
	if (rc == 0)
		rc = tl_line_read_text(r, format, text, value);
	return rc == -EBADMSG ? 0 : rc < 0 ? rc : 1;
}

/* Read a 64-bit integer, signed or unsigned. */
static inline bool
scan_integer(struct tl_scan *s, uint64_t *n)
{
	return s->at < s->end && *s->at == '-' ? scan_signed(s, n)
					       : scan_unsigned(s, n);
}

static int
scan_value(struct tl_line_read *r, struct tl_scan *s, unsigned format,
    uint64_t *value)
{
	switch (format) {
	case TIMELINE_ARG_SIGNED:
		return scan_integer(s, value);
	case TIMELINE_ARG_DURATION:
		return scan_signed(s, value);
	case TIMELINE_ARG_DOUBLE:
		return scan_double(s, value);
	case TIMELINE_ARG_STRING:
	case TIMELINE_ARG_TEXT8:
		return scan_text(r, s, format, value);
	default:
		return scan_unsigned(s, value);
	}
}

static int
scan_args(struct tl_line_read *r, struct tl_scan *s, struct tl_event *e)
{
	const struct tl_message *m = e->message;
	int rc = 1;

	if (!TL_SCAN_SKIP(s, ",\"args\":{"))
		return 0;
	if (e->kind == TL_END && m->argc > 0 && TL_SCAN_SKIP(s, "}")) {
		e->bare = true;
		e->known = false;
		return 1;
	}
	for (unsigned i = 0; i < m->argc && rc > 0; i++) {
		if ((i > 0 && !TL_SCAN_SKIP(s, ",")) ||
		    !TL_SCAN_SKIP(s, "\"") ||
		    !tl_scan_skip(s, m->args[i].name) ||
		    !TL_SCAN_SKIP(s, "\":"))
			return 0;
		rc = scan_value(r, s, m->args[i].format, &e->args[i]);
	}
	return rc > 0 ? TL_SCAN_SKIP(s, "}") : rc;
}

int
tl_jsonl_scan(struct tl_line_read *r, struct tl_bytes line, struct tl_event *e,
    struct tl_message_cache_key *key)
{
	struct tl_scan s = { line.data, line.data + line.size };
	struct tl_bytes origin[2] = { { 0 }, { 0 } };
	struct tl_bytes names[2] = { { 0 }, { 0 } };
	const struct tl_message_cache_slot *slot;
	int rc;

	key->kind = 0;
	if (!scan_place(&s, e, names, origin) ||
	    !(slot = scan_message(&r->cache, &s, key)))
		return 0;
	e->message = slot->message;
	e->kind = slot->kind;
	if ((rc = scan_args(r, &s, e)) <= 0)
		return rc;
	rc = slot->scope == TIMELINE_SOURCE ? TL_SCAN_SKIP(&s, "," SCOPE_SOURCE)
					    : TL_SCAN_SKIP(&s, "}");
	if (!rc || s.at != s.end)
		return 0;
	if (origin[0].size > 0 || origin[1].size > 0)
		tl_line_read_origin(r, origin[0], origin[1]);
	rc = tl_line_read_names(r, e, names[0], names[1]);
	return rc < 0 ? rc : 1;
}
