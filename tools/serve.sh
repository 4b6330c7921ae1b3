#!/usr/bin/env bash
# Serves the notebooks with the user's Jupyter and prints the address. Arguments go to Jupyter, such as
# --ServerApp.base_url=/x/. IP=0.0.0.0 opens it beyond this machine, for a container with a published port.
set -euo pipefail
cd "$(dirname "$0")/../notebooks"

options=(--ip="${IP:-127.0.0.1}" --no-browser -y) # -y: Ctrl-C stops it without a question
if [[ $EUID == 0 ]]; then
  echo "note: running as root, so Jupyter is started with --allow-root; outside a container use an ordinary user"
  options+=(--allow-root)
fi
# Without trust, charts react only after their cells have been run.
jupyter trust ./*.ipynb solutions/*.ipynb || echo "note: the charts react after their cells have been run"
# The kernels of Jupyter complete names as soon as gopls is there.
[[ -x ../.tools/bin/gopls ]] || ./setup.sh completion >/dev/null 2>&1 &
echo "open the address that follows; Ctrl-C stops Jupyter"
server=lab
jupyter lab --version >/dev/null 2>&1 || server=notebook
exec jupyter "$server" "${options[@]}" "$@"
