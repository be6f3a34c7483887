//! Whether data are of the features and labels of a model, as far as a file tells: features go by
//! number, and so do labels without names, so that only how many there are can show that two files
//! are of different sets.

use super::{
    failure::Failure,
    output::{note, warn},
    table::count,
};
use hapax::core::{
    data::{Dataset, IndexBase, Names},
    executor::Executor,
    model::{Method, Model},
    text::Vectorizer,
};
use std::path::Path;

/// How many features and labels a file itself says there are: the header of XMC data both, a `.npy`
/// file its columns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stated {
    pub features: Option<u32>,
    pub labels: Option<u32>,
}

/// Says so if rows that a model is to answer have more features than the model, or state fewer.
pub fn warn_of_features(path: &Path, found: u32, stated: Option<u32>, model: &Model) {
    let (path, known) = (path.display(), model.features());
    if found > known {
        warn(format_args!(
            "{path}: has {found} features, but the model knows {known}; the others are ignored"
        ));
    } else if let Some(stated) = stated.filter(|&stated| stated < known) {
        warn(format_args!(
            "{path}: has {stated} features, but the model knows {known}; answers are right only if these are its \
             first {stated}"
        ));
    }
}

/// Says so if rows to judge a model by state another number of labels than it has. A file of names
/// may name more labels than the header of the rows says there are.
pub fn warn_of_labels(path: &Path, stated: Option<u32>, model: &Model) {
    let (path, known) = (path.display(), model.labels());
    let named = model.label_name(0).is_some();
    if let Some(stated) = stated.filter(|&stated| stated > known || (stated < known && !named)) {
        warn(format_args!(
            "{path}: has {stated} labels, but the model has {known}; figures are right only if both number labels alike"
        ));
    } else if stated.is_some()
        && let Some((id, name)) = other_number(model)
    {
        warn(format_args!(
            "{path}: labels go by number, but the model names its label {id} {name:?}; figures are right only if the file \
             calls this label {id}"
        ));
    }
}

/// The first label whose name is a number, but not its own, of a model of svmlight data, where such
/// names are what the data call labels. Names that a list gave to the labels of XMC data may be
/// any; the features of these count from 0.
fn other_number(model: &Model) -> Option<(u32, String)> {
    if model.provenance().index_base != Some(IndexBase::One) {
        return None;
    }
    let mut names = (0..model.labels()).filter_map(|id| Some((id, model.label_name(id)?)));
    let (id, name) = names.find(|(id, name)| name.parse() != Ok(*id))?;
    name.parse::<u32>().is_ok().then(|| (id, name.to_string()))
}

/// Refuses rows that training cannot begin with from `model`: they must have its features, and its
/// labels before any others. A file that states no numbers may have fewer.
pub fn check_start(
    path: &Path,
    data: &Dataset,
    stated: Stated,
    model: &Model,
) -> Result<(), Failure> {
    let (found, known) = (data.rows().features(), model.features());
    if found > known || stated.features.is_some_and(|stated| stated < known) {
        let rule = format_args!(
            "has {found} features, but the model to start from has {known}, and features go by number: give rows of the \
             same features (whose header says {known}), or train anew without --from"
        );
        return Err(Failure::in_file(path, rule));
    }
    let known = model.labels();
    let found = data.labels().labels();
    if stated.labels.is_some() && found < known {
        let rule = format_args!(
            "has {found} labels, but the model to start from has {known}, and labels go by number: give rows of the same \
             labels (whose header says {known}, or more if there are new ones), or train anew without --from"
        );
        return Err(Failure::in_file(path, rule));
    }
    Ok(())
}

/// Says so if rows to go on with have none of the labels of `model`.
pub fn warn_of_new_labels(path: &Path, data: &Dataset, model: &Model) {
    let mut labels = data.labels().iter().flatten();
    if labels.all(|&label| label >= model.labels()) {
        let path = path.display();
        warn(format_args!(
            "{path}: no label is known to the model to start from: are they named differently?"
        ));
    }
}

/// Says so if all labels of rows to learn are new, which may be meant; whether it did.
pub fn say_new_labels(path: &Path, data: &Dataset, model: &Model) -> bool {
    let mut labels: Vec<u32> = data.labels().iter().flatten().copied().collect();
    labels.sort_unstable();
    labels.dedup();
    let Some(&first) = labels.first().filter(|&&first| first >= model.labels()) else {
        return false;
    };
    let names = data.label_names().and_then(|names| names.get(first));
    let spelled = match names.zip(model.label_name(0)) {
        Some((new, old)) => format!(
            "; labels are the same only if they are spelled alike, and the model has {old:?}, the rows {new:?}"
        ),
        None => String::new(),
    };
    let (new, old) = (count(labels.len() as u64), count(model.labels().into()));
    note(format_args!(
        "note: {}: none of its labels, {new}, is among the model's {old}: they are added{spelled}",
        path.display()
    ));
    true
}

/// Says how many labels of `model` have no rows to go on with: they keep what it knows of them.
pub fn say_kept_labels(path: &Path, data: &Dataset, model: &Model) {
    let Method::Linear(linear) = model.method() else {
        return;
    };
    let scales = &linear.model().parts().scales;
    // Those that the model has not seen have nothing to keep.
    let mut kept: Vec<bool> = scales.iter().map(|&scale| scale != 0.0).collect();
    for &label in data.labels().iter().flatten() {
        if let Some(kept) = kept.get_mut(label as usize) {
            *kept = false;
        }
    }
    let (path, of) = (path.display(), count(kept.len() as u64));
    match kept.iter().filter(|&&kept| kept).count() {
        0 => {}
        1 => note(format_args!(
            "note: 1 of the model's {of} labels has no rows in {path}: it keeps its weights"
        )),
        many => note(format_args!(
            "note: {} of the model's {of} labels have no rows in {path}: they keep their weights",
            count(many as u64)
        )),
    }
}

/// Says how many words of texts to go on with the vectorizer of the model does not know.
pub fn say_unknown_words(vectorizer: &Vectorizer, texts: &[String], threads: &Executor) {
    match vectorizer.unknown_words(texts, threads) {
        None | Some(0) => {}
        Some(1) => note(
            "note: 1 word of the texts is unknown to the model and is ignored; train anew without --from to learn it",
        ),
        Some(many) => note(format_args!(
            "note: {} words of the texts are unknown to the model and are ignored; train anew without --from to learn \
             them",
            count(many as u64)
        )),
    }
}

/// The names that data get whose labels have none: those of the model that training starts from.
pub fn names_of_start(path: &Path, labels: u32, model: &Model) -> Result<Option<Names>, Failure> {
    let names = model.label_table();
    match &names {
        Some(names) if names.len() as u32 != labels => {
            let known = names.len();
            let rule = format_args!(
                "has {labels} labels without names, but the model to start from has names for {known}: name all by \
                 --label-names"
            );
            Err(Failure::in_file(path, rule))
        }
        _ => Ok(names),
    }
}

/// Refuses names that a file gives to labels which the model to start from names otherwise.
pub fn check_names(path: &Path, given: &Names, model: &Model) -> Result<(), Failure> {
    let Some(known) = model.label_table() else {
        return Ok(());
    };
    for (label, (known, given)) in known.iter().zip(given.iter()).enumerate() {
        if known != given {
            let rule = format_args!(
                "names label {label} {given:?}, but in the model to start from it is {known:?}"
            );
            return Err(Failure::in_file(path, rule));
        }
    }
    Ok(())
}

/// The names of labels that go by number: their numbers.
pub fn numbers(labels: u32) -> Option<Names> {
    Names::new((0..labels).map(|label| label.to_string())).ok()
}
