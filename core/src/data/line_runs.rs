//! What a run of lines holds, before the parts are joined to a data set.

use super::{
    LabelIds, LabelLists, ReadProblem,
    number::{self, Digits},
    read_error::{Fault, Quantity, excerpt},
};
use crate::{interner::Interner, names::Names};
use alloc::{string::String, vec::Vec};

/// Labels of consecutive rows. Where labels have names, ids count the names of this part.
#[derive(Debug, Default)]
pub(super) struct LabelPart {
    pub(super) ids: Vec<u32>,
    /// Where each row's labels end.
    pub(super) ends: Vec<usize>,
    pub(super) names: Interner,
}

impl LabelPart {
    pub(super) fn end_row(&mut self) {
        self.ends.push(self.ids.len());
    }

    /// Adds the label `name` that stands at `offset` of its line to the current row.
    pub(super) fn add(&mut self, name: &str, offset: usize) -> Result<(), Fault> {
        if name.is_empty() {
            return Err(Fault::new(offset, ReadProblem::EmptyLabel));
        }
        let id = self
            .names
            .intern(name)
            .ok_or_else(|| Fault::new(offset, ReadProblem::TooManyLabels))?;
        self.ids.push(id);
        Ok(())
    }

    /// Forgets the rows, for reading line by line; keeps the memory, not the names.
    pub(super) fn clear(&mut self) {
        self.ids.clear();
        self.ends.clear();
        if !self.names.is_empty() {
            self.names = Interner::new();
        }
    }

    /// Appends a part whose ids are final.
    pub(super) fn append(&mut self, part: &Self) -> Result<(), ReadProblem> {
        reserve(&mut self.ids, part.ids.len())?;
        reserve(&mut self.ends, part.ends.len())?;
        let start = self.ids.len();
        self.ids.extend_from_slice(&part.ids);
        self.ends.extend(part.ends.iter().map(|end| start + end));
        Ok(())
    }

    fn rename(&mut self, new: &[u32]) {
        for id in &mut self.ids {
            *id = new.get(*id as usize).copied().unwrap_or(*id);
        }
    }

    /// The label lists of the rows, with at least `labels` labels.
    pub(super) fn lists(&self, labels: u32) -> LabelLists {
        let mut lists = LabelLists::new(labels);
        let mut start = 0;
        for &end in &self.ends {
            lists.push(self.ids[start..end].iter().copied());
            start = end;
        }
        lists
    }
}

/// Joined labels with the ids of the whole input.
#[derive(Debug, Default)]
pub(super) struct NamedLabels {
    pub(super) ids: LabelIds,
    joined: LabelPart,
}

impl NamedLabels {
    pub(super) fn new(known: Option<&Names>) -> Self {
        Self {
            ids: known.map(LabelIds::from_names).unwrap_or_default(),
            joined: LabelPart::default(),
        }
    }

    /// Turns the part's own ids into those of the whole input.
    pub(super) fn translate(&mut self, part: &mut LabelPart) -> Result<(), ReadProblem> {
        let new: Option<Vec<u32>> = part
            .names
            .iter()
            .map(|name| self.ids.intern(name))
            .collect();
        part.rename(&new.ok_or(ReadProblem::TooManyLabels)?);
        Ok(())
    }

    pub(super) fn append(&mut self, mut part: LabelPart) -> Result<(), ReadProblem> {
        self.translate(&mut part)?;
        self.joined.append(&part)
    }

    /// The label lists and names. Labels that were known keep their ids and new ones follow in
    /// order of first occurrence; where none was known, ids follow the order of the names.
    pub(super) fn finish(mut self) -> Result<(LabelLists, Names), ReadProblem> {
        let names = if self.ids.known() > 0 {
            self.ids.to_names()
        } else {
            let order = self.ids.in_name_order();
            let mut new = alloc::vec![0u32; order.len()];
            for (rank, &id) in order.iter().enumerate() {
                new[id as usize] = rank as u32;
            }
            self.joined.rename(&new);
            Names::new(order.iter().map(|&id| self.ids.name(id).unwrap_or("")))
        }
        .map_err(|_| ReadProblem::TooManyLabels)?;
        Ok((self.joined.lists(names.len() as u32), names))
    }
}

/// Texts of consecutive rows with their labels.
#[derive(Debug, Default)]
pub(super) struct TextPart {
    pub(super) texts: Vec<String>,
    pub(super) labels: LabelPart,
}

/// Sparse rows of consecutive lines with their labels, indices as written.
#[derive(Debug, Default)]
pub(super) struct RowPart {
    pub(super) labels: LabelPart,
    pub(super) indices: Vec<u32>,
    pub(super) values: Vec<f32>,
    /// Where each row's values end.
    pub(super) ends: Vec<usize>,
    /// One more than the largest index written, zeros included.
    pub(super) features: u32,
    /// Whether index 0 was written.
    pub(super) has_zero: bool,
}

impl RowPart {
    pub(super) fn clear(&mut self) {
        self.labels.clear();
        self.indices.clear();
        self.values.clear();
        self.ends.clear();
        self.features = 0;
        self.has_zero = false;
    }

    pub(super) fn append(&mut self, part: &Self) -> Result<(), ReadProblem> {
        reserve(&mut self.indices, part.indices.len())?;
        reserve(&mut self.values, part.values.len())?;
        reserve(&mut self.ends, part.ends.len())?;
        let start = self.indices.len();
        self.indices.extend_from_slice(&part.indices);
        self.values.extend_from_slice(&part.values);
        self.ends.extend(part.ends.iter().map(|end| start + end));
        self.features = self.features.max(part.features);
        self.has_zero |= part.has_zero;
        Ok(())
    }

    /// Reads the features from `start` to the end of `line` as one row: indices below `limit`
    /// if there is one. Values of zero are checked and left out.
    pub(super) fn read_features(
        &mut self,
        line: &[u8],
        start: usize,
        limit: Option<u32>,
    ) -> Result<(), Fault> {
        let mut at = start;
        let mut previous = None;
        loop {
            while line.get(at).is_some_and(|&b| number::is_blank(b)) {
                at += 1;
            }
            if at >= line.len() {
                break;
            }
            let (index, colon) = match number::digits(line, at) {
                Digits::Number(index, end) if line.get(end) == Some(&b':') => (index, end),
                _ => return Err(wrong_index(line, at)),
            };
            check_index(index, previous, limit).map_err(|problem| Fault::new(at, problem))?;
            let (value, end) =
                number::value(line, colon + 1).ok_or_else(|| wrong_value(line, colon + 1))?;
            if !value.is_finite() {
                let found = excerpt(&line[colon + 1..end]);
                return Err(Fault::new(colon + 1, ReadProblem::NotFinite { found }));
            }
            if value != 0.0 {
                self.indices.push(index);
                self.values.push(value);
            }
            self.has_zero |= index == 0;
            previous = Some(index);
            at = end;
        }
        if let Some(last) = previous {
            self.features = self.features.max(last + 1);
        }
        self.ends.push(self.indices.len());
        Ok(())
    }
}

fn check_index(index: u32, previous: Option<u32>, limit: Option<u32>) -> Result<(), ReadProblem> {
    match (previous, limit) {
        (Some(previous), _) if previous >= index => Err(ReadProblem::NotRising { previous, index }),
        (_, Some(limit)) if index >= limit => Err(ReadProblem::OutOfRange {
            quantity: Quantity::Index,
            value: index,
            limit,
        }),
        _ => Ok(()),
    }
}

/// What is wrong with the token at `start`, which does not begin with a number and a colon.
fn wrong_index(line: &[u8], start: usize) -> Fault {
    let token = &line[start..number::token_end(line, start)];
    let Some(colon) = token.iter().position(|&b| b == b':') else {
        let found = excerpt(token);
        return Fault::new(start, ReadProblem::MissingColon { found });
    };
    wrong_number(&token[..colon], start, Quantity::Index)
}

/// What is wrong with `digits` where [`number::digits`] does not read all of it.
pub(super) fn wrong_number(digits: &[u8], offset: usize, quantity: Quantity) -> Fault {
    let found = excerpt(digits);
    let problem = if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
        ReadProblem::TooLarge {
            quantity,
            found,
            limit: u32::MAX - 1,
        }
    } else {
        ReadProblem::NotANumber { quantity, found }
    };
    Fault::new(offset, problem)
}

fn wrong_value(line: &[u8], start: usize) -> Fault {
    let found = excerpt(&line[start..number::token_end(line, start)]);
    let quantity = Quantity::Value;
    Fault::new(start, ReadProblem::NotANumber { quantity, found })
}

fn reserve<T>(items: &mut Vec<T>, more: usize) -> Result<(), ReadProblem> {
    items
        .try_reserve(more)
        .map_err(|_| ReadProblem::OutOfMemory)
}
