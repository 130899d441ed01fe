/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.h - what our writer of Chrome's trace events tells our reader
 * of them, where other programs see metadata that they pass over.
 *
 *	{"ph":"M",...,"name":"timeline_message","args":{"cat":"example",
 *	"name":"processed tcp","priority":"trace",
 *	"text":"processed $tcp%d\nMore."}}
 *	{"ph":"M",...,"name":"thread_name","args":{"name":"loading",
 *	"source":true,"text":"loading\nsource 5"}}
 *	{"ph":"M",...,"name":"timeline_begin","args":{"ts":5.000,"cat":
 *	"example","name":"accept","args":{"port":80,"priority":"info"}}}
 *
 * The first stands before the first event of a category and a name which say
 * less than the message does; the second before the first event of a span of
 * scope TIMELINE_SOURCE, which has a thread of its own, counted down from
 * TL_CHROME_SOURCE_TID.
 *
 * The third stands where a span begins, behind what has the same time and
 * before what else has it, and at the start of the file; the span itself, which
 * comes later, has "begun":true.
 */
#ifndef TL_FORMAT_CHROME_WORDS_H
#define TL_FORMAT_CHROME_WORDS_H

#define TL_CHROME_SOURCE_TID 0x7fffffffu

#define TL_CHROME_DEFINITION "timeline_message"
#define TL_CHROME_PLACE      "timeline_begin"
#define TL_CHROME_THREAD     "thread_name"
#define TL_CHROME_BASE       "base_ns"
#define TL_CHROME_LABEL      "label" /* an argument that is the name */
#define TL_CHROME_END        "$end"  /* behind the key: of the end of a span */
/* The instant of a hole, its argument is lost. */
#define TL_CHROME_LOST_CATEGORY "timeline"
#define TL_CHROME_LOST_NAME     "entries lost"
#define TL_CHROME_LOST          "lost"

/* Longer names, and those that a first line cannot hold, are labels. */
enum { TL_CHROME_NAME_MAX = 4096 };

#endif
