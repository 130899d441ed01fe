/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask_message.h - requests of "timeline-ship ask" and their answers, as JSON
 *
 *	{"version":1,"verb":"burst","host":"web*","timeline":"app",
 *	 "level":"debug","duration_ns":100000000,"account":"ann","from":"pc7"}
 *
 *	{"version":1,"host":"web1","ok":true,"error":"","timelines":[
 *	    {"name":"app","ok":true,"error":"","level":"debug",...}]}
 */
#ifndef TL_SHIP_ASK_MESSAGE_H
#define TL_SHIP_ASK_MESSAGE_H

#include "base/fault.h"
#include "base/file.h"
#include "base/text.h"

#include <stdbool.h>

/* The subject of requests. */
#define TL_ASK_SUBJECT "timeline-ask"

enum tl_ask_verb {
	TL_ASK_LIST,
	TL_ASK_PRIORITY,
	TL_ASK_BURST,
	TL_ASK_SNAPSHOT,
	TL_ASK_VERBS
};

enum {
	TL_ASK_VERSION = 1,
	TL_ASK_NAME_MAX = 256,
	TL_ASK_GLOB_MAX = TL_ASK_NAME_MAX,
	TL_ASK_LEVEL_MAX = 16,
	TL_ASK_ACCOUNT_MAX = 65, /* of an account, of the host it is on */
	TL_ASK_ERROR_MAX = 200,
	TL_ASK_TIMELINES_MAX = 64, /* in an answer */
	TL_ASK_SIZE_MAX = 4096,    /* bytes of a request */
	TL_ASK_ANSWER_MAX = 1 << 20
};

struct tl_ask_request {
	enum tl_ask_verb verb;
	char host[TL_ASK_NAME_MAX];     /* globs; "": any */
	char timeline[TL_ASK_NAME_MAX]; /* of names that list prints */
	char level[TL_ASK_LEVEL_MAX];   /* priority, burst */
	uint64_t duration_ns;           /* burst */
	/* As the asking program claims; "": unknown. */
	char account[TL_ASK_ACCOUNT_MAX];
	char from[TL_ASK_ACCOUNT_MAX];
};

/* A timeline after the verb, or the reason why it failed. */
struct tl_ask_timeline {
	char name[TL_ASK_NAME_MAX];
	bool ok;
	char error[TL_ASK_ERROR_MAX];
	char level[TL_ASK_LEVEL_MAX]; /* logged now */
	char base[TL_ASK_LEVEL_MAX];  /* logged after the burst */
	uint64_t burst_left_ns;       /* 0: there is none */
	uint64_t size;                /* bytes of it, or of its snapshot */
	uint64_t entries;             /* appended so far */
	uint64_t lost;
	int64_t kept_ns;        /* history; -1: none */
	char path[TL_PATH_MAX]; /* of its snapshot, on its host */
};

struct tl_ask_answer {
	char host[TL_ASK_NAME_MAX];
	bool ok;
	char error[TL_ASK_ERROR_MAX];
	size_t count;
	struct tl_ask_timeline timelines[TL_ASK_TIMELINES_MAX];
};

/* The name of a verb; the verb of a name, or -ENOENT. */
const char *tl_ask_verb_name(unsigned verb);
int tl_ask_verb_parse(struct tl_bytes word);

void
tl_ask_request_put(struct tl_text *text, const struct tl_ask_request *request);
/* Parse an untrusted request.  0; -EBADMSG: invalid JSON; -EPROTO: another
 * version; -EINVAL: invalid values; -ENOMEM; the fault. */
int tl_ask_request_parse(struct tl_ask_request *request, struct tl_bytes json,
    struct tl_fault *fault);
/* Check the values of a request.  0; -EINVAL and the fault. */
int tl_ask_request_check(const struct tl_ask_request *request,
    struct tl_fault *fault);

void
tl_ask_answer_put(struct tl_text *text, const struct tl_ask_answer *answer);
/* Parse an untrusted answer, as tl_ask_request_parse; -ENOSPC: too many
 * timelines. */
int tl_ask_answer_parse(struct tl_ask_answer *answer, struct tl_bytes json,
    struct tl_fault *fault);

#endif
