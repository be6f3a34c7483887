#!/bin/sh
# Builds the wheel and tests it on the oldest and on the newest CPython found, from 3.10 on: the
# oldest with the oldest packages that are supported, the newest with the newest. `verify.sh sets`
# instead compares models of every data set with those of the command and of the npm package.
set -eu
cd "$(dirname "$0")"
part=${1:-}
work=target/verify
limit=3000000

found=
# The shims of pyenv are there for versions that are not chosen, too: what runs counts.
for minor in 10 11 12 13 14 15; do
  for name in "python3.$minor" "$HOME"/.pyenv/versions/3."$minor".*/bin/python; do
    if "$name" -c 'import ensurepip, venv' 2>/dev/null; then
      found="$found $name"
      break
    fi
  done
done
if [ -z "$found" ]; then
  echo 'CPython 3.10 or later with venv is missing: for example apt-get install python3-venv' >&2
  exit 1
fi
# shellcheck disable=SC2086 # a list of words
set -- $found
oldest=$1
for newest; do :; done

# make_venv FOLDER PYTHON PACKAGES...
make_venv() {
  folder=$1 python=$2
  shift 2
  rm -rf "$folder"
  "$python" -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
}

make_venv "$work/newest" "$newest" datasets maturin napkinxc numpy pandas pytest scikit-learn scipy
rm -rf "$work/wheels"
PATH="$PWD/$work/newest/bin:$PATH" CARGO_TARGET_DIR=target \
  maturin build --release --locked --quiet --out "$work/wheels"
wheel=$(echo "$work"/wheels/*.whl)
bytes=$(wc -c < "$wheel")
echo "$(basename "$wheel"): $bytes bytes"
if [ "$bytes" -gt "$limit" ]; then
  echo "the wheel is larger than $limit bytes" >&2
  exit 1
fi

# run_tests FOLDER TESTS...
run_tests() {
  folder=$1
  shift
  "$folder/bin/pip" install --quiet --disable-pip-version-check --no-deps "$wheel"
  "$folder/bin/python" -c "import importlib.metadata, platform
named = ('numpy', 'scikit-learn', 'annif', 'dask', 'pyspark')
here = {found.name.lower(): found.version for found in importlib.metadata.distributions()}
print('CPython', platform.python_version(), *(f'{n} {here[n]}' for n in named if n in here))"
  "$folder/bin/python" -m pytest -p no:cacheprovider "$@"
}

if [ "$part" = sets ]; then
  run_tests "$work/newest" tests/sets
  exit
fi
run_tests "$work/newest"
if [ "$oldest" != "$newest" ]; then
  make_venv "$work/oldest" "$oldest" pytest -r tests/oldest.txt
  run_tests "$work/oldest"
fi

# Annif holds its packages back: it has a venv of its own.
make_venv "$work/annif" "$oldest" pytest scipy 'annif>=1.4,<2'
run_tests "$work/annif" tests/test_annif.py

# Dask and Spark are large, and Spark runs on Java.
if ! command -v java >/dev/null; then
  echo 'Java 17 or later is missing: for example apt-get install default-jre-headless' >&2
  exit 1
fi
make_venv "$work/engines" "$newest" pytest scipy 'dask[dataframe,distributed]' pyspark
run_tests "$work/engines" tests/test_engines.py
