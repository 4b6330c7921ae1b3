#!/usr/bin/env bash
# Serves the notebooks with the user's Jupyter and prints the address. Arguments go to Jupyter, such as
# --ServerApp.base_url=/x/. IP=0.0.0.0 opens it beyond this machine, for a container with a published port.
set -euo pipefail
cd "$(dirname "$0")/../notebooks"

server=lab class=ServerApp
if ! jupyter lab --version >/dev/null 2>&1; then
  server=notebook
  [[ $(jupyter notebook --version) != 6.* ]] || class=NotebookApp
fi
options=(--ip="${IP:-127.0.0.1}" --no-browser -y) # -y: Ctrl-C stops it without a question
# Jupyter would name the container first, which no browser outside it knows.
[[ ${IP:-} != 0.0.0.0 ]] || options+=("--$class.custom_display_url=http://127.0.0.1:8888")
if [[ $EUID == 0 ]]; then
  echo "note: running as root, so Jupyter is started with --allow-root; outside a container use an ordinary user"
  options+=(--allow-root)
fi
# Without trust, charts react only after their cells have been run.
jupyter trust ./*.ipynb solutions/*.ipynb || echo "note: the charts react after their cells have been run"
echo "open the address that follows; Ctrl-C stops Jupyter"
exec jupyter "$server" "${options[@]}" "$@"
