/* SPDX-License-Identifier: Apache-2.0 */
/* http_address.c - parse, listen, and tell our own name from a foreign one. */
#include "daemon/http_address.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PORT_LAST = 65535 };

/* Cut HOST, [HOST], HOST:PORT or [HOST]:PORT in two; port is empty where
 * there is none.  False: it is none of these, or too long. */
static bool
split(const char *text, struct tl_http_address *address)
{
	const bool bracket = *text == '[';
	const char *host = text + bracket;
	const char *end = strchr(host, bracket ? ']' : ':');
	const char *port = end ? end + bracket : "";

	if (!end && bracket)
		return false;
	if (!end)
		end = host + strlen(host);
	if (*port != '\0' && *port++ != ':')
		return false;
	if ((size_t)(end - host) >= sizeof(address->host) ||
	    strlen(port) >= sizeof(address->port) ||
	    strspn(port, "0123456789") != strlen(port))
		return false;
	memcpy(address->host, host, (size_t)(end - host));
	address->host[end - host] = '\0';
	memcpy(address->port, port, strlen(port) + 1);
	return true;
}

int
tl_http_address_parse(struct tl_http_address *address, const char *text,
    struct tl_fault *fault)
{
	uint64_t port;

	if (!split(text, address) || !address->host[0] ||
	    tl_parse_unsigned(address->port, &port) != 0)
		return tl_fault(fault, -EINVAL, TL_FAULT_NOWHERE,
		    "cannot listen on \"%.100s\": it is not ADDRESS:PORT, as "
		    "in 127.0.0.1:9464 or [::1]:9464",
		    text);
	if (port > PORT_LAST)
		return tl_fault(fault, -EINVAL, TL_FAULT_NOWHERE,
		    "cannot listen on \"%.100s\": there is no port above 65535",
		    text);
	return 0;
}

static int
listen_on(const struct addrinfo *info)
{
	const int one = 1;
	const int fd = socket(info->ai_family,
	    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
	int rc;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (info->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 &&
	    listen(fd, SOMAXCONN) == 0)
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

int
tl_http_address_listen(const struct tl_http_address *address, int *fd,
    struct tl_fault *fault)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	const bool six = strchr(address->host, ':') != NULL;
	struct addrinfo *info;
	int rc = getaddrinfo(address->host, address->port, &hints, &info);

	if (rc != 0)
		return tl_fault(fault, -EADDRNOTAVAIL, TL_FAULT_NOWHERE,
		    "cannot listen on \"%.100s\": %s", address->host,
		    gai_strerror(rc));
	rc = listen_on(info);
	freeaddrinfo(info);
	if (rc < 0)
		return tl_fault(fault, rc, TL_FAULT_NOWHERE,
		    "cannot listen on %s%.100s%s:%s: %s", six ? "[" : "",
		    address->host, six ? "]" : "", address->port,
		    strerror(-rc));
	*fd = rc;
	return 0;
}

/* Four numbers, or an address of IPv6 in its brackets. */
static bool
is_address(const char *host, bool bracket)
{
	struct in6_addr in;

	return inet_pton(bracket ? AF_INET6 : AF_INET, host, &in) == 1;
}

bool
tl_http_host_is_ours(const struct tl_http_address *address, const char *host)
{
	struct tl_http_address asked;
	char machine[TL_HTTP_HOST_MAX] = "";

	if (!split(host, &asked) || !asked.host[0])
		return false;
	if (is_address(asked.host, *host == '['))
		return true;
	if (*host == '[')
		return false;
	gethostname(machine, sizeof(machine) - 1);
	return strcasecmp(asked.host, "localhost") == 0 ||
	       strcasecmp(asked.host, address->host) == 0 ||
	       strcasecmp(asked.host, machine) == 0;
}

bool
tl_http_origin_is(const char *origin, const char *host)
{
	static const char scheme[] = "http://";

	return strncmp(origin, scheme, sizeof(scheme) - 1) == 0 &&
	       strcasecmp(origin + sizeof(scheme) - 1, host) == 0;
}
