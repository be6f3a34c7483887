//! The model as Python holds it.

use super::answers::{Flat, Problem, Questions, Wanted};
use super::errors::{file, prediction, wrong};
use super::matrix::{Matrix, RowScratch, Rows};
use hapax::core::model::{self, Method, PredictError, Scratch};
use hapax::core::parameters::LinearTraining;
use hapax::core::sparse::SparseVec;
use hapax::threads::Threads;
use hapax::{files, kernels};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyDict, PyList};
use std::path::PathBuf;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// From so many rows on the weights are laid out for speed, as the command does it.
const MANY_ROWS: usize = 100;

/// A model. Questions are asked by many threads at once; learning waits for them.
#[pyclass(frozen, module = "hapax._native")]
pub struct Model(RwLock<Held>);

/// What is behind the lock.
pub struct Held {
    pub model: model::Model,
    pub prepared: bool,
}

/// The numbers of rows that explanations show: neighbors, and features of each.
type Shown = (usize, usize);

impl Model {
    /// Holds a model.
    pub fn new(model: model::Model) -> Self {
        Self(RwLock::new(Held {
            model,
            prepared: false,
        }))
    }

    /// Nothing is half done where a thread panicked: models change in the end of a call.
    pub fn read(&self) -> RwLockReadGuard<'_, Held> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn write(&self) -> RwLockWriteGuard<'_, Held> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lays the weights out for speed if there are rows enough.
    pub fn prepare(&self, rows: usize) {
        if rows < MANY_ROWS || self.read().prepared {
            return;
        }
        let mut held = self.write();
        // Without memory for it answers are the same, and slower.
        held.prepared = true;
        _ = held.model.prepare();
    }

    fn answer<'py>(
        &self,
        py: Python<'py>,
        questions: &Questions<'_>,
        rows: usize,
        mut wanted: Wanted,
        threads: usize,
    ) -> PyResult<(Flat<'py>, usize)> {
        if wanted.k == 0 {
            return Err(prediction(&PredictError::ZeroAnswers));
        }
        let pool = questions.pool(threads)?;
        let answers = py.detach(|| {
            self.prepare(rows);
            let held = self.read();
            wanted.k = wanted.k.min(held.model.labels() as usize).max(1);
            wanted.probabilities &= held.model.calibration().is_some();
            questions.answers(&held.model, wanted, pool.as_ref())
        });
        match answers {
            Ok(answers) => Ok((answers.flat(py, wanted), wanted.k)),
            Err(Problem::Row(text)) => Err(wrong(text)),
            Err(Problem::Model(error)) => Err(prediction(&error)),
        }
    }
}

#[pymethods]
impl Model {
    /// Maps a file into memory.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| {
            let bytes = files::map_model(&path).map_err(|error| file(&error))?;
            let made = model::Model::from_bytes(bytes);
            let named = |error| wrong(format_args!("{}: {error}", path.display()));
            made.map(Self::new).map_err(named)
        })
    }

    /// Reads the bytes of a file in place.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: PyBackedBytes) -> PyResult<Self> {
        py.detach(|| {
            let made = model::Model::from_bytes(bytes::Bytes::from_owner(data));
            made.map(Self::new).map_err(wrong)
        })
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| files::write_model(&path, &self.read().model))
            .map_err(|error| file(&error))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.read().model.to_bytes()).map_err(wrong)?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn file_bytes(&self) -> PyResult<u64> {
        self.read().model.file_bytes().map_err(wrong)
    }

    fn names(&self) -> Option<Vec<String>> {
        let held = self.read();
        held.model.label_name(0)?;
        Some(named_labels(&held.model, u32::MAX))
    }

    /// The names of so many labels, or their numbers where they have no names.
    fn first_labels(&self, most: u32) -> Vec<String> {
        named_labels(&self.read().model, most)
    }

    #[getter]
    fn kind(&self) -> &'static str {
        match self.read().model.method() {
            Method::Nearest(_) => "nearest",
            Method::Linear(linear) => match linear.parameters() {
                LinearTraining::OneVsRest(_) => "ovr",
                LinearTraining::MultiClass(_) => "multiclass",
                LinearTraining::Memoir(_) => "memoir",
            },
            Method::Mach(_) => "mach",
            Method::Embedding(_) => "embedding",
            _ => "unknown",
        }
    }

    #[getter]
    fn n_labels(&self) -> u32 {
        self.read().model.labels()
    }

    #[getter]
    fn n_features(&self) -> u32 {
        self.read().model.features()
    }

    #[getter]
    fn takes_texts(&self) -> bool {
        self.read().model.vectorizer().is_some()
    }

    #[getter]
    fn mean_labels_per_row(&self) -> f64 {
        self.read().model.mean_labels_per_row()
    }

    /// The probabilities from which answers give the best micro- and macro-F1, and the confidence
    /// from which rows are worth answering; `None` of a model without probabilities.
    #[getter]
    fn thresholds(&self) -> Option<(f32, f32, f32)> {
        let held = self.read();
        let known = held.model.calibration()?;
        Some((known.micro_f1, known.macro_f1, known.abstain))
    }

    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let held = self.read();
        let made = held.model.provenance();
        let shown = PyDict::new(py);
        shown.set_item("algorithm", &made.algorithm)?;
        shown.set_item("library", &made.library)?;
        shown.set_item("seed", made.seed)?;
        shown.set_item("rows", made.rows)?;
        shown.set_item("features", made.features)?;
        shown.set_item("labels", made.labels)?;
        shown.set_item("nonzeros", made.nonzeros)?;
        shown.set_item("label_total", made.label_total)?;
        shown.set_item("fingerprint", format!("{:016x}", made.fingerprint))?;
        Ok(shown)
    }

    fn answer_texts<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<PyBackedStr>,
        k: usize,
        probabilities: bool,
        threads: usize,
    ) -> PyResult<(Flat<'py>, usize)> {
        let rows = texts.len();
        let wanted = Wanted { k, probabilities };
        self.answer(py, &Questions::Texts(texts), rows, wanted, threads)
    }

    fn answer_rows<'py>(
        &self,
        py: Python<'py>,
        rows: Matrix<'py>,
        k: usize,
        probabilities: bool,
        threads: usize,
    ) -> PyResult<(Flat<'py>, usize)> {
        let rows = Rows::new(&rows)?;
        let count = rows.len();
        let wanted = Wanted { k, probabilities };
        self.answer(py, &Questions::Rows(rows), count, wanted, threads)
    }

    fn explain_text<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        k: usize,
        shown: Shown,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mut scratch = Scratch::new(kernels::best());
        let row = match self.read().model.row(text, &mut scratch) {
            Ok(row) => row,
            Err(PredictError::NoFeatures(_)) => SparseVec::default(),
            Err(error) => return Err(prediction(&error)),
        };
        self.explained(py, &row, k, shown, &mut scratch)
    }

    fn explain_rows<'py>(
        &self,
        py: Python<'py>,
        rows: Matrix<'py>,
        k: usize,
        shown: Shown,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let rows = Rows::new(&rows)?;
        let (mut read, mut scratch) = (RowScratch::default(), Scratch::new(kernels::best()));
        let one = |at| {
            py.check_signals()?;
            let row = rows.row(at, &mut read).map_err(wrong)?.to_owned();
            self.explained(py, &row, k, shown, &mut scratch)
        };
        (0..rows.len()).map(one).collect()
    }

    fn forget(&self, row: u32) -> bool {
        self.write().model.forget(row)
    }

    fn compact(&self, py: Python<'_>, max_bytes: u64, seed: u64, threads: usize) -> PyResult<Self> {
        let pool = Threads::new(threads).map_err(wrong)?;
        py.detach(|| {
            let held = self.read();
            let made = held
                .model
                .compacted(max_bytes, seed, &pool, kernels::best());
            made.map(|made| Self::new(made.model)).map_err(wrong)
        })
    }
}

impl Model {
    /// Answers with their reasons, as dictionaries.
    fn explained<'py>(
        &self,
        py: Python<'py>,
        row: &SparseVec,
        k: usize,
        (neighbors, features): Shown,
        scratch: &mut Scratch,
    ) -> PyResult<Bound<'py, PyDict>> {
        let held = self.read();
        let model = &held.model;
        let failed = |error: PredictError| prediction(&error);
        let mut best = match row.view().is_empty() {
            true if k > 0 => Vec::new(),
            _ => model
                .predict(row.view(), k, scratch)
                .map_err(failed)?
                .to_vec(),
        };
        best.retain(|scored| scored.score > f32::MIN);
        let label = |id| named(py, id, model.label_name(id));
        let feature = |id| {
            let name = model.vectorizer().and_then(|known| known.feature_name(id));
            named(py, id, name)
        };
        let answers = PyList::empty(py);
        for scored in best {
            let parts = model.contributions(row.view(), scored.id, features, scratch);
            let parts = parts.map_err(failed)?.into_iter();
            let parts: PyResult<Vec<_>> = parts
                .map(|part| Ok((feature(part.feature)?, part.score)))
                .collect();
            let answer = PyDict::new(py);
            answer.set_item("label", label(scored.id)?)?;
            answer.set_item("score", scored.score)?;
            answer.set_item("features", parts?)?;
            answers.append(answer)?;
        }
        let rows = PyList::empty(py);
        let found = model.explain(row.view(), neighbors, features, scratch);
        for near in found.map_err(failed)? {
            let labels: PyResult<Vec<_>> = near.labels.iter().map(|&id| label(id)).collect();
            let shared = near.features.iter();
            let shared: PyResult<Vec<_>> = shared
                .map(|shared| Ok((feature(shared.feature)?, shared.share)))
                .collect();
            let neighbor = PyDict::new(py);
            neighbor.set_item("row", near.row)?;
            neighbor.set_item("label_text", near.label_text)?;
            neighbor.set_item("similarity", near.similarity)?;
            neighbor.set_item("vote", near.vote)?;
            neighbor.set_item("labels", labels?)?;
            neighbor.set_item("features", shared?)?;
            rows.append(neighbor)?;
        }
        let why = PyDict::new(py);
        why.set_item("answers", answers)?;
        why.set_item("neighbors", rows)?;
        Ok(why)
    }
}

fn named_labels(model: &model::Model, most: u32) -> Vec<String> {
    let name = |id: u32| model.label_name(id).unwrap_or_else(|| id.to_string());
    (0..model.labels().min(most)).map(name).collect()
}

/// A label or a feature: its name, or its number where it has none.
fn named<'py>(py: Python<'py>, id: u32, name: Option<String>) -> PyResult<Bound<'py, PyAny>> {
    match name {
        Some(name) => Ok(name.into_pyobject(py)?.into_any()),
        None => Ok(id.into_pyobject(py)?.into_any()),
    }
}
