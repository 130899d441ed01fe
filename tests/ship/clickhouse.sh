# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# clickhouse.sh - sourced by cases: a ClickHouse server on loopback, of its own
# folder.  Needs $work and the array started, whose processes end with the run.

has_clickhouse() { command -v clickhouse-server >/dev/null && command -v curl >/dev/null; }

click_dir=$work/clickhouse
# click_configure PORT: users are "default" and, with a password, "writer"
click_configure() {
	mkdir -p "$click_dir"
	cat >"$click_dir/config.xml" <<-END
		<yandex>
		<logger><level>warning</level><log>$click_dir/log</log>
			<errorlog>$click_dir/errors</errorlog></logger>
		<http_port>$1</http_port><tcp_port>$(($1 + 1))</tcp_port>
		<listen_host>127.0.0.1</listen_host>
		<path>$click_dir/data/</path><tmp_path>$click_dir/tmp/</tmp_path>
		<users_config>users.xml</users_config>
		<default_profile>default</default_profile>
		<default_database>default</default_database>
		<mark_cache_size>67108864</mark_cache_size>
		</yandex>
	END
	cat >"$click_dir/users.xml" <<-'END'
		<yandex>
		<profiles><default/></profiles><quotas><default/></quotas>
		<users>
		<default><password></password><networks><ip>127.0.0.1</ip></networks>
			<profile>default</profile><quota>default</quota></default>
		<writer><password>s e@cret</password><networks><ip>127.0.0.1</ip></networks>
			<profile>default</profile><quota>default</quota></writer>
		</users>
		</yandex>
	END
}
click_sql() { curl -sS --noproxy '*' "http://127.0.0.1:$click_port/" --data-binary "$1"; }
click_start() {
	clickhouse-server --config-file="$click_dir/config.xml" >"$click_dir/out" 2>&1 &
	click_pid=$!
	started+=("$click_pid")
	until_true click_sql 'SELECT 1'
}
click_kill() {
	kill -9 "$click_pid"
	wait "$click_pid" 2>/dev/null
}
# A first start, on ports that nobody listens on.
click_begin() {
	click_port=$((20000 + $$ % 12000))
	while (: <"/dev/tcp/127.0.0.1/$click_port") 2>/dev/null ||
		(: <"/dev/tcp/127.0.0.1/$((click_port + 1))") 2>/dev/null; do
		click_port=$((click_port + 2))
	done
	click_configure "$click_port"
	click_start
}
