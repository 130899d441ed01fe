# SPDX-License-Identifier: Apache-2.0
# The page's texts are taken into html_page.o as they are.
$(B)/obj/src/format/html_page.o: $(wildcard src/format/page/*)
