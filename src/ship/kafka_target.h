/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kafka_target.h - blocks into a topic of Apache Kafka.
 *
 *	kafka://BROKER[:PORT][,BROKER[:PORT]...]/TOPIC
 */
#ifndef TL_SHIP_KAFKA_TARGET_H
#define TL_SHIP_KAFKA_TARGET_H

#include "ship/target.h"

#include <stdbool.h>

/* Strings outlive the target.  NULL: not said. */
struct tl_kafka_options {
	const char *url;
	const char *tls_ca; /* files, PEM; any of them means TLS */
	const char *tls_cert;
	const char *tls_key;
	const char *user; /* SASL PLAIN, with ... */
	const char *password_file;
};

bool tl_kafka_is_url(const char *url);
/* 0; -EINVAL and the fault says why; -ENOTSUP: built without Kafka; -ENOMEM. */
int tl_kafka_target_new(struct tl_target **target,
    const struct tl_kafka_options *options, struct tl_fault *fault);

#endif
