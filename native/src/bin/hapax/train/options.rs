//! Which options `--help` shows, and `--set`: settings that only reproduce a paper or an ablation.

use super::{super::failure::Failure, Algorithm};
use clap::{Arg, ArgAction, Command, Subcommand};
use std::ffi::OsString;

/// What `--help` shows for every method.
const EVERYDAY: [&str; 10] = [
    "output",
    "dry-run",
    "test",
    "threads",
    "max-bytes",
    "text",
    "labels",
    "label-separator",
    "checkpoint",
    "resume",
];

/// What is reached by `--set NAME=VALUE`; docs/options.md has a row for each.
const SETTINGS: [&str; 14] = [
    "keep-lengths",
    "shrink-count",
    "hash",
    "rerank-weight",
    "centroid-entries",
    "repro",
    "left-out",
    "code-words",
    "candidates",
    "degree",
    "beam",
    "as-published",
    "block",
    "top",
];

/// What `--help` shows beside the options of all methods: 20 options at most with `--help` and
/// `--help-all`.
fn everyday(method: &str) -> &'static [&'static str] {
    match method {
        "auto" => &[
            "minutes",
            "max-microseconds",
            "words",
            "characters",
            "columns",
        ],
        "nearest" => &["words", "neighbors", "alpha", "beta", "exponent", "tune"],
        "ovr" => &[
            "cost", "exponent", "bias", "epsilon", "gap", "fuse", "from", "bits",
        ],
        "cs" | "ww" | "llw" => &[
            "cost",
            "costs",
            "gap",
            "max-epochs",
            "bias",
            "from",
            "bits",
            "multilabel",
        ],
        "mach" => &[
            "buckets",
            "repetitions",
            "epochs",
            "learning-rate",
            "dropout",
            "bits",
            "keep",
            "rerank",
        ],
        "memoir-l2" | "memoir-l1" | "memoir-lsh" => &[
            "lambda",
            "epochs",
            "violators",
            "scoring",
            "oracle",
            "prune",
            "multilabel",
            "reduce",
        ],
        _ => &[
            "dimensions",
            "margin",
            "step-size",
            "violators",
            "balance",
            "epochs",
            "models",
            "bits",
        ],
    }
}

fn is_setting(arg: &Arg) -> bool {
    arg.get_long().is_some_and(|name| SETTINGS.contains(&name))
}

/// The command; `--help` of a training method shows everyday options only, or `all`.
pub fn command(command: Command, all: bool) -> Command {
    let more = Arg::new("help-all")
        .long("help-all")
        .action(ArgAction::HelpLong)
        .help("Print all options (of reproductions see docs/options.md)");
    let set = Arg::new("set")
        .long("set")
        .value_name("NAME=VALUE")
        .hide(!all)
        .help("Set what only reproduces a paper or an ablation: docs/options.md lists the names");
    let method = |method: Command| {
        let shown = everyday(method.get_name());
        // Trained in seconds, or a choice among methods: they refuse checkpoints.
        let keeps_checkpoints = !["auto", "nearest", "nearest-mean"].contains(&method.get_name());
        let hides = |arg: &Arg| match arg.get_long() {
            Some(name) => {
                let everyday = EVERYDAY.contains(&name) || shown.contains(&name);
                let lacks = !keeps_checkpoints && ["checkpoint", "resume"].contains(&name);
                is_setting(arg) || !all && (!everyday || lacks)
            }
            None => false,
        };
        method
            .mut_args(|arg| {
                let hidden = hides(&arg);
                arg.hide(hidden)
            })
            .next_help_heading(None::<&str>)
            .args([more.clone(), set.clone()])
    };
    command.mut_subcommand("train", |train| train.mut_subcommands(method))
}

/// The arguments with each `--set NAME=VALUE` as the option it stands for, and whether `--help-all`
/// is among them, which becomes `--help`.
///
/// # Errors
/// If the method has no such setting, or one is given as an option of its own.
pub fn with_settings(arguments: Vec<OsString>) -> Result<(Vec<OsString>, bool), Failure> {
    let methods = Algorithm::augment_subcommands(Command::new("train"));
    let verb = arguments.get(1).and_then(|verb| verb.to_str());
    let named =
        |(at, word): (usize, &OsString)| Some((at, methods.find_subcommand(word.to_str()?)?));
    let found = match verb {
        Some("train") => arguments.iter().enumerate().skip(2).take(1).find_map(named),
        Some("plan") => arguments.iter().enumerate().skip(3).find_map(named),
        _ => None,
    };
    let Some((at, method)) = found else {
        return Ok((arguments, false));
    };
    let (mut made, mut all) = (arguments[..=at].to_vec(), false);
    let mut rest = arguments.into_iter().skip(at + 1);
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy().into_owned();
        let name = text.strip_prefix("--").unwrap_or_default();
        let (name, value) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (name, None),
        };
        match name {
            _ if text == "--" => {
                made.push(word);
                made.extend(rest);
                break;
            }
            "help-all" => {
                all = true;
                made.push("--help".into());
            }
            "set" => {
                let next = match value {
                    Some(value) => Some(value.to_owned()),
                    None => rest.next().map(|next| next.to_string_lossy().into_owned()),
                };
                made.extend(option(method, next.as_deref().unwrap_or_default())?);
            }
            _ if method
                .get_arguments()
                .any(|arg| is_setting(arg) && arg.get_long() == Some(name)) =>
            {
                return Err(Failure::Input(format!(
                    "--{name} is no option but a setting: give it as --set {name}=VALUE (docs/options.md)"
                )));
            }
            _ => made.push(word),
        }
    }
    Ok((made, all))
}

/// The option that a setting stands for; none where a flag is set to false.
fn option(method: &Command, setting: &str) -> Result<Option<OsString>, Failure> {
    let input = |why: String| Err(Failure::Input(why));
    let settings = || method.get_arguments().filter(|arg| is_setting(arg));
    let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
    let Some(found) = settings().find(|arg| arg.get_long() == Some(name)) else {
        let names: Vec<&str> = settings().filter_map(Arg::get_long).collect();
        let names = match &names[..] {
            [] => "it has none".into(),
            names => format!("its settings are {}", names.join(", ")),
        };
        let method = match method.get_name() {
            "auto" => "without a method 'hapax train'",
            method => method,
        };
        return input(format!(
            "--set {name}: {method} has no such setting; {names} (docs/options.md)"
        ));
    };
    let is_flag = matches!(found.get_action(), ArgAction::SetTrue);
    match (is_flag, value) {
        (true, "true") => Ok(Some(format!("--{name}").into())),
        (true, "false") => Ok(None),
        (true, _) => input(format!(
            "--set {name} takes true or false: --set {name}=true"
        )),
        (false, "") => input(format!("--set {name} needs a value: --set {name}=VALUE")),
        (false, _) => Ok(Some(format!("--{name}={value}").into())),
    }
}
