# SPDX-License-Identifier: Apache-2.0
# timeline: one Makefile.  Settings on top, rules below.

# == change here ==
PREFIX	 ?= /usr/local
LIBDIR	 ?= $(PREFIX)/lib
MANDIR	 ?= $(PREFIX)/share/man
COMPDIR	 ?= $(PREFIX)/share/bash-completion/completions
LUAJITDIR ?= $(PREFIX)/share/lua/5.1
LUADIR	 ?= $(LIBDIR)/lua/5.4
CC	 := $(if $(filter default,$(origin CC)),gcc,$(CC))
LUAJIT	 ?= luajit
LUA	 ?= lua5.4
# LOG=c takes the C twin of asm/log.S: sanitizers do not see assembly
LOG	 ?= asm
# SAN=address,undefined or SAN=thread
SAN	 ?=
OPT	 ?= -O2 -g

# == no need to change below ==
VERSION	 := 0.1.0
SONAME	 := libtimeline.so.0

# One order, three uses: includes, link lines, test order.
LAYERS	 := base event ring front snap trace format script
PROGRAMS := dump ctl convert ship daemon
LIBRARY	 := base event ring front snap trace
BUILT	 := $(filter $(PROGRAMS),$(notdir $(wildcard src/*)))
NAME_dump := timeline-dump
NAME_ctl := timelinectl
NAME_convert := timeline-convert
NAME_ship := timeline-ship
NAME_daemon := timelined

comma	 := ,
variant	 := $(subst $(comma),-,$(SAN))$(if $(filter c,$(LOG)),-c)
B	 := build$(if $(variant),/$(patsubst -%,%,$(variant)))

WARN	 := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes \
	    -Wmissing-prototypes -Wvla -Wpointer-arith -Wcast-qual
override CPPFLAGS += -Isrc -Iinclude -D_GNU_SOURCE -MMD -MP \
	    $(if $(filter c,$(LOG)),-DTL_LOG_C)
override CFLAGS += -std=c11 $(OPT) $(WARN) -fPIC -fvisibility=hidden \
	    -fcf-protection $(if $(SAN),-fsanitize=$(SAN) \
	    -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
override LDFLAGS += -Wl,-z,relro,-z,now $(if $(SAN),-fsanitize=$(SAN))
LUA_CFLAGS := $(shell pkg-config --cflags lua5.4 2>/dev/null)
LUA_LIBS := $(shell pkg-config --libs lua5.4 2>/dev/null || echo -llua5.4)
CHECK_LIBS := $(shell pkg-config --libs check 2>/dev/null || echo -lcheck)

all: lib tools lua

# the objects of a layer, and of it with everything left of it
left :=
$(foreach l,$(LAYERS),\
  $(eval OWN_$(l) := $(patsubst %.c,$(B)/obj/%.o,$(wildcard src/$(l)/*.c)))\
  $(if $(and $(filter ring,$(l)),$(filter asm,$(LOG))),\
    $(eval OWN_ring += $(B)/obj/asm/log.o))\
  $(eval left += $(OWN_$(l)))\
  $(eval OBJ_$(l) := $(left)))
LIB_OBJECTS := $(foreach l,$(LIBRARY),$(OWN_$(l)))

$(B)/obj/src/script/%.o $(B)/obj/src/dump/%.o: CPPFLAGS += $(LUA_CFLAGS)
$(B)/obj/%.o: %.c
	@mkdir -p $(@D); echo "  CC      $<"
	@$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
$(B)/obj/%.o: %.S
	@mkdir -p $(@D); echo "  AS      $<"
	@$(CC) $(CPPFLAGS) -g -c -o $@ $<

# == the library ==
SO	 := $(B)/lib/libtimeline.so.$(VERSION)
LIBS	 := $(SO) $(B)/lib/libtimeline.a
lib: $(LIBS)

$(SO): $(LIB_OBJECTS) src/ring/timeline.map
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -shared -o $@ $(LIB_OBJECTS) $(LDFLAGS) \
	    -Wl,-soname,$(SONAME) -Wl,-z,nodelete -Wl,-z,noexecstack \
	    -Wl,--version-script,src/ring/timeline.map -Wl,--no-undefined
	@ln -sf $(@F) $(@D)/$(SONAME); ln -sf $(SONAME) $(@D)/libtimeline.so
$(B)/lib/libtimeline.a: $(LIB_OBJECTS)
	@mkdir -p $(@D); echo "  AR      $@"; rm -f $@; $(AR) rcs $@ $^

# == the tools ==
tools: $(foreach p,$(BUILT),$(B)/bin/$(NAME_$(p)))

# $(call program,folder,name)
define program
$(B)/bin/$(2): $(patsubst %.c,$(B)/obj/%.o,$(wildcard src/$(1)/*.c)) \
    $(OBJ_script)
	@mkdir -p $$(@D); echo "  LD      $$@"
	@$(CC) -o $$@ $$(filter %.o,$$^) $(LDFLAGS) $(LUA_LIBS)
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

include $(wildcard src/*/rules.mk tests/*/rules.mk tests/rules.mk)
-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

.PHONY: all lib tools lua
.DELETE_ON_ERROR:
