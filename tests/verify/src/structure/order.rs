//! The order of core's folders, which docs/architecture.md states once.

/// The lines of the order, first to last.
pub struct Order {
    lines: Vec<Vec<String>>,
}

/// How the block of docs/architecture.md that holds the order begins.
const FENCE: &str = "```order";

impl Order {
    /// Reads the block: each line names folders, which may import those of earlier lines and, if
    /// these do not import them back, those of their own.
    pub fn read(document: &str) -> Result<Self, String> {
        let lines: Vec<Vec<String>> = document
            .lines()
            .skip_while(|line| *line != FENCE)
            .skip(1)
            .take_while(|line| *line != "```")
            .map(|line| line.split_whitespace().map(str::to_owned).collect())
            .collect();
        match lines.is_empty() {
            true => Err(format!(
                "docs/architecture.md: no block that begins with {FENCE}"
            )),
            false => Ok(Self { lines }),
        }
    }

    /// The line of a folder. One in `train` is in the line of `train`.
    pub fn line(&self, folder: &str) -> Option<usize> {
        let top = folder.split('/').next().unwrap_or(folder);
        self.lines
            .iter()
            .position(|line| line.iter().any(|name| name == top))
    }
}
