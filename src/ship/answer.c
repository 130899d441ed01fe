/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.c - perform the verbs of requests, with the library calls of
 * timelinectl
 *
 * The user who runs timeline-ship named the timelines, and so trusts their
 * owners as far as the modes of the files permit access.
 */
#include "ship/answer.h"

#include "event/filter.h"
#include "event/message.h"
#include "ring/ring.h"
#include "ship/files.h"
#include "ship/sources.h"
#include "snap/inspect.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* == verbs on one timeline == */

/* In one folder, so that requests cannot fill the disk. */
enum { SNAPSHOTS_MAX = 256 };
/* Names of accounts and hosts that requests may add to a timeline. */
enum { WHO_MAX = 128, NAME_SIZE_MAX = 64 };

#define SNAPSHOT_SUFFIX ".tl"

static bool
is_timeline(const char *path)
{
	const int fd = tl_open_read(path);
	uint64_t magic = 0;
	bool is;

	if (fd < 0)
		return false;
	is = tl_read_at(fd, &magic, sizeof(magic), 0) ==
		 (int64_t)sizeof(magic) &&
	     magic == TIMELINE_MAGIC;
	close(fd);
	return is;
}

static int
fail(struct tl_ask_timeline *answer, int rc, const char *words)
{
	snprintf(answer->error, sizeof(answer->error), "%s", words);
	return rc;
}

static int
fail_errno(struct tl_ask_timeline *answer, int rc)
{
	return fail(answer, rc, strerror(-rc));
}

static void
copy_level(char to[TL_ASK_LEVEL_MAX], unsigned threshold)
{
	snprintf(to, TL_ASK_LEVEL_MAX, "%s",
	    threshold >= TIMELINE_LEVEL_NONE ? "off"
					     : tl_level_name(threshold));
}

/* The state after the verb. */
static int
inspect(struct tl_ask_timeline *answer, const char *path)
{
	struct tl_fault fault = { 0 };
	struct tl_inspection inspection = { 0 };
	const int fd = tl_open_read(path);
	int rc;

	if (fd < 0)
		return fail_errno(answer, fd);
	rc = tl_inspect_fd(&inspection, fd, true, &fault);
	close(fd);
	if (rc < 0)
		return fail(answer, rc, fault.text);
	copy_level(answer->level, inspection.threshold);
	copy_level(answer->base, inspection.base);
	answer->burst_left_ns = inspection.burst ? inspection.burst_left_ns : 0;
	answer->entries = inspection.appended;
	answer->lost = inspection.dropped;
	answer->kept_ns = inspection.kept_ns;
	if (answer->path[0] == '\0')
		answer->size = inspection.header.total_size;
	tl_inspection_free(&inspection);
	return 0;
}

static int
attach(struct timeline **tl, struct tl_ask_timeline *answer, const char *path)
{
	char resolved[TL_PATH_MAX];
	struct stat status;
	int rc = tl_name_path(path, resolved);

	if (rc < 0)
		return fail_errno(answer, rc);
	if (lstat(resolved, &status) != 0)
		return fail_errno(answer, -errno);
	if (S_ISLNK(status.st_mode))
		return fail(answer, -ELOOP,
		    "a symbolic link, which is not followed");
	rc = tl_attach(tl, resolved, status.st_uid);
	return rc < 0 ? fail(answer, rc, timeline_error()) : 0;
}

static int
count_files(const char *folder)
{
	DIR *directory = opendir(folder);
	int count = 0;

	if (!directory)
		return -errno;
	while (count < SNAPSHOTS_MAX && readdir(directory))
		count++;
	closedir(directory);
	return count;
}

/* FOLDER/NAME-20261122T031500.123456Z.tl */
static int
name_snapshot(struct tl_ask_timeline *answer, const char *folder)
{
	struct tl_text text = { 0 };
	char second[32];
	struct timespec now;
	struct tm tm;
	int rc = 0;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	strftime(second, sizeof(second), "%Y%m%dT%H%M%S", &tm);
	tl_put_string(&text, folder);
	tl_put_char(&text, '/');
	tl_put_file_part(&text, answer->name);
	tl_put_format(&text, "-%s.%06ldZ" SNAPSHOT_SUFFIX, second,
	    now.tv_nsec / 1000);
	if (text.rc < 0 || text.size >= sizeof(answer->path))
		rc = text.rc < 0 ? text.rc : -ENAMETOOLONG;
	else
		memcpy(answer->path, tl_text_string(&text), text.size + 1);
	tl_text_free(&text);
	return rc < 0 ? fail_errno(answer, rc) : 0;
}

static int
save(struct tl_ask_timeline *answer, struct timeline *tl, const char *folder)
{
	struct stat status;
	int rc;

	if (!folder)
		return fail(answer, -EPERM,
		    "no folder for snapshots on that host (--snapshots)");
	rc = count_files(folder);
	if (rc < 0)
		return fail_errno(answer, rc);
	if (rc >= SNAPSHOTS_MAX)
		return fail(answer, -ENOSPC,
		    "the folder for snapshots is full (256 files)");
	if ((rc = name_snapshot(answer, folder)) < 0)
		return rc;
	rc = timeline_save(tl, answer->path);
	if (rc == 0 && stat(answer->path, &status) == 0)
		answer->size = (uint64_t)status.st_size;
	if (rc < 0)
		answer->path[0] = '\0';
	return rc < 0 ? fail(answer, rc, timeline_error()) : 0;
}

/* == the record of a change == */

/* Strings stay in a timeline forever, and requests could fill it with names:
 * the names of a process are bounded, and all further ones become one. */
static const char *
admit(const char *name)
{
	static char known[WHO_MAX][NAME_SIZE_MAX + 1];
	static size_t known_count;

	for (size_t i = 0; i < known_count; i++) {
		if (strcmp(known[i], name) == 0)
			return name;
	}
	if (known_count == WHO_MAX)
		return "(one of many)";
	strcpy(known[known_count++], name);
	return name;
}

/* Define a string of a name, escaped and cut. */
static int
string_of_name(struct timeline *tl, const char *from, uint64_t *number)
{
	char name[NAME_SIZE_MAX + 1];
	struct tl_text text = { 0 };
	int rc;

	tl_put_plain(&text, tl_bytes_of(from[0] ? from : "?"));
	rc = text.rc;
	if (rc == 0)
		snprintf(name, sizeof(name), "%s", tl_text_string(&text));
	tl_text_free(&text);
	return rc == 0 ? timeline_string(tl, admit(name), number) : rc;
}

/* Record the request in the timeline before it is performed, at any threshold.
 * A request that cannot be recorded is not performed. */
static int
record(struct timeline *tl, const struct tl_ask_request *request)
{
	/* checked by tl_ask_request_check */
	const bool has_level =
	    request->verb == TL_ASK_PRIORITY || request->verb == TL_ASK_BURST;
	struct timeline_event *event;
	uint64_t verb, level, account, from;
	int rc = tl_define_ask(tl, &event);

	if (rc == 0)
		rc =
		    timeline_string(tl, tl_ask_verb_name(request->verb), &verb);
	if (rc == 0)
		rc = timeline_string(tl, has_level ? request->level : "-",
		    &level);
	if (rc == 0)
		rc = string_of_name(tl, request->account, &account);
	if (rc == 0)
		rc = string_of_name(tl, request->from, &from);
	if (rc == 0)
		timeline_append(event, verb, level, account, from);
	return rc;
}

static int
change(struct tl_ask_timeline *answer, const struct tl_ask_request *request,
    const char *path, const char *snapshots)
{
	struct timeline *tl;
	int rc = attach(&tl, answer, path);

	if (rc < 0)
		return rc;
	rc = record(tl, request);
	if (rc < 0)
		fail(answer, rc,
		    "the request cannot be recorded in the timeline");
	else if (request->verb == TL_ASK_PRIORITY)
		rc = timeline_priority(tl, request->level);
	else if (request->verb == TL_ASK_BURST)
		rc = timeline_burst(tl, request->level, request->duration_ns);
	else
		rc = save(answer, tl, snapshots);
	if (rc < 0 && answer->error[0] == '\0')
		fail(answer, rc, timeline_error());
	timeline_close(tl);
	return rc;
}

static void
act(struct tl_ask_timeline *answer, const struct tl_ask_request *request,
    const char *path, const char *snapshots)
{
	int rc = 0;

	answer->kept_ns = -1;
	if (request->verb != TL_ASK_LIST)
		rc = change(answer, request, path, snapshots);
	if (rc == 0)
		rc = inspect(answer, path);
	answer->ok = rc == 0;
}

/* == requests == */

enum { POLL_MS = 100 /* for the end */, AGAIN_MS = 500 };

struct tl_allow {
	const struct tl_allow_options *options;
	natsConnection *connection;
	natsSubscription *requests;
	pthread_t thread;
	atomic_bool stop;
};

int
tl_allow_parse(uint32_t *verbs, const char *words, struct tl_fault *fault)
{
	*verbs = 0;
	for (;;) {
		const size_t size = strcspn(words, ",");
		const int verb = tl_ask_verb_parse(tl_bytes(words, size));

		if (verb < 0)
			return tl_fail(fault, -EINVAL,
			    "%.*s: not one of list, priority, burst, snapshot",
			    (int)(size < TL_ASK_NAME_MAX ? size
							 : TL_ASK_NAME_MAX),
			    words);
		*verbs |= UINT32_C(1) << verb;
		if (words[size] == '\0')
			return 0;
		words += size + 1;
	}
}

static bool
is_meant(const char *glob, const char *name)
{
	return glob[0] == '\0' || tl_glob_matches(glob, tl_bytes_of(name));
}

/* A request on its way through the timelines that are shipped. */
struct asked {
	const struct tl_allow_options *options;
	const struct tl_ask_request *request;
	struct tl_ask_answer *answer;
};

static bool
is_known(const struct tl_ask_answer *answer, const char *name)
{
	for (size_t i = 0; i < answer->count; i++) {
		if (strcmp(answer->timelines[i].name, name) == 0)
			return true;
	}
	return false;
}

static bool
answer_path(void *context, const char *path, bool globbed)
{
	struct asked *asked = context;
	struct tl_ask_answer *answer = asked->answer;
	const char *name = tl_expand_name(path);
	struct tl_ask_timeline *timeline;

	if (!is_meant(asked->request->timeline, name) ||
	    is_known(answer, name) || (globbed && !is_timeline(path)))
		return true;
	if (answer->count == TL_ASK_TIMELINES_MAX) {
		answer->ok = false;
		return false;
	}
	timeline = &answer->timelines[answer->count++];
	snprintf(timeline->name, sizeof(timeline->name), "%s", name);
	act(timeline, asked->request, path, asked->options->snapshots);
	answer->ok = answer->ok && timeline->ok;
	return true;
}

static void
answer_each(const struct tl_allow_options *options,
    const struct tl_ask_request *request, struct tl_ask_answer *answer)
{
	struct asked asked = { options, request, answer };

	for (size_t i = 0; i < options->timeline_count; i++)
		tl_expand(options->timelines[i], answer_path, &asked);
}

static void
refuse(struct tl_ask_answer *answer, const char *words)
{
	answer->ok = false;
	snprintf(answer->error, sizeof(answer->error), "%s", words);
}

/* false: for other hosts. */
static bool
fill(const struct tl_allow_options *options, struct tl_bytes json,
    struct tl_ask_answer *answer)
{
	struct tl_ask_request request;
	struct tl_fault fault = { 0 };

	answer->ok = true;
	snprintf(answer->host, sizeof(answer->host), "%s", options->host);
	if (tl_ask_request_parse(&request, json, &fault) < 0) {
		refuse(answer, fault.text);
		return true;
	}
	if (!is_meant(request.host, options->host))
		return false;
	if (!(options->verbs & UINT32_C(1) << request.verb))
		refuse(answer, "verb not allowed on this host (--allow)");
	else
		answer_each(options, &request, answer);
	return true;
}

bool
tl_allow_answer(const struct tl_allow_options *options, struct tl_bytes request,
    struct tl_text *text)
{
	struct tl_ask_answer *answer = calloc(1, sizeof(*answer));
	bool meant;

	if (!answer)
		return false;
	meant = fill(options, request, answer);
	if (meant)
		tl_ask_answer_put(text, answer);
	free(answer);
	return meant && text->rc == 0;
}

static void
answer_message(struct tl_allow *allow, natsMsg *message)
{
	const char *reply = natsMsg_GetReply(message);
	struct tl_text text = { 0 };

	if (!reply || !reply[0])
		return;
	if (tl_allow_answer(allow->options,
		tl_bytes(natsMsg_GetData(message),
		    (size_t)natsMsg_GetDataLength(message)),
		&text))
		(void)natsConnection_Publish(allow->connection, reply,
		    text.data, (int)text.size);
	tl_text_free(&text);
}

static void
connected(natsConnection *connection, void *context)
{
	(void)connection;
	(void)context;
}

static void
leave(struct tl_allow *allow)
{
	natsSubscription_Destroy(allow->requests);
	allow->requests = NULL;
	tl_nats_disconnect(allow->connection);
	allow->connection = NULL;
}

static int
listen(struct tl_allow *allow, struct tl_fault *fault)
{
	const struct tl_nats_session session = { .name = "timeline-ship allow",
		.patient = true,
		.reconnected = connected };
	natsStatus s;
	int rc = tl_nats_connect(&allow->connection, allow->options->nats,
	    &session, fault);

	if (rc < 0)
		return rc;
	s = natsConnection_SubscribeSync(&allow->requests, allow->connection,
	    TL_ASK_SUBJECT);
	return s == NATS_OK ? 0 : tl_nats_fault(fault, s, "cannot listen");
}

/* The library closes a connection whose password is no longer accepted.
 * Connect again with the password that its file has then. */
static void
listen_again(struct tl_allow *allow)
{
	const struct timespec pause = { .tv_nsec = AGAIN_MS * 1000000L };
	struct tl_fault fault = { 0 };

	leave(allow);
	nanosleep(&pause, NULL);
	(void)listen(allow, &fault);
}

static void *
answer_all(void *context)
{
	struct tl_allow *allow = context;

	while (!atomic_load(&allow->stop)) {
		natsMsg *message = NULL;
		const natsStatus s = natsSubscription_NextMsg(&message,
		    allow->requests, POLL_MS);

		if (s == NATS_OK)
			answer_message(allow, message);
		natsMsg_Destroy(message);
		if (s != NATS_OK && s != NATS_TIMEOUT)
			listen_again(allow);
	}
	nats_ReleaseThreadMemory();
	return NULL;
}

static int
begin(struct tl_allow *allow, struct tl_fault *fault)
{
	int rc = listen(allow, fault);

	if (rc < 0)
		return rc;
	rc = -pthread_create(&allow->thread, NULL, answer_all, allow);
	return rc < 0 ? tl_fail(fault, rc, "%s", strerror(-rc)) : 0;
}

static void
release(struct tl_allow *allow)
{
	leave(allow);
	free(allow);
}

int
tl_allow_start(struct tl_allow **allow, const struct tl_allow_options *options,
    struct tl_fault *fault)
{
	struct tl_allow *a = calloc(1, sizeof(*a));
	int rc;

	if (!a)
		return tl_fail(fault, -ENOMEM, "no memory");
	a->options = options;
	rc = begin(a, fault);
	if (rc < 0)
		release(a);
	else
		*allow = a;
	return rc;
}

void
tl_allow_stop(struct tl_allow *allow)
{
	if (!allow)
		return;
	atomic_store(&allow->stop, true);
	pthread_join(allow->thread, NULL);
	release(allow);
}
