# SPDX-License-Identifier: Apache-2.0
# The program that makes pages for tests/page/run.
MAKE_PAGE := $(B)/tests/page/make_page

$(MAKE_PAGE): $(B)/obj/tests/page/make_page.o $(ARCHIVES)
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -o $@ $(filter %.o %.a,$^) $(TL_LDFLAGS) $(LDFLAGS) $(LUA_LIBS) $(FORMAT_LIBS) \
	    -lpthread

tests: $(MAKE_PAGE)
