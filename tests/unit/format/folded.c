/* SPDX-License-Identifier: Apache-2.0 */
/* folded.c - folded stacks: time by path, whatever spans there are. */
#include "format/stacks/folded.h"
#include "lib/random.h"
#include "lib/spans_written.h"
#include "lib/test.h"

static void
setup(void)
{
	start_writer(tl_folded_write_new);
}

TEST_FILE(.setup = setup, .timeout = 60);

TEST(what_is_too_deep_counts_for_what_is_around_it)
{
	const unsigned deep = TL_FOLDED_DEPTH_MAX + 10;

	for (unsigned i = 0; i < deep; i++)
		begin(&a, i, 1);
	for (unsigned i = 0; i < deep; i++)
		end(&a, deep + i, 1);
	ck_assert_ok(f.writer->sink.finish(&f.writer->sink));
	ck_assert_str_eq(tl_text_string(&f.noted.text),
	    "-95 - a span is too deep: left out (10 times)\n");
	ck_assert_ptr_nonnull(strstr(tl_text_string(&f.out), " 21\n"));
	foreign_free(&f);
}

/* The lines add up to the time in which any span was open. */
TEST(no_time_is_lost_or_counted_twice, .to = 8)
{
	const struct tl_message *const messages[] = { &a, &b, &c };
	uint64_t state = (uint64_t)_i + 1, sum = 0;
	int64_t ns = 0, busy_ns = 0, step;
	unsigned depth = 0;
	uint8_t open[64];

	while (ns < 100000 || depth > 0) {
		const bool opens = ns < 100000 && depth < sizeof(open) &&
				   (depth == 0 || random_below(&state, 2) == 0);

		step = (int64_t)random_below(&state, 100);
		ns += step;
		busy_ns += depth > 0 ? step : 0;
		if (opens)
			open[depth++] = (uint8_t)random_below(&state, 3);
		if (opens)
			begin(messages[open[depth - 1]], ns, 7);
		else
			end(messages[open[--depth]], ns, 7);
	}
	ck_assert_ok(f.writer->sink.finish(&f.writer->sink));
	for (const char *line = tl_text_string(&f.out); *line;
	     line = strchr(line, '\n') + 1) {
		const char *last = strchr(line, '\n');

		while (last[-1] != ' ')
			last--;
		sum += strtoull(last, NULL, 10);
	}
	ck_assert_uint_eq(sum, (uint64_t)busy_ns);
	foreign_free(&f);
}
