//! The files of a site.

use crate::{
    failure::Failure,
    output::shown_html,
    table::{bytes as shown_bytes, count},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use brotli::enc::BrotliEncoderParams;
use flate2::{Compression, write::GzEncoder};
use hapax::{
    core::{bytes::Bytes, executor::Executor, model::Model},
    serve::{PAGE_HEADERS, POLICY},
};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::{
    fmt::Write,
    io::{self, Write as _},
};

/// The npm package, as far as pages need it: see build.rs. What ends in `.br` is compressed.
const PACKAGE: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/web_package.rs"));

/// Of the two wasm files of the package browsers load one, nearly always the other.
const OLD_BROWSERS: &str = "hapax/hapax.wasm";
const MODEL: &str = "model.hapax";
const PAGE: &str = "index.html";
const WORKER: &str = "sw.js";

/// Files of so many bytes are worth compressing.
const WORTH_COMPRESSING: usize = 1000;
/// Up to so many bytes Brotli takes its time; beyond, it would take minutes for some percent.
const SMALL: usize = 1_000_000;

macro_rules! texts {
    ($($name:literal)*) => {[$(($name, include_str!(concat!("page/", $name)))),*]};
}

const TEXTS: [(&str, &str); 10] = texts! {
    "answers.js" "app.js" "corrections.js" "element.js" "embed.js" "icon.svg" "numbers.js" "site.css" "style.css" "support.js"
};

/// A file of a site, and where in its folder it belongs.
pub struct File {
    pub name: String,
    pub bytes: Bytes,
}

impl File {
    fn new(name: impl Into<String>, bytes: impl Into<Bytes>) -> Self {
        let (name, bytes) = (name.into(), bytes.into());
        Self { name, bytes }
    }
}

/// What a site is made of.
pub struct Page<'a> {
    pub title: &'a str,
    pub language: &'a str,
    pub examples: &'a [String],
    /// What each link at the foot says, and where it goes.
    pub links: &'a [(String, String)],
    /// JSON: what labels mean.
    pub labels: Option<&'a [u8]>,
    pub model: &'a Model,
    /// The model's file.
    pub bytes: Bytes,
}

/// All files of a site.
pub struct Made {
    pub files: Vec<File>,
    /// The bytes that a first visit loads where the server sends them compressed.
    pub first_visit: u64,
}

/// A hash that browsers and this command compare files by.
pub fn integrity(bytes: &[u8]) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(bytes)))
}

impl Page<'_> {
    /// Makes the files, compressed ones included. The page and its service worker come last: until
    /// they are there, visitors have those of before.
    pub fn files(&self, threads: &Executor) -> Result<Made, Failure> {
        if PACKAGE.is_empty() {
            return Err(Failure::Other(
                "this hapax was built without what runs models in a page: in its repository, run `cargo \
                 build-wasm` and build hapax again"
                    .into(),
            ));
        }
        let mut files = vec![File::new(MODEL, self.bytes.clone())];
        files.extend(TEXTS.map(|(name, text)| File::new(name, text)));
        files.push(File::new("manifest.webmanifest", self.manifest()));
        files.extend(
            self.labels
                .map(|known| File::new("labels.json", known.to_vec())),
        );
        let (notices, code): (Vec<_>, Vec<_>) =
            PACKAGE.iter().partition(|(name, _)| is_notice(name));
        let mut ready = Vec::new();
        for &(name, bytes) in code {
            let name = format!("hapax/{name}");
            match name.strip_suffix(".br") {
                Some(plain) => {
                    files.push(File::new(plain, decompressed(bytes)?));
                    ready.push(File::new(name, bytes));
                }
                None => files.push(File::new(name, bytes)),
            }
        }
        let page = File::new(PAGE, self.html());
        let kept: Vec<_> = files.iter().chain([&page]).map(kept_file).collect();
        let kept = serde_json::to_string(&kept).map_err(|e| Failure::Other(e.to_string()))?;
        let worker = include_str!("page/sw.js").replace("{{files}}", &kept);
        files.extend(notices.iter().map(|(name, bytes)| File::new(*name, *bytes)));
        files.extend([
            File::new("_headers", headers()),
            page,
            File::new(WORKER, worker),
        ]);
        let compressed = compressed(&files, &ready, threads)?;
        let visited = |file: &File| match file.name.as_str() {
            OLD_BROWSERS | "_headers" => 0,
            name if is_notice(name) => 0,
            name => {
                let brotli = format!("{name}.br");
                let small = compressed.iter().find(|file| file.name == brotli);
                small.unwrap_or(file).bytes.len() as u64
            }
        };
        let first_visit = files.iter().map(visited).sum();
        files.splice(0..0, compressed);
        Ok(Made { files, first_visit })
    }

    fn html(&self) -> String {
        let made = self.model.provenance();
        let labels = u64::from(self.model.labels());
        let about = format!(
            "{}, {} training texts, {}",
            made.algorithm,
            count(made.rows),
            made.library
        );
        let mut examples = String::new();
        for example in self.examples {
            let (text, language) = (outside(example), self.language);
            let _ = write!(
                examples,
                "<button type=\"button\" lang=\"{language}\" dir=\"auto\">{text}</button>"
            );
        }
        let group = match self.examples {
            [] => "",
            _ => " role=\"group\" aria-label=\"Examples\"",
        };
        let policy = POLICY.strip_suffix("; frame-ancestors 'none'");
        let mut html = include_str!("page/index.html").to_owned();
        for (place, text) in [
            ("{{policy}}", policy.unwrap_or(POLICY)),
            ("{{language}}", self.language),
            ("{{examples_group}}", group),
            ("{{labels}}", &labels.to_string()),
            ("{{labels_shown}}", &count(labels)),
            (
                "{{label_info}}",
                if self.labels.is_some() { "yes" } else { "" },
            ),
            ("{{size}}", &shown_bytes(self.bytes.len() as u64)),
            ("{{about}}", &shown_html(&about)),
            ("{{title}}", &outside(self.title)),
            ("{{links}}", &self.links()),
            ("{{examples}}", &examples),
        ] {
            html = html.replace(place, text);
        }
        html
    }

    /// The links at the foot of the page.
    fn links(&self) -> String {
        let mut shown = String::new();
        for (words, address) in self.links {
            let (words, address) = (outside(words), outside(address));
            let _ = write!(shown, "<li><a href=\"{address}\">{words}</a></li>");
        }
        match shown.as_str() {
            "" => shown,
            links => {
                format!("<nav aria-label=\"More\"><ul class=\"links\">{links}</ul></nav>\n    ")
            }
        }
    }

    /// What a system shows of the page where it is installed.
    fn manifest(&self) -> String {
        let manifest = json!({
            "name": self.title, "lang": self.language, "start_url": "./", "scope": "./",
            "display": "standalone", "background_color": "#faf8f4", "theme_color": "#faf8f4",
            "icons": [{"src": "icon.svg", "sizes": "any", "type": "image/svg+xml"}],
        });
        format!("{manifest:#}\n")
    }
}

/// What comes from outside as text of a page: no placeholder within it is filled.
fn outside(text: &str) -> String {
    shown_html(text).replace('{', "&#123;")
}

fn is_notice(name: &str) -> bool {
    name.starts_with("LICENSE") || name == "THIRD-PARTY.txt"
}

/// What the service worker keeps of a file: its address and its hash. Some servers send the address
/// of the page itself elsewhere, that of its folder never.
fn kept_file(file: &File) -> [String; 2] {
    let address = if file.name == PAGE { "" } else { &file.name };
    [address.to_owned(), integrity(&file.bytes)]
}

/// The headers of all answers, for servers that read them from here.
fn headers() -> String {
    let lines = PAGE_HEADERS.map(|(name, value)| format!("  {name}: {value}\n"));
    format!("/*\n{}", lines.concat())
}

/// What is smaller by Brotli or gzip than by a twentieth less, in the order of the files. What is
/// `ready` by Brotli is not compressed again.
fn compressed(files: &[File], ready: &[File], threads: &Executor) -> Result<Vec<File>, Failure> {
    let worth: Vec<_> = files
        .iter()
        .filter(|file| file.bytes.len() >= WORTH_COMPRESSING && file.name != "_headers")
        .collect();
    let made = threads.map(
        2 * worth.len(),
        || (),
        |(), job| {
            let File { name, bytes } = worth[job / 2];
            let ending = ["br", "gz"][job % 2];
            let name = format!("{name}.{ending}");
            let small = match (ready.iter().find(|file| file.name == name), ending) {
                (Some(file), _) => Ok(file.bytes.clone()),
                (None, "br") => brotlied(bytes).map(Bytes::from),
                (None, _) => gzipped(bytes).map(Bytes::from),
            };
            let file = small.map(|small| File::new(name, small));
            file.map(|file| (file.bytes.len() < bytes.len() / 20 * 19).then_some(file))
        },
    );
    let made: io::Result<Vec<_>> = made.into_iter().collect();
    let made = made.map_err(|error| Failure::Other(format!("cannot compress: {error}")))?;
    Ok(made.into_iter().flatten().collect())
}

/// What a file of the package holds that is compressed by Brotli.
fn decompressed(mut bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    brotli::BrotliDecompress(&mut bytes, &mut out)
        .map_err(|error| Failure::Other(format!("the page's files are damaged: {error}")))?;
    Ok(out)
}

fn brotlied(mut bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    let parameters = BrotliEncoderParams {
        quality: if bytes.len() <= SMALL { 11 } else { 9 },
        size_hint: bytes.len(),
        ..BrotliEncoderParams::default()
    };
    brotli::BrotliCompress(&mut bytes, &mut out, &parameters)?;
    Ok(out)
}

fn gzipped(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}
