/* SPDX-License-Identifier: Apache-2.0 */
/* form.h - the form of a message's events in a TimeLogger file. */
#ifndef TL_FORMAT_TIMELOGGER_FORM_H
#define TL_FORMAT_TIMELOGGER_FORM_H

#include "event/message.h"

enum tl_form_what {
	TL_FORM_UNFIT,      /* the events cannot be written */
	TL_FORM_DEFINITION, /* definitions of sources, as read */
	TL_FORM_NUMBERED,   /* the source with id wanted */
	TL_FORM_OWN,        /* a source for the message */
	TL_FORM_PER_THREAD  /* a source for message and thread */
};

#define TL_FORM_SOURCE_NONE UINT32_MAX

struct tl_form {
	enum tl_form_what what;
	bool below;     /* begin is a close, end is an open */
	bool undefined; /* no definition is written */
	int32_t wanted; /* NUMBERED: id in the file that was read */
	bool overlap;   /* the source is open already */
	/* Set by the writer: the source of the events of process pid. */
	uint32_t source;
	uint32_t pid;       /* process of the source */
	const char *suffix; /* behind the name in the first line */
};

/* Set the form of a message; the source is not yet known. */
void tl_form_fill(struct tl_form *form, const struct tl_message *message);

#endif
