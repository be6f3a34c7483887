#!/bin/sh
# A page that codes diagnoses, offline: data from PyPI, a model of 1 MB, figures on held-out texts,
# and the page, by the command alone. What is given here is for `hapax web`, such as --serve.
set -eu
cd "$(dirname "$0")/.."
hapax=${HAPAX_COMMAND:-target/release/hapax}
work=target/diagnosis

if [ ! -x "$hapax" ]; then
  echo 'the command is missing: cargo build-wasm && cargo build --release -p hapax' >&2
  exit 1
fi
python3 www/diagnosis.py "$work"
"$hapax" train "$work/train.tsv" -o "$work/model.hapax" --max-bytes 1MB --test "$work/test.tsv"
exec "$hapax" web "$work/model.hapax" -o "$work/site" --title 'Code a diagnosis' \
  --label-info "$work/labels.tsv" \
  --example 'closed fracture of the left wrist' --example 'type 2 diabetes with kidney damage' \
  --example 'stung by a bee' --example 'underactive thyroid' "$@"
