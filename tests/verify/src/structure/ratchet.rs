//! tests/structure.toml: where the tree breaks a rule today, and by how much. Figures only fall.

use super::Finding;
use std::collections::BTreeMap;

/// The file, below the root.
pub const FILE: &str = "tests/structure.toml";
const MOST_LINES: usize = 100;
/// A broken rule names at most so many places.
const MOST_PLACES: usize = 20;

/// The figure that each rule allows for each key.
pub struct Ratchet {
    figures: BTreeMap<(String, String), usize>,
}

impl Ratchet {
    /// Reads lines of three kinds: `[rule]`, `"key" = figure` and `# comment`.
    pub fn read(text: &str) -> Result<Self, String> {
        if text.lines().count() > MOST_LINES {
            return Err(format!("{FILE}: more than {MOST_LINES} lines"));
        }
        let (mut figures, mut rule) = (BTreeMap::new(), String::new());
        for (index, line) in text
            .lines()
            .enumerate()
            .map(|(i, line)| (i + 1, line.trim()))
        {
            if let Some(name) = line
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
            {
                rule = name.to_owned();
            } else if !line.is_empty() && !line.starts_with('#') {
                let entry = line
                    .strip_prefix('"')
                    .and_then(|rest| rest.split_once("\" = "));
                let figure = entry.and_then(|(key, figure)| Some((key, figure.parse().ok()?)));
                let Some((key, figure)) = figure else {
                    return Err(format!("{FILE}:{index}: expected \"key\" = figure"));
                };
                figures.insert((rule.clone(), key.to_owned()), figure);
            }
        }
        Ok(Self { figures })
    }

    /// What to tell of findings: rules that are broken more than the figures allow, and figures
    /// that allow more than is broken.
    pub fn compare(&self, findings: &[Finding]) -> Vec<String> {
        let mut told = Vec::new();
        let mut left = self.figures.clone();
        for finding in findings {
            let Finding {
                rule,
                key,
                value,
                limit,
                ..
            } = finding;
            let allowed = left.remove(&((*rule).to_owned(), key.clone()));
            if allowed.is_some_and(|allowed| *value < allowed) {
                told.push(format!(
                    "{FILE}: lower the figure in [{rule}] of \"{key}\" to {value}"
                ));
            } else if allowed != Some(*value) {
                let most = allowed.unwrap_or(*limit);
                for place in finding.places.iter().take(MOST_PLACES) {
                    let note = place.note.as_ref().map(|note| format!(", {note}"));
                    let (path, line) = (&place.path, place.line);
                    let note = note.unwrap_or_default();
                    told.push(format!(
                        "{path}:{line}: {rule}: {key}: {value}, limit {most}{note}"
                    ));
                }
                let more = finding.places.len().saturating_sub(MOST_PLACES);
                if more > 0 {
                    told.push(format!("{rule}: {key}: {more} places more"));
                }
            }
        }
        for (rule, key) in left.into_keys() {
            told.push(format!(
                "{FILE}: remove \"{key}\" from [{rule}]: the rule is kept there"
            ));
        }
        told
    }
}
