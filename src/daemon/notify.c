/* SPDX-License-Identifier: Apache-2.0 */
/* notify.c - tell whoever supervises us (systemd) what we are doing. */
#include "daemon/notify.h"

#include "base/text.h"
#include "clock/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <systemd/sd-daemon.h>
#include <time.h>

enum { STATUS_MAX = 256 };

void
tl_notify_ready(void)
{
	sd_notify(0, "READY=1");
}

/* The time tells this reload from one that began before. */
void
tl_notify_reloading(void)
{
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu",
	    (unsigned long long)tl_clock_read(CLOCK_MONOTONIC) / 1000);
}

void
tl_notify_stopping(void)
{
	sd_notify(0, "STOPPING=1");
}

/* Escaped, so that no text begins another assignment. */
void
tl_notify_status(const char *format, ...)
{
	char line[STATUS_MAX];
	struct tl_text text = { 0 };
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	tl_put_string(&text, "STATUS=");
	tl_put_plain(&text, tl_bytes_of(line));
	sd_notify(0, tl_text_string(&text));
	tl_text_free(&text);
}

uint64_t
tl_notify_watchdog_ns(void)
{
	uint64_t us = 0;

	return sd_watchdog_enabled(0, &us) > 0 ? us * 1000 : 0;
}

void
tl_notify_alive(void)
{
	sd_notify(0, "WATCHDOG=1");
}
