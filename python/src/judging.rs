//! How good answers are: the figures of `hapax evaluate`.

use super::{
    errors::{prediction, wrong},
    learning::Labels,
    matrix::{LabelArrays, Matrix, Rows, labels},
    model::Model,
};
use hapax::{
    core::{
        data::LabelLists,
        metrics::{Evaluation, Options, Propensities, Report},
        model::{self, PredictError, Scratch},
        search::Scored,
        sparse::SparseRows,
    },
    kernels,
    threads::Threads,
};
use numpy::{IntoPyArray, PyArray1};
use pyo3::{prelude::*, types::PyDict};

/// The figures as a dictionary; those at k as lists.
fn figures<'py>(py: Python<'py>, report: Report) -> PyResult<Bound<'py, PyDict>> {
    let shown = PyDict::new(py);
    shown.set_item("rows", report.rows)?;
    shown.set_item("k", report.ks)?;
    for (name, figures) in [
        ("precision", Some(report.precision)),
        ("attainable_precision", Some(report.attainable_precision)),
        ("r_precision", Some(report.r_precision)),
        ("recall", Some(report.recall)),
        ("ndcg", Some(report.ndcg)),
        ("coverage", Some(report.coverage)),
        ("psp", report.psp),
        ("psndcg", report.psndcg),
    ] {
        shown.set_item(name, figures)?;
    }
    shown.set_item("accuracy", report.accuracy)?;
    shown.set_item("cut", report.cut)?;
    shown.set_item("micro_f1", report.micro_f1)?;
    shown.set_item("macro_f1", report.macro_f1)?;
    shown.set_item("example_f1", report.example_f1)?;
    Ok(shown)
}

/// How many rows carry each label, how many rows there are, and the parameters A and B.
type Counts = (Vec<u32>, usize, f64, f64);

fn propensities((counts, rows, a, b): &Counts) -> PyResult<Propensities> {
    Propensities::new(counts, *rows, *a, *b).map_err(wrong)
}

/// The inverse propensities of the labels that are counted.
#[pyfunction]
pub fn inverse_propensities<'py>(
    py: Python<'py>,
    counts: Counts,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let propensities = propensities(&counts)?;
    let weights = (0..counts.0.len() as u32).map(|label| propensities.weight(label));
    Ok(weights.collect::<Vec<f64>>().into_pyarray(py))
}

/// The figures of ranked answers.
#[pyfunction]
pub fn metrics<'py>(
    py: Python<'py>,
    truth: LabelArrays<'py>,
    predicted: LabelArrays<'py>,
    ks: Vec<usize>,
    cut: usize,
    counts: Option<Counts>,
) -> PyResult<Bound<'py, PyDict>> {
    let (offsets, ids) = labels(&truth)?;
    let truth = LabelLists::from_parts(&offsets, &ids).map_err(wrong)?;
    let (ends, answers) = labels(&predicted)?;
    let rows = || {
        ends.windows(2)
            .map(|pair| (pair[0] as usize, pair[1] as usize))
    };
    let whole = ends
        .last()
        .is_some_and(|&end| end as usize == answers.len());
    if ends.len() != truth.iter().len() + 1 || !whole || rows().any(|(start, end)| start > end) {
        return Err(wrong(format_args!(
            "there are answers of {} rows, but labels of {}",
            ends.len() - 1,
            truth.iter().len()
        )));
    }
    let weights = counts.as_ref().map(propensities).transpose()?;
    let options = Options {
        propensities: weights.as_ref(),
        cut,
    };
    let mut evaluation = Evaluation::new(&ks, options).map_err(wrong)?;
    py.detach(|| {
        for (row, (start, end)) in rows().enumerate() {
            evaluation.add_ids(&answers[start..end], truth.row(row));
        }
    });
    figures(py, evaluation.finish().map_err(wrong)?)
}

/// Answers all rows and compares them with their labels, as `hapax evaluate` does.
fn judged(
    model: &model::Model,
    (rows, truth): (&SparseRows, &LabelLists),
    ks: &[usize],
    pool: &Threads,
) -> PyResult<Report> {
    let failed = |error| prediction(&PredictError::Failed(error));
    let counts = model.label_frequencies().map_err(failed)?;
    let made = model.provenance().rows as usize;
    let weights = propensities(&(counts, made, Propensities::A, Propensities::B))?;
    let options = Options {
        propensities: Some(&weights),
        cut: (model.mean_labels_per_row().round() as usize).max(1),
    };
    let mut evaluation = Evaluation::new(ks, options).map_err(wrong)?;
    let depth = evaluation.depth();
    let scratch = || Scratch::new(kernels::best());
    let answer = |scratch: &mut Scratch, row, to: &mut Vec<Scored>| {
        to.clear();
        // Fails only for zero answers, and the depth is at least the smallest k.
        to.extend_from_slice(
            model
                .predict(rows.row(row), depth, scratch)
                .unwrap_or_default(),
        );
    };
    evaluation.add_all(truth, pool, scratch, answer);
    evaluation.finish().map_err(wrong)
}

/// Judges the model by texts with their labels.
#[pyfunction]
pub fn evaluate_texts<'py>(
    py: Python<'py>,
    model: Bound<'py, Model>,
    texts: Vec<String>,
    labels: Labels<'py>,
    ks: Vec<usize>,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let model = model.get();
    let (truth, _) = labels.lists(&model.read().model)?;
    let pool = Threads::new(threads).map_err(wrong)?;
    let report = py.detach(|| {
        model.prepare(texts.len());
        let held = model.read();
        let Some(vectorizer) = held.model.vectorizer() else {
            return Err(prediction(&PredictError::NoVectorizer));
        };
        let rows = vectorizer.transform_all(&texts, &pool);
        judged(&held.model, (&rows, &truth), &ks, &pool)
    })?;
    figures(py, report)
}

/// Judges the model by rows with their labels.
#[pyfunction]
pub fn evaluate_rows<'py>(
    py: Python<'py>,
    model: Bound<'py, Model>,
    rows: Matrix<'py>,
    labels: Labels<'py>,
    ks: Vec<usize>,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let model = model.get();
    let (truth, _) = labels.lists(&model.read().model)?;
    let rows = Rows::new(&rows)?.to_rows()?;
    let pool = Threads::new(threads).map_err(wrong)?;
    let report = py.detach(|| {
        model.prepare(rows.len());
        judged(&model.read().model, (&rows, &truth), &ks, &pool)
    })?;
    figures(py, report)
}
