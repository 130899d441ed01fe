/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.c - blocks into a table of ClickHouse, by HTTP
 *
 *	ASK what the server has --> TABLE --> VIEW --> INSERT, INSERT, ...
 *	         |                                       ^
 *	         +-- the table is there -----------------+
 *
 * One request at a time.  Blocks are gathered for a second, or up to a size,
 * and inserted together, because a server makes a file of each insert and
 * refuses many small ones.  They are acknowledged when the server has answered
 * 200 with an empty body.
 *
 * Once.  After any fault the request is cancelled and its blocks are sent
 * again, whether the server has them or not.  Rows of a block that comes twice
 * have the same keys (rows.h), and the table keeps one of each.
 */
#include "ship/target/target.h"
#include "base/array.h"
#include "base/text.h"
#include "ship/click/rows.h"
#include "ship/click/url.h"
#include "ship/files.h"
#include "ship/target/window.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>

enum {
	GATHER_MS = 1000,    /* between two inserts */
	BODY_MAX = 16 << 20, /* bytes of rows at which they are inserted */
	BLOCKS_MAX = 1024,   /* the same, blocks */
	UPLOAD_SIZE = 1 << 20,
	ANSWER_MAX = 4096, /* bytes that are kept */
	CONNECT_MS = 5000,
	ANSWER_MS = 30000, /* longer than a server delays inserts */
	SHOWN_MAX = 90,    /* bytes of its text in a fault */
	OK = 200
};

enum step { ASK, TABLE, VIEW, INSERT };

struct click_target {
	struct tl_target target; /* first: what callers hold */
	const struct tl_target_options *options;
	struct tl_click_url url;
	struct tl_script_filter *filter; /* NULL: every event is a row */
	CURLM *multi;
	CURL *easy;
	struct curl_slist *headers;
	char error[CURL_ERROR_SIZE];
	enum step step;
	bool has_token;        /* the server has that setting */
	bool has_async;        /* and that of asynchronous inserts */
	struct tl_text rows;   /* of the blocks in the queue */
	struct tl_text words;  /* of a request that inserts none */
	struct tl_text answer; /* begin of the body */
	struct tl_target_queue queue;
	uint64_t held;   /* bytes of its blocks */
	int64_t next_ms; /* when they are due; tl_now_ms */
	bool hurry;      /* they are due now */
};

static struct click_target *
target_of(struct tl_target *target)
{
	return (struct click_target *)(void *)target;
}

/* Cancel the request and forget what was to be inserted. */
static void
reset(struct click_target *t)
{
	if (t->target.is_busy)
		curl_multi_remove_handle(t->multi, t->easy);
	t->target.is_busy = false;
	t->step = ASK;
	tl_text_free(&t->rows);
	tl_text_free(&t->words);
	tl_text_free(&t->answer);
	t->queue.count = 0;
	t->held = 0;
}

static int
fail(struct click_target *t, struct tl_fault *fault, int rc, const char *what)
{
	reset(t);
	return tl_fail(fault, rc, "%s: %s", t->url.server, what);
}

/* == what a server says == */

/* What to do about errors that users can mend, by the number of ClickHouse. */
static const char *
remedy_of(unsigned long code)
{
	static const struct {
		unsigned long code;
		const char *remedy;
	} known[] = {
		{ 16, "it is no table of timeline-ship: name another" },
		{ 53, "it is no table of timeline-ship: name another" },
		{ 81, "create the database" },
		{ 164, "the user needs INSERT, SELECT and CREATE" },
		{ 192, "see --user and --password-file" },
		{ 193, "see --user and --password-file" },
		{ 194, "see --user and --password-file" },
		{ 291, "the user needs INSERT, SELECT and CREATE" },
		{ 497, "the user needs INSERT, SELECT and CREATE" },
		{ 516, "see --user and --password-file" },
	};

	for (size_t i = 0; i < TL_COUNT(known); i++)
		if (known[i].code == code)
			return known[i].remedy;
	return NULL;
}

/* "Code: 60, e.displayText() = DB::Exception: TEXT, e.what() = ...", or newer
 * "Code: 60. DB::Exception: TEXT (version ...)", or what a proxy says: the
 * first line of it. */
static int
fail_http(struct click_target *t, long status, struct tl_fault *fault)
{
	static const char mark[] = "Exception: ";
	const char *text = tl_text_string(&t->answer);
	const unsigned long code =
	    strncmp(text, "Code: ", 6) == 0 ? strtoul(text + 6, NULL, 10) : 0;
	const char *remedy = remedy_of(code);
	const char *start = strstr(text, mark), *end;
	size_t size;
	int rc;

	start = start ? start + sizeof(mark) - 1 : text;
	size = strcspn(start, "\r\n");
	if ((end = strstr(start, ", e.what()")) && (size_t)(end - start) < size)
		size = (size_t)(end - start);
	rc = tl_fail(fault, -EIO, "%s: HTTP %ld: %.*s%s%s%s", t->url.server,
	    status, (int)(size < SHOWN_MAX ? size : SHOWN_MAX), start,
	    size > SHOWN_MAX ? "..." : "", remedy ? "; " : "",
	    remedy ? remedy : "");
	reset(t);
	return rc;
}

static size_t
take_answer(char *data, size_t one, size_t size, void *context)
{
	struct click_target *t = context;
	const size_t room =
	    ANSWER_MAX -
	    (t->answer.size < ANSWER_MAX ? t->answer.size : ANSWER_MAX);

	(void)one;
	tl_put_bytes(&t->answer, tl_bytes(data, size < room ? size : room));
	return size;
}

/* Is it a line of the answer? */
static bool
says(struct click_target *t, const char *line)
{
	const char *found = strstr(tl_text_string(&t->answer), line);
	const size_t size = strlen(line);

	return found && (found == t->answer.data || found[-1] == '\n') &&
	       found[size] == '\n';
}

/* == requests == */

/* "-CHAIN-17-...": which blocks are inserted, in which order.  The first, the
 * last, and a sum of all between. */
static void
put_token(struct tl_text *text, const struct tl_target_queue *queue)
{
	const struct tl_queued *first = queue->items;
	const struct tl_queued *last = first + queue->count - 1;
	uint64_t sum = TL_FNV_BASIS;

	for (const struct tl_queued *q = first; q <= last; q++) {
		sum = tl_fnv(sum, tl_bytes_of(q->chain));
		sum = tl_fnv(sum, tl_bytes(&q->number, sizeof(q->number)));
	}
	tl_put_format(text, "%s-%lu-%s-%lu-%zu-%lx", first->chain,
	    first->number, last->chain, last->number, queue->count, sum);
}

/* http://HOST:PORT/?... */
static int
set_url(struct click_target *t)
{
	struct tl_text text = { 0 }, sql = { 0 };
	char *escaped = NULL;
	int rc;

	tl_put_format(&text, "%s/?", t->url.server);
	if (t->step == INSERT) {
		/* A Distributed table has it only when its shards do. */
		tl_put_string(&text, "insert_distributed_sync=1&");
		if (t->has_async)
			tl_put_string(&text, "async_insert=0&");
		if (t->has_token) {
			tl_put_string(&text, "insert_deduplication_token=");
			put_token(&text, &t->queue);
			tl_put_char(&text, '&');
		}
		tl_click_put_insert(&sql, &t->url);
		escaped = curl_easy_escape(t->easy, tl_text_string(&sql), 0);
		tl_put_string(&text, "query=");
		tl_put_string(&text, escaped ? escaped : "");
	}
	rc = sql.rc < 0                      ? sql.rc
	     : text.rc < 0                   ? text.rc
	     : t->step == INSERT && !escaped ? -ENOMEM
					     : 0;
	if (rc == 0 && curl_easy_setopt(t->easy, CURLOPT_URL,
			   tl_text_string(&text)) != CURLE_OK)
		rc = -ENOMEM;
	curl_free(escaped);
	tl_text_free(&sql);
	tl_text_free(&text);
	return rc;
}

static const struct tl_text *
body_of(struct click_target *t)
{
	tl_text_clear(&t->words);
	switch (t->step) {
	case ASK:
		/* The line "timeline" shows that it is a server of
		 * ClickHouse. */
		tl_put_format(&t->words,
		    "SELECT name FROM (SELECT 'timeline' AS name UNION ALL "
		    "SELECT name FROM system.settings WHERE name IN "
		    "('insert_deduplication_token', 'async_insert') UNION ALL "
		    "SELECT 'table' AS name FROM system.tables WHERE database "
		    "= '%s' AND name = '%s') FORMAT TabSeparated",
		    t->url.database, t->url.table);
		break;
	case TABLE:
		tl_click_put_table(&t->words, &t->url, t->has_token);
		break;
	case VIEW:
		tl_click_put_view(&t->words, &t->url);
		break;
	case INSERT:
		return &t->rows;
	}
	return &t->words;
}

/* The password is read each time. */
static int
set_password(struct click_target *t, struct tl_fault *fault)
{
	const struct tl_nats_options *o = &t->options->nats;
	const char *user = o->user ? o->user : t->url.user;
	struct tl_text secret = { 0 };
	const char *password = t->url.password;
	int rc = 0;

	if (user[0] == '\0')
		return 0;
	if (o->password_file) {
		if ((rc = tl_secret_read(&secret, o->password_file, fault)) < 0)
			return rc;
		password = secret.data;
	}
	if (curl_easy_setopt(t->easy, CURLOPT_USERNAME, user) != CURLE_OK ||
	    curl_easy_setopt(t->easy, CURLOPT_PASSWORD, password) != CURLE_OK)
		rc = -ENOMEM;
	tl_secret_forget(&secret);
	return rc;
}

static int
start(struct click_target *t, struct tl_fault *fault)
{
	const struct tl_text *body = body_of(t);
	int rc = body->rc < 0 ? body->rc : set_password(t, fault);

	if (rc == 0)
		rc = set_url(t);
	if (rc < 0)
		return fail(t, fault, rc, strerror(-rc));
	tl_text_clear(&t->answer);
	t->error[0] = '\0';
	curl_easy_setopt(t->easy, CURLOPT_POSTFIELDS, body->data);
	curl_easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE,
	    (curl_off_t)body->size);
	if (curl_multi_add_handle(t->multi, t->easy) != CURLM_OK)
		return fail(t, fault, -ENOMEM, strerror(ENOMEM));
	t->target.is_busy = true;
	return 0;
}

/* == answers == */

/* The server has all blocks of the queue. */
static int
take_inserted(struct click_target *t, struct tl_fault *fault)
{
	if (t->answer.size > 0)
		return fail(t, fault, -EPROTO,
		    "an insert is answered by a text: see host and port");
	tl_text_clear(&t->rows);
	t->held = 0;
	t->hurry = false;
	tl_queue_ack(&t->queue, &t->target);
	return 0;
}

static int
take_done(struct click_target *t, CURLcode code, struct tl_fault *fault)
{
	long status = 0;

	curl_multi_remove_handle(t->multi, t->easy);
	t->target.is_busy = false;
	if (t->answer.rc < 0)
		return fail(t, fault, t->answer.rc, strerror(-t->answer.rc));
	if (code != CURLE_OK)
		return fail(t, fault, -EIO,
		    code == CURLE_OPERATION_TIMEDOUT ? "no answer in time"
		    : t->error[0]                    ? t->error
				  : curl_easy_strerror(code));
	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status != OK)
		return fail_http(t, status, fault);
	if (t->step == ASK) {
		if (!says(t, "timeline"))
			return fail(t, fault, -EPROTO,
			    "the answer is not of ClickHouse: see host and "
			    "port");
		t->has_token = says(t, "insert_deduplication_token");
		t->has_async = says(t, "async_insert");
		t->step = says(t, "table") ? INSERT : TABLE;
		return 0;
	}
	if (t->step == INSERT)
		return take_inserted(t, fault);
	t->step++;
	return 0;
}

/* == the target == */

static int
click_send(struct tl_target *target, const struct tl_block *block,
    struct tl_fault *fault)
{
	struct click_target *t = target_of(target);
	int rc;

	if (t->step != INSERT || t->target.is_busy ||
	    t->rows.size >= BODY_MAX || t->queue.count >= BLOCKS_MAX)
		return -EAGAIN;
	rc = tl_click_put_rows(&t->rows, block, t->filter, fault);
	if (rc == 0)
		rc = tl_queue_add(&t->queue, block);
	if (rc < 0)
		return fail(t, fault, rc, strerror(-rc));
	t->held += block->data.size;
	return 0;
}

/* Begin a request, unless there is nothing to ask for. */
static int
begin(struct click_target *t, struct tl_fault *fault)
{
	if (t->step != INSERT)
		return start(t, fault);
	/* Gather blocks for long enough, or as many as may be. */
	if (t->queue.count == 0 ||
	    (!t->hurry && t->rows.size < BODY_MAX &&
		t->queue.count < BLOCKS_MAX && t->held < t->options->held_max &&
		tl_now_ms() < t->next_ms))
		return 0;
	t->next_ms = tl_now_ms() + GATHER_MS;
	return t->rows.size > 0 ? start(t, fault) : take_inserted(t, fault);
}

/* Go on with the request on its way: 1: it is done; 0; -errno. */
static int
proceed(struct click_target *t, int timeout_ms, struct tl_fault *fault)
{
	const int64_t until_ms = tl_now_ms() + timeout_ms;
	int64_t left_ms;
	int running = 0, left, rc;
	CURLMsg *message;

	curl_multi_perform(t->multi, &running);
	while (running > 0 && (left_ms = until_ms - tl_now_ms()) > 0) {
		curl_multi_poll(t->multi, NULL, 0, (int)left_ms, NULL);
		curl_multi_perform(t->multi, &running);
	}
	message = curl_multi_info_read(t->multi, &left);
	if (!message || message->msg != CURLMSG_DONE)
		return 0;
	rc = take_done(t, message->data.result, fault);
	return rc < 0 ? rc : 1;
}

/* Questions follow each other at once. */
static int
click_wait(struct tl_target *target, int timeout_ms, struct tl_fault *fault)
{
	struct click_target *t = target_of(target);
	bool is_asking;
	int rc;

	do {
		is_asking = t->step != INSERT;
		rc = t->target.is_busy ? 0 : begin(t, fault);
		if (rc == 0 && t->target.is_busy)
			rc = proceed(t, timeout_ms, fault);
	} while (rc > 0 && is_asking);
	return rc < 0 ? rc : 0;
}

static int
click_finish(struct tl_target *target, struct tl_fault *fault)
{
	target_of(target)->hurry = true;
	return click_wait(target, 0, fault);
}

static void
click_free(struct tl_target *target)
{
	struct click_target *t = target_of(target);

	reset(t);
	curl_easy_cleanup(t->easy);
	curl_multi_cleanup(t->multi);
	curl_slist_free_all(t->headers);
	tl_script_filter_free(t->filter);
	tl_queue_free(&t->queue);
	explicit_bzero(&t->url, sizeof(t->url));
	free(t);
	curl_global_cleanup();
}

/* What all requests have. */
static int
set_up(struct click_target *t)
{
	const struct tl_nats_options *o = &t->options->nats;
	/* rows are not held back for a server that may refuse them */
	struct curl_slist *headers = curl_slist_append(NULL, "Expect:");
	CURL *easy = t->easy;

	if (!t->multi || !easy || !headers)
		return -ENOMEM;
	t->headers = headers;
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, "timeline-ship");
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, t->error);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_answer);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, (long)UPLOAD_SIZE);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)ANSWER_MS);
	if (o->tls_ca)
		curl_easy_setopt(easy, CURLOPT_CAINFO, o->tls_ca);
	if (o->tls_cert)
		curl_easy_setopt(easy, CURLOPT_SSLCERT, o->tls_cert);
	if (o->tls_key)
		curl_easy_setopt(easy, CURLOPT_SSLKEY, o->tls_key);
	return 0;
}

int
tl_click_target_new(struct tl_target **target,
    const struct tl_target_options *options, struct tl_fault *fault)
{
	struct click_target *t;
	int rc;

	*target = NULL;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
	    !(t = calloc(1, sizeof(*t))))
		return tl_fail(fault, -ENOMEM, "%s", strerror(ENOMEM));
	t->target = (struct tl_target){ .send = click_send,
		.wait = click_wait,
		.finish = click_finish,
		.free = click_free };
	t->options = options;
	t->multi = curl_multi_init();
	t->easy = curl_easy_init();
	rc = tl_click_url_parse(&t->url, options->url, fault);
	if (rc == 0 && (rc = set_up(t)) < 0)
		tl_fail(fault, rc, "%s", strerror(-rc));
	if (rc == 0 && options->nats.password_file && !options->nats.user &&
	    t->url.user[0] == '\0')
		rc = tl_fail(fault, -EINVAL, "--password-file: needs --user");
	if (rc == 0 && options->expression)
		rc = tl_script_filter_new(&t->filter, options->expression, NULL,
		    &(struct tl_script_io){ 0 }, fault);
	if (rc < 0)
		click_free(&t->target);
	else
		*target = &t->target;
	return rc;
}
