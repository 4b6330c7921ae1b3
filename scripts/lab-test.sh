#!/usr/bin/env bash
# Tests live notebooks in JupyterLab 4: that of Debian trixie, in a chroot, below /user/x/ and behind a proxy with https. The
# browser is outside. Pictures of it are left in out/look/lab. Needs Debian, root, Chromium and, the first time, the network.
# Usage: scripts/lab-test.sh [FOLDER]   the chroot is made in FOLDER (out/trixie) and stays for the next time
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

[[ $EUID == 0 ]] || die "a chroot needs root"
# Mounts and processes of its own, which end with it.
[[ ${LAB_TEST:-} == inside ]] || LAB_TEST=inside exec unshare --mount --pid --fork --kill-child --mount-proc "$0" "$@"
folder=$(realpath -m "${1:-out/trixie}")
log=$folder/tmp/lab.log

inside() { chroot "$folder" env DEBIAN_FRONTEND=noninteractive HOME=/root "$@"; }

debian() {
  mkdir -p "$folder"
  echo "module trixie" >"$folder/go.mod" # its Go files are not ours
  [[ ! -e $folder/etc/debian_version ]] || return 0
  apt_install debootstrap
  debootstrap --variant=minbase trixie "$folder" >/dev/null
}

# mount_into SOURCE TARGET: shows a folder in the chroot.
mount_into() {
  mkdir -p "$folder$2"
  mount --bind "$1" "$folder$2"
}

# This checkout with tools of the chroot's own, Go, and its caches.
mounts() {
  local path
  mkdir -p "$folder/tools"
  for path in "$root" "$(go env GOROOT)" "$(go env GOMODCACHE)" "$(go env GOCACHE)"; do
    mount_into "$path" "$path"
  done
  mount_into "$folder/tools" "$bin"
  mount_into /dev /dev
  mount -t proc proc "$folder/proc"
}

# JupyterLab as a user of Debian installs it, and what setup.sh makes of it.
set_up() {
  [[ -x $folder/usr/bin/jupyter-lab ]] || {
    inside apt-get update -qq
    inside apt-get install -qq --no-install-recommends ca-certificates jupyterlab jupyter-core jupyter-nbconvert >/dev/null
  }
  mkdir -p "$folder/usr/share/jupyter/lab/settings"
  echo '{"@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}}' >"$folder/usr/share/jupyter/lab/settings/overrides.json"
  inside env GOMODCACHE="$(go env GOMODCACHE)" GOCACHE="$(go env GOCACHE)" "$root/notebooks/setup.sh"
  echo "JupyterLab $(inside jupyter lab --version)"
}

# live ARGUMENT...: serves with those arguments, and runs the live test.
live() {
  local port token address
  port=$((20000 + RANDOM % 10000)) token=$(tr -dc a-z0-9 </dev/urandom | head -c 40 || true)
  address="http://127.0.0.1:$port/user/x"
  mkdir -p "$folder/srv/live" out/look/lab
  set -m # else the server and its kernels would ignore SIGINT
  chroot "$folder" bash -c 'cd /srv/live && exec "$@"' - env HOME=/root GOMODCACHE="$(go env GOMODCACHE)" GOCACHE="$(go env GOCACHE)" \
    jupyter lab --no-browser --allow-root --ip=127.0.0.1 --port="$port" --ServerApp.port_retries=0 --ServerApp.base_url=/user/x/ \
    --IdentityProvider.token="$token" --LabApp.expose_app_in_browser=True >"$log" 2>&1 &
  set +m
  LOOK_OUT=$root/out/look/lab MPCVM_SERVER="$address/?token=$token" go -C scripts/look test -count=1 -v -run 'TestLiveNotebook' . ||
    { tail -50 "$log"; return 1; }
}

step "a Debian in $folder" debian
step "mounts" mounts
step "set up JupyterLab" set_up
step "live notebooks in JupyterLab" live
