# SPDX-License-Identifier: Apache-2.0
# A second kernel: its clock is mistreated, its events are recorded.  Needs
# qemu-system-x86, cpio and a Linux kernel in /boot (or GUEST_KERNEL=FILE); says
# so without.
GUEST	 := $(B)/tests/guest/init
GUEST_OBJECTS := $(patsubst %.c,$(B)/obj/%.o,$(wildcard tests/guest/*.c) \
	    src/daemon/calibrator.c src/daemon/clock_sampler.c)

$(GUEST): $(GUEST_OBJECTS) $(LAYERS_trace)
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -static -o $@ $^ -Wl,-z,relro,-z,now -l:libev.a -lm -lpthread

# SEED=N plays the schedule of that number; ONLY=kills or refusals: those cases
# of tests/guest/kernel alone
check-guest: $(GUEST) all $(B)/tests/tool/stalls $(B)/tests/tool/brackets
	@SEED=$(SEED) tests/guest/run $(B) clock || [ $$? = 77 ]
	@tests/guest/run $(B) kernel || [ $$? = 77 ]
.PHONY: check-guest
