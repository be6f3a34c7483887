//! Lists the files that `hapax web` carries: those of the npm package that `cargo build-wasm` has
//! put into `dist`, or none. The published crate has them.

use std::{env, error::Error, fmt::Write, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rustc-check-cfg=cfg(web_package)");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("dist");
    // A copy of the sources may lack the empty folder, and cargo would run this each time for it.
    let watched = if folder.is_dir() { "dist" } else { "build.rs" };
    println!("cargo::rerun-if-changed={watched}");
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with('.') {
            paths.push((name.into_owned(), path));
        }
    }
    paths.sort();
    let mut list = String::from("&[\n");
    for (name, path) in &paths {
        writeln!(list, "    ({name:?}, include_bytes!({path:?})),")?;
    }
    list += "]\n";
    if !paths.is_empty() {
        println!("cargo::rustc-cfg=web_package");
    }
    fs::write(
        Path::new(&env::var("OUT_DIR")?).join("web_package.rs"),
        list,
    )?;
    Ok(())
}
