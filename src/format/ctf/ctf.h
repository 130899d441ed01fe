/* SPDX-License-Identifier: Apache-2.0 */
/* ctf.h - private to this folder: the metadata. */
#ifndef TL_FORMAT_CTF_CTF_H
#define TL_FORMAT_CTF_CTF_H

#include "base/text.h"
#include "event/event.h"
#include "event/hosts/origin.h"

#define CTF_MAGIC UINT32_C(0xc1fc1fc1)

/* A class of events: a message, the kind of event, with or without
 * arguments. */
struct ctf_class {
	const struct tl_message *message;
	uint32_t id;
	uint8_t kind; /* enum tl_kind */
	bool has_args;
};

/*
 * Append the layout that all packets and events share; their clock counts from
 * base_s.
 */
void tl_ctf_put_trace(struct tl_text *text, const struct tl_origin *origin,
    int64_t base_s);
void tl_ctf_put_class(struct tl_text *text, const struct ctf_class *c);

#endif
