# SPDX-License-Identifier: Apache-2.0
# make truth: what the tools print, held against what programs did.
# SECONDS=1800 CASE=glob SEED=n STRICT=1
$(B)/tests/truth/generate: $(B)/obj/tests/truth/generate.o \
    $(B)/lib/libtimeline.a
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -o $@ $^ $(TL_LDFLAGS) $(LDFLAGS) -lpthread
# the library of the tools that are asked: LD_LIBRARY_PATH
$(B)/tests/truth/read: $(B)/obj/tests/truth/read.o $(READ_SO)
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -o $@ $(filter %.o,$^) $(TL_LDFLAGS) $(LDFLAGS) -L$(B)/lib \
	    -ltimeline-read

truth: all $(B)/tests/truth/generate $(B)/tests/truth/read
	@CASE='$(CASE)' SEED='$(SEED)' STRICT='$(STRICT)' tests/truth/run $(B) $(SECONDS)
.PHONY: truth
