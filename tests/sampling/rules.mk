# SPDX-License-Identifier: Apache-2.0
# make check-sampling: are totals from slots right, under load too?
# TRIALS=48 SECONDS=3 is the acceptance; CELLS= chooses.
TRIALS	 ?= 12
SECONDS_ ?= $(or $(SECONDS),1.5)

$(B)/tests/sampling/cell: $(B)/obj/tests/sampling/cell.o $(B)/lib/libtimeline.a
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -o $@ $(filter %.o,$^) $(TL_LDFLAGS) $(LDFLAGS) $(B)/lib/libtimeline.a \
	    -lpthread -lm

check-sampling: all $(B)/tests/sampling/cell
	@tests/sampling/run $(B) $(TRIALS) $(SECONDS_)
.PHONY: check-sampling
