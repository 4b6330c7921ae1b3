#!/usr/bin/env bash
# Tags a release of the published modules. Usage: tools/release.sh v0.2.0
# It sets the version that the modules require of each other, commits, and adds a tag for each module.
# It does not push; use the printed command.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/lib.sh
modules=(. tables cmd experiments site tools) # of go.work

version=${1:?usage: tools/release.sh vMAJOR.MINOR.PATCH}
[[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+$ ]] || die "$version is not a version such as v0.2.0"
[[ -z $(git status --porcelain) ]] || die "commit or discard your changes first"
sed -i.old -E "s#(github.com/mpcvm/mpcvm(/[a-z]+)?) v[0-9.]+#\1 $version#" go.work "${modules[@]/%//go.mod}"
rm -f go.work.old "${modules[@]/%//go.mod.old}"
go build ./... && go run ./tools/gate tidy -diff
if [[ -n $(git status --porcelain) ]]; then git commit -qam "Release $version"; fi
tags=("$version")
for module in tables cmd experiments; do tags+=("$module/$version"); done
for tag in "${tags[@]}"; do git tag -a "$tag" -m "$tag"; done
echo "git push --atomic origin main ${tags[*]}"
