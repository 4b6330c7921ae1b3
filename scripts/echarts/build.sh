#!/usr/bin/env bash
# Builds the part of ECharts that internal/chart embeds, from echarts.js, and takes KaTeX, CodeMirror and markdown-it for scripts/site;
# `make generate PARTS=echarts` runs it.
# Needs node, npm and the network.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib.sh

have npm || die "npm is missing: install Node.js 20 or later"
have zopfli || apt_install zopfli # compresses for gzip, 3 % better than gzip itself
npm ci --prefix scripts/echarts --ignore-scripts --no-audit --no-fund
folder=internal/chart/echarts
cp scripts/echarts/node_modules/echarts/{LICENSE,NOTICE,licenses/LICENSE-d3} "$folder/"
cp scripts/echarts/node_modules/zrender/LICENSE "$folder/LICENSE-zrender" # what ECharts draws with
node scripts/echarts/build.mjs >"$folder/echarts.min.js"
zopfli --i15 "$folder/echarts.min.js"
rm "$folder/echarts.min.js"
katex=scripts/site/katex # typesets the formulas when the site is built
cp scripts/echarts/node_modules/katex/LICENSE "$katex/"
gzip -9nc scripts/echarts/node_modules/katex/dist/katex.min.js >"$katex/katex.min.js.gz"
sed -E 's/,url\([^)]*\) format\("(woff|truetype)"\)//g' scripts/echarts/node_modules/katex/dist/katex.min.css >"$katex/katex.css"
cp scripts/echarts/node_modules/katex/dist/fonts/*.woff2 "$katex/fonts/"
npm ci --prefix scripts/site --ignore-scripts --no-audit --no-fund
node scripts/site/vendor.mjs
ls -l "$folder" "$katex"
