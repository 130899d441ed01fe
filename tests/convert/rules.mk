# SPDX-License-Identifier: Apache-2.0
# The program that writes made-up events for foreign readers: tests/convert/run.
WRITE_VIEWERS := $(B)/tests/convert/write_viewers

$(WRITE_VIEWERS): $(B)/obj/tests/convert/write_viewers.o $(OBJ_format)
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -o $@ $(filter %.o,$^) $(LDFLAGS) $(FORMAT_LIBS) -lpthread

tests: $(WRITE_VIEWERS)
