# SPDX-License-Identifier: Apache-2.0
# A layer includes itself and what stands left of it; nobody includes a
# program.  -v layers="left ... right" -v programs="..."
BEGIN {
	n = split(layers, name)
	for (i = 1; i <= n; i++)
		rank[name[i]] = i
	m = split(programs, name)
	for (i = 1; i <= m; i++)
		leaf[name[i]] = rank[name[i]] = n + 1
}
FNR == 1 {
	split(FILENAME, at, "/")
	me = at[2]
}
/^#include "[a-z]+\// {
	split($2, quoted, /["\/]/)
	to = quoted[2]
	if (!rank[to] || rank[to] > rank[me] || (leaf[to] && to != me)) {
		print FILENAME ":" FNR ": arrow points the wrong way: " $2
		bad = 1
	}
}
END { exit bad }
