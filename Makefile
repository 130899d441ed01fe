# timeline: one Makefile.  Settings on top, rules below.
#
#	make		 build the library, the tools and the Lua modules
#	make check	 build and run every test
#	make help	 the other targets

# == change here ==
PREFIX	 ?= /usr/local
LIBDIR	 ?= $(PREFIX)/lib
CC	 ?= gcc
LUAJIT	 ?= luajit
LUA	 ?= lua5.4
# LOG=c takes the C twin instead of asm/log.S (sanitizers see C only)
LOG	 ?= asm
# SAN=address,undefined or SAN=thread
SAN	 ?=
OPT	 ?= -O2 -g

# == no need to change below ==
VERSION	 := 0.1.0
SOVERSION := 0

# One order, three uses: includes, link lines, test order.
LAYERS	 := base event ring front snap trace format script
PROGRAMS := dump ctl convert ship daemon
LIBRARY	 := base event ring front snap trace

variant	 := $(if $(SAN),-$(subst $(comma),-,$(SAN)))$(if $(filter c,$(LOG)),-c)
comma	 := ,
B	 := build$(if $(SAN)$(filter c,$(LOG)),/$(subst $(comma),-,$(SAN))$(if $(filter c,$(LOG)),c))

WARN	 := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes \
	    -Wmissing-prototypes -Wvla -Wpointer-arith -Wcast-qual
CPPFLAGS += -Isrc -Iinclude -D_GNU_SOURCE -MMD -MP
CFLAGS	 += -std=c11 $(OPT) $(WARN) -fPIC -fvisibility=hidden -fcf-protection \
	    $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer)
LDFLAGS	 += $(if $(SAN),-fsanitize=$(SAN))
LUA_CFLAGS := $(shell pkg-config --cflags lua5.4 2>/dev/null)
LUA_LIBS := $(shell pkg-config --libs lua5.4 2>/dev/null || echo -llua5.4)
CHECK_LIBS := $(shell pkg-config --libs check 2>/dev/null || echo -lcheck)

all:

# objects of a layer, and of it with everything left of it
left :=
$(foreach l,$(LAYERS),\
  $(eval OWN_$(l) := $(patsubst %.c,$(B)/obj/%.o,$(wildcard src/$(l)/*.c)))\
  $(if $(filter ring,$(l)),$(if $(filter asm,$(LOG)),\
    $(eval OWN_ring += $(B)/obj/asm/log.o)))\
  $(eval left += $(OWN_$(l)))\
  $(eval OBJ_$(l) := $(left)))

$(B)/obj/src/script/%.o: CPPFLAGS += $(LUA_CFLAGS)
$(if $(filter c,$(LOG)),$(eval CPPFLAGS += -DTL_LOG_C))

$(B)/obj/%.o: %.c
	@mkdir -p $(@D); echo "  CC      $<"
	@$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
$(B)/obj/%.o: %.S
	@mkdir -p $(@D); echo "  AS      $<"
	@$(CC) $(CPPFLAGS) $(OPT) -fcf-protection -c -o $@ $<

include $(wildcard src/*/rules.mk tests/*/rules.mk)
-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
