/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url.h - which ClickHouse server and table a URL names
 *
 *	clickhouse://[USER[:PASSWORD]@]HOST[:PORT][/[DATABASE.]TABLE]
 *	clickhouses://... the same, TLS
 *
 * Bytes of the user and the password may be written as %XX.
 */
#ifndef TL_SHIP_CLICK_URL_H
#define TL_SHIP_CLICK_URL_H

#include "base/fault.h"

#include <stdbool.h>

enum {
	TL_CLICK_SERVER_MAX = 320, /* HOST:PORT, with the scheme of HTTP */
	TL_CLICK_NAME_MAX = 64,    /* of a database, of a table */
	TL_CLICK_SECRET_MAX = 256  /* of a user, of a password */
};

struct tl_click_url {
	char server[TL_CLICK_SERVER_MAX]; /* http://HOST:PORT */
	char user[TL_CLICK_SECRET_MAX];   /* empty: not given */
	char password[TL_CLICK_SECRET_MAX];
	char database[TL_CLICK_NAME_MAX];
	char table[TL_CLICK_NAME_MAX];
};

/* Has it the scheme clickhouse:// or clickhouses://? */
bool tl_click_is_url(const char *url);
/* 0; -EINVAL and the fault, which does not repeat the text. */
int tl_click_url_parse(struct tl_click_url *url, const char *text,
    struct tl_fault *fault);

#endif
