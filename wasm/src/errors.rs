//! Core errors as JavaScript errors: class, message, the rule's name and what belongs to it.

use hapax_core::{
    data::{DatasetError, ReadError, ReadProblem},
    format::FormatError,
    model::{ModelError, PredictError},
    parameters::{ParamError, ParamRule},
    sparse::SparseError,
    text::{NoFeatures, VectorizerError},
    train::TrainError,
};
use std::fmt::Display;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./values.js")]
extern "C" {
    /// A new error of the class with that name.
    #[wasm_bindgen(js_name = newError)]
    fn new_error(class: &str, message: &str, rule: &str) -> JsValue;
    #[wasm_bindgen(js_name = setNumber)]
    pub(crate) fn set_number(object: &JsValue, field: &str, value: f64);
    #[wasm_bindgen(js_name = setText)]
    pub(crate) fn set_text(object: &JsValue, field: &str, value: &str);
}

/// An error on its way to JavaScript.
pub struct Thrown(JsValue);

/// The name of a broken rule, and its numbers by the names of their fields.
type Broken<'a> = (&'a str, &'a [(&'a str, f64)]);

impl Thrown {
    fn new(class: &str, message: &dyn Display, (rule, numbers): Broken<'_>) -> Self {
        let error = new_error(class, &message.to_string(), rule);
        for &(field, value) in numbers {
            set_number(&error, field, value);
        }
        Self(error)
    }

    fn with_text(self, field: &str, value: &str) -> Self {
        set_text(&self.0, field, value);
        self
    }

    /// Refuses lists of different lengths.
    #[cfg(feature = "training")]
    pub(crate) fn unless_equal(texts: usize, labels: usize) -> Result<(), Self> {
        if texts == labels {
            return Ok(());
        }
        let error = DatasetError::RowsDiffer {
            rows: texts,
            label_lists: labels,
        };
        Err(error.into())
    }
}

#[cfg(feature = "training")]
impl Thrown {
    /// What JavaScript threw, passed on.
    pub(crate) fn again(thrown: JsValue) -> Self {
        Self(thrown)
    }
}

impl From<Thrown> for JsValue {
    fn from(thrown: Thrown) -> Self {
        thrown.0
    }
}

impl From<FormatError> for Thrown {
    fn from(error: FormatError) -> Self {
        use FormatError as E;
        let new = |rule, numbers: &[(&str, u64)]| {
            let thrown = Self::new("FormatError", &error, (rule, &[]));
            for &(field, value) in numbers {
                set_number(&thrown.0, field, value as f64);
            }
            thrown
        };
        match error {
            E::TooShort { length } => new("TooShort", &[("length", length)]),
            E::NotAModel => new("NotAModel", &[]),
            E::NewerVersion { found, supported } => {
                let numbers = [("found", found.into()), ("supported", supported.into())];
                new("NewerVersion", &numbers)
            }
            E::UnknownKind { kind } => new("UnknownKind", &[("kind", kind.into())]),
            E::KindLeftOut { kind } => new("KindLeftOut", &[("kind", kind.into())]),
            E::WrongLength { length, expected } => {
                new("WrongLength", &[("length", length), ("expected", expected)])
            }
            E::MetadataTooLong { length, limit } => {
                new("MetadataTooLong", &[("length", length), ("limit", limit)])
            }
            E::HeaderDamaged => new("HeaderDamaged", &[]),
            E::MetadataInvalid => new("MetadataInvalid", &[]),
            E::SectionMisplaced { id, offset } => {
                new("SectionMisplaced", &[("id", id.into()), ("offset", offset)])
            }
            E::SectionDamaged { section, offset } => {
                new("SectionDamaged", &[("offset", offset)]).with_text("section", section.name())
            }
            E::SectionMissing { section } => {
                new("SectionMissing", &[]).with_text("section", section.name())
            }
            E::SectionUnexpected { id } => new("SectionUnexpected", &[("id", id.into())]),
            E::SectionLength {
                section,
                length,
                expected_items,
            } => {
                let numbers = [
                    ("length", length),
                    ("expected", expected_items.unwrap_or(0)),
                ];
                let known = if expected_items.is_some() { 2 } else { 1 };
                new("SectionLength", &numbers[..known]).with_text("section", section.name())
            }
            E::PaddingNotZero { offset } => new("PaddingNotZero", &[("offset", offset)]),
            E::ValueInvalid {
                section,
                position,
                rule,
            } => new("ValueInvalid", &[("position", position)])
                .with_text("section", section.name())
                .with_text("requirement", rule),
            E::ClaimsMemory { what, bytes, limit } => {
                new("ClaimsMemory", &[("bytes", bytes), ("limit", limit)]).with_text("what", what)
            }
            E::NothingToWrite => new("NothingToWrite", &[]),
            E::OutOfMemory { bytes } => new("OutOfMemory", &[("bytes", bytes)]),
            _ => new("Other", &[]),
        }
    }
}

impl From<ReadError> for Thrown {
    fn from(error: ReadError) -> Self {
        let rule = match error.problem {
            ReadProblem::Empty => "Empty",
            ReadProblem::EmptyLabel => "EmptyLabel",
            ReadProblem::TooManyLabels => "TooManyLabels",
            ReadProblem::OutOfMemory => "OutOfMemory",
            // The others are of files, which are not read here.
            _ => "Other",
        };
        // So the messages of files are not part of the module.
        let said = error.problem.plain().unwrap_or("the input cannot be read");
        let message = format_args!("{}:{}: {said}", error.line, error.column);
        Self::new(
            "ReadError",
            &message,
            (rule, &[("line", error.line as f64)]),
        )
    }
}

impl From<ParamError> for Thrown {
    fn from(error: ParamError) -> Self {
        let (rule, limit) = match error.rule {
            ParamRule::AtLeast(limit) => ("AtLeast", Some(limit)),
            ParamRule::Above(limit) => ("Above", Some(limit)),
            ParamRule::AtMost(limit, _) => ("AtMost", Some(limit)),
            ParamRule::OneOf(_) => ("OneOf", None),
            _ => ("Finite", None),
        };
        let numbers = [("value", error.value), ("limit", limit.unwrap_or(0.0))];
        let known = if limit.is_some() { 2 } else { 1 };
        Self::new("ParamError", &error, (rule, &numbers[..known]))
            .with_text("parameter", error.name)
    }
}

impl From<ModelError> for Thrown {
    fn from(error: ModelError) -> Self {
        Self::from(TrainError::from(error))
    }
}

impl From<TrainError> for Thrown {
    fn from(error: TrainError) -> Self {
        let new = |rule, numbers: &[(&str, f64)]| Self::new("TrainError", &error, (rule, numbers));
        match error {
            TrainError::Parameter(error) => Self::from(error),
            TrainError::Texts(error) => Self::from(error),
            TrainError::NoRows => new("NoRows", &[]),
            TrainError::TooFewRows { rows } => new("TooFewRows", &[("rows", rows as f64)]),
            TrainError::NoFeatures => new("NoFeatures", &[]),
            TrainError::NoLabels => new("NoLabels", &[]),
            #[cfg(feature = "training")]
            TrainError::NotOneLabel { row, labels } => {
                let numbers = [("row", row as f64), ("labels", labels as f64)];
                new("NotOneLabel", &numbers)
            }
            #[cfg(feature = "training")]
            TrainError::TooFewLabels { labels } => {
                new("TooFewLabels", &[("labels", labels as f64)])
            }
            TrainError::TooLarge { what, value, limit } => {
                let numbers = [("value", value as f64), ("limit", limit as f64)];
                new("TooLarge", &numbers).with_text("what", what)
            }
            TrainError::Stopped => new("Stopped", &[]),
            TrainError::Diverged => new("Diverged", &[]),
            TrainError::CannotLearn => new("CannotLearn", &[]),
            TrainError::OutOfMemory { bytes } => new("OutOfMemory", &[("bytes", bytes as f64)]),
            _ => new("Other", &[]),
        }
    }
}

impl From<VectorizerError> for Thrown {
    fn from(error: VectorizerError) -> Self {
        use VectorizerError as E;
        let (class, rule, numbers): (_, _, &[_]) = match error {
            E::BadNGrams { ngrams } => {
                let numbers = [("min", ngrams.min.into()), ("max", ngrams.max.into())];
                return Self::new("ParamError", &error, ("BadNGrams", &numbers));
            }
            E::NoTokenKind => ("ParamError", "NoTokenKind", &[]),
            E::BadBits { bits } => ("ParamError", "BadBits", &[("value", bits.into())]),
            E::BadShare { share } => ("ParamError", "BadShare", &[("value", share)]),
            E::NoFeaturesAllowed => ("ParamError", "NoFeaturesAllowed", &[]),
            E::NoTexts => ("TrainError", "NoRows", &[]),
            E::TooLarge => ("TrainError", "TooLarge", &[]),
            E::NothingKept { documents, tokens } => {
                let numbers = [("documents", documents.into()), ("tokens", tokens as f64)];
                return Self::new("TrainError", &error, ("NothingKept", &numbers));
            }
            // The others are of files, whose reading has its own error.
            _ => ("TrainError", "Other", &[]),
        };
        Self::new(class, &error, (rule, numbers))
    }
}

impl From<DatasetError> for Thrown {
    fn from(error: DatasetError) -> Self {
        let (rule, numbers) = match error {
            DatasetError::RowsDiffer { rows, label_lists } => (
                "RowsDiffer",
                [("rows", rows as f64), ("labelLists", label_lists as f64)],
            ),
            DatasetError::NamesMissing { labels, names } => (
                "NamesMissing",
                [("labels", labels.into()), ("names", names as f64)],
            ),
            _ => return Self::new("TrainError", &error, ("Other", &[])),
        };
        Self::new("TrainError", &error, (rule, &numbers))
    }
}

impl From<PredictError> for Thrown {
    fn from(error: PredictError) -> Self {
        let new =
            |rule, numbers: &[(&str, f64)]| Self::new("PredictError", &error, (rule, numbers));
        match &error {
            PredictError::ZeroAnswers => new("ZeroAnswers", &[]),
            PredictError::NoVectorizer => new("NoVectorizer", &[]),
            PredictError::NoFeatures(NoFeatures::NoKnownTokens { tokens }) => {
                new("NoFeatures", &[("tokens", *tokens as f64)])
            }
            PredictError::NoFeatures(_) => new("NoFeatures", &[("tokens", 0.0)]),
            PredictError::NoLabelNames => new("NoLabelNames", &[]),
            PredictError::KindLeftOut => new("KindLeftOut", &[]),
            PredictError::Failed(error) => Self::from(error.clone()),
            _ => new("Other", &[]),
        }
    }
}

/// A row given as typed arrays breaks a rule.
impl From<SparseError> for Thrown {
    fn from(error: SparseError) -> Self {
        use SparseError as E;
        let count = |count: usize| count as f64;
        let new = |rule, numbers: &[(&str, f64)]| Self::new("ReadError", &error, (rule, numbers));
        match error {
            E::LengthsDiffer { indices, values } => {
                let numbers = [("indices", count(indices)), ("values", count(values))];
                new("LengthsDiffer", &numbers)
            }
            E::NotRising {
                position,
                previous,
                index,
            } => {
                let (previous, index) = (("previous", previous.into()), ("index", index.into()));
                new(
                    "NotRising",
                    &[("position", count(position)), previous, index],
                )
            }
            E::NotFinite { position, value } => {
                let numbers = [("position", count(position)), ("value", value.into())];
                new("NotFinite", &numbers)
            }
            E::Zero { position } => new("Zero", &[("position", count(position))]),
            E::OutOfRange {
                position,
                index,
                features,
            } => {
                let (index, features) = (("index", index.into()), ("features", features.into()));
                new(
                    "OutOfRange",
                    &[("position", count(position)), index, features],
                )
            }
            E::BadOffsets { row } => new("BadOffsets", &[("row", count(row))]),
            _ => new("Other", &[]),
        }
    }
}
