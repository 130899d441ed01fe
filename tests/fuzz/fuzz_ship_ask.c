/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_ship_ask.c - what anybody may send through a cluster: a request, an
 * answer, an acknowledgement, a subject, an id.  What is understood must mean
 * the same when it is written and read again.
 *
 * The sources of a program are in no library: they are included.
 */
#include "ship/ask_message.c"
#include "ship/nats/protocol.c"

#include "ship/block.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_request(struct tl_bytes json)
{
	struct tl_ask_request request, again;
	struct tl_fault fault = { 0 };
	struct tl_text text = { 0 };

	if (tl_ask_request_parse(&request, json, &fault) < 0) {
		assert(fault.rc < 0);
		return;
	}
	assert(tl_level_parse(request.level) > 0 ||
	       request.verb == TL_ASK_LIST || request.verb == TL_ASK_SNAPSHOT ||
	       strcmp(request.level, "off") == 0);
	tl_ask_request_put(&text, &request);
	/* what escapes make longer may be too long */
	if (text.size <= TL_ASK_SIZE_MAX) {
		const int rc = tl_ask_request_parse(&again,
		    tl_bytes(text.data, text.size), &fault);

		assert(rc == 0 || rc == -EBADMSG);
		if (rc == 0)
			assert(again.verb == request.verb &&
			       again.duration_ns == request.duration_ns);
	}
	tl_text_free(&text);
}

static void
check_answer(struct tl_bytes json)
{
	static struct tl_ask_answer answer;
	struct tl_fault fault = { 0 };
	struct tl_text text = { 0 };

	if (tl_ask_answer_parse(&answer, json, &fault) < 0)
		return;
	assert(answer.count <= TL_ASK_TIMELINES_MAX);
	tl_ask_answer_put(&text, &answer);
	assert(memchr(text.data, '\033', text.size) == NULL);
	tl_text_free(&text);
}

static void
check_subject(const char *subject)
{
	const enum tl_nats_kind kind = strncmp(subject, "timeline-", 9) == 0
					   ? TL_NATS_KEPT
					   : TL_NATS_WHOLE;
	struct tl_block block;
	char again[TL_NATS_SUBJECT_MAX];

	if (!tl_nats_subject_get(&block, subject))
		return;
	tl_nats_subject_put(again, kind, &block);
	assert(strcmp(subject, again) == 0);
	assert(tl_nats_subject_matches(tl_nats_subjects[kind], subject));
}

static void
check_id(const char *id)
{
	struct tl_block block;
	char again[TL_BLOCK_ID_MAX];

	if (!tl_block_id_get(&block, id))
		return;
	tl_block_id_put(again, &block);
	assert(strcmp(id, again) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *string = malloc(size + 1);

	assert(string);
	if (size > 0)
		memcpy(string, data, size);
	string[size] = '\0';
	check_request(tl_bytes(string, size));
	check_answer(tl_bytes(string, size));
	check_subject(string);
	check_id(string);
	free(string);
	return 0;
}
