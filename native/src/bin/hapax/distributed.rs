//! `hapax plan`, `hapax train --parts` and `hapax merge`: one training on several machines.

use super::{
    Cli, Verb,
    failure::Failure,
    output::print,
    table::{count, table},
    train::Algorithm,
};
use clap::{Args, Parser};
use hapax::distributed::Plan;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Split a training into parts that machines share by way of a folder.
///
/// Every machine runs `hapax train --parts DIR --shard I/N`; when all have ended,
/// `hapax merge DIR -o MODEL` makes the model that one machine would have made, to the byte. Parts
/// that are done are kept, so any of these commands may be killed and repeated. For ovr and mach.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax plan work --shards 7 ovr train.txt.xz --cost 1
  for i in 0 1 2 3 4 5 6; do hapax train --parts work --shard $i/7 & done; wait
  hapax merge work -o model.hapax --test test.txt.xz")]
pub struct MakePlan {
    /// A folder that all machines see; made if there is none
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// How many shards
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    shards: u32,
    /// Algorithm, training data and options, as for `hapax train`
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        required = true,
        value_name = "ALGORITHM TRAIN [OPTIONS]"
    )]
    arguments: Vec<String>,
}

/// Do one shard of a plan.
#[derive(Args, Debug)]
pub struct Work {
    /// Do the shard --shard of the plan in this folder (see `hapax plan`)
    #[arg(long, value_name = "DIR")]
    parts: Option<PathBuf>,
    /// Which: from 0/N to (N-1)/N
    /// [default: what `SLURM_ARRAY_TASK_ID`, `JOB_COMPLETION_INDEX` or `HQ_TASK_ID` says]
    #[arg(long, value_name = "I/N", requires = "parts", value_parser = parse_shard)]
    shard: Option<Shard>,
    /// How many threads [default: one for each core]
    #[arg(long, requires = "parts", value_name = "THREADS")]
    threads: Option<usize>,
}

/// Make the model of a plan whose parts are all done.
#[derive(Args, Debug)]
#[command(after_help = "Example: hapax merge work -o model.hapax --test test.txt.xz")]
pub struct Merge {
    /// The folder of the plan
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Where to write the model
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Score the model on this file
    #[arg(long, value_name = "FILE")]
    test: Option<PathBuf>,
    /// How many threads [default: one for each core]
    #[arg(long, value_name = "THREADS")]
    threads: Option<usize>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

/// What is to be done of a training that machines share.
#[derive(Debug)]
pub enum Task {
    Plan {
        folder: PathBuf,
        parts: u32,
        arguments: Vec<String>,
    },
    Work {
        folder: PathBuf,
        plan: Plan,
        part: usize,
    },
    Merge {
        folder: PathBuf,
        plan: Plan,
    },
}

/// Which shard, and of how many if that was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shard(u32, Option<u32>);

fn parse_shard(text: &str) -> Result<Shard, String> {
    let rule =
        || format!("{text:?} is not a shard: write I/N, such as 0/7, with I from 0 to N - 1");
    let (index, of) = match text.split_once('/') {
        Some((index, of)) => (index, Some(of.parse().map_err(|_| rule())?)),
        None => (text, None),
    };
    let index = index.parse().map_err(|_| rule())?;
    if of.is_some_and(|of: u32| of == 0 || index > of) {
        return Err(rule());
    }
    Ok(Shard(index, of))
}

/// Where schedulers say which task of an array a process is.
const VARIABLES: [&str; 3] = ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "HQ_TASK_ID"];

fn from_environment() -> Result<Shard, Failure> {
    for name in VARIABLES {
        if let Ok(value) = std::env::var(name) {
            let wrong = |_| Failure::Input(format!("{name} is {value:?}, which is not a number"));
            return Ok(Shard(value.parse().map_err(wrong)?, None));
        }
    }
    Err(Failure::Input(format!(
        "which shard? Give --shard I/N, or set one of {}",
        VARIABLES.join(", ")
    )))
}

/// The algorithm that the arguments of a plan name.
fn parse(arguments: &[String], more: &[String]) -> Result<Box<Algorithm>, Failure> {
    let words = ["hapax", "train"].into_iter().map(String::from);
    let words = words
        .chain(arguments.iter().cloned())
        .chain(more.iter().cloned());
    let cli = Cli::try_parse_from(words).map_err(|error| {
        let text = error.to_string();
        Failure::Input(text.trim_start_matches("error: ").trim_end().into())
    })?;
    match cli.verb {
        Verb::Train(train) => train.algorithm.ok_or_else(|| {
            Failure::Input("name an algorithm and its training data, as for `hapax train`".into())
        }),
        _ => Err(Failure::Input("only training can be planned".into())),
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

impl MakePlan {
    pub fn run(self) -> Result<(), Failure> {
        let (folder, is_there) = (self.folder.clone(), self.folder.exists());
        let planned = self.plan();
        if planned.is_err() && !is_there {
            // It was made for nothing; one that holds something stays.
            let _ = std::fs::remove_dir(folder);
        }
        planned
    }

    fn plan(self) -> Result<(), Failure> {
        let output = ["-o".into(), text(&self.folder.join("model"))];
        hapax::files::make_folder(&self.folder)?;
        let algorithm = parse(&self.arguments, &output)?;
        if let Ok(plan) = Plan::read(&self.folder) {
            let same = plan.arguments == self.arguments && plan.parts == self.shards;
            if !same {
                let rule = "holds another plan: use another folder, or delete this one";
                return Err(Failure::in_file(&self.folder, rule));
            }
        }
        algorithm.share(&Task::Plan {
            folder: self.folder,
            parts: self.shards,
            arguments: self.arguments,
        })
    }
}

impl Work {
    /// Whether a shard is to be done.
    pub fn is_asked(&self) -> bool {
        self.parts.is_some()
    }

    pub fn run(self) -> Result<(), Failure> {
        let Some(folder) = self.parts else {
            return Err(Failure::Input(
                "name an algorithm, or a folder with --parts".into(),
            ));
        };
        let plan = Plan::read(&folder)?;
        let Shard(index, of) = match self.shard {
            Some(shard) => shard,
            None => from_environment()?,
        };
        let parts = plan.parts;
        if of.is_some_and(|of| of != parts) || index > parts {
            let asked = of.map_or(index.to_string(), |of| format!("{index}/{of}"));
            let rule = format!("is a plan of {parts} shards, but {asked} was asked for");
            return Err(Failure::in_file(&folder, rule));
        }
        let mut more = plan.chosen.clone();
        more.extend(["-o".into(), text(&folder.join("model"))]);
        if let Some(threads) = self.threads {
            more.extend(["--threads".into(), threads.to_string()]);
        }
        let algorithm = parse(&plan.arguments, &more)?;
        // Where tasks are counted from 1 the last one does part 0.
        let part = (index % parts) as usize;
        algorithm.share(&Task::Work { folder, plan, part })
    }
}

impl Merge {
    pub fn run(self) -> Result<(), Failure> {
        let plan = Plan::read(&self.folder)?;
        let mut more = plan.chosen.clone();
        more.extend(["-o".into(), text(&self.output)]);
        if let Some(test) = &self.test {
            more.extend(["--test".into(), text(test)]);
        }
        if let Some(threads) = self.threads {
            more.extend(["--threads".into(), threads.to_string()]);
        }
        if self.json {
            more.push("--json".into());
        }
        let folder = self.folder;
        parse(&plan.arguments, &more)?.share(&Task::Merge { folder, plan })
    }
}

/// Tells what a plan is.
pub fn print_plan(folder: &Path, plan: &Plan, stages: u32, json: bool) -> Result<(), Failure> {
    if json {
        return print(json!({
            "folder": text(folder), "shards": plan.parts, "stages": stages, "costs": plan.costs,
        }));
    }
    let all: u64 = plan.costs.iter().sum();
    let mut lines = table(&["shard", "share of the work of the first stage"]);
    for (part, &cost) in plan.costs.iter().enumerate().take(20) {
        let share = 100.0 * cost as f64 / all.max(1) as f64;
        lines.add_row([&format!("{part}/{}", plan.parts), &format!("{share:.1} %")]);
    }
    print(lines)?;
    if plan.costs.len() > 20 {
        print(format_args!(
            "… and {} more",
            count(plan.costs.len() as u64 - 20)
        ))?;
    }
    let (folder, last, parts) = (folder.display(), plan.parts - 1, plan.parts);
    let s = if stages == 1 { "" } else { "s" };
    print(format_args!(
        "{stages} stage{s}; run for I from 0 to {last}, in any order, at once or not:\n  \
         hapax train --parts {folder} --shard I/{parts}\nand then\n  hapax merge {folder} -o MODEL"
    ))
}

#[cfg(test)]
mod tests {
    use super::{Shard, parse_shard};

    #[test]
    fn shards_are_numbers_from_0_to_their_count() {
        assert_eq!(parse_shard("3/7"), Ok(Shard(3, Some(7))));
        assert_eq!(parse_shard("7/7"), Ok(Shard(7, Some(7))));
        assert_eq!(parse_shard("5"), Ok(Shard(5, None)));
        for wrong in ["", "8/7", "1/0", "-1/7", "1/x", "1/2/3"] {
            assert!(parse_shard(wrong).is_err(), "{wrong}");
        }
    }
}
