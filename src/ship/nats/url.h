/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url.h - which NATS cluster and stream a URL names, and how to connect
 *
 *	nats://HOST[:PORT][,HOST[:PORT]...][/STREAM]	tls://... the same, TLS
 */
#ifndef TL_SHIP_NATS_URL_H
#define TL_SHIP_NATS_URL_H

#include "base/fault.h"
#include "base/text.h"

/* The default name of the stream. */
#define TL_NATS_STREAM "TIMELINE"

enum {
	TL_NATS_SERVERS_MAX = 32,
	TL_NATS_SERVER_MAX = 320, /* bytes of one, with its scheme */
	TL_NATS_STREAM_MAX = 64,
	TL_NATS_HEADERS_MAX = 512 /* of a message of ours; part of it */
};

/*
 * How to connect.  Strings outlive the connection; NULL and 0: not given.  The
 * TLS members are names of PEM files; replicas, bytes_max, keep_bytes_max and
 * age_max_ns apply to streams that do not exist yet.
 */
struct tl_nats_options {
	const char *url;
	const char *tls_ca;
	const char *tls_cert;
	const char *tls_key;
	const char *creds;
	const char *nkey; /* a file with the seed */
	const char *user;
	const char *password_file;
	const char *token_file;
	uint64_t replicas;  /* 0: 1 */
	uint64_t bytes_max; /* 0: no bound */
	/* Of the stream of warnings (protocol.h); 0: there is none. */
	uint64_t keep_bytes_max;
	uint64_t age_max_ns; /* 0: no bound */
};

struct tl_nats_url {
	size_t server_count;
	char servers[TL_NATS_SERVERS_MAX][TL_NATS_SERVER_MAX];
	char stream[TL_NATS_STREAM_MAX];
	char keep[TL_NATS_STREAM_MAX + 8]; /* STREAM-keep, of warnings */
	bool tls;
};

/* Has it the scheme nats:// or tls://? */
bool tl_nats_is_url(const char *url);
/* 0; -EINVAL and the fault. */
int tl_nats_url_parse(struct tl_nats_url *url, const char *text,
    struct tl_fault *fault);

#endif
