# What the set-up and check scripts share; sourced by them at the top of the checkout.
# shellcheck shell=bash

root=$PWD
bin=$root/.tools/bin # the pinned tools, kept out of the user's own folders
export PATH=$bin:$PATH

say() { printf '\n== %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# openblas_here: whether mpcvm/openblas can be built.
openblas_here() { have gcc && echo '#include <cblas.h>' | gcc -E - >/dev/null 2>&1; }

# small_notebooks NOTEBOOK...: none may have more than 450 kB, as they are kept with their outputs.
small_notebooks() {
  local notebook size status=0
  for notebook; do
    size=$(wc -c <"$notebook")
    ((size <= 450000)) || { echo "$notebook has $size bytes, more than 450 kB"; status=1; }
  done
  return $status
}

# step NAME COMMAND...: says what is done, does it, and says how long it took.
step() {
  local name=$1 start=$SECONDS status=0 verdict=passed
  shift
  say "$name"
  "$@" || { status=$? verdict=FAILED; }
  printf -- '-- %s: %s, %d s\n' "$name" "$verdict" $((SECONDS - start))
  return $status
}

# apt_install PACKAGE...: installs the Debian packages that are missing; root or sudo is needed only then.
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
  "${as_root[@]}" apt-get update -qq || true # a stale list of some other source need not matter
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# go_tools FOLDER: builds the tools that the go.mod in FOLDER pins; quick when they are there.
go_tools() { GOBIN=$bin go -C "$1" install tool; }
