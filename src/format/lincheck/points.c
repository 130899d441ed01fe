/* SPDX-License-Identifier: Apache-2.0 */
/* lincheck_points.c - head, values; footer, result. */
#include "format/lincheck/points.h"

#include "base/mutf8.h"
#include "event/render.h"

#include <errno.h>
#include <stdlib.h>

enum { HEAD = 1 + 1 + 4 * 4, COUNT = 4, RECORD_FIRST = 256 };

/* The number of an event: as it was read while nothing else was written. */
static int
number_event(struct tl_lincheck_points *p, const struct tl_event *event,
    bool native, int32_t *number)
{
	const bool kept = native && !p->foreign && event->ns >= INT32_MIN &&
			  event->ns <= INT32_MAX;
	const int64_t n = kept ? event->ns : p->next;

	p->foreign |= !native;
	p->numbered += native && !kept;
	if (n > INT32_MAX)
		return -ENOSPC;
	if (n >= p->next)
		p->next = n + 1;
	*number = (int32_t)n;
	return 0;
}

/* Room for more of the record that is made. */
static int
reserve(struct tl_lincheck_points *p, size_t size)
{
	struct tl_data_out *out = &p->record;
	size_t capacity = out->capacity ? out->capacity : RECORD_FIRST;
	uint8_t *data;

	while (capacity - out->size < size)
		capacity *= 2;
	if (capacity == out->capacity)
		return 0;
	data = realloc(out->data, capacity);
	if (!data)
		return -ENOMEM;
	out->data = data;
	out->capacity = capacity;
	return 0;
}

static int
put_value(struct tl_lincheck_points *p, const struct tl_lincheck_value *value,
    bool is_index)
{
	const int rc = reserve(p, tl_lincheck_value_max(value) + COUNT);

	if (rc == 0)
		tl_lincheck_put_value(&p->record, value, is_index);
	return rc;
}

static int
put_values(struct tl_lincheck_points *p, const struct tl_lincheck_form *form,
    const struct tl_event *event)
{
	struct tl_lincheck_value value;
	int rc = 0;

	tl_lincheck_values_start(&p->values, form, event);
	for (uint32_t i = 0; rc == 0 && i < form->count; i++) {
		if (!tl_lincheck_values_next(&p->values, i, &value))
			p->changed++;
		rc = p->values.text.rc;
		if (rc == 0)
			rc = put_value(p, &value,
			    tl_lincheck_is_index(form->class, i));
		if (rc == 0 && form->class == TL_LINCHECK_CALL && i == 0)
			tl_data_put_u32(&p->record, form->count - 1);
	}
	return rc;
}

/* The record is made: into the stream, behind what it refers to, or into the
 * queue of those that wait. */
static int
put_record(struct tl_lincheck_points *p, struct tl_lincheck_lane *lane,
    struct tl_lincheck_record record)
{
	static const struct tl_lincheck_waiting waiting;
	struct tl_bytes bytes;
	int rc;

	record.size = (uint32_t)p->record.size;
	if (!p->waits) {
		rc = tl_lincheck_stream_define_all(&p->file, &lane->stream,
		    &p->known, record.form);
		return rc < 0 ? rc
			      : tl_lincheck_stream_put(&p->file, &lane->stream,
				    &record, p->record.data);
	}
	rc = reserve(p, sizeof(record));
	if (rc < 0)
		return rc;
	tl_data_put_bytes(&p->record, tl_bytes(&record, sizeof(record)));
	bytes = tl_bytes(p->record.data, p->record.size);
	rc = tl_lincheck_queue_put(&lane->waiting, waiting, bytes);
	lane->records += rc == 0;
	return rc;
}

int
tl_lincheck_put_waiting(struct tl_lincheck_points *p,
    struct tl_lincheck_lane *lane, bool define)
{
	struct tl_lincheck_waiting waiting;
	struct tl_lincheck_record record;
	struct tl_bytes bytes;
	int rc = tl_lincheck_queue_front(&lane->waiting, &waiting, &bytes);

	if (rc <= 0)
		return rc;
	memcpy(&record, bytes.data + bytes.size - sizeof(record),
	    sizeof(record));
	if (define)
		rc = tl_lincheck_stream_define_all(&p->file, &lane->stream,
		    &p->known, record.form);
	if (rc >= 0)
		rc = tl_lincheck_stream_put(&p->file, &lane->stream, &record,
		    bytes.data);
	if (rc < 0)
		return rc;
	tl_lincheck_queue_pop(&lane->waiting);
	return 1;
}

int
tl_lincheck_put_point(struct tl_lincheck_points *p,
    struct tl_lincheck_lane *lane, struct tl_lincheck_form *form,
    const struct tl_event *event)
{
	struct tl_data_out *out = &p->record;
	const bool opens = form->class == TL_LINCHECK_CALL;
	int32_t number;
	int rc = number_event(p, event, form->native, &number);

	out->size = 0;
	if (rc == 0)
		rc = reserve(p, HEAD);
	if (rc < 0)
		return rc;
	tl_data_put_u8(out, TL_LINCHECK_POINT);
	tl_data_put_u8(out, form->class);
	tl_data_put_i32(out, form->location);
	tl_data_put_i32(out, lane->stream.thread);
	tl_data_put_i32(out, number);
	if (tl_lincheck_has_target(form->class))
		tl_data_put_i32(out, form->target);
	rc = put_values(p, form, event);
	if (rc == 0 && opens)
		rc = tl_lincheck_lane_push(lane, event->message, number);
	if (rc < 0)
		return rc;
	rc = put_record(p, lane,
	    (struct tl_lincheck_record){ .form = form,
		.number = number,
		.opens = opens });
	if (rc < 0 && opens)
		tl_lincheck_lane_pop(lane);
	return rc;
}

/* A footer with these values and name, which may be NULL. */
static int
put_footer(struct tl_lincheck_points *p, struct tl_lincheck_lane *lane,
    const struct tl_lincheck_form *form, struct tl_bytes exception)
{
	int rc = reserve(p, sizeof(uint16_t) + exception.size);

	if (rc < 0)
		return rc;
	tl_data_put_utf(&p->record, exception);
	rc = put_record(p, lane,
	    (struct tl_lincheck_record){ .form = form, .closes = true });
	if (rc == 0)
		tl_lincheck_lane_pop(lane);
	return rc;
}

static int
begin_footer(struct tl_lincheck_points *p)
{
	int rc;

	p->record.size = 0;
	rc = reserve(p, 1);
	if (rc == 0)
		tl_data_put_u8(&p->record, TL_LINCHECK_FOOTER);
	return rc;
}

/* A footer of one value and no exception. */
static int
put_result(struct tl_lincheck_points *p, struct tl_lincheck_lane *lane,
    const struct tl_lincheck_value *value)
{
	int rc = begin_footer(p);

	if (rc == 0)
		rc = put_value(p, value, false);
	return rc < 0 ? rc : put_footer(p, lane, NULL, tl_bytes("", 0));
}

int
tl_lincheck_put_footer(struct tl_lincheck_points *p,
    struct tl_lincheck_lane *lane, struct tl_lincheck_form *form,
    const struct tl_event *event)
{
	static const struct tl_lincheck_value none = { .tag =
							   TL_LINCHECK_VOID };
	struct tl_bytes exception = tl_bytes("", 0);
	int rc;

	if (!form)
		return put_result(p, lane, &none);
	rc = begin_footer(p);
	if (rc == 0)
		rc = put_values(p, form, event);
	if (rc == 0 && form->throws &&
	    !tl_lincheck_values_exception(&p->values, &exception))
		p->changed++;
	if (rc == 0)
		rc = p->values.text.rc;
	/* a form on the stack refers to nothing, and is gone soon */
	return rc < 0
		   ? rc
		   : put_footer(p, lane,
			 form->definition_count > 0 ? form : NULL, exception);
}

/* All arguments as one text. */
static int
put_text(struct tl_lincheck_points *p, struct tl_lincheck_lane *lane,
    const struct tl_event *event)
{
	struct tl_lincheck_value value = { .tag = TL_LINCHECK_RAW };
	struct tl_text plain = { 0 }, text = { 0 };
	int rc;

	for (unsigned i = 0; i < event->message->argc; i++) {
		tl_put_string(&plain, i > 0 ? ", " : "");
		tl_put_bytes(&plain, event->message->args[i].name);
		tl_put_char(&plain, '(');
		tl_render_arg(&plain, event, i);
		tl_put_char(&plain, ')');
	}
	if (!tl_mutf8_encode(&text, tl_bytes(plain.data, plain.size),
		TL_MUTF8_SIZE_MAX))
		p->changed++;
	value.text = tl_bytes(text.data, text.size);
	rc = plain.rc < 0 ? plain.rc : text.rc;
	if (rc == 0)
		rc = put_result(p, lane, &value);
	tl_text_free(&plain);
	tl_text_free(&text);
	return rc;
}

int
tl_lincheck_put_end(struct tl_lincheck_points *p, struct tl_lincheck_lane *lane,
    const struct tl_event *event)
{
	const unsigned argc = event->bare ? 0 : event->message->argc;
	int32_t tag;
	struct tl_lincheck_form form = { .class = TL_LINCHECK_FOOTER_CLASS,
		.shown = 1,
		.count = 1,
		.tags = &tag };

	if (argc > 1)
		return put_text(p, lane, event);
	if (argc == 1)
		tag = tl_lincheck_tag_of(event->message->args[0].format);
	return tl_lincheck_put_footer(p, lane, argc == 1 ? &form : NULL, event);
}

void
tl_lincheck_points_free(struct tl_lincheck_points *p)
{
	tl_lincheck_known_free(&p->known);
	tl_lincheck_values_free(&p->values);
	free(p->record.data);
}
