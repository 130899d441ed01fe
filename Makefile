# SPDX-License-Identifier: Apache-2.0
# timeline: one Makefile.  Settings on top, rules below.

# == change here ==
PREFIX	 ?= /usr/local
LIBDIR	 ?= $(PREFIX)/lib
MANDIR	 ?= $(PREFIX)/share/man
COMPDIR	 ?= $(PREFIX)/share/bash-completion/completions
LUAJITDIR ?= $(PREFIX)/share/lua/5.1
LUADIR	 ?= $(LIBDIR)/lua/5.4
UNITDIR	 ?= $(PREFIX)/lib/systemd/system
CC	 := $(if $(filter default,$(origin CC)),gcc,$(CC))
# archives of objects that are optimised when they are linked need its plugin
AR	 := $(if $(findstring gcc,$(CC)),gcc-ar,$(if $(findstring flto,$(OPT)),llvm-ar,ar))
LUAJIT	 ?= luajit
# LOG=c takes the C twin of asm/log.S: sanitizers do not see assembly
LOG	 ?= asm
# SAN=address,undefined or SAN=thread
SAN	 ?=
OPT	 ?= -O2 -g
# WERROR=1 makes every warning an error, as CI does
WERROR	 ?=

# == no need to change below ==
VERSION	 := 0.1.0
SONAME	 := libtimeline.so.0
READ_SONAME := libtimeline-read.so.0
FORMATS_SONAME := libtimeline-formats.so.0

# One order, three uses: includes, link lines, test order.
LAYERS	 := base clock event ring front snap trace source read format analysis kernel script
PROGRAMS := dump ctl convert ship daemon
LIBRARY	 := base clock event ring front snap trace
NAME_dump := timeline-dump
NAME_ctl := timelinectl
NAME_convert := timeline-convert
NAME_ship := timeline-ship
NAME_daemon := timelined

comma	 := ,
variant	 := $(subst $(comma),-,$(SAN))$(if $(filter c,$(LOG)),-c)
B	 := build$(if $(variant),/$(patsubst -%,%,$(variant)))

WARN	 := -Wall -Wextra $(if $(WERROR),-Werror) -Wshadow -Wstrict-prototypes \
	    -Wmissing-prototypes -Wvla -Wpointer-arith -Wcast-qual
# What the project needs; CPPFLAGS, CFLAGS and LDFLAGS are the user's and come
# last, so that they win.  The same sources give the same bytes in any folder.
TL_CPPFLAGS := -Isrc -Iinclude -D_GNU_SOURCE -MMD -MP \
	    $(if $(filter c,$(LOG)),-DTL_LOG_C) $(if $(or $(SAN),$(filter -O0,\
	    $(OPT) $(CFLAGS))),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
TL_CFLAGS := -std=c11 $(OPT) $(WARN) -fPIC -fvisibility=hidden -fcf-protection \
	    -fstack-protector-strong -fno-plt -ffile-prefix-map=$(CURDIR)=. \
	    -ffunction-sections -fdata-sections $(if $(SAN),-fsanitize=$(SAN) \
	    -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
TL_LDFLAGS := -Wl,-z,relro,-z,now,--as-needed,--gc-sections \
	    $(if $(SAN),-fsanitize=$(SAN))
COMPILE	 = $(CC) $(TL_CPPFLAGS) $(CPPFLAGS) $(TL_CFLAGS) $(CFLAGS)
# Libraries are looked for once.  Lua 5.4 has a name of its own on each
# distribution.
FOUND	 := $(shell for p in ck libzstd zlib sqlite3 libzip libnats libcurl \
	    libmicrohttpd libsystemd libcap-ng libseccomp; do \
	    pkg-config --exists $$p 2>/dev/null && echo $$p; done)
LUA_PC	 := $(shell for p in lua5.4 lua-5.4 lua54 lua; do \
	    pkg-config --atleast-version=5.4 $$p 2>/dev/null && \
	    echo $$p && break; done)
LUA_CFLAGS := $(if $(LUA_PC),$(shell pkg-config --cflags $(LUA_PC)))
LUA_LIBS := $(if $(LUA_PC),$(shell pkg-config --libs $(LUA_PC)),-llua5.4) -lm
CHECK_LIBS := $(shell pkg-config --libs check 2>/dev/null || echo -lcheck)

# Optional libraries: "yes" where pkg-config finds one.  "make SQLITE=" leaves
# it out.  What is left out is named once, and says so when it is asked for.
has	 = $(if $(filter-out $(FOUND),$(1)),,yes)
SQLITE	 ?= $(call has,sqlite3)
ZIP	 ?= $(call has,libzip)
NATS	 ?= $(call has,libnats)
CURL	 ?= $(call has,libcurl)
# timelined: libev has no file of pkg-config; the compiler knows its places
EV	 := $(shell $(CC) $(CPPFLAGS) $(CFLAGS) -E -x c -include ev.h /dev/null \
	    >/dev/null 2>&1 && echo yes)
DAEMON	 ?= $(and $(EV),$(call has,libmicrohttpd libsystemd libcap-ng))
# the daemon filters its system calls; sanitizers make calls of their own
SECCOMP	 ?= $(if $(SAN),,$(call has,libseccomp))
# what layers need, and each program more
READER_LIBS := -lzstd -lz $(if $(ZIP),-lzip)
FORMAT_LIBS := $(READER_LIBS) $(if $(SQLITE),-lsqlite3)
LIBS_dump := -lpthread
LIBS_ship := $(if $(NATS),-lnats) $(if $(CURL),-lcurl) -lpthread
LIBS_daemon := -lev -lmicrohttpd -lsystemd -lcap-ng $(if $(SECCOMP),-lseccomp) \
	    -lpthread
FLAGS_daemon := $(if $(SECCOMP),-DTL_SECCOMP)
$(B)/obj/src/daemon/%.o $(B)/obj/tests/unit/daemon/seccomp.o: \
    TL_CPPFLAGS += $(FLAGS_daemon)
ABSENT	 := $(if $(SQLITE),,sqlite) $(if $(ZIP),,zip) \
	    $(if $(NATS),,nats) $(if $(CURL),,curl) $(if $(DAEMON),$(if $(SECCOMP)$(SAN),,seccomp),daemon)
ABSENT_sqlite := --to sqlite: libsqlite3-dev not found, left out; make deps
ABSENT_zip := packed traces: libzip-dev not found, left out; make deps
ABSENT_nats := nats:// of timeline-ship: libnats-dev not found, left out; make deps
ABSENT_curl := clickhouse:// of timeline-ship: libcurl4-openssl-dev not found, \
	    left out; make deps
ABSENT_seccomp := filter of system calls of timelined: libseccomp-dev not found, \
	    left out; make deps
ABSENT_daemon := timelined: libev-dev, libmicrohttpd-dev, libsystemd-dev or \
	    libcap-ng-dev not found, skipped; make deps

all: lib tools lua
	@$(foreach a,$(ABSENT),echo "  SKIP    $(ABSENT_$(a))";) :

# A layer is an archive of all objects below its folder.  LAYERS_x are those of
# x and of everything left of it, in the order in which a linker wants them.
# What needs an optional library has a file absent.c in its place.
LEFT_OUT := $(if $(SQLITE),,src/format/sqlite/%) $(if $(ZIP),,src/trace/pack/%) \
	    $(if $(NATS),,$(addprefix src/ship/nats/,link.% reader.c stream.% \
	    target.c)) $(if $(CURL),,src/ship/click/target.c)
IN_PLACE := $(if $(SQLITE),,src/format/sqlite/absent.c) \
	    $(if $(ZIP),,src/trace/pack/absent.c) \
	    $(if $(NATS),,src/ship/nats/absent.c) \
	    $(if $(CURL),,src/ship/click/absent.c)
BUILT	 := $(filter-out $(ABSENT),$(PROGRAMS))
sources	 = $(shell find src -name '$(1)' | LC_ALL=C sort)
kept	 = $(filter-out $(PROGRAMS:%=src/%/%),$(1)) \
	    $(foreach p,$(BUILT),$(filter src/$(p)/%,$(1)))
CODE	 := $(call kept,$(filter-out %/absent.c $(LEFT_OUT),$(call sources,*.c)) \
	    $(IN_PLACE))
HEADS	 := $(call kept,$(filter-out $(LEFT_OUT),$(call sources,*.h)))
objects_of = $(patsubst %.c,$(B)/obj/%.o,$(filter src/$(1)/%,$(CODE)))
left :=
$(foreach l,$(LAYERS),\
  $(eval OWN_$(l) := $(call objects_of,$(l)))\
  $(if $(and $(filter ring,$(l)),$(filter asm,$(LOG))),\
    $(eval OWN_ring += $(B)/obj/asm/log.o $(B)/obj/asm/timer.o))\
  $(eval left := $(B)/lib/lib$(l).a $(left))\
  $(eval LAYERS_$(l) := $(left)))
ARCHIVES := $(LAYERS_script)
# Tests of a layer see it and what is left of it; those of a program all of it
# but its main.
$(foreach p,$(BUILT),$(eval OBJ_$(p) := \
  $(filter-out %/main.o,$(call objects_of,$(p))) $(ARCHIVES)))
$(foreach l,$(LAYERS),$(eval OBJ_$(l) := $(LAYERS_$(l))))
LIB_OBJECTS := $(foreach l,$(LIBRARY),$(OWN_$(l)))

$(foreach l,script $(PROGRAMS),$(B)/obj/src/$(l)/%.o): \
    TL_CPPFLAGS += $(LUA_CFLAGS)
# The fallback lanes are appended to in C: no canary on that path.
$(B)/obj/src/ring/log_c.o: TL_CFLAGS += -fno-stack-protector
# What everything was compiled and linked with: other flags build all of it
# anew, another place of the tree does not.  What one folder alone is made with,
# or of, has a stamp of its own.
FLAGS	 := $(filter-out -Werror,$(subst $(CURDIR)=.,,$(COMPILE) $(TL_LDFLAGS) \
	    $(LDFLAGS)))
export FLAGS
NEEDED	 := $(if $(call has,ck),,libck-dev) $(if $(LUA_PC),,liblua5.4-dev) \
	    $(if $(call has,libzstd),,libzstd-dev) \
	    $(if $(call has,zlib),,zlib1g-dev)
$(B)/flags: FORCE
	@$(if $(strip $(NEEDED)),echo "not found: $(strip $(NEEDED)); make deps" >&2; exit 1)
	@mkdir -p $(@D); echo "$$FLAGS" | cmp -s - $@ || echo "$$FLAGS" >$@
# $(call stamp,NAME,TEXT): a file that is new where the text is another
define stamp
$(B)/stamp/$(1): FORCE
	@mkdir -p $$(@D); echo '$(2)' | cmp -s - $$@ || echo '$(2)' >$$@
endef
$(foreach p,dump daemon,$(eval $(call stamp,$(p),$(FLAGS_$(p)))))
$(foreach l,$(LAYERS) $(BUILT),$(eval $(call stamp,objects_$(l),\
  $(patsubst $(B)/obj/src/%.o,%,$(call objects_of,$(l))))))
$(call objects_of,dump): $(B)/stamp/dump
$(call objects_of,daemon) $(B)/obj/tests/unit/daemon/seccomp.o: $(B)/stamp/daemon
.PHONY: FORCE

$(B)/obj/%.o: %.c $(B)/flags
	@mkdir -p $(@D); echo "  CC      $<"
	@$(COMPILE) -c -o $@ $<
$(B)/obj/%.o: %.S $(B)/flags
	@mkdir -p $(@D); echo "  AS      $<"
	@$(CC) $(TL_CPPFLAGS) $(CPPFLAGS) -g -ffile-prefix-map=$(CURDIR)=. -c -o $@ $<

$(foreach l,$(LAYERS),$(eval $(B)/lib/lib$(l).a: $(OWN_$(l)) $(B)/stamp/objects_$(l)))
$(ARCHIVES):
	@mkdir -p $(@D); echo "  AR      $@"; rm -f $@; $(AR) rcsP $@ $(filter %.o,$^)

# == the library ==
SO	 := $(B)/lib/libtimeline.so.$(VERSION)
LIBS	 := $(SO) $(B)/lib/libtimeline.a
lib: $(LIBS)

# Its roots are the files that define public functions; they pull in the rest.
SO_ROOTS := $(OWN_ring) $(OWN_front) $(B)/obj/src/snap/take.o \
	    $(B)/obj/src/trace/api.o
$(SO): $(SO_ROOTS) $(LAYERS_trace) src/ring/timeline.map
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -shared -o $@ $(SO_ROOTS) $(LAYERS_trace) $(TL_LDFLAGS) $(LDFLAGS) \
	    -Wl,-soname,$(SONAME) -Wl,-z,nodelete -Wl,-z,noexecstack \
	    -Wl,-Bsymbolic-functions \
	    -Wl,--version-script,src/ring/timeline.map -Wl,--no-undefined
	@ln -sf $(@F) $(@D)/$(SONAME); ln -sf $(SONAME) $(@D)/libtimeline.so
$(B)/lib/libtimeline.a: $(LIB_OBJECTS)
	@mkdir -p $(@D); echo "  AR      $@"; rm -f $@; $(AR) qcs $@ $^

# == the reader library: what a program needs that reads, and zstd ==
READ_SO	 := $(B)/lib/libtimeline-read.so.$(VERSION)
READ_OBJECTS := $(LIB_OBJECTS) $(OWN_source) $(OWN_read)
lib: $(READ_SO) $(B)/lib/libtimeline-read.a

$(READ_SO): $(OWN_read) $(LAYERS_source) src/read/timeline_read.map
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -shared -o $@ $(filter %.o %.a,$^) $(TL_LDFLAGS) $(LDFLAGS) \
	    -Wl,-soname,$(READ_SONAME) -Wl,-z,noexecstack -Wl,--exclude-libs,ALL \
	    -Wl,--version-script,src/read/timeline_read.map -Wl,--no-undefined \
	    -lzstd
	@ln -sf $(@F) $(@D)/$(READ_SONAME); ln -sf $(READ_SONAME) $(@D)/libtimeline-read.so
$(B)/lib/libtimeline-read.a: $(READ_OBJECTS)
	@mkdir -p $(@D); echo "  AR      $@"; rm -f $@; $(AR) qcs $@ $^

# == other formats for it: their readers and what they need; no writer ==
FORMATS_SO := $(B)/lib/libtimeline-formats.so.$(VERSION)
lib: $(FORMATS_SO) $(B)/lib/libtimeline-formats.a

$(FORMATS_SO): $(B)/obj/src/format/reading.o $(LAYERS_format) \
    src/format/timeline_formats.map
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -shared -o $@ $(filter %.o %.a,$^) $(TL_LDFLAGS) $(LDFLAGS) \
	    -Wl,-soname,$(FORMATS_SONAME) -Wl,-z,noexecstack -Wl,--exclude-libs,ALL \
	    -Wl,--version-script,src/format/timeline_formats.map \
	    -Wl,--no-undefined $(READER_LIBS)
	@ln -sf $(@F) $(@D)/$(FORMATS_SONAME); \
	    ln -sf $(FORMATS_SONAME) $(@D)/libtimeline-formats.so
$(B)/lib/libtimeline-formats.a: $(OWN_format)
	@mkdir -p $(@D); echo "  AR      $@"; rm -f $@; $(AR) qcs $@ $^

# == the tools ==
tools: $(foreach p,$(BUILT),$(B)/bin/$(NAME_$(p)))

# $(call program,folder,name)
define program
$(B)/bin/$(2): $(call objects_of,$(1)) $(ARCHIVES) $(B)/stamp/objects_$(1)
	@mkdir -p $$(@D); echo "  LD      $$@"
	@$(CC) -pie -o $$@ $$(filter %.o %.a,$$^) $(TL_LDFLAGS) $(LDFLAGS) $(LUA_LIBS) $(FORMAT_LIBS) \
	    $(LIBS_$(1))
endef
$(foreach p,$(BUILT),$(eval $(call program,$(p),$(NAME_$(p)))))

# == LuaJIT and Lua: the cdef is cut out of timeline.h ==
CDEF	 := $(B)/share/lua/5.1/timeline_cdef.lua
lua: $(B)/share/lua/5.1/timeline.lua $(CDEF)

$(CDEF): include/timeline.h
	@mkdir -p $(@D); echo "  CDEF    $@"
	@{ echo '-- Made from include/timeline.h by the Makefile.'; \
	  echo 'return [==['; sed -n '/^\/\* ffi-begin/,/^\/\* ffi-end/p' $<; \
	  echo ']==]'; } >$@
$(B)/share/lua/5.1/timeline.lua: lua/timeline.lua
	@mkdir -p $(@D); cp $< $@

include $(wildcard src/*/rules.mk src/*/*/rules.mk tests/*/rules.mk tests/rules.mk)
-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

.PHONY: all lib tools lua
.DELETE_ON_ERROR:

# == install ==
D	 := $(DESTDIR)
MAN3	 := $(wildcard src/*/*.3 lua/*.3lua)
MAN5	 := $(wildcard src/*/*.5)
MAN1	 := $(wildcard src/*/*.1)
MAN7	 := $(wildcard src/*/*.7)
MAN8	 := $(wildcard src/*/*.8)
HEADERS	 := $(wildcard include/*.h include/*.hpp)
UNITS	 := $(wildcard src/*/*.service src/*/*.socket)
COMPLETE := $(wildcard src/*/*.bash)

# where the loader does not look by itself
RPATH	 := $(if $(filter /usr/%,$(LIBDIR)),,-Wl$(comma)-rpath$(comma)$${libdir})
define PKGCONFIG
prefix=$(PREFIX)
libdir=$(LIBDIR)
includedir=$(PREFIX)/include

Name: timeline
Description: Event log in shared memory, for about the price of a clock
Version: $(VERSION)
Libs: -L$${libdir} $(RPATH) -ltimeline
Libs.private: -lpthread
Cflags: -I$${includedir}
endef
export PKGCONFIG
define PKGCONFIG_READ
prefix=$(PREFIX)
libdir=$(LIBDIR)
includedir=$(PREFIX)/include

Name: timeline-read
Description: Read event logs and recorded traces of timeline
Version: $(VERSION)
Libs: -L$${libdir} $(RPATH) -ltimeline-read
Libs.private: -lzstd -lpthread
Cflags: -I$${includedir}
endef
export PKGCONFIG_READ
define PKGCONFIG_FORMATS
prefix=$(PREFIX)
libdir=$(LIBDIR)
includedir=$(PREFIX)/include

Name: timeline-formats
Description: Read files of other formats through timeline-read
Version: $(VERSION)
Requires: timeline-read = $(VERSION)
Libs: -L$${libdir} $(RPATH) -ltimeline-formats
Libs.private: $(READER_LIBS)
Cflags: -I$${includedir}
endef
export PKGCONFIG_FORMATS
# find_package(timeline): the targets timeline::timeline, ::static, ::read and
# ::formats
define CMAKE
get_filename_component(_timeline "$${CMAKE_CURRENT_LIST_DIR}/../.." REALPATH)
find_package(Threads REQUIRED)
foreach(_kind timeline static read formats)
  if(NOT TARGET timeline::$${_kind})
    add_library(timeline::$${_kind} UNKNOWN IMPORTED)
    set_target_properties(timeline::$${_kind} PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES
      "$${_timeline}/$(shell realpath -ms --relative-to=$(LIBDIR) $(PREFIX)/include)"
      INTERFACE_LINK_LIBRARIES Threads::Threads)
  endif()
endforeach()
set_target_properties(timeline::timeline PROPERTIES
  IMPORTED_LOCATION "$${_timeline}/libtimeline.so")
set_target_properties(timeline::static PROPERTIES
  IMPORTED_LOCATION "$${_timeline}/libtimeline.a")
set_target_properties(timeline::read PROPERTIES
  IMPORTED_LOCATION "$${_timeline}/libtimeline-read.so")
set_target_properties(timeline::formats PROPERTIES
  IMPORTED_LOCATION "$${_timeline}/libtimeline-formats.so"
  INTERFACE_LINK_LIBRARIES timeline::read)
unset(_timeline)
unset(_kind)
endef
export CMAKE
define CMAKEVERSION
set(PACKAGE_VERSION $(VERSION))
set(PACKAGE_VERSION_COMPATIBLE FALSE)
if(PACKAGE_FIND_VERSION VERSION_LESS_EQUAL PACKAGE_VERSION AND
   PACKAGE_FIND_VERSION_MAJOR EQUAL $(firstword $(subst ., ,$(VERSION))))
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
endef
export CMAKEVERSION

# what a shell needs where nothing is found by itself
define SHELL_NOTE
for your shell, for instance in ~/.profile:
export PATH=$(PREFIX)/bin:$$PATH
export PKG_CONFIG_PATH=$(LIBDIR)/pkgconfig LD_LIBRARY_PATH=$(LIBDIR)
export LUA_PATH='$(LUAJITDIR)/?.lua;;' LUA_PATH_5_4=';;' LUA_CPATH_5_4='$(LUADIR)/?.so;;'
endef
export SHELL_NOTE

install: all
	@install -d $(addprefix $(D),$(PREFIX)/bin $(PREFIX)/include \
	    $(LIBDIR)/pkgconfig $(MANDIR)/man1 $(MANDIR)/man3 $(MANDIR)/man5 \
	    $(MANDIR)/man7 $(MANDIR)/man8 $(COMPDIR) $(LUAJITDIR) $(LUADIR) \
	    $(UNITDIR) $(PREFIX)/lib/sysusers.d $(PREFIX)/lib/tmpfiles.d \
	    $(PREFIX)/share/timeline)
	@install -m 644 $(HEADERS) $(D)$(PREFIX)/include
	@install -m 755 $(SO) $(D)$(LIBDIR)
	@ln -sf $(notdir $(SO)) $(D)$(LIBDIR)/$(SONAME)
	@ln -sf $(SONAME) $(D)$(LIBDIR)/libtimeline.so
	@install -m 644 $(B)/lib/libtimeline.a $(D)$(LIBDIR)
	@printf '%s\n' "$$PKGCONFIG" >$(D)$(LIBDIR)/pkgconfig/timeline.pc
	@install -m 755 $(READ_SO) $(D)$(LIBDIR)
	@ln -sf $(notdir $(READ_SO)) $(D)$(LIBDIR)/$(READ_SONAME)
	@ln -sf $(READ_SONAME) $(D)$(LIBDIR)/libtimeline-read.so
	@install -m 644 $(B)/lib/libtimeline-read.a $(D)$(LIBDIR)
	@printf '%s\n' "$$PKGCONFIG_READ" >$(D)$(LIBDIR)/pkgconfig/timeline-read.pc
	@install -m 755 $(FORMATS_SO) $(D)$(LIBDIR)
	@ln -sf $(notdir $(FORMATS_SO)) $(D)$(LIBDIR)/$(FORMATS_SONAME)
	@ln -sf $(FORMATS_SONAME) $(D)$(LIBDIR)/libtimeline-formats.so
	@install -m 644 $(B)/lib/libtimeline-formats.a $(D)$(LIBDIR)
	@printf '%s\n' "$$PKGCONFIG_FORMATS" >$(D)$(LIBDIR)/pkgconfig/timeline-formats.pc
	@install -d $(D)$(LIBDIR)/cmake/timeline
	@printf '%s\n' "$$CMAKE" >$(D)$(LIBDIR)/cmake/timeline/timeline-config.cmake
	@printf '%s\n' "$$CMAKEVERSION" >$(D)$(LIBDIR)/cmake/timeline/timeline-config-version.cmake
	@install -m 755 $(wildcard $(B)/bin/*) $(D)$(PREFIX)/bin
	@install -m 644 $(MAN1) $(D)$(MANDIR)/man1
	@install -m 644 $(MAN3) $(D)$(MANDIR)/man3
	@install -m 644 $(MAN5) $(D)$(MANDIR)/man5
	@install -m 644 $(MAN7) $(D)$(MANDIR)/man7
	@install -m 644 $(MAN8) $(D)$(MANDIR)/man8
	@for unit in $(UNITS); do install -m 644 $$unit $(D)$(UNITDIR) && sed -i \
	  's|@PREFIX@|$(PREFIX)|g' $(D)$(UNITDIR)/$$(basename $$unit); done
	@install -m 644 src/daemon/timelined.sysusers \
	    $(D)$(PREFIX)/lib/sysusers.d/timelined.conf
	@install -m 644 src/daemon/timelined.tmpfiles \
	    $(D)$(PREFIX)/lib/tmpfiles.d/timelined.conf
	@install -m 644 src/daemon/timelined.conf \
	    $(D)$(PREFIX)/share/timeline/timelined.conf
	@$(foreach c,$(COMPLETE),install -m 644 $(c) \
	    $(D)$(COMPDIR)/$(basename $(notdir $(c)));)
	@$(MAKE) -s --no-print-directory install-luajit install-lua
	@echo "  INSTALL $(D)$(PREFIX)"
	@[ -n "$(D)" ] || PATH=$$PATH:/sbin:/usr/sbin ldconfig 2>/dev/null || \
	  $(if $(RPATH),:,echo "  NOTE    programs need LD_LIBRARY_PATH=$(LIBDIR)")
	@$(if $(D),,$(if $(RPATH),printf '  NOTE    %s\n' "$$SHELL_NOTE"))

# each Lua module by itself, as LuaRocks wants them
install-luajit: lua
	@install -d $(D)$(LUAJITDIR)
	@install -m 644 $(B)/share/lua/5.1/timeline.lua $(CDEF) $(D)$(LUAJITDIR)
install-lua: $(LUA_MODULE)
	@install -d $(D)$(LUADIR)
	@install -m 755 $(LUA_MODULE) $(D)$(LUADIR)

uninstall:
	@rm -f $(addprefix $(D)$(PREFIX)/include/,$(notdir $(HEADERS))) \
	    $(D)$(LIBDIR)/$(notdir $(SO)) $(D)$(LIBDIR)/$(SONAME) \
	    $(D)$(LIBDIR)/libtimeline.so $(D)$(LIBDIR)/libtimeline.a \
	    $(D)$(LIBDIR)/pkgconfig/timeline.pc \
	    $(D)$(LIBDIR)/$(notdir $(READ_SO)) $(D)$(LIBDIR)/$(READ_SONAME) \
	    $(D)$(LIBDIR)/libtimeline-read.so $(D)$(LIBDIR)/libtimeline-read.a \
	    $(D)$(LIBDIR)/pkgconfig/timeline-read.pc \
	    $(D)$(LIBDIR)/$(notdir $(FORMATS_SO)) $(D)$(LIBDIR)/$(FORMATS_SONAME) \
	    $(D)$(LIBDIR)/libtimeline-formats.so $(D)$(LIBDIR)/libtimeline-formats.a \
	    $(D)$(LIBDIR)/pkgconfig/timeline-formats.pc \
	    $(D)$(LIBDIR)/cmake/timeline/timeline-config.cmake \
	    $(D)$(LIBDIR)/cmake/timeline/timeline-config-version.cmake \
	    $(foreach p,$(BUILT),$(D)$(PREFIX)/bin/$(NAME_$(p))) \
	    $(addprefix $(D)$(MANDIR)/man1/,$(notdir $(MAN1))) \
	    $(addprefix $(D)$(MANDIR)/man3/,$(notdir $(MAN3))) \
	    $(addprefix $(D)$(MANDIR)/man5/,$(notdir $(MAN5))) \
	    $(addprefix $(D)$(MANDIR)/man7/,$(notdir $(MAN7))) \
	    $(addprefix $(D)$(MANDIR)/man8/,$(notdir $(MAN8))) \
	    $(addprefix $(D)$(UNITDIR)/,$(notdir $(UNITS))) \
	    $(D)$(PREFIX)/lib/sysusers.d/timelined.conf \
	    $(D)$(PREFIX)/lib/tmpfiles.d/timelined.conf \
	    $(D)$(PREFIX)/share/timeline/timelined.conf \
	    $(foreach c,$(COMPLETE),$(D)$(COMPDIR)/$(basename $(notdir $(c)))) \
	    $(D)$(LUAJITDIR)/timeline.lua $(D)$(LUAJITDIR)/timeline_cdef.lua \
	    $(D)$(LUADIR)/timeline.so
	@echo "  REMOVED from $(D)$(PREFIX)"

# == house ==
# The product's main job on this machine: the README's first command.
tour: all examples
	@examples/tour.sh $(B)

# Every Debian package that building and testing need.
# ... for the library and the tools, and for the blocks of README.md and
# examples/README.md.
DEPS	 := build-essential cmake pkg-config python3 libck-dev liblua5.4-dev luajit \
	    libzstd-dev zlib1g-dev libsqlite3-dev libzip-dev libev-dev libmicrohttpd-dev libsystemd-dev \
	    libcap-ng-dev libseccomp-dev libnats-dev \
	    libcurl4-openssl-dev
DEPS_CHECK := check curl lua5.4 clang lld llvm clang-format libclang-rt-14-dev spin valgrind \
	    strace mandoc shellcheck jq nodejs git zstd chromium prometheus \
	    perl-base protobuf-compiler babeltrace2 sqlite3 nats-server openssl musl-tools \
	    $(if $(shell command -v npm),,npm)
# ... and that packages need, and their tests.
DEPS_PACKAGES := debhelper lintian debootstrap rpm luarocks
deps deps-check deps-packages:
	@missing=; for p in $(DEPS) $(if $(filter %-check,$@),$(DEPS_CHECK)) \
	  $(if $(filter %-packages,$@),$(DEPS_PACKAGES)); do dpkg-query -W -f='$${Status}' $$p \
	  2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; done; \
	if [ -n "$$missing" ]; then echo "  APT    $$missing"; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install \
	  -y -qq --no-install-recommends $$missing >/dev/null; fi

SOURCES	 := $(CODE) $(HEADS) $(wildcard tests/*/*.[ch] tests/unit/*/*.[ch] tests/bench/*/*.[ch] examples/*.[ch])
SCRIPTS	 := $(wildcard tests/run tests/one tests/lib/*.sh tests/install tests/*/run tests/bench/*/run tests/*/*_run tests/*/*.sh tests/guest/kernel/*.sh \
	    tests/guest/kernel/init tests/ship/with_cluster \
	    examples/*.sh .ci/* .githooks/* src/*/*.bash)
format:
	@clang-format -i $(SOURCES)
format-check:
	@clang-format --dry-run -Werror $(SOURCES)
# scripts of timeline-dump; the other example is for LuaJIT
SCRIPT_EXAMPLES := examples/list.lua examples/tree.lua
# The other compiler than that of the build, shell, Lua, man pages.  Sums of durations
# that files have do not wrap; those of the daemon's clock and of a slot of a page cannot.
lint: format-check
	@echo "  LINT    clang"; printf '%s\n' $(CODE) | xargs -P "$$(nproc)" -n 8 clang \
	  $(filter-out -MMD -MP,$(TL_CPPFLAGS)) $(LUA_CFLAGS) -std=c11 -O2 $(WARN) -Werror \
	  -fsyntax-only
	@echo "  LINT    sums"; ! grep -nE '(total|self|inner|hidden)_ns \+= |[.>]ns(\[[^]]*\])? \+= ' \
	  $(filter-out src/daemon/% src/format/html/%,$(CODE)) | grep -v '+= (double)'
	@echo "  LINT    shell"; shellcheck -x $(SCRIPTS)
	@echo "  LINT    lua"; for f in $(wildcard lua/views/*.lua \
	  src/script/*.lua tests/lua/script_*.lua tests/lua/module_*.lua \
	  tests/truth/*.lua tests/bench/truth/*.lua tests/mutants/*.lua) $(SCRIPT_EXAMPLES); do \
	  luac5.4 -p $$f || exit 1; done; for f in $(wildcard lua/*.lua tests/lua/luajit_*.lua) examples/hello.lua; do \
	  $(LUAJIT) -bl $$f >/dev/null || exit 1; done
	@echo "  LINT    mutants"; lua5.4 tests/mutants/mutant.lua check .
	@echo "  LINT    man"; mandoc -Tlint -Wwarning $(MAN1) $(MAN3) $(MAN5) \
	    $(MAN7) $(MAN8)

# Code lines of each folder, in the last landed commit (BASE=) and now; and what a
# program loads.  To be looked at: nothing is asserted.
size: all
	@.ci/size $(BASE)
	@size $(SO) $(READ_SO) $(FORMATS_SO) $(foreach p,$(BUILT),$(B)/bin/$(NAME_$(p))) | \
	  awk 'NR > 1 { printf "%7.0f KiB    %s\n", ($$1 + $$2) / 1024, $$6 }'

# The tarball is made of the last commit, the same bytes each time.
dist:
	@mkdir -p $(B); git archive --prefix=timeline-$(VERSION)/ HEAD | gzip -n >$(B)/timeline-$(VERSION).tar.gz
	@echo "  DIST    $(B)/timeline-$(VERSION).tar.gz"
clean:
	@rm -rf build
help:
	@echo 'tour      the main job on this machine, command by command'
	@echo 'all       library, tools and Lua modules, into $(B)'
	@echo 'lib       the library alone: what a program that logs needs'
	@echo 't         T=name: build and run the tests of that name (T=take,'
	@echo '          T=unit/snap:take, T=process/hammer, T=tool:4_damage)'
	@echo 'check     every test (QUICK=1: not again without rseq and under valgrind)'
	@echo 'check-all  ... and all repetitions without rseq and under valgrind'
	@echo 'check-sanitized  units, daemon and a third of the tools, under sanitizers'
	@echo 'check-loaded  every test beside LOAD=4 busy loops, TIMES=1 often'
	@echo 'mutants   change lines of the product one by one: T="name ..."'
	@echo 'check-built  what logs, and some tools: another CC=, OPT=, or LOG=c (the C twin'
	@echo '          of the assembly)'
	@echo 'check-why  does --why find the cause of 200 traces, and none in 200 others?'
	@echo 'model     search the protocols with Spin'
	@echo 'bench     measure; nothing is asserted'
	@echo 'bench-peers  ours beside tracers and loggers that are installed'
	@echo 'bench-truth  what tracers claim about spans of known durations'
	@echo 'size      lines of code by folder, before (BASE=commit) and now, and bytes of'
	@echo '          what is built'
	@echo 'bench-compare  REV=commit PARTS=append: ratios of this tree to REV'
	@echo 'fuzz      search for crashes: T=name SECONDS=60'
	@echo 'truth     hold what the tools print against what programs did:'
	@echo '          SECONDS=60, CASE=glob, SEED=n repeats one, STRICT=1'
	@echo 'check-guest  a second kernel: its clock is slewed and set, and its events'
	@echo '          are recorded with stalls, kills, losses and refusals'
	@echo '          (qemu-system-x86, cpio, a kernel in /boot; else skipped)'
	@echo 'npm       the programs from npm that tests read with'
	@echo 'first-hour  README.md copied into a bare Debian; packages in another'
	@echo 'lint      clang, formatting, shell, Lua, man pages'
	@echo 'install   PREFIX=$(PREFIX) DESTDIR=; uninstall'
	@echo 'deps      install the Debian packages that building needs'
	@echo 'deps-check  ... and those that testing needs'
	@echo 'deps-packages  ... and those that packages need'
	@echo 'amalgamation  what logs as three files for other programs to embed'
	@echo 'deb       Debian packages, in build/deb; rpm: RPMs, in build/rpm'
	@echo 'examples arrows headers format dist clean'

.PHONY: tour install uninstall install-lua install-luajit deps \
    deps-check deps-packages format format-check lint size dist clean help
