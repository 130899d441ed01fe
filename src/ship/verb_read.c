/* SPDX-License-Identifier: Apache-2.0 */
/* verb_read.c - timeline-ship read: blocks of a stream to standard output. */
#include "base/terminal.h"
#include "ship/call.h"
#include "ship/read.h"

#include <errno.h>
#include <unistd.h>

static int
write_on(void *context, const char *data, size_t size)
{
	(void)context;
	return tl_write_all(STDOUT_FILENO, data, size);
}

static void
copy_words(const char **to, size_t *count, const struct tl_words *words)
{
	memcpy(to, words->items, words->count * sizeof(*to));
	*count = words->count;
}

static int
read_options(struct tl_call *call, struct tl_ship_read *read)
{
	const struct tl_options *o = &call->options;
	int rc;

	*read = (struct tl_ship_read){ .since_ns = INT64_MIN,
		.until_ns = INT64_MAX,
		.follow = tl_options_has(o, TL_SHIP_FOLLOW),
		.write = write_on,
		.report = &call->report };
	if (o->operands.count != 1)
		return tl_fault(&call->fault, -EINVAL, TL_FAULT_NOWHERE,
		    "read needs one URL");
	if ((rc = tl_call_cluster(call, &read->nats, o->operands.items[0])) <
		0 ||
	    (rc = tl_call_time(call, TL_SHIP_SINCE, &read->since_ns)) < 0 ||
	    (rc = tl_call_time(call, TL_SHIP_UNTIL, &read->until_ns)) < 0 ||
	    (rc = tl_options_number(o, TL_SHIP_COUNT, 1, UINT64_MAX,
		 &read->count, &call->fault)) < 0)
		return rc;
	copy_words(read->hosts, &read->host_count, &o->hosts);
	copy_words(read->timelines, &read->timeline_count, &o->timelines);
	return 0;
}

int
tl_verb_read(struct tl_call *call)
{
	struct tl_ship_read read;
	int rc = read_options(call, &read);

	if (rc < 0)
		return tl_call_usage(call, rc);
	if (isatty(STDOUT_FILENO) == 1)
		return tl_fault(&call->fault, -EINVAL, TL_FAULT_NOWHERE,
		    "blocks are not for a terminal");
	read.stop = tl_call_stops();
	return tl_ship_read(&read, &call->fault);
}
