/* SPDX-License-Identifier: Apache-2.0 */
/*
 * form.h - the form of a message's events in a TimeLogger file.
 */
#ifndef TL_FORMAT_TIMELOGGER_FORM_H
#define TL_FORMAT_TIMELOGGER_FORM_H

#include "event/message.h"

enum tl_form_what {
	TL_FORM_UNFIT,      /* they cannot be written */
	TL_FORM_DEFINITION, /* definitions of sources, as read from a file */
	TL_FORM_NUMBERED,   /* of the source with this id */
	TL_FORM_OWN,        /* of a source for the message */
	TL_FORM_PER_THREAD  /* of a source for the message on each thread */
};

#define TL_FORM_SOURCE_NONE UINT32_MAX

struct tl_form {
	enum tl_form_what what;
	bool below;     /* a begin is a close, an end is an open */
	bool undefined; /* no definition is written */
	int32_t wanted; /* NUMBERED: the id in the file that was read */
	bool overlap;   /* the source is open already */
	/* of the writer: the source of the events of this process */
	uint32_t source;
	uint32_t pid;       /* that process */
	const char *suffix; /* of the first line, after the name */
};

/* Set the form of a message; its source is not known yet. */
void tl_form_fill(struct tl_form *form, const struct tl_message *message);

#endif
