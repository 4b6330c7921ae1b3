#!/usr/bin/env bash
# Sets up a session of Google Colab: Go, this repository, the kernel. In a new first cell of a notebook that Colab has opened:
#   !curl -fsSL https://raw.githubusercontent.com/mpcvm/mpcvm/main/scripts/colab.sh | bash
# Delete the cell when it has ended and choose Runtime > Change runtime type > Go (gonb).
set -euo pipefail

cd "${1:-/content}"
[[ -d mpcvm ]] || git clone -q --depth 1 https://github.com/mpcvm/mpcvm
rm -rf /usr/local/go
curl -fsSL https://go.dev/dl/go1.26.8.linux-amd64.tar.gz | tar -xz -C /usr/local
export PATH=/usr/local/go/bin:$PATH
mpcvm/notebooks/setup.sh tools kernel

# Colab keeps the notebook elsewhere, so the kernel starts in the folder where its first cell finds the repository.
spec=$(jupyter --data-dir)/kernels/gonb/kernel.json
sed -i "s|\"argv\":\[|&\"env\",\"-C\",\"$PWD/mpcvm/notebooks\",|" "$spec"
grep -q '"env","-C"' "$spec" || { echo "error: the kernel's folder could not be set in $spec" >&2; exit 1; }
go -C mpcvm build ./... # so that the first cells are quick
echo "Delete this cell, then choose Runtime > Change runtime type > Go (gonb)."
