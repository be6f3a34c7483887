//! `hapax train --dry-run`: what training would take, and what it would be trained on.

use super::{
    super::{
        failure::Failure,
        output::print,
        table::{bytes, count, facts_table},
    },
    Common,
};
use hapax::core::{data::Dataset, sparse::SparseView};

impl Common {
    /// Ends a dry run, once the data are read and all warnings are said: prints what there is to
    /// train on, and the memory that training would take beside it, where the method can say.
    pub fn end_dry_run(&self, data: &Dataset, memory: Option<u64>) -> Result<(), Failure> {
        if !self.dry_run {
            return Ok(());
        }
        let (rows, labels) = (data.rows(), data.labels());
        let frequencies = labels.frequencies();
        let with_rows = frequencies.iter().filter(|&&rows| rows > 0);
        let once = frequencies.iter().filter(|&&rows| rows == 1).count();
        let unlabelled = labels.iter().filter(|labels| labels.is_empty()).count();
        let empty = rows.iter().filter(SparseView::is_empty).count();
        let held = 8 * rows.nonzeros() + 4 * labels.total() + 16 * rows.len();
        let number = |value: usize| count(value as u64);
        let mut table = facts_table();
        table.add_row(["rows", &number(rows.len())]);
        table.add_row(["rows without labels", &number(unlabelled)]);
        table.add_row(["rows without features", &number(empty)]);
        table.add_row(["features", &count(u64::from(rows.features()))]);
        table.add_row(["labels", &number(with_rows.count())]);
        table.add_row(["labels of one row", &number(once)]);
        let mean = labels.total() as f64 / rows.len().max(1) as f64;
        table.add_row(["labels a row", &format!("{mean:.2}")]);
        table.add_row(["memory of the data", &bytes(held as u64)]);
        let memory = memory.map_or_else(|| "as much again, about".into(), bytes);
        table.add_row(["memory of training", &memory]);
        print(table)?;
        print("nothing is trained: leave out --dry-run to do so")?;
        Err(Failure::Done)
    }
}
