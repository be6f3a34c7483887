//! Models that are trained and judged, and kept for the next time.

use crate::{
    kept::{Key, keep, kept},
    results::Line,
    training::{microseconds_a_query, precision, train},
    wordnet::HeldOutMeanings,
};
use hapax::{files::write_whole, threads::Threads};
use hapax_core::{data::Documents, parameters::NearestParameters};
use std::{error::Error, fs, path::Path};

/// A model to be made.
pub struct Task<'a> {
    /// Its name in the table.
    pub name: &'a str,
    /// The name of its file.
    pub file: &'a str,
    /// How neighbors are compared and vote.
    pub parameters: NearestParameters,
    /// The most that the file may take.
    pub max_bytes: u64,
    /// What it is trained on.
    pub documents: &'a Documents,
    /// What another model is trained on, which then is judged, and by what.
    pub meanings: &'a HeldOutMeanings,
}

impl Task<'_> {
    /// What decides the model and its figures: the data, how it is trained, and by which program.
    fn key(&self) -> Result<Key, Box<dyn Error>> {
        let program = fs::read(std::env::current_exe()?)?;
        let how = format!("{:?} {:?} {:?}", self.name, self.parameters, self.max_bytes);
        let HeldOutMeanings { training, held_out } = self.meanings;
        let data: Vec<String> = [self.documents, training, held_out]
            .into_iter()
            .map(|documents| format!("{:?} {:?}", documents.texts, documents.labels))
            .collect();
        let data = data.iter().map(String::as_bytes);
        Ok(Key::new(
            [&*program, how.as_bytes()].into_iter().chain(data),
        ))
    }

    /// Trains and judges the model and writes its file into `folder`, unless it is there.
    ///
    /// # Errors
    /// If it cannot be trained or judged, or the file not written.
    pub fn make(&self, folder: &Path, threads: &Threads) -> Result<Line, Box<dyn Error>> {
        let (path, key) = (folder.join(self.file), self.key()?);
        if let Some(line) = kept(&path, key) {
            eprintln!("{} is kept from before", self.file);
            return Ok(line);
        }
        eprintln!("training {}", self.file);
        let make = |documents| train(documents, self.parameters, self.max_bytes, threads);
        let trained = make(self.documents)?;
        let HeldOutMeanings { training, held_out } = self.meanings;
        let precision = precision(&make(training)?.model, held_out, threads)?;
        let microseconds = microseconds_a_query(&trained.model, &held_out.texts);
        let line = Line::new(self.name, &trained, precision, microseconds);
        write_whole(&path, &trained.bytes)?;
        keep(&path, key, &line)?;
        Ok(line)
    }
}
