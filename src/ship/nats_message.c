/* SPDX-License-Identifier: Apache-2.0 */
/* nats_message.c - the headers, there and back. */
#include "ship/nats_message.h"

#include "base/text.h"
#include "trace/layout.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static natsStatus
set_signed(natsMsg *message, const char *key, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, value);
	return natsMsgHeader_Set(message, key, text);
}

static natsStatus
set_unsigned(natsMsg *message, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return natsMsgHeader_Set(message, key, text);
}

static natsStatus
set_headers(natsMsg *message, const struct tl_block *block, const char *stream)
{
	char id[TL_BLOCK_ID_MAX];
	natsStatus s;

	tl_block_id_put(id, block);
	s = natsMsgHeader_Set(message, TL_HEADER_ID, id);
	/* another stream that takes the subject is not ours */
	if (s == NATS_OK)
		s = natsMsgHeader_Set(message, "Nats-Expected-Stream", stream);
	if (s == NATS_OK)
		s = set_signed(message, TL_HEADER_FROM, block->from_ns);
	if (s == NATS_OK)
		s = set_signed(message, TL_HEADER_TO, block->to_ns);
	if (s == NATS_OK)
		s = set_unsigned(message, TL_HEADER_ENTRIES, block->entries);
	if (s == NATS_OK)
		s = set_unsigned(message, TL_HEADER_LOST, block->lost);
	return s;
}

natsStatus
tl_nats_message_new(natsMsg **message, const struct tl_block *block,
    const char *stream, const char *reply)
{
	char subject[TL_NATS_SUBJECT_MAX];
	natsMsg *made = NULL;
	natsStatus s;

	tl_nats_subject_put(subject, block);
	s = natsMsg_Create(&made, subject, reply, block->data.data,
	    (int)block->data.size);
	if (s == NATS_OK)
		s = set_headers(made, block, stream);
	if (s == NATS_OK)
		*message = made;
	else
		natsMsg_Destroy(made);
	return s;
}

static bool
get_signed(natsMsg *message, const char *key, int64_t *value)
{
	const char *text;
	char *end;

	if (natsMsgHeader_Get(message, key, &text) != NATS_OK || !text ||
	    (!isdigit((unsigned char)text[0]) && text[0] != '-'))
		return false;
	errno = 0;
	*value = strtoll(text, &end, 10);
	return errno == 0 && *end == '\0';
}

static uint64_t
get_unsigned(natsMsg *message, const char *key)
{
	const char *text;
	uint64_t value;

	if (natsMsgHeader_Get(message, key, &text) != NATS_OK || !text ||
	    tl_parse_unsigned(text, &value) < 0)
		return 0;
	return value;
}

static void
get_times(struct tl_block *block, natsMsg *message)
{
	if (!get_signed(message, TL_HEADER_FROM, &block->from_ns) ||
	    !get_signed(message, TL_HEADER_TO, &block->to_ns) ||
	    block->from_ns > block->to_ns) {
		block->from_ns = INT64_MIN;
		block->to_ns = INT64_MAX;
	}
	block->entries = get_unsigned(message, TL_HEADER_ENTRIES);
	block->lost = get_unsigned(message, TL_HEADER_LOST);
}

int
tl_nats_message_get(struct tl_block *block, natsMsg *message,
    struct tl_fault *fault)
{
	struct tl_trace_header header;
	const char *id;

	memset(block, 0, sizeof(*block));
	if (!tl_nats_subject_get(block, natsMsg_GetSubject(message)))
		return tl_fault(fault, -EBADMSG, TL_FAULT_NOWHERE,
		    "not the subject of a block");
	if (natsMsgHeader_Get(message, TL_HEADER_ID, &id) != NATS_OK || !id ||
	    !tl_block_id_get(block, id))
		return tl_fault(fault, -EBADMSG, TL_FAULT_NOWHERE,
		    "not the id of a block");
	get_times(block, message);
	block->data = tl_bytes(natsMsg_GetData(message),
	    (size_t)natsMsg_GetDataLength(message));
	return tl_trace_header_get(&header, block->data, fault);
}
