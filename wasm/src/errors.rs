//! Core errors as JavaScript errors: class, message, the rule's name and its numbers.

use hapax_core::{
    data::{DatasetError, ReadError, ReadProblem},
    format::FormatError,
    model::PredictError,
    sparse::SparseError,
    text::VectorizerError,
    train::{ParamError, ParamRule, TrainError},
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

impl Thrown {
    fn new(class: &str, message: &impl Display, rule: &str) -> Self {
        Self(new_error(class, &message.to_string(), rule))
    }

    fn with(self, field: &str, value: u64) -> Self {
        set_number(&self.0, field, value as f64);
        self
    }

    /// Refuses lists of different lengths.
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

    fn with_text(self, field: &str, value: &str) -> Self {
        set_text(&self.0, field, value);
        self
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
        let new = |rule| Self::new("FormatError", &error, rule);
        match &error {
            E::TooShort { length } => new("TooShort").with("length", *length),
            E::NotAModel => new("NotAModel"),
            E::NewerVersion { found, supported } => new("NewerVersion")
                .with("found", (*found).into())
                .with("supported", (*supported).into()),
            E::UnknownKind { kind } => new("UnknownKind").with("kind", (*kind).into()),
            E::WrongLength { length, expected } => new("WrongLength")
                .with("length", *length)
                .with("expected", *expected),
            E::MetadataTooLong { length, limit } => new("MetadataTooLong")
                .with("length", *length)
                .with("limit", *limit),
            E::HeaderDamaged => new("HeaderDamaged"),
            E::MetadataInvalid => new("MetadataInvalid"),
            E::SectionMisplaced { id, offset } => new("SectionMisplaced")
                .with("id", (*id).into())
                .with("offset", *offset),
            E::SectionDamaged { section, offset } => new("SectionDamaged")
                .with_text("section", section.name())
                .with("offset", *offset),
            E::SectionMissing { section } => {
                new("SectionMissing").with_text("section", section.name())
            }
            E::SectionUnexpected { id } => new("SectionUnexpected").with("id", (*id).into()),
            E::SectionLength {
                section, length, ..
            } => new("SectionLength")
                .with_text("section", section.name())
                .with("length", *length),
            E::PaddingNotZero { offset } => new("PaddingNotZero").with("offset", *offset),
            E::ValueInvalid {
                section, position, ..
            } => new("ValueInvalid")
                .with_text("section", section.name())
                .with("position", *position),
            E::NothingToWrite => new("NothingToWrite"),
            E::OutOfMemory { bytes } => new("OutOfMemory").with("bytes", *bytes),
            _ => new("Other"),
        }
    }
}

impl From<ReadError> for Thrown {
    fn from(error: ReadError) -> Self {
        let rule = match &error.problem {
            ReadProblem::Empty => "Empty",
            ReadProblem::EmptyLabel => "EmptyLabel",
            ReadProblem::OutOfMemory => "OutOfMemory",
            _ => "Other",
        };
        Self::new("ReadError", &error, rule).with("line", error.line as u64)
    }
}

impl From<ParamError> for Thrown {
    fn from(error: ParamError) -> Self {
        let (rule, limit) = match error.rule {
            ParamRule::AtLeast(limit) => ("AtLeast", limit),
            ParamRule::Above(limit) => ("Above", limit),
            ParamRule::AtMost(limit, _) => ("AtMost", limit),
            _ => ("Finite", f64::MAX),
        };
        let thrown = Self::new("ParamError", &error, rule).with_text("parameter", error.name);
        set_number(&thrown.0, "value", error.value);
        set_number(&thrown.0, "limit", limit);
        thrown
    }
}

impl From<TrainError> for Thrown {
    fn from(error: TrainError) -> Self {
        let new = |rule| Self::new("TrainError", &error, rule);
        match &error {
            TrainError::Parameter(error) => Self::from(*error),
            TrainError::NoRows => new("NoRows"),
            TrainError::TooFewRows { rows } => new("TooFewRows").with("rows", *rows),
            TrainError::NoFeatures => new("NoFeatures"),
            TrainError::NoLabels => new("NoLabels"),
            TrainError::TooLarge { value, limit, .. } => {
                new("TooLarge").with("value", *value).with("limit", *limit)
            }
            TrainError::OutOfMemory { bytes } => new("OutOfMemory").with("bytes", *bytes),
            _ => new("Other"),
        }
    }
}

impl From<VectorizerError> for Thrown {
    fn from(error: VectorizerError) -> Self {
        match error {
            VectorizerError::NothingKept { documents, tokens } => {
                Self::new("TrainError", &error, "NothingKept")
                    .with("documents", documents.into())
                    .with("tokens", tokens as u64)
            }
            VectorizerError::NoTexts => Self::new("TrainError", &error, "NoRows"),
            VectorizerError::TooLarge => Self::new("TrainError", &error, "TooLarge"),
            _ => Self::new("ParamError", &error, "Vectorizer"),
        }
    }
}

impl From<DatasetError> for Thrown {
    fn from(error: DatasetError) -> Self {
        Self::new("TrainError", &error, "Dataset")
    }
}

impl From<PredictError> for Thrown {
    fn from(error: PredictError) -> Self {
        let new = |rule| Self::new("PredictError", &error, rule);
        match &error {
            PredictError::ZeroAnswers => new("ZeroAnswers"),
            PredictError::NoVectorizer => new("NoVectorizer"),
            PredictError::NoFeatures(_) => new("NoFeatures"),
            PredictError::NoLabelNames => new("NoLabelNames"),
            PredictError::Failed(error) => Self::from(error.clone()),
            _ => new("Other"),
        }
    }
}

/// A row given as typed arrays breaks a rule.
impl From<SparseError> for Thrown {
    fn from(error: SparseError) -> Self {
        let (rule, position) = match error {
            SparseError::LengthsDiffer { .. } => ("LengthsDiffer", None),
            SparseError::NotRising { position, .. } => ("NotRising", Some(position)),
            SparseError::NotFinite { position, .. } => ("NotFinite", Some(position)),
            SparseError::Zero { position } => ("Zero", Some(position)),
            SparseError::OutOfRange { position, .. } => ("OutOfRange", Some(position)),
            SparseError::BadOffsets { row } => ("BadOffsets", Some(row)),
            _ => ("Other", None),
        };
        let thrown = Self::new("ReadError", &error, rule);
        match position {
            Some(position) => thrown.with("position", position as u64),
            None => thrown,
        }
    }
}
