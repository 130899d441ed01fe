/* SPDX-License-Identifier: Apache-2.0 */
/* select_hosts.c - the clocks of hosts, as the command line has it. */
#include "source/select_hosts.h"

struct said {
	tl_complain *complain;
};

static void
say(void *context, const struct tl_fault *fault)
{
	const struct said *said = context;

	said->complain(NULL, fault);
}

int
tl_select_hosts(struct tl_inputs *inputs, const struct tl_selection *selection,
    tl_complain *complain, bool in_order, struct tl_fault *fault)
{
	struct said said = { complain };
	const struct tl_report report = { say, &said };
	int rc;

	if (!inputs->hosts || inputs->hosts->count == 0) /* which is said */
		return 0;
	rc = tl_hosts_apply(inputs, &selection->hosts, &report, fault);
	if (rc == 0 && in_order)
		tl_hosts_warn(inputs->hosts, &report);
	return rc;
}
