/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.c - every metric is complete, appears once, and has a name that
 * Prometheus and JSON readers accept, whatever names users chose.
 */
#include "daemon/metrics/metrics.h"
#include "lib/test.h"
#include "service_fixture.h"

enum { RECORD_PATIENCE_S = 60 };

static struct tl_text text;

static void
setup(void)
{
	service_open();
}

static void
teardown(void)
{
	tl_rules_free(target->rules);
	tl_text_free(&text);
	service_close();
}

static const char *
prometheus(void)
{
	tl_text_clear(&text);
	tl_metrics_text(&text, d);
	ck_assert_int_eq(text.rc, 0);
	return tl_text_string(&text);
}

static const char *
json(void)
{
	tl_text_clear(&text);
	tl_metrics_json(&text, d);
	ck_assert_int_eq(text.rc, 0);
	return tl_text_string(&text);
}

static const char *
status(void)
{
	tl_text_clear(&text);
	tl_metrics_status(&text, d);
	ck_assert_int_eq(text.rc, 0);
	return tl_text_string(&text);
}

static void
call_it(const char *name)
{
	snprintf(target->name, sizeof(target->name), "%s", name);
}

static void
no_firing(void *context, const struct tl_firing *firing)
{
	(void)context;
	(void)firing;
}

static void
no_failure(void *context, const struct tl_config_rule *rule, const char *why)
{
	(void)context;
	(void)rule;
	(void)why;
}

static void
add_rule(struct tl_config_rule *rule)
{
	static const struct tl_rules_host host = { .fired = no_firing,
		.failed = no_failure };
	struct tl_fault fault = { 0 };

	ck_assert_msg(tl_rules_new(&target->rules, rule, 1, &host, &fault) == 0,
	    "%s", fault.text);
}

TEST_FILE(.setup = setup, .teardown = teardown,
    .timeout = 2 * RECORD_PATIENCE_S);

TEST(names_follow_the_conventions)
{
	for (size_t i = 0; i < tl_metrics_table_count; i++) {
		const struct tl_metric *m = &tl_metrics_table[i];
		const size_t size = strlen(m->name);
		const bool total =
		    size > 6 && strcmp(m->name + size - 6, "_total") == 0;

		ck_assert_uint_eq(strspn(m->name,
				      "abcdefghijklmnopqrstuvwxyz_"),
		    size);
		ck_assert_msg(total == (m->type == TL_METRIC_COUNTER), "%s",
		    m->name);
		ck_assert_uint_eq(strcspn(m->help, "\\\n"), strlen(m->help));
		for (size_t j = 0; j < i; j++)
			ck_assert_str_ne(m->name, tl_metrics_table[j].name);
	}
}

TEST(what_was_appended_is_counted_by_lane_and_tier)
{
	struct timeline_event *event;
	uint64_t before = fixture_logged(), sum = 0;

	ck_assert_ok(timeline_define(tl, "a", "fatal", "$a", &event));
	for (int i = 0; i < 100; i++)
		timeline_log(event, i);
	ck_assert_uint_eq(fixture_logged(), before + 100);
	prometheus();
	for (char *at = text.data;
	     (at = strstr(at, "\ntimeline_entries_appended_total{")); at++)
		sum += strtoull(strstr(at, "} ") + 2, NULL, 10);
	ck_assert_uint_eq(sum, before + 100);
	ck_assert_has(text.data, "cpu=\"fallback\",tier=\"0\"} ");
	ck_assert_has(text.data, "cpu=\"1\",tier=\"1\"} ");
}

TEST(large_numbers_stay_exact)
{
	target->counts.lost = UINT64_MAX;
	target->counts.overwritten = 7;
	target->counts.known_ns = INT64_MAX;
	target->counts.open_ns[4] = 1;
	target->counts.open_ns[5] = INT64_C(1500000000);
	ck_assert_has(prometheus(), "} 18446744073709551615\n");
	ck_assert_has(text.data, "} 9223372036.854775807\n");
	ck_assert_has(text.data, "priority=\"trace\"} 0.000000001\n");
	ck_assert_has(text.data, "priority=\"debug\"} 1.5\n");
	ck_assert_has(json(), "\"stream_lost\":18446744073709551615,");
	ck_assert_has(text.data, "\"stream_overwritten\":7,");
	ck_assert_has(text.data, "\"watched_seconds\":9223372036.854775807,");
	ck_assert_has(text.data, "\"priority_open_seconds\":0.000000001,");
}

TEST(what_is_lost_is_told_by_cause)
{
	tl->header->drops[TIMELINE_DROP_BUSY] = 3;
	tl->header->drops[TIMELINE_DROP_LAPPED] = 4;
	tl->header->drops[TIMELINE_DROP_RACED] = 5;
	tl->header->drops[TIMELINE_DROP_TABLE_FULL] = 6;
	ck_assert_has(prometheus(), "cause=\"busy\"} 3\n");
	ck_assert_has(text.data, "cause=\"lapped\"} 4\n");
	ck_assert_has(text.data, "cause=\"raced\"} 5\n");
	ck_assert_has(text.data, "\ntimeline_definitions_refused_total{");
	ck_assert_has(json(), "{\"cause\":\"lapped\",\"entries_dropped\":4}");
	ck_assert_has(status(), " lost; ");
}

TEST(what_is_not_known_is_left_out_or_null)
{
	ck_assert_lacks(prometheus(), "timeline_clock_error_seconds");
	ck_assert_lacks(text.data, "timeline_priority_open_ratio");
	ck_assert_has(json(), "\"clock_error_seconds\":null");
	ck_assert_has(text.data, "\"priority_open_ratio\":null");
	target->counts.known_ns = 4;
	target->counts.open_ns[1] = 1;
	ck_assert_has(prometheus(), "priority=\"trace+++\"} 0.25\n");
}

TEST(names_that_are_hostile_stay_labels)
{
	struct tl_config_rule rule = { .name = "r\"}\n1 2\\",
		.kind = TL_RULE_LEVEL,
		.level = TIMELINE_LEVEL_MAX };

	add_rule(&rule);
	call_it("a\"b\\c\nd\xff\x1b[2J{}");
	ck_assert_has(prometheus(),
	    "{timeline=\"a\\\"b\\\\\\\\c\\\\nd\\\\xff\\\\x1b[2J{}\"");
	ck_assert_has(text.data, "trigger=\"r\\\"}\\\\n1 2\\\\\\\\\"} 0\n");
	ck_assert_lacks(text.data, "\x1b");
	ck_assert_lacks(text.data, "\xff");
	ck_assert_has(json(), "\"timeline\":\"a\\\"b\\\\c\\nd\xef\xbf\xbd");
	ck_assert_has(text.data, "\"trigger\":\"r\\\"}\\n1 2\\\\\"");
	ck_assert_lacks(text.data, "\x1b");
	ck_assert_has(status(), "a\"b\\\\c\\nd\\xff\\x1b[2J{}: ");
	ck_assert_lacks(text.data, "\x1b");
}

TEST(names_that_differ_stay_two_names)
{
	call_it("a\xff");
	prometheus();
	ck_assert_has(text.data, "timeline=\"a\\\\xff\"");
	call_it("a\\xff");
	prometheus();
	ck_assert_has(text.data, "timeline=\"a\\\\\\\\xff\"");
}

/* Each sample stands under the one TYPE line of its name. */
TEST(samples_stand_under_their_type)
{
	char type[128] = "", *save = NULL;

	prometheus();
	for (char *line = strtok_r(text.data, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (sscanf(line, "# TYPE %127s", type) == 1 || *line == '#')
			continue;
		ck_assert_uint_eq(strcspn(line, "{ "), strlen(type));
		ck_assert_int_eq(strncmp(line, type, strlen(type)), 0);
	}
}

TEST(a_timeline_that_is_gone_leaves_the_rest)
{
	struct tl_target blind = { .daemon = d,
		.config = &section,
		.name = "blind" };

	d->targets[1] = &blind;
	d->target_count = 2;
	ck_assert_has(prometheus(),
	    "timeline_stream_lost_total{timeline=\"blind\"} 0\n");
	ck_assert_lacks(text.data, "timeline_size_bytes{timeline=\"blind\"}");
	ck_assert_has(json(), "\"timeline\":\"blind\",\"size_bytes\":null");
	ck_assert_has(status(), "blind: cannot be inspected\n");
}

TEST(no_timeline_is_no_fault)
{
	d->target_count = 0;
	ck_assert_has(prometheus(), "\ntimelined_timelines 0\n");
	ck_assert_lacks(text.data, "\ntimeline_");
	ck_assert_has(json(), "\"timelines\":[]}");
	ck_assert_has(status(), "0 attached");
	d->target_count = 1;
}

TEST(the_levels_that_are_open_are_said)
{
	ck_assert_ok(timeline_priority(tl, "info"));
	ck_assert_has(prometheus(), "priority=\"debug\"} 0\n");
	ck_assert_has(text.data, "\ntimeline_threshold_level{timeline=\"");
	ck_assert_has(status(), "; logs info\n");
	ck_assert_ok(timeline_burst(tl, "trace", UINT64_C(60000000000)));
	ck_assert_has(status(), "; logs trace for ");
	ck_assert_has(text.data, " more, then info\n");
	ck_assert_ok(timeline_priority(tl, "off"));
	ck_assert_has(status(), "then nothing\n");
}

TEST(status_is_for_a_person)
{
	section.keep_ns = UINT64_C(60000000000);
	ck_assert_has(status(), "timelined " TIMELINE_VERSION);
	ck_assert_has(text.data, " of CPU");
	ck_assert_has(text.data, "/nonexistent/timelined.conf; 0 reloads");
	ck_assert_has(text.data, "  history    ");
	ck_assert_has(text.data, " of 1m00s");
}

/* == recordings == */

static const char *
recordings(void)
{
	tl_text_clear(&text);
	tl_metrics_record(&text, d);
	ck_assert_int_eq(text.rc, 0);
	return tl_text_string(&text);
}

/* Run the loop until the metrics contain a text. */
static void
wait_for_recording(const char *what)
{
	const double until = service_now_s() + RECORD_PATIENCE_S;

	while (!strstr(recordings(), what) && service_now_s() < until) {
		ev_run(d->loop, EVRUN_NOWAIT);
		usleep(1000);
	}
	ck_assert_has(recordings(), what);
}

static void
record_to(const char *directory)
{
	const struct tl_config_record how = { .on = true,
		.directory = directory,
		.flush_ns = 1000000 };
	struct tl_fault fault = { 0 };

	ck_assert_msg(tl_record_new(&target->record, d, target->name,
			  target->tl->fd, false, &how, &fault) == 0,
	    "%s", fault.text);
}

TEST(what_is_not_recorded_is_not_spoken_of)
{
	ck_assert_str_eq(recordings(), "{\"recordings\":[]}\n");
	ck_assert_lacks(prometheus(), "timeline_record_");
	ck_assert_has(json(), "\"record_failing\":null");
	ck_assert_lacks(status(), "recording");
}

TEST(what_is_recorded_is_told_with_its_file)
{
	struct timeline_event *event;

	record_to(folder);
	ck_assert_ok(timeline_define(tl, "a", "fatal", "$a", &event));
	for (int i = 0; i < 5; i++)
		timeline_log(event, i);
	wait_for_recording("\"entries\":5,\"lost\":0,\"files\":1,\"bytes\":");
	ck_assert_has(text.data, "{\"recordings\":[{\"timeline\":\"");
	ck_assert_has(text.data, "\"path\":\"/tmp/test-service-");
	ck_assert_has(text.data, ".trace\",\"error\":null}]}\n");
	ck_assert_has(status(), "recording  5 entries, 0 lost; 1 file, ");
	ck_assert_has(json(), "\"record_failing\":0");
	tl_record_free(target->record);
}

TEST(why_nothing_is_recorded_is_told)
{
	struct timeline_event *event;
	char file[80];

	snprintf(file, sizeof(file), "%s/file", folder);
	close(open(file, O_CREAT | O_WRONLY, 0600));
	record_to(file);
	ck_assert_ok(timeline_define(tl, "a", "fatal", "$a", &event));
	timeline_log(event, 1);
	wait_for_recording("\"path\":null,\"error\":\"Not a directory\"}");
	ck_assert_has(status(), "; FAILS: Not a directory\n");
	ck_assert_has(json(), "\"record_failing\":1");
	tl_record_free(target->record);
}

/* The loop goes on while the last file is written. */
TEST(a_recording_that_ends_holds_nothing_up)
{
	const double until = service_now_s() + RECORD_PATIENCE_S;
	struct timeline_event *event;

	record_to(folder);
	ck_assert_ptr_nonnull(d->crew);
	ck_assert_ok(timeline_define(tl, "a", "fatal", "$a", &event));
	timeline_log(event, 1);
	tl_record_end(target->record);
	ck_assert_ptr_nonnull(d->ending);
	while (d->ending && service_now_s() < until) {
		ev_run(d->loop, EVRUN_NOWAIT);
		usleep(1000);
	}
	ck_assert_ptr_null(d->ending);
	ck_assert_uint_eq(d->record_count, 0);
	ck_assert_ptr_null(d->crew);
}

TEST(a_recording_that_could_not_begin_is_no_less_said)
{
	target->record_rc = -EMFILE;
	call_it("a\"<b>\n\xff");
	ck_assert_has(recordings(),
	    "{\"timeline\":\"a\\\"<b>\\n\xef\xbf\xbd\",\"entries\":0,");
	ck_assert_has(text.data, "\"error\":\"Too many open files\"");
	ck_assert_has(status(), "0 bytes; FAILS: Too many open files\n");
	ck_assert_has(json(), "\"record_failing\":1");
}
