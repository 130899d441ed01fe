/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks into a topic, against the mock cluster that librdkafka has in it: a
 * few brokers in threads of this process.
 */
#include "lib/test.h"
#include "ship/target/target.h"

#include <errno.h>

TEST(a_url_that_is_none_is_refused, .plain = true)
{
	static const char *const wrong[] = { "kafka://", "kafka:///t",
		"kafka://b/a b", "kafka://b/t/u" };
	struct tl_kafka_options options = { 0 };
	struct tl_target *target;

	ck_assert(tl_kafka_is_url("KAFKA://b"));
	ck_assert(!tl_kafka_is_url("nats://b"));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct tl_fault fault = { 0 };

		options.url = wrong[i];
		ck_assert_int_lt(tl_kafka_target_new(&target, &options, &fault),
		    0);
		ck_assert_int_ne(fault.rc, 0);
	}
}

#ifdef TL_KAFKA

#	include "ship/block.h"
#	include <librdkafka/rdkafka.h>
#	include <librdkafka/rdkafka_mock.h>

enum { BLOCKS = 300, CHAINS = 3, BLOCK_SIZE = 20000, WAIT_MS = 100 };

static rd_kafka_t *keeper; /* of the cluster */
static rd_kafka_mock_cluster_t *cluster;
static char url[512];
static struct tl_kafka_options options;
static struct tl_target *target;
static struct tl_fault fault;
static uint64_t acked, failed;
static char bytes[BLOCK_SIZE];

static void
count(void *context, const char *chain, uint64_t number, int rc)
{
	(void)context;
	if (rc < 0) {
		failed++;
		return;
	}
	ck_assert_int_eq(chain[0], 'a' + (int)(acked % CHAINS));
	ck_assert_uint_eq(number, acked / CHAINS);
	acked++;
}

static void
setup(void)
{
	char words[256];
	rd_kafka_conf_t *conf = rd_kafka_conf_new();

	rd_kafka_conf_set_log_cb(conf, NULL); /* it has no broker */
	keeper = rd_kafka_new(RD_KAFKA_PRODUCER, conf, words, sizeof(words));
	ck_assert_ptr_nonnull(keeper);
	cluster = rd_kafka_mock_cluster_new(keeper, 3);
	ck_assert_ptr_nonnull(cluster);
	rd_kafka_mock_topic_create(cluster, "t", 4, 3);
	snprintf(url, sizeof(url), "kafka://%s/t",
	    rd_kafka_mock_cluster_bootstraps(cluster));
	options.url = url;
	ck_assert_int_eq(tl_kafka_target_new(&target, &options, &fault), 0);
	target->acked = count;
	acked = failed = 0;
}

static void
teardown(void)
{
	tl_target_free(target);
	rd_kafka_mock_cluster_destroy(cluster);
	rd_kafka_destroy(keeper);
}

static void
make_block(struct tl_block *block, uint64_t index)
{
	*block = (struct tl_block){ .number = index / CHAINS,
		.from_ns = -5,
		.to_ns = 5,
		.entries = 7,
		.data = tl_bytes(bytes, sizeof(bytes)) };
	memset(block->chain, 'a' + (int)(index % CHAINS), TL_CHAIN_SIZE - 1);
	snprintf(block->host, sizeof(block->host), "h");
	snprintf(block->timeline, sizeof(block->timeline), "t%d",
	    (int)(index % CHAINS));
}

/* As the spool does: in order, and again what was not kept; so many at once. */
static void
send_all(uint64_t window)
{
	struct tl_block block;
	uint64_t sent = 0;

	while (acked < BLOCKS) {
		int rc = -EAGAIN;

		if (sent < BLOCKS && sent - acked < window) {
			make_block(&block, sent);
			rc = target->send(target, &block, &fault);
		}
		if (rc == 0) {
			sent++;
			continue;
		}
		if (rc == -EAGAIN)
			rc = target->wait(target, WAIT_MS, &fault);
		if (rc < 0)
			sent = acked;
	}
}

/* What lies in the topic, each chain in its order; again: how many were there
 * already. */
static uint64_t
read_all(uint64_t *again)
{
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	uint64_t next[CHAINS] = { 0 }, total = 0;
	rd_kafka_topic_partition_list_t *list;
	rd_kafka_t *consumer;
	char words[256];

	rd_kafka_conf_set(conf, "bootstrap.servers",
	    rd_kafka_mock_cluster_bootstraps(cluster), words, sizeof(words));
	rd_kafka_conf_set(conf, "group.id", "g", words, sizeof(words));
	consumer = rd_kafka_new(RD_KAFKA_CONSUMER, conf, words, sizeof(words));
	ck_assert_ptr_nonnull(consumer);
	list = rd_kafka_topic_partition_list_new(4);
	for (int32_t i = 0; i < 4; i++)
		rd_kafka_topic_partition_list_add(list, "t", i)->offset =
		    RD_KAFKA_OFFSET_BEGINNING;
	rd_kafka_assign(consumer, list);
	rd_kafka_topic_partition_list_destroy(list);
	*again = 0;
	while (next[0] + next[1] + next[2] < BLOCKS) {
		rd_kafka_message_t *m = rd_kafka_consumer_poll(consumer, 5000);
		rd_kafka_headers_t *headers;
		const void *id;
		size_t size;
		struct tl_block block;

		ck_assert_ptr_nonnull(m);
		ck_assert_int_eq(m->err, 0);
		ck_assert_uint_eq(m->len, BLOCK_SIZE);
		ck_assert_int_eq(rd_kafka_message_headers(m, &headers), 0);
		ck_assert_int_eq(rd_kafka_header_get_last(headers, TL_HEADER_ID,
				     &id, &size),
		    0);
		ck_assert(tl_block_id_get(&block, id));
		ck_assert_uint_le(block.number, next[block.chain[0] - 'a']);
		if (block.number < next[block.chain[0] - 'a'])
			(*again)++;
		else
			next[block.chain[0] - 'a']++;
		total++;
		rd_kafka_message_destroy(m);
	}
	rd_kafka_consumer_close(consumer);
	rd_kafka_destroy(consumer);
	return total;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(blocks_arrive_once_and_in_order)
{
	uint64_t again;

	send_all(BLOCKS);
	ck_assert_int_eq(target->finish(target, &fault), 0);
	ck_assert_uint_eq(failed, 0);
	ck_assert_uint_eq(read_all(&again), BLOCKS);
	ck_assert_uint_eq(again, 0);
}

/* One block at a time: a broker refuses one that comes out of sequence after
 * another failed, but the mock takes it, and then not the one that failed. */
TEST(brokers_that_fail_for_a_while_lose_nothing)
{
	uint64_t again;

	rd_kafka_mock_push_request_errors(cluster, 0 /* Produce */, 4,
	    RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
	    RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
	    RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
	    RD_KAFKA_RESP_ERR__TRANSPORT);
	send_all(1);
	ck_assert_int_eq(target->finish(target, &fault), 0);
	ck_assert_uint_eq(read_all(&again), BLOCKS);
	ck_assert_uint_eq(again, 0);
}

TEST(a_broker_that_is_gone_comes_back)
{
	struct tl_block block;
	uint64_t again;

	for (int32_t i = 1; i <= 3; i++)
		rd_kafka_mock_broker_set_down(cluster, i);
	make_block(&block, 0);
	ck_assert_int_eq(target->send(target, &block, &fault), 0);
	ck_assert_int_eq(target->wait(target, 300, &fault), 0);
	ck_assert_uint_eq(acked, 0);
	for (int32_t i = 1; i <= 3; i++)
		rd_kafka_mock_broker_set_up(cluster, i);
	while (acked == 0)
		ck_assert_int_eq(target->wait(target, WAIT_MS, &fault), 0);
	target->finish(target, &fault);
	acked = 0;
	send_all(BLOCKS); /* the first comes again */
	ck_assert_uint_eq(read_all(&again), BLOCKS + 1);
	ck_assert_uint_eq(again, 1);
}

TEST(a_block_that_is_refused_is_told)
{
	struct tl_block block;
	int rc = 0;

	rd_kafka_mock_push_request_errors(cluster, 0, 1,
	    RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
	make_block(&block, 0);
	ck_assert_int_eq(target->send(target, &block, &fault), 0);
	for (int i = 0; rc == 0 && i < 100; i++)
		rc = target->wait(target, WAIT_MS, &fault);
	ck_assert_int_eq(rc, -EMSGSIZE);
	ck_assert_uint_eq(failed, 1);
	ck_assert_int_eq(fault.rc, -EMSGSIZE);
	/* and is not tried again for ever */
	ck_assert_uint_eq(target->size_max, block.data.size - 1);
	ck_assert_int_eq(target->send(target, &block, &fault), -EMSGSIZE);
	block.data.size--;
	ck_assert_int_eq(target->send(target, &block, &fault), 0);
}

#endif
