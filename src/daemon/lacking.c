/* SPDX-License-Identifier: Apache-2.0 */
/* lacking.c - look up the conditions of triggers among the messages. */
#include "daemon/lacking.h"

#include "base/array.h"
#include "daemon/log.h"
#include "event/filter.h"
#include "ring/ring.h"
#include "script/search.h"
#include "snap/snap.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

/* The messages of a timeline: of a running one, or of its copy. */
struct messages {
	const char *name; /* of the timeline */
	const struct timeline *tl;
	struct tl_snap *snap;
};

/* An argument that is searched in the messages that a rule matches. */
struct lookup {
	const struct tl_config_match *match;
	struct tl_search search;
	bool any; /* a message matches */
};

static bool
is_met(const struct tl_config_match *match, const struct tl_message *message)
{
	return (!match->category ||
		   tl_glob_matches(match->category, message->category)) &&
	       (!match->message ||
		   tl_glob_matches(match->message, message->line1));
}

static void
look_at(struct lookup *l, const struct tl_message *message)
{
	if (!is_met(l->match, message))
		return;
	l->any = true;
	for (unsigned i = 0; i < message->argc; i++)
		tl_search_take(&l->search, message->args[i].name);
}

static void
look_at_running(struct lookup *l, const struct timeline *tl)
{
	uint64_t left = tl->geometry.strings_size / TIMELINE_RECORD_MIN;

	tl_strings_lock();
	for (uint64_t at = tl_strings_next(tl, 0); at != 0 && left > 0;
	     left--) {
		struct tl_message message = { .argc = 0 };
		struct tl_record r;

		if (tl_record_at(&r, tl->strings, tl->geometry.strings_size, at,
			0, NULL) != 0)
			break;
		at = r.fixed.link;
		message.category = r.category;
		if (tl_record_matches(&r, "*", "*") &&
		    tl_message_parse(&message, r.text) == 0)
			look_at(l, &message);
	}
	tl_strings_unlock();
}

/* Warn if messages of a rule are defined and none has the argument.  Returns
 * whether messages of the rule are defined. */
static bool
warn(const struct messages *m, const struct tl_config_rule *rule,
    const char *name)
{
	struct lookup l = { .match = &rule->match };
	struct tl_fault fault = { 0 };

	tl_search_init(&l.search, name);
	if (m->tl)
		look_at_running(&l, m->tl);
	else {
		const struct tl_message *const *messages =
		    tl_snap_messages(m->snap);

		for (size_t i = 0; i < tl_snap_message_count(m->snap); i++) {
			if (messages[i]->builtin == TIMELINE_BUILTIN_NONE)
				look_at(&l, messages[i]);
		}
	}
	if (!l.any || l.search.is_found)
		return l.any;
	tl_search_fault(&l.search, "",
	    "no message of its condition has this argument", &fault);
	tl_daemon_log(TL_LOG_WARNING, "%s: trigger %s: %s", m->name, rule->name,
	    fault.text);
	return true;
}

/* Look up all arguments of a rule.  Returns whether its messages are defined,
 * or it names no argument: then there is no need to look again. */
static bool
warn_of(const struct messages *m, const struct tl_config_rule *rule)
{
	const char *at = rule->when ? rule->when : "";
	char name[TL_NEAR_MAX + 1];
	bool settled = true;

	if (rule->argument)
		settled = warn(m, rule, rule->argument);
	while (settled && tl_search_argument(&at, name))
		settled = warn(m, rule, name);
	return settled;
}

void
tl_lacking_warn(struct tl_target *target)
{
	const struct tl_config_timeline *config = target->config;
	const struct messages m = { .name = target->name, .tl = target->tl };

	for (size_t i = 0; i < config->rule_count; i++) {
		const uint64_t bit = UINT64_C(1) << i;

		if (!(target->looked_up & bit) &&
		    warn_of(&m, &config->rules[i]))
			target->looked_up |= bit;
	}
}

/* Warn if a timeline has messages and none meets a condition of a rule. */
static void
warn_unmet(const struct messages *m, const struct tl_config_rule *rule,
    const struct tl_config_match *match)
{
	const struct tl_message *const *messages = tl_snap_messages(m->snap);
	const bool of_span = rule->kind == TL_RULE_SPAN;
	const char *words[] = { match->message, match->category };
	struct tl_search searches[TL_COUNT(words)];
	struct tl_fault fault = { 0 };
	bool any = false;
	unsigned k;

	for (k = 0; k < TL_COUNT(words); k++)
		tl_search_init(&searches[k], words[k] ? words[k] : "*");
	for (size_t i = 0; i < tl_snap_message_count(m->snap); i++) {
		const struct tl_message *message = messages[i];

		any |= message->builtin == TIMELINE_BUILTIN_NONE;
		if ((message->builtin != TIMELINE_BUILTIN_NONE &&
			!match->category) ||
		    (of_span && message->kind != TIMELINE_RECORD_SPAN))
			continue;
		if (is_met(match, message))
			return;
		tl_search_take(&searches[0], message->line1);
		tl_search_take(&searches[1], message->category);
	}
	if (!any)
		return;
	k = !searches[1].is_found && match->category ? 1 : 0;
	if (searches[k].is_found) /* by a message of another category */
		searches[k].near.best[0] = '\0';
	tl_search_fault(&searches[k], "",
	    of_span ? "no span matches" : "no message matches", &fault);
	tl_daemon_log(TL_LOG_WARNING, "%s: trigger %s: %s", m->name, rule->name,
	    fault.text);
}

/* Read the messages of a file, if it is a timeline. */
static void
warn_of_file(int folder, const char *name,
    const struct tl_config_timeline *config)
{
	const int fd = openat(folder, name,
	    O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	struct messages m = { .name = name };
	struct tl_fault fault = { 0 };

	if (fd < 0)
		return;
	if (tl_snap_open_fd(&m.snap, fd, 1, &fault) == 0) {
		for (size_t i = 0; i < config->rule_count; i++) {
			const struct tl_config_rule *rule = &config->rules[i];

			(void)warn_of(&m, rule);
			if (rule->kind != TL_RULE_DIED)
				warn_unmet(&m, rule, &rule->match);
			if (rule->kind == TL_RULE_INTERVAL)
				warn_unmet(&m, rule, &rule->other);
		}
		tl_snap_close(m.snap);
	}
	close(fd);
}

void
tl_lacking_check(const struct tl_config *config)
{
	DIR *folder = opendir("/dev/shm");
	const struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		const struct tl_config_timeline *section =
		    tl_config_find(config, entry->d_name);

		if (entry->d_name[0] != '.' && section &&
		    section->rule_count > 0)
			warn_of_file(dirfd(folder), entry->d_name, section);
	}
	if (folder)
		closedir(folder);
}
