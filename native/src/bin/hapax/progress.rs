//! Progress on standard error: a bar on a terminal, a line now and then elsewhere.

use super::output::note;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::{IsTerminal, stderr},
    sync::Mutex,
    time::{Duration, Instant},
};

/// How often a line is written where there is no terminal.
const EVERY: Duration = Duration::from_secs(10);

/// The progress of one piece of work.
pub struct Progress {
    bar: ProgressBar,
    what: &'static str,
    /// When the last line was written, where there is no terminal.
    last_line: Option<Mutex<Instant>>,
    start: Instant,
}

impl Progress {
    /// Begins `total` steps of `what`, for example "predicting".
    pub fn new(what: &'static str, total: usize) -> Self {
        let terminal = stderr().is_terminal();
        let target = if terminal {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(total as u64), target);
        if let Ok(style) =
            ProgressStyle::with_template("{msg} {wide_bar} {human_pos}/{human_len} {eta}")
        {
            bar.set_style(style);
        }
        bar.set_message(what);
        let start = Instant::now();
        Self {
            bar,
            what,
            last_line: (!terminal).then(|| Mutex::new(start)),
            start,
        }
    }

    /// So many steps are done, of nobody knows how many.
    pub fn tried(&self, done: usize) {
        if let Ok(style) = ProgressStyle::with_template("{msg}: {human_pos} tried") {
            self.bar.set_style(style);
        }
        self.set(done, 0);
    }

    /// `done` of `total` steps are done, where the amount was not known at first.
    pub fn set(&self, done: usize, total: usize) {
        self.bar.set_length(total as u64);
        let before = self.bar.position() as usize;
        self.advance(done.saturating_sub(before));
    }

    /// So many more steps are done. May be called from any thread.
    pub fn advance(&self, steps: usize) {
        self.bar.inc(steps as u64);
        let Some(last_line) = &self.last_line else {
            return;
        };
        let Ok(mut last) = last_line.try_lock() else {
            return;
        };
        if last.elapsed() >= EVERY {
            *last = Instant::now();
            let (done, total) = (self.bar.position(), self.bar.length().unwrap_or(0));
            let elapsed = HumanDuration(self.start.elapsed());
            let what = self.what;
            if total == 0 {
                note(format_args!("{what}: {done} tried after {elapsed}"));
            } else {
                note(format_args!("{what}: {done} of {total} after {elapsed}"));
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
