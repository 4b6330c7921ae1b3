# Functions shared by the scripts and tools/gate. Source this file in the top folder of the checkout.
# shellcheck shell=bash

root=$PWD
bin=$root/.tools/bin # the pinned tools, separate from the user's own folders
export PATH=$bin:$PATH

die() { printf 'error: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# apt_install PACKAGE...: installs missing Debian packages; needs root or sudo only if any are missing.
apt_install() {
  local package missing=() as_root=()
  for package; do
    [[ $(dpkg-query -Wf '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0
  if [[ $EUID != 0 ]]; then
    have sudo || die "missing packages and no sudo; run as root: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  echo "installing Debian packages: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq || true # another package source may be unreachable
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# go_tools FOLDER [PACKAGE...]: builds all or some of the tools pinned by the go.mod in FOLDER.
go_tools() { GOWORK=off GOBIN=$bin go -C "$1" install "${@:2}"; }
