# SPDX-License-Identifier: Apache-2.0
# make bench, or one part of it: make bench-append.  Figures tell, none fails.

BENCH_PARTS := append workers define save dump
BENCH_PROGRAMS := $(BENCH_PARTS) peer_ours
BENCH_LIB := $(patsubst %,$(B)/obj/tests/bench/%.o,bench crew subject)

$(patsubst %,$(B)/bench/%,$(BENCH_PROGRAMS)): $(BENCH_LIB)
bench: $(patsubst %,bench-%,$(BENCH_PARTS)) $(B)/bench/peer_ours
$(patsubst %,bench-%,$(BENCH_PARTS)): bench-%: $(B)/bench/%
	@$<
bench-dump: tools

.PHONY: bench $(patsubst %,bench-%,$(BENCH_PARTS))
.NOTPARALLEL: bench
