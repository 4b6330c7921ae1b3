#!/usr/bin/env bash
# Tags a release of the module. Usage: tools/release.sh v0.2.0
# It does not push; use the printed command.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/lib.sh

version=${1:?usage: tools/release.sh vMAJOR.MINOR.PATCH}
[[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+$ ]] || die "$version is not a version such as v0.2.0"
[[ -z $(git status --porcelain) ]] || die "commit or discard your changes first"
go build ./... && go run ./tools/gate tidy -diff
git tag -a "$version" -m "$version"
echo "git push --atomic origin main $version"
