//! `hapax web`: a page for a model of texts, as a folder for any web server.

mod folder;
mod labels;
mod page;

use super::{
    failure::Failure,
    input::{load_model, threads},
    output::{insist, note, print, warn},
    serve::{LOOK, told_by},
    table::{bytes, count},
};
use clap::Args;
use folder::Folder;
use hapax::{
    core::model::{Model, Scratch},
    files::map_model,
    kernels,
    serve::Pages,
};
use page::Page;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::{path::PathBuf, sync::atomic::Ordering, thread::sleep};

/// Make a web page that answers without a server.
///
/// Writes a folder with the page, the model and all that runs it, which any web server can show,
/// from any path. The model answers in the visitor's browser, also offline after the first visit;
/// no request leaves the site. The page shows probabilities, says when the model is not sure, and
/// why it answers so, as far as the model knows.
///
/// Made again, the folder gets the new files and loses the old ones. Files of others stay.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax web model.hapax -o site --serve
  hapax web subjects.hapax -o site --title 'Subject headings' --language de \\
      --example 'Fangquoten in der Ostsee' --label-info labels.tsv

The files end in .br and .gz a second time, compressed, for servers that send such files as they
are. `_headers` holds the HTTP headers of the site, in the form that Netlify and Cloudflare Pages
read; they are as strict as --serve's.")]
pub struct Web {
    /// The model, trained on texts
    model: PathBuf,
    /// The folder to write: a new or an empty one, or one that `hapax web` has written
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// What the page is called [default: the name of the model's file]
    #[arg(long)]
    title: Option<String>,
    /// The language of the texts and labels, such as en or pt-BR; the page's own words are English
    #[arg(long, value_name = "TAG", default_value = "en", value_parser = language)]
    language: String,
    /// A text for visitors to try, by a button; may be given several times
    #[arg(long = "example", value_name = "TEXT")]
    examples: Vec<String>,
    /// What labels mean: lines of a label, its definition and perhaps a link, separated by tabs
    #[arg(long, value_name = "FILE")]
    label_info: Option<PathBuf>,
    /// A link at the foot of the page, such as 'Imprint=https://example.org/imprint' or
    /// 'All our pages=../'; may be given several times
    #[arg(long = "link", value_name = "TEXT=ADDRESS", value_parser = link)]
    links: Vec<(String, String)>,
    /// Show the page to browsers until Ctrl-C: at 127.0.0.1:8080, unless you name an address
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, require_equals = true,
          default_missing_value = "127.0.0.1:8080")]
    serve: Option<String>,
}

/// Visitors with a phone will not wait for more.
const MANY_BYTES: u64 = 20_000_000;

/// A language tag: subtags of letters and digits, the first of letters alone.
fn language(text: &str) -> Result<String, String> {
    let first = text.split('-').next().unwrap_or_default();
    let is_subtag = |tag: &str| {
        (1..=8).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let is_tag = text.split('-').all(is_subtag) && first.bytes().all(|b| b.is_ascii_alphabetic());
    match is_tag && first.len() > 1 {
        true => Ok(text.to_owned()),
        false => Err("it is no language tag such as en, de or pt-BR".into()),
    }
}

/// What a link says and where it goes: an address of http, https or mailto, or a path.
fn link(text: &str) -> Result<(String, String), String> {
    let (words, address) = text.split_once('=').unwrap_or((text, ""));
    let (words, address) = (words.trim(), address.trim());
    let scheme = address.split_once(':').map(|(scheme, _)| scheme);
    let is_path = scheme.is_none_or(|scheme| scheme.contains(['/', '?', '#']));
    let goes = is_path || matches!(scheme, Some("http" | "https" | "mailto"));
    match !words.is_empty() && !address.is_empty() && goes {
        true => Ok((words.to_owned(), address.to_owned())),
        false => {
            Err("give its words, =, and an address of https, http or mailto, or a path".into())
        }
    }
}

impl Web {
    pub fn run(self) -> Result<(), Failure> {
        let model = load_model(&self.model)?;
        if model.vectorizer().is_none() {
            return Err(Failure::in_file(
                &self.model,
                "was trained on rows of features, but a page needs a model of texts: train one on texts",
            ));
        }
        self.check_examples(&model)?;
        let labels = self.label_info.as_deref();
        let labels = labels.map(|path| labels::read(path, &model)).transpose()?;
        let title = match self.title.as_deref().map(str::trim) {
            Some("") => return Err(Failure::Input("--title has no words".into())),
            Some(title) => title.to_owned(),
            None => {
                let name = self.model.file_stem().unwrap_or(self.model.as_os_str());
                name.to_string_lossy().into_owned()
            }
        };
        let folder = Folder::open(&self.output)?;
        let page = Page {
            title: &title,
            language: &self.language,
            examples: &self.examples,
            links: &self.links,
            labels: labels.as_deref(),
            model: &model,
            bytes: map_model(&self.model)?,
        };
        let made = page.files(&threads(0)?)?;
        folder.write(&made.files)?;
        let output = self.output.display();
        let (files, visit) = (count(made.files.len() as u64), bytes(made.first_visit));
        print(format_args!(
            "wrote {output}, {files} files; a first visit loads {visit} from a server that compresses"
        ))?;
        if made.first_visit > MANY_BYTES {
            warn(format_args!(
                "visitors wait long for {visit}: `hapax compact --max-bytes` makes a model smaller"
            ));
        }
        self.serve()
    }

    /// Refuses examples that the model cannot answer.
    fn check_examples(&self, model: &Model) -> Result<(), Failure> {
        let mut scratch = Scratch::new(kernels::best());
        self.examples.iter().try_for_each(|example| {
            let row = model.row(example, &mut scratch);
            row.map(drop)
                .map_err(|error| Failure::Input(format!("--example {example:?}: {error}")))
        })
    }

    fn serve(&self) -> Result<(), Failure> {
        let Some(listen) = &self.serve else {
            return Ok(());
        };
        let stop = told_by(&[SIGINT, SIGTERM])?;
        let pages = Pages::start(&self.output, listen)?;
        insist(format_args!("serving http://{}/", pages.address()));
        while !stop.load(Ordering::Relaxed) {
            sleep(LOOK);
        }
        note("stopping");
        pages.stop();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{language, link};

    #[test]
    fn language_tags_are_told_from_other_words() {
        for tag in ["en", "de", "pt-BR", "zh-Hant-TW", "ast"] {
            assert_eq!(language(tag).as_deref(), Ok(tag));
        }
        for other in ["", "e", "English language", "en_GB", "en-", "12", "\"en"] {
            assert!(language(other).is_err(), "{other}");
        }
    }

    #[test]
    fn links_go_to_pages_and_run_nothing() {
        let pair = |words: &str, address: &str| Ok((words.to_owned(), address.to_owned()));
        for (text, wanted) in [
            (
                "Imprint=https://example.org/?a=b",
                pair("Imprint", "https://example.org/?a=b"),
            ),
            (
                "Write to us = mailto:us@example.org",
                pair("Write to us", "mailto:us@example.org"),
            ),
            ("Up=../", pair("Up", "../")),
            ("At=page?x:y", pair("At", "page?x:y")),
        ] {
            assert_eq!(link(text), wanted);
        }
        for other in [
            "",
            "Imprint",
            "=../",
            "Up=",
            "x=javascript:alert(1)",
            "x=data:text/html,a",
        ] {
            assert!(link(other).is_err(), "{other}");
        }
    }
}
