/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rtl_text.h - how a line of an RTL_LOGFILE log becomes a message.
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
 * A header with a timer other than 0, or with a first line that is later than
 * the header, is an event of its own, "log opened $timer%t after timer start".
 * A last line that is later than the line before, or has a line break, which
 * LibreOffice does not write, is the event "log closed".
 *
 * So a span whose text has a colon is a scope that was opened by a message.  If
 * printf writes another text than readers show, as for "%05d", the message has
 * one line more: "format: ::Foo::bar : %05d words", by which a log is written.
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
#define TL_RTL_ENDED    "log closed\nThe last line has a line break."

/* The size limit of a line with its end; a longer text is cut. */
#define TL_RTL_LINE_MAX 65536

#endif
