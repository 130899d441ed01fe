/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - the command line, from the table options.def
 */
#include "base/options.h"
#include "base/array.h"
#include "base/ns.h"
#include "base/text.h"
#include "ship/click/url.h"
#include "ship/ship.h"

#include <errno.h>
#include <stddef.h>

#define RUN  (1 << TL_SHIP_VERB_RUN)
#define READ (1 << TL_SHIP_VERB_READ)

static const struct tl_option rows[] = {
#define GROUP(title) { TL_OPTION_GROUP, NULL, NULL, title, 0 },
#define OPTION(letter, name, argument, constant, verbs, help) \
	{ letter, name, argument, help, \
		TL_OPTION_VALUE_MIN + TL_SHIP_##constant },
#include "ship/options.def"
#undef OPTION
#undef GROUP
};

/* The name and the argument of each option, and the verbs that take it. */
static const struct {
	const char *name;
	const char *argument;
	unsigned verbs;
} takers[TL_SHIP_OPTIONS] = {
#define GROUP(title)
#define OPTION(letter, name, argument, constant, verbs, help) \
	{ name, argument, verbs },
#include "ship/options.def"
#undef OPTION
#undef GROUP
};

static const struct {
	const char *name;
	const char *arguments;
	const char *description;
} verbs[] = {
	[TL_SHIP_VERB_RUN] = { "run", "--to TARGET TIMELINE...",
	    "ship timelines until interrupted" },
	[TL_SHIP_VERB_READ] = { "read", "URL",
	    "write a stream to standard output" },
};

enum { ROWS = TL_COUNT(rows), VERBS = TL_COUNT(verbs) };

static int
add_argument(struct tl_arguments *words, const char *word,
    struct tl_fault *fault)
{
	if (words->count == TL_ARGUMENTS_MAX)
		return tl_usage(fault, word,
		    "too many arguments of this kind (64 at most)");
	words->items[words->count++] = word;
	return 0;
}

/* The first operand is the verb. */
static int
take_operand(struct tl_options *o, const char *word, struct tl_fault *fault)
{
	static const char *const names[] = { "run", "read" };
	int verb;

	if (o->verb != TL_SHIP_VERB_NONE)
		return add_argument(&o->operands, word, fault);
	verb = tl_option_choose(names, 2, word, "verb", fault);
	if (verb < 0)
		return verb;
	o->verb = (enum tl_ship_verb)(TL_SHIP_VERB_RUN + verb);
	return 0;
}

static int
take(struct tl_options *o, int value, const char *argument,
    struct tl_fault *fault)
{
	const int option = value - TL_OPTION_VALUE_MIN;

	if (value == TL_OPTION_OPERAND)
		return take_operand(o, argument, fault);
	o->given[option] = argument ? argument : "";
	if (option == TL_SHIP_HOST)
		return add_argument(&o->hosts, argument, fault);
	if (option == TL_SHIP_TIMELINE)
		return add_argument(&o->timelines, argument, fault);
	return 0;
}

int
tl_options_parse(struct tl_options *o, int argc, char **argv,
    struct tl_fault *fault)
{
	struct tl_option_reader reader;
	int value, rest, rc = 0;
	char *argument;

	*o = (struct tl_options){ 0 };
	tl_options_start(&reader, rows, ROWS);
	while (rc == 0 && (value = tl_options_next(&reader, argc, argv,
			       &argument, &rest, fault)) != 0)
		rc = value < 0 ? value : take(o, value, argument, fault);
	for (; rc == 0 && rest < argc; rest++)
		rc = take_operand(o, argv[rest], fault);
	if (rc < 0)
		return rc;

	/* Do the options belong to the verb? */
	if (tl_options_has(o, TL_SHIP_HELP) ||
	    tl_options_has(o, TL_SHIP_VERSION))
		return 0;
	if (o->verb == TL_SHIP_VERB_NONE)
		return tl_fail(fault, -EINVAL, "no verb given: run or read");
	for (size_t i = 0; i < TL_SHIP_OPTIONS; i++) {
		if (o->given[i] && !(takers[i].verbs & 1u << o->verb))
			return tl_fail(fault, -EINVAL,
			    "--%s: not an option of %s", takers[i].name,
			    verbs[o->verb].name);
	}
	if (o->operands.count == 0)
		return tl_fail(fault, -EINVAL, "%s needs %s",
		    verbs[o->verb].name, verbs[o->verb].arguments);
	return 0;
}

/* == help == */

/* The rows that some of the verbs take, and the titles of these. */
static size_t
rows_of(unsigned bits, struct tl_option chosen[ROWS])
{
	size_t count = 0;

	for (size_t i = 0; i < ROWS; i++) {
		const bool is_title = rows[i].letter == TL_OPTION_GROUP;

		if (!is_title &&
		    !(takers[rows[i].value - TL_OPTION_VALUE_MIN].verbs & bits))
			continue;
		if (is_title && count > 0 &&
		    chosen[count - 1].letter == TL_OPTION_GROUP)
			count--; /* a title of nothing */
		chosen[count++] = rows[i];
	}
	return count;
}

int
tl_options_help(const struct tl_options *o, struct tl_text *text,
    struct tl_fault *fault)
{
	const char *word = o->given[TL_SHIP_HELP];
	const enum tl_ship_verb verb = o->verb;
	struct tl_option chosen[ROWS];
	const size_t count =
	    rows_of(verb == TL_SHIP_VERB_NONE ? RUN | READ : 1u << verb,
		chosen);
	struct tl_text usage = { 0 };
	struct tl_help help = {
		.common = "to all host timeline for spool zstd format since "
			  "follow count json help",
		.end = "SIZE: 64K, 256M, 1G.  DURATION: 100ms, 2s, 10m.  "
		       "See timeline-ship(1).\n"
	};
	int rc;

	if (verb == TL_SHIP_VERB_NONE) {
		tl_put_string(&usage,
		    "timeline-ship VERB [options] OPERAND...\n"
		    "Ship timelines of this host to a cluster or a directory, "
		    "and read them there.\n\nVerbs:\n");
		for (int i = TL_SHIP_VERB_RUN; i < VERBS; i++) {
			tl_put_format(&usage, "  %-4s %-38s %s\n",
			    verbs[i].name, verbs[i].arguments,
			    verbs[i].description);
		}
	} else
		tl_put_format(&usage, "timeline-ship %s [options] %s\n%s\n",
		    verbs[verb].name, verbs[verb].arguments,
		    verbs[verb].description);
	help.usage = tl_text_string(&usage);
	rc = tl_help_put(text, &help, chosen, count, word[0] ? word : NULL,
	    fault);
	tl_text_free(&usage);
	return rc;
}

/* == values == */

static int
read_value(const struct tl_option_key *key, const char *word, uint64_t *value,
    struct tl_fault *fault)
{
	const char *name = takers[key->option].name;
	const char *argument = takers[key->option].argument;
	int64_t ns;

	if (strcmp(argument, "DURATION") == 0) {
		if (tl_option_duration(word, &ns, fault) < 0)
			return -EINVAL;
		*value = (uint64_t)ns;
		if (ns >= (int64_t)key->least)
			return 0;
		return tl_fail(fault, -EINVAL,
		    "--%s %s: not a duration of at least %ldms, like 10s", name,
		    word, (int64_t)key->least / 1000000);
	}
	if (tl_parse_size(word, value) == 0 && *value >= key->least &&
	    *value <= key->most)
		return 0;
	if (strcmp(argument, "SIZE") == 0)
		return tl_fail(fault, -EINVAL,
		    "--%s %s: not a size of at least %luK, like 10M", name,
		    word, key->least >> 10);
	return tl_fail(fault, -EINVAL, "--%s %s: not a number from %lu to %lu",
	    name, word, key->least, key->most);
}

int
tl_options_read(const struct tl_options *o, const struct tl_option_key *key,
    void *to, struct tl_fault *fault)
{
	int rc = 0;

	for (; rc == 0 && key->option != TL_SHIP_OPTIONS; key++) {
		const char *word = o->given[key->option];
		void *value = (char *)to + key->offset;

		if (word)
			rc = read_value(key, word, value, fault);
	}
	return rc;
}

int
tl_options_nats(const struct tl_options *o, struct tl_nats_options *nats,
    struct tl_fault *fault)
{
#define AT(member) offsetof(struct tl_nats_options, member)
	static const struct tl_option_key keys[] = {
		{ TL_SHIP_REPLICAS, AT(replicas), 1, 5 },
		{ TL_SHIP_STREAM_SIZE, AT(bytes_max), 1 << 20, UINT64_MAX },
		{ TL_SHIP_KEEP_SIZE, AT(keep_bytes_max), 0, UINT64_MAX },
		{ TL_SHIP_STREAM_AGE, AT(age_max_ns), TL_NS_PER_S, 0 },
		{ .option = TL_SHIP_OPTIONS },
	};
#undef AT
	enum { KEEP_SHARE = 8 };
	int rc;

	if (tl_options_has(o, TL_SHIP_PASSWORD_FILE) &&
	    !tl_options_has(o, TL_SHIP_USER) &&
	    !(tl_options_has(o, TL_SHIP_TO) &&
		tl_click_is_url(o->given[TL_SHIP_TO])))
		return tl_usage(fault, "--password-file", "needs --user");
	*nats = (struct tl_nats_options){ .tls_ca = o->given[TL_SHIP_TLS_CA],
		.tls_cert = o->given[TL_SHIP_TLS_CERT],
		.tls_key = o->given[TL_SHIP_TLS_KEY],
		.creds = o->given[TL_SHIP_CREDS],
		.nkey = o->given[TL_SHIP_NKEY],
		.user = o->given[TL_SHIP_USER],
		.password_file = o->given[TL_SHIP_PASSWORD_FILE],
		.token_file = o->given[TL_SHIP_TOKEN_FILE] };
	rc = tl_options_read(o, keys, nats, fault);
	if (!tl_options_has(o, TL_SHIP_KEEP_SIZE))
		nats->keep_bytes_max = nats->bytes_max / KEEP_SHARE;
	return rc;
}
