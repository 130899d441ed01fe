# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# nkeys.sh - keys in the form of NATS, and tokens that the keys sign; the cases
# source this file.
#
#	nkey_make NAME			make a new key, $work/NAME.pem
#	nkey_public NAME KIND		print U...
#	nkey_seed NAME KIND		print SU...
#	nkey_token NAME CLAIMS		print a signed token of JSON
#
# A key as text is base32 of one or two bytes for the kind of key, the key's 32
# bytes, and a CRC-16 (XMODEM) of both.
# shellcheck disable=SC2034 # its users do
nkey_account=00 nkey_operator=70 nkey_user=a0

nkey_words() { # BYTES, in hexadecimal
	local hex=$1 crc=0 bytes="" i k
	for ((i = 0; i < ${#hex}; i += 2)); do
		((crc ^= 0x${hex:i:2} << 8))
		for ((k = 0; k < 8; k++)); do
			((crc = crc & 0x8000 ? crc << 1 ^ 0x11021 : crc << 1))
		done
	done
	hex+=$(printf '%02x%02x' $((crc & 255)) $((crc >> 8)))
	for ((i = 0; i < ${#hex}; i += 2)); do bytes+="\\x${hex:i:2}"; done
	printf '%b' "$bytes" | base32 -w0 | tr -d =
}
# A file of a key ends with the key itself.
nkey_bytes() { tail -c 32 | od -An -v -tx1 | tr -d ' \n'; }
nkey_make() { openssl genpkey -algorithm ed25519 -out "$work/$1.pem"; }
nkey_public() { nkey_words "$2$(openssl pkey -in "$work/$1.pem" -pubout -outform DER | nkey_bytes)"; }
nkey_seed() {
	nkey_words "$(printf '%02x%02x' $((0x90 | 0x$2 >> 5)) $(((0x$2 & 31) << 3)))$(
		openssl pkey -in "$work/$1.pem" -outform DER | nkey_bytes)"
}
nkey_base64() { base64 -w0 | tr '+/' '-_' | tr -d =; }
nkey_token() {
	local words
	words=$(printf '{"typ":"JWT","alg":"ed25519-nkey"}' | nkey_base64).$(printf %s "$2" | nkey_base64)
	printf %s "$words" >"$work/words"
	printf '%s.%s' "$words" "$(openssl pkeyutl -sign -rawin \
		-inkey "$work/$1.pem" -in "$work/words" | nkey_base64)"
}
