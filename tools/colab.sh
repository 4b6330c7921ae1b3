#!/usr/bin/env bash
# Sets up Go, this repository and the kernel in a session of Google Colab. Run this in a new first cell of a notebook in Colab:
#   !git clone -q --depth 1 https://github.com/mpcvm/mpcvm && mpcvm/tools/colab.sh
# When it is done, delete the cell and choose Runtime > Change runtime type > Go (gonb).
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/lib.sh

# Ubuntu's Go is older than go.mod requires, but it downloads the required version.
apt-get update -qq
package=$(apt-cache pkgnames golang-1. | grep -E '^golang-1\.[0-9]+-go$' | sort -V | tail -1)
apt_install "$package"
version=${package//[!0-9.]/}
export PATH=/usr/lib/go-$version/bin:$PATH GOTOOLCHAIN=auto
PATH=$(go env GOROOT)/bin:$PATH # the version that go.mod requires
notebooks/setup.sh tools completion kernel

# Colab stores the notebook elsewhere, so the kernel must start in a folder of the repository to use its packages.
spec=$(jupyter --data-dir)/kernels/gonb/kernel.json
sed -i "s|\"argv\":\[|&\"env\",\"-C\",\"$root/notebooks\",|" "$spec"
grep -q '"env","-C"' "$spec" || die "cannot set the folder of the kernel in $spec"
go build ./... # so that the first cells are quick
echo "Delete this cell, then choose Runtime > Change runtime type > Go (gonb)."
