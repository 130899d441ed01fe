/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.h - the shortcut for events as nearly all are written: objects,
 * plain strings, numbers and words, no white space but after a comma or colon,
 * and all of it in one piece.
 *
 *	},| {"name":"read","ts":3.5,"args":{"size":10}},| {"name":...
 *	   ^ json->at when it is called		        ^ ... and after it
 *
 * It hands on the tokens that tl_json_next would; of what is written in another
 * way it takes nothing, and the tokens come from there.
 */
#ifndef TL_FORMAT_CHROME_SCAN_H
#define TL_FORMAT_CHROME_SCAN_H

#include "format/chrome/event.h"

/* Behind an event of a list: the next one, if a comma stands on both of its
 * sides: 1; 0: none that is written so; -ENOMEM. */
int tl_chrome_scan(struct tl_json *json, struct tl_chrome_event *event);

#endif
