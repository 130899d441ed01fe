# SPDX-License-Identifier: Apache-2.0
# Packages: make deb, make rpm.  Both build a copy of the tree below build/, as
# it is in this folder, and need no network.
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

.PHONY: deb rpm
