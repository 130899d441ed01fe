# SPDX-License-Identifier: Apache-2.0
# make bench, or one part of it: make bench-append.  Figures tell, none fails.
# append-static is append without a dynamic linker between it and the library.

BENCH_PARTS := append append-static workers define save dump daemon front \
    format trace record kernel
BENCH_LIB := $(patsubst %,$(B)/obj/tests/bench/%.o,bench crew subject)
BENCH_BUILT := $(patsubst %,$(B)/bench/%,$(BENCH_PARTS)) \
    $(B)/bin/timeline-dump $(B)/bin/timelined $(B)/bin/timelinectl

# a loop of seven instructions costs half as much again where it straddles
# what the CPU fetches at once
$(B)/obj/tests/bench/%.o: TL_CFLAGS += -falign-loops=64

$(patsubst %,$(B)/bench/%,$(filter-out append-static,$(BENCH_PARTS))): $(BENCH_LIB)
$(B)/bench/append-static: $(B)/obj/tests/bench/append.o $(BENCH_LIB) \
    $(B)/lib/libtimeline.a
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -o $@ $^ $(TL_LDFLAGS) $(LDFLAGS) -lpthread

# readers and writers are in no library
$(B)/bench/format: $(patsubst %,$(B)/obj/tests/bench/%.o,stream place child) \
    $(ARCHIVES)
$(B)/bench/format $(B)/bench/trace: TL_LDFLAGS += $(FORMAT_LIBS)
$(B)/bench/trace: $(patsubst %,$(B)/obj/tests/bench/%.o,stream place child \
    self) $(ARCHIVES)
$(B)/bench/record: $(B)/obj/tests/bench/place.o
$(B)/bench/kernel: $(ARCHIVES)
bench-record: $(B)/bin/timelinectl
# between servers of its own, which it does without where they are not
$(B)/bench/ship: $(BENCH_LIB) $(B)/obj/tests/bench/place.o
BENCH_SHIP := tests/ship/with_cluster 3 $(B)/bench/ship
bench-ship: $(B)/bench/ship $(B)/bin/timeline-ship
	@$(BENCH_SHIP) || [ $$? = 77 ]

# one after the other: two at once would measure each other
bench: $(BENCH_BUILT) $(B)/bench/ship tools lib lua
	@for part in $(BENCH_PARTS); do $(B)/bench/$$part || exit 1; done
	@$(MAKE) --no-print-directory B=$(B) bench-ship bench-luajit
$(patsubst %,bench-%,$(BENCH_PARTS)): bench-%: $(B)/bench/%
	@$<
bench-dump: $(B)/bin/timeline-dump
bench-daemon: $(B)/bin/timelined
bench-luajit: lib lua
	@if command -v $(LUAJIT) >/dev/null; then \
	  echo '# luajit: cycles, median [least..greatest]'; \
	  LD_LIBRARY_PATH=$(B)/lib LUA_PATH="$(B)/share/lua/5.1/?.lua;;" \
	  $(LUAJIT) tests/bench/luajit_call.lua; \
	  else echo '# luajit: not installed'; fi

# ours beside tracers and loggers that Debian packages: make bench-peers [PEERS='dpdk qb']
$(B)/obj/tests/bench/peers/%.o: TL_CPPFLAGS += -Itests/bench
$(B)/bench/peers/timeline: $(patsubst %,$(B)/obj/tests/bench/peers/%.o,timeline peer) \
    $(BENCH_LIB) $(B)/lib/libtimeline.so.$(VERSION)
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -o $@ $(filter %.o,$^) $(TL_LDFLAGS) $(LDFLAGS) -L$(B)/lib -ltimeline \
	    -Wl,-rpath,'$$ORIGIN/../../lib' -lpthread
bench-peers: $(B)/bench/peers/timeline
	@CC='$(CC)' tests/bench/peers/run $(B) $(PEERS)

# what tracers claim about spans of known durations:
# make bench-truth [TRACERS='ours lttng'] [RUNS=5] [MS=700] [SHAPES='ring kill']
bench-truth: tools lib
	@CC='$(CC)' RUNS='$(RUNS)' MS='$(MS)' SHAPES='$(SHAPES)' \
	    tests/bench/truth/run $(B) $(TRACERS)

.PHONY: bench bench-ship bench-luajit bench-peers bench-truth $(patsubst %,bench-%,$(BENCH_PARTS))

# make bench-compare REV=main~3 [PARTS='append front'] [ROUNDS=3]
bench-compare:
	@ROUNDS=$(ROUNDS) tests/bench/compare $(REV) $(PARTS)
.PHONY: bench-compare
