# SPDX-License-Identifier: Apache-2.0
# The page's texts are taken into html/page.o as they are.
$(B)/obj/src/format/html/page.o: $(wildcard src/format/html/page/*)
