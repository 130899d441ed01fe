/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verbs.c - parse the command line, find the verb, print help
 */
#include "base/array.h"
#include "base/options.h"
#include "base/process.h"
#include "ctl/ctl.h"
#include "snap/shm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeline.h>
#include <unistd.h>

static const struct tl_option options[] = {
#define OPTION(letter, name, argument, constant, help) \
	{ letter, name, argument, help, \
		TL_OPTION_VALUE_MIN + TL_CTL_##constant },
#include "ctl/options.def"
#undef OPTION
};

#define BIT(constant) (UINT64_C(1) << TL_CTL_##constant)
/* The options of every verb. */
#define ALWAYS (BIT(HELP) | BIT(VERSION))

/* A row without a name is the heading of the rows below it. */
static const struct tl_verb verbs[] = {
#define JSON         BIT(JSON)
#define GROUP(title) { NULL, NULL, 0, 0, NULL, 0, title },
#define VERB(name, arguments, least, most, function, takes, help) \
	{ name, arguments, least, most, function, (takes) | ALWAYS, help },
#include "ctl/verbs.def"
#undef VERB
#undef GROUP
#undef JSON
};

enum { VERBS = TL_COUNT(verbs), HELP_COLUMN = 32 };

/* The verbs in --help, which fits on one screen. */
static const char common[] = "list create remove save priority burst level "
			     "top record status help";

/* The verb of a name, or NULL. */
static const struct tl_verb *
find_verb(const char *name)
{
	for (size_t i = 0; i < VERBS; i++) {
		if (verbs[i].name && strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
	}
	return NULL;
}

static void
put_verb(struct tl_text *text, const struct tl_verb *verb)
{
	const int before = (int)strlen("   ") + (int)strlen(verb->name);

	tl_put_format(text, "  %s %-*s %s\n", verb->name, HELP_COLUMN - before,
	    verb->arguments, verb->description);
}

/* The common verbs, or all verbs and options. */
static void
put_help(struct tl_text *text, bool all)
{
	tl_put_string(text,
	    "timelinectl VERB [option...] [operand...]\n"
	    "Inspect and change timelines: live ones (NAME in /dev/shm) and "
	    "files.\n\n");
	for (const char *at = common; !all && *at; at += strspn(at, " ")) {
		char name[TL_NEAR_MAX] = "";

		memcpy(name, at, strcspn(at, " "));
		put_verb(text, find_verb(name));
		at += strlen(name);
	}
	for (size_t i = 0; all && i < VERBS; i++) {
		if (verbs[i].name) {
			put_verb(text, &verbs[i]);
			continue;
		}
		tl_put_format(text, "%s%s:\n", i > 0 ? "\n" : "",
		    verbs[i].description);
	}
	if (all)
		tl_put_string(text, "\nOptions, each of some verbs:\n");
	for (size_t i = 0; all && i < TL_CTL_OPTIONS; i++)
		tl_option_help(text, &options[i]);
	tl_put_string(text,
	    "\nLEVEL: fatal error warning info debug trace trace+ trace++ "
	    "trace+++ off.\nDURATION: 100us, 1.5ms, 2s, 1m, 1h.  "
	    "[NAME]: default $TIMELINE.\n");
	tl_put_string(text,
	    all ? "See timelinectl(1).\n"
		: "timelinectl help VERB shows its options, --help=all all "
		  "verbs and options.\nSee timelinectl(1).\n");
}

static void
put_verb_help(struct tl_text *text, const struct tl_verb *verb)
{
	tl_put_format(text, "timelinectl %s%s%s%s\n%s\n\nOptions:\n",
	    verb->name, verb->options & ~ALWAYS ? " [option...]" : "",
	    verb->arguments[0] ? " " : "", verb->arguments, verb->description);
	for (size_t i = 0; i < TL_CTL_OPTIONS; i++) {
		if (verb->options & UINT64_C(1) << i)
			tl_option_help(text, &options[i]);
	}
}

static int
report_unknown_verb(struct tl_call *call, const char *word)
{
	/* names of these verbs in other programs */
	static const char *const aliases[][2] = { { "ls", "list" },
		{ "rm", "remove" }, { "delete", "remove" }, { "new", "create" },
		{ "info", "list" } };
	struct tl_near near = tl_near_to(word);

	call->usage = true;
	for (size_t i = 0; i < TL_COUNT(aliases); i++) {
		if (strcmp(word, aliases[i][0]) == 0)
			return tl_fail(&call->fault, -EINVAL,
			    "%s: no such verb; did you mean %s?", word,
			    aliases[i][1]);
	}
	for (size_t i = 0; i < VERBS; i++) {
		if (verbs[i].name)
			tl_near_try(&near, verbs[i].name);
	}
	return tl_usage_near(&call->fault, &near, "no such verb");
}

int
tl_verb_help(struct tl_call *call)
{
	const struct tl_verb *verb;

	if (call->operand_count == 0 || strcmp(call->operands[0], "all") == 0) {
		put_help(&call->out, call->operand_count > 0);
		return 0;
	}
	verb = find_verb(call->operands[0]);
	if (!verb)
		return report_unknown_verb(call, call->operands[0]);
	put_verb_help(&call->out, verb);
	return 0;
}

/* Take an operand; the first one is the verb. */
static int
take_operand(struct tl_call *call, const char *word)
{
	if (!call->verb) {
		call->verb = find_verb(word);
		return call->verb ? 0 : report_unknown_verb(call, word);
	}
	if (call->operand_count == call->verb->most)
		return tl_call_usage(call, "%s: too many operands for %s", word,
		    call->verb->name);
	call->operands[call->operand_count++] = word;
	return 0;
}

static int
take_all(struct tl_call *call, int argc, char **argv)
{
	struct tl_option_reader reader;
	char *argument;
	int rest = argc;
	int rc = 0;
	int value;

	tl_options_start(&reader, options, TL_CTL_OPTIONS);
	while (rc == 0 && (value = tl_options_next(&reader, argc, argv,
			       &argument, &rest, &call->fault)) != 0) {
		if (value < 0) {
			call->usage = true;
			return value;
		}
		if (value == TL_OPTION_OPERAND) {
			rc = take_operand(call, argument);
			continue;
		}
		value -= TL_OPTION_VALUE_MIN;
		call->given[value] = argument ? argument : "";
		call->letters |= (uint64_t)reader.is_letter << value;
	}
	for (; rc == 0 && rest < argc; rest++)
		rc = take_operand(call, argv[rest]);
	return rc;
}

int
tl_verbs_parse(struct tl_call *call, int argc, char **argv)
{
	const struct tl_verb *verb;
	int rc = take_all(call, argc, argv);

	if (rc != 0)
		return rc;
	if (tl_call_has(call, TL_CTL_VERSION)) {
		tl_put_string(&call->out, "timelinectl " TIMELINE_VERSION "\n");
		return 1;
	}
	if (tl_call_has(call, TL_CTL_HELP)) {
		/* The argument of --help: nothing, or "all". */
		const char *word = call->given[TL_CTL_HELP];

		if (word[0] && strcmp(word, "all") != 0)
			return tl_call_usage(call,
			    "--help=%s: not --help=all or help VERB", word);
		if (call->verb)
			put_verb_help(&call->out, call->verb);
		else
			put_help(&call->out, word[0]);
		return 1;
	}
	if (!call->verb)
		return tl_call_usage(call, "no verb given");

	/* Do the options and operands suit the verb? */
	verb = call->verb;
	for (size_t i = 0; i < TL_CTL_OPTIONS; i++) {
		if (!call->given[i] || verb->options & UINT64_C(1) << i)
			continue;
		if (call->letters & UINT64_C(1) << i)
			return tl_call_usage(call, "-%c: not an option of %s",
			    options[i].letter, verb->name);
		return tl_call_usage(call, "--%s: not an option of %s",
		    options[i].name, verb->name);
	}
	if (call->operand_count < verb->least)
		return tl_call_usage(call, "%s needs %s", verb->name,
		    verb->arguments);
	return 0;
}

/* == functions for verbs == */

/* Set the fault unless there is one. */
static int
fail(struct tl_call *call, const char *subject, int rc, const char *format,
    va_list args)
{
	if (call->fault.rc != 0)
		return rc;
	call->fault.rc = rc;
	call->fault.at = TL_FAULT_NOWHERE;
	vsnprintf(call->fault.text, sizeof(call->fault.text), format, args);
	snprintf(call->subject, sizeof(call->subject), "%s",
	    subject ? subject : "");
	return rc;
}

int
tl_call_usage(struct tl_call *call, const char *format, ...)
{
	va_list args;

	call->usage = true;
	va_start(args, format);
	fail(call, NULL, -EINVAL, format, args);
	va_end(args);
	return -EINVAL;
}

int
tl_call_fail(struct tl_call *call, const char *subject, int rc,
    const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail(call, subject, rc, format, args);
	va_end(args);
	return rc;
}

int
tl_call_fault(struct tl_call *call, const char *subject, int rc,
    const struct tl_fault *fault)
{
	const bool first = call->fault.rc == 0;

	tl_call_fail(call, subject, rc, "%s",
	    fault->text[0] ? fault->text : strerror(-rc));
	if (first && fault->text[0])
		call->fault.at = fault->at;
	return rc;
}

/* The text may begin with the path, which is replaced by the name that the user
 * knows. */
int
tl_call_library(struct tl_call *call, const struct tl_name *name, int rc)
{
	const char *words = timeline_error();
	const size_t size = strlen(name->path);

	if (strncmp(words, name->path, size) == 0 && words[size] == ':')
		words += size + 1;
	else if (strncmp(words, name->path, size) == 0 && words[size] == ' ')
		words += size;
	words += strspn(words, " ");
	return tl_call_fail(call, name->shown, rc, "%s", words);
}

int
tl_call_number(struct tl_call *call, enum tl_ctl_option option, uint64_t least,
    uint64_t most, uint64_t *n)
{
	const char *word = call->given[option];
	uint64_t value;

	if (!word)
		return 0;
	if (tl_parse_size(word, &value) < 0 || value < least || value > most)
		return tl_call_usage(call, "%s: not a number from %lu to %lu",
		    word, least, most);
	*n = value;
	return 0;
}

int
tl_call_choose(struct tl_call *call, const char *const *names, size_t count,
    const char *word, const char *kind)
{
	const int index =
	    tl_option_choose(names, count, word, kind, &call->fault);

	call->usage = index < 0;
	return index;
}

int
tl_call_duration(struct tl_call *call, const char *word, int64_t least_ns,
    int64_t most_ns, int64_t *ns)
{
	int64_t value;

	if (!word)
		return 0;
	if (tl_option_duration(word, &value, &call->fault) < 0) {
		call->usage = true;
		return -EINVAL;
	}
	if (value < least_ns || value > most_ns)
		return tl_call_usage(call, "%s: not a duration from %s%s%s",
		    word, TL_DURATION(least_ns),
		    most_ns < INT64_MAX ? " to " : " up",
		    most_ns < INT64_MAX ? TL_DURATION(most_ns) : "");
	*ns = value;
	return 0;
}

int
tl_call_resolve(struct tl_call *call, const char *word, struct tl_name *name)
{
	const char *slash = strchr(word, '/') ? "" : "/";

	if (word[0] == '\0')
		return tl_call_usage(call, "empty name of a timeline");
	if (strcmp(word, "/") == 0 || strcmp(word, ".") == 0 ||
	    strcmp(word, "..") == 0)
		return tl_call_usage(call, "%s: not the name of a timeline",
		    word);
	if (snprintf(name->shown, sizeof(name->shown), "%s%s", slash, word) >=
		(int)sizeof(name->shown) ||
	    tl_name_path(name->shown, name->path) != 0)
		return tl_call_usage(call,
		    "the name of a timeline is too long");
	return 0;
}

int
tl_call_name(struct tl_call *call, size_t i, struct tl_name *name)
{
	const char *word =
	    i < call->operand_count ? call->operands[i] : getenv("TIMELINE");

	if (!word || (i >= call->operand_count && word[0] == '\0'))
		return tl_call_usage(call,
		    "no timeline given, and TIMELINE is not set");
	return tl_call_resolve(call, word, name);
}

/* Is the last operand an existing timeline?  Then operands were swapped. */
static bool
is_swapped(const struct tl_call *call)
{
	char path[TL_PATH_MAX];
	const char *last;

	if (call->operand_count < 2)
		return false;
	last = call->operands[call->operand_count - 1];
	return last[0] == '/' && tl_name_path(last, path) == 0 &&
	       access(path, F_OK) == 0;
}

int
tl_call_no_file(struct tl_call *call, const struct tl_name *name, int error)
{
	struct tl_fault fault = { 0 };

	if (error == ENOENT && is_swapped(call))
		tl_fail(&fault, -ENOENT,
		    "no such timeline; the operands of %s are %s",
		    call->verb->name, call->verb->arguments);
	else if (error == ENOENT)
		tl_shm_no_such(name->shown, &fault);
	return tl_call_fault(call, name->shown, -error, &fault);
}

int
tl_call_open(struct tl_call *call, const struct tl_name *name)
{
	/* do not wait for a FIFO or a terminal */
	const int fd =
	    open(name->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? tl_call_no_file(call, name, errno) : fd;
}

int
tl_call_flush(struct tl_call *call)
{
	int rc = call->out.rc;

	if (rc == 0 && call->out.size > 0)
		rc =
		    tl_write_all(STDOUT_FILENO, call->out.data, call->out.size);
	tl_text_clear(&call->out);
	return rc;
}

int
tl_call_removed(struct tl_call *call, const struct tl_name *name)
{
	tl_call_fail(call, name->shown, -ENOENT, "removed");
	return tl_call_has(call, TL_CTL_COUNT) ? -ENOENT : 0;
}
