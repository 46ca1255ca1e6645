#!/bin/sh
# Install Tengen for a server into a new virtual environment: install.sh SOURCE TARGET
#
# The steps of the Dockerfile, in a script so that soak/test_container.py can run them without Docker.
set -eu
source=$1
target=$2
python3 -m venv "$target"
"$target/bin/python" -m pip install --no-cache-dir --disable-pip-version-check --quiet "$source[cluster,postgresql]"
"$target/bin/tengen" --version
