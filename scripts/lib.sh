# Functions that the scripts share. A script sources this file after cd to the top of the checkout.
# shellcheck shell=bash

root=$PWD
bin=$root/.tools/bin # the pinned tools, kept out of the user's own folders
export PATH=$bin:$PATH

say() { printf '\n== %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# small_notebooks NOTEBOOK...: fails if one has more than 900 kB. Notebooks are committed with their outputs.
small_notebooks() {
  local notebook size status=0
  for notebook; do
    size=$(wc -c <"$notebook")
    ((size <= 900000)) || { echo "$notebook has $size bytes, more than 900 kB"; status=1; }
  done
  return $status
}

# step NAME COMMAND...: prints the name, runs the command, prints whether it passed and its time.
step() {
  local name=$1 start=$SECONDS status=0 verdict=passed
  shift
  say "$name"
  "$@" || { status=$? verdict=FAILED; }
  printf -- '-- %s: %s, %d s\n' "$name" "$verdict" $((SECONDS - start))
  return $status
}

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

# go_tools FOLDER: builds the tools that the go.mod in FOLDER pins.
go_tools() { GOBIN=$bin go -C "$1" install tool; }

# node_packages installs the npm packages that check the site.
node_packages() {
  [[ -d scripts/site/node_modules ]] || npm ci --prefix scripts/site --ignore-scripts --no-audit --no-fund
}
