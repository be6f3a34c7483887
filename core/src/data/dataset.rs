//! What a model is trained and evaluated on.

use super::{LabelLists, ReadError, ReadProblem, named_labels, read_error::Fault};
use crate::{names::Names, sparse::SparseRows};
use alloc::{string::String, vec::Vec};
use core::fmt;

/// N sparse rows over D features with the labels of each, and the names of the L labels
/// where they have names.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    rows: SparseRows,
    labels: LabelLists,
    label_names: Option<Names>,
}

/// Raw texts with the labels of each, before a vectorizer turns the texts into rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Documents {
    /// The texts, one a row.
    pub texts: Vec<String>,
    /// The labels of each text.
    pub labels: LabelLists,
    /// The names of the labels, by id.
    pub label_names: Names,
}

impl Documents {
    /// Texts with the names of their labels. Ids follow the names as if a file of labelled text had
    /// been read.
    ///
    /// ```
    /// use hapax_core::data::Documents;
    /// let made = Documents::new([("mouse", vec!["rodent", "animal"]), ("oak", vec!["tree"])])?;
    /// assert_eq!(made.label_names.iter().collect::<Vec<_>>(), ["animal", "rodent", "tree"]);
    /// assert_eq!(made.labels.row(0), [0, 1]);
    /// # Ok::<(), hapax_core::data::ReadError>(())
    /// ```
    ///
    /// # Errors
    /// If there are no texts, a label's name is empty, or there are too many labels; the line is
    /// the number of the text, from 1.
    pub fn new<T, L>(labelled: impl IntoIterator<Item = (T, L)>) -> Result<Self, ReadError>
    where
        T: Into<String>,
        L: IntoIterator<Item: AsRef<str>>,
    {
        let mut texts = Vec::new();
        let names = labelled.into_iter().map(|(text, names)| {
            texts.push(text.into());
            names
        });
        let (labels, label_names) = named_labels(names, None)?;
        if texts.is_empty() {
            return Err(Fault::new(0, ReadProblem::Empty).at(1, &[]));
        }
        Ok(Self {
            texts,
            labels,
            label_names,
        })
    }

    /// Adds texts of labels, such as names and descriptions, each with its labels: as rows to train
    /// on that are never held out, so nothing is chosen or calibrated by answers to them. A label
    /// without other rows is new: its id follows those there are. Several texts of a label are as
    /// many rows. Fit a vectorizer before, as `hapax train --label-texts` does, so that rows alone
    /// decide on features.
    ///
    /// ```
    /// use hapax_core::data::Documents;
    /// let mut made = Documents::new([("a mouse eats cheese", ["rodent"])])?;
    /// made.describe([("gnawing mammals", ["rodent"]), ("wood, leaves and bark", ["tree"])])?;
    /// assert_eq!(made.texts.len(), 3);
    /// assert_eq!(made.label_names.iter().collect::<Vec<_>>(), ["rodent", "tree"]);
    /// # Ok::<(), hapax_core::data::ReadError>(())
    /// ```
    ///
    /// # Errors
    /// If a label's name is empty or there are too many labels; the line is the number of the text,
    /// from 1. The documents stay as they were.
    pub fn describe<T, L>(
        &mut self,
        labelled: impl IntoIterator<Item = (T, L)>,
    ) -> Result<(), ReadError>
    where
        T: Into<String>,
        L: IntoIterator<Item: AsRef<str>>,
    {
        let (texts, labels): (Vec<T>, Vec<L>) = labelled.into_iter().unzip();
        let (lists, names) = named_labels(labels, Some(&self.label_names))?;
        self.labels.begin_texts();
        lists
            .iter()
            .for_each(|list| self.labels.push(list.iter().copied()));
        self.labels.widen(names.len() as u32);
        self.label_names = names;
        self.texts.extend(texts.into_iter().map(Into::into));
        Ok(())
    }
}

/// Why rows and labels do not make a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DatasetError {
    /// There are more rows than label lists, or fewer.
    RowsDiffer {
        /// Number of rows.
        rows: usize,
        /// Number of label lists.
        label_lists: usize,
    },
    /// There are fewer names than labels.
    NamesMissing {
        /// Number of labels.
        labels: u32,
        /// Number of names.
        names: usize,
    },
}

impl fmt::Display for DatasetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RowsDiffer { rows, label_lists } => {
                write!(f, "{rows} rows but {label_lists} lists of labels")
            }
            Self::NamesMissing { labels, names } => {
                write!(f, "{labels} labels but only {names} label names")
            }
        }
    }
}

impl core::error::Error for DatasetError {}

impl Dataset {
    /// Joins rows and their labels. Label ids without a row, and names beyond the last label, are
    /// allowed: the number of labels grows to the number of names.
    ///
    /// # Errors
    /// If the numbers of rows differ or a label has no name.
    pub fn new(
        rows: SparseRows,
        mut labels: LabelLists,
        label_names: Option<Names>,
    ) -> Result<Self, DatasetError> {
        if rows.len() != labels.len() {
            return Err(DatasetError::RowsDiffer {
                rows: rows.len(),
                label_lists: labels.len(),
            });
        }
        if let Some(names) = &label_names {
            if names.len() < labels.labels() as usize {
                let (labels, names) = (labels.labels(), names.len());
                return Err(DatasetError::NamesMissing { labels, names });
            }
            labels.widen(u32::try_from(names.len()).unwrap_or(u32::MAX));
        }
        Ok(Self {
            rows,
            labels,
            label_names,
        })
    }

    /// Declares more features and labels than before; never fewer. Labels with names stay as many
    /// as names.
    pub fn widen(&mut self, features: u32, labels: u32) {
        self.rows.widen(features);
        if self.label_names.is_none() {
            self.labels.widen(labels);
        }
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &SparseRows {
        &self.rows
    }

    /// The labels of each row.
    #[must_use]
    pub fn labels(&self) -> &LabelLists {
        &self.labels
    }

    /// The names of the labels by id, if they have names.
    #[must_use]
    pub fn label_names(&self) -> Option<&Names> {
        self.label_names.as_ref()
    }

    /// Number of rows N.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Other rows with these labels and names, as many of them.
    pub(crate) fn with_rows(&self, rows: SparseRows) -> Self {
        debug_assert_eq!(rows.len(), self.len());
        Self {
            rows,
            labels: self.labels.clone(),
            label_names: self.label_names.clone(),
        }
    }

    /// The rows named by `rows`, in that order, with their labels, over the same features, labels
    /// and names.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            rows: self.rows.select(rows),
            labels: self.labels.select(rows),
            label_names: self.label_names.clone(),
        }
    }
}
