# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Passwords, tokens and certificates of a test authority decide who may connect.

# shellcheck source=tests/ship/cluster.sh
. "$here/cluster.sh"
drive=$build/tests/ship/drive

# certificate NAME makes a key and a signed certificate for 127.0.0.1.
certificate() {
	openssl req -newkey rsa:2048 -nodes -keyout "$work/$1.key" -subj "/CN=$1" \
		-out "$work/$1.csr" 2>/dev/null
	openssl x509 -req -in "$work/$1.csr" -CA "$work/ca.pem" -CAkey "$work/ca.key" \
		-CAcreateserial -days 2 -out "$work/$1.pem" \
		-extfile <(echo 'subjectAltName=IP:127.0.0.1,DNS:localhost') 2>/dev/null
}

if ! has_nats; then
	skip 'credentials: nats-server is not installed'
else
	cluster_start 1 'authorization { user: shipper, password: "s3cret" }'
	url=$(cluster_url)
	printf 's3cret\nmore\n' >"$work/password"
	echo wrong >"$work/wrong"
	: >"$work/empty"
	USER_NAME=shipper PASSWORD_FILE=$work/password \
		"$drive" send "$url" web1 app 10 100 "$work/secure" >"$work/sent"
	has 'a user with a password ships' "$(cat "$work/sent")" 'acked 10'
	is '... and reads' "$("$ship" read "$url" --user shipper --password-file "$work/password" | "$drive" check)" \
		'web1/app blocks 10 entries 1000 lost 0 again 0 back 0 missing 0'
	ends 'a wrong password is not let in' 1 "$ship" read "$url" --user shipper --password-file "$work/wrong"
	has '... which is said' "$err" 'Authorization|uthoriz|uthent'
	lacks '... without the password' "$err" 'wrong$'
	ends 'nor is nobody' 1 "$ship" read "$url"
	ends 'a file without a password is said' 1 "$ship" read "$url" --user shipper --password-file "$work/empty"
	has '... by its name' "$err" 'empty: the first line is empty'
	ends 'a file that is not there, too' 1 "$ship" read "$url" --user shipper --password-file "$work/none"
	"$ctl" create "$name-rotated" --entries 4096
	"$ship" run -q --linger 60s --all --to "$url" --host web1 --user shipper --password-file "$work/password" \
		"$name-rotated" 2>"$work/err" &
	shipper=$!
	stored() { # PASSWORD ENTRIES
		"$ship" read "$url" --user shipper --password-file "$work/$1" \
			--timeline "${name#/}-rotated" >"$work/blocks" 2>/dev/null
		[ "$("$dump" --json "$work/blocks" 2>/dev/null | grep -c 'priority set')" -ge "$2" ]
	}
	until_true stored password 0
	"$ctl" priority "$name-rotated" debug
	until_true stored password 1
	is 'who has the password ships and reads' "$(stored password 1 && echo yes)" yes
	echo n3w >"$work/n3w"
	cluster_pause
	node_configure 1 'authorization { user: shipper, password: "n3w" }'
	cluster_resume
	let_in_no_more() { [ "$(grep -c 'authentication error' "$work/nats1.log")" -ge 2 ]; }
	until_true let_in_no_more
	echo n3w >"$work/password"
	"$ctl" priority "$name-rotated" trace
	until_true stored n3w 2
	is '... when it was changed meanwhile, too' "$(stored n3w 2 && echo yes)" yes
	kill -TERM "$shipper"
	wait "$shipper"
	cluster_start 1 'authorization { token: "t0ken" }'
	echo t0ken >"$work/token"
	ends 'a token lets in' 1 "$ship" read "$(cluster_url)" --token-file "$work/token"
	has '... where there is no stream yet' "$err" 'does not exist'
	cluster_stop
fi
if ! has_nats || ! command -v openssl >/dev/null; then
	skip 'TLS: nats-server or openssl is not installed'
else
	openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/ca.key" -subj /CN=ca \
		-days 2 -out "$work/ca.pem" 2>/dev/null
	certificate server
	certificate client
	cluster_start 1 "tls { cert_file: \"$work/server.pem\", key_file: \"$work/server.key\", ca_file: \"$work/ca.pem\", verify: true }"
	url=$(cluster_url)
	tls=(--tls-ca "$work/ca.pem" --tls-cert "$work/client.pem" --tls-key "$work/client.key")
	"$ctl" create "$name-tls" --entries 4096
	"$ship" run -q --linger 60s --to "$url" "${tls[@]}" --all --host web1 "$name-tls" 2>"$work/err" &
	shipper=$!
	stored() { "$ship" read "$url" "${tls[@]}" 2>/dev/null | "$dump" --json - 2>/dev/null | grep -q .; }
	"$ctl" priority "$name-tls" debug
	until_true stored
	is 'certificates let in who ships, and who reads' "$(stored && echo yes)" yes
	kill -TERM "$shipper"
	wait "$shipper"
	ends 'without one nobody is let in' 1 "$ship" read "$url" --tls-ca "$work/ca.pem"
	ends 'a server of an unknown authority is not trusted' 1 \
		"$ship" read "$url" --tls-cert "$work/client.pem" --tls-key "$work/client.key"
	has '... which is said' "$err" 'SSL|certificate|TLS'
	ends 'a certificate goes with its key' 1 "$ship" read "$url" --tls-cert "$work/client.pem"
	ends 'tls:// is the same' 1 "$ship" read "${url/nats:/tls:}/OTHER" "${tls[@]}"
	has '... up to the stream' "$err" 'OTHER: does not exist'
	cluster_stop
fi
