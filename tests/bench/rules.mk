# SPDX-License-Identifier: Apache-2.0
# make bench, or one part of it: make bench-append.  Figures tell, none fails.
# append-static is append without a dynamic linker between it and the library.

BENCH_PARTS := append append-static workers define save dump
BENCH_LIB := $(patsubst %,$(B)/obj/tests/bench/%.o,bench crew subject)

$(patsubst %,$(B)/bench/%,$(filter-out append-static,$(BENCH_PARTS)) \
    peer_ours): $(BENCH_LIB)
$(B)/bench/append-static: $(B)/obj/tests/bench/append.o $(BENCH_LIB) \
    $(B)/lib/libtimeline.a
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -o $@ $^ $(LDFLAGS) -lpthread

BENCH_BUILT := $(patsubst %,$(B)/bench/%,$(BENCH_PARTS)) \
    $(B)/bin/timeline-dump

# one after the other: two at once would measure each other
bench: $(BENCH_BUILT) $(B)/bench/peer_ours
	@for part in $(BENCH_PARTS); do $(B)/bench/$$part || exit 1; done
$(patsubst %,bench-%,$(BENCH_PARTS)): bench-%: $(B)/bench/%
	@$<
bench-dump: $(B)/bin/timeline-dump

.PHONY: bench $(patsubst %,bench-%,$(BENCH_PARTS))
