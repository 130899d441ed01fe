# SPDX-License-Identifier: Apache-2.0
# Packages: make deb, make rpm, which build a copy of the tree below build/, as it
# is in this folder, and need no network; and make amalgamation.
PACKED	 := Makefile src asm lua include examples tests/rules.mk README.md \
	    CHANGELOG.md LICENSE
DEB	 := $(B)/deb
RPM	 := $(B)/rpm

# $(call missing,COMMAND...): report those that are not installed
missing	 = @for c in $(1); do command -v $$c >/dev/null || { echo \
	    "$$c: not found; make deps-packages" >&2; exit 1; }; done

deb:
	$(call missing,dpkg-buildpackage dh)
	@rm -rf $(DEB) && mkdir -p $(DEB)/timeline-$(VERSION) && \
	  tar -c $(PACKED) | tar -x -C $(DEB)/timeline-$(VERSION) && \
	  cp -r src/packaging/debian $(DEB)/timeline-$(VERSION)
	@cd $(DEB)/timeline-$(VERSION) && env -u MAKEFLAGS -u MAKELEVEL -u FLAGS \
	  dpkg-buildpackage -b -us -uc -j"$$(nproc)" >../log 2>&1 || \
	  { tail -30 ../log; exit 1; }
	@rm -rf $(DEB)/timeline-$(VERSION); for p in $(DEB)/*.deb; do \
	  echo "  DEB     $$p"; done

rpm:
	$(call missing,rpmbuild)
	@rm -rf $(RPM) && mkdir -p $(RPM)/SOURCES
	@tar -czf $(RPM)/SOURCES/timeline-$(VERSION).tar.gz \
	  --transform 's|^|timeline-$(VERSION)/|' $(PACKED)
	@env -u MAKEFLAGS -u MAKELEVEL -u FLAGS rpmbuild -bb $(RPMFLAGS) --define "_topdir $(abspath $(RPM))" \
	  src/packaging/timeline.spec >$(RPM)/log 2>&1 || \
	  { tail -30 $(RPM)/log; exit 1; }
	@for p in $(RPM)/RPMS/*/*.rpm; do echo "  RPM     $$p"; done

# == the amalgamation: what logs as three files that need a C library only ==
# These files define the functions of timeline.h, and what they call.
WRITER	 := $(addprefix src/,\
	    $(addprefix base/,file number table text time) \
	    $(addprefix clock/,calibrate calibrate_tail clock rate trust) \
	    $(addprefix event/,levels message) \
	    $(addprefix ring/,check create define epoch error exits ids layout level \
	    log_c machine memory names open priority record strings timer) \
	    $(addprefix snap/,parts take timers))
WRITER	 := $(WRITER:%=%.c)
WRITER_ASM := asm/log.S asm/timer.S
AMALGAMATION := $(B)/amalgamation
# the commit, unless this folder is not the top of a repository
COMMIT	 = $(shell [ "$$(git rev-parse --show-toplevel 2>/dev/null)" = \
	    "$(CURDIR)" ] && git describe --always --dirty --abbrev=12)
# $(call one_of,NAME,FILE...)
one_of	 = awk -v name=$(1) -v version="$(strip $(VERSION) $(COMMIT))" \
	    -v asm="$(WRITER_ASM)" -f src/packaging/amalgamation.awk $(2) \
	    >$(AMALGAMATION)/$(1)

amalgamation:
	@rm -rf $(AMALGAMATION) && mkdir -p $(AMALGAMATION)
	@{ $(call one_of,timeline.h,include/timeline.h) && \
	  $(call one_of,timeline.c,$(WRITER)) && \
	  $(call one_of,timeline_log.S,$(WRITER_ASM)) && \
	  $(CC) -std=c11 -O2 -Wall -Wextra -Werror -fsyntax-only \
	  $(AMALGAMATION)/timeline.c; } || { rm -rf $(AMALGAMATION); exit 1; }
	@for f in timeline.c timeline.h timeline_log.S; do \
	  echo "  MADE    $(AMALGAMATION)/$$f"; done

.PHONY: deb rpm amalgamation
