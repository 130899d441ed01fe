/* SPDX-License-Identifier: Apache-2.0 */
/* snapshots_rules.c - a small table of what is kept. */
#include "daemon/snapshots_rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Others may touch the folder and somebody the clock: look again after a
 * minute at the latest, and not more often than ten times a second. */
static const int64_t wait_ns_max = INT64_C(60000000000);
static const int64_t wait_ns_min = 100000000;

struct tl_snapshots_rule *
tl_snapshots_rules_find(const struct tl_snapshots_rules *rules,
    const char *timeline)
{
	for (size_t i = 0; i < rules->count; i++)
		if (strcmp(rules->items[i].timeline, timeline) == 0)
			return &rules->items[i];
	return NULL;
}

/* One with a new name. */
static struct tl_snapshots_rule *
add(struct tl_snapshots_rules *rules, const char *timeline)
{
	char *name = strdup(timeline);
	struct tl_snapshots_rule *rule;

	if (!rules->items)
		rules->items =
		    calloc(TL_SNAPSHOTS_RULES_MAX, sizeof(*rules->items));
	if (!name || !rules->items) {
		free(name);
		return NULL;
	}
	if (rules->count < TL_SNAPSHOTS_RULES_MAX)
		rule = &rules->items[rules->count++];
	else
		rule = &rules->items[rules->next++ % TL_SNAPSHOTS_RULES_MAX];
	free(rule->timeline);
	rule->timeline = name;
	return rule;
}

int
tl_snapshots_rules_put(struct tl_snapshots_rules *rules, const char *timeline,
    const struct tl_config_keep *keep)
{
	struct tl_snapshots_rule *rule =
	    tl_snapshots_rules_find(rules, timeline);

	if (!rule && !(rule = add(rules, timeline)))
		return -ENOMEM;
	rule->keep = *keep;
	rule->due_ns =
	    keep->count || keep->age_ns || keep->bytes ? 0 : INT64_MAX;
	return 0;
}

struct tl_snapshots_rule *
tl_snapshots_rules_first(struct tl_snapshots_rules *rules)
{
	struct tl_snapshots_rule *first = NULL;

	for (size_t i = 0; i < rules->count; i++)
		if (!first || rules->items[i].due_ns < first->due_ns)
			first = &rules->items[i];
	return first;
}

void
tl_snapshots_rules_done(struct tl_snapshots_rules *rules, const char *timeline,
    int64_t now_ns, int64_t next_ns)
{
	struct tl_snapshots_rule *rule =
	    tl_snapshots_rules_find(rules, timeline);

	if (!rule) /* forgotten meanwhile */
		return;
	if (rule->keep.age_ns == 0) {
		rule->due_ns = INT64_MAX;
		return;
	}
	if (next_ns < wait_ns_min)
		next_ns = wait_ns_min;
	if (next_ns > wait_ns_max)
		next_ns = wait_ns_max;
	rule->due_ns = now_ns + next_ns;
}

void
tl_snapshots_rules_free(struct tl_snapshots_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++)
		free(rules->items[i].timeline);
	free(rules->items);
}
