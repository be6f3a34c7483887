//! What models of all kinds keep as text: names of labels, words, and the columns of their data.

use super::{Container, ContainerWriter, FormatError, SectionId, model::Description};
use crate::{
    model::LabelNames,
    names::{Names, NamesError},
    text::Vectorizer,
};
use alloc::string::String;
use serde::{Serialize, de::DeserializeOwned};

/// The sections of a table of names: where its blocks begin, and its text.
pub(super) type NamesSections = (SectionId, SectionId);
pub(super) const LABEL_NAMES: NamesSections =
    (SectionId::LABEL_NAME_STARTS, SectionId::LABEL_NAME_TEXT);
pub(super) const VOCABULARY: NamesSections =
    (SectionId::VOCABULARY_STARTS, SectionId::VOCABULARY_TEXT);

pub(super) fn write_names<'a>(
    writer: &mut ContainerWriter<'a>,
    names: &'a Names,
    (starts, text): NamesSections,
) {
    writer.section(starts, names.starts());
    writer.section(text, names.text());
}

fn read_names<D: Serialize + DeserializeOwned>(
    container: &mut Container<Description<D>>,
    count: u32,
    (starts, text): NamesSections,
) -> Result<Names, FormatError> {
    let (blocks, names) = (container.array(starts)?, container.array(text)?);
    Names::from_parts(count, blocks, names).map_err(|error| match error {
        NamesError::BadEntry { entry } => FormatError::ValueInvalid {
            section: text,
            position: u64::from(entry),
            rule: "the name is cut off or not UTF-8",
        },
        _ => FormatError::ValueInvalid {
            section: starts,
            position: 0,
            rule: "blocks must begin where the names say",
        },
    })
}

pub(super) fn read_label_names<D: Serialize + DeserializeOwned>(
    container: &mut Container<Description<D>>,
) -> Result<Option<LabelNames>, FormatError> {
    let labels = container.description().labels;
    match container.description().label_names {
        None => Ok(None),
        Some(count) if count != labels => Err(FormatError::MetadataInvalid),
        Some(count) => read_names(container, count, LABEL_NAMES)
            .map(LabelNames::new)
            .map(Some),
    }
}

pub(super) fn read_columns<D: Serialize + DeserializeOwned>(
    container: &mut Container<Description<D>>,
) -> Result<Option<String>, FormatError> {
    let Some(bytes) = container.optional::<u8>(SectionId::COLUMNS)? else {
        return Ok(None);
    };
    let text = core::str::from_utf8(&bytes).map_err(|error| FormatError::ValueInvalid {
        section: SectionId::COLUMNS,
        position: error.valid_up_to() as u64,
        rule: "the names of columns must be UTF-8",
    })?;
    Ok(Some(text.into()))
}

pub(super) fn read_vectorizer<D: Serialize + DeserializeOwned>(
    container: &mut Container<Description<D>>,
) -> Result<Option<Vectorizer>, FormatError> {
    let Some(description) = &container.description().vectorizer else {
        return Ok(None);
    };
    let (options, documents) = (description.options.clone(), description.documents);
    let vocabulary = match description.vocabulary {
        Some(count) => Some(read_names(container, count, VOCABULARY)?),
        None => None,
    };
    let frequencies = container.array(SectionId::DOCUMENT_FREQUENCIES)?;
    let vectorizer = Vectorizer::from_parts(options, documents, vocabulary, frequencies);
    vectorizer.map(Some).map_err(|_| FormatError::ValueInvalid {
        section: SectionId::DOCUMENT_FREQUENCIES,
        position: 0,
        rule: "vocabulary, document frequencies and options must fit each other",
    })
}
