/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notify.h - tell whoever supervises us (systemd) what we are doing.  Where
 * nobody does, $NOTIFY_SOCKET is not set and nothing here does anything; a
 * message that cannot be sent is lost.
 */
#ifndef TL_DAEMON_NOTIFY_H
#define TL_DAEMON_NOTIFY_H

#include <stdint.h>

/* Everything runs: at the start, and after each reload. */
void tl_notify_ready(void);
void tl_notify_reloading(void);
void tl_notify_stopping(void);
/* One line for `systemctl status`. */
void
tl_notify_status(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* How often tl_notify_alive is awaited at least, or we are killed; 0: nobody
 * waits.  Half of it is a good interval. */
uint64_t tl_notify_watchdog_ns(void);
void tl_notify_alive(void);

#endif
