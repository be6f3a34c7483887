//! Rows that occur more than once: within test data, and in training and test data.

use hapax::core::data::{Dataset, LabelLists, Source};
use std::collections::{HashMap, HashSet};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// What stands for the contents of each row, its labels aside: 128 bits of its text, or of its
/// features and values. Equal rows have equal marks, and others hardly ever do.
pub type Marks = Vec<u128>;

/// The marks of data as they were read. Blanks at the ends of a text do not count.
pub fn marks(source: &Source) -> Marks {
    match source {
        Source::Texts(documents) => {
            let texts = documents.texts.iter();
            texts.map(|text| xxh3_128(text.trim().as_bytes())).collect()
        }
        Source::Rows(data) => marks_of_rows(data),
    }
}

fn marks_of_rows(data: &Dataset) -> Marks {
    let mark = |row: usize| {
        let row = data.rows().row(row);
        let mut hash = Xxh3::new();
        for (index, value) in row.indices().iter().zip(row.values()) {
            hash.update(&index.to_le_bytes());
            hash.update(&value.to_le_bytes());
        }
        hash.digest128()
    };
    (0..data.len()).map(mark).collect()
}

/// How often rows repeat within data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeats {
    /// Rows equal to an earlier one.
    pub rows: usize,
    /// Those of them whose labels are not those of the first such row.
    pub other_labels: usize,
}

impl Repeats {
    pub fn within(marks: &[u128], labels: &LabelLists) -> Self {
        let mut first = HashMap::with_capacity(marks.len());
        let mut repeats = Self::default();
        for (row, mark) in marks.iter().enumerate() {
            let earlier = *first.entry(mark).or_insert(row);
            if earlier != row {
                repeats.rows += 1;
                repeats.other_labels += usize::from(labels.row(earlier) != labels.row(row));
            }
        }
        repeats
    }
}

/// Which of the rows `test` occur in `training`.
pub fn known_rows(test: &[u128], training: &[u128]) -> Vec<bool> {
    let training: HashSet<_> = training.iter().collect();
    test.iter().map(|mark| training.contains(mark)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Repeats, known_rows};
    use hapax::core::data::LabelLists;

    #[test]
    fn repeats_agree_with_comparing_all_pairs() {
        let marks: Vec<u128> = vec![5, 7, 5, 5, 9, 7, 11];
        let mut labels = LabelLists::new(3);
        for row in [
            vec![0],
            vec![1],
            vec![0],
            vec![2],
            vec![],
            vec![1, 2],
            vec![0],
        ] {
            labels.push(row);
        }
        let mut slow = Repeats::default();
        for row in 0..marks.len() {
            if let Some(first) = (0..row).find(|&earlier| marks[earlier] == marks[row]) {
                slow.rows += 1;
                slow.other_labels += usize::from(labels.row(first) != labels.row(row));
            }
        }
        assert_eq!(Repeats::within(&marks, &labels), slow);
        assert_eq!((slow.rows, slow.other_labels), (3, 2));
        assert_eq!(known_rows(&marks[..3], &[7, 8]), [false, true, false]);
    }
}
