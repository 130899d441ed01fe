# SPDX-License-Identifier: Apache-2.0
# A layer includes itself and the layers left of it.  A family of formats (a
# folder in src/format) includes no other family; the registry, whose files are
# in src/format itself, includes all families.  Only a program includes a
# program.  Only the layers that read and write our files know the numbers that
# begin them; others ask snap/shm.h or the sources.  Only those that write and
# read lanes compute the place of a head or an entry.
#
# Needs -v layers="left ... right" and -v programs="...".
BEGIN {
	n = split(layers, name)
	for (i = 1; i <= n; i++)
		rank[name[i]] = i
	m = split(programs, name)
	for (i = 1; i <= m; i++)
		leaf[name[i]] = rank[name[i]] = n + 1
}
# family(path) returns the family of the file at path, "" outside of src/format.
function family(path,	at) {
	return path ~ /^format\/[^\/]+\// && split(path, at, "/") ? at[2] : ""
}
FNR == 1 {
	path = substr(FILENAME, length("src/") + 1)
	split(path, at, "/")
	me = at[1]
}
/^#include "[a-z]+\// {
	split($2, quoted, "\"")
	split(quoted[2], at, "/")
	to = at[1]
	if (!rank[to] || rank[to] > rank[me] || (leaf[to] && to != me) ||
	    (family(path) && family(quoted[2]) &&
	    family(path) != family(quoted[2]))) {
		print FILENAME ":" FNR ": arrow points the wrong way: " $2
		bad = 1
	}
}
/TIMELINE_MAGIC|TL_TRACE_(INDEX_)?MAGIC/ &&
    me !~ /^(ring|snap|trace|source)$/ {
	print FILENAME ":" FNR ": the number that begins a file is named"
	bad = 1
}
/timeline_(head|entry)_offset\(/ && me !~ /^(ring|snap|kernel)$/ {
	print FILENAME ":" FNR ": the place of a head or an entry is computed"
	bad = 1
}
END { exit bad }
