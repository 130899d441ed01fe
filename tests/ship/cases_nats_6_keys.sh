# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# A client's key decides who may connect: the server never sees the signing key.

# shellcheck source=tests/ship/cluster.sh
. "$here/cluster.sh"
# shellcheck source=tests/ship/nkeys.sh
. "$here/nkeys.sh"

# ships_with OPTION FILE ships a timeline and reads it back.
ships_with() {
	"$make" "$name-keys" entries=4096 plain=100
	ends "$1: who has the key ships" 0 "$ship" run --linger 60s "$1" "$2" --to "$url" --host web1 \
		--all --for 1ms --linger 60s "$name-keys"
	is '... and reads' "$("$ship" read "$url" "$1" "$2" 2>&1 | "$build/tests/ship/drive" check | sed 's/ blocks [0-9]*//')" \
		"web1/${name#/}-keys entries 100 lost 0 again 0 back 0 missing 0"
	ends '... nobody else is let in' 1 "$ship" read "$url"
	has '... which is said' "$err" 'Authorization'
	"$ctl" remove "$name-keys"
}

if ! has_nats || ! command -v openssl >/dev/null; then
	skip 'keys: nats-server or openssl is not installed'
else
	nkey_make user
	nkey_make other
	user=$(nkey_public user $nkey_user)
	cluster_start 1 "authorization { users = [ { nkey: $user } ] }"
	url=$(cluster_url)
	printf '%s\n%s\n' "$(nkey_seed user $nkey_user)" "$user" >"$work/user.nk"
	printf '%s\n%s\n' "$(nkey_seed other $nkey_user)" "$user" >"$work/other.nk"
	nkey_seed user $nkey_user >"$work/seed.nk"
	ships_with --nkey "$work/user.nk"
	ends '... nor who has the seed of another' 1 "$ship" read "$url" --nkey "$work/other.nk"
	has '... which is said' "$err" 'Authorization'
	ends 'a seed without its public key is said' 1 "$ship" read "$url" --nkey "$work/seed.nk"
	has '... by its name, and not more of it' "$err" "^timeline-ship: $work/seed.nk: no public key \(U\.\.\.\) on a line of its own; add that of nk -pubout\$"
	ends 'so is a file that is not there' 1 "$ship" read "$url" --nkey "$work/none.nk"
	has '... by its name' "$err" 'none\.nk: No such file'

	# An operator signs the accounts, and an account signs its users.
	nkey_make operator
	nkey_make account
	nkey_make system
	operator=$(nkey_public operator $nkey_operator)
	account=$(nkey_public account $nkey_account)
	system=$(nkey_public system $nkey_account)
	limits='"subs":-1,"data":-1,"payload":-1'
	token() { # SIGNER ITS_KEY WHOSE WHAT
		nkey_token "$1" "{\"iat\":1700000000,\"iss\":\"$2\",\"sub\":\"$3\",\"name\":\"$3\",\"nats\":{$4,\"version\":2}}"
	}
	account_token() { # KEY MORE_LIMITS
		token operator "$operator" "$1" "\"type\":\"account\",\"limits\":{$limits,\"imports\":-1,\"exports\":-1,
			\"wildcards\":true,\"conn\":-1,\"leaf\":-1$2}"
	}
	cluster_start 1 "operator: \"$(token operator "$operator" "$operator" '"type":"operator"')\"
system_account: $system
resolver: MEMORY
resolver_preload: {
	$account: \"$(account_token "$account" ',"mem_storage":-1,"disk_storage":-1,"streams":-1,"consumer":-1')\"
	$system: \"$(account_token "$system" '')\"
}"
	url=$(cluster_url)
	{
		echo '-----BEGIN NATS USER JWT-----'
		token account "$account" "$user" "\"type\":\"user\",$limits"
		printf '\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n'
		nkey_seed user $nkey_user
		printf '\n------END USER NKEY SEED------\n'
	} >"$work/user.creds"
	sed '/SEED-----$/,$d' "$work/user.creds" >"$work/half.creds"
	ships_with --creds "$work/user.creds"
	ends '... nor who has the token without its seed' 1 "$ship" read "$url" --creds "$work/half.creds"
	ends 'credentials that are not there are said' 1 "$ship" read "$url" --creds "$work/none.creds"
	has '... by their name' "$err" 'none\.creds'
	cluster_stop
fi
