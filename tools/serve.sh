#!/usr/bin/env bash
# Serves the notebooks with the user's Jupyter and prints the address. Arguments are passed to Jupyter, such as
# --ServerApp.base_url=/x/. IP=0.0.0.0 also accepts other machines, for a container with a published port.
set -euo pipefail
cd "$(dirname "$0")/../notebooks"

options=(--ip="${IP:-127.0.0.1}" --no-browser -y) # -y: Ctrl-C stops it without asking
if [[ $EUID == 0 ]]; then
  echo "note: running as root, so Jupyter is started with --allow-root; outside of a container, use an ordinary user"
  options+=(--allow-root)
fi
# In untrusted notebooks, charts are interactive only after their cells have been run.
jupyter trust ./*.ipynb solutions/*.ipynb || echo "note: run the cells to make their charts interactive"
# The kernels complete names once gopls is installed.
[[ -x ../.tools/bin/gopls ]] || ./setup.sh completion >/dev/null 2>&1 &
echo "open the address below; press Ctrl-C to stop Jupyter"
server=lab
jupyter lab --version >/dev/null 2>&1 || server=notebook
exec jupyter "$server" "${options[@]}" "$@"
