/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.c - every request gets the right answer, whoever sends it, and no client
 * holds up the loop.
 */
#include "daemon/serve/http.h"
#include "base/array.h"
#include "daemon/serve/listen.h"
#include "lib/golden.h"
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

/* Put a line with $TIMELINE, $PORT and $MACHINE replaced, and no escapes. */
static void
put_replaced(struct tl_text *out, const char *text)
{
	char port[16], machine[128] = "", *copy = strdup(text);
	const char *const names[][2] = { { "$TIMELINE", fixture_name + 1 },
		{ "$PORT", port }, { "$MACHINE", machine } };

	copy[golden_unescape(copy, strlen(copy))] = '\0';
	snprintf(port, sizeof(port), "%u", tl_http_port(http));
	gethostname(machine, sizeof(machine) - 1);
	for (const char *c = copy; *c; c++) {
		size_t i = 0;

		while (i < TL_COUNT(names) &&
		       strncmp(c, names[i][0], strlen(names[i][0])) != 0)
			i++;
		if (i == TL_COUNT(names)) {
			tl_put_char(out, *c);
			continue;
		}
		tl_put_string(out, names[i][1]);
		c += strlen(names[i][0]) - 1;
	}
	free(copy);
}

/* Print a header of the answer, if it is there; the port of a cookie is no. */
static void
put_header(struct tl_text *out, const char *name)
{
	const char *at = strstr(answer_text, name);
	const char *cookie = strstr(name, "timelined_");

	if (!at || at > strstr(answer_text, "\r\n\r\n"))
		return;
	at += strlen(name);
	if (cookie) {
		ck_assert_uint_eq(strtoul(at, NULL, 10), tl_http_port(http));
		at += strspn(at, "0123456789");
	}
	tl_put_format(out, ", %s%.*s", name, (int)strcspn(at, "\r"), at);
}

/*
 * Ask, and print the status and some headers.  A line is the request, and
 * headers between " | ": auth, host and ours stand for several, none for none;
 * a request without headers has host and auth.  Other lines:
 *	try REQUEST	any answer, and then one to GET /timelines.json
 *	snapshots	how many were taken
 *	no_token	the daemon has none
 */
static void
run_line(struct tl_text *out, const char *line)
{
	static const char *const expanded[][2] = { { "auth", AUTHORIZED },
		{ "host", "Host: localhost\r\n" }, { "ours", OURS },
		{ "none", "" } };
	struct tl_text what = { 0 }, headers = { 0 };
	char *copy = strdup(line), *next = copy;
	const bool any = strncmp(line, "try ", 4) == 0;
	size_t known;

	if (strcmp(line, "snapshots") == 0) {
		tl_put_format(out, " = %d", (int)target->counts.snapshots);
	} else if (strcmp(line, "no_token") == 0) {
		d->token[0] = '\0';
	} else {
		for (char *part = copy; part; part = next) {
			next = strstr(part, " | ");
			if (next) {
				*next = '\0';
				next += 3;
			}
			for (known = 0; known < TL_COUNT(expanded); known++)
				if (strcmp(part, expanded[known][0]) == 0)
					break;
			if (part == copy) {
				put_replaced(&what, part + (any ? 4 : 0));
			} else if (known < TL_COUNT(expanded)) {
				tl_put_string(&headers, expanded[known][1]);
			} else {
				put_replaced(&headers, part);
				tl_put_string(&headers, "\r\n");
			}
		}
		ask_with(tl_text_string(&what),
		    strstr(line, " | ") ? tl_text_string(&headers)
					: "Host: localhost\r\n" AUTHORIZED);
		if (any)
			ask("GET /timelines.json");
		tl_put_format(out, " = %d", status_of(answer_text));
		if (status_of(answer_text) != 400) { /* that of microhttpd */
			ck_assert_has(answer_text, "nosniff");
			ck_assert_has(answer_text, "Cache-Control: no-store");
			ck_assert_has(answer_text, "default-src 'none'");
		}
		if (status_of(answer_text) != 200)
			ck_assert_lacks(answer_text, TOKEN);
		else if (*line == 'P')
			ck_assert_has(answer_text,
			    "\"path\":\"/tmp/test-service-");
		put_header(out, "Content-Type: ");
		put_header(out, "Allow: ");
		put_header(out, "WWW-Authenticate: ");
		put_header(out, "Set-Cookie: timelined_");
	}
	tl_text_free(&what);
	tl_text_free(&headers);
	free(copy);
}

TEST_LINES(answers, "tests/unit/daemon/http.cases", run_line);

TEST(each_thing_has_its_text)
{
	ck_assert_has(ask("GET /metrics"), "\ntimelined_build_info{version=\"");
	ck_assert_has(ask("GET /metrics.json"), "\r\n\r\n{\"version\":\"");
	ck_assert_has(ask("GET /timelines.json"), fixture_name + 1);
	ck_assert_has(ask("GET /recordings.json"),
	    "\r\n\r\n{\"recordings\":[]}\n");
	ck_assert_has(ask("GET /"), "<html");
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

TEST(a_configured_name_is_ours)
{
	struct tl_tcp_address at;
	struct tl_fault fault = { 0 };

	ck_assert_ok(tl_tcp_address_parse(&at, "probe.example:9464", &fault));
	ck_assert(tl_host_is_ours(&at, "Probe.Example:9464"));
	ck_assert(!tl_host_is_ours(&at, "other.example:9464"));
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

/* Metrics are public: they must contain no text of a message. */
TEST(metrics_hold_no_text_of_a_message)
{
	struct timeline_event *event;

	ck_assert_ok(timeline_define(tl, "secretcategory", "fatal",
	    "secretmessage $secretname", &event));
	timeline_log(event, 7);
	ck_assert_lacks(ask("GET /metrics"), "secret");
}

TEST(the_address_of_the_page_has_the_token)
{
	struct tl_text address = { 0 };
	char what[256];

	tl_http_put_address(&address, http);
	snprintf(what, sizeof(what), "http://127.0.0.1:%u/?token=" TOKEN,
	    tl_http_port(http));
	ck_assert_str_eq(tl_text_string(&address), what);
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
