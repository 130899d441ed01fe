/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nats_ack.c - one object:
 *
 *	{"stream":"TIMELINE","seq":7,"duplicate":true}
 *	{"error":{"code":503,"err_code":10077,"description":"..."}}
 */
#include "ship/nats_ack.h"

#include "base/json_number.h"
#include "base/json_parse.h"

#include <errno.h>
#include <stdio.h>

enum { KEY_MAX = 16, CODE_UNKNOWN = 500 };

struct parse {
	struct tl_nats_ack *ack;
	char key[KEY_MAX]; /* of the value that comes next */
	bool on_top;
	bool in_error;
	bool known; /* a sequence or an error was there */
};

static void
take_number(struct parse *p, struct tl_bytes text)
{
	uint64_t value;

	if (tl_json_unsigned(text, &value) < 0)
		return;
	if (p->in_error && strcmp(p->key, "code") == 0) {
		p->ack->code = value ? value : CODE_UNKNOWN;
	} else if (p->in_error && strcmp(p->key, "err_code") == 0) {
		p->ack->error_code = value;
	} else if (p->on_top && strcmp(p->key, "seq") == 0) {
		p->ack->sequence = value;
		p->known = true;
	}
}

static void
take_token(struct parse *p, const struct tl_json *json, int kind,
    const struct tl_json_token *token)
{
	p->on_top = json->depth == 1;
	switch (kind) {
	case TL_JSON_OBJECT:
		if (json->depth == 2 && strcmp(p->key, "error") == 0) {
			p->in_error = p->known = true;
			p->ack->code = CODE_UNKNOWN;
		}
		break;
	case TL_JSON_OBJECT_END:
		p->in_error = false;
		break;
	case TL_JSON_KEY:
		snprintf(p->key, sizeof(p->key), "%.*s", (int)token->text.size,
		    token->text.data);
		break;
	case TL_JSON_NUMBER:
		take_number(p, token->text);
		break;
	case TL_JSON_STRING:
		if (p->in_error && strcmp(p->key, "description") == 0)
			snprintf(p->ack->error, sizeof(p->ack->error), "%.*s",
			    (int)token->text.size, token->text.data);
		break;
	}
}

int
tl_nats_ack_parse(struct tl_nats_ack *ack, struct tl_bytes text)
{
	struct parse p = { .ack = ack };
	struct tl_json json = { 0 };
	struct tl_json_token token;
	int kind;

	memset(ack, 0, sizeof(*ack));
	tl_json_feed(&json, text);
	while ((kind = tl_json_next(&json, &token)) > 0) {
		/* one object, and what lies deep in it is not ours */
		if (json.depth <= 2)
			take_token(&p, &json, kind, &token);
	}
	if (kind == 0 && json.depth > 0)
		kind = -EBADMSG;
	tl_json_free(&json);
	if (kind < 0)
		return kind;
	return p.known ? 0 : -EBADMSG;
}
