/* SPDX-License-Identifier: Apache-2.0 */
/*
 * style.c - the look of pictures, light first.
 *
 * Only classes and plain colours are used, because viewers other than browsers
 * do not know variables.  Steps of heat differ in lightness, so that they
 * differ in grey; the marks of percentiles and the spans differ for the
 * colour-blind, too.
 */
#include "format/svg/draw.h"

#define FONT "system-ui,'Segoe UI','DejaVu Sans',sans-serif"
#define MONO "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace"

#define LIGHT \
	"text{font:11px " FONT ";fill:#1c2028;unicode-bidi:isolate;" \
	"white-space:pre}\n" \
	".title{font-size:20px;font-weight:600}\n" \
	".sub{font-size:12.5px}.dim{fill:#5b6472}\n" \
	".bad{fill:#b3261e;font-weight:600}.strong{font-weight:600}\n" \
	".name{font:600 12px " MONO "}.code{font:12px " MONO "}\n" \
	".note{font:11px " MONO "}\n" \
	".tiny{font:10px " MONO ";fill:#10131a;pointer-events:none}\n" \
	".end{text-anchor:end}.mid{text-anchor:middle}\n" \
	".back{fill:#fff}.panel{fill:#f6f7f9}.rule{stroke:#c6ccd6}\n" \
	".grid{stroke:#dde1e7}.minor{stroke:#e9ecf0}\n" \
	".bar{fill:#7f9fc9}\n"

#define LIGHT_MARKS \
	".m{fill:none;stroke-width:1.3}\n" \
	".m0{stroke:#0072b2}.m1{stroke:#00875f}.m2{stroke:#b98200}" \
	".m3{stroke:#d04a00}.m4{stroke:#b0408c;stroke-dasharray:3 2}\n"

#define LIGHT_HEAT \
	".cells{shape-rendering:crispEdges}\n" \
	".h0{fill:#c9dcf1}.h1{fill:#adcbe9}.h2{fill:#8cb9e0}" \
	".h3{fill:#5f9dd0}.h4{fill:#3b80bc}.h5{fill:#2164a2}" \
	".h6{fill:#134a85}.h7{fill:#0b3166}.h8{fill:#071b3d}\n" \
	".lost{fill:#d3261f;fill-opacity:.16}.lost-mark{fill:#d3261f}\n" \
	".level{fill:#6b4fa3}.level-line{stroke:#6b4fa3;" \
	"stroke-opacity:.55;stroke-dasharray:2 3}\n"

#define LIGHT_SPANS \
	".s0{fill:#a9c7f5}.s1{fill:#f3c98b}.s2{fill:#a8dbb5}" \
	".s3{fill:#d9b8ec}.s4{fill:#f2b3b0}.s5{fill:#9fd8dc}" \
	".s6{fill:#dcd48a}.s7{fill:#c4c9d4}.mix{fill:#8d97a8}\n" \
	".open{stroke:#1c2028;stroke-dasharray:3 2}" \
	".i1{fill:#7b8494}.i7{fill:#c77700}.i8{fill:#d3261f}" \
	".i9{fill:#a1009c}\n"

#define DARK \
	"text{fill:#e4e8ef}.dim{fill:#98a2b3}.bad{fill:#ff8a7d}\n" \
	".tiny{fill:#0c0f14}\n" \
	".back{fill:#12151b}.panel{fill:#191d25}.rule{stroke:#444c5a}\n" \
	".grid{stroke:#2d333f}.minor{stroke:#232831}.bar{fill:#5577a8}\n" \
	".m0{stroke:#58b4f0}.m1{stroke:#3ecf9f}.m2{stroke:#f0c24b}" \
	".m3{stroke:#ff9257}.m4{stroke:#e78ac6}\n" \
	".h0{fill:#24435f}.h1{fill:#245378}.h2{fill:#23658f}" \
	".h3{fill:#2a7aa5}.h4{fill:#459db4}.h5{fill:#73bdae}" \
	".h6{fill:#a9d6a2}.h7{fill:#dae89b}.h8{fill:#fdf6b0}\n" \
	".lost{fill:#ff6b5e;fill-opacity:.22}.lost-mark{fill:#ff6b5e}\n" \
	".level{fill:#b79cf0}.level-line{stroke:#b79cf0}\n" \
	".s0{fill:#6f9fe8}.s1{fill:#d9a659}.s2{fill:#6fbf85}" \
	".s3{fill:#b48ad6}.s4{fill:#d98a86}.s5{fill:#5fb5bb}" \
	".s6{fill:#b8ae55}.s7{fill:#8e97a8}.mix{fill:#667085}\n" \
	".open{stroke:#e4e8ef}\n" \
	".i1{fill:#8590a3}.i7{fill:#f2a93b}.i8{fill:#ff5f57}" \
	".i9{fill:#f25bec}\n"

const char tl_svg_style[] =
    "<style>\n" LIGHT LIGHT_MARKS LIGHT_HEAT LIGHT_SPANS
    "@media (prefers-color-scheme:dark){\n" DARK "}\n</style>\n";
