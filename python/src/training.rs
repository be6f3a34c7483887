//! Training as the command does it: the same bytes for the same data, options and seed.

use super::errors::{dataset, training as failed, wrong};
use super::interrupt::{Step, Stoppable, run};
use super::matrix::{LabelArrays, Matrix, Rows, labels};
use super::methods::Plain;
use super::model::Model;
use super::options::{Mach, Neighbors, Options, one_vs_rest, text};
use hapax::core::data::Names;
use hapax::core::data::{Dataset, Documents, IndexBase, LabelLists, Source, named_labels};
use hapax::core::parameters::MachParameters;
use hapax::core::parameters::NearestParameters;
use hapax::core::parameters::OneVsRest;
use hapax::core::text::Vectorizer;
use hapax::core::train::auto::Progress;
use hapax::core::train::mach::Report as MachReport;
use hapax::core::train::nearest::Grid;
use hapax::core::train::one_vs_rest::Given;
use hapax::core::train::{Calibrating, Hearing, TrainError, check_data};
use hapax::core::{executor::Executor, model};
use hapax::threads::Threads;
use hapax::{TextFeatures, TrainingError, Vectorized, kernels, train_watched, vectorize};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyDict;
use std::ops::ControlFlow;
use std::sync::mpsc::Sender;
use std::time::Duration;

/// How a call wants it: method, options, seed, threads, and what to tell of progress.
pub type How<'py> = (
    String,
    Bound<'py, PyDict>,
    u64,
    usize,
    Option<Bound<'py, PyAny>>,
);

/// What is trained.
enum Method {
    OneVsRest(OneVsRest, Given),
    Nearest(Neighbors),
    Mach(Mach),
    Plain(Plain),
}

const METHODS: &str = "auto, ovr, nearest, mach, cs, ww, llw, memoir-l2, memoir-l1, \
                       memoir-lsh, wsabie, wsabie-pp, ova-sgd, auc, nearest-mean";

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
}

impl Order {
    /// Reads the options of a call; `texts` is how many there are.
    fn new((method, options, seed, ..): &How<'_>, texts: Option<usize>) -> PyResult<Self> {
        let (method, seed) = (method.as_str(), *seed);
        let mut options = Options::new(options)?;
        let features = texts.map(|texts| text(&mut options, texts)).transpose()?;
        let max_bytes = options.take("max_bytes")?;
        // What chooses a method calibrates from the answers that it chose by.
        let plain = match method {
            "auto" => None,
            _ => options.take("no_calibration")?,
        };
        let features = features.map(|asked| match max_bytes {
            Some(most) => asked.within(most),
            None => asked,
        });
        let mut time = None;
        if ["auto", "ovr"].contains(&method) {
            let minutes: Option<f64> = options.take("minutes")?;
            time = minutes.map(duration).transpose()?;
        }
        let kind = match method {
            "auto" => None,
            "ovr" => {
                let (fixed, given) = one_vs_rest(&mut options, seed)?;
                Some(Method::OneVsRest(fixed, given))
            }
            "nearest" => Some(Method::Nearest(Neighbors::new(&mut options)?)),
            "mach" => Some(Method::Mach(Mach::new(&mut options, seed)?)),
            other => match Plain::new(other, &mut options, seed)? {
                Some(plain) => Some(Method::Plain(plain)),
                None => {
                    return Err(wrong(format_args!(
                        "method is {other:?}, but must be one of {METHODS}"
                    )));
                }
            },
        };
        options.end(method)?;
        Ok(Self {
            method: kind,
            features,
            seed,
            max_bytes,
            calibrates: !plain.unwrap_or(false),
            time,
        })
    }

    /// Trains the model of the command.
    fn train<E: Executor>(
        self,
        source: Source,
        executor: &E,
        steps: &Sender<Step>,
    ) -> Result<model::Model, Failure> {
        // Nobody listening any more is no reason to fail.
        let tell = |what, done, of| _ = steps.send((what, done, of));
        let (seed, features) = (self.seed, self.features);
        let Some(method) = self.method else {
            let told = |doing| match doing {
                Progress::Settings(done, of) => tell("choosing parameters", done, of),
                Progress::Trying(method) => tell(method.name(), 0, 0),
                Progress::Training(_) => tell("training", 0, 0),
                Progress::Part(report) => tell("training", report.done, report.of),
            };
            if let Source::Rows(data) = &source {
                check_data(data)?;
            }
            let best = train_watched(source, seed, (features, self.max_bytes), executor, told)?;
            return finished(best.model, seed, self.max_bytes, executor);
        };
        let plain = match &method {
            Method::OneVsRest(fixed, given) => Some(given.over(fixed)),
            _ => None,
        };
        let told = |done| tell("choosing n-grams", done, 0);
        let Vectorized {
            data, vectorizer, ..
        } = vectorize(source, features, plain.as_ref(), executor, told)?;
        check_data(&data)?;
        let mut begun = Calibrating::default();
        let mut model = match method {
            Method::OneVsRest(fixed, given) => {
                let rows = (&data, vectorizer);
                train_ovr((&fixed, &given), rows, &mut begun, executor, tell)?
            }
            Method::Nearest(given) => train_nearest(&given, &data, vectorizer, seed, executor)?,
            Method::Mach(given) => {
                train_mach(&given, &data, vectorizer, self.max_bytes, executor, tell)?
            }
            Method::Plain(plain) => plain.train(&data, vectorizer, executor, steps)?,
        };
        if self.calibrates {
            tell("calibrating", 0, 0);
            begun.max_bytes = self.max_bytes;
            model.calibrate(begun, (&data, seed), executor, kernels::best())?;
        }
        finished(model, seed, self.max_bytes, executor)
    }
}

fn duration(minutes: f64) -> PyResult<Duration> {
    let time = Duration::try_from_secs_f64(60.0 * minutes);
    let time = time.ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| wrong(format_args!("minutes is {minutes}, but must be above 0")))
}

/// Why there is no model.
enum Failure {
    Training(TrainingError),
    TooSmall(String),
}

impl<T: Into<TrainingError>> From<T> for Failure {
    fn from(error: T) -> Self {
        Self::Training(error.into())
    }
}

/// Leaves where calibration begins in `begun`.
fn train_ovr<E: Executor>(
    (fixed, given): (&OneVsRest, &Given),
    (data, vectorizer): (&Dataset, Option<Vectorizer>),
    begun: &mut Calibrating,
    executor: &E,
    tell: impl Fn(&'static str, usize, usize),
) -> Result<model::Model, TrainError> {
    let are_texts = vectorizer.is_some();
    let told = |done, of| {
        tell("choosing parameters", done, of);
        ControlFlow::Continue(())
    };
    let mut choice = fixed.choose(given, data, executor, kernels::best(), are_texts, told)?;
    *begun = core::mem::take(&mut choice.calibrating);
    let parameters = &choice.parameters;
    let linear = parameters.train(data, executor, kernels::best(), |report| {
        tell("training", report.done, report.of);
        ControlFlow::Continue(())
    })?;
    let (rows, best) = ((data, vectorizer), kernels::best());
    choice.fused.model(linear, parameters, rows, executor, best)
}

fn train_nearest<E: Executor>(
    given: &Neighbors,
    data: &Dataset,
    vectorizer: Option<Vectorizer>,
    seed: u64,
    executor: &E,
) -> Result<model::Model, TrainError> {
    let parameters = if given.tune {
        let (grid, kernels) = (Grid::default(), kernels::best());
        let found = NearestParameters::tune(data, &grid, seed, executor, kernels, |_, _| ())?;
        found.best.parameters
    } else {
        given.within(data.len())
    };
    model::Model::train_nearest(parameters, data, vectorizer, executor)
}

fn train_mach<E: Executor>(
    given: &Mach,
    data: &Dataset,
    vectorizer: Option<Vectorizer>,
    max_bytes: Option<u64>,
    executor: &E,
    tell: impl Fn(&'static str, usize, usize),
) -> Result<model::Model, TrainError> {
    let parameters = given.over(MachParameters::automatic(data));
    let kernels = kernels::best();
    let going = |_: MachReport| {
        tell("training", 0, 0);
        ControlFlow::Continue(())
    };
    match max_bytes {
        None => model::Model::train_mach(&parameters, data, vectorizer, executor, kernels, going),
        Some(most) => {
            let watch = &mut Hearing(going);
            let made = model::Model::train_mach_within(
                &parameters,
                data,
                vectorizer,
                most,
                executor,
                kernels,
                watch,
            )?;
            Ok(made.0)
        }
    }
}

/// The model within its budget, and the record of its seed.
fn finished<E: Executor>(
    mut model: model::Model,
    seed: u64,
    max_bytes: Option<u64>,
    executor: &E,
) -> Result<model::Model, Failure> {
    let of_texts = model.vectorizer().is_some();
    let record = model.provenance_mut();
    record.seed = seed;
    // Features of rows count from 0, as those of XMC data do.
    record.index_base = (!of_texts).then_some(IndexBase::Zero);
    let Some(most) = max_bytes else {
        return Ok(model);
    };
    match model.compacted(most, seed, executor, kernels::best()) {
        Ok(compacted) => Ok(compacted.model),
        Err(error) => Err(Failure::TooSmall(error.to_string())),
    }
}

fn train(
    py: Python<'_>,
    (source, order): (Source, Order),
    (.., threads, progress): &How<'_>,
) -> PyResult<Model> {
    let mut pool = Threads::new(*threads).map_err(wrong)?;
    if let Some(time) = order.time {
        pool = pool.hurried(time);
    }
    let work = |executor: &Stoppable<'_, Threads>, steps: &Sender<Step>| {
        order.train(source, executor, steps)
    };
    match run(py, &pool, progress.as_ref(), work)? {
        Ok(model) => Ok(Model::new(model)),
        Err(Failure::Training(error)) => Err(failed(error)),
        Err(Failure::TooSmall(text)) => Err(wrong(text)),
    }
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
    let order = Order::new(&how, Some(texts.len()))?;
    let labelled = texts.iter().zip(&labels);
    let labelled = labelled.map(|(text, names)| (&**text, names));
    let mut documents = Documents::new(labelled).map_err(wrong)?;
    if !label_texts.is_empty() {
        let described = label_texts.iter().map(|(label, text)| (&**text, [label]));
        documents.describe(described).map_err(wrong)?;
    }
    drop((texts, labels, label_texts));
    train(py, (Source::Texts(documents), order), &how)
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
    let order = Order::new(&how, None)?;
    let rows = Rows::new(&rows)?.to_rows()?;
    let (offsets, ids) = labels(&label_ids)?;
    let lists = LabelLists::from_parts(&offsets, &ids).map_err(wrong)?;
    let names = names.map(|names| Names::new(names.iter().map(|name| &**name)));
    let names = names.transpose().map_err(wrong)?;
    let mut data = Dataset::new(rows, lists, names).map_err(dataset)?;
    data.widen(0, label_count);
    train(py, (Source::Rows(data), order), &how)
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
