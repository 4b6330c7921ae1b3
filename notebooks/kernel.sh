#!/bin/sh
# Starts GoNB for a notebook. Inside a clone of the repository, cells use the packages of this clone; elsewhere
# GoNB fetches the published ones. setup.sh copies this script into the kernel's entry of Jupyter.
work=$(go env GOWORK)
use=
if [ -n "$work" ] && [ "$work" != off ]; then
  use=$(cd "$(dirname "$work")" && go list -m -f '{{.Dir}}' | paste -sd, -)
fi
export GOFLAGS="-ldflags=-s${GOFLAGS:+ $GOFLAGS}" # builds without symbols are faster
exec gonb "$@" -go_work="$use"
