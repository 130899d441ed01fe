/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.h - one of Chrome's trace events while it is converted.
 */
#ifndef TL_FORMAT_CHROME_WORK_H
#define TL_FORMAT_CHROME_WORK_H

#include "format/chrome/convert.h"

/* The event at hand, and what it is to become. */
struct tl_chrome_work {
	struct tl_chrome_convert *c;
	struct tl_chrome_event *e;
	struct tl_chrome_ask ask;
	struct tl_event event;
};

/* What follows returns 0; 1: noted and left out; -errno. */

/* -ENOSPC of messages, texts or threads is noted. */
int tl_chrome_full(struct tl_chrome_work *work, int rc);

/* Ask for a message of the name of the event. */
void tl_chrome_work_ask(struct tl_chrome_work *work,
    const struct tl_chrome_args *args, uint8_t kind, uint8_t scope);

/* Make what is asked for the message of the event, and set its values. */
int tl_chrome_set_message(struct tl_chrome_work *work);

/* Hand on the event as it is asked for: 0 or -errno, like those below. */
int tl_chrome_put_as(struct tl_chrome_work *work, uint8_t kind);

/* Which of several of a name: "id 0x12, scope s"; empty without an id. */
struct tl_bytes tl_chrome_which(struct tl_chrome_work *work);
const struct tl_chrome_value *tl_chrome_id(const struct tl_chrome_event *event);

/* Spans of threads ... */
int tl_chrome_take_begin(struct tl_chrome_work *work);
int tl_chrome_take_end(struct tl_chrome_work *work);
int tl_chrome_take_whole(struct tl_chrome_work *work);
/* Where a span of ours begins that comes later. */
int tl_chrome_take_place(struct tl_chrome_work *work);
/* ... and those that belong to their message: kind is TL_BEGIN or TL_END. */
int tl_chrome_take_async(struct tl_chrome_work *work, uint8_t kind);

#endif
