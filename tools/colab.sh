#!/usr/bin/env bash
# Sets up a session of Google Colab: Go, this repository, the kernel. In a new first cell of a notebook that Colab has opened:
#   !git clone -q --depth 1 https://github.com/mpcvm/mpcvm && mpcvm/tools/colab.sh
# Delete the cell when it has ended and choose Runtime > Change runtime type > Go (gonb).
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/lib.sh

# Ubuntu's Go is older than the one that go.mod asks for, but fetches it.
apt-get update -qq
package=$(apt-cache pkgnames golang-1. | grep -E '^golang-1\.[0-9]+-go$' | sort -V | tail -1)
apt_install "$package"
version=${package//[!0-9.]/}
export PATH=/usr/lib/go-$version/bin:$PATH GOTOOLCHAIN=auto
PATH=$(go env GOROOT)/bin:$PATH # in this folder: the one of go.mod
notebooks/setup.sh tools completion kernel

# Colab keeps the notebook elsewhere, so the kernel starts in a folder of the repository, whose packages it then uses.
spec=$(jupyter --data-dir)/kernels/gonb/kernel.json
sed -i "s|\"argv\":\[|&\"env\",\"-C\",\"$root/notebooks\",|" "$spec"
grep -q '"env","-C"' "$spec" || die "the kernel's folder could not be set in $spec"
go build ./... # so that the first cells are quick
echo "Delete this cell, then choose Runtime > Change runtime type > Go (gonb)."
