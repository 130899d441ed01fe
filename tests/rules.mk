# SPDX-License-Identifier: Apache-2.0
# How tests are built.  tests/run runs them, tests/README.md names them.

TEST_LIB := $(patsubst %.c,$(B)/obj/%.o,$(wildcard tests/lib/*.c))
# A program for each layer and program of ours: all of tests/unit/LAYER.  Files
# that replace functions of libc are programs of their own, LAYER_FILE.
ALONE	 := convert/replace daemon/snapshots_faults snap/knots snap/stopped
ALONE_C	 := $(ALONE:%=tests/unit/%.c)
UNITS_OF = $(filter-out $(ALONE_C),$(wildcard tests/unit/$(1)/*.c))
UNIT	 := $(foreach l,$(LAYERS) $(BUILT),\
	    $(if $(call UNITS_OF,$(l)),$(B)/tests/unit/$(l))\
	    $(foreach a,$(filter $(l)/%,$(ALONE)),\
	    $(B)/tests/unit/$(subst /,_,$(a))))
ifneq ($(filter asm,$(LOG)),)
UNIT	 += $(B)/tests/unit/asm
endif
PROCESS	 := $(patsubst %.c,$(B)/%,$(wildcard tests/process/*.c))
FUZZERS	 := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
REPLAY	 := $(B)/tests/fuzz/replay
BENCHES	 := $(patsubst %.c,$(B)/bench/%,$(notdir $(wildcard tests/bench/*.c)))
TOOLHELP := $(patsubst %.c,$(B)/%,$(wildcard tests/tool/*.c \
	    tests/daemon/*.c tests/faults/scribble.c))
EXAMPLES := $(patsubst %.c,$(B)/%,$(wildcard examples/*.c))
EXAMPLES_CXX := $(patsubst %.cc,$(B)/%,$(wildcard examples/*.cc))

# its readers of a live file are stopped between two words
$(B)/tests/unit/snap_stopped: TL_LDFLAGS += -Wl,--wrap=pread \
    -Wl,--wrap=nanosleep
$(B)/tests/tool/make_biased: TL_LDFLAGS += -lm
# Without optimisation the tests of functions compile in half the time.
# tests/process, asm and bench log as an optimised program does.
$(foreach d,unit lib tool daemon faults fuzz,$(B)/obj/tests/$(d)/%.o): \
    TL_CFLAGS += -O0 -U_FORTIFY_SOURCE
$(B)/obj/tests/unit/%.o: TL_CPPFLAGS += -Itests $(LUA_CFLAGS)
$(B)/obj/tests/lib/%.o $(B)/obj/tests/asm/%.o: TL_CPPFLAGS += -Itests

# $(call unit,PROGRAM,LAYER,SOURCE...)
define unit
$(B)/tests/unit/$(1): $(patsubst %.c,$(B)/obj/%.o,$(3)) $(TEST_LIB) $(OBJ_$(2)) \
    $(B)/stamp/objects_$(2)
	@mkdir -p $$(@D); echo "  LD      $$@"
	@$(CC) -o $$@ $$(filter %.o %.a,$$^) $$(TL_LDFLAGS) $$(LDFLAGS) \
	    $(CHECK_LIBS) $(LIBS_$(2)) $(LUA_LIBS) $(FORMAT_LIBS)
endef
$(foreach l,$(LAYERS) $(BUILT),\
  $(eval $(call unit,$(l),$(l),$(call UNITS_OF,$(l)))))
$(foreach a,$(ALONE),$(eval $(call unit,$(subst /,_,$(a)),$(firstword \
  $(subst /, ,$(a))),tests/unit/$(a).c)))
$(B)/tests/unit/asm: $(B)/obj/tests/asm/log.o $(TEST_LIB) \
    $(wildcard tests/asm/*.S) $(LAYERS_trace)
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -Iinclude -Iasm -o $@ $(filter %.o %.S %.a,$^) $(TL_LDFLAGS) $(LDFLAGS) \
	    $(CHECK_LIBS)
# examples that read
READING	 := $(B)/examples/read $(B)/examples/slowest
$(PROCESS) $(TOOLHELP) $(filter-out $(READING),$(EXAMPLES)): \
    $(B)/%: $(B)/obj/%.o $(B)/lib/libtimeline.a
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -o $@ $(filter %.o,$^) $(TL_LDFLAGS) $(LDFLAGS) $(B)/lib/libtimeline.a -lpthread
$(READING): $(B)/examples/%: $(B)/obj/examples/%.o $(B)/lib/libtimeline-read.a
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -o $@ $^ $(TL_LDFLAGS) $(LDFLAGS) -lzstd -lpthread
$(EXAMPLES_CXX): $(B)/examples/%: examples/%.cc examples/example.h \
    $(wildcard include/*) $(B)/lib/libtimeline.a
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CXX) -std=c++17 -O2 -g -Wall -Wextra $(if $(WERROR),-Werror) -Iinclude -o $@ \
	    $< $(TL_LDFLAGS) $(LDFLAGS) $(B)/lib/libtimeline.a -lpthread
$(BENCHES): $(B)/bench/%: $(B)/obj/tests/bench/%.o $(B)/lib/libtimeline.so.$(VERSION)
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -o $@ $(filter %.o %.a,$^) $(TL_LDFLAGS) $(LDFLAGS) -L$(B)/lib -ltimeline \
	    -Wl,-rpath,'$$ORIGIN/../lib' -lpthread
# every fuzzer, its entry under a name of its own: replay NAME FILE...
$(B)/obj/tests/fuzz/fuzz_%.o: TL_CPPFLAGS += $(LUA_CFLAGS) \
    -DLLVMFuzzerTestOneInput=$(*F)
$(B)/obj/tests/fuzz/replay.o: TL_CPPFLAGS += -I$(B)/tests/fuzz
$(FUZZERS:%=$(B)/obj/tests/fuzz/fuzz_%.o) $(B)/obj/tests/fuzz/replay.o: \
    $(B)/tests/fuzz/fuzzers.def
$(B)/tests/fuzz/fuzzers.def: FORCE
	@mkdir -p $(@D); printf 'FUZZER(%s)\n' $(FUZZERS) | cmp -s - $@ || \
	    printf 'FUZZER(%s)\n' $(FUZZERS) >$@
$(REPLAY): $(FUZZERS:%=$(B)/obj/tests/fuzz/fuzz_%.o) \
    $(B)/obj/tests/fuzz/replay.o $(ARCHIVES)
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -o $@ $(filter %.o %.a,$^) $(TL_LDFLAGS) $(LDFLAGS) $(LUA_LIBS) $(FORMAT_LIBS) -lpthread

tests: $(UNIT) $(PROCESS) $(REPLAY) $(TOOLHELP)
examples: $(EXAMPLES) $(EXAMPLES_CXX)
# touch a file, see the verdict: make t T=take, make t T='a_lane_*', make t
# T=tool:4_damage builds what the test needs and runs it (tests/one)
t:
	@MAKE='$(MAKE)' tests/one $(B) '$(T)'
check-unit: $(UNIT)
	@tests/run $(B) unit $(UNIT)
check: arrows headers all tests examples
	@tests/run $(B) all $(UNIT)

# ... and every repetition without rseq and under valgrind
check-all:
	@$(MAKE) ALL=1 check
# Does --why find the cause?  200 traces with one, 200 without
check-why: all
	@tests/why/run $(B) 200 200

# Everything beside LOAD busy loops, TIMES often: a test that fails under load
# is a defect of the test or of the product.
TIMES	 ?= 1
LOAD	 ?= 4
check-loaded: all tests examples
	@pids=; for i in $$(seq $(LOAD)); do \
	  sh -c 'while :; do :; done' & pids="$$pids $$!"; done; \
	trap 'kill $$pids' EXIT; red=0; \
	for i in $$(seq $(TIMES)); do echo "  LOADED  $$i of $(TIMES)"; \
	  TEST_SECONDS=3600 tests/run $(B) all $(UNIT) || red=$$((red + 1)); done; \
	echo "$$(($(TIMES) - red)) passed, $$red failed"; [ $$red = 0 ]

# One or two lines of the product changed at a time: do the tests notice?
# make mutants T='name name' for some of them
mutants: all
	@CC='$(CC)' tests/mutants/run $(B) $(T)

# What another compiler, its optimisation or LOG=c, the C twin of the assembly,
# may break: whatever logs, and the tools.
LOGGERS	 := $(foreach l,ring front snap,$(filter $(B)/tests/unit/$(l)%,$(UNIT)))
check-built: all $(LOGGERS) $(PROCESS) $(TOOLHELP)
	@tests/run $(B) built $(LOGGERS)

# One build of the C twin by clang is for the sanitized tests and for the fuzzers.
# tests/fuzz/corpus/NAME goes through make check with plain gcc; this is the search
# itself: make fuzz T=name SECONDS=60
SANITIZED := CC=clang SAN=address,undefined LOG=c OPT='-O1 -g'
SECONDS	 ?= 60
SEARCHED := $(patsubst %,$(B)/fuzz/%,$(if $(T),$(filter $(FUZZERS),$(T)),$(FUZZERS)))
ifneq ($(and $(findstring clang,$(CC)),$(findstring address,$(SAN))),)
$(B)/obj/src/%.o: TL_CFLAGS += -fsanitize=fuzzer-no-link
$(B)/obj/tests/%.o: TL_CPPFLAGS += -D__SANITIZE_ADDRESS__ # as gcc says it
endif
ifeq ($(SAN),)
check-sanitized fuzz:
	@$(MAKE) $(SANITIZED) $@
else
# What a sanitizer is to see: every layer, the daemon and the tools
check-sanitized: tools tests
	@tests/run $(B) sanitized $(UNIT)
fuzz: $(SEARCHED)
	@tests/fuzz/run $(SECONDS) $^
endif
$(B)/fuzz/%: $(B)/obj/tests/fuzz/fuzz_%.o $(ARCHIVES)
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -o $@ $^ -fsanitize=fuzzer -Wl,--defsym=LLVMFuzzerTestOneInput=fuzz_$* \
	    $(TL_LDFLAGS) $(LDFLAGS) $(LUA_LIBS) $(FORMAT_LIBS) -lpthread

# what is made on the way stays
.SECONDARY:

# an arrow between layers may only point left
arrows:
	@awk -v layers="$(LAYERS)" -v programs="$(PROGRAMS)" -f tests/arrows.awk \
	    $(CODE) $(HEADS)
# each public header compiles alone, in C and in C++; each of ours in C
headers:
	@for h in $(wildcard include/*.h); do \
	  $(CC) -std=c11 -Wall -Wextra -Wpedantic -Werror -Iinclude \
	    -fsyntax-only -x c $$h && \
	  $(CXX) -Wall -Wextra -Werror -Iinclude -fsyntax-only -x c++ $$h \
	    || exit 1; done
	@$(CXX) -std=c++17 -Wall -Wextra -Werror -Iinclude -fsyntax-only -x c++ \
	    include/timeline.hpp
	@printf '%s\n' $(HEADS) | xargs -P "$$(nproc)" -n 1 $(CC) \
	  $(filter-out -MMD -MP,$(TL_CPPFLAGS)) $(LUA_CFLAGS) -std=c11 -Wall \
	  -Wextra -Werror -fsyntax-only -x c

.PHONY: t tests examples check check-all check-sanitized check-unit check-loaded check-built mutants fuzz \
    arrows headers

# ThreadSanitizer sees C only and not through ck_pr: the twin and the
# compiler's atomics.  Without the releases it must find a race, or the
# check proves nothing.
TSAN	 := SAN=thread LOG=c
check-threads:
	@$(MAKE) -s $(TSAN) B=$(B)/sound $(B)/sound/tests/process/threads \
	    $(B)/sound/tests/unit/trace
	@$(MAKE) -s $(TSAN) B=$(B)/unsound CPPFLAGS=-DTL_WORD_NO_RELEASE \
	    $(B)/unsound/tests/process/threads
	@p=0; f=0; for t in process/threads 'unit/trace recorder_files:' \
	    'unit/trace chain_recorder:'; do \
	  if TSAN_OPTIONS=exitcode=66 $(B)/sound/tests/$$t >$(B)/log 2>&1; then \
	    echo "  ok      $$t: no race"; p=$$((p + 1)); \
	  else cat $(B)/log; f=$$((f + 1)); fi; done; \
	TSAN_OPTIONS=exitcode=66 $(B)/unsound/tests/process/threads \
	  >/dev/null 2>&1; if [ $$? = 66 ]; then p=$$((p + 1)); \
	  echo "  ok      threads without releases: the race is found"; \
	else f=$$((f + 1)); fi; \
	echo "$$p passed, $$f failed"; [ $$f = 0 ]
.PHONY: check-threads
