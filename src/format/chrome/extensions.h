/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extensions.h - metadata by which our writer keeps what the format cannot
 * hold.  Other programs ignore it.
 *
 *	{"ph":"M",...,"name":"timeline_message","args":{"cat":"example",
 *	"name":"processed tcp","priority":"trace",
 *	"text":"processed $tcp%d\nMore."}}
 *
 * defines the message of a category and a name, before their first event, where
 * the name alone does not determine it.
 *
 *	{"ph":"M",...,"name":"thread_name","args":{"name":"loading",
 *	"source":true,"text":"loading\nsource 5"}}
 *
 * defines the message of a thread that stands for a source: spans of scope
 * TIMELINE_SOURCE have threads of their own, numbered down from
 * TL_CHROME_SOURCE_TID.
 *
 *	{"ph":"M",...,"name":"timeline_begin","args":{"ts":5.000,"cat":
 *	"example","name":"accept","args":{"port":80,"priority":"info"}}}
 *
 * is the place of a begin event among others of the same time, and at the start
 * of the file.  Its span, which is written where it ends, has "begun":true.
 *
 *	{"ph":"I","s":"t",...,"ts":5.000,"alone":"begin","cat":"example",
 *	"name":"accept","args":{"port":80,"priority":"info"}}
 *
 * is the begin or end event of what is not known to be a span.  As B and E,
 * viewers would make a span of it, with an event that is not its partner.
 */
#ifndef TL_FORMAT_CHROME_EXTENSIONS_H
#define TL_FORMAT_CHROME_EXTENSIONS_H

#define TL_CHROME_SOURCE_TID 0x7fffffffu

#define TL_CHROME_DEFINITION "timeline_message"
#define TL_CHROME_PLACE      "timeline_begin"
#define TL_CHROME_THREAD     "thread_name"
#define TL_CHROME_PROCESS    "process_name"
#define TL_CHROME_BASE       "base_ns"
#define TL_CHROME_LABEL      "label" /* the name is an argument */
#define TL_CHROME_END        "$end"  /* suffix of keys of the end event */
/* Missing entries: an instant with one argument. */
#define TL_CHROME_LOST_CATEGORY    "timeline"
#define TL_CHROME_LOST_NAME        "entries lost"
#define TL_CHROME_LOST             "lost"
#define TL_CHROME_OVERWRITTEN_NAME "entries overwritten"
#define TL_CHROME_OVERWRITTEN      "overwritten"

/* Longer names are arguments ("label"), and so are names that cannot be the
 * first line of a message. */
enum { TL_CHROME_NAME_MAX = 4096 };

#endif
