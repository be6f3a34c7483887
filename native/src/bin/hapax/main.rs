//! The `hapax` command: one file per verb.

mod answers;
mod columns;
mod compact;
mod data_options;
mod dense;
mod distributed;
mod evaluate;
mod failure;
mod fit;
mod input;
mod inspect;
mod label_neighbors;
mod learn;
mod manual;
mod neighborhood;
mod output;
mod predict;
mod progress;
mod questions;
mod resources;
mod separators;
#[cfg(feature = "serve")]
mod serve;
mod sure;
mod table;
mod tabular;
mod text_options;
mod train;
mod verify;
#[cfg(feature = "web")]
mod web;
mod wording;

use clap::{
    Command, CommandFactory, FromArgMatches, Parser, Subcommand,
    error::{ContextKind, ContextValue, ErrorKind},
};
use clap_complete::Shell;
use failure::Failure;
use std::{
    ffi::OsString,
    io::{IsTerminal, stderr},
    path::Path,
    process::ExitCode,
};

/// Choose among thousands to millions of labels, most of which occur a handful of times.
///
/// hapax learns from labelled texts or feature rows and suggests labels for new ones. A model is
/// one file, and it gives the same answers to the last bit on servers, in browsers and on devices.
#[derive(Parser)]
#[command(name = "hapax", version, after_help = EXAMPLES, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

const EXAMPLES: &str = "\
Examples:
  hapax train train.tsv -o model.hapax --test test.tsv
      learn from lines of text, tab, labels; then score the model on other such lines
  echo 'a small animal that eats cheese' | hapax predict model.hapax -k 5 --explain
      suggest labels for texts from standard input, and say why
  hapax evaluate model.hapax test.tsv -k 1,3,5
      precision, nDCG, recall and more
  hapax inspect train.tsv
      what the data look like; with a model, what it is made of
  hapax web model.hapax -o site --serve
      a page of its own for the model, which answers in the browser

Exit status: 0 done, 2 wrong usage or input, 3 rows that predict could not read, 1 anything else.";

/// What `hapax` alone says.
const START: &str = "\
hapax learns to choose among thousands to millions of labels. Three commands do the work:

  hapax train texts.tsv -o model.hapax          learn from lines of text, tab, labels
  hapax predict model.hapax new.txt             suggest labels for new texts
  hapax evaluate model.hapax test.tsv           say how good the suggestions are

`hapax --help` lists the others, `hapax train --help` the options of one.";

#[derive(Subcommand)]
enum Verb {
    /// Train a model from a file of labelled texts or rows
    Train(train::Train),
    /// Split a training into parts that machines share by way of a folder
    Plan(distributed::MakePlan),
    /// Make the model of a plan whose parts are all done
    Merge(distributed::Merge),
    /// Suggest labels for texts or rows
    Predict(predict::Predict),
    /// Answer over HTTP
    #[cfg(feature = "serve")]
    Serve(serve::Serve),
    /// Make a web page that answers without a server
    #[cfg(feature = "web")]
    Web(web::Web),
    /// Teach a model more rows, words and labels
    Learn(learn::Learn),
    /// Take rows out of a model of nearest neighbors
    Forget(learn::Forget),
    /// Score a model on a test file
    Evaluate(evaluate::Evaluate),
    /// Show what a model is and what made it, or what data look like
    Inspect(inspect::Inspect),
    /// Make a model smaller, to a number of bytes
    Compact(compact::Compact),
    /// Check every rule of a model file
    Verify(verify::Verify),
    /// Print a completion script for a shell
    #[command(after_help = "\
Examples:
  hapax completions bash > ~/.local/share/bash-completion/completions/hapax
  hapax completions zsh > ~/.zfunc/_hapax                 (with fpath+=~/.zfunc before compinit)
  hapax completions fish > ~/.config/fish/completions/hapax.fish")]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write the manual pages
    Manual(manual::Manual),
}

/// Does what the arguments say.
fn run(arguments: Vec<OsString>) -> Result<(), Failure> {
    let (arguments, all) = train::options::with_settings(train::with_method(arguments))?;
    let command = train::options::command(Cli::command(), all);
    if arguments.len() < 2 {
        output::insist(START);
        return Err(Failure::Shown);
    }
    let matches = command.try_get_matches_from(arguments);
    let matches = matches.unwrap_or_else(|error| refuse(error));
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| refuse(error));
    match cli.verb {
        Verb::Train(train) => train.run(),
        Verb::Plan(verb) => verb.run(),
        Verb::Merge(verb) => verb.run(),
        Verb::Predict(verb) => verb.run(),
        #[cfg(feature = "serve")]
        Verb::Serve(verb) => verb.run(),
        #[cfg(feature = "web")]
        Verb::Web(verb) => verb.run(),
        Verb::Learn(verb) => verb.run(),
        Verb::Forget(verb) => verb.run(),
        Verb::Evaluate(verb) => verb.run(),
        Verb::Inspect(verb) => verb.run(),
        Verb::Compact(verb) => verb.run(),
        Verb::Verify(verb) => verb.run(),
        Verb::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "hapax", &mut script);
            output::print(String::from_utf8_lossy(&script).trim_end())
        }
        Verb::Manual(verb) => verb.run(train::options::command(Cli::command(), true)),
    }
}

/// Ends as clap would, in plainer words where it refuses.
fn refuse(mut error: clap::Error) -> ! {
    if !error.use_stderr() {
        error.exit();
    }
    if let Some(tip) = tip(&error) {
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    let rendered = error.render();
    let text = match stderr().is_terminal() {
        true => rendered.ansi().to_string(),
        false => rendered.to_string(),
    };
    eprint!("{}", wording::plain(&text));
    std::process::exit(error.exit_code());
}

/// What to do with a file too many, or with an option that other methods have.
fn tip(error: &clap::Error) -> Option<String> {
    let ContextValue::String(word) = error.get(ContextKind::InvalidArg)? else {
        return None;
    };
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    if Path::new(word).is_file() {
        return Some(
            "join files of one kind into one, with one header if they have any".to_owned(),
        );
    }
    let usage = error.get(ContextKind::Usage)?.to_string();
    if !usage.contains("hapax train ") {
        return None;
    }
    let command = Cli::command();
    let methods = command.find_subcommand("train")?.get_subcommands();
    let name = word.strip_prefix("--")?;
    let methods = methods.filter(|method| {
        method
            .get_arguments()
            .any(|own| own.get_long() == Some(name))
    });
    let methods: Vec<&str> = methods
        .map(Command::get_name)
        .filter(|&name| name != "auto")
        .collect();
    let first = methods.first()?;
    Some(format!(
        "{word} is an option of {}: hapax train {first} {word} …",
        methods.join(", ")
    ))
}

fn main() -> ExitCode {
    match run(std::env::args_os().collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Done | Failure::OutputClosed) => ExitCode::SUCCESS,
        Err(failure @ Failure::Shown) => failure.exit_code(),
        Err(failure) => {
            let message = failure.to_string();
            output::note(format_args!("hapax: {}", wording::plain(&message)));
            failure.exit_code()
        }
    }
}
