#!/usr/bin/env bash
# Sets up Jupyter with the Go kernel GoNB; `make setup`, CI and the Dockerfile run it. Requires Go. Installed programs are kept.
# Usage: notebooks/setup.sh [jupyter|tools|kernel|completion]...   (the first three by default)
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/lib.sh

# Jupyter: an existing installation, with missing parts added, or Debian's packages.
jupyter_works() { jupyter nbconvert --version && { jupyter notebook --version || jupyter lab --version; }; } >/dev/null 2>&1
setup_jupyter() {
  jupyter_works && return
  have apt-get || die "Jupyter is missing. Install JupyterLab (https://jupyter.org/install, or: pipx install --include-deps jupyterlab), then run this again."
  local parts=(ca-certificates jupyter-core jupyter-nbconvert jupyter-nbformat jupyter-client)
  if have jupyter-lab || have jupyter-notebook; then
    apt_install "${parts[@]}"
  else # Debian has JupyterLab since release 13; earlier releases have the classic notebook
    apt_install "${parts[@]}" jupyterlab || apt_install "${parts[@]}" jupyter-notebook
  fi || die "apt-get could not install Jupyter"
  jupyter_works || die "Jupyter was installed from Debian but does not start; try: jupyter nbconvert --version"
}

# gonb and goimports, as pinned in notebooks/tools/go.mod.
setup_tools() { go_tools notebooks/tools github.com/janpfeifer/gonb golang.org/x/tools/cmd/goimports; }

# gopls, which the kernel uses to complete names and show documentation. It takes longer to build than the rest.
setup_completion() { go_tools notebooks/tools golang.org/x/tools/gopls; }

# The kernel's entry in the user's Jupyter. Its PATH includes go and the tools, however Jupyter is started.
setup_kernel() {
  local data spec path
  data=$(jupyter --data-dir)
  spec=$data/kernels/gonb/kernel.json
  path=$bin:$(go env GOROOT)/bin:/usr/local/bin:/usr/bin:/bin
  # The flags are stored in the entry: without them the kernel prints three test messages at each start. --force_deps: gopls is optional.
  JUPYTER_DATA_DIR=$data gonb --install --force_deps --logtostderr=false --log_file=/dev/null --stderrthreshold=FATAL ||
    die "gonb could not register its kernel in $spec"
  install -m 755 notebooks/kernel.sh "${spec%/*}/start.sh"
  sed -e "s|\"env\":{}|\"env\":{\"PATH\":\"$path\"}|" -e "s|\"argv\":\[\"[^\"]*\"|\"argv\":[\"${spec%/*}/start.sh\"|" \
    -e 's|,"-go_work="||' "$spec" >"$spec.new" && mv "$spec.new" "$spec"
  grep -qF "\"PATH\":\"$path\"" "$spec" || die "the kernel's PATH could not be set in $spec"
  echo "the kernel \"Go (gonb)\" is registered in $spec"
}

have go || die "Go 1.26 or later is needed: https://go.dev/dl"
[[ $# -gt 0 ]] || set -- jupyter tools kernel
for part; do
  SECONDS=0
  echo "== set up $part"
  "setup_$part"
  echo "-- set up $part: $SECONDS s"
done
