//! The names of labels in a model that may learn new ones.

use crate::names::{Names, NamesError};
use alloc::{
    string::{String, ToString},
    vec::Vec,
};

/// Names by label id: a stored table, and those added since.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelNames {
    stored: Names,
    added: Vec<String>,
}

impl LabelNames {
    pub(crate) fn new(stored: Names) -> Self {
        Self {
            stored,
            added: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.stored.len() + self.added.len()
    }

    pub(crate) fn get(&self, id: u32) -> Option<String> {
        match (id as usize).checked_sub(self.stored.len()) {
            None => self.stored.get(id),
            Some(at) => self.added.get(at).cloned(),
        }
    }

    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        let added = || {
            let at = self.added.iter().position(|other| other == name)?;
            u32::try_from(self.stored.len() + at).ok()
        };
        self.stored.find(name).or_else(added)
    }

    /// The id of `name`, which is added where it is new; `None` once ids are used up.
    pub(crate) fn find_or_add(&mut self, name: &str) -> Option<u32> {
        if let Some(id) = self.find(name) {
            return Some(id);
        }
        let id = u32::try_from(self.len()).ok()?;
        self.added.push(name.to_string());
        Some(id)
    }

    /// Names labels without a name by their ids, up to `labels` names in all.
    pub(crate) fn extend_to(&mut self, labels: usize) {
        while self.len() < labels {
            self.added.push(self.len().to_string());
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = String> {
        self.stored.iter().chain(self.added.iter().cloned())
    }

    /// One table of all names.
    pub(crate) fn table(&self) -> Result<Names, NamesError> {
        if self.added.is_empty() {
            Ok(self.stored.clone())
        } else {
            Names::new(self.iter())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LabelNames;
    use crate::names::Names;

    #[test]
    fn new_names_follow_the_stored_ones() {
        let mut names = LabelNames::new(Names::new(["b", "a"]).unwrap());
        assert_eq!(names.find_or_add("a"), Some(1));
        assert_eq!(names.find_or_add("c"), Some(2));
        assert_eq!(names.find("c"), Some(2));
        assert_eq!(names.get(2).as_deref(), Some("c"));
        assert_eq!(names.get(3), None);
        assert_eq!(names.table().unwrap(), Names::new(["b", "a", "c"]).unwrap());
    }
}
