/* SPDX-License-Identifier: Apache-2.0 */
/* lincheck_points.c - head, values; footer, result. */
#include "format/lincheck_points.h"

#include "event/render.h"
#include "format/mutf8.h"

#include <errno.h>

enum {
	HEAD = 1 + 1 + 4 * 4,
	COUNT = 4,
	FOOTER_MAX = 1 + 4 /* and a value without anything */
};

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

/* What a point refers to stands before it. */
static int
define(struct tl_lincheck_points *p, struct tl_lincheck_lane *lane,
    struct tl_lincheck_form *form)
{
	int rc = 0;

	for (uint32_t i = 0;
	     rc == 0 && !form->defined && i < form->definition_count; i++)
		rc = tl_lincheck_stream_define(&p->file, &lane->stream,
		    tl_lincheck_known_at(&p->known, form->definitions[i]));
	if (rc == 0)
		form->defined = true;
	return rc;
}

static int
put_value(struct tl_lincheck_points *p, struct tl_lincheck_lane *lane,
    const struct tl_lincheck_value *value, bool is_index)
{
	const int rc = tl_lincheck_stream_reserve(&p->file, &lane->stream,
	    tl_lincheck_value_max(value) + COUNT);

	if (rc == 0)
		tl_lincheck_put_value(&lane->stream.data, value, is_index);
	return rc;
}

static int
put_values(struct tl_lincheck_points *p, struct tl_lincheck_lane *lane,
    const struct tl_lincheck_form *form, const struct tl_event *event)
{
	struct tl_lincheck_value value;
	int rc = 0;

	tl_lincheck_values_start(&p->values, form, event);
	for (uint32_t i = 0; rc == 0 && i < form->count; i++) {
		if (!tl_lincheck_values_next(&p->values, i, &value))
			p->changed++;
		rc = p->values.text.rc;
		if (rc == 0)
			rc = put_value(p, lane, &value,
			    tl_lincheck_is_index(form->class, i));
		if (rc == 0 && form->class == TL_LINCHECK_CALL && i == 0)
			tl_data_put_u32(&lane->stream.data, form->count - 1);
	}
	return rc;
}

int
tl_lincheck_put_point(struct tl_lincheck_points *p,
    struct tl_lincheck_lane *lane, struct tl_lincheck_form *form,
    const struct tl_event *event)
{
	struct tl_data_out *out = &lane->stream.data;
	int32_t number;
	size_t before;
	int rc = number_event(p, event, form->native, &number);

	if (rc == 0)
		rc = define(p, lane, form);
	if (rc == 0)
		rc = tl_lincheck_stream_reserve(&p->file, &lane->stream, HEAD);
	if (rc < 0)
		return rc;
	before = tl_data_mark(out);
	tl_data_put_u8(out, TL_LINCHECK_POINT);
	tl_data_put_u8(out, form->class);
	tl_data_put_i32(out, form->location);
	tl_data_put_i32(out, lane->stream.thread);
	tl_data_put_i32(out, number);
	if (tl_lincheck_has_target(form->class))
		tl_data_put_i32(out, form->target);
	rc = put_values(p, lane, form, event);
	if (rc == 0 && form->class == TL_LINCHECK_CALL)
		rc = tl_lincheck_lane_push(lane, event->message, number);
	if (rc < 0)
		tl_data_roll_back(out, before);
	p->file.filling += out->size - before;
	return rc;
}

/* The head of the footer of the innermost call, whose cell is known now. */
static int
begin_footer(struct tl_lincheck_points *p, struct tl_lincheck_lane *lane)
{
	struct tl_lincheck_stream *s = &lane->stream;
	const int rc = tl_lincheck_stream_reserve(&p->file, s, FOOTER_MAX);
	struct tl_lincheck_open open;

	if (rc < 0)
		return rc;
	open = tl_lincheck_lane_pop(lane);
	tl_lincheck_stream_cell(&p->file, s,
	    (struct tl_cell){ TL_LINCHECK_POINT, open.number,
		(int64_t)open.start, (int64_t)tl_lincheck_stream_at(s) });
	tl_data_put_u8(&s->data, TL_LINCHECK_FOOTER);
	p->file.filling++;
	return 0;
}

/* What stands behind the result. */
static int
put_exception(struct tl_lincheck_points *p, struct tl_lincheck_lane *lane,
    struct tl_bytes name)
{
	const int rc = tl_lincheck_stream_reserve(&p->file, &lane->stream,
	    sizeof(uint16_t) + name.size);

	if (rc == 0)
		tl_data_put_utf(&lane->stream.data, name);
	return rc;
}

/* A footer of one value and no exception. */
static int
put_result(struct tl_lincheck_points *p, struct tl_lincheck_lane *lane,
    const struct tl_lincheck_value *value)
{
	const size_t before = lane->stream.data.size + 1;
	int rc = begin_footer(p, lane);

	if (rc == 0)
		rc = put_value(p, lane, value, false);
	if (rc == 0)
		rc = put_exception(p, lane, tl_bytes("", 0));
	if (rc == 0)
		p->file.filling += lane->stream.data.size - before;
	return rc;
}

int
tl_lincheck_put_footer(struct tl_lincheck_points *p,
    struct tl_lincheck_lane *lane, struct tl_lincheck_form *form,
    const struct tl_event *event)
{
	static const struct tl_lincheck_value none = { .tag =
							   TL_LINCHECK_VOID };
	struct tl_bytes exception = tl_bytes("", 0);
	size_t before;
	int rc;

	if (!form)
		return put_result(p, lane, &none);
	rc = define(p, lane, form);
	before = lane->stream.data.size + 1;
	if (rc == 0)
		rc = begin_footer(p, lane);
	if (rc == 0)
		rc = put_values(p, lane, form, event);
	if (rc == 0 && form->throws &&
	    !tl_lincheck_values_exception(&p->values, &exception))
		p->changed++;
	if (rc == 0)
		rc = p->values.text.rc;
	if (rc == 0)
		rc = put_exception(p, lane, exception);
	if (rc == 0)
		p->file.filling += lane->stream.data.size - before;
	return rc;
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
}
