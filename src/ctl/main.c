/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - timelinectl: parse the command line, run the verb, report faults
 *
 * The only file that prints diagnostics and exits: 0 success, 1 failure, 2
 * usage error.
 */
#include "base/options.h"
#include "base/process.h"
#include "ctl/ctl.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The file was truncated while it was mapped. */
static void
bus_error(int signal_number)
{
	static const char words[] =
	    "timelinectl: the file shrank while it was in use\n";

	(void)signal_number;
	tl_die(words, sizeof(words) - 1);
}

int
main(int argc, char **argv)
{
	static struct tl_call call;
	const struct sigaction action = { .sa_handler = bus_error };
	int rc, flush_rc;

	tl_fill_standard_fds();
	tl_signals_leave_to_write();
	sigaction(SIGBUS, &action, NULL);
	rc = tl_verbs_parse(&call, argc, argv);
	if (rc == 0)
		rc = call.verb->run(&call);
	else if (rc == 1)
		rc = 0;
	flush_rc = tl_call_flush(&call);
	tl_text_free(&call.out);
	if (rc == 0)
		rc = flush_rc;
	if (call.fault.rc != 0 || (rc != 0 && rc != -EPIPE)) {
		/* "timelinectl: NAME: byte N: TEXT" */
		struct tl_fault fault = call.fault;

		if (fault.rc == 0)
			fault.rc = rc;
		tl_fault_print("timelinectl",
		    call.subject[0] ? call.subject : NULL, &fault);
		if (call.usage && call.verb)
			fprintf(stderr, "Usage: timelinectl %s%s%s\n",
			    call.verb->name, call.verb->arguments[0] ? " " : "",
			    call.verb->arguments);
		else if (call.usage)
			fputs("Try timelinectl --help.\n", stderr);
	}
	if (rc == 0 || rc == -EPIPE) /* a reader that left early */
		return TL_DONE;
	return call.usage ? TL_USAGE : TL_FAILED;
}
