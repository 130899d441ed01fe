/* SPDX-License-Identifier: Apache-2.0 */
/* speedscope.c - profiles of threads and sources. */
#include "format/stacks/speedscope.h"
#include "lib/random.h"
#include "lib/spans_written.h"
#include "lib/test.h"

#include <unistd.h>

static void
setup(void)
{
	start_writer(tl_speedscope_write_new);
}

#define HEAD \
	"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"," \
	"\"exporter\":\"timeline\",\"shared\":{\"frames\":["

TEST_FILE(.setup = setup, .timeout = 60);

TEST(threads_and_sources_are_profiles)
{
	begin(&a, 1795202658123456789, 1);
	begin(&lock, 1795202658123456790, 1);
	begin(&b, 1795202658123456791, 1);
	end(&lock, 1795202658123456792, 2);
	end(&b, 1795202658123456793, 1);
	end(&a, 1795202658123456799, 1);
	check_written(HEAD
	    "\n{\"name\":\"net: a\"},\n{\"name\":\"net: lock\"},"
	    "\n{\"name\":\"net: b x and y\"}]},\"profiles\":["
	    "\n{\"type\":\"evented\",\"name\":\"41/1\",\"unit\":"
	    "\"nanoseconds\",\"startValue\":0,\"endValue\":10,\"events\":["
	    "\n{\"type\":\"O\",\"frame\":0,\"at\":0},"
	    "\n{\"type\":\"O\",\"frame\":2,\"at\":2},"
	    "\n{\"type\":\"C\",\"frame\":2,\"at\":4},"
	    "\n{\"type\":\"C\",\"frame\":0,\"at\":10}]},"
	    "\n{\"type\":\"evented\",\"name\":\"lock\",\"unit\":"
	    "\"nanoseconds\",\"startValue\":0,\"endValue\":10,\"events\":["
	    "\n{\"type\":\"O\",\"frame\":1,\"at\":1},"
	    "\n{\"type\":\"C\",\"frame\":1,\"at\":3}]}]}\n",
	    "-95 - the arguments of a message are left out\n");
}

TEST(no_spans_are_an_empty_profile)
{
	end(&a, 5, 1);
	check_written(HEAD
	    "]},\"profiles\":[\n"
	    "{\"type\":\"evented\",\"name\":\"spans\",\"unit\":\"nanoseconds\","
	    "\"startValue\":0,\"endValue\":0,\"events\":[]}]}\n",
	    "-95 - an end without a begin is left out\n");
}

TEST(what_is_open_ends_last)
{
	begin(&a, 5, 0);
	begin(&c, 6, 2);
	end(&c, 9, 2);
	check_written(HEAD
	    "\n{\"name\":\"net: a\"},\n{\"name\":\"net: c\"}]},\"profiles\":["
	    "\n{\"type\":\"evented\",\"name\":\"spans\",\"unit\":"
	    "\"nanoseconds\",\"startValue\":0,\"endValue\":4,\"events\":["
	    "\n{\"type\":\"O\",\"frame\":0,\"at\":0},"
	    "\n{\"type\":\"C\",\"frame\":0,\"at\":4}]},"
	    "\n{\"type\":\"evented\",\"name\":\"41/2\",\"unit\":"
	    "\"nanoseconds\",\"startValue\":0,\"endValue\":4,\"events\":["
	    "\n{\"type\":\"O\",\"frame\":1,\"at\":1},"
	    "\n{\"type\":\"C\",\"frame\":1,\"at\":4}]}]}\n",
	    "-95 - a begin without an end ends last\n");
}

/* What speedscope asks of a profile: time goes on, the frame that closes is
 * the one that opened last, nothing stays open. */
static const char check_program[] =
    "import json, sys\n"
    "f = json.load(open(sys.argv[1], encoding=\"utf-8\"))\n"
    "n = 0\n"
    "for p in f[\"profiles\"]:\n"
    "    stack, at = [], p[\"startValue\"]\n"
    "    for e in p[\"events\"]:\n"
    "        assert at <= e[\"at\"] <= p[\"endValue\"]\n"
    "        at = e[\"at\"]\n"
    "        n += 1\n"
    "        assert f[\"shared\"][\"frames\"][e[\"frame\"]][\"name\"]\n"
    "        if e[\"type\"] == \"O\":\n"
    "            stack.append(e[\"frame\"])\n"
    "        else:\n"
    "            assert stack.pop() == e[\"frame\"]\n"
    "    assert not stack\n"
    "assert n > 1000, n\n";

/* Any order of begins and ends, any bytes in names. */
TEST(python_finds_what_speedscope_asks)
{
	const struct tl_message *const messages[] = { &a, &b, &c, &lock };
	char path[] = "/tmp/test_format_speedscope.XXXXXX", command[1200];
	char odd[256];
	uint64_t state = 3;
	int fd;

	if (system("command -v python3 >/dev/null") != 0) {
		fputs("skipped: no python3 to read with\n", stderr);
		foreign_free(&f);
		return;
	}
	for (size_t i = 0; i < sizeof(odd); i++)
		odd[i] = (char)i;
	a.category = tl_bytes(odd, sizeof(odd));
	for (int64_t i = 0; i < 4000; i++)
		put_event(random_below(&state, 2) ? TL_BEGIN : TL_END,
		    messages[random_below(&state, 4)],
		    i * 10 - (int64_t)random_below(&state, 40),
		    (uint32_t)random_below(&state, 3));
	ck_assert_int_eq(f.writer->sink.finish(&f.writer->sink), 0);
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, f.out.data, f.out.size),
	    (ssize_t)f.out.size);
	close(fd);
	snprintf(command, sizeof(command), "python3 -c '%s' %s", check_program,
	    path);
	ck_assert_int_eq(system(command), 0);
	unlink(path);
	foreign_free(&f);
}
