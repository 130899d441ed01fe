/* SPDX-License-Identifier: Apache-2.0 */
/* label.c - names of foreign things to messages and back. */
#include "format/label.h"

#include <stdlib.h>
#include <timeline.h>

/* Room for a suffix and a second line behind the longest first line. */
enum { NAME_SIZE_MAX = TL_DEFINER_TEXT_MAX - 256 };

#define LABEL "$label%s"

/* Is a first line of this just the text? */
static bool
is_plain(struct tl_bytes name)
{
	return name.size > 0 && name.size <= NAME_SIZE_MAX &&
	       !memchr(name.data, '$', name.size) &&
	       !memchr(name.data, '\n', name.size) &&
	       !memchr(name.data, '\0', name.size);
}

int
tl_label_define(struct tl_definer *definer, const char *category,
    struct tl_bytes name, const char *suffix, const char *which,
    struct tl_label *label)
{
	struct tl_text text = { 0 };
	const bool plain = is_plain(name);
	int rc = 0;

	*label = (struct tl_label){ 0 };
	if (!plain)
		rc = tl_definer_string(definer, name, &label->arg);
	tl_put_bytes(&text, plain ? name : tl_bytes_of(LABEL));
	tl_put_string(&text, suffix);
	tl_put_char(&text, '\n');
	tl_put_string(&text, which);
	if (rc == 0)
		rc = text.rc;
	if (rc == 0)
		rc = tl_definer_message(definer, tl_bytes_of(category),
		    tl_bytes(text.data, text.size), TIMELINE_RECORD_SPAN,
		    (uint8_t)tl_level_parse("info"), TIMELINE_SOURCE,
		    &label->message);
	tl_text_free(&text);
	return rc;
}

static struct tl_bytes
without(struct tl_bytes name, struct tl_bytes suffix)
{
	if (name.size >= suffix.size &&
	    tl_bytes_equal(tl_bytes(name.data + name.size - suffix.size,
			       suffix.size),
		suffix))
		name.size -= suffix.size;
	return name;
}

void
tl_label_put(struct tl_text *text, const struct tl_event *event,
    const char *suffix)
{
	const struct tl_message *m = event->message;
	const struct tl_bytes label = tl_bytes_of(LABEL);

	if (m->argc == 1 && m->line1.size >= label.size &&
	    tl_bytes_equal(tl_bytes(m->line1.data, label.size), label)) {
		tl_put_bytes(text, tl_message_string(m, event->args[0]));
		return;
	}
	for (unsigned i = 0; i < m->argc; i++) {
		tl_put_bytes(text, m->args[i].before);
		tl_put_bytes(text, m->args[i].name);
	}
	tl_put_bytes(text,
	    m->argc > 0 ? m->after : without(m->line1, tl_bytes_of(suffix)));
}
