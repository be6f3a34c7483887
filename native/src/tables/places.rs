//! Where in a table what is read stands.

use super::{
    Selection, TableFormat, TableProblem, TextColumn,
    recognize::{Role, looks_like_header, named_for, wordiest},
};

/// A column that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Its name, or its number from 1.
    pub(super) name: String,
    /// Its place in a row of fields, from 0.
    pub(super) at: usize,
}

/// The columns that are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Places {
    /// Those of the text, and how often each counts.
    pub(super) text: Vec<(Place, u32)>,
    /// Those of the labels; none where rows may lack labels.
    pub(super) labels: Vec<Place>,
    /// Whether these are labels themselves, marked by 1 in the rows that carry them.
    pub(super) marks: bool,
    pub(super) id: Option<Place>,
    pub(super) keep: Vec<Place>,
}

/// What is known of a table before its columns are.
pub(super) struct Known<'a> {
    pub(super) format: TableFormat,
    /// The names of the columns, or their numbers where there is no header.
    pub(super) names: &'a [String],
    pub(super) headed: bool,
    /// The first rows, the header among them.
    pub(super) rows: &'a [Vec<String>],
    pub(super) given: &'a Selection,
    pub(super) remembered: &'a Selection,
    pub(super) keep: &'a [String],
    pub(super) labels_optional: bool,
}

/// The place of the column `wanted`: by its name, its name in other case, or its number.
pub(super) fn find(names: &[String], wanted: &str, numbered: bool) -> Option<usize> {
    let wanted = wanted.trim();
    let exact = names.iter().position(|name| name == wanted);
    let lower = wanted.to_lowercase();
    let alike = || {
        let mut alike = (0..names.len()).filter(|&at| names[at].to_lowercase() == lower);
        alike.next().filter(|_| alike.next().is_none())
    };
    let number = || {
        let number = wanted.parse::<usize>().ok().filter(|_| numbered)?;
        number.checked_sub(1).filter(|&at| at < names.len())
    };
    exact.or_else(alike).or_else(number)
}

impl Known<'_> {
    pub(super) fn find(&self, wanted: &str) -> Option<usize> {
        find(self.names, wanted, self.format != TableFormat::JsonLines)
    }

    fn place(&self, at: usize) -> Place {
        Place {
            name: self.names.get(at).cloned().unwrap_or_default(),
            at,
        }
    }

    /// A column that is named, which must be there.
    pub(super) fn named(&self, wanted: &str) -> Result<Place, TableProblem> {
        let missing = || TableProblem::NoColumn {
            name: wanted.into(),
            columns: self.names.to_vec(),
        };
        self.find(wanted)
            .map(|at| self.place(at))
            .ok_or_else(missing)
    }

    pub(super) fn places(&self) -> Result<Places, TableProblem> {
        let labels = self.labels()?;
        let text = self.text(&labels)?;
        if labels.is_empty() && !self.labels_optional {
            return Err(self.unnamed());
        }
        let id = match (&self.given.id, &self.remembered.id) {
            (Some(id), _) => Some(self.named(id)?),
            (None, Some(id)) if self.find(id).is_some() => Some(self.named(id)?),
            _ if self.headed => named_for(self.names, Role::Id).map(|at| self.place(at)),
            _ => None,
        };
        let keep = self.keep.iter().map(|name| self.named(name));
        Ok(Places {
            text,
            marks: self.marks(&labels),
            labels,
            id,
            keep: keep.collect::<Result<_, _>>()?,
        })
    }

    /// Whether two columns are text and labels, whatever their names. Not where a model remembers
    /// others, and the first row looks like names.
    fn by_place(&self) -> bool {
        let others = !self.remembered.text.is_empty() && looks_like_header(self.rows);
        self.given.header == Some(true) || !self.headed && !others
    }

    /// Of two columns the one that is not taken.
    fn other_of_two(&self, taken: Option<usize>) -> Option<usize> {
        match (self.names.len(), taken) {
            (2, Some(taken)) => Some(1 - taken.min(1)),
            _ => None,
        }
    }

    fn labels(&self) -> Result<Vec<Place>, TableProblem> {
        if let Some(labels) = &self.given.labels {
            return self.several(labels);
        }
        // Of lines without tabs or commas the only column is the text, wherever labels stood.
        let lines = self.labels_optional && !self.headed && self.names.len() == 1;
        let remembered = self.remembered.labels.as_deref().filter(|_| !lines);
        let remembered = remembered.and_then(|labels| self.several(labels).ok());
        if let Some(remembered) = remembered {
            return Ok(remembered);
        }
        let named_for = |role| match self.headed {
            true => named_for(self.names, role),
            false => None,
        };
        let recognized = || named_for(Role::Labels);
        let id = named_for(Role::Id);
        let text = match &self.given.text[..] {
            [text] => self.find(&text.name),
            [] => named_for(Role::Text),
            _ => None,
        };
        let by_place = || match &self.given.text[..] {
            [] if self.by_place() && self.names.len() == 2 => Some(1),
            _ => self.other_of_two(text).filter(|&at| Some(at) != id),
        };
        let found = recognized().or_else(by_place);
        Ok(found.map(|at| self.place(at)).into_iter().collect())
    }

    fn text(&self, labels: &[Place]) -> Result<Vec<(Place, u32)>, TableProblem> {
        let named = |text: &[TextColumn]| -> Result<Vec<_>, TableProblem> {
            let places = text.iter();
            let places = places.map(|column| Ok((self.named(&column.name)?, column.times)));
            places.collect()
        };
        if !self.given.text.is_empty() {
            return named(&self.given.text);
        }
        let remembered = named(&self.remembered.text);
        if let Some(text) = remembered.as_ref().ok().filter(|text| !text.is_empty()) {
            return Ok(text.clone());
        }
        let recognized = || match self.headed {
            true => named_for(self.names, Role::Text),
            false => None,
        };
        let taken = labels.first().map(|place| place.at);
        let by_place = || match (self.names.len(), self.by_place()) {
            (1, _) => Some(0),
            (2, true) => Some(usize::from(taken == Some(0))),
            _ => self.other_of_two(taken),
        };
        match recognized().or_else(by_place) {
            Some(at) if labels.iter().all(|place| place.at != at) => Ok(vec![(self.place(at), 1)]),
            _ => Err(match remembered.err() {
                Some(TableProblem::NoColumn { name, .. }) => TableProblem::NoColumn {
                    name,
                    columns: self.rows.first().map_or(self.names, |row| row).to_vec(),
                },
                _ => self.unnamed(),
            }),
        }
    }

    /// Which options would name the columns, as far as looks can tell.
    fn unnamed(&self) -> TableProblem {
        let last = self.names.len().saturating_sub(1);
        let header = self.rows.first();
        let by_name = self.headed || looks_like_header(self.rows);
        let guessed = |role| header.and_then(|names| named_for(names, role));
        let given = self.given.labels.as_ref();
        let given = given.and_then(|names| self.several(names).ok());
        let given = given.map(|places| places.iter().map(|place| place.at).collect());
        let marked = || {
            let marked = (0..self.names.len()).filter(|&at| self.holds_marks(at, by_name));
            Some(marked.collect()).filter(|marked: &Vec<usize>| marked.len() > 1)
        };
        let labels = given
            .or_else(|| guessed(Role::Labels).map(|at| vec![at]))
            .or_else(marked)
            .unwrap_or_else(|| vec![last]);
        let text = guessed(Role::Text).filter(|text| !labels.contains(text));
        let text = text.unwrap_or_else(|| wordiest(self.rows, &labels));
        let said = |at: &usize| match header.and_then(|names| names.get(*at)) {
            Some(name) if by_name && !name.contains(',') => name.clone(),
            _ => (at + 1).to_string(),
        };
        let quoted = |names: String| match names.contains(' ') {
            true => format!("'{names}'"),
            false => names,
        };
        let text = quoted(said(&text));
        let labels = quoted(labels.iter().map(said).collect::<Vec<_>>().join(","));
        let advice = match self.labels_optional {
            true => format!("--text {text}"),
            false => format!("--text {text} --labels {labels}"),
        };
        TableProblem::Unnamed {
            columns: header.cloned().unwrap_or_else(|| self.names.to_vec()),
            advice,
        }
    }
}
