# Functions that the scripts and tools/gate share. A script sources this file after cd to the top of the checkout.
# shellcheck shell=bash

root=$PWD
bin=$root/.tools/bin # the pinned tools, kept out of the user's own folders
export PATH=$bin:$PATH

die() { printf 'error: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# apt_install PACKAGE...: installs the Debian packages that are missing. Only then it needs root or sudo.
apt_install() {
  local package missing=() as_root=()
  for package; do
    [[ $(dpkg-query -Wf '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0
  if [[ $EUID != 0 ]]; then
    have sudo || die "these packages are missing and there is no sudo; as root run: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  echo "installing Debian packages: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq || true # the list of another source may be stale
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# go_tools FOLDER [PACKAGE...]: builds the tools that the go.mod in FOLDER pins, or some of them.
go_tools() { GOWORK=off GOBIN=$bin go -C "$1" install "${@:2}"; }
