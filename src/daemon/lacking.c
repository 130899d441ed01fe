/* SPDX-License-Identifier: Apache-2.0 */
/* lacking.c - look up the arguments of triggers among the messages. */
#include "daemon/lacking.h"

#include "daemon/log.h"
#include "event/message.h"
#include "ring/ring.h"
#include "script/search.h"

/* Search an argument in the messages that a rule matches.  Returns whether such
 * messages are defined, and none has the argument. */
static bool
is_lacking(const struct timeline *tl, const struct tl_config_match *match,
    struct tl_search *search)
{
	const char *category = match->category ? match->category : "*";
	const char *line = match->message ? match->message : "*";
	uint64_t left = tl->geometry.strings_size / TIMELINE_RECORD_MIN;
	bool any = false;

	tl_strings_lock();
	for (uint64_t at = tl_strings_next(tl, 0); at != 0 && left > 0;
	     left--) {
		struct tl_message message = { .argc = 0 };
		struct tl_record r;

		if (tl_record_at(&r, tl->strings, tl->geometry.strings_size, at,
			0, NULL) != 0)
			break;
		at = r.fixed.link;
		if (!tl_record_matches(&r, category, line) ||
		    tl_message_parse(&message, r.text) < 0)
			continue;
		any = true;
		for (unsigned i = 0; i < message.argc; i++)
			tl_search_take(search, message.args[i].name);
	}
	tl_strings_unlock();
	return any && !search->is_found;
}

/* Warn if the messages of a rule lack an argument.  Returns whether they do. */
static bool
warn(const struct tl_target *t, const struct tl_config_rule *rule,
    const char *name)
{
	struct tl_fault fault = { 0 };
	struct tl_search search;

	tl_search_init(&search, name);
	if (!is_lacking(t->tl, &rule->match, &search))
		return false;
	tl_search_fault(&search, "",
	    "no message of its condition has this argument", &fault);
	tl_daemon_log(TL_LOG_WARNING, "%s: trigger %s: %s", t->name, rule->name,
	    fault.text);
	return true;
}

static bool
warn_of(const struct tl_target *t, const struct tl_config_rule *rule)
{
	const char *at = rule->when ? rule->when : "";
	char name[TL_NEAR_MAX + 1];

	if (rule->argument && warn(t, rule, rule->argument))
		return true;
	while (tl_search_argument(&at, name)) {
		if (warn(t, rule, name))
			return true;
	}
	return false;
}

void
tl_lacking_warn(struct tl_target *target)
{
	const struct tl_config_timeline *config = target->config;

	for (size_t i = 0; i < config->rule_count; i++) {
		const uint64_t bit = UINT64_C(1) << i;

		if (!(target->lacking & bit) &&
		    warn_of(target, &config->rules[i]))
			target->lacking |= bit;
	}
}
