/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.c - every request gets the right answer, whoever sends it, and no client
 * holds up the loop.
 */
#include "daemon/serve/http.h"
#include "base/array.h"
#include "daemon/serve/listen.h"
#include "lib/test.h"
#include "service_fixture.h"

#define TOKEN      "0123456789abcdef0123456789abcdef"
#define AUTHORIZED "Authorization: Bearer " TOKEN "\r\n"
#define OURS       "Host: localhost:9464\r\nX-Timeline: 1\r\n" AUTHORIZED

static struct tl_http *http;

static void
setup(void)
{
	struct tl_fault fault = { 0 };

	service_open();
	strcpy(d->token, TOKEN);
	ck_assert_msg(tl_http_new(&http, d, "127.0.0.1:0", &fault) == 0, "%s",
	    fault.text);
	ck_assert_uint_ne(tl_http_port(http), 0);
}

static void
teardown(void)
{
	tl_http_free(http);
	service_close();
}

static int
connect_to(unsigned port)
{
	const struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&at, sizeof(at)),
	    0);
	return fd;
}

/* Send "METHOD PATH" with additional headers; returns the whole answer. */
static const char *
ask_with(const char *what, const char *headers)
{
	static char request[1 << 20];
	const int fd = connect_to(tl_http_port(http));

	snprintf(request, sizeof(request),
	    "%s HTTP/1.1\r\nConnection: close\r\n%s\r\n", what, headers);
	service_send(fd, request, strlen(request));
	return service_read(fd);
}

static const char *
ask(const char *what)
{
	return ask_with(what, "Host: localhost\r\n" AUTHORIZED);
}

static int
status_of(const char *answer)
{
	int status = 0;

	sscanf(answer, "HTTP/1.1 %d", &status);
	return status;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST(each_thing_has_its_type)
{
	ck_assert_has(ask("GET /metrics"),
	    "Content-Type: text/plain; version=0.0.4");
	ck_assert_has(answer_text, "\ntimelined_build_info{version=\"");
	ck_assert_has(ask("GET /metrics.json"),
	    "Content-Type: application/json");
	ck_assert_has(answer_text, "\r\n\r\n{\"version\":\"");
	ck_assert_has(ask("GET /timelines.json"), fixture_name + 1);
	ck_assert_has(ask("GET /recordings.json"),
	    "\r\n\r\n{\"recordings\":[]}\n");
	ck_assert_has(answer_text, "Content-Type: application/json");
	ck_assert_has(ask("GET /"), "Content-Type: text/html");
	ck_assert_has(answer_text, "<html");
}

TEST(every_answer_is_locked_down)
{
	static const char *const asked[] = { "GET /", "GET /metrics",
		"GET /nothing", "PUT /metrics", "POST /snapshot" };

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		ck_assert_has(ask(asked[i]), "nosniff");
		ck_assert_has(answer_text, "Cache-Control: no-store");
		ck_assert_has(answer_text, "default-src 'none'");
	}
}

TEST(what_is_not_there_is_not_found)
{
	ck_assert_int_eq(status_of(ask("GET /nothing")), 404);
	ck_assert_int_eq(status_of(ask("GET /metrics/")), 404);
	ck_assert_int_eq(status_of(ask("GET //")), 404);
	ck_assert_int_eq(status_of(ask("GET /../etc/passwd")), 404);
	ck_assert_int_eq(status_of(ask("DELETE /nothing")), 404);
}

TEST(another_method_is_told_which)
{
	ck_assert_int_eq(status_of(ask("POST /metrics")), 405);
	ck_assert_has(answer_text, "Allow: GET, HEAD");
	ck_assert_int_eq(status_of(ask("DELETE /")), 405);
	ck_assert_int_eq(status_of(ask("GET /snapshot")), 405);
	ck_assert_has(answer_text, "Allow: POST");
}

TEST(head_has_the_length_and_no_body)
{
	const char *body = strstr(ask("HEAD /timelines.json"), "\r\n\r\n");
	char length[64];

	ck_assert_int_eq(status_of(answer_text), 200);
	ck_assert_ptr_nonnull(body);
	ck_assert_str_eq(body, "\r\n\r\n");
	snprintf(length, sizeof(length), "Content-Length: %zu\r\n",
	    strlen(fixture_name + 1) + strlen("[\"\"]\n"));
	ck_assert_has(answer_text, length);
}

static int
status_for_host(const char *host)
{
	char line[512];

	snprintf(line, sizeof(line), "Host: %s\r\n" AUTHORIZED, host);
	return status_of(ask_with("GET /timelines.json", line));
}

TEST(only_our_own_names_are_answered)
{
	static const char *const ours[] = { "127.0.0.1", "127.0.0.1:9464",
		"localhost", "LocalHost:80", "[::1]", "[::1]:9464",
		"192.168.0.7:1" };
	static const char *const foreign[] = { "evil.example",
		"evil.example:9464", "127.0.0.1.evil.example",
		"localhost.evil.example", "[evil]", "[127.0.0.1]", "[::1",
		"::1", "1.2.3", "0x7f000001", "localhost:80:80", "[::1]x",
		"127.0.0.1:a", ":80", "localhost." };
	char machine[128] = "";

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		ck_assert_msg(status_for_host(ours[i]) == 200, "%s", ours[i]);
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		ck_assert_msg(status_for_host(foreign[i]) == 403, "%s",
		    foreign[i]);
	gethostname(machine, sizeof(machine) - 1);
	ck_assert_int_eq(status_for_host(machine), 200);
}

TEST(a_configured_name_is_ours)
{
	struct tl_tcp_address at;
	struct tl_fault fault = { 0 };

	ck_assert_ok(tl_tcp_address_parse(&at, "probe.example:9464", &fault));
	ck_assert(tl_host_is_ours(&at, "Probe.Example:9464"));
	ck_assert(!tl_host_is_ours(&at, "other.example:9464"));
}

TEST(a_page_of_elsewhere_saves_nothing)
{
	char what[128];

	snprintf(what, sizeof(what), "POST /snapshot?timeline=%s",
	    fixture_name + 1);
	ck_assert_int_eq(status_of(ask(what)), 403);
	ck_assert_int_eq(status_of(
			     ask_with(what, "Host: localhost\r\nX-Timeline: "
					    "2\r\n" AUTHORIZED)),
	    403);
	ck_assert_int_eq(status_of(ask_with(what,
			     OURS "Origin: http://evil.example\r\n")),
	    403);
	ck_assert_int_eq(status_of(ask_with(what, OURS "Origin: null\r\n")),
	    403);
	ck_assert_int_eq(status_of(ask_with(what,
			     OURS "Origin: https://localhost:9464\r\n")),
	    403);
	ck_assert_int_eq(status_of(ask_with(what,
			     OURS "Origin: http://localhost\r\n")),
	    403);
	ck_assert_uint_eq(target->counts.snapshots, 0);
}

TEST(a_page_of_elsewhere_reads_nothing)
{
	static const char *const urls[] = { "GET /", "GET /metrics",
		"HEAD /metrics", "GET /metrics.json", "GET /live.json",
		"GET /timelines.json", "GET /nothing" };

	for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		ck_assert_int_eq(status_of(ask_with(urls[i],
				     OURS "Origin: http://evil.example\r\n")),
		    403);
		ck_assert_int_eq(status_of(ask_with(urls[i],
				     OURS "Sec-Fetch-Site: cross-site\r\n")),
		    403);
	}
	ck_assert_int_eq(status_of(ask_with("GET /metrics",
			     OURS "Sec-Fetch-Site: same-origin\r\n")),
	    200);
	ck_assert_int_eq(status_of(ask_with("GET /metrics",
			     OURS "Sec-Fetch-Site: none\r\n")),
	    200);
}

TEST(our_page_saves_a_snapshot_and_hears_where)
{
	char what[128];

	snprintf(what, sizeof(what), "POST /snapshot?timeline=%s",
	    fixture_name + 1);
	ck_assert_int_eq(status_of(ask_with(what,
			     OURS "Origin: http://localhost:9464\r\n")),
	    200);
	ck_assert_has(answer_text, "\"path\":\"/tmp/test-service-");
	ck_assert_uint_eq(target->counts.snapshots, 1);
	ck_assert_int_eq(status_of(ask_with(what, OURS)), 200);
	ck_assert_uint_eq(target->counts.snapshots, 2);
}

TEST(a_snapshot_of_nothing_says_so)
{
	ck_assert_int_eq(status_of(ask_with("POST /snapshot", OURS)), 400);
	ck_assert_int_eq(status_of(
			     ask_with("POST /snapshot?timeline=none", OURS)),
	    404);
}

TEST(who_leaves_before_the_snapshot_is_done_harms_nobody)
{
	const int fd = connect_to(tl_http_port(http));
	char request[256];

	snprintf(request, sizeof(request),
	    "POST /snapshot?timeline=%s HTTP/1.1\r\n" OURS "\r\n",
	    fixture_name + 1);
	service_send(fd, request, strlen(request));
	close(fd);
	ck_assert_int_eq(status_of(ask("GET /metrics")), 200);
	service_turn();
}

/* The daemon ends in teardown while a client waits for a snapshot. */
TEST(an_end_while_a_snapshot_waits_is_clean)
{
	const int fd = connect_to(tl_http_port(http));
	char request[256];

	snprintf(request, sizeof(request),
	    "POST /snapshot?timeline=%s HTTP/1.1\r\n" OURS "\r\n",
	    fixture_name + 1);
	service_send(fd, request, strlen(request));
	for (int i = 0; i < 3; i++)
		ev_run(d->loop, EVRUN_NOWAIT);
	tl_http_free(http);
	http = NULL;
	service_turn();
	close(fd);
}

/* Request entries without waiting for the answer. */
static int
ask_entries(void)
{
	const int fd = connect_to(tl_http_port(http));
	char request[256];

	snprintf(request, sizeof(request),
	    "GET /live.json?timeline=%s HTTP/1.1\r\nConnection: close\r\n" OURS
	    "\r\n",
	    fixture_name + 1);
	service_send(fd, request, strlen(request));
	return fd;
}

TEST(an_end_while_entries_are_read_is_clean)
{
	int fds[8];

	for (size_t i = 0; i < TL_COUNT(fds); i++)
		fds[i] = ask_entries();
	for (int i = 0; i < 3; i++)
		ev_run(d->loop, EVRUN_NOWAIT);
	tl_http_free(http);
	http = NULL;
	service_turn();
	for (size_t i = 0; i < TL_COUNT(fds); i++)
		close(fds[i]);
}

TEST(who_does_not_wait_for_entries_holds_up_nobody)
{
	char what[128];

	for (int i = 0; i < 20; i++)
		close(ask_entries());
	snprintf(what, sizeof(what), "GET /live.json?timeline=%s",
	    fixture_name + 1);
	ck_assert_int_eq(status_of(ask(what)), 200);
}

TEST(more_answers_than_may_wait_are_refused)
{
	int fds[100], refused = 0;

	for (size_t i = 0; i < TL_COUNT(fds); i++)
		fds[i] = ask_entries();
	for (size_t i = 0; i < TL_COUNT(fds); i++) {
		const int status = status_of(service_read(fds[i]));

		ck_assert(status == 200 || status == 503);
		refused += status == 503;
	}
	ck_assert_int_le(refused, 36);
	ck_assert_int_eq(status_of(ask("GET /metrics")), 200);
}

TEST(the_page_gets_its_entries)
{
	struct timeline_event *event;
	char what[128];

	ck_assert_ok(timeline_define(tl, "web", "fatal", "seen ", &event));
	timeline_log(event, 7);
	snprintf(what, sizeof(what), "GET /live.json?timeline=%s&after=&max=10",
	    fixture_name + 1);
	ck_assert_int_eq(status_of(ask(what)), 200);
	ck_assert_has(answer_text, "\"next\":\"");
	ck_assert_has(answer_text, "seen ");
}

TEST(all_entries_are_counted_from_the_first_question_on)
{
	struct timeline_event *event;
	char what[128];

	ck_assert_ok(timeline_define(tl, "web", "fatal", "counted ", &event));
	timeline_log(event);
	snprintf(what, sizeof(what), "GET /summary.json?timeline=%s",
	    fixture_name + 1);
	ck_assert_int_eq(status_of(ask(what)), 200);
	ck_assert_has(answer_text, "\"text\":\"counted \"");
	ck_assert_has(answer_text, "\"level\":9,\"kind\":1,\"builtin\":0,");
	for (int i = 0; i < 20; i++)
		timeline_log(event);
	ck_assert_int_eq(status_of(ask(what)), 200);
	ck_assert_has(answer_text, "\"count\":21,\"observed\":21,");
	ck_assert_has(answer_text, "\"total\":21,\"total_lost\":0");
	snprintf(what, sizeof(what), "GET /why.json?timeline=%s&message=none",
	    fixture_name + 1);
	ck_assert_int_eq(status_of(ask(what)), 200);
	ck_assert_has(answer_text, "\"causes\":[]");
}

TEST(a_question_about_entries_that_makes_no_sense_is_refused)
{
	char what[256];

	ck_assert_int_eq(status_of(ask("GET /live.json")), 400);
	ck_assert_int_eq(status_of(ask("GET /summary.json")), 400);
	ck_assert_int_eq(status_of(ask("GET /why.json?timeline=none")), 404);
	snprintf(what, sizeof(what), "GET /why.json?timeline=%s",
	    fixture_name + 1);
	ck_assert_int_eq(status_of(ask(what)), 400);
	snprintf(what, sizeof(what), "GET /summary.json?timeline=%s&from=x",
	    fixture_name + 1);
	ck_assert_int_eq(status_of(ask(what)), 400);
	snprintf(what, sizeof(what),
	    "GET /summary.json?timeline=%s&from=5&to=1&measure_from="
	    "18446744073709551615",
	    fixture_name + 1);
	ck_assert_int_eq(status_of(ask(what)), 200);
	ck_assert_int_eq(status_of(ask("GET /live.json?timeline=none")), 404);
	ck_assert_int_eq(status_of(ask("GET /live.json?timeline=")), 404);
	ck_assert_int_eq(status_of(
			     ask("GET /live.json?timeline=../../etc/passwd")),
	    404);
	snprintf(what, sizeof(what), "GET /live.json?timeline=%s&max=many",
	    fixture_name + 1);
	ck_assert_int_eq(status_of(ask(what)), 400);
	snprintf(what, sizeof(what),
	    "GET /live.json?timeline=%s&max=99999999999&after=x:y,9:99999999999"
	    "999999999999",
	    fixture_name + 1);
	ck_assert_int_eq(status_of(ask(what)), 200);
}

TEST(broken_requests_break_nothing)
{
	static const char *const broken[] = { "GET /%zz", "GET /%", "GET /%0",
		"GET /%00", "GET /live.json?timeline=%", "GET /?%=%&=&&&",
		"GET /live.json?timeline=a%00b", "GET /metrics?",
		"GET \xff\xfe", "G\x01T /", "GET", "", "GET / / / /" };

	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		ask(broken[i]);
		ck_assert_int_eq(status_of(ask("GET /timelines.json")), 200);
	}
	ck_assert_int_eq(status_of(ask_with("GET /metrics", "")), 400);
	ck_assert_int_eq(status_of(ask_with("GET /metrics", "Host: \r\n")),
	    403);
}

TEST(a_request_has_a_size)
{
	static char what[300000], line[300000];

	snprintf(what, sizeof(what), "GET /%0250000d", 0);
	ck_assert_int_ge(status_of(ask(what)), 400);
	snprintf(line, sizeof(line), "Host: localhost\r\nX: %0250000d\r\n", 0);
	ck_assert_int_ge(status_of(ask_with("GET /metrics", line)), 400);
	snprintf(line, sizeof(line),
	    OURS "Content-Length: 250000\r\n\r\n%0250000d", 0);
	ck_assert_int_ne(status_of(
			     ask_with("POST /snapshot?timeline=none", line)),
	    200);
	ck_assert_int_eq(status_of(ask("GET /metrics")), 200);
}

TEST(a_silent_client_holds_up_nobody)
{
	enum { SILENT = 40 };
	int silent[SILENT];

	for (int i = 0; i < SILENT; i++) {
		silent[i] = connect_to(tl_http_port(http));
		service_send(silent[i], "GET /metr", i % 9);
	}
	ck_assert_int_eq(status_of(ask("GET /metrics")), 200);
	for (int i = 0; i < SILENT; i++)
		close(silent[i]);
}

static bool
is_open(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 &&
	       (errno == EAGAIN || errno == EWOULDBLOCK);
}

TEST(slow_clients_make_room_for_new_ones)
{
	enum { SLOW = 400, PLACES = 256 };
	int slow[SLOW], left = 0;

	for (int i = 0; i < SLOW; i++) {
		slow[i] = connect_to(tl_http_port(http));
		service_send(slow[i], "GET /metr", 9);
	}
	ck_assert_int_eq(status_of(ask("GET /metrics")), 200);
	service_turn();
	for (int i = 0; i < SLOW; i++)
		left += is_open(slow[i]);
	/* the oldest clients had to go, as many as exceed the places */
	ck_assert_int_le(left, PLACES);
	ck_assert_int_ge(left, PLACES / 2);
	ck_assert(!is_open(slow[0]));
	ck_assert(is_open(slow[SLOW - 1]));
	for (int i = 0; i < SLOW; i++)
		close(slow[i]);
}

TEST(a_request_has_its_time_to_come)
{
	const int fd = connect_to(tl_http_port(http));
	const double from = service_now_s();

	service_send(fd, "GET /metrics HTTP/1.1\r\nX: ", 26);
	while (is_open(fd) && service_now_s() < from + PATIENCE_S) {
		service_turn();
		/* the client is never silent for long */
		service_send(fd, "x", 1);
	}
	ck_assert_double_lt(service_now_s() - from, 20);
	close(fd);
}

TEST(two_hundred_at_once_are_answered)
{
	enum { MANY = 200 };
	static const char request[] =
	    "GET /timelines.json HTTP/1.1\r\nHost: localhost\r\n" AUTHORIZED
	    "Connection: close\r\n\r\n";
	int many[MANY];

	for (int i = 0; i < MANY; i++)
		many[i] = connect_to(tl_http_port(http));
	for (int i = 0; i < MANY; i++)
		service_send(many[i], request, sizeof(request) - 1);
	for (int i = 0; i < MANY; i++)
		ck_assert_int_eq(status_of(service_read(many[i])), 200);
}

TEST(without_the_token_there_are_only_metrics)
{
	static const char *const secret[] = { "GET /", "HEAD /",
		"GET /metrics.json", "GET /timelines.json",
		"GET /recordings.json", "GET /live.json?timeline=none",
		"GET /summary.json?timeline=none",
		"GET /why.json?timeline=none&message=*" };
	char what[128];

	ck_assert_int_eq(status_of(
			     ask_with("GET /metrics", "Host: localhost\r\n")),
	    200);
	for (size_t i = 0; i < sizeof(secret) / sizeof(secret[0]); i++) {
		ask_with(secret[i], "Host: localhost\r\n");
		ck_assert_msg(status_of(answer_text) == 401, "%s", secret[i]);
		ck_assert_has(answer_text, "WWW-Authenticate: Bearer");
		ck_assert_lacks(answer_text, "<html");
		ck_assert_lacks(answer_text, "Set-Cookie");
		ck_assert_lacks(answer_text, TOKEN);
	}
	snprintf(what, sizeof(what), "POST /snapshot?timeline=%s",
	    fixture_name + 1);
	ck_assert_int_eq(status_of(ask_with(what,
			     "Host: localhost\r\nX-Timeline: 1\r\n")),
	    401);
	ck_assert_uint_eq(target->counts.snapshots, 0);
}

/* Metrics are public: they must contain no text of a message. */
TEST(metrics_hold_no_text_of_a_message)
{
	struct timeline_event *event;

	ck_assert_ok(timeline_define(tl, "secretcategory", "fatal",
	    "secretmessage $secretname", &event));
	timeline_log(event, 7);
	ck_assert_lacks(ask("GET /metrics"), "secret");
}

static int
status_for(const char *what, const char *header)
{
	char line[512];

	snprintf(line, sizeof(line), "Host: localhost\r\n%s\r\n", header);
	return status_of(ask_with(what, line));
}

TEST(only_the_whole_token_counts)
{
	static const char *const wrong[] = { "Authorization: Bearer ",
		"Authorization: Bearer 0", "Authorization: " TOKEN,
		"Authorization: Basic " TOKEN,
		"Authorization: Bearer 0123456789abcdef0123456789abcde",
		"Authorization: Bearer 0123456789abcdef0123456789abcdee",
		"Authorization: Bearer 1123456789abcdef0123456789abcdef",
		"Authorization: Bearer 0123456789ABCDEF0123456789ABCDEF",
		"Authorization: Bearer " TOKEN "0",
		"Cookie: timelined_1=" TOKEN, "Cookie: timelined=" TOKEN };
	char cookie[128];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(status_for("GET /timelines.json", wrong[i]) ==
				  401,
		    "%s", wrong[i]);
	snprintf(cookie, sizeof(cookie), "Cookie: timelined_%u=%.31s",
	    tl_http_port(http), TOKEN);
	ck_assert_int_eq(status_for("GET /timelines.json", cookie), 401);
	ck_assert_int_eq(status_for("GET /?token=0123", "X: 1"), 401);
	ck_assert_int_eq(status_for("GET /?token=", "X: 1"), 401);
	/* a token in the address is accepted for the page alone */
	ck_assert_int_eq(status_for("GET /timelines.json?token=" TOKEN, "X: 1"),
	    401);
	/* a daemon without a token accepts no client */
	d->token[0] = '\0';
	ck_assert_int_eq(status_for("GET /", "Authorization: Bearer "), 401);
	ck_assert_int_eq(status_for("GET /?token=", "X: 1"), 401);
}

TEST(the_address_of_the_page_begins_a_session)
{
	struct tl_text address = { 0 };
	char what[256], cookie[128];
	const char *path;

	tl_http_put_address(&address, http);
	snprintf(what, sizeof(what), "http://127.0.0.1:%u/?token=" TOKEN,
	    tl_http_port(http));
	ck_assert_str_eq(tl_text_string(&address), what);
	path = strstr(address.data, "/?");
	snprintf(what, sizeof(what), "GET %s", path);
	snprintf(cookie, sizeof(cookie),
	    "Set-Cookie: timelined_%u=" TOKEN
	    "; Path=/; HttpOnly; SameSite=Strict\r\n",
	    tl_http_port(http));
	ck_assert_int_eq(status_for(what, "X: 1"), 200);
	ck_assert_has(answer_text, "<html");
	ck_assert_has(answer_text, cookie);
	snprintf(cookie, sizeof(cookie), "Cookie: a=b; timelined_%u=" TOKEN,
	    tl_http_port(http));
	ck_assert_int_eq(status_for("GET /timelines.json", cookie), 200);
	ck_assert_int_eq(status_for("GET /", cookie), 200);
	ck_assert_lacks(answer_text, "Set-Cookie");
	/* the host name of another site is refused despite the cookie */
	snprintf(what, sizeof(what), "Host: evil.example\r\n%s\r\n", cookie);
	ck_assert_int_eq(status_of(ask_with("GET /timelines.json", what)), 403);
	tl_text_free(&address);
}

TEST(who_listens_everywhere_is_found_here)
{
	struct tl_text address = { 0 };
	struct tl_fault fault = { 0 };
	struct tl_http *other;
	char wanted[64];

	ck_assert_ok(tl_http_new(&other, d, "0.0.0.0:0", &fault));
	tl_http_put_address(&address, other);
	snprintf(wanted, sizeof(wanted),
	    "http://127.0.0.1:%u/?token=", tl_http_port(other));
	ck_assert_has(tl_text_string(&address), wanted);
	tl_text_free(&address);
	tl_http_free(other);
}

TEST(each_token_is_new)
{
	char a[TL_TOKEN_SIZE], b[TL_TOKEN_SIZE];

	ck_assert_ok(tl_http_make_token(a));
	ck_assert_ok(tl_http_make_token(b));
	ck_assert_uint_eq(strspn(a, "0123456789abcdef"), TL_TOKEN_SIZE - 1);
	ck_assert_str_ne(a, b);
}

static int
connect_to_path(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(at.sun_path, path);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&at, sizeof(at)),
	    0);
	return fd;
}

TEST(the_rights_of_a_socket_stand_for_a_token)
{
	static const char request[] = "GET /timelines.json HTTP/1.1\r\n"
				      "Host: %s\r\nConnection: close\r\n\r\n";
	struct tl_fault fault = { 0 };
	struct tl_http *local;
	char path[80], text[256];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/page.sock", folder);
	ck_assert_msg(tl_http_new(&local, d, path, &fault) == 0, "%s",
	    fault.text);
	ck_assert_uint_eq(tl_http_port(local), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode, S_IFSOCK | 0660);
	fd = connect_to_path(path);
	snprintf(text, sizeof(text), request, "localhost");
	service_send(fd, text, strlen(text));
	ck_assert_int_eq(status_of(service_read(fd)), 200);
	ck_assert_has(answer_text, fixture_name + 1);
	/* a forwarded port can be reached under a foreign name, too */
	fd = connect_to_path(path);
	snprintf(text, sizeof(text), request, "evil.example");
	service_send(fd, text, strlen(text));
	ck_assert_int_eq(status_of(service_read(fd)), 403);
	tl_http_free(local);
	ck_assert_int_ne(stat(path, &st), 0);
}

static void
stop_loop(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void)timer;
	(void)events;
	ev_break(loop, EVBREAK_ALL);
}

TEST(nobody_there_means_no_wakeups)
{
	unsigned before;
	ev_timer stop;

	ck_assert_int_eq(status_of(ask("GET /metrics")), 200);
	service_turn();
	before = ev_iteration(d->loop);
	ev_timer_init(&stop, stop_loop, 0.5, 0);
	ev_timer_start(d->loop, &stop);
	ev_run(d->loop, 0);
	ck_assert_uint_le(ev_iteration(d->loop) - before, 3);
}

static void
refuses_address(const char *address, const char *why)
{
	struct tl_fault fault = { 0 };
	struct tl_http *other;

	ck_assert_msg(tl_http_new(&other, d, address, &fault) < 0, "%s",
	    address);
	ck_assert_has(fault.text, why);
}

TEST(an_address_that_is_none_is_named)
{
	char taken[64];

	refuses_address("127.0.0.1", "\"127.0.0.1\": it is not ADDRESS:PORT");
	refuses_address("", "it is not ADDRESS:PORT");
	refuses_address(":9464", "it is not ADDRESS:PORT");
	refuses_address("::1:9464", "it is not ADDRESS:PORT");
	refuses_address("[::1:9464", "it is not ADDRESS:PORT");
	refuses_address("127.0.0.1:x", "it is not ADDRESS:PORT");
	refuses_address("127.0.0.1:", "it is not ADDRESS:PORT");
	refuses_address("127.0.0.1:65536", "the port is above 65535");
	refuses_address("192.0.2.1:9464", "192.0.2.1:9464: ");
	refuses_address("999.0.0.1:9464", "\"999.0.0.1\"");
	snprintf(taken, sizeof(taken), "127.0.0.1:%u", tl_http_port(http));
	refuses_address(taken, taken);
	ck_assert_int_eq(status_of(ask("GET /metrics")), 200);
}

TEST(the_other_internet_works_too)
{
	struct sockaddr_in6 at = { .sin6_family = AF_INET6,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT };
	static const char request[] =
	    "GET /timelines.json HTTP/1.1\r\nHost: [::1]\r\n" AUTHORIZED
	    "Connection: close\r\n\r\n";
	struct tl_fault fault = { 0 };
	struct tl_http *six;
	int fd;

	if (tl_http_new(&six, d, "[::1]:0", &fault) != 0)
		return; /* this machine has no IPv6 */
	fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	at.sin6_port = htons((uint16_t)tl_http_port(six));
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&at, sizeof(at)),
	    0);
	service_send(fd, request, sizeof(request) - 1);
	ck_assert_int_eq(status_of(service_read(fd)), 200);
	tl_http_free(six);
}
