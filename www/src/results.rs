//! What training gave, as a table for people.

use crate::{
    table::grouped,
    training::{KS, Trained},
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A trained task; its display is a table of one line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Line {
    /// The task.
    pub task: String,
    /// Training rows.
    pub rows: u64,
    /// Labels.
    pub labels: u32,
    /// Seconds from texts to file.
    pub seconds: f64,
    /// Bytes of the file.
    pub bytes: usize,
    /// P@k for each k of [`KS`], on rows held out.
    pub precision: Vec<f64>,
    /// Microseconds from a text to five named answers, on one thread.
    pub microseconds: f64,
}

impl Line {
    /// The line of a task whose model is `trained`.
    #[must_use]
    pub fn new(task: &str, trained: &Trained, precision: Vec<f64>, microseconds: f64) -> Self {
        let made = trained.model.provenance();
        Self {
            task: task.to_owned(),
            rows: made.rows,
            labels: made.labels,
            seconds: trained.seconds,
            bytes: trained.bytes.len(),
            precision,
            microseconds,
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:<20} {:>8} {:>8} {:>8} {:>11}",
            "trained", "n", "L", "seconds", "bytes"
        )?;
        for k in KS {
            write!(f, " {:>6}", format!("P@{k}"))?;
        }
        writeln!(f, " {:>9}", "us/query")?;
        write!(
            f,
            "{:<20} {:>8} {:>8} {:>8.2} {:>11}",
            self.task,
            grouped(self.rows as usize),
            grouped(self.labels as usize),
            self.seconds,
            grouped(self.bytes)
        )?;
        for share in &self.precision {
            write!(f, " {:>6.2}", 100.0 * share)?;
        }
        writeln!(f, " {:>9.0}", self.microseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::Line;

    #[test]
    fn columns_stand_below_their_names() {
        let line = Line {
            task: "reverse dictionary".into(),
            rows: 78_490,
            labels: 11_968,
            seconds: 0.512,
            bytes: 3_456_789,
            precision: vec![0.5, 0.25, 0.1234],
            microseconds: 99.6,
        };
        let shown = line.to_string();
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0].len(), lines[1].len());
        assert!(lines[1].ends_with("3,456,789  50.00  25.00  12.34       100"));
        assert!(lines[0].ends_with("bytes    P@1    P@3    P@5  us/query"));
    }
}
