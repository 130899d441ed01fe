/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nats_stream.c - a stream is a large ring on the disks of the cluster: what
 * is oldest goes when its bound is reached.
 */
#include "ship/nats_stream.h"

#include "ship/nats_subject.h"

#include <errno.h>
#include <stdio.h>

/* A message that comes again within this time is known by its id.  A server
 * reads so much of a stream when it starts. */
#define DUPLICATES_NS INT64_C(120000000000)

static int
say(struct tl_fault *fault, natsStatus status, const char *stream)
{
	char what[TL_NATS_STREAM_MAX + 16];

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
    struct tl_fault *fault)
{
	const char *subjects[] = { TL_NATS_SUBJECTS };
	jsStreamInfo *info = NULL;
	jsStreamConfig config;
	jsErrCode code = 0;
	natsStatus s;

	jsStreamConfig_Init(&config);
	config.Name = stream;
	config.Description = "blocks of timelines";
	config.Subjects = subjects;
	config.SubjectsLen = 1;
	config.Retention = js_LimitsPolicy;
	config.Discard = js_DiscardOld;
	config.Storage = js_FileStorage;
	config.AllowDirect = true;
	config.Replicas = options->replicas ? options->replicas : 1;
	config.Duplicates = DUPLICATES_NS;
	if (options->bytes_max)
		config.MaxBytes = at_most(options->bytes_max);
	if (options->age_max_ns) {
		config.MaxAge = at_most(options->age_max_ns);
		if (config.MaxAge < config.Duplicates)
			config.Duplicates = config.MaxAge;
	}
	s = js_AddStream(&info, js, &config, NULL, &code);
	jsStreamInfo_Destroy(info);
	/* somebody else made it at the same time, with other bounds */
	if (s != NATS_OK && code == JSStreamNameExistErr)
		return 0;
	return s == NATS_OK ? 0 : say(fault, s, stream);
}

/* An answer from anybody may have no configuration. */
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
tl_nats_stream_need(jsCtx *js, const struct tl_nats_options *options,
    const char *stream, const char *subject, int64_t *size_max,
    struct tl_fault *fault)
{
	jsStreamInfo *info = NULL;
	natsStatus s = js_GetStreamInfo(&info, js, stream, NULL, NULL);
	bool takes;

	*size_max = 0;
	if (s == NATS_NOT_FOUND)
		return make(js, options, stream, fault);
	if (s != NATS_OK)
		return say(fault, s, stream);
	takes = covers(info->Config, subject);
	if (takes)
		*size_max = info->Config->MaxMsgSize;
	jsStreamInfo_Destroy(info);
	if (takes)
		return 0;
	return tl_fault(fault, -EINVAL, TL_FAULT_NOWHERE,
	    "stream %s is there and does not take %s", stream, subject);
}

int
tl_nats_stream_look(jsCtx *js, const char *stream,
    struct tl_nats_stream_state *state, struct tl_fault *fault)
{
	jsStreamInfo *info = NULL;
	natsStatus s = js_GetStreamInfo(&info, js, stream, NULL, NULL);

	if (s == NATS_NOT_FOUND)
		return tl_fault(fault, -ENOENT, TL_FAULT_NOWHERE,
		    "stream %s: there is none", stream);
	if (s != NATS_OK)
		return say(fault, s, stream);
	state->first = info->State.FirstSeq;
	state->last = info->State.LastSeq;
	state->count = info->State.Msgs;
	jsStreamInfo_Destroy(info);
	return 0;
}
