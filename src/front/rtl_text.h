/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rtl_text.h - how a line of an RTL_LOGFILE log is a message.
 *
 *	{ sfx2 (ab1) ::Foo::bar			span   "::Foo::bar"
 *	| sfx2 (ab1) ::Foo::bar : some words	event  "::Foo::bar : $message%s"
 *	| sfx2 (ab1) : some words		event  "$message%s"
 *	| sfx2 (ab1) ::Foo::bar : { part	span   "::Foo::bar : part"
 *	| sfx2 (ab1) : { part			span   ": part"
 *	  ^    ^
 *	  |    "author: ab1", the second line of the message
 *	  category; "rtl" where the line names neither project nor author
 *
 * A header that a log would not have by itself, its timer not 0 or its first
 * line later, is an event of its own, "log opened $timer%t after timer start";
 * so is a last line that is later than the one before, "log closed".
 *
 * So a span whose text has a colon is a scope that was opened by a message.
 * Where printf writes other text than readers show, as for "%05d", there is one
 * line more: "format: ::Foo::bar : %05d words", which a log is written by.
 * Arguments called label, message, or by a number are values without a name;
 * "$label%s" is the name of a scope that the text of a message cannot hold.
 */
#ifndef TL_FRONT_RTL_TEXT_H
#define TL_FRONT_RTL_TEXT_H

#define TL_RTL_CATEGORY "rtl"
#define TL_RTL_AUTHOR   "author: "
#define TL_RTL_FORMAT   "format: "
#define TL_RTL_LABEL    "$label%s"
#define TL_RTL_MESSAGE  "$message%s"
#define TL_RTL_COLON    " : "
#define TL_RTL_OPENED   "log opened $timer%t after timer start"
#define TL_RTL_CLOSED   "log closed"

/* A line has no more bytes, with its end: the rest of a text is cut. */
#define TL_RTL_LINE_MAX 65536

#endif
