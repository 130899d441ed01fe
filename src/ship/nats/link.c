/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.c - load the credentials, connect
 */
#include "ship/nats/link.h"

#include "base/array.h"
#include "base/file.h"
#include "ship/files.h"

#include <errno.h>
#include <string.h>

enum {
	CONNECT_MS = 2000, /* for each server */
	/* A server that does not answer three of these is disconnected. */
	PING_MS = 5000,
	PINGS_OUT_MAX = 2,
	WRITE_MS = 10000,
};

int
tl_nats_fault(struct tl_fault *fault, natsStatus status, const char *what)
{
	static const struct {
		natsStatus status;
		int rc;
	} known[] = {
		{ NATS_NO_MEMORY, -ENOMEM },
		{ NATS_INVALID_ARG, -EINVAL },
		{ NATS_TIMEOUT, -ETIMEDOUT },
		{ NATS_NO_SERVER, -ENOTCONN },
		{ NATS_CONNECTION_CLOSED, -ENOTCONN },
		{ NATS_CONNECTION_DISCONNECTED, -ENOTCONN },
		{ NATS_STALE_CONNECTION, -ENOTCONN },
		{ NATS_IO_ERROR, -ENOTCONN },
		{ NATS_CONNECTION_AUTH_FAILED, -EACCES },
		{ NATS_NOT_PERMITTED, -EACCES },
		{ NATS_SSL_ERROR, -EACCES },
		{ NATS_SECURE_CONNECTION_WANTED, -EACCES },
		{ NATS_SECURE_CONNECTION_REQUIRED, -EACCES },
		{ NATS_MAX_PAYLOAD, -EMSGSIZE },
		{ NATS_NO_RESPONDERS, -EHOSTUNREACH },
		{ NATS_NOT_FOUND, -ENOENT },
	};
	const char *words = natsStatus_GetText(status), *more;
	natsStatus last = NATS_OK;
	int rc = -EPROTO;

	for (size_t i = 0; i < TL_COUNT(known); i++) {
		if (known[i].status == status)
			rc = known[i].rc;
	}
	/* the last error of the library has details if it is the same error */
	more = nats_GetLastError(&last);
	if (more && more[0] && last == status)
		words = more;
	return tl_fail(fault, rc, "%s: %s", what, words);
}

/* A file with the seed and, on a line of its own, the public key, because the
 * library does not compute it. */
static int
take_nkey(natsOptions *to, const char *path, struct tl_fault *fault)
{
	struct tl_text text = { 0 };
	const char *line, *key = NULL;
	natsStatus status;
	int rc = tl_read_file(path, TL_SECRET_MAX, &text);

	if (rc < 0) {
		tl_fail(fault, rc, "%s: %s", path, strerror(-rc));
		goto forget;
	}
	for (line = tl_text_string(&text); line; line = strchr(line, '\n')) {
		line += strspn(line, "\r\n \t");
		if (*line == 'U')
			key = line;
		if (!*line)
			break;
	}
	if (!key) {
		rc = tl_fail(fault, -EINVAL,
		    "%s: no public key (U...) on a line of its own; add "
		    "that of nk -pubout",
		    path);
		goto forget;
	}
	text.data[key - text.data + (ptrdiff_t)strcspn(key, "\r\n \t")] = '\0';
	status = natsOptions_SetNKeyFromSeed(to, key, path);
	if (status != NATS_OK)
		rc = tl_nats_fault(fault, status, path);
forget:
	tl_secret_forget(&text);
	return rc;
}

static int
take_credentials(natsOptions *to, const struct tl_nats_options *options,
    struct tl_fault *fault)
{
	const char *file =
	    options->user ? options->password_file : options->token_file;
	const char *what = "credentials";
	struct tl_text secret = { 0 };
	natsStatus status = NATS_OK;
	int rc = 0;

	if (options->creds) {
		what = options->creds;
		status =
		    natsOptions_SetUserCredentialsFromFiles(to, what, NULL);
	} else if (options->nkey) {
		return take_nkey(to, options->nkey, fault);
	} else if (options->user || file) {
		if (file)
			rc = tl_secret_read(&secret, file, fault);
		if (rc == 0 && options->user)
			status = natsOptions_SetUserInfo(to, options->user,
			    tl_text_string(&secret));
		else if (rc == 0)
			status =
			    natsOptions_SetToken(to, tl_text_string(&secret));
		tl_secret_forget(&secret);
	}
	if (rc == 0 && status != NATS_OK)
		rc = tl_nats_fault(fault, status, what);
	return rc;
}

static int
take_tls(natsOptions *to, const struct tl_nats_options *options, bool tls,
    struct tl_fault *fault)
{
	natsStatus status = NATS_OK;
	const char *what = "TLS";

	if (!options->tls_cert != !options->tls_key)
		return tl_fail(fault, -EINVAL,
		    "--tls-cert and --tls-key must be given together");
	if (tls || options->tls_ca || options->tls_cert)
		status = natsOptions_SetSecure(to, true);
	if (status == NATS_OK && options->tls_ca) {
		what = options->tls_ca;
		status = natsOptions_LoadCATrustedCertificates(to, what);
	}
	if (status == NATS_OK && options->tls_cert) {
		what = options->tls_cert;
		status = natsOptions_LoadCertificatesChain(to, what,
		    options->tls_key);
	}
	return status == NATS_OK ? 0 : tl_nats_fault(fault, status, what);
}

/* The default handler of the library prints. */
static void
ignore_error(natsConnection *connection, natsSubscription *subscription,
    natsStatus status, void *context)
{
	(void)connection;
	(void)subscription;
	(void)status;
	(void)context;
}

static natsStatus
set_all(natsOptions *to, const struct tl_nats_url *url, const char *name)
{
	const char *servers[TL_NATS_SERVERS_MAX];
	const int count = (int)url->server_count;
	natsStatus s;

	for (size_t i = 0; i < url->server_count; i++)
		servers[i] = url->servers[i];
	if ((s = natsOptions_SetServers(to, servers, count)) != NATS_OK ||
	    (s = natsOptions_SetTimeout(to, CONNECT_MS)) != NATS_OK ||
	    (s = natsOptions_SetPingInterval(to, PING_MS)) != NATS_OK ||
	    (s = natsOptions_SetMaxPingsOut(to, PINGS_OUT_MAX)) != NATS_OK ||
	    (s = natsOptions_SetWriteDeadline(to, WRITE_MS)) != NATS_OK ||
	    (s = natsOptions_SetFailRequestsOnDisconnect(to, true)) !=
		NATS_OK ||
	    (s = natsOptions_SetErrorHandler(to, ignore_error, NULL)) !=
		NATS_OK ||
	    /* a block is worth a write of its own */
	    (s = natsOptions_SetSendAsap(to, true)) != NATS_OK ||
	    (s = natsOptions_SetName(to, name)) != NATS_OK)
		return s;
	return natsOptions_SetAllowReconnect(to, false);
}

int
tl_nats_connect(natsConnection **connection,
    const struct tl_nats_options *options, const char *name,
    struct tl_fault *fault)
{
	natsOptions *to = NULL;
	natsConnection *made = NULL;
	struct tl_nats_url url;
	natsStatus status;
	int rc = tl_nats_url_parse(&url, options->url, fault);

	if (rc < 0)
		return rc;
	status = natsOptions_Create(&to);
	if (status == NATS_OK)
		status = set_all(to, &url, name);
	if (status != NATS_OK)
		rc = tl_nats_fault(fault, status, "options");
	if (rc == 0)
		rc = take_tls(to, options, url.tls, fault);
	if (rc == 0)
		rc = take_credentials(to, options, fault);
	if (rc == 0) {
		status = natsConnection_Connect(&made, to);
		if (status == NATS_OK || status == NATS_NOT_YET_CONNECTED)
			*connection = made;
		else {
			char what[TL_FAULT_TEXT_MAX / 2];

			snprintf(what, sizeof(what),
			    "cannot connect to %.64s%s", url.servers[0],
			    url.server_count > 1 ? " and the others" : "");
			rc = tl_nats_fault(fault, status, what);
		}
	}
	natsOptions_Destroy(to);
	return rc;
}

void
tl_nats_disconnect(natsConnection *connection)
{
	if (!connection)
		return;
	natsConnection_Close(connection);
	natsConnection_Destroy(connection);
}
