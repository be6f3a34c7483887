//! The options of training, by the names that the command has for them.

use super::errors::wrong;
use hapax::TextFeatures;
use hapax::core::text::{FeatureSpace, NGrams};
use hapax::core::train::Reduction;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Options that are taken one by one; what is left at the end is unknown.
pub struct Options<'py> {
    given: Bound<'py, PyDict>,
    known: Vec<&'static str>,
}

impl<'py> Options<'py> {
    /// The options of a call.
    pub fn new(given: &Bound<'py, PyDict>) -> PyResult<Self> {
        Ok(Self {
            given: given.copy()?,
            known: Vec::new(),
        })
    }

    /// The option of this name; `None` is as good as nothing.
    pub fn take<T>(&mut self, name: &'static str) -> PyResult<Option<T>>
    where
        T: for<'a> FromPyObject<'a, 'py>,
    {
        self.known.push(name);
        let Some(value) = self.given.get_item(name)? else {
            return Ok(None);
        };
        self.given.del_item(name)?;
        if value.is_none() {
            return Ok(None);
        }
        let made = value.extract::<T>().map_err(Into::<PyErr>::into);
        made.map(Some)
            .map_err(|error| wrong(format_args!("{name}: {}", error.value(value.py()))))
    }

    /// One of several words.
    pub fn choose<T: Copy>(
        &mut self,
        name: &'static str,
        words: &[(&str, T)],
        default: T,
    ) -> PyResult<T> {
        let Some(word) = self.take::<String>(name)? else {
            return Ok(default);
        };
        let found = words.iter().find(|(known, _)| *known == word);
        found.map(|&(_, value)| value).ok_or_else(|| {
            let known: Vec<&str> = words.iter().map(|&(known, _)| known).collect();
            let known = known.join(", ");
            wrong(format_args!(
                "{name} is {word:?}, but must be one of {known}"
            ))
        })
    }

    /// Refuses what nobody took.
    pub fn end(mut self, method: &str) -> PyResult<()> {
        let Some(unknown) = self.given.keys().iter().next() else {
            return Ok(());
        };
        self.known.sort_unstable();
        Err(PyTypeError::new_err(format!(
            "method {method:?} has no option {}; it has {}",
            unknown.repr()?,
            self.known.join(", ")
        )))
    }
}

/// Lengths of n-grams: `2`, `(1, 2)` or `"1-2"`; 0 for none.
#[derive(FromPyObject)]
enum Lengths {
    One(u8),
    Two(u8, u8),
    Word(String),
}

fn lengths(name: &'static str, given: Lengths) -> PyResult<Option<NGrams>> {
    let (min, max) = match given {
        Lengths::One(length) => (length, length),
        Lengths::Two(min, max) => (min, max),
        Lengths::Word(word) => {
            let (min, max) = word.split_once('-').unwrap_or((&word, &word));
            let number = |part: &str| {
                part.trim()
                    .parse::<u8>()
                    .map_err(|_| wrong(format_args!("{name}: {part:?} is no number from 0 to 16")))
            };
            (number(min)?, number(max)?)
        }
    };
    Ok((max > 0).then_some(NGrams { min, max }))
}

/// How texts become features.
pub fn text(options: &mut Options<'_>, texts: usize) -> PyResult<TextFeatures> {
    let mut features = TextFeatures::open(texts);
    let (chosen, given) = (&mut features.options, &mut features.given);
    if let Some(words) = options.take("words")? {
        chosen.tokens.words = lengths("words", words)?;
    }
    if let Some(characters) = options.take("characters")? {
        chosen.tokens.characters = lengths("characters", characters)?;
        given.characters = true;
    }
    if let Some(punctuation) = options.take("punctuation")? {
        chosen.tokens.punctuation = punctuation;
        given.punctuation = true;
    }
    if let Some(sensitive) = options.take::<bool>("case_sensitive")? {
        chosen.tokens.lower_case = !sensitive;
    }
    let least: Option<u32> = options.take("min_documents")?;
    let share: Option<f64> = options.take("max_document_share")?;
    let most: Option<u32> = options.take("max_features")?;
    let bits: Option<u8> = options.take("hash_bits")?;
    given.counts = least.is_some() || most.is_some() || bits.is_some();
    if let Some(bits) = bits {
        if least.is_some() || most.is_some() || share.is_some() {
            let rule = "hash_bits keeps no vocabulary: give it without min_documents, \
                        max_document_share and max_features";
            return Err(wrong(rule));
        }
        chosen.features = FeatureSpace::Hashed { bits, seed: 0 };
    }
    if let FeatureSpace::Vocabulary {
        min_documents,
        max_document_share,
        max_features,
    } = &mut chosen.features
    {
        *min_documents = least.unwrap_or(*min_documents);
        *max_document_share = share.unwrap_or(*max_document_share);
        *max_features = most;
    }
    chosen.check().map_err(wrong)?;
    Ok(features)
}

/// To how few dimensions rows are brought, if they are.
pub fn reduction(options: &mut Options<'_>, seed: u64) -> PyResult<Option<Reduction>> {
    let dimensions: Option<u32> = options.take("reduce")?;
    let iterations: Option<u32> = options.take("reduce_iterations")?;
    let Some(dimensions) = dimensions else {
        return match iterations {
            Some(_) => Err(wrong(
                "reduce_iterations needs reduce, a number of dimensions",
            )),
            None => Ok(None),
        };
    };
    let base = Reduction::default();
    let reduction = Reduction {
        dimensions,
        power_iterations: iterations.unwrap_or(base.power_iterations),
        seed,
        ..base
    };
    reduction.check().map_err(wrong)?;
    Ok(Some(reduction))
}
