-- SPDX-License-Identifier: Apache-2.0
-- The module for LuaJIT, which logs.  In the top folder of the tree:
--	luarocks --lua-version 5.1 make src/packaging/timeline-0.1.0-1.rockspec
-- It needs libtimeline.so.0 where the loader finds it ("make install").
rockspec_format = "3.0"
package = "timeline"
version = "0.1.0-1"
source = {
	url = "https://timeline.example/timeline-0.1.0.tar.gz",
}
description = {
	summary = "Log events into shared memory, from LuaJIT",
	detailed = [[
		Many processes log 64-byte events into one file in /dev/shm for
		about the price of reading the clock.
	]],
	license = "Apache-2.0",
}
supported_platforms = { "linux" }
dependencies = { "lua == 5.1" }
build = {
	type = "make",
	build_target = "lua",
	install_target = "install-luajit",
	install_variables = { LUAJITDIR = "$(LUADIR)" },
}
