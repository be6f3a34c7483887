//! Label names to label ids while a file is read.

use crate::{
    interner::Interner,
    names::{Names, NamesError},
};
use alloc::vec::Vec;

/// Hands out label ids by name.
///
/// For a training file it starts empty. For a test file it starts from the model's names:
/// known labels get the ids they were trained under, and unseen ones get ids beyond, which no
/// prediction can hit, so they count as misses.
#[derive(Clone, Debug, Default)]
pub struct LabelIds {
    names: Interner,
    known: usize,
}

impl LabelIds {
    /// The labels in `names` are known under their ids.
    #[must_use]
    pub(crate) fn from_names(names: &Names) -> Self {
        Self {
            names: Interner::from_names(names),
            known: names.len(),
        }
    }

    /// The id of the label `name`, a new one if it was not seen before; `None` if all 2^32 - 1
    /// ids are taken.
    pub(crate) fn intern(&mut self, name: &str) -> Option<u32> {
        self.names.intern(name)
    }

    /// The name of label `id`.
    #[must_use]
    pub fn name(&self, id: u32) -> Option<&str> {
        self.names.get(id)
    }

    /// Number of labels known at the start: ids from here on are labels unseen in training.
    #[must_use]
    pub fn known(&self) -> usize {
        self.known
    }

    /// The names of all labels by id.
    ///
    /// # Errors
    /// [`NamesError::TooLarge`] beyond 4 GiB.
    pub(crate) fn to_names(&self) -> Result<Names, NamesError> {
        self.names.to_names()
    }

    /// All ids in the order of the names: by value if all are whole numbers (without
    /// leading zeros or plus signs), by bytes otherwise.
    pub(super) fn in_name_order(&self) -> Vec<u32> {
        let names: Vec<&str> = self.names.iter().collect();
        let mut ids: Vec<u32> = (0..names.len() as u32).collect();
        let numbers: Option<Vec<i64>> = names.iter().map(|name| whole_number(name)).collect();
        ids.sort_unstable_by(|&a, &b| {
            let (a, b) = (a as usize, b as usize);
            match &numbers {
                Some(numbers) => numbers[a].cmp(&numbers[b]),
                None => names[a].cmp(names[b]),
            }
        });
        ids
    }
}

fn whole_number(name: &str) -> Option<i64> {
    let digits = name.strip_prefix('-').unwrap_or(name);
    let plain =
        digits.bytes().all(|b| b.is_ascii_digit()) && (name == "0" || !digits.starts_with('0'));
    plain.then(|| name.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::LabelIds;
    use crate::names::Names;
    use alloc::vec::Vec;

    fn ordered(names: &[&str]) -> Vec<u32> {
        let mut ids = LabelIds::default();
        for name in names {
            ids.intern(name).unwrap();
        }
        ids.in_name_order()
    }

    #[test]
    fn numbers_are_ordered_by_value_and_other_names_by_bytes() {
        assert_eq!(ordered(&["10", "9", "-1", "0"]), [2, 3, 1, 0]);
        assert_eq!(ordered(&["10", "9", "x"]), [0, 1, 2]);
        assert_eq!(ordered(&["10", "9", "01"]), [2, 0, 1]);
        assert_eq!(ordered(&["-0", "0", "-"]), [2, 0, 1]);
    }

    #[test]
    fn unseen_labels_get_ids_beyond_the_known() {
        let mut ids = LabelIds::from_names(&Names::new(["b", "a"]).unwrap());
        assert_eq!(ids.intern("a"), Some(1));
        assert_eq!(ids.intern("new"), Some(2));
        assert_eq!((ids.known(), ids.names.len()), (2, 3));
        assert_eq!(ids.name(2), Some("new"));
    }
}
