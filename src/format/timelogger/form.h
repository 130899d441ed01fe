/* SPDX-License-Identifier: Apache-2.0 */
/*
 * form.h - what the events of a message are in a TimeLogger file.
 */
#ifndef TL_FORMAT_TIMELOGGER_FORM_H
#define TL_FORMAT_TIMELOGGER_FORM_H

#include "event/message.h"

enum tl_form_what {
	TL_FORM_UNFIT,      /* nothing */
	TL_FORM_DEFINITION, /* definitions of sources, as they were read */
	TL_FORM_NUMBERED,   /* of the source of an id */
	TL_FORM_OWN,        /* of the message's own source */
	TL_FORM_PER_THREAD  /* of a source for each thread */
};

#define TL_FORM_SOURCE_NONE UINT32_MAX

struct tl_form {
	enum tl_form_what what;
	bool below;     /* begin is close and end is open */
	bool undefined; /* no definition is written */
	int32_t wanted; /* NUMBERED: the id as it was read */
	bool overlap;   /* the source is open already */
	/* of the writer: the source of the events of a process */
	uint32_t source;
	uint32_t pid;       /* that process */
	const char *suffix; /* of the first line, behind the name */
};

/* Read the form off a message; its source is none yet. */
void tl_form_fill(struct tl_form *form, const struct tl_message *message);

#endif
