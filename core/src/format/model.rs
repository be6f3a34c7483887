//! A model to a file and back: what all methods share.

use super::{
    Container, ContainerWriter, FormatError, SectionId,
    calibrated::read_calibration,
    claims,
    container::kind,
    embedding::{self, EmbeddingDescription},
    linear::{self, LinearDescription},
    mach::{self, MachDescription},
    nearest::{self, NearestArrays, NearestDescription},
    standardized::read_standardization,
    texts::{
        LABEL_NAMES, VOCABULARY, read_columns, read_label_names, read_vectorizer, write_names,
    },
};
use crate::{
    model::{
        AllKinds, Calibration, Kinds, LabelNames, Method, Model, ModelError, NearestOnly,
        Provenance, nearest::Index,
    },
    text::{Vectorizer, VectorizerOptions},
};
use alloc::{boxed::Box, vec::Vec};
use bytes::Bytes;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The kind of a model of nearest neighbors.
const NEAREST: u32 = 1;
/// The kind of a linear model.
const LINEAR: u32 = 2;
/// The kind of a MACH model.
const MACH: u32 = 3;
/// The kind of a model of prototypes.
const EMBEDDING: u32 = 4;

/// What a model of nearest neighbors claims memory for.
const COUNTS: &str = "counts of labels and features";

/// What the metadata say of a model.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Description<D = MethodDescription> {
    provenance: Provenance,
    pub(super) features: u32,
    pub(super) labels: u32,
    /// How many labels have names; none if the sections of names are absent.
    pub(super) label_names: Option<u32>,
    pub(super) vectorizer: Option<VectorizerDescription>,
    method: D,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct VectorizerDescription {
    pub(super) options: VectorizerOptions,
    pub(super) documents: u32,
    /// How many words the vocabulary has; none for hashed features.
    pub(super) vocabulary: Option<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum MethodDescription {
    Nearest(NearestDescription),
    Linear(LinearDescription),
    Mach(MachDescription),
    Embedding(EmbeddingDescription),
}

/// The first of [`MethodDescription`], and coded alike, for programs without the code of the
/// others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum OnlyNearestDescription {
    Nearest(NearestDescription),
}

impl From<NearestDescription> for MethodDescription {
    fn from(nearest: NearestDescription) -> Self {
        Self::Nearest(nearest)
    }
}

impl From<NearestDescription> for OnlyNearestDescription {
    fn from(nearest: NearestDescription) -> Self {
        Self::Nearest(nearest)
    }
}

impl From<OnlyNearestDescription> for MethodDescription {
    fn from(OnlyNearestDescription::Nearest(nearest): OnlyNearestDescription) -> Self {
        Self::Nearest(nearest)
    }
}

/// How metadata describe the method of a choice of kinds; not for others to implement.
pub trait Described: Kinds {
    type Description: Serialize
        + DeserializeOwned
        + Clone
        + From<NearestDescription>
        + Into<MethodDescription>;
}

impl Described for AllKinds {
    type Description = MethodDescription;
}

impl Described for NearestOnly {
    type Description = OnlyNearestDescription;
}

/// How many bytes a part of a model file has.
pub type Sizes = Vec<(SectionId, u64)>;

impl Model {
    /// The model as one file of bytes; see [`crate::format`]. Rows learned or forgotten since the
    /// index was built are folded into it.
    ///
    /// # Errors
    /// If memory is lacking, or all rows were forgotten.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FormatError> {
        self.to_bytes_of::<AllKinds>()
    }

    /// [`Model::to_bytes`] without the code of kinds that a program leaves out; see [`Kinds`].
    ///
    /// # Errors
    /// As [`Model::to_bytes`], and [`FormatError::KindLeftOut`].
    pub fn to_bytes_of<K: Described>(&self) -> Result<Vec<u8>, FormatError> {
        let mut file = Vec::new();
        let mut lacking = 0;
        self.file_parts_of::<K>(&mut |parts| {
            let bytes = parts.iter().map(|part| part.len()).sum();
            if file.try_reserve_exact(bytes).is_err() {
                lacking = bytes as u64;
                return;
            }
            for part in parts {
                file.extend_from_slice(part);
            }
        })?;
        match lacking {
            0 => Ok(file),
            bytes => Err(FormatError::OutOfMemory { bytes }),
        }
    }

    /// Hands `take` what [`Model::to_bytes`] returns, in parts that follow each other and mostly
    /// are the model's own arrays: to write a file without holding it in memory.
    ///
    /// ```
    /// # use hapax_core::{data::*, executor::Sequential, model::*, text::*};
    /// # use hapax_core::parameters::NearestParameters;
    /// # let documents =
    /// #     Documents::new([("sweet red fruit", ["apple"]), ("fast red car", ["car"])])?;
    /// # let options = VectorizerOptions::default();
    /// # let texts = &documents.texts;
    /// # let (vectorizer, rows) = Vectorizer::fit_transform(texts, options, &Sequential)?;
    /// # let data = Dataset::new(rows, documents.labels, Some(documents.label_names))?;
    /// # let parameters = NearestParameters { neighbors: 2, ..NearestParameters::default() };
    /// # let model = Model::train_nearest(parameters, &data, None)?;
    /// let mut length = 0;
    /// model.file_parts(&mut |parts| length = parts.iter().map(|part| part.len()).sum())?;
    /// assert_eq!(length, model.to_bytes()?.len());
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Model::to_bytes`]; `take` was not called then.
    pub fn file_parts(&self, take: &mut dyn FnMut(&[&[u8]])) -> Result<(), FormatError> {
        self.file_parts_of::<AllKinds>(take)
    }

    /// How many bytes [`Model::to_bytes`] returns.
    ///
    /// # Errors
    /// As [`Model::to_bytes`].
    pub fn file_bytes(&self) -> Result<u64, FormatError> {
        let mut bytes = 0;
        self.file_parts(&mut |parts| bytes = parts.iter().map(|part| part.len() as u64).sum())?;
        Ok(bytes)
    }

    fn file_parts_of<K: Described>(
        &self,
        take: &mut dyn FnMut(&[&[u8]]),
    ) -> Result<(), FormatError> {
        let current = match &self.method {
            Method::Nearest(current) => current,
            _ if !K::OTHERS => return Err(FormatError::KindLeftOut { kind: self.kind() }),
            Method::Linear(linear) => {
                let arrays = linear.nearest().map(|n| NearestArrays::of(n.nearest()));
                let description = LinearDescription::of(linear, arrays.as_ref());
                let method = MethodDescription::Linear(description);
                let mut writer = ContainerWriter::new(LINEAR);
                linear::write(linear, &mut writer);
                if let Some(arrays) = &arrays {
                    arrays.write(&mut writer);
                }
                return self.write(writer, method, take);
            }
            Method::Mach(mach) => {
                let method = MethodDescription::Mach(MachDescription::of(mach));
                let mut writer = ContainerWriter::new(MACH);
                mach::write(mach, &mut writer);
                return self.write(writer, method, take);
            }
            Method::Embedding(embedding) => {
                let method = MethodDescription::Embedding(EmbeddingDescription::of(embedding));
                let mut writer = ContainerWriter::new(EMBEDDING);
                embedding::write(embedding, &mut writer);
                return self.write(writer, method, take);
            }
        };
        let folded;
        let nearest = if current.has_changes() {
            folded = current.folded().map_err(|error| cannot_fold(&error))?;
            &folded
        } else {
            current
        };
        let arrays = NearestArrays::of(nearest);
        let method = K::Description::from(arrays.description());
        let mut writer = ContainerWriter::new(NEAREST);
        arrays.write(&mut writer);
        self.write(writer, method, take)
    }

    fn kind(&self) -> u32 {
        match &self.method {
            Method::Nearest(_) => NEAREST,
            Method::Linear(_) => LINEAR,
            Method::Mach(_) => MACH,
            Method::Embedding(_) => EMBEDDING,
        }
    }

    /// Adds what all methods share to `writer`, which has the sections of this one, and ends the
    /// file.
    fn write<D: Serialize>(
        &self,
        writer: ContainerWriter<'_>,
        method: D,
        take: &mut dyn FnMut(&[&[u8]]),
    ) -> Result<(), FormatError> {
        let names = self.label_names.as_ref().map(LabelNames::table).transpose();
        let names = names.map_err(|_| FormatError::MetadataInvalid)?;
        let parts = self.vectorizer.as_ref().map(Vectorizer::parts);
        let description = Description {
            provenance: self.provenance.clone(),
            features: self.features,
            labels: self.labels,
            label_names: names.as_ref().map(|names| names.len() as u32),
            vectorizer: parts.map(|parts| VectorizerDescription {
                options: parts.options.clone(),
                documents: parts.documents,
                vocabulary: parts.vocabulary.map(|words| words.len() as u32),
            }),
            method,
        };
        let numbers = self.calibration().map(Calibration::numbers);
        // Sections borrow from here on what lives in this function, too.
        let mut writer = writer;
        if let Some(numbers) = &numbers {
            writer.section(SectionId::CALIBRATION, numbers);
        }
        if let Some(standardization) = &self.standardization {
            writer.section(SectionId::STANDARDIZATION, standardization.numbers());
        }
        if let Some(names) = &names {
            write_names(&mut writer, names, LABEL_NAMES);
        }
        if let Some(parts) = &parts {
            if let Some(words) = parts.vocabulary {
                write_names(&mut writer, words, VOCABULARY);
            }
            writer.section(SectionId::DOCUMENT_FREQUENCIES, parts.frequencies);
        }
        if let Some(columns) = &self.provenance.columns {
            writer.section(SectionId::COLUMNS, columns.as_bytes());
        }
        let (what, claimed) = self.claim();
        claims::check(what, claimed, writer.sizes())?;
        writer.finish(&description, take)
    }

    /// Bytes of memory that follow from numbers in the file, and for what.
    fn claim(&self) -> (&'static str, u64) {
        match &self.method {
            Method::Nearest(nearest) => {
                let features = match nearest.stored().0 {
                    Index::Exact(_) => 0,
                    Index::Compact(index) => index.features(),
                };
                (COUNTS, claims::of_nearest(self.labels, features))
            }
            Method::Mach(mach) => {
                let buckets = mach.parameters().buckets;
                let (labels, heads) = (mach.seen_labels(), mach.parameters().repetitions as usize);
                let claim = claims::of_mach(labels, heads, buckets, self.labels);
                (mach::CLAIMED, claim)
            }
            Method::Linear(_) | Method::Embedding(_) => (COUNTS, 0),
        }
    }

    /// Reads a model from the bytes of a file, which it borrows as long as it lives: arrays are not
    /// copied. Every rule of the format is checked first.
    ///
    /// ```
    /// use hapax_core::{bytes::Bytes, format::FormatError, model::Model};
    /// let error = Model::from_bytes(Bytes::from_static(b"no model")).unwrap_err();
    /// assert_eq!(error, FormatError::NotAModel);
    /// ```
    ///
    /// # Errors
    /// The first rule that the bytes break, and where.
    pub fn from_bytes(bytes: impl Into<Bytes>) -> Result<Self, FormatError> {
        Self::from_bytes_of::<AllKinds>(bytes)
    }

    /// [`Model::from_bytes`] without the code of kinds that a program leaves out; see [`Kinds`].
    ///
    /// # Errors
    /// As [`Model::from_bytes`], and [`FormatError::KindLeftOut`].
    pub fn from_bytes_of<K: Described>(bytes: impl Into<Bytes>) -> Result<Self, FormatError> {
        let bytes = bytes.into();
        let kind = kind(&bytes)?;
        if !matches!(kind, NEAREST | LINEAR | MACH | EMBEDDING) {
            return Err(FormatError::UnknownKind { kind });
        }
        if !K::OTHERS && kind != NEAREST {
            return Err(FormatError::KindLeftOut { kind });
        }
        let mut container = Container::<Description<K::Description>>::open(&bytes)?;
        let label_names = read_label_names(&mut container)?;
        let vectorizer = read_vectorizer(&mut container)?;
        let description = container.description();
        let (features, labels) = (description.features, description.labels);
        if vectorizer.as_ref().is_some_and(|v| v.features() > features) {
            return Err(FormatError::MetadataInvalid);
        }
        let method = match (kind, description.method.clone().into()) {
            (NEAREST, MethodDescription::Nearest(nearest)) => {
                let claim = claims::of_nearest(labels, 0);
                claims::check(COUNTS, claim, container.sizes().map(|(_, bytes)| bytes))?;
                Method::Nearest(nearest::read(&mut container, nearest, labels)?)
            }
            _ if !K::OTHERS => return Err(FormatError::MetadataInvalid),
            (LINEAR, MethodDescription::Linear(linear)) => {
                Method::Linear(linear::read(&mut container, linear, features, labels)?)
            }
            (MACH, MethodDescription::Mach(mach)) => Method::Mach(Box::new(mach::read(
                &mut container,
                mach,
                features,
                labels,
            )?)),
            (EMBEDDING, MethodDescription::Embedding(description)) => Method::Embedding(
                embedding::read(&mut container, description, features, labels)?,
            ),
            _ => return Err(FormatError::MetadataInvalid),
        };
        let columns = read_columns(&mut container)?;
        let calibration = read_calibration(&mut container)?;
        let standardization = read_standardization(&mut container)?;
        let sizes: Vec<u64> = container.sizes().map(|(_, bytes)| bytes).collect();
        let Description { mut provenance, .. } = container.finish()?;
        provenance.columns = columns;
        let model = Self {
            features,
            labels,
            label_names,
            vectorizer,
            standardization,
            provenance,
            method,
            calibration,
        };
        let (what, claimed) = model.claim();
        claims::check(what, claimed, sizes)?;
        Ok(model)
    }
}

/// The parts of a model file and their bytes, header and metadata apart.
///
/// # Errors
/// If the bytes are no sound container.
pub fn sizes(bytes: &Bytes) -> Result<Sizes, FormatError> {
    Ok(Container::<Description>::open(bytes)?.sizes().collect())
}

fn cannot_fold(error: &ModelError) -> FormatError {
    match *error {
        ModelError::OutOfMemory { bytes } => FormatError::OutOfMemory { bytes },
        _ => FormatError::NothingToWrite,
    }
}
