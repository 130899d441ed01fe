/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - a stream is a large ring on the disks of the cluster: the oldest
 * messages go when its bound is reached.
 */
#include "ship/nats/link.h"

#include "base/text.h"
#include "ship/nats/protocol.h"
#include "trace/layout.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The id of messages of earlier versions of timeline-ship. */
#define OLD_HEADER_ID "Nats-Msg-Id"

static int
stream_fault(struct tl_fault *fault, natsStatus status, const char *stream)
{
	char what[TL_NATS_STREAM_MAX + 24];

	snprintf(what, sizeof(what), "stream %s", stream);
	return tl_nats_fault(fault, status, what);
}

static int64_t
at_most(uint64_t n)
{
	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

static int
make(jsCtx *js, const struct tl_nats_options *options, const char *stream,
    enum tl_nats_kind kind, struct tl_fault *fault)
{
	const uint64_t bytes_max =
	    kind == TL_NATS_KEPT ? options->keep_bytes_max : options->bytes_max;
	const char *subjects[] = { tl_nats_subjects[kind] };
	jsStreamInfo *info = NULL;
	jsStreamConfig config;
	jsErrCode code = 0;
	natsStatus s;

	jsStreamConfig_Init(&config);
	config.Name = stream;
	config.Description = kind == TL_NATS_KEPT
				 ? "warnings and errors of timelines"
				 : "blocks of timelines";
	config.Subjects = subjects;
	config.SubjectsLen = 1;
	config.Retention = js_LimitsPolicy;
	config.Discard = js_DiscardOld;
	config.Storage = js_FileStorage;
	config.AllowDirect = true;
	config.Replicas = options->replicas ? (int64_t)options->replicas : 1;
	if (bytes_max)
		config.MaxBytes = at_most(bytes_max);
	if (options->age_max_ns)
		config.MaxAge = at_most(options->age_max_ns);
	s = js_AddStream(&info, js, &config, NULL, &code);
	jsStreamInfo_Destroy(info);
	/* another host created it at the same time, with other bounds */
	if (s != NATS_OK && code == JSStreamNameExistErr)
		return 0;
	return s == NATS_OK ? 0 : stream_fault(fault, s, stream);
}

/* An untrusted answer may have no configuration. */
static bool
covers(const jsStreamConfig *config, const char *subject)
{
	for (int i = 0; config && i < config->SubjectsLen; i++) {
		if (tl_nats_subject_matches(config->Subjects[i], subject))
			return true;
	}
	return false;
}

int
tl_nats_stream_ensure(jsCtx *js, const struct tl_nats_options *options,
    const char *stream, enum tl_nats_kind kind, const struct tl_block *block,
    int64_t *size_max, struct tl_fault *fault)
{
	char subject[TL_NATS_SUBJECT_MAX];
	jsStreamInfo *info = NULL;
	natsStatus s = js_GetStreamInfo(&info, js, stream, NULL, NULL);
	bool takes;

	*size_max = 0;
	if (s == NATS_NOT_FOUND)
		return make(js, options, stream, kind, fault);
	if (s != NATS_OK)
		return stream_fault(fault, s, stream);
	tl_nats_subject_put(subject, kind, block);
	takes = covers(info->Config, subject);
	if (takes)
		*size_max = info->Config->MaxMsgSize;
	jsStreamInfo_Destroy(info);
	if (takes)
		return 0;
	return tl_fail(fault, -EINVAL,
	    "stream %s: exists, but does not cover subject %s; name "
	    "another stream in the URL",
	    stream, subject);
}

int
tl_nats_stream_inspect(jsCtx *js, const char *stream,
    struct tl_nats_stream_state *state, struct tl_fault *fault)
{
	jsStreamInfo *info = NULL;
	natsStatus s = js_GetStreamInfo(&info, js, stream, NULL, NULL);

	if (s == NATS_NOT_FOUND)
		return tl_fail(fault, -ENOENT, "stream %s: does not exist",
		    stream);
	if (s != NATS_OK)
		return stream_fault(fault, s, stream);
	state->first = info->State.FirstSeq;
	state->last = info->State.LastSeq;
	state->count = info->State.Msgs;
	jsStreamInfo_Destroy(info);
	return 0;
}

int
tl_nats_stream_last(jsCtx *js, const char *stream, const char *subject,
    uint64_t *sequence, struct tl_block *block, struct tl_fault *fault)
{
	natsMsg *message = NULL;
	struct tl_fault foreign;
	const natsStatus s =
	    js_GetLastMsg(&message, js, stream, subject, NULL, NULL);

	*sequence = 0;
	memset(block, 0, sizeof(*block));
	if (s == NATS_NOT_FOUND)
		return 0;
	if (s != NATS_OK)
		return stream_fault(fault, s, stream);
	*sequence = natsMsg_GetSequence(message);
	if (tl_nats_message_get(block, message, &foreign) < 0)
		block->chain[0] = '\0';
	block->data = tl_bytes(NULL, 0);
	natsMsg_Destroy(message);
	return 0;
}

/* == a block as a message == */

static natsStatus
set_signed(natsMsg *message, const char *key, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, value);
	return natsMsgHeader_Set(message, key, text);
}

natsStatus
tl_nats_header_set(natsMsg *message, const char *name, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return natsMsgHeader_Set(message, name, text);
}

natsStatus
tl_nats_message_new(natsMsg **message, enum tl_nats_kind kind,
    const struct tl_block *block, const char *stream, const char *reply)
{
	char subject[TL_NATS_SUBJECT_MAX];
	char id[TL_BLOCK_ID_MAX];
	natsMsg *m = NULL;
	natsStatus s;

	tl_nats_subject_put(subject, kind, block);
	tl_block_id_put(id, block);
	if ((s = natsMsg_Create(&m, subject, reply, block->data.data,
		 (int)block->data.size)) == NATS_OK &&
	    (s = natsMsgHeader_Set(m, TL_HEADER_ID, id)) == NATS_OK &&
	    /* not in another stream that covers the subject */
	    (s = natsMsgHeader_Set(m, "Nats-Expected-Stream", stream)) ==
		NATS_OK &&
	    (s = set_signed(m, TL_HEADER_FROM, block->from_ns)) == NATS_OK &&
	    (s = set_signed(m, TL_HEADER_TO, block->to_ns)) == NATS_OK &&
	    (s = tl_nats_header_set(m, TL_HEADER_ENTRIES, block->entries)) ==
		NATS_OK &&
	    (s = tl_nats_header_set(m, TL_HEADER_LOST, block->lost)) == NATS_OK)
		*message = m;
	else
		natsMsg_Destroy(m);
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

uint64_t
tl_nats_header_get(natsMsg *message, const char *name)
{
	const char *text;
	uint64_t value;

	if (natsMsgHeader_Get(message, name, &text) != NATS_OK || !text ||
	    tl_parse_unsigned(text, &value) < 0)
		return 0;
	return value;
}

int
tl_nats_message_get(struct tl_block *block, natsMsg *message,
    struct tl_fault *fault)
{
	struct tl_trace_header header;
	const char *id;

	memset(block, 0, sizeof(*block));
	if (!tl_nats_subject_get(block, natsMsg_GetSubject(message)))
		return tl_fail(fault, -EBADMSG, "not the subject of a block");
	if ((natsMsgHeader_Get(message, TL_HEADER_ID, &id) != NATS_OK &&
		natsMsgHeader_Get(message, OLD_HEADER_ID, &id) != NATS_OK) ||
	    !id || !tl_block_id_get(block, id))
		return tl_fail(fault, -EBADMSG, "not the id of a block");
	if (!get_signed(message, TL_HEADER_FROM, &block->from_ns) ||
	    !get_signed(message, TL_HEADER_TO, &block->to_ns) ||
	    block->from_ns > block->to_ns) {
		block->from_ns = INT64_MIN;
		block->to_ns = INT64_MAX;
	}
	block->kept = tl_nats_header_get(message, TL_HEADER_WHOLE) > 0;
	block->entries = tl_nats_header_get(message, TL_HEADER_ENTRIES);
	block->lost = tl_nats_header_get(message, TL_HEADER_LOST);
	block->data = tl_bytes(natsMsg_GetData(message),
	    (size_t)natsMsg_GetDataLength(message));
	return tl_trace_header_get(&header, block->data, fault);
}
