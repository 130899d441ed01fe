/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timelogger.h - write TimeLogger files byte by byte, for tests.
 */
#ifndef TESTS_LIB_TIMELOGGER_H
#define TESTS_LIB_TIMELOGGER_H

#include "foreign_file.h"

static inline void
put_record(uint8_t type, int32_t id, int64_t ns)
{
	put_n(type, 1);
	put_n((uint32_t)id, 4);
	put_n((uint64_t)ns, 8);
}

static inline void
put_source_bytes(int32_t id, int64_t ns, const char *name, size_t size)
{
	put_record(0, id, ns);
	put_utf_bytes(name, size);
}

static inline void
put_source(int32_t id, int64_t ns, const char *name)
{
	put_source_bytes(id, ns, name, strlen(name));
}

static inline void
put_open(int32_t id, int64_t ns)
{
	put_record(1, id, ns);
}

static inline void
put_close(int32_t id, int64_t ns)
{
	put_record(2, id, ns);
}

#endif
