# SPDX-License-Identifier: Apache-2.0
# commands.awk - prints the commands of ours that documents quote, one a line:
# file, line and words, up to a pipe, a semicolon or a comment.  A man page
# quotes with .Ql, .Dl and literal displays, Markdown with backticks.  An option
# that stands alone in section 7 is printed as an option of "any".

function put(text,    n, i, part)
{
	n = split(text, part, /[|;&()`]|  +|[ \t]#|[ \t]\\$/)
	for (i = 1; i <= n; i++) {
		sub(/^[ \t]*([$#%>] )?[ \t]*(sudo )?/, "", part[i])
		sub(/^([A-Z_]+=[^ ]* )+/, "", part[i])
		sub(/([ \t]+[.,:]+)+[ \t]*$/, "", part[i])
		if (part[i] ~ /^(timelinectl|timeline-(dump|convert|ship)|timelined)( |$)/)
			print FILENAME "\t" FNR "\t" part[i]
		else if (FILENAME ~ /\.7$/ && part[i] ~ /^--[a-z]/)
			print FILENAME "\t" FNR "\tany " part[i]
	}
}

FNR == 1 {
	shown = 0
	roff = FILENAME ~ /\.[1-8][a-z]*$/
}
roff && /^\.Bd -(literal|unfilled)/ { shown = 1; next }
roff && /^\.Ed/ { shown = 0; next }
!roff && /^ *```/ { shown = !shown; next }
shown { put($0); next }
roff && /^\.(It )?(Ql|Dl|Li) / {
	sub(/^\.(It )?[A-Z][a-z] /, "")
	put($0)
	next
}
!roff {
	n = split($0, quoted, /`/)
	for (i = 2; i <= n; i += 2)
		put(quoted[i])
}
