# SPDX-License-Identifier: Apache-2.0
# The program that writes made-up events for foreign readers: tests/convert/run.
WRITE_VIEWERS := $(B)/tests/convert/write_viewers

$(WRITE_VIEWERS): $(B)/obj/tests/convert/write_viewers.o $(ARCHIVES)
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -o $@ $(filter %.o %.a,$^) $(TL_LDFLAGS) $(LDFLAGS) $(FORMAT_LIBS) -lpthread

tests: $(WRITE_VIEWERS)

# Foreign readers that npm has.  The builds with sanitizers share those of the
# plain one.  Where npm or a network is missing their cases are skipped: the
# next make tries again.
NPM	 := $(if $(filter build/%,$(B)),build,$(B))/npm
NPM_FLAGS := --prefer-offline --ignore-scripts --no-bin-links --no-audit --no-fund \
	    --no-update-notifier --loglevel=error --fetch-retries=1 \
	    --fetch-retry-mintimeout=1000 --fetch-timeout=60000

npm: $(NPM)/installed
$(NPM)/installed: $(addprefix tests/convert/npm/,package.json package-lock.json)
	@mkdir -p $(@D); echo "  NPM     $(@D)"
	@cp $^ $(@D); cd $(@D); rm -f $(@F); \
	if npm ci $(NPM_FLAGS) >log 2>&1; then touch $(@F); \
	else echo "  skip    no programs from npm: $$(grep -m1 . log)"; fi
check: npm
.PHONY: npm
