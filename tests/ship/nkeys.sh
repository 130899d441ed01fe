# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# nkeys.sh - sourced: keys as NATS writes them, and the tokens that they sign.
#
#	nkey_make NAME			a new key, $work/NAME.pem
#	nkey_public NAME KIND		U...
#	nkey_seed NAME KIND		SU...
#	nkey_token NAME CLAIMS		a token that it signs, of JSON
#
# A key in words is, in base32, a byte or two for what it is of, its 32 bytes
# and a CRC-16 (XMODEM) of both.
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
# The key itself is what a file of it ends with.
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
