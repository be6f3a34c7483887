//! `cargo demo`: the main job of hapax on data that comes with one command.

use clap::{Parser, ValueEnum};
use hapax::{files::write_whole, serve::Pages, threads::Threads};
use hapax_core::model::Model;
use hapax_demo::{
    diagnosis, glosses, package,
    prompt::converse,
    site,
    table::Counts,
    task::Task,
    training::REVERSE_DICTIONARY,
    tsv,
    wordnet::{DocumentText, HeldOutMeanings, ReverseDictionary, WordNet, dict_folder, license},
};
use std::{
    error::Error,
    fs,
    io::{IsTerminal, stdin, stdout},
    path::{Path, PathBuf},
    process::ExitCode,
    thread::park,
};

/// Makes three pages that run without a server behind them, and shows them on this machine: one
/// that codes diagnoses (ICD-10-CM, from PyPI), a reverse dictionary (WordNet, from npm), and one
/// that trains on a table of yours. Models are judged on texts held out, and kept for the next
/// time. Definitions can be typed here, too
#[derive(Parser)]
#[command(name = "cargo demo", version)]
struct Arguments {
    /// A folder with data.noun, data.verb, data.adj and data.adv; without it npm fetches them
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Where to leave the models
    #[arg(long, value_name = "DIR", default_value_os_t = target_folder())]
    models: PathBuf,

    /// What of a gloss to learn from
    #[arg(long, value_enum, default_value_t)]
    text: Text,

    /// How many threads [default: one for each core]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    threads: usize,

    /// The port of 127.0.0.1 at which the page is served; 0 for any free one
    #[arg(long, value_name = "N", default_value_t = 8017)]
    port: u16,

    /// Do without the page: only train, judge and ask
    #[arg(long, conflicts_with = "port")]
    no_page: bool,

    /// Make the page, but do not serve it
    #[arg(long)]
    no_serve: bool,

    /// Ask for no definitions, also on a terminal
    #[arg(long)]
    no_prompt: bool,

    /// Also write the definitions as TSV: text, tab, labels separated by spaces, `_` within labels
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Text {
    /// The definition alone
    #[default]
    Definition,
    /// The definition and the examples
    Examples,
}

impl From<Text> for DocumentText {
    fn from(text: Text) -> Self {
        match text {
            Text::Definition => Self::Definition,
            Text::Examples => Self::DefinitionAndExamples,
        }
    }
}

/// What the dictionary may take to load: words and vocabulary included, definitions not.
const MAX_DICTIONARY_BYTES: u64 = 4_000_000;

const DICTIONARY: &str = "reverse-dictionary.hapax";
const GLOSSES: &str = "reverse-dictionary.glosses.txt";

/// `target/demo` of the workspace.
fn target_folder() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).join("target/demo")
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = dict_folder(arguments.data.as_deref(), package, || {
        eprintln!("fetching WordNet with npm, once");
    })?;
    let wordnet = WordNet::read(&folder)?;
    let text = arguments.text.into();
    let reverse_dictionary = ReverseDictionary::new(&wordnet, text)?;
    let counts = Counts {
        wordnet: &wordnet,
        reverse_dictionary: &reverse_dictionary,
    };
    println!("{counts}");
    if let Some(folder) = &arguments.write {
        create(folder)?;
        let path = folder.join("reverse-dictionary.tsv");
        tsv::write(&path, &reverse_dictionary.documents)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        println!("wrote {}", path.display());
    }
    let threads = Threads::new(arguments.threads)?;
    let models = &arguments.models;
    create(models)?;
    train(models, &reverse_dictionary, &threads)?;
    let serving = if arguments.no_page {
        None
    } else {
        let page = make_pages(models, &folder)?;
        let serve = !arguments.no_serve;
        serve
            .then(|| Pages::start(&page, &format!("127.0.0.1:{}", arguments.port)))
            .transpose()?
    };
    if let Some(pages) = &serving {
        println!(
            "the pages are at http://{}/ until Ctrl-C\n",
            pages.address()
        );
    }
    if !arguments.no_prompt && stdin().is_terminal() && stdout().is_terminal() {
        let definitions = &reverse_dictionary.documents.texts;
        let model = Model::from_bytes(fs::read(models.join(DICTIONARY))?)?;
        converse(&model, definitions, &mut stdin().lock(), &mut stdout())?;
    }
    if serving.is_some() {
        loop {
            park();
        }
    }
    Ok(())
}

/// Puts the pages, each with what it needs, into one folder, and returns it.
fn make_pages(models: &Path, wordnet: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let folder = models.join("site");
    let package::Built { package, hapax } = package::build()?;
    diagnosis::page(&hapax, &models.join("diagnosis"), &folder)?;
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    // What all pages have: how they look, how they write numbers.
    let shared = own.join("../native/src/bin/hapax/web/page");
    let common = [
        "element.js",
        "icon.svg",
        "numbers.js",
        "style.css",
        "support.js",
    ];
    let common = common.map(|name| (shared.join(name), name));
    let page = |name: &str, others: &[(&Path, &str)]| {
        let source = own.join("page").join(name);
        let mut sources = vec![(&*source, ""), (&*package, "hapax")];
        sources.extend(common.iter().map(|(path, name)| (&**path, *name)));
        sources.extend(others);
        site::assemble(&folder.join(name), &sources)
    };
    let models = [DICTIONARY, GLOSSES].map(|name| (models.join(name), name));
    let mut others: Vec<_> = models.iter().map(|(path, name)| (&**path, *name)).collect();
    let nearest = package.join("nearest");
    others.push((&nearest, "hapax/nearest"));
    page("dictionary", &others)?;
    let (answers, look) = (shared.join("answers.js"), shared.join("site.css"));
    let training = package.join("train");
    page(
        "yours",
        &[
            (&answers, "answers.js"),
            (&look, "site.css"),
            (&training, "hapax/train"),
        ],
    )?;
    let path = folder.join("dictionary/wordnet-license.txt");
    write_whole(&path, license(wordnet)?.as_bytes())?;
    println!("wrote {}, a folder for any web server", folder.display());
    Ok(folder)
}

fn create(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

/// Trains and judges the dictionary and writes the model.
fn train(
    folder: &Path,
    dictionary: &ReverseDictionary,
    threads: &Threads,
) -> Result<(), Box<dyn Error>> {
    let meanings = HeldOutMeanings::of(dictionary);
    let task = Task {
        name: "reverse dictionary",
        file: DICTIONARY,
        parameters: REVERSE_DICTIONARY,
        max_bytes: MAX_DICTIONARY_BYTES,
        documents: &dictionary.documents,
        meanings: &meanings,
    };
    println!("{}", task.make(folder, threads)?);
    println!(
        "P@k: of a second model that lacks one meaning in ten, asked for the {} meanings among those\n\
         whose words have another one. Time: from text to five words, one thread.\n",
        meanings.held_out.texts.len()
    );
    let definitions = glosses::file(&dictionary.documents.texts)?;
    write_whole(&folder.join(GLOSSES), &definitions)?;
    Ok(())
}
