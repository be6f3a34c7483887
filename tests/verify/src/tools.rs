//! Programs that parts need, and commands that several of them run.

use super::parts::Program;

pub const RUSTUP: Program = Program {
    name: "rustup",
    install: "install Rust by rustup (https://rustup.rs)",
};

/// The xz library is C.
pub const C_COMPILER: Program = Program {
    name: "cc",
    install: "install a C compiler, for example by apt-get install gcc libc6-dev",
};

pub const NPM: Program = Program {
    name: "npm",
    install: "install Node.js with npm, for example by apt-get install nodejs npm",
};

pub const PYTHON: Program = Program {
    name: "python3",
    install: "install Python 3, for example by apt-get install python3",
};

pub const MINGW: Program = Program {
    name: "x86_64-w64-mingw32-gcc",
    install: "install MinGW, for example by apt-get install gcc-mingw-w64-x86-64",
};

pub const RUSTFMT: &[&str] = &["rustup", "component", "add", "rustfmt"];
pub const CLIPPY: &[&str] = &["rustup", "component", "add", "clippy"];
pub const CORTEX_M: &[&str] = &["rustup", "target", "add", "thumbv7em-none-eabihf"];

/// What fuzz targets and sanitizers are compiled by, and an interpreter.
pub const NIGHTLY: &[&str] = &[
    "rustup",
    "toolchain",
    "install",
    "nightly",
    "--profile",
    "minimal",
    "--component",
    "miri",
    "--component",
    "rust-src",
];

/// What must not run twice at once. Where all parts run, these run before them.
pub const INSTALLATIONS: &[&[&str]] = &[RUSTFMT, CLIPPY, CORTEX_M, NPM_WORDNET, NPM_INSTALL];

/// A browser for pages.
pub const CHROMIUM: &[&str] = &["sh", "www/tests/browser.sh", "chromium"];

/// WordNet for the demonstration and its tests.
pub const NPM_WORDNET: &[&str] = &[
    "npm",
    "ci",
    "--prefix",
    "www",
    "--ignore-scripts",
    "--no-fund",
];

/// What the package is built and tested with.
/// `npm ci` would refuse the lock file where the registry lacks packages of other platforms.
pub const NPM_INSTALL: &[&str] = &["npm", "--prefix", "wasm", "install", "--no-save"];

/// What drives other targets. Compiled as for the tests, and with an example, for what is compiled
/// together decides on the features of what they share: no crate is compiled twice.
pub const PROGRAMS: &[&str] = &[
    "cargo",
    "build",
    "--workspace",
    "--bin",
    "bare-metal",
    "--bin",
    "build-wasm",
    "--example",
    "unicode_tables",
    "--quiet",
];

/// The command as tests have it, which packages are held against. With the programs, or crates
/// would be compiled twice.
pub const TESTED: &[&str] = &[
    "cargo",
    "build",
    "--workspace",
    "--bin",
    "hapax",
    "--bin",
    "bare-metal",
    "--bin",
    "build-wasm",
    "--example",
    "unicode_tables",
    "--quiet",
];

/// The command as users have it, and the demonstration, for parts that train so much that they run
/// too long without optimization. Together, or what they share would be compiled twice.
pub const COMMAND: &[&str] = &[
    "cargo",
    "build",
    "--release",
    "-p",
    "hapax",
    "-p",
    "hapax-demo",
    "--bin",
    "hapax",
    "--bin",
    "hapax-demo",
    "--quiet",
];

/// The book builds without a word of warning.
pub const BOOK: &str = "target/tools/bin/mdbook build docs > target/book.log 2>&1 || true
cat target/book.log
test -f target/book/index.html
! grep -E 'WARN|ERROR' target/book.log";

/// What the workspace, the Python package and the firmware are made of.
pub const DENY: &str =
    "for manifest in Cargo.toml python/Cargo.toml tests/bare-metal/Cargo.toml; do
  target/tools/bin/cargo-deny --manifest-path $manifest --config deny.toml check \\
    --allow license-not-encountered --allow unmatched-skip licenses bans sources
done";

/// Two clones in folders of other names and depths: the same bytes of the command, of all wasm
/// files and of the npm tarball. What build scripts of others generate lies in the clone: its path
/// would go into the order of code, but for the prefix that is taken away, and into names of
/// symbols, which archives do not have either.
pub const REPRODUCIBLE: &str = "work=target/reproducible
rm -rf $work
for clone in one two/below; do git clone --quiet . $work/$clone; done
for clone in one two/below; do
  ( cd $work/$clone
    npm --prefix wasm install --no-save
    cargo build-wasm > build-wasm.log || { cat build-wasm.log; exit 1; }
    RUSTFLAGS=--remap-path-prefix=$PWD=. CARGO_PROFILE_RELEASE_STRIP=symbols \\
      cargo build --release --locked --quiet -p hapax --bin hapax
    cd wasm/dist
    npm pack --silent > /dev/null )
done
cd $work/one
for file in target/release/hapax $(find wasm/dist -name '*.wasm' -o -name '*.tgz'); do
  cmp $file ../two/below/$file
  sha256sum $file
done";

/// The public interface of the library breaks nothing since the last release without a version that
/// says so.
pub const SEMVER: &str = "if ! tag=$(git describe --tags --abbrev=0 --match 'v*'); then
  echo 'no release is tagged here: git fetch --tags'
  exit 1
fi
echo \"since $tag\"
target/tools/bin/cargo-semver-checks semver-checks --baseline-rev \"$tag\" --default-features \\
  -p hapax-core -p hapax";

/// The oldest compiler that the manifests promise, with what it needs to compile and no more.
pub const OLDEST: &str = "version=$(sed -n 's/^rust-version = \"\\(.*\\)\"/\\1/p' Cargo.toml)
rustup toolchain install --profile minimal \"$version\"
cargo +\"$version\" check --quiet --target-dir target/oldest -p hapax-core -p hapax --lib --bins";

/// The command that builds a program of others into `target/tools`: its options and its version.
macro_rules! cargo_tool {
    ($($word:literal),+) => {
        &["cargo", "install", "--quiet", "--locked", "--root", "target/tools", $($word),+]
    };
}
pub(crate) use cargo_tool;
