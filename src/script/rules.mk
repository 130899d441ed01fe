# Views and prelude are taken into views.o as they are; the reading module for
# plain Lua 5.4 is what its one entry reaches.
SCRIPT_TEXTS := src/script/prelude.lua $(wildcard lua/views/*.lua)
LUA_MODULE := $(B)/lib/lua/5.4/timeline.so

$(B)/obj/src/script/views.o: $(SCRIPT_TEXTS)

# No -llua5.4: the program that requires it brings Lua.
$(LUA_MODULE): $(ARCHIVES) src/script/module.map
	@mkdir -p $(@D); echo "  LD      $@"
	@$(CC) -shared -o $@ -Wl,-u,luaopen_timeline $(ARCHIVES) $(TL_LDFLAGS) $(LDFLAGS) -Wl,-z,nodelete \
	    -Wl,-z,noexecstack -Wl,--version-script,src/script/module.map $(FORMAT_LIBS) \
	    -lpthread -lm

lua-module: $(LUA_MODULE)
.PHONY: lua-module
all: $(LUA_MODULE)
