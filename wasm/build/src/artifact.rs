//! One wasm file: compiled, bound, optimized.

use super::{
    Folders,
    bindings::{completed, shorten},
    command,
};
use std::{
    borrow::Cow,
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
};
use wasm_bindgen_cli_support::Bindgen;
use xxhash_rust::xxh3::xxh3_128;

/// The files that differ in the instructions they use.
#[derive(Clone, Copy)]
pub enum Instructions {
    /// Runs everywhere. Its bindings serve both.
    Baseline,
    /// Needs 128-bit vectors.
    Simd,
    /// Needs vectors, and memory that threads share, with bindings of its own.
    Threads,
}

/// The most memory that threads may share, in bytes: browsers want to know it, and phones refuse
/// more.
const MOST_SHARED: u32 = 1 << 30;

impl Instructions {
    fn file_name(self) -> &'static str {
        match self {
            Self::Baseline => "hapax.wasm",
            Self::Simd => "hapax_simd.wasm",
            Self::Threads => "hapax_threads.wasm",
        }
    }

    /// What the compiler is told beside what all files are compiled with.
    fn flags(self) -> Vec<String> {
        match self {
            Self::Baseline => Vec::new(),
            Self::Simd => vec!["-Ctarget-feature=+simd128".to_owned()],
            Self::Threads => {
                let features = "-Ctarget-feature=+simd128,+atomics,+bulk-memory,+mutable-globals";
                let linked = [
                    "--shared-memory".to_owned(),
                    "--import-memory".to_owned(),
                    format!("--max-memory={MOST_SHARED}"),
                    // Each thread has memory of its own within it.
                    "--export=__wasm_init_tls".to_owned(),
                    "--export=__tls_size".to_owned(),
                    "--export=__tls_align".to_owned(),
                    "--export=__tls_base".to_owned(),
                ];
                let linked = linked.map(|flag| format!("-Clink-arg={flag}"));
                [features.to_owned()].into_iter().chain(linked).collect()
            }
        }
    }
}

/// How much of the package a file holds.
#[derive(Clone, Copy)]
pub enum Part {
    /// All kinds of models.
    Whole,
    /// Models of nearest neighbors only.
    Nearest,
    /// The whole, and training, which those who only answer need not load.
    Train,
    /// What [`Part::Train`] holds, on a pool of threads. Where there can be none, the file of
    /// [`Part::Train`] takes its place, by the same bindings.
    Threads,
}

impl Part {
    /// The name of its folder in the package; the whole has none.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Whole => None,
            Self::Nearest => Some("nearest"),
            Self::Train => Some("train"),
            Self::Threads => Some("threads"),
        }
    }

    /// Where it stands in the package.
    pub fn folder(self, dist: &Path) -> PathBuf {
        self.name()
            .map_or_else(|| dist.to_owned(), |name| dist.join(name))
    }

    /// The folders of `package` whose files it has; a later one's take the place of an earlier's.
    pub fn sources(self) -> &'static [&'static str] {
        match self {
            Self::Whole | Self::Nearest => &[""],
            Self::Train => &["", "train"],
            Self::Threads => &["", "train", "threads"],
        }
    }

    fn features(self) -> &'static [&'static str] {
        match self {
            Self::Whole => &["--no-default-features", "--features", "kinds"],
            Self::Nearest => &["--no-default-features"],
            // Of its kernels the unrolled forms are 3 kB gzipped, and no faster.
            Self::Train => &["--config", SMALLER_KERNELS],
            Self::Threads => &["--config", SMALLER_KERNELS, "--features", "threads"],
        }
    }
}

const SMALLER_KERNELS: &str = "profile.wasm.package.hapax-wasm-kernels.opt-level=2";

/// Builds one wasm file of the package, and its bindings unless they are those of the baseline.
pub fn build(
    folders: &Folders,
    instructions: Instructions,
    part: Part,
) -> Result<(), Box<dyn Error>> {
    let name = instructions.file_name();
    let target = folders.root.join("target/wasm").join(name);
    compile(folders, instructions, part, &target)?;
    let compiled = target.join("wasm32-unknown-unknown/wasm/hapax_wasm_module.wasm");
    let bound = target.join("bound");
    let mut output = Bindgen::new()
        .input_path(compiled)
        .web(true)?
        .typescript(true)
        // The loaders pass the module; bundlers would look for a file that is not there.
        .omit_default_module_path(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .out_name("bindings")
        .generate_output()?;
    let imports = output.wasm_mut().imports.iter_mut();
    shorten(imports.map(|import| (&mut import.module, &mut import.name)))?;
    output.emit(&bound)?;
    let folder = part.folder(&folders.dist);
    let optimized = optimize(folders, &bound.join("bindings_bg.wasm"))?;
    fs::copy(optimized, folder.join(name))?;
    if !matches!(instructions, Instructions::Simd) {
        let bindings = fs::read_to_string(bound.join("bindings.js"))?;
        fs::write(folder.join("bindings.js"), completed(&bindings)?)?;
        fs::copy(bound.join("bindings.d.ts"), folder.join("bindings.d.ts"))?;
    }
    Ok(())
}

/// Compiles the module, and with it the standard library: that one for size, and so that a panic is
/// a trap without a message and derived `Debug` prints nothing, which saves a third of the file.
/// Cargo wants `RUSTC_BOOTSTRAP` for that, and libm for square roots that are one instruction.
fn compile(
    folders: &Folders,
    instructions: Instructions,
    part: Part,
    target: &Path,
) -> Result<(), Box<dyn Error>> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut flags = [
        "-Zunstable-options",
        "-Cpanic=immediate-abort",
        "-Zfmt-debug=none",
        "-Zlocation-detail=none",
    ]
    .map(str::to_owned)
    .to_vec();
    flags.extend(instructions.flags());
    let status = Command::new(cargo)
        .args([
            "build",
            "--package",
            "hapax-wasm-module",
            "--profile",
            "wasm",
            "--locked",
            "--quiet",
            "--features",
            "intrinsics",
        ])
        .args(part.features())
        .args([
            "-Zbuild-std=std,panic_abort",
            "-Zbuild-std-features=optimize_for_size",
        ])
        .args(["--target", "wasm32-unknown-unknown", "--target-dir"])
        .arg(target)
        .current_dir(&folders.root)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err("the crate hapax-wasm-module does not compile".into())
    }
}

/// Twice is nearly as good as until nothing changes. The lowest kilobyte is the end of the stack:
/// no address is as small as the offset of a field.
const OPTIMIZATION: [&str; 12] = [
    "-Oz",
    "--low-memory-unused",
    "-Oz",
    "--enable-simd",
    "--enable-threads",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
    "--strip-producers",
];

/// The file at `input` made smaller: a file under `target` that is named by what it comes from, and
/// made once, for that takes most of a build in which nothing has changed.
fn optimize(folders: &Folders, input: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let binaryen = folders.wasm.join("node_modules/binaryen");
    let mut from = fs::read(input)?;
    from.extend(fs::read(binaryen.join("package.json"))?);
    from.extend(OPTIMIZATION.concat().bytes());
    let name = format!("{:032x}.wasm", xxh3_128(&from));
    let kept = folders.root.join("target/wasm/optimized");
    let output = kept.join(name);
    if output.is_file() {
        return Ok(output);
    }
    fs::create_dir_all(&kept)?;
    let unfinished = output.with_extension("unfinished");
    let program = binaryen.join("bin/wasm-opt");
    let mut arguments = vec![program.to_string_lossy()];
    arguments.extend(OPTIMIZATION.map(Cow::from));
    arguments.extend([
        input.to_string_lossy(),
        "-o".into(),
        unfinished.to_string_lossy(),
    ]);
    let arguments: Vec<&str> = arguments.iter().map(Cow::as_ref).collect();
    command("node", &arguments, &folders.root)?;
    fs::rename(unfinished, &output)?;
    Ok(output)
}
