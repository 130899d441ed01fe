# SPDX-License-Identifier: Apache-2.0
# Makes one file of several: the FILEs, and before each the headers that it
# includes, each once.
#
#	awk -v name=NAME -v version=TEXT -v asm='FILE...' -f amalgamation.awk FILE...
#
# In C, functions that no public one calls are left out, and all others but the
# public ones become static, unless an asm file refers to them.  What a .c file
# defines or undefines for the preprocessor ends with it.
#
# The files are those of this repository, in its style: what is at file scope
# starts in the first column, and the name of a function starts the line after
# its type.
BEGIN {
	is_c = name ~ /\.c$/
	for (i = 1; i < ARGC; i++)
		take(ARGV[i])
	if (is_c)
		choose()
	if (failed)
		exit 1
	heading()
	for (i = 1; i < ARGC; i++)
		put(ARGV[i])
	exit 0
}

function fail(sentence) {
	print "amalgamation: " sentence >"/dev/stderr"
	failed = 1
}
function heading(	n, i, off) {
	print "/* SPDX-License-Identifier: Apache-2.0 */"
	print "/*"
	print " * " name " - timeline " version ": what programs that log need."
	print " *"
	print " * Made by \"make amalgamation\" from the sources of timeline: change those."
	print " * timeline.c, timeline.h and timeline_log.S need a C library, nothing else:"
	print " *"
	print " *\tcc -O2 -c timeline.c timeline_log.S"
	print " *"
	print " * timeline(7), EMBEDDING, says more."
	print " */"
	if (!is_c)
		return
	print "#ifdef __cplusplus"
	print "#error compile timeline.c as C; a program in C++ includes timeline.h"
	print "#endif"
	print "#ifndef _GNU_SOURCE"
	print "#define _GNU_SOURCE"
	print "#endif"
	print "#include \"timeline.h\"\n"
	print "/* Not all that the headers have is used here, and a local name may be one of"
	print " * another file. */"
	n = split("unused-function unused-variable shadow", off, " ")
	for (i = 1; i <= n; i++)
		print "#pragma GCC diagnostic ignored \"-W" off[i] "\""
}

# == read ==

# Read a file and what it includes: L[path, 1] to L[path, N[path]].
function take(path,	line, i, file) {
	if (path in N)
		return
	N[path] = 0
	while ((getline line <path) > 0)
		L[path, ++N[path]] = line
	close(path)
	if (N[path] == 0)
		fail(path ": no such file, or empty")
	for (i = 1; i <= N[path]; i++)
		if (is_include(L[path, i]) && (file = included(L[path, i], path)) != "")
			take(file)
	if (is_c)
		scan(path)
}
function is_include(line) {
	return line ~ /^#[ \t]*include/
}
# The file of ours that a line includes; "" for one of the system, and for
# timeline.h, which stays a file.
function included(line, from,	quoted, tries, n, i, ignored, found) {
	split(line, quoted, /[<>"]/)
	if (quoted[2] == "timeline.h")
		return ""
	sub(/[^\/]*$/, "", from)
	n = split(line ~ /"/ ? from " src/" : "src/packaging/ include/", tries, " ")
	for (i = 1; i <= n; i++) {
		found = (getline ignored <(tries[i] quoted[2])) > 0
		close(tries[i] quoted[2])
		if (found)
			return tries[i] quoted[2]
	}
	if (line ~ /"/)
		fail(from ": " line ": no such file")
	return ""
}

# == which functions ==

# Learn what a file defines and declares.
function scan(path,	i, end, line) {
	for (i = 1; i <= N[path]; i++) {
		line = L[path, i]
		if (line ~ /^[a-z][a-z_0-9]*\(/ && (end = end_of(path, i)) > 0) {
			own(line, path)
			first[++functions] = start_of(path, i)
			last[functions] = end
			file_of[functions] = path
			named[identifier(line)] = named[identifier(line)] " " functions
			i = end
		} else if (is_prototype(line, L[path, i + 1])) {
			declared[identifier(line ~ /\(/ ? line : L[path, i + 1])] = path
		} else if (is_variable(line) && line !~ /^extern /) {
			own(line, path)
		} else if (line ~ /^(struct|union|enum) [a-z_0-9]+ [{]$/) {
			own(line, path)
		}
	}
}
# The line "}" of the function whose name is in line i; 0: no body follows.
function end_of(path, i) {
	while (i < N[path] && L[path, i] !~ /;$/ && L[path, i] != "{")
		i++
	if (L[path, i] != "{")
		return 0
	while (i < N[path] && L[path, i] != "}")
		i++
	return i
}
# The line of its type, or the first of the comment above.
function start_of(path, i) {
	if (L[path, --i - 1] ~ /\*\/$/)
		for (i--; L[path, i] !~ /^\/\*/; i--)
			;
	return i
}
function is_prototype(line, after) {
	return line !~ /^(static|typedef)/ && line ~ /^[a-z]/ &&
	    (line ~ /^[A-Za-z_0-9 *]*[ *]tl_[a-z_0-9]+\(/ ||
	    after ~ /^tl_[a-z_0-9]+\(/)
}
# "static int x;", "} names[] = {"
function is_variable(line) {
	sub(/; *\/\*.*/, ";", line)
	return line ~ /^(TL_THREAD_LOCAL )?[a-z}][^()]*[ *][a-z_0-9]+(\[[^(]*\])?( =.*|;)$/ &&
	    line !~ /^(typedef|return) / && line !~ /^(struct|union|enum) [a-z_0-9]+;$/
}
# What a line defines or declares: a function, a variable or "struct x".
function identifier(line) {
	if (sub(/ [{]$/, "", line))
		return line
	sub(/; *\/\*.*/, ";", line)
	sub(/\(.*/, "", line)
	sub(/(\[[^(]*\])?( =.*|;)$/, "", line)
	sub(/.*[ *]/, "", line)
	return line
}
function own(line, path,	what) {
	what = identifier(line)
	if (what in owner && owner[what] != path)
		fail(owner[what] " and " path " both define \"" what \
		    "\": rename it in one of them, for they become one file")
	owner[what] = path
}

# Live are the public functions, what they call, and what it calls; drop the rest.
function choose(	paths, n, i, path, k) {
	n = split(asm, paths, " ")
	for (i = 1; i <= n; i++)
		while ((getline line <paths[i]) > 0)
			if (line ~ /\.hidden/) {
				sub(/.*\.hidden[ \t]*/, "", line)
				needed[line] = 1
				reach(line)
			}
	for (k = 1; k <= functions; k++)
		for (i = first[k]; i <= last[k]; i++)
			inside[file_of[k], i] = k
	for (path in N) {
		for (i = 1; i <= N[path]; i++) {
			if ((path, i) in inside) {
				k = inside[path, i]
				if (path ~ /\.c$/ && (L[path, i] ~ /^timeline_/ ||
				    L[path, i] ~ /__\(\((con|de)structor/))
					reach_function(k)
			} else if (path ~ /\.c$/ || L[path, i] ~ /^#/ ||
			    L[path, i - 1] ~ /\\$/) {
				reach_words(L[path, i], path)
			}
		}
	}
	for (k = 1; k <= functions; k++)
		if (live[k])
			used[file_of[k]] = 1
		else
			for (i = first[k]; i <= last[k]; i++)
				dropped[file_of[k], i] = 1
	for (i = 1; i < ARGC; i++)
		if (!(ARGV[i] in used))
			fail(ARGV[i] ": the functions of timeline.h call nothing of it: " \
			    "take it out of the list")
}
function reach(what,	k, n, i) {
	n = split(named[what], k, " ")
	for (i = 1; i <= n; i++)
		reach_function(k[i])
}
function reach_function(k,	i, path, in_comment, line) {
	if (live[k])
		return
	live[k] = 1
	path = file_of[k]
	for (i = first[k]; i <= last[k]; i++) {
		line = L[path, i]
		gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
		if (in_comment && !sub(/.*\*\//, "", line))
			continue
		in_comment = sub(/\/\*.*/, "", line)
		reach_words(line, path)
	}
}
function reach_words(line, path,	words, n, i) {
	gsub(/"([^"\\]|\\.)*"/, "", line)
	n = split(line, words, /[^A-Za-z_0-9]+/)
	for (i = 1; i <= n; i++) {
		if (words[i] in named)
			reach(words[i])
		else if (words[i] in declared && !(words[i] in missing)) {
			missing[words[i]] = 1
			fail(path " calls " words[i] ", which is declared in " \
			    declared[words[i]] ": add the file that defines it to the list")
		}
	}
}

# == write ==

function put(path,	i, file) {
	if (path in done)
		return
	done[path] = 1
	# headers before the text of the file, but for asm, where marks.h is last
	for (i = 1; i <= N[path] && path !~ /\.S$/; i++)
		if (is_include(L[path, i]) && L[path, i] !~ /\.def"/ &&
		    (file = included(L[path, i], path)) != "")
			put(file)
	put_line("\n/* ======== " path " ======== */")
	put_text(path)
}
function put_text(path,	i, line, file, macros) {
	macros["count"] = 0
	for (i = 1; i <= N[path]; i++) {
		line = L[path, i]
		if ((path, i) in dropped || line ~ /SPDX-License-Identifier/)
			continue
		if (is_include(line)) {
			file = included(line, path)
			if (file ~ /\.def$/)
				put_text(file) # each time
			else if (file != "")
				put(file)
			else if (file == "" && line !~ /timeline\.h/ && !(line in done))
				put_line(line)
			done[line] = 1
			continue
		}
		if (name ~ /\.S$/ && line == "#ifndef __ASSEMBLER__") {
			while (L[path, i] != "#endif /* !__ASSEMBLER__ */")
				i++
			continue # what is for C
		}
		if (path ~ /\.c$/ && line ~ /^#[ \t]*(define|undef) /)
			put_macro(line, macros)
		else
			put_line(linked(line, L[path, i + 1]))
	}
	for (i = 1; i <= macros["count"]; i++)
		if (macros[i] != "")
			put_line(macros[i])
}
# A macro that a .c file defines or undefines, and in macros what undoes it.
function put_macro(line, macros,	what, i) {
	what = line
	sub(/^#[ \t]*[a-z]+ /, "", what)
	sub(/[^A-Za-z_0-9].*/, "", what)
	for (i = macros["count"]; i > 0 && macros[i] != "#undef " what; i--)
		;
	if (line ~ /define / && i == 0)
		macros[++macros["count"]] = "#undef " what
	if (line ~ /undef / && i > 0)
		macros[i] = ""
	if (line ~ /undef / && i == 0) {
		put_line("#pragma push_macro(\"" what "\")")
		macros[++macros["count"]] = "#pragma pop_macro(\"" what "\")"
	}
	put_line(line)
}
# A line of a declaration or a definition, with the linkage that it has here.
function linked(line, after,	what) {
	if (!is_c || line ~ /^(static|__attribute__)/)
		return line
	if (is_prototype(line, after))
		what = identifier(line ~ /\(/ ? line : after)
	else if (is_variable(line))
		what = identifier(line)
	if (what in needed)
		return "__attribute__((visibility(\"hidden\"))) " line
	if (what !~ /^tl_/ || !(what in owner))
		return line
	sub(/^extern /, "", line)
	return "static " line
}
function put_line(line) {
	if (line == "" && blank)
		return
	blank = line == ""
	print line
}
