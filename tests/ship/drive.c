/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drive.c - stand in for the spool: send generated blocks to a target, in order
 * and again after faults, and check the blocks that are read back.
 *
 *	drive send URL HOST TIMELINE[,TIMELINE...] BLOCKS EVENTS STATE
 *		[REPLICAS]
 *	drive hostile URL
 *	drive lie URL JSON
 *	drive contest URL
 *	drive check <blocks
 *
 * The file STATE holds the number of acked blocks, so that a drive continues
 * where a killed drive stopped.  The environment may hold USER_NAME,
 * PASSWORD_FILE, CA, EVERY_MS (the time between blocks), STREAM_SIZE and
 * KEEP_SIZE; with WARN the last event of every second block is a warning.
 */
#include "base/file.h"
#include "clock/clock.h"
#include "event/intern.h"
#include "ship/block.h"
#include "ship/nats/link.h"
#include "ship/target/target.h"
#include "trace/write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <timeline.h>
#include <timeline_layout.h>
#include <unistd.h>

enum { CHAINS_MAX = 16, RETRY_MS = 100, WAIT_MS = 20 };

struct drive {
	const char *host;
	const char *timelines[CHAINS_MAX];
	size_t chains;
	uint64_t total, events;
	uint64_t sent, acked; /* in the sequence of all chains */
	int state;
	uint64_t faults;
	int every_ms; /* the least time between blocks; 0: none */
	struct tl_interner *interner;
	const struct tl_message *message;
	const struct tl_message *warning; /* NULL: no warnings */
};

static int
append(void *context, const void *data, size_t size)
{
	struct tl_text *text = context;

	tl_put_bytes(text, tl_bytes(data, size));
	return text->rc;
}

static void
expect(int rc, const char *what)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "drive: %s: %s\n", what, strerror(-rc));
	exit(1);
}

/* The name of a chain depends on host and timeline only. */
static void
name_chain(char chain[TL_CHAIN_SIZE], const char *host, const char *timeline)
{
	uint64_t hash[2] = { 0xcbf29ce484222325, 0x9ae16a3b2f90404f };

	for (const char *c = host; *c; c++)
		hash[0] = (hash[0] ^ (unsigned char)*c) * 0x100000001b3;
	for (const char *c = timeline; *c; c++)
		hash[1] = (hash[1] ^ (unsigned char)*c) * 0x100000001b3;
	snprintf(chain, TL_CHAIN_SIZE, "%016llx%016llx",
	    (unsigned long long)hash[0], (unsigned long long)hash[1]);
}

static void
write_info(struct tl_trace_writer *writer, const char *name, const char *value)
{
	expect(tl_trace_write_info(writer, tl_bytes_of(name),
		   tl_bytes_of(value)),
	    name);
}

static void
write_events(struct drive *d, struct tl_trace_writer *writer,
    const struct tl_block *block)
{
	struct tl_trace_stream *stream;
	struct tl_event event = { .kind = TL_INSTANT,
		.message = d->message,
		.level = d->message->level,
		.cpu = TL_CPU_UNKNOWN,
		.pid = 1,
		.tid = 1 };

	expect(tl_trace_stream_new(&stream, writer, 1, 1, tl_bytes_of("t")),
	    "stream");
	for (uint64_t i = 0; i < block->entries; i++) {
		event.ns = block->from_ns + (int64_t)i;
		event.tsc = (uint64_t)event.ns;
		event.args[0] = block->number * d->events + i;
		if (d->warning && i + 1 == block->entries &&
		    block->number % 2 == 0) {
			event.message = d->warning;
			event.level = d->warning->level;
		}
		expect(tl_trace_stream_put(stream, &event), "put");
	}
}

/* Make a block of the sequence; each block holds a second of events. */
static void
make_block(struct drive *d, struct tl_block *block, struct tl_text *text,
    uint64_t index)
{
	const struct tl_trace_options options = { .data = append,
		.context = text };
	const char *timeline = d->timelines[index % d->chains];
	struct tl_trace_writer *writer;
	char number[32];

	memset(block, 0, sizeof(*block));
	snprintf(block->host, sizeof(block->host), "%s", d->host);
	snprintf(block->timeline, sizeof(block->timeline), "%s", timeline);
	name_chain(block->chain, d->host, timeline);
	block->number = index / d->chains;
	block->from_ns = (int64_t)(1700000000 + block->number) * 1000000000;
	block->to_ns = block->from_ns + (int64_t)d->events - 1;
	block->entries = d->events;
	snprintf(number, sizeof(number), "%llu",
	    (unsigned long long)block->number);
	tl_text_clear(text);
	expect(tl_trace_writer_new(&writer, &options), "writer");
	write_info(writer, "host", block->host);
	write_info(writer, "timeline", block->timeline);
	write_info(writer, TL_INFO_CHAIN, block->chain);
	write_info(writer, TL_INFO_BLOCK, number);
	write_events(d, writer, block);
	expect(tl_trace_writer_finish(writer), "finish");
	tl_trace_writer_free(writer);
	block->data = tl_bytes(text->data, text->size);
}

static void
acked(void *context, const char *chain, uint64_t number, int rc)
{
	struct drive *d = context;
	char want[TL_CHAIN_SIZE];

	if (rc < 0)
		return;
	name_chain(want, d->host, d->timelines[d->acked % d->chains]);
	if (strcmp(want, chain) != 0 || number != d->acked / d->chains) {
		fprintf(stderr, "drive: acked out of order\n");
		exit(1);
	}
	d->acked++;
	expect(tl_write_at(d->state, &d->acked, sizeof(d->acked), 0), "state");
}

static void
retry(struct drive *d, const struct tl_fault *fault)
{
	const struct timespec wait = { .tv_nsec = RETRY_MS * 1000000L };

	if (d->faults++ == 0 || getenv("VERBOSE"))
		fprintf(stderr, "drive: %s\n", fault->text);
	d->sent = d->acked;
	nanosleep(&wait, NULL);
}

static int64_t
now_ms(void)
{
	return tl_clock_read(CLOCK_MONOTONIC) / 1000000;
}

static void
send_all(struct drive *d, struct tl_target *target)
{
	const int64_t begun_ms = now_ms();
	struct tl_text text = { 0 };
	struct tl_block block;

	while (d->acked < d->total) {
		const uint64_t made = d->every_ms
					  ? (uint64_t)(now_ms() - begun_ms) /
						(uint64_t)d->every_ms
					  : d->total;
		struct tl_fault fault = { 0 };
		int rc = -EAGAIN;

		if (d->sent < d->total && d->sent <= made) {
			make_block(d, &block, &text, d->sent);
			rc = target->send(target, &block, &fault);
			d->sent += rc == 0;
		}
		if (rc == 0)
			continue;
		if (rc == -EAGAIN)
			rc = target->wait(target, WAIT_MS, &fault);
		if (d->every_ms)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 },
			    NULL);
		if (rc < 0)
			retry(d, &fault);
	}
	tl_text_free(&text);
}

static uint64_t
size_of(const char *variable)
{
	const char *text = getenv(variable);

	return text ? strtoull(text, NULL, 10) : 0;
}

static int
send_blocks(struct drive *d, const char *url, const char *replicas)
{
	const struct tl_nats_options options = { .url = url,
		.user = getenv("USER_NAME"),
		.password_file = getenv("PASSWORD_FILE"),
		.tls_ca = getenv("CA"),
		.replicas = replicas ? (uint32_t)atoi(replicas) : 1,
		.bytes_max = size_of("STREAM_SIZE"),
		.keep_bytes_max = size_of("KEEP_SIZE") };
	struct tl_fault fault = { 0 };
	struct tl_target *target;
	struct timespec a, b;
	int rc = tl_nats_target_new(&target, &options, &fault);

	expect(rc, fault.text);
	target->acked = acked;
	target->context = d;
	clock_gettime(CLOCK_MONOTONIC, &a);
	send_all(d, target);
	expect(target->finish(target, &fault), fault.text);
	tl_target_free(target);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("acked %llu faults %llu ms %lld\n", (unsigned long long)d->acked,
	    (unsigned long long)d->faults,
	    (long long)((b.tv_sec - a.tv_sec) * 1000 +
			(b.tv_nsec - a.tv_nsec) / 1000000));
	return 0;
}

static int
verb_send(char **argv)
{
	static const char text[] = "tick $n";
	struct drive d = { .host = argv[3],
		.total = strtoull(argv[5], NULL, 10),
		.events = strtoull(argv[6], NULL, 10),
		.state = open(argv[7], O_RDWR | O_CREAT | O_CLOEXEC, 0600) };
	int rc;

	if (getenv("EVERY_MS"))
		d.every_ms = atoi(getenv("EVERY_MS"));
	for (char *t = strtok(argv[4], ","); t && d.chains < CHAINS_MAX;
	     t = strtok(NULL, ","))
		d.timelines[d.chains++] = t;
	if (tl_read_at(d.state, &d.acked, sizeof(d.acked), 0) <= 0)
		d.acked = 0;
	d.sent = d.acked;
	expect(tl_interner_new(&d.interner), "interner");
	expect(tl_interner_message(d.interner, tl_bytes_of("test"),
		   tl_bytes_of(text), TIMELINE_RECORD_INSTANT, 6,
		   TIMELINE_THREAD, &d.message),
	    "message");
	if (getenv("WARN"))
		expect(tl_interner_message(d.interner, tl_bytes_of("test"),
			   tl_bytes_of("alarm $n"), TIMELINE_RECORD_INSTANT,
			   TIMELINE_LEVEL_KEEP, TIMELINE_THREAD, &d.warning),
		    "message");
	rc = send_blocks(&d, argv[2], argv[8]);
	tl_interner_free(d.interner);
	close(d.state);
	return rc;
}

/* == hostile messages == */

static void
publish(natsConnection *nc, const char *subject, const char *id,
    const char *from, struct tl_bytes data)
{
	natsMsg *message = NULL;

	natsMsg_Create(&message, subject, NULL, data.data, (int)data.size);
	if (id)
		natsMsgHeader_Set(message, TL_HEADER_ID, id);
	if (from)
		natsMsgHeader_Set(message, "Timeline-From", from);
	natsConnection_PublishMsg(nc, message);
	natsMsg_Destroy(message);
}

static int
verb_hostile(char **argv)
{
	static const char *const subjects[] = { "timeline.h.t", "timeline.x",
		"timeline.=zz.t", "timeline.h.t.more", "timeline.=41.t" };
	static const char *const ids[] = { NULL, "none",
		"0123456789abcdef0123456789abcdef-99999999999999999999999",
		"0123456789abcdef0123456789abcdef-1",
		"0123456789abcdef0123456789abcdef-18446744073709551615" };
	char noise[5000] = "\x45\x43\x41\x52\x54\x4c\x54\x89";
	const struct tl_nats_options options = { .url = argv[2] };
	struct tl_fault fault = { 0 };
	natsConnection *nc;

	expect(tl_nats_connect(&nc, &options, "drive", &fault), fault.text);
	for (size_t i = 8; i < sizeof(noise); i++)
		noise[i] = (char)(i * i >> 3);
	for (size_t i = 0; i < 5; i++) {
		for (size_t k = 0; k < 5; k++)
			publish(nc, subjects[i], ids[k], "-9e99",
			    tl_bytes(noise, k * 1000 + k % 2));
	}
	natsConnection_FlushTimeout(nc, 5000);
	tl_nats_disconnect(nc);
	return 0;
}

/* Give the same answer to every request of JetStream. */
static void
lie(natsConnection *nc, natsSubscription *asked, natsMsg *request, void *json)
{
	(void)asked;
	natsConnection_PublishString(nc, natsMsg_GetReply(request), json);
	natsMsg_Destroy(request);
}

static int
verb_lie(char **argv)
{
	const struct tl_nats_options options = { .url = argv[2] };
	natsSubscription *asked = NULL;
	struct tl_fault fault = { 0 };
	natsConnection *nc;

	expect(tl_nats_connect(&nc, &options, "drive", &fault), fault.text);
	natsConnection_Subscribe(&asked, nc, "$JS.API.>", lie, argv[3]);
	natsConnection_FlushTimeout(nc, 5000);
	printf("ready\n");
	fflush(stdout);
	while (getchar() != EOF)
		continue;
	natsSubscription_Destroy(asked);
	tl_nats_disconnect(nc);
	return 0;
}

/*
 * Play a stream that stores every message but the first: another sender has
 * stored a message on the subject before.
 */
static void
contest(natsConnection *nc, natsSubscription *asked, natsMsg *request,
    void *context)
{
	const char *subject = natsMsg_GetSubject(request);
	unsigned *stored = context;
	const char *last;
	char answer[128];

	(void)asked;
	if (strstr(subject, ".STREAM.INFO.")) {
		snprintf(answer, sizeof(answer),
		    "{\"config\":{\"name\":\"TIMELINE\","
		    "\"subjects\":[\"timeline.>\"]}}");
	} else if (strstr(subject, ".STREAM.MSG.GET.")) {
		if (*stored == 0)
			snprintf(answer, sizeof(answer),
			    "{\"error\":{\"code\":404,\"err_code\":10037}}");
		else
			snprintf(answer, sizeof(answer),
			    "{\"message\":{\"subject\":\"timeline.a.b\","
			    "\"seq\":%u,\"time\":\"2026-01-01T00:00:00Z\"}}",
			    *stored);
	} else {
		if (natsMsgHeader_Get(request,
			"Nats-Expected-Last-Subject-Sequence",
			&last) != NATS_OK)
			last = "none";
		printf("after %s\n", last);
		fflush(stdout);
		if (++*stored == 1)
			snprintf(answer, sizeof(answer),
			    "{\"error\":{\"code\":400,\"err_code\":10071,"
			    "\"description\":\"wrong last sequence: 1\"}}");
		else
			snprintf(answer, sizeof(answer),
			    "{\"stream\":\"TIMELINE\",\"seq\":%u}", *stored);
	}
	natsConnection_PublishString(nc, natsMsg_GetReply(request), answer);
	natsMsg_Destroy(request);
}

static int
verb_contest(char **argv)
{
	const struct tl_nats_options options = { .url = argv[2] };
	natsSubscription *asked[2] = { NULL };
	struct tl_fault fault = { 0 };
	natsConnection *nc;
	unsigned stored = 0;

	expect(tl_nats_connect(&nc, &options, "drive", &fault), fault.text);
	natsConnection_Subscribe(&asked[0], nc, "$JS.API.>", contest, &stored);
	natsConnection_Subscribe(&asked[1], nc, "timeline.>", contest, &stored);
	natsConnection_FlushTimeout(nc, 5000);
	printf("ready\n");
	fflush(stdout);
	while (getchar() != EOF)
		continue;
	for (size_t i = 0; i < 2; i++)
		natsSubscription_Destroy(asked[i]);
	tl_nats_disconnect(nc);
	return 0;
}

/* == check == */

struct seen {
	char chain[TL_CHAIN_SIZE];
	char host[2 * TL_BLOCK_NAME_MAX];
	uint64_t blocks, entries, lost, again, back, missing, next;
};

static void
see(struct seen *all, size_t *count, const struct tl_block_facts *facts)
{
	const struct tl_block *b = &facts->block;
	struct seen *s = all;

	while (s < all + *count && strcmp(s->chain, b->chain) != 0)
		s++;
	if (s == all + *count) {
		(*count)++;
		memcpy(s->chain, b->chain, sizeof(s->chain));
		snprintf(s->host, sizeof(s->host), "%s/%s", b->host,
		    b->timeline);
	}
	s->blocks++;
	s->entries += b->entries;
	s->lost += b->lost;
	s->again += s->blocks > 1 && b->number + 1 == s->next;
	s->back += b->number + 1 < s->next;
	if (b->number > s->next)
		s->missing += b->number - s->next;
	if (b->number >= s->next)
		s->next = facts->last + 1;
}

static int
verb_check(void)
{
	static struct seen all[CHAINS_MAX * CHAINS_MAX];
	struct tl_text text = { 0 };
	size_t count = 0, read_size, at = 0, next;
	char *room;

	while ((room = tl_text_reserve(&text, 1 << 20)) &&
	       (read_size = fread(room, 1, 1 << 20, stdin)) > 0)
		text.size += read_size;
	for (; at < text.size; at = next) {
		struct tl_block_facts facts = { 0 };
		struct tl_fault fault = { 0 };
		const char *end = memmem(text.data + at + 8, text.size - at - 8,
		    text.data, 8);
		int rc;

		next = end ? (size_t)(end - text.data) : text.size;
		rc = tl_block_describe(&facts,
		    tl_bytes(text.data + at, next - at), &fault);
		if (rc == 0)
			see(all, &count, &facts);
		else
			printf("byte %zu: %s\n", at, fault.text);
		tl_block_facts_free(&facts);
	}
	for (size_t i = 0; i < count; i++)
		printf("%s blocks %llu entries %llu lost %llu again %llu back "
		       "%llu "
		       "missing %llu\n",
		    all[i].host, (unsigned long long)all[i].blocks,
		    (unsigned long long)all[i].entries,
		    (unsigned long long)all[i].lost,
		    (unsigned long long)all[i].again,
		    (unsigned long long)all[i].back,
		    (unsigned long long)all[i].missing);
	tl_text_free(&text);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc >= 8 && strcmp(argv[1], "send") == 0)
		return verb_send(argv);
	if (argc == 3 && strcmp(argv[1], "hostile") == 0)
		return verb_hostile(argv);
	if (argc == 4 && strcmp(argv[1], "lie") == 0)
		return verb_lie(argv);
	if (argc == 3 && strcmp(argv[1], "contest") == 0)
		return verb_contest(argv);
	if (argc == 2 && strcmp(argv[1], "check") == 0)
		return verb_check();
	fprintf(stderr, "drive send|hostile|lie|contest|check ...\n");
	return 2;
}
