// SPDX-License-Identifier: Apache-2.0
//
// spdlog.cc - spdlog: text, into a ring in memory; and, by another thread, into
// a file.  The queue to that thread is full after 8192 events, so what is measured
// is a burst that is longer than the queue: the caller waits.
#include "peer.h"

#include <memory>
#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/spdlog.h>
#include <string>
#include <unistd.h>

namespace
{
enum { RING_MESSAGES = 1 << 16 };

std::shared_ptr<spdlog::logger> logger;

void *
start_ring()
{
	logger = std::make_shared<spdlog::logger>("ring",
	    std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(RING_MESSAGES));
	return logger.get();
}

void *
start_file()
{
	const std::string file =
	    "/dev/shm/bench-peers-spdlog-" + std::to_string(getpid());

	logger = spdlog::basic_logger_mt<spdlog::async_factory>("file", file);
	unlink(file.c_str());
	return logger.get();
}

void
log_four(void *it, long n)
{
	auto *log = static_cast<spdlog::logger *>(it);

	for (long i = 0; i < n; i++)
		log->info("processed {}, {}, {} and {}", i, 2L, 3L, 4L);
}

void
log_closed(void *it, long n)
{
	auto *log = static_cast<spdlog::logger *>(it);

	for (long i = 0; i < n; i++)
		log->debug("processed {}, {}, {} and {}", i, 2L, 3L, 4L);
}
}

int
main(int argc, char **argv)
{
	const bool ring = argc > 1 && std::string(argv[1]) == "ring";
	const peer it = { ring ? "spdlog to memory"
			       : "spdlog to a file",
		20000, ring ? start_ring : start_file, log_four, log_closed };

	peer_run(&it);
	return 0;
}
