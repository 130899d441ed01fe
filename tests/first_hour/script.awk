# SPDX-License-Identifier: Apache-2.0
# script.awk - turns README.md, and the files given behind it, into a shell script:
# a person copies every block in turn.
#
# ```sh		is run.
# ```console	is run where a line begins with "$ ", and has to print lines of
#		the same shape as the lines below (see shape in copied.sh).
# ```c, lua...	is saved under the name in its first line: /* first.c */
# <!-- run after NAME -->   above a block: the block runs after NAME was saved
#		and the block behind NAME was run.
# <!-- test command -->     above a block: the block is not run; CI runs the
#		command by itself.
#
# Every block is a case between "begin README.md:LINE: TITLE" and "end".

function quoted(text) {
	gsub(/'/, "'\\''", text)
	return "'" text "'"
}
function emit(text) {
	if (waits != "") later[waits] = later[waits] text "\n"
	else printf "%s\n", text
}
function begin_case(title) {
	emit("begin " quoted(FILENAME ":" FNR ": " title))
}
# release() prints the blocks that waited for the file made by the block before.
function release() {
	if (saved != "" && ran) {
		printf "%s", later[saved]
		delete later[saved]
		saved = ""
	}
}
function end_transcript() {
	if (command != "") {
		emit("transcript " quoted(command) " " quoted(expected))
		command = expected = ""
	}
}
/^<!-- run after .* -->$/ { waits = $4; next }
/^<!-- test command -->$/ { skip = 1; next }
/^```/ && !inside {
	inside = 1
	language = substr($0, 4)
	first = 1
	ran = 0
	if (language == "sh" || language == "console") {
		getline line
		title = line
		if (language == "console") sub(/^\$ /, "", title)
		if (!skip) begin_case(title)
		$0 = line
	} else next
}
/^```/ && inside {
	inside = 0
	end_transcript()
	if (language == "sh" || language == "console") {
		if (!skip) emit("end")
		ran = waits == ""
	} else emit("README_END_OF_FILE\nend")
	skip = 0
	waits = ""
	release()
	next
}
!inside { next }
skip { next }
language == "sh" { emit($0); next }
language == "console" && /^\$ / { end_transcript(); command = substr($0, 3); next }
language == "console" { expected = expected $0 "\n"; next }
first {
	first = 0
	name = $0
	gsub(/^(\/\*|#|--|\/\/) *| *\*\/$/, "", name)
	if (language == "c") saved = name
	begin_case("save " name)
	emit("cat >" quoted(name) " <<'README_END_OF_FILE'")
}
{ emit($0) }
END {
	for (name in later)
		if (later[name] != "") {
			print "README.md: waits for " name ", which is never made" >"/dev/stderr"
			exit 1
		}
}
