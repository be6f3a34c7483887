//! Training as the command does it: the same bytes for the same data, options and seed.

use super::{
    checkpoints::Kept,
    errors::{dataset, wrong},
    interrupt::{Step, run},
    job::{Failure, Job},
    learning::Labels,
    matrix::{LabelArrays, Matrix, Rows, labels},
    methods::Method,
    model::Model,
    options::{Options, text},
};
use hapax::{
    TextFeatures, Vectorized,
    core::{
        data::{Dataset, Documents, IndexBase, LabelLists, Names, Source, named_labels},
        executor::Executor,
        model,
        sparse::SparseRows,
        train::{Calibrating, auto::Progress, check_data},
    },
    kernels,
    threads::Threads,
    train_watched, train_with_vectors, vectorize,
};
use numpy::{IntoPyArray, PyArray1};
use pyo3::{exceptions::PyRuntimeWarning, prelude::*, pybacked::PyBackedStr, types::PyDict};
use std::{ffi::CString, path::PathBuf, sync::mpsc::Sender, time::Duration};

/// How a call wants it: method, options, seed, threads, and what to tell of progress.
pub type How<'py> = (
    String,
    Bound<'py, PyDict>,
    u64,
    usize,
    Option<Bound<'py, PyAny>>,
);

/// How it is trained.
struct Order {
    /// Without one the best is taken.
    method: Option<Method>,
    features: Option<TextFeatures>,
    seed: u64,
    max_bytes: Option<u64>,
    calibrates: bool,
    /// How long it may take, if that ends trials.
    time: Option<Duration>,
    /// A file of vectors of words.
    vectors: Option<PathBuf>,
    kept: Option<Kept>,
}

impl Order {
    /// Reads the options of a call; `texts` is how many there are whose words are not those of a
    /// model, `starts` whether one is given to start from.
    fn new(
        (method, options, seed, ..): &How<'_>,
        texts: Option<usize>,
        starts: bool,
    ) -> PyResult<Self> {
        let (method, seed) = (method.as_str(), *seed);
        if starts && !["ovr", "cs", "ww", "llw"].contains(&method) {
            let rule = "only ovr, cs and ww start from a model: leave out from_";
            return Err(wrong(format_args!("method is {method:?}, but {rule}")));
        }
        let mut options = Options::new(options)?;
        let features = texts.map(|texts| text(&mut options, texts)).transpose()?;
        let max_bytes = options.take("max_bytes")?;
        let features = features.map(|asked| match max_bytes {
            Some(most) => asked.within(most),
            None => asked,
        });
        let mut time = None;
        if ["auto", "ovr"].contains(&method) {
            let minutes: Option<f64> = options.take("minutes")?;
            time = minutes.map(duration).transpose()?;
        }
        let vectors: Option<PathBuf> = match (method, texts) {
            ("auto", Some(_)) => options.take("vectors")?,
            _ => None,
        };
        if vectors.is_some() {
            // It is chosen twice, with them and without.
            time = time.map(|time| time / 2);
        }
        // What chooses a method calibrates from the answers that it chose by.
        let plain = match method {
            "auto" => None,
            _ => options.take("no_calibration")?,
        };
        // Those two are over in seconds, and a choice among methods cannot be left.
        let kept = match method {
            "auto" | "nearest" | "nearest-mean" => None,
            _ => Kept::new(&mut options)?,
        };
        let kind = match method {
            "auto" => None,
            named => Some(Method::new(named, &mut options, seed, (max_bytes, starts))?),
        };
        options.end(method)?;
        Ok(Self {
            method: kind,
            features,
            seed,
            max_bytes,
            calibrates: !plain.unwrap_or(false),
            time,
            vectors,
            kept,
        })
    }

    /// Trains the model of the command.
    fn train(
        &mut self,
        data: Data<'_>,
        executor: &Executor,
        steps: &Sender<Step>,
    ) -> Result<model::Model, Failure> {
        let tried_with = self.method.as_ref().and_then(Method::tried_with);
        let (start, data, texts) = match (data, &self.method) {
            (Data::Like(model, data), _) => (Some(model), data, model.vectorizer().cloned()),
            (Data::New(source), None) => return self.best(source, executor, steps),
            (Data::New(source), Some(_)) => {
                let told = |done| _ = steps.send(("choosing n-grams", done, 0));
                let features = self.features.take();
                let made = vectorize(source, features, tried_with.as_ref(), executor, told)?;
                let Vectorized {
                    data, vectorizer, ..
                } = made;
                (None, data, vectorizer)
            }
        };
        check_data(&data)?;
        let job = Job {
            data: &data,
            executor,
            steps,
            kept: self.kept.as_ref(),
            start,
            max_bytes: self.max_bytes,
        };
        let mut begun = Calibrating::default();
        let is_ovr = matches!(self.method, Some(Method::OneVsRest(_)));
        let Some(method) = self.method.take() else {
            return Err(Failure::Wrong("no method starts from a model".into()));
        };
        let mut model = method.train(&job, texts, &mut begun)?;
        // One-vs-rest that goes on from a model has rows of some labels only.
        if self.calibrates && !(is_ovr && start.is_some()) {
            job.tell("calibrating", 0, 0);
            begun.max_bytes = self.max_bytes;
            model.calibrate(begun, (&data, self.seed), executor, kernels::best())?;
        }
        self.finished(model, executor)
    }

    /// The best of the methods.
    fn best(
        &mut self,
        source: Source,
        executor: &Executor,
        steps: &Sender<Step>,
    ) -> Result<model::Model, Failure> {
        let tell = |what, done, of| _ = steps.send((what, done, of));
        let told = |doing| match doing {
            Progress::Settings(done, of) => tell("choosing parameters", done, of),
            Progress::Trying(method) => tell(method.name(), 0, 0),
            Progress::Training(_) => tell("training", 0, 0),
            Progress::Part(report) => tell("training", report.done, report.of),
        };
        if let Source::Rows(data) = &source {
            check_data(data)?;
        }
        let how = (self.features.take(), self.max_bytes);
        let best = match (source, &self.vectors) {
            (Source::Texts(documents), Some(path)) => {
                train_with_vectors(path, documents, self.seed, how, executor, told)?
            }
            (source, _) => train_watched(source, self.seed, how, executor, told)?,
        };
        self.finished(best.model, executor)
    }

    /// The model within its budget, and the record of its seed.
    fn finished(
        &self,
        mut model: model::Model,
        executor: &Executor,
    ) -> Result<model::Model, Failure> {
        let of_texts = model.vectorizer().is_some();
        let record = model.provenance_mut();
        record.seed = self.seed;
        // Features of rows count from 0, as those of XMC data do.
        record.index_base = (!of_texts).then_some(IndexBase::Zero);
        if let Some(most) = self.max_bytes {
            let compacted = model.compacted(most, self.seed, executor, kernels::best());
            model = compacted
                .map_err(|error| Failure::Wrong(error.to_string()))?
                .model;
        }
        Ok(model)
    }
}

fn duration(minutes: f64) -> PyResult<Duration> {
    let time = Duration::try_from_secs_f64(60.0 * minutes);
    let time = time.ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| wrong(format_args!("minutes is {minutes}, but must be above 0")))
}

/// What a model is trained on.
enum Data<'a> {
    New(Source),
    /// Rows as a model would be given them, to start from it.
    Like(&'a model::Model, Dataset),
}

fn train(
    py: Python<'_>,
    (data, mut order): (Data<'_>, Order),
    (.., threads, progress): &How<'_>,
) -> PyResult<Model> {
    let mut pool = Threads::new(*threads).map_err(wrong)?;
    if let Some(time) = order.time {
        pool = pool.hurried(time);
    }
    let work = |executor: &Executor, steps: &Sender<Step>| order.train(data, executor, steps);
    let model = run(py, pool, progress.as_ref(), work)??;
    if let Some(kept) = order.kept {
        if let Some(error) = kept.unwritten() {
            let text = CString::new(format!("no checkpoint was written: {error}"))?;
            PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 2)?;
        }
        kept.forget();
    }
    Ok(Model::new(model))
}

/// Trains a model of texts, each with the names of its labels, and of labels with texts of theirs.
#[pyfunction]
pub fn train_texts(
    py: Python<'_>,
    texts: Vec<PyBackedStr>,
    labels: Vec<Vec<PyBackedStr>>,
    label_texts: Vec<(PyBackedStr, PyBackedStr)>,
    how: How<'_>,
) -> PyResult<Model> {
    let order = Order::new(&how, Some(texts.len()), false)?;
    let labelled = texts.iter().zip(&labels);
    let labelled = labelled.map(|(text, names)| (&**text, names));
    let mut documents = Documents::new(labelled).map_err(wrong)?;
    if !label_texts.is_empty() {
        let described = label_texts.iter().map(|(label, text)| (&**text, [label]));
        documents.describe(described).map_err(wrong)?;
    }
    drop((texts, labels, label_texts));
    train(py, (Data::New(Source::Texts(documents)), order), &how)
}

/// Trains a model of rows with their label ids, which `names` may name.
#[pyfunction]
pub fn train_rows(
    py: Python<'_>,
    rows: Matrix<'_>,
    label_ids: LabelArrays<'_>,
    label_count: u32,
    names: Option<Vec<PyBackedStr>>,
    how: How<'_>,
) -> PyResult<Model> {
    let order = Order::new(&how, None, false)?;
    let rows = Rows::new(&rows)?.to_rows()?;
    let (offsets, ids) = labels(&label_ids)?;
    let lists = LabelLists::from_parts(&offsets, &ids).map_err(wrong)?;
    let names = names.map(|names| Names::new(names.iter().map(|name| &**name)));
    let names = names.transpose().map_err(wrong)?;
    let mut data = Dataset::new(rows, lists, names).map_err(dataset)?;
    data.widen(0, label_count);
    train(py, (Data::New(Source::Rows(data)), order), &how)
}

/// Rows with labels as `model` would be given them: its features and labels come first.
fn like(model: &model::Model, rows: SparseRows, labels: &Labels<'_>) -> PyResult<Dataset> {
    let (lists, names) = labels.lists(model)?;
    let mut data = Dataset::new(rows, lists, names).map_err(dataset)?;
    data.widen(model.features(), model.labels());
    Ok(data)
}

/// Trains on texts from a model: they are read with its words, and its labels come first.
#[pyfunction]
pub fn train_texts_from(
    py: Python<'_>,
    start: Bound<'_, Model>,
    texts: Vec<String>,
    labels: Labels<'_>,
    how: How<'_>,
) -> PyResult<Model> {
    let order = Order::new(&how, None, true)?;
    let held = start.get().read();
    let pool = Threads::new(how.3).map_err(wrong)?;
    let rows = py.detach(|| match held.model.vectorizer() {
        Some(vectorizer) => Ok(vectorizer.transform_all(&texts, &pool)),
        None => Err(wrong("the model was trained on rows: give rows")),
    })?;
    let data = like(&held.model, rows, &labels)?;
    train(py, (Data::Like(&held.model, data), order), &how)
}

/// Trains on rows from a model of their features, whose labels come first.
#[pyfunction]
pub fn train_rows_from(
    py: Python<'_>,
    start: Bound<'_, Model>,
    rows: Matrix<'_>,
    labels: Labels<'_>,
    how: How<'_>,
) -> PyResult<Model> {
    let order = Order::new(&how, None, true)?;
    let held = start.get().read();
    let rows = Rows::new(&rows)?.to_rows()?;
    let (found, known) = (rows.features(), held.model.features());
    if found != known {
        return Err(wrong(format_args!(
            "the rows have {found} features, but the model to start from has {known}"
        )));
    }
    let data = like(&held.model, rows, &labels)?;
    train(py, (Data::Like(&held.model, data), order), &how)
}

/// Offsets, ids and names of labels that are given by name, in the order that files get.
pub type Numbered<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Vec<String>,
);

/// Numbers labels by name.
#[pyfunction]
pub fn number_labels<'py>(
    py: Python<'py>,
    labels: Vec<Vec<PyBackedStr>>,
) -> PyResult<Numbered<'py>> {
    let (lists, names) = named_labels(&labels, None).map_err(wrong)?;
    let mut offsets = vec![0i64];
    let mut ids = Vec::with_capacity(lists.total());
    for row in lists.iter() {
        ids.extend(row.iter().copied().map(i64::from));
        offsets.push(ids.len() as i64);
    }
    let (offsets, ids) = (offsets.into_pyarray(py), ids.into_pyarray(py));
    Ok((offsets, ids, names.iter().collect()))
}
