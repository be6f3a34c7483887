//! Rows with labels for a model that exists: it learns them, or is judged by them.

use super::{
    errors::{training as failed, wrong},
    matrix::{LabelArrays, Matrix, Rows, labels},
    model::Model,
};
use hapax::{
    core::{
        data::{Dataset, LabelLists, Names, named_labels},
        model,
        text::Vectorizer,
    },
    kernels,
    threads::Threads,
};
use pyo3::{prelude::*, pybacked::PyBackedStr};

/// The labels of each row, by name or by id.
#[derive(FromPyObject)]
pub enum Labels<'py> {
    /// Offsets and ids.
    Ids(LabelArrays<'py>),
    /// Lists of names.
    Names(Vec<Vec<PyBackedStr>>),
}

impl Labels<'_> {
    /// The labels by id, those of the model first, and the names of them all.
    pub fn lists(&self, model: &model::Model) -> PyResult<(LabelLists, Option<Names>)> {
        let known = model.label_table();
        match self {
            Self::Names(lists) => {
                let (lists, names) = named_labels(lists, known.as_ref()).map_err(wrong)?;
                Ok((lists, Some(names)))
            }
            Self::Ids(arrays) => {
                let (offsets, ids) = labels(arrays)?;
                let lists = LabelLists::from_parts(&offsets, &ids).map_err(wrong)?;
                Ok((lists, known))
            }
        }
    }
}

/// What a model made of rows: their ids, of nearest neighbors; rows that taught nothing; how far
/// labels moved, of one-vs-rest.
type Taught = (Option<(u32, u32)>, usize, Option<f64>);

/// New words of texts, and the places of the features that the model has.
type Extended = Option<(Vectorizer, Vec<u32>)>;

/// Learns rows as `hapax learn` does.
fn learn(
    model: &Model,
    (mut data, extended): (Dataset, Extended),
    pool: &Threads,
) -> PyResult<Taught> {
    let mut held = model.write();
    data.widen(data.rows().features(), held.model.labels());
    let learned = held
        .model
        .learn_all(&data, extended, pool, kernels::best())
        .map_err(failed)?;
    (held.model, held.prepared) = (learned.model, false);
    let ids = learned.ids.map(|ids| (ids.start, ids.end));
    Ok((ids, learned.skipped, learned.strength))
}

/// Learns texts with the names of their labels.
#[pyfunction]
pub fn learn_texts(
    py: Python<'_>,
    model: Bound<'_, Model>,
    texts: Vec<String>,
    labels: Labels<'_>,
    threads: usize,
) -> PyResult<Taught> {
    let model = model.get();
    let (lists, names) = labels.lists(&model.read().model)?;
    let pool = Threads::new(threads).map_err(wrong)?;
    py.detach(|| {
        let extended = match model.read().model.vectorizer() {
            None => {
                return Err(wrong(
                    "the model was trained on rows: it cannot learn texts",
                ));
            }
            Some(vectorizer) => vectorizer.extended(&texts, &pool).map_err(wrong)?,
        };
        let rows = extended.0.transform_all(&texts, &pool);
        let data = Dataset::new(rows, lists, names).map_err(failed)?;
        learn(model, (data, Some(extended)), &pool)
    })
}

/// Learns rows with their labels.
#[pyfunction]
pub fn learn_rows(
    py: Python<'_>,
    model: Bound<'_, Model>,
    rows: Matrix<'_>,
    labels: Labels<'_>,
    threads: usize,
) -> PyResult<Taught> {
    let model = model.get();
    let (lists, names) = labels.lists(&model.read().model)?;
    let rows = Rows::new(&rows)?.to_rows()?;
    let pool = Threads::new(threads).map_err(wrong)?;
    py.detach(|| {
        let features = model.read().model.features();
        let mut data = Dataset::new(rows, lists, names).map_err(failed)?;
        data.widen(features, 0);
        learn(model, (data, None), &pool)
    })
}
