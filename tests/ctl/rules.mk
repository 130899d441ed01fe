# SPDX-License-Identifier: Apache-2.0
# Helpers of the tests of timelinectl: plain C, nothing of ours is linked.
CTLHELP	 := $(patsubst %.c,$(B)/%,$(wildcard tests/ctl/*.c))

$(CTLHELP): $(B)/%: $(B)/obj/%.o
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -o $@ $< $(TL_LDFLAGS) $(LDFLAGS)
tests: $(CTLHELP)
