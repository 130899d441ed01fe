/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - compare the arguments of a call with the arguments of its
 * message. */
#include "base/word.h"
#include "event/message.h"
#include "ring/ring.h"

#include <stdio.h>

/* Is the call the first wrong call of the message at this offset? */
static bool
is_first(struct timeline *tl, uint32_t offset)
{
	const uint32_t bit =
	    offset / TIMELINE_RECORD_ALIGN % TIMELINE_CHECK_MESSAGES;
	const uint64_t mask = UINT64_C(1) << bit % 64;
	uint64_t *word = &tl->reported[bit / 64], reported;

	do {
		reported = tl_load_64(word);
		if (reported & mask)
			return false;
	} while (!tl_cas_64(word, reported, reported | mask));
	return true;
}

void
timeline_check(const struct timeline_event *event, int given, const char *file,
    int line)
{
	struct timeline *tl = event->timeline;
	const uint32_t offset =
	    event->message & ~(uint32_t)TIMELINE_MESSAGE_FLAGS;
	const uint32_t bare = TIMELINE_MESSAGE_END | TIMELINE_MESSAGE_BARE;
	const int count = given & 0xff;
	struct tl_message m = { 0 };
	struct tl_record r;
	int wrong = -1;

	if (!tl || (event->message & bare) == bare ||
	    tl_record_at(&r, tl->strings, tl->geometry.strings_size, offset, 0,
		NULL) != 0 ||
	    tl_message_parse(&m, r.text) != 0)
		return;
	for (int i = m.argc - 1; i >= 0; i--)
		if ((given >> (8 + i) & 1) !=
		    (m.args[i].format == TIMELINE_ARG_DOUBLE))
			wrong = i;
	if ((count == m.argc && wrong < 0) || !is_first(tl, offset))
		return;
	fprintf(stderr, "%s:%d: timeline: \"%.*s\": ", file ? file : "?", line,
	    (int)m.line1.size, m.line1.data);
	if (count != m.argc)
		fprintf(stderr, "%d argument%s, %d given\n", m.argc,
		    m.argc == 1 ? "" : "s", count);
	else if (given >> (8 + wrong) & 1)
		fprintf(stderr,
		    "argument %d is floating: write $%.*s%%f in the message\n",
		    wrong + 1, (int)m.args[wrong].name.size,
		    m.args[wrong].name.data);
	else
		fprintf(stderr,
		    "argument %d is no floating number: cast it to double\n",
		    wrong + 1);
}
