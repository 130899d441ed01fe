# SPDX-License-Identifier: Apache-2.0
# The clock under a second kernel that is mistreated: needs qemu-system-x86,
# cpio and a Linux kernel in /boot (or GUEST_KERNEL=FILE); says so without.
GUEST	 := $(B)/tests/guest/init
GUEST_OBJECTS := $(patsubst %.c,$(B)/obj/%.o,$(wildcard tests/guest/*.c) \
	    src/daemon/calibrator.c src/daemon/clock_sampler.c)

$(GUEST): $(GUEST_OBJECTS) $(LAYERS_trace)
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -static -o $@ $^ -Wl,-z,relro,-z,now -l:libev.a -lm -lpthread

# SEED=N plays the schedule of that number
check-guest: $(GUEST)
	@SEED=$(SEED) tests/guest/run $(B) || [ $$? = 77 ]
.PHONY: check-guest
