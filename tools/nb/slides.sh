#!/usr/bin/env bash
# Writes the slides of the lectures to a folder, with everything that they load.
# Usage: tools/nb/slides.sh FOLDER
set -euo pipefail
out=$(realpath -m "$1")
cd "$(dirname "$0")/../.."
[[ -d site/build/node_modules/reveal.js ]] || npm ci --prefix site/build --ignore-scripts --no-audit --no-fund
go run ./tools/nb slides notebooks notebooks "$out"
jupyter nbconvert --to slides "$out"/*.ipynb --TemplateExporter.extra_template_basedirs=tools/nb --template=offline \
  --SlidesExporter.reveal_url_prefix=reveal.js --SlidesExporter.reveal_theme=white \
  --TagRemovePreprocessor.enabled=True --TagRemovePreprocessor.remove_input_tags=no-input
mkdir -p "$out/katex" # and the files of reveal.js that the slides use; its other themes load fonts from a server
(cd site/build/node_modules && cp -r --parents reveal.js/{LICENSE,dist/reveal.{css,js},plugin/notes} \
  reveal.js/dist/theme/{white.css,fonts/source-sans-pro} "$out")
cp -r site/build/katex/{katex.css,fonts,LICENSE} "$out/katex"
gunzip <site/build/katex/katex.min.js.gz >"$out/katex/katex.min.js"
