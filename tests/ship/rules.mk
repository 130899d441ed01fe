# SPDX-License-Identifier: Apache-2.0
# The program that stands in for a spool: tests/ship/cases_nats_*.sh.
SHIP_DRIVE := $(B)/tests/ship/drive

$(SHIP_DRIVE): $(B)/obj/tests/ship/drive.o $(OBJ_ship)
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -o $@ $(filter %.o %.a,$^) $(TL_LDFLAGS) $(LDFLAGS) $(LUA_LIBS) $(FORMAT_LIBS) \
	    $(LIBS_ship)

# Hosts that log to each other, by clocks that are wrong: cases_5_hosts.sh.
SHIP_FLEET := $(B)/tests/ship/make_fleet

$(SHIP_FLEET): $(B)/obj/tests/ship/make_fleet.o $(LAYERS_ring)
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -o $@ $(filter %.o %.a,$^) $(TL_LDFLAGS) $(LDFLAGS)

# A server that is far away: cases_nats_1_stream.sh.
SHIP_LINK := $(B)/tests/ship/slow_link

$(SHIP_LINK): $(B)/obj/tests/ship/slow_link.o $(LAYERS_base)
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -o $@ $(filter %.o %.a,$^) $(TL_LDFLAGS) $(LDFLAGS)

tests: $(if $(NATS),$(SHIP_DRIVE)) $(SHIP_FLEET) $(SHIP_LINK)
