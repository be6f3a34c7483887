#!/bin/sh
# Builds what would be published: a source distribution, built once to prove that it can be, and
# wheels for the platforms that zig and MinGW can link for. The one for this machine is tried.
set -eu
cd "$(dirname "$0")"
work=target/wheels
limit=3000000
tools=$work/tools

rm -rf "$work"
python3 -m venv "$tools"
"$tools/bin/pip" install --quiet --disable-pip-version-check maturin ziglang
PATH="$PWD/$tools/bin:$PATH"
export PATH CARGO_TARGET_DIR=target

# make WORDS...: runs maturin, and shows what it said if it fails.
make() {
  maturin "$@" --out "$work/out" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
  }
}

# build TARGET [OPTION]...
build() {
  target=$1
  shift
  rustup target add "$target" 2>/dev/null
  make build --release --locked --quiet --target "$target" "$@"
}

build x86_64-unknown-linux-gnu --zig --compatibility manylinux2014
build aarch64-unknown-linux-gnu --zig --compatibility manylinux2014
build x86_64-unknown-linux-musl --zig --compatibility musllinux_1_2
# These linkers keep functions that nobody calls, which double the wheel: LTO leaves them out. The
# others go without, for with it training is slower (python/bench.py).
(
  export CARGO_PROFILE_RELEASE_LTO=thin
  build aarch64-apple-darwin --zig
  build x86_64-pc-windows-gnu
)

for wheel in "$work"/out/*.whl; do
  bytes=$(wc -c < "$wheel")
  echo "$(basename "$wheel"): $bytes bytes"
  if [ "$bytes" -gt "$limit" ]; then
    echo "the wheel is larger than $limit bytes" >&2
    exit 1
  fi
done

# try_out WHEEL: what a user meets first.
try_out() {
  rm -rf "$work/venv"
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check "$1"
  "$work/venv/bin/python" -c "
import hapax
model = hapax.train(
    ['my card was lost', 'where is my card', 'my card is lost', 'when does it arrive'],
    ['lost', 'arrival', 'lost', 'arrival'],
    'nearest',
)
[[answer]] = model.predict(['lost my card'], k=1)
assert answer.label == 'lost', answer"
}

case $(uname -m) in
  x86_64) try_out "$(echo "$work"/out/*manylinux*x86_64.whl)" ;;
  aarch64) try_out "$(echo "$work"/out/*manylinux*aarch64.whl)" ;;
esac

make sdist
source=$(echo "$work"/out/*.tar.gz)
echo "$(basename "$source"): $(wc -c < "$source") bytes"
"$tools/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
  --wheel-dir "$work/of-source" "$source"
try_out "$(echo "$work"/of-source/*.whl)"
