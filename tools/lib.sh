# Functions that the scripts share. A script sources this file after cd to the top of the checkout.
# shellcheck shell=bash

root=$PWD
modules=(. tables cmd experiments site tools) # of go.work
tested=(./... ./tables/... ./cmd/... ./experiments/...)
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
go_tools() { GOWORK=off GOBIN=$bin go -C "$1" install tool; }

# node_packages installs the npm packages that check the site and run exported models.
node_packages() {
  local folder
  for folder in site/build tools/onnx; do
    [[ -d $folder/node_modules ]] || npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund
  done
}

chromium_here() {
  have chromium || have google-chrome || have chromium-browser ||
    [[ -x "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" || -x /Applications/Chromium.app/Contents/MacOS/Chromium ]]
}

# look_at PAGE...: looks at the charts of pages in Chromium.
look_at() { GOBIN=$bin go install ./tools/look && look -out out/look "$@"; }

# start_checks begins a list of checks: the names of failed ones and of those left out, a line each, and the output of
# running ones are in $work.
start_checks() {
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  touch "$work/failed" "$work/left" "$work/outputs"
}

# check NAME COMMAND...: a step that prints its output when it ends. Its failure does not stop the later ones.
check() {
  local output
  output=$(mktemp "$work/output.XXXXXX")
  echo ".. $1"
  (step "$@") >"$output" 2>&1 </dev/null || { echo "$1" >>"$work/failed"; printf '%s\n' "$output" >>"$work/outputs"; }
  until mkdir "$work/printing" 2>/dev/null; do sleep 0.1; done # another lane prints
  cat "$output"
  rmdir "$work/printing"
}

# missing CHECK WHAT: records that a check cannot run on this machine.
missing() {
  say "!!! NOT CHECKED: $1, as there is no $2"
  if [[ ${CI:-} == true ]]; then echo "$1 (no $2)" >>"$work/failed"; else echo "$1 (no $2)" >>"$work/left"; fi
}

# end_checks says what was left out and what failed, with the last lines of each failed check.
end_checks() {
  local output
  while read -r output; do tail -n 25 "$output"; done 2>/dev/null <"$work/outputs"
  say "checked in $SECONDS s"
  sed 's/^/left out: /' "$work/left"
  sed 's/^/FAILED: /' "$work/failed"
  [[ ! -s $work/failed ]]
}
