# SPDX-License-Identifier: Apache-2.0
# make bench, or one part of it: make bench-append.  Figures tell, none fails.

BENCH_PARTS := append
BENCH_LIB := $(patsubst %,$(B)/obj/tests/bench/%.o,bench subject)

$(patsubst %,$(B)/bench/%,$(BENCH_PARTS)): $(BENCH_LIB)
bench: $(patsubst %,bench-%,$(BENCH_PARTS))
$(patsubst %,bench-%,$(BENCH_PARTS)): bench-%: $(B)/bench/%
	@$<

.PHONY: bench $(patsubst %,bench-%,$(BENCH_PARTS))
