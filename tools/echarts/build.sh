#!/usr/bin/env bash
# Builds the part of ECharts that internal/chart embeds from echarts.js, and updates KaTeX, CodeMirror and markdown-it in site/build.
# Run by `make generate PARTS=echarts`; needs node, npm and network access.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/lib.sh

have npm || die "npm is missing: install Node.js 20 or later"
have zopfli || apt_install zopfli # writes gzip files 3 % smaller than gzip does
npm ci --prefix tools/echarts --ignore-scripts --no-audit --no-fund
folder=internal/chart/echarts
cp tools/echarts/node_modules/echarts/{LICENSE,NOTICE,licenses/LICENSE-d3} "$folder/"
cp tools/echarts/node_modules/zrender/LICENSE "$folder/LICENSE-zrender" # the drawing library of ECharts
node tools/echarts/build.mjs >"$folder/echarts.min.js"
zopfli --i15 "$folder/echarts.min.js"
rm "$folder/echarts.min.js"
katex=site/build/katex # typesets the formulas when the site is built
cp tools/echarts/node_modules/katex/LICENSE "$katex/"
gzip -9nc tools/echarts/node_modules/katex/dist/katex.min.js >"$katex/katex.min.js.gz"
sed -E 's/,url\([^)]*\) format\("(woff|truetype)"\)//g' tools/echarts/node_modules/katex/dist/katex.min.css >"$katex/katex.css"
cp tools/echarts/node_modules/katex/dist/fonts/*.woff2 "$katex/fonts/"
npm ci --prefix site/build --ignore-scripts --no-audit --no-fund
node site/build/vendor.mjs
ls -l "$folder" "$katex"
