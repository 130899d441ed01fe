-- SPDX-License-Identifier: Apache-2.0
-- The module for Lua 5.4, which reads.  In the top folder of the tree:
--	luarocks --lua-version 5.4 make src/packaging/timeline-reader-0.1.0-1.rockspec
-- Building it needs what "make deps" installs.
rockspec_format = "3.0"
package = "timeline-reader"
version = "0.1.0-1"
source = {
	url = "https://timeline.example/timeline-0.1.0.tar.gz",
}
description = {
	summary = "Read timelines, snapshots and recorded traces",
	detailed = [[
		Reads the event logs that libtimeline writes, and the other
		formats that timeline-dump opens.
	]],
	license = "Apache-2.0",
}
supported_platforms = { "linux" }
dependencies = { "lua == 5.4" }
external_dependencies = {
	CK = { header = "ck_pr.h" },
	ZSTD = { header = "zstd.h", library = "zstd" },
}
build = {
	type = "make",
	build_target = "lua-module",
	install_target = "install-lua",
	install_variables = { LUADIR = "$(LIBDIR)" },
}
