//! `--minutes`: how long training may take.

use clap::Args;
use hapax::threads::Threads;
use std::time::Duration;

/// How long training may take.
#[derive(Args, Debug)]
pub struct TimeOptions {
    /// End the trials of features and settings in time for the best so far to be trained within so
    /// many minutes; the model then depends on how fast the machine is
    #[arg(long, value_name = "N", value_parser = minutes, conflicts_with = "checkpoint")]
    minutes: Option<Duration>,
}

impl TimeOptions {
    /// The threads, from now on in a hurry if that was asked for: one of so many choices.
    pub fn limit(&self, threads: Threads, choices: u32) -> Threads {
        match self.minutes {
            Some(time) => threads.hurried(time / choices),
            None => threads,
        }
    }
}

fn minutes(text: &str) -> Result<Duration, String> {
    let minutes = text.trim().parse::<f64>().ok().filter(|&n| n > 0.0);
    let time = minutes.and_then(|n| Duration::try_from_secs_f64(60.0 * n).ok());
    time.ok_or_else(|| format!("'{text}' is no number of minutes above 0: write 10 or 0.5"))
}
