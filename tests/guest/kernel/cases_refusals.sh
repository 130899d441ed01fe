# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# cases_refusals.sh - each refusal gives a sentence.
other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
less=(setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin)
rm -f "/dev/shm$kn.sched"
chmod 644 "/dev/shm$kn"
ends 'another user is refused' 1 "${other[@]}" "$ctl" kernel "$kn" 10ms
has '... and the error asks for root' "$err" 'kernel events need root: run it with sudo'
ends 'a pid namespace of its own is refused' 1 unshare -p -f --mount-proc "$ctl" kernel "$kn" 10ms
has '... and the error asks for the host' "$err" 'pid namespace.*run it on the host'
echo 3 >/proc/sys/kernel/perf_event_paranoid
ends 'perf_event_paranoid 3 does not matter' 0 "$ctl" kernel "$kn" 10ms
rm -f "/dev/shm$kn.sched"

mount -o remount,ro "$tracing"
ends 'tracefs that is read-only is refused' 1 "$ctl" kernel "$kn" 10ms
has '... and named' "$err" 'tracefs is mounted read-only'
mount -o remount,rw "$tracing"
ends 'root without CAP_SYS_ADMIN will do where tracefs is mounted' 0 "${less[@]}" "$ctl" kernel "$kn" 10ms
rm -f "/dev/shm$kn.sched"

umount "$tracing"
mount -o remount,ro /sys
ends 'a read-only /sys does not matter' 0 "$ctl" kernel "$kn" 10ms
mount -o remount,rw /sys
rm -f "/dev/shm$kn.sched"
ends 'another user is refused where tracefs is not mounted' 1 "${other[@]}" "$ctl" kernel "$kn" 10ms
has '... and the error asks for root' "$err" 'kernel events need root: run it with sudo'
ends 'root without CAP_SYS_ADMIN is refused there' 1 "${less[@]}" "$ctl" kernel "$kn" 10ms
has '... and the error has the command that mounts it' "$err" 'tracefs is not mounted.*mount -t tracefs'
mount -t tracefs tracefs "$tracing"
is 'refusals leave nothing' "$(left)" ''

# This case is the last one: there is no way back from lockdown.
mount -t securityfs securityfs /sys/kernel/security
if echo confidentiality >/sys/kernel/security/lockdown; then
	ends 'a kernel that is locked down is refused' 1 "$ctl" kernel "$kn" 10ms
	has '... and named' "$err" 'the kernel is locked down.*without lockdown='
else
	skip 'this kernel cannot be locked down'
fi 2>"$work/lockdown"
is '... without a file' "$(ls "/dev/shm$kn".sched* 2>/dev/null)" ''
