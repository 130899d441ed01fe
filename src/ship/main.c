/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - timeline-ship: parse the command line, run the verb, report faults
 *
 * The only file that prints diagnostics and exits: 0 success, 1 failure, 2
 * usage error.
 */
#include "base/file.h"
#include "base/options.h"
#include "base/process.h"
#include "ship/ship.h"

#include <errno.h>
#include <timeline.h>
#include <unistd.h>

/* Print "timeline-ship: NAME: TEXT" in one write; any thread.  name may be
 * NULL. */
static void
print_diagnostic(const char *name, const struct tl_fault *fault)
{
	static const char clear[] = "\r\033[K";

	if (isatty(STDERR_FILENO) == 1) /* over the progress line */
		(void)tl_write_all(STDERR_FILENO, clear, sizeof(clear) - 1);
	tl_fault_print("timeline-ship", name, fault);
}

static void
report(void *context, const struct tl_fault *fault)
{
	(void)context;
	print_diagnostic(NULL, fault);
}

static int
answer(struct tl_call *call, int argc, char **argv)
{
	int rc = tl_options_parse(&call->options, argc, argv, &call->fault);

	call->usage = rc < 0;
	if (rc < 0)
		return rc;
	if (tl_options_has(&call->options, TL_SHIP_VERSION))
		tl_put_string(&call->out,
		    "timeline-ship " TIMELINE_VERSION "\n");
	else if (tl_options_has(&call->options, TL_SHIP_HELP))
		call->usage = (rc = tl_options_help(&call->options, &call->out,
				   &call->fault)) < 0;
	else if (call->options.verb == TL_SHIP_VERB_RUN)
		rc = tl_verb_run(call);
	else
		rc = tl_verb_read(call);
	return rc;
}

static int
flush(struct tl_call *call)
{
	int rc = call->out.rc;

	if (rc == 0 && call->out.size > 0)
		rc = tl_write_all(call->aside ? STDERR_FILENO : STDOUT_FILENO,
		    call->out.data, call->out.size);
	tl_text_free(&call->out);
	return rc;
}

int
main(int argc, char **argv)
{
	static struct tl_call call = { .report = { report, NULL } };
	int rc, flush_rc;

	tl_fill_standard_fds();
	tl_signals_leave_to_write();
	rc = answer(&call, argc, argv);
	flush_rc = flush(&call);
	if (rc == 0)
		rc = flush_rc;
	if (call.fault.rc == 0)
		call.fault.rc = rc;
	if (rc < 0 && rc != -EPIPE)
		print_diagnostic(call.subject, &call.fault);
	if (call.usage)
		(void)tl_write_all(STDERR_FILENO, "Try timeline-ship --help.\n",
		    26);
	if (rc == 0 || rc == -EPIPE) /* a reader that left early */
		return TL_DONE;
	return call.usage ? TL_USAGE : TL_FAILED;
}
