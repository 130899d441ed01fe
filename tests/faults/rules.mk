# SPDX-License-Identifier: Apache-2.0
# Live files that are scribbled over under ASan and UBSan, which see C only:
# make check-scribble SECONDS=600
SCRIBBLED := $(B)/scribbled
check-scribble:
	@$(MAKE) -s SAN=address,undefined LOG=c B=$(SCRIBBLED) \
	    OPT='-O1 -g -Wno-format-truncation' tools \
	    $(SCRIBBLED)/tests/faults/scribble
	@tests/faults/scribble_run $(SCRIBBLED) $(SECONDS)
.PHONY: check-scribble

# Allocations that fail, one after the other: preloaded.
FAILING	 := $(B)/tests/faults/failing_malloc.so
$(FAILING): tests/faults/failing_malloc.c
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -O2 -g -Wall -Wextra -fPIC -shared -o $@ $<
tests: $(FAILING)
